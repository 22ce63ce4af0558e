import type { ExchangeClient } from '../client/exchange-client.js';
import { Failure, usage } from '../errors.js';
import type { OrderRecord } from '../protocol/operations/trading.js';
import { type Side, TRADE_TYPE } from '../protocol/words.js';
import { listing } from './frame/answers.js';
import type { Context } from './frame/context.js';
import { define, flag, optional, toggle } from './frame/definition.js';
import { onMarket } from './frame/known-market.js';
import { marketName } from './inputs/names.js';
import { oneOf, wholeNumber } from './inputs/numbers.js';
import { type OrderRow, orderRow } from './order/rows.js';
import { orderColumns } from './order/table.js';

/** "Returns 10 records per request." */
const PAGE_SIZE = 10;
/** Observed in place of an empty list. */
const NO_ORDERS = 3001;

type Wanted = 'open' | 'filled' | 'cancelled' | 'all';

export default define({
  summary: 'Orders of a market, newest first; open ones unless told',
  arguments: { market: optional('the market', marketName) },
  flags: {
    side: flag('--side <side>', 'only buy or sell', oneOf('--side', 'buy', 'sell')),
    state: flag(
      '--state <state>',
      'open, filled, cancelled or all',
      oneOf('--state', 'open', 'filled', 'cancelled', 'all'),
    ),
    page: flag(
      '--page <n>',
      `one page of ${PAGE_SIZE} orders of a side, before --state is applied`,
      wholeNumber('--page', 1, 1_000_000),
    ),
    all: toggle('--all', 'every page; open orders are always looked for on every page'),
  },
  examples: [
    'orders btc_usdt',
    'orders btc_usdt --state all --all --json',
    'orders btc_usdt --side buy --page 2 --state all',
  ],
  async run(context, { market, side, state = 'open', page, all }) {
    if (market === undefined) throw usage('The market is missing.', 'Name it, for instance pit orders btc_usdt.');
    if (page !== undefined && all) throw usage('--page and --all exclude each other.', 'Give one of them.');
    if (page !== undefined && side === undefined)
      throw usage('--page needs --side.', 'The exchange counts the pages of buys and sells apart.');
    const client = await context.session.signedClient();
    const sides: readonly Side[] = side === undefined ? ['buy', 'sell'] : [side];
    const extent =
      page !== undefined
        ? { from: page, to: page }
        : { from: 1, to: all || state === 'open' ? Number.POSITIVE_INFINITY : 1 };
    const lists = await onMarket(context, market, () =>
      Promise.all(sides.map((one) => readPages(client, market, one, extent))),
    );
    return answer(context, market, state, lists, page === undefined);
  },
});

interface Extent {
  readonly from: number;
  readonly to: number;
}

interface Pages {
  readonly records: readonly OrderRecord[];
  /** There are older orders that were not asked for. */
  readonly more: boolean;
  /** Pages that were asked for and could not be had. */
  readonly failure: Failure | null;
}

const REPEATED = new Failure('partial', 'the exchange gave the same page again');

async function readPages(client: ExchangeClient, market: string, side: Side, { from, to }: Extent): Promise<Pages> {
  const records: OrderRecord[] = [];
  const known = new Set<string>();
  for (let page = from; page <= to; page += 1) {
    try {
      const found = await readPage(client, market, side, page);
      // an exchange that does not count pages would be asked for ever
      if (found.length > 0 && found.every(({ id }) => known.has(id))) return { records, more: true, failure: REPEATED };
      records.push(...found);
      for (const { id } of found) known.add(id);
      if (found.length < PAGE_SIZE) return { records, more: false, failure: null };
    } catch (error) {
      if (!(error instanceof Failure) || page === from) throw error;
      return { records, more: true, failure: error };
    }
  }
  return { records, more: true, failure: null };
}

async function readPage(
  client: ExchangeClient,
  currency: string,
  side: Side,
  page: number,
): Promise<readonly OrderRecord[]> {
  try {
    return await client.read('getOrders', { currency, pageIndex: String(page), tradeType: TRADE_TYPE[side] });
  } catch (error) {
    if (error instanceof Failure && error.code === NO_ORDERS) return [];
    throw error;
  }
}

async function answer({ output }: Context, market: string, state: Wanted, lists: readonly Pages[], tellMore: boolean) {
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
    if (tellMore && lists.some((list) => list.more))
      output.note('There are older orders: --all looks through them too.');
    return result;
  }
  const hint = 'Older orders are missing here; --timeout gives more time.';
  return { ...result, failure: new Failure('partial', `Not every page could be had: ${failure.message}`, { hint }) };
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
