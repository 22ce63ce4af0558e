import { listing } from '../cli/answers.js';
import type { Context } from '../cli/context.js';
import { define, flag, optional, toggle } from '../cli/definition.js';
import * as shape from '../cli/shapes.js';
import type { Side } from '../domain/order.js';
import { Failure, usage } from '../errors.js';
import { type OrderPages, PAGE_SIZE, readOrderPages } from '../exchange/growing-pages.js';
import { listedFrom, verifyMarket } from '../trading/orders/verify-orders.js';
import { marketName, oneOf, wholeNumber } from './inputs.js';
import { onMarket } from './known-market.js';
import { ORDER, type OrderRow, orderColumns, orderRow } from './order/order-row.js';

type Wanted = 'open' | 'filled' | 'cancelled' | 'all';

export default define({
  summary: 'List orders, newest first (default: open)',
  arguments: { market: optional('the market (default: those in which pit placed orders lately)', marketName) },
  flags: {
    side: flag('--side <side>', 'only buys or only sells', oneOf('--side', 'buy', 'sell')),
    state: flag(
      '--state <state>',
      'open, filled, cancelled or all (default: open)',
      oneOf('--state', 'open', 'filled', 'cancelled', 'all'),
    ),
    page: flag(
      '--page <n>',
      `page n of the orders of a side, ${PAGE_SIZE} each, before --state is applied`,
      wholeNumber('--page', 1, 1_000_000),
    ),
    all: toggle('--all', 'read every page; open orders are always searched on every page'),
  },
  examples: [
    'orders btc_usdt',
    'orders btc_usdt --state all --all --json',
    'orders btc_usdt --side buy --page 2 --state all',
  ],
  output: shape.list(shape.record(ORDER)),
  async run(context, { market, side, state = 'open', page, all }) {
    if (page !== undefined && market === undefined)
      throw usage('--page needs a market.', 'The exchange lists each market separately.');
    if (page !== undefined && all) throw usage('--page and --all exclude each other.', 'Give one of them.');
    if (page !== undefined && side === undefined)
      throw usage('--page needs --side.', 'The exchange lists buys and sells on separate pages.');
    const account = await context.trading.account();
    const sides: readonly Side[] = side === undefined ? ['buy', 'sell'] : [side];
    const extent =
      page !== undefined
        ? { from: page, to: page }
        : { from: 1, to: all || state === 'open' ? Number.POSITIVE_INFINITY : 1 };
    const lists = new Map<string, readonly OrderPages[]>();
    for (const one of market === undefined ? account.journal.markets() : [market]) {
      const began = account.client.now();
      const read = (each: Side) => readOrderPages(account.client, one, each, extent);
      const list = onMarket(context, one, () => Promise.all(sides.map(read)));
      const found = await (market === undefined ? unlessGone(context, list) : list);
      if (found === undefined) continue;
      lists.set(one, found);
      // a list that begins further back lacks the newest orders
      const isFromNewest = page === undefined || page === 1;
      const own = isFromNewest ? sides.map((each, index) => [each, found[index]] as const) : [];
      await verifyMarket(
        account,
        one,
        Object.fromEntries(own.map(([each, pages]) => [each, pages && listedFrom(pages, began)])),
      );
    }
    if (market === undefined) context.output.note(marketsText([...lists.keys()]));
    return answer(
      context,
      market ?? 'any market in which pit placed orders',
      state,
      [...lists.values()].flat(),
      page === undefined,
    );
  },
});

/** A market that the exchange no longer lists must not hide the orders of the others. */
async function unlessGone<List>({ output }: Context, list: Promise<List>): Promise<List | undefined> {
  try {
    return await list;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
    output.warn(`${error.message} Skipping it.`);
    return undefined;
  }
}

function marketsText(markets: readonly string[]): string {
  if (markets.length === 0) return 'pit has not placed any orders yet. Name a market to list its orders.';
  return `Markets in which pit placed orders lately: ${markets.join(', ')}. Name another market to list its orders.`;
}

async function answer(
  { output }: Context,
  market: string,
  state: Wanted,
  lists: readonly OrderPages[],
  tellMore: boolean,
) {
  const records = new Map(lists.flatMap((list) => list.records).map((record) => [record.id, record]));
  const rows = [...records.values()]
    .map((record) => orderRow(record, null))
    .filter((row) => state === 'all' || row.state === state)
    .sort(newestFirst);
  const result = listing({
    rows,
    fields: FIELDS,
    columns: orderColumns(),
    empty: `No ${state === 'all' ? '' : `${state} `}orders in ${market}.`,
  });
  const failure = lists.find((list) => list.failure !== null)?.failure;
  if (failure === null || failure === undefined) {
    if (tellMore && lists.some((list) => list.more)) output.note('There are older orders; --all reads them too.');
    return result;
  }
  const hint = 'Older orders are missing; use --timeout to allow more time.';
  return { ...result, failure: new Failure('partial', `Not every page could be read: ${failure.message}`, { hint }) };
}

function newestFirst(left: OrderRow, right: OrderRow): number {
  if (left.time !== right.time) return left.time < right.time ? 1 : -1;
  return right.id.length - left.id.length || (left.id < right.id ? 1 : -1);
}

const FIELDS = [
  'id',
  'clientId',
  'market',
  'side',
  'type',
  'account',
  'price',
  'amount',
  'filled',
  'remaining',
  'filledValue',
  'averagePrice',
  'fee',
  'feeCoin',
  'feeDiscount',
  'time',
  'state',
  'status',
] as const;
