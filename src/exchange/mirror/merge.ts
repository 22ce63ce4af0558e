import type { Candle } from '../../domain/candle.js';
import { compareIds, type Trade } from '../../domain/market-data.js';
import type { OrderUpdate } from '../channels/account.js';
import { type ChannelData, type ChannelKind, type DataEvent, ROW_KEYS } from '../stream/events.js';

/** The newest trades, candles and ended orders that are kept of a channel. */
const MAX_TRADES = 1_000;
const MAX_CANDLES = 1_000;
const MAX_ENDED = 100;

type Merge<Kind extends ChannelKind> = (
  before: ChannelData[Kind] | undefined,
  event: Pick<DataEvent<Kind>, 'data' | 'scope'>,
) => ChannelData[Kind];

const newest = <Data>(_before: Data | undefined, { data }: { readonly data: Data }): Data => data;

const MERGES: { readonly [Kind in ChannelKind]: Merge<Kind> } = {
  ticker: newest,
  depth: newest,
  trades: (before, { data }) => mergedTrades(before ?? [], data),
  kline: (before, { data }) => mergedCandles(before ?? [], data),
  orders: (before, { data, scope }) => mergedOrders(before ?? [], data, scope === 'snapshot'),
  balances: (before, event) => mergedCoins(before, event),
  crossBalances: (before, event) => mergedCoins(before, event),
};

/**
 * What is known of a channel after an event: the last ticker, the whole book, the newest trades and candles oldest first, all
 * open orders and those that ended recently, all coins.
 */
export function applyEvent<Kind extends ChannelKind>(
  kind: Kind,
  before: ChannelData[Kind] | undefined,
  event: Pick<DataEvent<Kind>, 'data' | 'scope'>,
): ChannelData[Kind] {
  const merge: Merge<Kind> = MERGES[kind];
  return merge(before, event);
}

function mergedTrades(before: readonly Trade[], data: readonly Trade[]): readonly Trade[] {
  const last = before.at(-1);
  const isNewer = last === undefined || data.every((trade) => compareIds(trade.id, last.id) > 0);
  const all = isNewer ? [...before, ...data] : byKey([...before, ...data], ROW_KEYS.trades).sort(byId);
  return all.slice(-MAX_TRADES);
}

function mergedCandles(before: readonly Candle[], data: readonly Candle[]): readonly Candle[] {
  const all = byKey([...before, ...data], ROW_KEYS.kline);
  return all.sort((left, right) => left.time - right.time).slice(-MAX_CANDLES);
}

/** Open orders, in the order in which they were first seen, and after them the last that ended. */
function mergedOrders(
  before: readonly OrderUpdate[],
  data: readonly OrderUpdate[],
  isSnapshot: boolean,
): readonly OrderUpdate[] {
  const kept = isSnapshot ? before.filter((order) => !isOpen(order)) : before;
  const changed = new Set(data.map(ROW_KEYS.orders));
  const all = byKey([...kept, ...data], ROW_KEYS.orders);
  const ended = [...kept.filter(({ id }) => !changed.has(id)), ...data].filter((order) => !isOpen(order));
  return [...all.filter(isOpen), ...byKey(ended, ROW_KEYS.orders).slice(-MAX_ENDED)];
}

function mergedCoins(
  before: ChannelData['balances'] | undefined,
  { data, scope }: Pick<DataEvent<'balances'>, 'data' | 'scope'>,
): ChannelData['balances'] {
  return scope === 'snapshot' || before === undefined ? data : byKey([...before, ...data], ROW_KEYS.balances);
}

/** An order that may still change. */
export function isOpen({ state }: Pick<OrderUpdate, 'state'>): boolean {
  return state === 'open';
}

/** Each key once, with the last of its values, in the order in which the keys came first. */
function byKey<Value>(values: readonly Value[], key: (value: Value) => unknown): Value[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}

function byId(left: Trade, right: Trade): number {
  return compareIds(left.id, right.id);
}
