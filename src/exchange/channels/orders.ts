import * as v from 'valibot';
import { parseMarket } from '../../domain/market.js';
import { type Order, type OrderReference, SIDES, type Side } from '../../domain/order.js';
import { ORDERS_PER_PAGE } from '../facts.js';
import { readOrderPages } from '../lists/order-pages.js';
import {
  decimal,
  id,
  instant,
  integer,
  maybe,
  optionalDecimal,
  optionalName,
  optionalText,
} from '../operations/fields.js';
import { optional } from '../operations/operation.js';
import { toOrder } from '../operations/trading.js';
import {
  BEHIND_MS,
  type ChannelDescription,
  describeChannel,
  type FindMarket,
  joinedMarket,
  observedBy,
  type Reading,
  type Snapshot,
  userMarket,
  withoutUserSuffix,
} from './channel.js';
import { isLess, RowState } from './newest.js';

/** The last trade of an order. */
interface LastTrade {
  readonly id: string;
  readonly price: string;
  readonly amount: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number | null;
}

/** An order as it is pushed. */
export interface OrderUpdate extends Order {
  /** Null before the order's first trade, and if the exchange leaves it out (before 2021-09-18). */
  readonly lastTrade: LastTrade | null;
}

interface OrdersRequest {
  /** Absent: the orders of all markets. */
  readonly market?: string | undefined;
  /** Orders of the market that the channel begins with even if they have ended: by itself it begins with the open ones. */
  readonly orders?: readonly OrderReference[] | undefined;
}

const unknownPlace = v.optional(v.unknown());

/**
 * By position: 0 id, 1 price, 2 amount, 3 filled, 4 filled value, 5 type, 6 order time, 7 status, 8 fee, 9-12 unknown. Since
 * 2021-09-18 also 13 the last trade's id, 14 its price, 15 its quantity, 16 its time.
 */
const record = v.looseTuple([
  id,
  decimal,
  decimal,
  decimal,
  decimal,
  integer,
  instant,
  integer,
  v.optional(optionalDecimal, null),
  ...([unknownPlace, unknownPlace, unknownPlace, unknownPlace] as const),
  v.optional(optionalText, null),
  v.optional(optionalDecimal, null),
  v.optional(optionalDecimal, null),
  v.optional(maybe(instant), null),
]);

type OrderRecord = v.InferOutput<typeof record>;

/** Observed: a push of a change is one record, not a list of them. */
const oneRecord = v.pipe(
  record,
  v.transform((one) => [one]),
);

function toLastTrade(record: OrderRecord): LastTrade | null {
  const trade = record[13];
  const price = record[14];
  const amount = record[15];
  const time = record[16];
  // 0 and an empty text stand for none
  if (trade === null || trade === '' || trade === '0' || price === null || amount === null) return null;
  return { id: trade, price, amount, time: time || null };
}

/** Whether the fee was paid with the exchange's own coin is not pushed. */
function toUpdate(record: OrderRecord, market: string): OrderUpdate {
  const order = toOrder(
    {
      id: record[0],
      currency: market,
      price: record[1],
      total_amount: record[2],
      trade_amount: record[3],
      trade_money: record[4],
      type: record[5],
      trade_date: record[6],
      status: record[7],
      fees: record[8],
      useXxFee: false,
    },
    null,
  );
  return { ...order, lastTrade: toLastTrade(record) };
}

/** The market of a push, as `btcusdtdefault` or `btcusdt`; without one, the market that was subscribed to. */
function marketOf(pushed: string | null, { market }: OrdersRequest, marketNamed: FindMarket): string {
  if (pushed === null) return market ?? '';
  const name = withoutUserSuffix(pushed);
  if (market !== undefined && market.replace('_', '') === name) return market;
  return marketNamed(name) ?? parseMarket(name)?.market ?? name;
}

const orderParameters = { market: optional(joinedMarket) };

/** An order that may still change. */
export function isOpen({ state }: Pick<OrderUpdate, 'state'>): boolean {
  return state === 'open';
}

/** Changed orders only. */
const push_user_incr_record = describeChannel(
  {
    template: 'push_user_incr_record',
    signed: true,
    parameters: orderParameters,
    frame: v.object({ market: optionalName, record: v.union([v.array(record), oneRecord]) }),
    sources: { name: 'document', parameters: observedBy(5), frame: observedBy(3) },
  },
  {
    word: 'orders',
    parts: ['market?'],
    encode: ({ market }: OrdersRequest) => ({ market: market === undefined ? undefined : userMarket(market) }),
    decode: ({ market, record: records }, request, marketNamed): readonly OrderUpdate[] | undefined => {
      const name = marketOf(market, request, marketNamed);
      const isOther = request.market !== undefined && request.market !== name && records.length > 0;
      return isOther ? undefined : records.map((one) => toUpdate(one, name));
    },
    timeOf: () => null,
    isWhole: false,
    isHistory: false,
    isOrdered: true,
    newest: () =>
      new RowState<OrderUpdate>({
        key: ({ id }) => id,
        // an order that has ended stays so, and what is filled stays filled
        isOld: (row, known) => (!isOpen(known) && isOpen(row)) || isLess(row.filled, known.filled),
        isMissing: (row, known) =>
          known === undefined || (isOpen(known) && !isOpen(row)) || isLess(known.filled, row.filled),
        remains: (row) => !isOpen(row),
        most: 1_000,
      }),
    snapshot: readOrders,
    pollMs: 5_000,
  },
);

