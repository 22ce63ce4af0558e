import type { Context } from '../../cli/context.js';
import { define, flag, optional, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { Bill } from '../../domain/funds.js';
import { suggest, usage } from '../../errors.js';
import { BILLS_PER_PAGE, readBills } from '../../exchange/bills.js';
import type { ExchangeZone } from '../../exchange/exchange-zone.js';
import * as origin from '../../exchange/origins.js';
import type { RowStream } from '../../terminal/answer.js';
import { paintChange } from '../../terminal/cells.js';
import { grouped, signed } from '../../terminal/numbers.js';
import type { Column } from '../../terminal/table.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';
import { coinName } from '../inputs/names.js';
import { wholeNumber } from '../inputs/numbers.js';
import { moment } from '../inputs/time.js';
import { SUMMARY, summaryOf } from './bill-summary.js';
import { explainedPages } from './explained.js';
import { paged, patient } from './paged.js';

type BillRow = ReturnType<typeof billRow>;

export default define({
  summary: 'Every change of your balances, newest first',
  arguments: { coin: optional('only this coin', coinName) },
  flags: {
    from: flag('--from <time>', 'from this time on, to the end of the range', moment),
    to: flag('--to <time>', 'up to this time', moment),
    page: flag(
      '--page <n>',
      `one page of ${BILLS_PER_PAGE}; the first unless told`,
      wholeNumber('--page', 1, 1_000_000),
    ),
    all: toggle('--all', 'all there are, however old'),
    summary: toggle('--summary', 'how many there are of each coin and type, and their sums, over the whole range'),
  },
  examples: ['bills', 'bills btc --from 2026-11-01 --to 2026-12-01', 'bills --from 30d --summary', 'bills --all --csv'],
  output: shape.either(
    shape.list(
      shape.record({
        id: shape.id('of the bill', origin.BILL.id),
        time: shape.time('', origin.BILL.time),
        coin: shape.text('', origin.BILL.coin),
        type: shape.orNull(shape.text("the exchange's words", origin.BILL.type)),
        change: shape.decimal('with its sign', origin.BILL.change),
        balance: shape.orNull(shape.decimal('after it', origin.BILL.balance)),
        remark: shape.orNull(shape.text('', origin.BILL.remark)),
      }),
    ),
    shape.list(SUMMARY, 'with --summary'),
  ),
  async run(context, { coin, from, to, page, all, summary }) {
    if (page !== undefined && all) throw usage('--page and --all exclude each other.', 'Give one of them.');
    if (page !== undefined && summary)
      throw usage('--page and --summary exclude each other.', 'Sums are over a whole range: --from and --to set it.');
    const client = await context.session.signedClient();
    const zone = await context.session.zone();
    const now = client.now();
    const range = { coin, from: from?.(now), to: to?.(now) };
    if (range.from !== undefined && range.to !== undefined && range.from > range.to)
      throw usage('--from is after --to.', 'Give the earlier time as --from.');
    const read = explainedPages(
      context,
      { coin, permission: 'asset' },
      readBills(patient(context, client), zone, range),
    );
    const bills = withDoubts(context, paged(context, 'bills', read), zone);
    if (summary) return summaryOf(bills);
    const isWhole = page === undefined && (all || from !== undefined);
    return streamOf(isWhole ? bills : onePage(context, bills, page ?? 1), coin);
  },
});

/** Tells where the profile's zone is not what the bills show: `--to` and the times of deposits depend on it. */
async function* withDoubts(
  { output, session }: Context,
  bills: AsyncIterable<readonly Bill[]>,
  zone: ExchangeZone,
): AsyncGenerator<readonly Bill[]> {
  yield* bills;
  const { name, doubt } = zone;
  if (doubt === undefined) return;
  const { profile } = await session.connection();
  output.warn([
    `The profile's zone is ${name}, and this exchange's bills show ${doubt}.`,
    suggest('To go by them', 'profile', 'unset', profile, 'zone'),
  ]);
}

function streamOf(bills: AsyncIterable<readonly Bill[]>, coin: string | undefined): RowStream<BillRow> {
  return {
    rows: rowsOf(bills),
    fields: ['id', 'time', 'coin', 'type', 'change', 'balance', 'remark'],
    columns: COLUMNS(),
    empty: coin === undefined ? 'No bills.' : `No bills in ${coin}.`,
    what: 'bills',
  };
}

async function* rowsOf(bills: AsyncIterable<readonly Bill[]>): AsyncGenerator<readonly BillRow[]> {
  for await (const some of bills) yield some.map(billRow);
}

function billRow({ id, time, coin, type, change, balance, remark }: Bill) {
  return { id, time: isoTime(time), coin, type, change, balance, remark };
}

/** One page of the range, counted from its newest bill. */
async function* onePage(
  { output }: Context,
  bills: AsyncIterable<readonly Bill[]>,
  page: number,
): AsyncGenerator<readonly Bill[]> {
  let [skipped, left] = [(page - 1) * BILLS_PER_PAGE, BILLS_PER_PAGE];
  for await (const some of bills) {
    const taken = some.slice(skipped, skipped + left);
    skipped -= Math.min(skipped, some.length);
    left -= taken.length;
    yield taken;
    if (left === 0) break;
  }
  if (left === 0)
    output.note(`A page of ${BILLS_PER_PAGE}; for older bills: --page ${page + 1}, --from TIME or --all.`);
}

const COLUMNS = (): readonly Column<BillRow>[] => [
  { title: timeTitle(), value: ({ time }) => localTime(Date.parse(time)), importance: 7 },
  { title: 'coin', value: ({ coin }) => coin, importance: 8, paint: (text, _, paint) => paint.strong(text) },
  { title: 'type', value: ({ type }) => type, importance: 6 },
  {
    title: 'change',
    value: ({ change }) => grouped(signed(change)),
    align: 'decimal',
    importance: 9,
    paint: (text, { change }, paint) => paintChange(text, change, paint),
  },
  {
    title: 'balance',
    value: ({ balance }) => (balance === null ? null : grouped(balance)),
    align: 'decimal',
    importance: 5,
  },
  { title: 'remark', value: ({ remark }) => remark, importance: 2 },
  { title: 'id', value: ({ id }) => id, importance: 3, paint: (text, _, paint) => paint.faint(text) },
];
