import { listing } from '../../cli/answers.js';
import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import type { Answer } from '../../terminal/answer.js';
import { paintChange } from '../../terminal/cells.js';
import { grouped, signed } from '../../terminal/numbers.js';
import type { Column } from '../../terminal/table.js';

/** Bills of a coin and type, added up. */
interface Group {
  readonly coin: string;
  readonly type: string | null;
  readonly count: number;
  /** What came, and what went as a number without a sign. */
  readonly in: Decimal;
  readonly out: Decimal;
}

type SummaryRow = ReturnType<typeof summaryRow>;

const FIELDS = ['coin', 'type', 'count', 'in', 'out', 'net'] as const;

/** The bills of a coin and type together. */
export const SUMMARY = shape.record({
  coin: shape.text(''),
  type: shape.orNull(shape.text("the exchange's words")),
  count: shape.count('how many bills'),
  in: shape.decimal('what came'),
  out: shape.decimal('what went, without a sign'),
  net: shape.decimal('in less out'),
});

/** How many bills there are of each coin and type, and their exact sums. Throws what the bills throw: a part has no sum. */
export async function summaryOf(bills: AsyncIterable<readonly Bill[]>): Promise<Answer> {
  const groups = new Map<string, Group>();
  for await (const some of bills) {
    for (const bill of some) {
      const key = JSON.stringify([bill.coin, bill.type]);
      groups.set(key, joined(groups.get(key), groupOf(bill)));
    }
  }
  const sorted = [...groups].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, group]) => group);
  return answer(sorted);
}

function groupOf({ coin, type, change }: Bill): Group {
  const amount = Decimal.of(change);
  const isOut = amount.sign < 0;
  return {
    ...{ coin, type, count: 1 },
    in: isOut ? Decimal.zero : amount,
    out: isOut ? amount.negated() : Decimal.zero,
  };
}

function joined(known: Group | undefined, more: Group): Group {
  if (known === undefined) return more;
  return {
    ...known,
    count: known.count + more.count,
    in: known.in.plus(more.in),
    out: known.out.plus(more.out),
  };
}

function answer(groups: readonly Group[]): Answer {
  const rows = groups.map(summaryRow);
  const view = { fields: FIELDS, columns: COLUMNS, empty: 'No bills.' };
  return { ...listing({ rows, ...view }), show: listing({ rows: withSums(groups), ...view }).show };
}

/** People read the coin's own sum below its types, where there are several. */
function withSums(groups: readonly Group[]): SummaryRow[] {
  return groups.flatMap((group, index) => {
    const row = summaryRow(group);
    const ofCoin = groups.filter(({ coin }) => coin === group.coin);
    if (ofCoin.length === 1 || groups[index + 1]?.coin === group.coin) return [row];
    return [row, summaryRow({ ...ofCoin.reduce(joined), type: TOGETHER })];
  });
}

const TOGETHER = 'together';

function summaryRow({ coin, type, count, in: came, out }: Group) {
  return { coin, type, count, in: came.toString(), out: out.toString(), net: came.minus(out).toString() };
}

const COLUMNS: readonly Column<SummaryRow>[] = [
  { title: 'coin', value: ({ coin }) => coin, importance: 9, paint: (text, _, paint) => paint.strong(text) },
  {
    title: 'type',
    value: ({ type }) => type,
    importance: 8,
    paint: (text, { type }, paint) => (type === TOGETHER ? paint.faint(text) : text),
  },
  { title: 'bills', value: ({ count }) => grouped(String(count)), align: 'right', importance: 4 },
  { title: 'in', value: (row) => grouped(row.in), align: 'decimal', importance: 5 },
  { title: 'out', value: (row) => grouped(row.out), align: 'decimal', importance: 5 },
  {
    title: 'net',
    value: ({ net }) => grouped(signed(net)),
    align: 'decimal',
    importance: 7,
    paint: (text, { net }, paint) => paintChange(text, net, paint),
  },
];
