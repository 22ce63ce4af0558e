import { Decimal } from '../../domain/decimal.js';
import type { Order, Side } from '../../domain/order.js';
import type { ChannelData } from '../../exchange/exchange.js';

/** An order as its channel has it: with its last trade, if that was pushed. */
type FollowedOrder = ChannelData['orders'][number];

/** What an own order has filled since it was last seen. */
export interface OwnFill {
  readonly order: Order;
  /** In the base coin. */
  readonly amount: Decimal;
  /** In the quote coin: of all of it. */
  readonly value: Decimal;
  /** What is left of the order, in the base coin; zero once it has ended. */
  readonly left: Decimal;
}

/** What one order has filled today. */
export interface FilledToday {
  readonly id: string;
  readonly side: Side;
  /** Milliseconds since the Unix epoch: of its last trade or, if that is unknown, when the order was placed. */
  readonly time: number;
  readonly amount: Decimal;
  readonly value: Decimal;
  readonly fee: Decimal;
  /** Null if it is unknown. */
  readonly feeCoin: string | null;
}

interface Totals {
  readonly amount: Decimal;
  readonly value: Decimal;
  readonly fee: Decimal;
}

interface Tracked {
  readonly order: Order;
  readonly newestTime: number;
  readonly totals: Totals;
  /** What had filled before today. */
  readonly before: Totals;
}

const NOTHING: Totals = { amount: Decimal.zero, value: Decimal.zero, fee: Decimal.zero };

/** Finds what own orders fill, by their totals. The first orders that it takes are those of the start: no news. */
export class OwnFills {
  readonly #orders = new Map<string, Tracked>();
  /** The ids of the trades that are known to be own ones. */
  readonly ownTrades = new Set<string>();
  #dayStart: number;
  #newest = Number.NEGATIVE_INFINITY;
  #isFollowing = false;

  /** @param dayStart in milliseconds since the Unix epoch, by the exchange's clock; absent: no fill is of today */
  constructor(dayStart = Number.POSITIVE_INFINITY) {
    this.#dayStart = dayStart;
  }

  /** Adds orders that were placed today, as a list shows them. */
  list(orders: readonly Order[]): void {
    for (const order of orders)
      if (order.time >= this.#dayStart && !this.#orders.has(order.id)) this.#track(order, null, NOTHING);
  }

  /** Takes orders as they are now. Returns what they have filled since, the last one last. */
  take(orders: readonly FollowedOrder[]): readonly OwnFill[] {
    const isFollowing = this.#isFollowing;
    const newest = this.#newest;
    this.#isFollowing = true;
    const fills: OwnFill[] = [];
    for (const order of orders) {
      const { lastTrade } = order;
      if (lastTrade !== null) this.ownTrades.add(lastTrade.id);
      this.#newest = Math.max(this.#newest, order.time);
      const known = this.#orders.get(order.id);
      const now = totalsOf(order);
      const seen = known?.totals ?? (isFollowing ? seenBefore(order, now, newest) : now);
      const amount = now.amount.minus(seen.amount);
      if (known !== undefined && amount.sign <= 0 && known.order === order) continue;
      if (amount.sign < 0) continue;
      const isToday = order.time >= this.#dayStart;
      this.#track(order, lastTrade?.time ?? null, known?.before ?? (isToday ? NOTHING : seen));
      const isOver = order.state !== 'open';
      const left = isOver ? Decimal.zero : Decimal.of(order.amount).minus(now.amount);
      if (amount.sign > 0) fills.push({ order, amount, value: now.value.minus(seen.value), left });
    }
    return fills;
  }

  /** What each order has filled today, newest first. @param dayStart of today: what filled before it no longer counts */
  today(dayStart: number): readonly FilledToday[] {
    if (dayStart > this.#dayStart) {
      this.#dayStart = dayStart;
      for (const [id, tracked] of this.#orders) this.#orders.set(id, { ...tracked, before: tracked.totals });
    }
    return [...this.#orders.values()]
      .flatMap(({ order: { id, side, feeCoin }, newestTime, totals, before }) => {
        const [amount, value] = [totals.amount.minus(before.amount), totals.value.minus(before.value)];
        const filled = { id, side, time: newestTime, amount, value, fee: totals.fee.minus(before.fee), feeCoin };
        return amount.sign > 0 ? [filled] : [];
      })
      .sort((one, other) => other.time - one.time);
  }

  #track(order: Order, tradeTime: number | null, before: Totals): void {
    const newestTime = tradeTime ?? this.#orders.get(order.id)?.newestTime ?? order.time;
    this.#orders.set(order.id, { order, newestTime, totals: totalsOf(order), before });
  }
}

/** What an order that was not known had filled before: of an older one that is pushed, all but its last trade. */
function seenBefore({ time, lastTrade }: FollowedOrder, now: Totals, newest: number): Totals {
  if (time >= newest) return NOTHING;
  if (lastTrade === null) return now;
  const amount = Decimal.of(lastTrade.amount);
  return {
    ...now,
    amount: now.amount.minus(amount),
    value: now.value.minus(amount.times(Decimal.of(lastTrade.price))),
  };
}

function totalsOf({ filled, filledValue, fee }: Order): Totals {
  return { amount: Decimal.of(filled), value: Decimal.of(filledValue), fee: Decimal.of(fee ?? '0') };
}

/** The trading of a day in one market. */
export interface DayResult {
  readonly bought: Decimal;
  readonly boughtValue: Decimal;
  readonly sold: Decimal;
  readonly soldValue: Decimal;
  /** Profit or loss after fees, in the quote coin, with what was bought or sold more valued at a price; null if a fee has none. */
  readonly net: Decimal | null;
}

/** What today's fills have made: sold minus bought, with the difference in coins at the last price. */
export function dayResult(
  fills: readonly FilledToday[],
  { base, quote }: { readonly base: string; readonly quote: string },
  last: Decimal | null,
): DayResult {
  const sum = (side: Side, of: (fill: FilledToday) => Decimal) =>
    Decimal.sum(fills.filter((fill) => fill.side === side).map(of));
  const [bought, boughtValue] = [sum('buy', ({ amount }) => amount), sum('buy', ({ value }) => value)];
  const [sold, soldValue] = [sum('sell', ({ amount }) => amount), sum('sell', ({ value }) => value)];
  const feesIn = (coin: string) => Decimal.sum(fills.filter(({ feeCoin }) => feeCoin === coin).map(({ fee }) => fee));
  const isKnown = fills.every(({ fee, feeCoin }) => fee.sign === 0 || feeCoin === base || feeCoin === quote);
  const held = bought.minus(sold).minus(feesIn(base));
  const net =
    last === null || !isKnown ? null : soldValue.minus(boughtValue).minus(feesIn(quote)).plus(held.times(last));
  return { bought, boughtValue, sold, soldValue, net };
}
