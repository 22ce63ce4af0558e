import { listing } from '../../cli/answers.js';
import { flag, optional, toggle } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import { type Bill, balanceAfter } from '../../domain/funds.js';
import { suggest } from '../../errors.js';
import { FACTS } from '../../exchange/description.js';
import type { Exchange, Pages } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { paintChange, signed } from '../../terminal/cells.js';
import type { Column } from '../../terminal/table.js';
import { isoTime } from '../../terminal/time.js';
import { coinName, moment, requireRange } from '../inputs/parsers.js';
import { pagedListing, pageFlags, withProgress, withTimePerPage } from '../listings/paged-listing.js';
import { type Context, define } from '../session/command.js';
import { explainRefusalOfPages } from './refusal.js';

const BILL = shape.object({
  id: shape.id('of the bill'),
  time: shape.time(''),
  coin: shape.outsideText(''),
  type: shape.nullable(shape.outsideText("the exchange's text")),
  change: shape.decimal('negative if coins went out'),
  balance: shape.nullable(shape.decimal('after the change')),
  remark: shape.nullable(shape.outsideText('')),
  total: shape.nullable(shape.decimal('a second balance')),
  timeRaw: shape.nullable(shape.outsideText('as sent')),
});

type BillRow = shape.Infer<typeof BILL>;

const SUMMARY = shape.object({
  coin: shape.outsideText(''),
  type: shape.nullable(shape.outsideText("the exchange's text")),
  count: shape.integer('how many bills'),
  in: shape.decimal('sum of what came in'),
  out: shape.decimal('sum of what went out, without a sign'),
  net: shape.decimal('in minus out'),
});

type SummaryRow = shape.Infer<typeof SUMMARY>;

export default define({
  summary: 'List every change of your balances, newest first',
  arguments: { coin: optional('the coin (default: all)', coinName) },
  flags: {
    from: flag('--from <time>', 'list all bills from this time (default: one page)', moment),
    to: flag('--to <time>', 'list bills before this time (default: now)', moment),
    ...pageFlags('bills', FACTS.billsPerPage),
    summary: toggle('--summary', 'count and sum the bills of the range by coin and type', { excludes: ['--page'] }),
  },
  examples: ['bills', 'bills btc --from 2026-11-01 --to 2026-12-01', 'bills --from 30d --summary', 'bills --all --csv'],
  output: shape.anyOf(shape.array(BILL), shape.array(SUMMARY, 'with --summary')),
  async run(context, { coin, from, to, page, all, summary }) {
    const client = withTimePerPage(context, await context.session.signedExchange());
    requireRange([from, to], ['--from', '--to'], context.host.now());
    const listsAll = summary || (page === undefined && (all || from !== undefined));
    const read = client.bills({ coin, from, to }, listsAll ? undefined : (page ?? 1));
    const bills = checkingZone(context, explainRefusalOfPages(context, { coin, command: 'bills' }, read), client);
    if (summary) return summaryOf(withProgress(context, 'bills', bills));
    return pagedListing(context, {
      what: 'bills',
      pages: bills,
      rowMaker: () => billRow,
      row: BILL,
      columns: COLUMNS(),
      empty: coin === undefined ? 'No bills.' : `No bills in ${coin}.`,
      older: `--page ${(page ?? 1) + 1}, --from TIME or --all`,
      isPage: page !== undefined,
    });
  },
});

/** Warns if the profile's zone differs from the bills': `--to` and the times of deposits depend on it. */
async function* checkingZone({ output, session }: Context, bills: Pages<Bill>, { zone }: Exchange): Pages<Bill> {
  const extent = yield* bills;
  const { name, contradictingOffset } = zone;
  if (contradictingOffset === undefined) return extent;
  const { profile } = await session.connection();
  output.warn([
    `The profile's zone is ${name}, but this exchange's bills are in ${contradictingOffset}.`,
    suggest('Use the zone of the bills', 'profile', 'unset', profile, 'zone'),
  ]);
  return extent;
}