/** Open orders, and those of the past. */
const push_user_record = {
  template: 'push_user_record',
  signed: true,
  parameters: orderParameters,
  frame: v.object({ market: optionalText, record: v.array(record), hrecord: v.optional(v.array(record), []) }),
  sources: { name: observedBy(1), parameters: observedBy(1), frame: observedBy(1) },
} as const satisfies ChannelDescription;

export const ORDER_CHANNELS = { push_user_incr_record, push_user_record } as const;

/** The two clocks may differ by this much more than is known. */
const CLOCK_SLACK_MS = 60_000;
/** At the start, 200 orders of a side are read. Older open orders are followed once they change. */
const FIRST_PAGES = 20;
/** After a gap, as many as it takes, up to 1,000 orders a side. */
const GAP_PAGES = 100;
/** So many open orders are looked up one by one rather than in further pages. */
const MAX_SINGLE_LOOKUPS = 10;

/**
 * Reads all open orders, and those that ended since nothing was missing for the last time. The list begins with the newest
 * order, so the first pages hold what was placed since; the orders that were open before are on further pages, or looked up
 * one by one.
 */
async function readOrders(
  request: OrdersRequest,
  reading: Reading<readonly OrderUpdate[]>,
): Promise<Snapshot<readonly OrderUpdate[]>> {
  const { known = [], from, now, client } = reading;
  const wasOpen = known.filter(isOpen);
  const ofAll = async () => new Set([...(await reading.orderMarkets()), ...wasOpen.map(({ market }) => market)]);
  const markets = request.market === undefined ? await ofAll() : [request.market];
  const since = from === null ? null : client.now() - (now - from) - CLOCK_SLACK_MS;
  const read: OrdersOfMarket[] = [];
  for (const market of markets) {
    const sides = SIDES.map((side) => {
      const open = wasOpen.filter((order) => order.market === market && order.side === side);
      return readSide(reading, market, side, since, open);
    });
    read.push(...(await Promise.all(sides)));
  }
  const orders = read.flatMap((one) => one.orders);
  const named = since === null ? await namedOrders(request, reading) : [];
  const isNews = (order: Order) =>
    isOpen(order) ||
    wasOpen.some(({ id }) => id === order.id) ||
    (since !== null && order.time >= since && !known.some(({ id }) => id === order.id));
  const older = [...new Set(read.filter(({ hasOlder }) => hasOlder).map(({ market }) => market))];
  const pages = since === null ? FIRST_PAGES : GAP_PAGES;
  const problem = `open orders beyond the latest ${pages * ORDERS_PER_PAGE} of a side were not read (${older.join(', ')})`;
  return {
    data: [...orders.filter(isNews), ...named].map(asUpdate),
    past: orders.filter((order) => !isOpen(order)).map(asUpdate),
    scope: older.length === 0 ? 'snapshot' : 'delta',
    // a reader that names orders needs no others
    unrecoverable: older.length === 0 || request.orders !== undefined ? null : problem,
  };
}

interface OrdersOfMarket {
  readonly market: string;
  readonly orders: readonly Order[];
  /** Whether there are older orders that were not read, and may be open. */
  readonly hasOlder: boolean;
}

/** @param since null for all that is open */
async function readSide(
  { client }: Reading<unknown>,
  market: string,
  side: Side,
  since: number | null,
  open: readonly OrderUpdate[],
): Promise<OrdersOfMarket> {
  const found = new Map<string, Order>();
  /** Returns whether there may be more that is as new. */
  const read = async (from: number, to: number, until: number) => {
    const { orders, more, failure } = await readOrderPages(
      client,
      market,
      side,
      { from, to },
      (last) => last.time < until,
    );
    if (failure !== null) throw failure;
    for (const order of orders) found.set(order.id, order);
    return more && (orders.at(-1)?.time ?? 0) >= until;
  };
  const pages = since === null ? FIRST_PAGES : GAP_PAGES;
  const hasOlder = await read(1, pages, since ?? Number.NEGATIVE_INFINITY);
  const unseen = () => open.filter(({ id }) => !found.has(id));
  if (unseen().length > MAX_SINGLE_LOOKUPS) {
    const oldest = unseen().reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY);
    const next = Math.ceil(found.size / ORDERS_PER_PAGE) + 1;
    await read(next, next + Math.ceil(unseen().length / 2) - 1, oldest);
  }
  for (const known of unseen()) {
    const order = await client.findOrder(market, { id: known.id });
    // HTTP may not show a new one yet; nothing more will come of an older one that the exchange does not know any more
    if (order !== undefined) found.set(known.id, order);
    else if (known.time > client.now() - BEHIND_MS) found.set(known.id, known);
  }
  return { market, orders: [...found.values()], hasOlder };
}

/** The orders that the channel's reader has named, in whatever state they are. */
async function namedOrders(
  { market, orders = [] }: OrdersRequest,
  { client }: Reading<unknown>,
): Promise<readonly Order[]> {
  if (market === undefined) return [];
  const found = await Promise.all(orders.map((order) => client.findOrder(market, order)));
  return found.filter((order) => order !== undefined);
}

function asUpdate(order: Order): OrderUpdate {
  return { ...order, lastTrade: null };
}
