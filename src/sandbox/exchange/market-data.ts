import { Decimal } from '../../domain/decimal.js';
import type { Level } from '../engine/book.js';
import { type Candle, type CandleType, joinCandles, MINUTE } from '../markets/candles.js';
import { coinText, type Market } from '../markets/market.js';
import type { Trade } from '../markets/tape.js';
import { feeCoin, type Order, statusOf } from '../orders/order.js';
import type { Venue } from '../orders/order-service.js';
import { Refusal } from '../refusals.js';
import type { Depth, OrderRecord, PublicTrade, ShownCandle, Ticker } from './exchange-service.js';

/** Minutes that the ticker looks back: 24 hours, the minute under way included. */
const WINDOW = 24 * 60;

/** The last 24 hours of a market. What the closed minutes come to is kept until it can have changed. */
export class DayWindow {
  private summed: { minute: number; last: Trade | undefined; closed: Candle | undefined } | undefined;

  constructor(private readonly venue: Venue) {}

  /** The 24 hours up to `now` as one candle. */
  read(now: number): Candle {
    const { candles } = this.venue.tape;
    const minute = Math.floor(now / MINUTE);
    if (!this.isCurrent(minute)) this.summed = this.sum(minute);
    const [current] = candles.read('1min', now, 1);
    if (this.summed === undefined || current === undefined) throw new Error('a market without history');
    const { closed } = this.summed;
    return closed === undefined ? current : joinCandles(closed, current);
  }

  /** Trades never go back in time, so after one within the minute there are no more before it. */
  private isCurrent(minute: number): boolean {
    if (this.summed?.minute !== minute) return false;
    const { last } = this.summed;
    return last === this.venue.tape.last || (last !== undefined && last.time >= minute * MINUTE);
  }

  private sum(minute: number) {
    const { last, candles } = this.venue.tape;
    // a market in its first minute has no closed one
    const [first, ...rest] = candles.read('1min', (minute - 1) * MINUTE, WINDOW - 1);
    return { minute, last, closed: first === undefined ? undefined : rest.reduce(joinCandles, first) };
  }
}

export function tickerOf({ market, book, tape }: Venue, day: Candle, time: number): Ticker {
  const last = tape.last?.price ?? day.close;
  const price = (ticks: bigint) => market.price(ticks);
  return {
    time,
    high: price(day.high),
    low: price(day.low),
    bid: price(book.best('buy')?.price ?? last),
    ask: price(book.best('sell')?.price ?? last),
    last: price(last),
    open: price(day.open),
    change: percent(last - day.open, day.open),
    volume: market.amount(day.volume),
  };
}

/** Towards zero, with two decimals. */
function percent(part: bigint, whole: bigint): string {
  return Decimal.fromUnits(part * 100n, 0)
    .dividedBy(Decimal.fromUnits(whole, 0), 2, 'down')
    .toString();
}

export function depthSides({ market, book }: Venue, size: number, step: bigint): Omit<Depth, 'time'> {
  const levels = (side: 'buy' | 'sell') =>
    merged(book.levels(side), size, (price) => toStep(price, step, side === 'sell'));
  const text = ([price, amount]: readonly [bigint, bigint]) => [market.price(price), market.amount(amount)] as const;
  return { bids: levels('buy').map(text), asks: levels('sell').map(text) };
}

/** A depth step in ticks; it must be a positive multiple of the market's price step. */
export function mergeStep(market: Market, merge: string | undefined): bigint {
  if (merge === undefined) return 1n;
  const step = Decimal.parse(merge);
  if (step === undefined || step.sign <= 0 || step.significantScale > market.priceScale) {
    const tick = Decimal.fromUnits(1n, market.priceScale).toString();
    throw new Refusal(
      'badParameter',
      `merge ${merge.slice(0, 40)} is no multiple of ${tick}, the tick of ${market.market}`,
    );
  }
  return step.rescaled(market.priceScale, 'down').units;
}

function merged(levels: Iterable<Level<Order>>, size: number, stepOf: (price: bigint) => bigint): [bigint, bigint][] {
  const rows: [bigint, bigint][] = [];
  for (const { price, amount } of levels) {
    const step = stepOf(price);
    const last = rows.at(-1);
    if (last?.[0] === step) last[1] += amount;
    else if (rows.length === size) break;
    else rows.push([step, amount]);
  }
  return rows;
}

function toStep(price: bigint, step: bigint, up: boolean): bigint {
  const down = (price / step) * step;
  return up && down !== price ? down + step : down;
}

export function tradeOf(market: Market, { id, time, side, price, amount }: Trade): PublicTrade {
  return { id: String(id), time, side, price: market.price(price), amount: market.amount(amount) };
}

export function candlesOf(
  { market, tape }: Venue,
  type: CandleType,
  now: number,
  size: number,
  since?: number,
  which?: 'first' | 'latest',
): ShownCandle[] {
  return tape.candles.read(type, now, size, since, which).map(({ time, open, high, low, close, volume }) => ({
    time,
    open: market.price(open),
    high: market.price(high),
    low: market.price(low),
    close: market.price(close),
    volume: market.amount(volume),
  }));
}

export function recordOf(order: Order): OrderRecord {
  const { market } = order;
  return {
    id: String(order.id),
    clientId: order.clientId,
    account: order.kind,
    market: market.market,
    side: order.side,
    type: order.type,
    price: market.price(order.price),
    amount: market.amount(order.amount),
    filled: market.amount(order.amount - order.remaining),
    filledValue: coinText(market.quote, order.value),
    fee: coinText(feeCoin(order), order.fee),
    time: order.time,
    status: statusOf(order),
  };
}

type Sides = Omit<Depth, 'time'>;

/** So many views of one state of a book are kept: more are merge steps that somebody tries out. */
const MOST_VIEWS = 60;

/**
 * The depth of a market as text. A view is made once for each state of the book, and the very same lists are given until
 * the book changes: whoever makes something of them may keep it by their identity.
 */
export class DepthView {
  private revision = -1;
  private readonly views = new Map<string, Sides>();

  constructor(private readonly venue: Venue) {}

  /** The best `size` levels of each side, prices rounded outwards to multiples of `step` ticks. */
  read(size: number, step: bigint): Sides {
    const { revision } = this.venue.book;
    if (revision !== this.revision) this.views.clear();
    this.revision = revision;
    const key = `${size} ${step}`;
    const known = this.views.get(key);
    if (known !== undefined) return known;
    const sides = depthSides(this.venue, size, step);
    if (this.views.size < MOST_VIEWS) this.views.set(key, sides);
    return sides;
  }
}