function billRow({ id, time, coin, type, change, balance, remark, total, timeRaw }: Bill): BillRow {
  return { id, time: isoTime(time), coin, type, change, balance, remark, total, timeRaw };
}

const column = fieldColumns<BillRow>(BILL);

const COLUMNS = (): readonly Column<BillRow>[] => [
  column('time', { importance: 7 }),
  column('coin', { importance: 8, paint: (text, _, paint) => paint.strong(text) }),
  column('type', { importance: 6 }),
  column('change', {
    value: ({ change }) => grouped(signed(change)),
    importance: 9,
    paint: (text, { change }, paint) => paintChange(text, change, paint),
  }),
  column('balance', {
    value: (row) => {
      const balance = balanceAfter(row);
      return balance === null ? null : grouped(balance);
    },
    importance: 5,
  }),
  column('remark', { importance: 2 }),
  column('id', { importance: 3, paint: (text, _, paint) => paint.faint(text) }),
];

/** The sums of the bills of one coin and type. */
interface Group {
  readonly coin: string;
  readonly type: string | null;
  readonly count: number;
  /** Both without a sign. */
  readonly in: Decimal;
  readonly out: Decimal;
}

/** Counts and sums bills by coin and type. Throws if not all bills can be read: a partial sum would mislead. */
async function summaryOf(bills: AsyncIterable<readonly Bill[]>): Promise<Answer<readonly SummaryRow[]>> {
  const groups = new Map<string, Group>();
  for await (const some of bills) {
    for (const bill of some) {
      const key = JSON.stringify([bill.coin, bill.type]);
      groups.set(key, added(groups.get(key), groupOf(bill)));
    }
  }
  const sorted = [...groups].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, group]) => group);
  return summaryAnswer(sorted);
}

function groupOf({ coin, type, change }: Bill): Group {
  const amount = Decimal.of(change);
  const isOut = amount.sign < 0;
  return {
    coin,
    type,
    count: 1,
    in: isOut ? Decimal.zero : amount,
    out: isOut ? amount.negated() : Decimal.zero,
  };
}

function added(sum: Group | undefined, more: Group): Group {
  if (sum === undefined) return more;
  return {
    ...sum,
    count: sum.count + more.count,
    in: sum.in.plus(more.in),
    out: sum.out.plus(more.out),
  };
}

function summaryAnswer(groups: readonly Group[]): Answer<readonly SummaryRow[]> {
  const rows = groups.map(summaryRow);
  const view = { row: SUMMARY, columns: SUMMARY_COLUMNS, empty: 'No bills.' };
  return { ...listing({ rows, ...view }), show: listing({ rows: withSums(groups), ...view }).show };
}

/** On screen the sum of a coin follows its types if there are several. */
function withSums(groups: readonly Group[]): SummaryRow[] {
  return groups.flatMap((group, index) => {
    const row = summaryRow(group);
    const ofCoin = groups.filter(({ coin }) => coin === group.coin);
    if (ofCoin.length === 1 || groups[index + 1]?.coin === group.coin) return [row];
    return [row, summaryRow({ ...ofCoin.reduce(added), type: TOTAL })];
  });
}

const TOTAL = 'total';

function summaryRow({ coin, type, count, in: into, out }: Group): SummaryRow {
  return { coin, type, count, in: into.toString(), out: out.toString(), net: into.minus(out).toString() };
}

const summaryColumn = fieldColumns<SummaryRow>(SUMMARY);

const SUMMARY_COLUMNS: readonly Column<SummaryRow>[] = [
  summaryColumn('coin', { importance: 9, paint: (text, _, paint) => paint.strong(text) }),
  summaryColumn('type', {
    importance: 8,
    paint: (text, { type }, paint) => (type === TOTAL ? paint.faint(text) : text),
  }),
  summaryColumn('count', { title: 'bills', align: 'right', importance: 4 }),
  summaryColumn('in', { importance: 5 }),
  summaryColumn('out', { importance: 5 }),
  summaryColumn('net', {
    value: ({ net }) => grouped(signed(net)),
    importance: 7,
    paint: (text, { net }, paint) => paintChange(text, net, paint),
  }),
];
