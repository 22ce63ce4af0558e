import { Decimal } from '../../domain/decimal.js';
import type { Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';
import { openAmount, openOrders, type WatchView } from './view.js';

/** A price of the ladder. */
export interface Rung {
  readonly price: Decimal;
  readonly side: 'ask' | 'bid';
  /** What the book has at this price; null for a price of the cursor or of an own order that the book does not show. */
  readonly amount: string | null;
  /** The amounts from the best price to this one. */
  readonly total: Decimal;
  /** What is open of own orders at this price. */
  readonly own: { readonly side: Side; readonly amount: Decimal } | null;
  /** What algo orders do at this price: `stop`, `take`. */
  readonly algos: readonly string[];
  readonly isCursor: boolean;
}

export interface PriceLadder {
  /** Best first, as on the other side. */
  readonly asks: readonly Rung[];
  readonly bids: readonly Rung[];
}

type LadderView = Pick<WatchView, 'depth' | 'orders' | 'market' | 'algos'>;

/** The book with own orders and the cursor at their prices. */
export function ladderOf(view: LadderView, cursor: Decimal | null): PriceLadder {
  const { bids = [], asks = [] } = view.depth?.value ?? {};
  return { asks: rungs(view, asks, 'ask', cursor), bids: rungs(view, bids, 'bid', cursor) };
}

function rungs(view: LadderView, levels: readonly Level[], side: Rung['side'], cursor: Decimal | null): Rung[] {
  const amounts = new Map(levels.map(({ price, amount }) => [priceKey(Decimal.of(price)), amount]));
  const orders = openOrders(view)
    .filter((order) => (order.side === 'buy') === (side === 'bid'))
    .map((order) => ({ side: order.side, key: priceKey(Decimal.of(order.price)), amount: openAmount(order) }));
  // a take-profit or an entry that rests is an own order as well
  const lines = view.algos
    .flatMap((algo) => algo.lines)
    .filter(({ price }) => isOnSide(view, price, side))
    .map(({ what, price }) => ({ what, key: priceKey(price) }));
  const own = [
    ...orders.map(({ key }) => key),
    ...lines.map(({ key }) => key),
    ...(isOnSide(view, cursor, side) ? [priceKey(cursor)] : []),
  ];
  const sign = side === 'ask' ? 1 : -1;
  const prices = [...new Set([...amounts.keys(), ...own])].map((key) => ({ key, price: Decimal.of(key) }));
  prices.sort((left, right) => sign * left.price.compare(right.price));
  const cursorKey = cursor === null ? null : priceKey(cursor);
  let total = Decimal.zero;
  return prices.map(({ key, price }) => {
    const amount = amounts.get(key) ?? null;
    total = amount === null ? total : total.plus(Decimal.of(amount));
    const here = orders.filter((order) => order.key === key);
    const [first] = here;
    const open = here.reduce((sum, order) => sum.plus(order.amount), Decimal.zero);
    return {
      price,
      side,
      amount,
      total,
      algos: [...new Set(lines.flatMap((line) => (line.key === key ? line.what : [])))],
      isCursor: key === cursorKey,
      own: first === undefined ? null : { side: first.side, amount: open },
    };
  });
}

/** The same for all ways to write a price. */
function priceKey(price: Decimal): string {
  return price.trimmed().toString();
}

/** A cursor between the best prices belongs to the bids. */
function isOnSide({ depth }: LadderView, cursor: Decimal | null, side: Rung['side']): cursor is Decimal {
  if (cursor === null) return false;
  const [bestAsk] = depth?.value.asks ?? [];
  const [bestBid] = depth?.value.bids ?? [];
  const isAsk =
    bestAsk === undefined
      ? bestBid !== undefined && cursor.compare(Decimal.of(bestBid.price)) > 0
      : cursor.compare(Decimal.of(bestAsk.price)) >= 0;
  return isAsk === (side === 'ask');
}

/** With fewer rows, the book itself is worth more than what is far away from it. */
const ROWS_FOR_ALGOS = 4;

/** The rungs nearest to the middle that fit, with the cursor and the first line of an algo order wherever they are. */
export function nearest(all: readonly Rung[], count: number): readonly Rung[] {
  const cursor = all.find(({ isCursor }) => isCursor);
  const line = count < ROWS_FOR_ALGOS ? undefined : all.find(({ algos }) => algos.length > 0);
  const kept = new Set([cursor, line, ...all].filter((rung) => rung !== undefined).slice(0, Math.max(0, count)));
  for (const rung of all) {
    if (kept.size >= count) break;
    kept.add(rung);
  }
  return all.filter((rung) => kept.has(rung));
}

/** The cursor moved along the ladder; without one it begins at the best price in that direction. */
export function movedCursor(view: LadderView, cursor: Decimal | null, direction: 'up' | 'down'): Decimal | null {
  const { asks, bids } = ladderOf(view, null);
  // in a crossed book, prices of both sides alternate
  const upwards = [...bids, ...asks].map(({ price }) => price).sort((left, right) => left.compare(right));
  if (cursor === null) return (direction === 'up' ? (asks[0] ?? bids[0]) : (bids[0] ?? asks[0]))?.price ?? null;
  const next =
    direction === 'up'
      ? upwards.find((price) => price.compare(cursor) > 0)
      : upwards.findLast((price) => price.compare(cursor) < 0);
  return next ?? cursor;
}

/** The cursor moved by so many of the market's smallest price steps. It stays above zero. */
export function steppedCursor(view: LadderView, cursor: Decimal | null, ticks: 1 | -1): Decimal | null {
  const from = cursor ?? movedCursor(view, null, ticks > 0 ? 'up' : 'down');
  if (from === null) return null;
  const tick = Decimal.of(view.market.tickSize);
  const next = ticks > 0 ? from.plus(tick) : from.minus(tick);
  return next.sign > 0 ? next : from;
}
