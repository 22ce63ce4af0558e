import type { BestPrices } from '../../domain/book.js';
import type { Ohlcv } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import type { PriceLevel } from '../engine/book.js';
import { type CandleType, joinCandles, type MarketCandle, MINUTE } from '../markets/candles.js';
import { coinText, type SandboxMarket } from '../markets/market.js';
import type { MarketTrade } from '../markets/market-trades.js';
import type { AccountOrder } from '../orders/order.js';
import type { TradedMarket } from '../orders/order-service.js';
import { RequestRefused } from '../refusals.js';

/** The last 24 hours of a market. `change` is in percent with two decimals. If a side is empty, bid or ask is the last price. */
export interface DayTicker {
  readonly time: number;
  readonly high: string;
  readonly low: string;
  readonly bid: string;
  readonly ask: string;
  readonly last: string;
  readonly open: string;
  readonly change: string;
  readonly volume: string;
  /** In the quote coin, to four decimals. Chosen: each minute's volume at its closing price. */
  readonly turnover: string;
}

/** Both sides, best price first. */
export interface BookDepth {
  readonly time: number;
  readonly bids: readonly (readonly [price: string, amount: string])[];
  readonly asks: readonly (readonly [price: string, amount: string])[];
}

export interface PublicTrade {
  readonly id: string;
  readonly time: number;
  /** The taker's side. */
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
}

export interface CandleQuery {
  /** ms since the Unix epoch, inclusive. */
  readonly since?: number | undefined;
  readonly size: number;
  /** Which rows to give if there are more than `size` (default: the latest). */
  readonly which?: 'first' | 'latest' | undefined;
}

export interface DepthQuery {
  /** Levels of each side. */
  readonly size: number;
  /** A price step: bids are rounded down to it, asks up. */
  readonly merge?: string | undefined;
}

/** Minutes as one candle, and what was traded in them, in units of the quote coin. */
interface Day {
  readonly candle: MarketCandle;
  readonly turnover: bigint;
}

const TURNOVER_SCALE = 4;

type DepthSides = Omit<BookDepth, 'time'>;

/** Minutes in the ticker's window: 24 hours, the current minute included. */
const TICKER_MINUTES = 24 * 60;

/** BookDepth views kept for one state of a book. A client that needs more is trying out merge steps. */
const MAX_DEPTHS = 60;

/** A market with what is computed once and shown until it changes. */
interface Listing extends TradedMarket {
  closedMinutes?: { minute: number; last: MarketTrade | undefined; day: Day | undefined };
  depthRevision: number;
  readonly depths: Map<string, DepthSides>;
}

/** The public market data: decimal text made from ticks and lots. A method throws {@link RequestRefused} for an unknown market. */
export class MarketService {
  readonly #now: () => number;

  readonly #venues: ReadonlyMap<string, TradedMarket>;
  readonly #listings = new Map<string, Listing>();

  constructor(venues: ReadonlyMap<string, TradedMarket>, now: () => number) {
    this.#now = now;
    this.#venues = venues;
  }

  ticker(name: string): DayTicker {
    const [listing, now] = [this.#listing(name), this.#now()];
    const { market, book, trades } = listing;
    const { candle: day, turnover } = lastDay(listing, now);
    const last = trades.last?.price ?? (day.close > 0n ? day.close : (book.best('buy')?.price ?? 0n));
    return {
      time: now,
      high: market.price(day.high),
      low: market.price(day.low),
      bid: market.price(book.best('buy')?.price ?? last),
      ask: market.price(book.best('sell')?.price ?? last),
      last: market.price(last),
      open: market.price(day.open),
      change: percent(last - day.open, day.open),
      volume: market.amount(day.volume),
      turnover: Decimal.of(coinText(market.quote, turnover)).rescaled(TURNOVER_SCALE, 'down').toString(),
    };
  }

  /**
   * The best levels of each side. Until the book changes, the same query gives the very same lists, so a caller can cache what
   * it makes of them. Throws {@link RequestRefused} for a merge step that does not fit the market.
   */
  depth(name: string, { size, merge }: DepthQuery): BookDepth {
    const listing = this.#listing(name);
    const { market, book, depths } = listing;
    const step = mergeStep(market, merge);
    if (book.revision !== listing.depthRevision) depths.clear();
    listing.depthRevision = book.revision;
    const key = `${size} ${step}`;
    const sides = depths.get(key) ?? depthSides(listing, size, step);
    if (depths.size < MAX_DEPTHS) depths.set(key, sides);
    return { time: this.#now(), ...sides };
  }

  /** At most 50, oldest first: those after an id, or the latest. */
  trades(name: string, afterId?: string): PublicTrade[] {
    const { market, trades } = this.#listing(name);
    if (afterId !== undefined && !/^\d{1,19}$/.test(afterId)) throw new RequestRefused('badParameter', 'since');
    const shown = trades.after(afterId === undefined ? undefined : BigInt(afterId));
    return shown.map(({ id, time, side, price, amount }) => ({
      id: String(id),
      time,
      side,
      price: market.price(price),
      amount: market.amount(amount),
    }));
  }

  /** The best price of each side. */
  best(name: string): BestPrices {
    const { market, book } = this.#listing(name);
    const of = (side: Side) => {
      const price = book.bestPrice(side);
      return price === undefined ? null : Decimal.fromUnits(price, market.priceScale);
    };
    return { bid: of('buy'), ask: of('sell') };
  }

  /** The id of the newest trade; undefined before the first. */
  newestTradeId(name: string): bigint | undefined {
    return this.#listing(name).trades.last?.id;
  }

  /** The prices of the first 50 trades after an id, or of the latest, oldest first. */
  tradedPrices(name: string, afterId?: bigint): Decimal[] {
    const { market, trades } = this.#listing(name);
    return trades.after(afterId).map(({ price }) => Decimal.fromUnits(price, market.priceScale));
  }

  /** Of the newest trade, in ticks; undefined before the first. */
  lastPrice(name: string): bigint | undefined {
    return this.#listing(name).trades.last?.price;
  }

  /** Without gaps, oldest first. */
  candles(name: string, type: CandleType, { since, size, which }: CandleQuery): Ohlcv[] {
    const { market, trades } = this.#listing(name);
    return trades.candles
      .read(type, this.#now(), size, since, which)
      .map(({ time, open, high, low, close, volume }) => ({
        time,
        open: market.price(open),
        high: market.price(high),
        low: market.price(low),
        close: market.price(close),
        volume: market.amount(volume),
      }));
  }

  #listing(market: string): Listing {
    const known = this.#listings.get(market);
    if (known !== undefined) return known;
    const venue = this.#venues.get(market);
    if (venue === undefined) throw new RequestRefused('unknownMarket', market.slice(0, 40));
    const listing: Listing = { ...venue, depthRevision: -1, depths: new Map() };
    this.#listings.set(market, listing);
    return listing;
  }
}

/** The last 24 hours. The sum of the closed minutes is kept until it can have changed. */
function lastDay(listing: Listing, now: number): Day {
  const { market, trades } = listing;
  const minute = Math.floor(now / MINUTE);
  const dayOf = (candle: MarketCandle) => ({ candle, turnover: market.value(candle.close, candle.volume) });
  const join = (sum: Day, next: MarketCandle) => ({
    candle: joinCandles(sum.candle, next),
    turnover: sum.turnover + market.value(next.close, next.volume),
  });
  if (!isSumCurrent(listing, minute)) {
    // a market in its first minute has no closed one
    const [first, ...rest] = trades.candles.read('1min', (minute - 1) * MINUTE, TICKER_MINUTES - 1);
    const day = first === undefined ? undefined : rest.reduce(join, dayOf(first));
    listing.closedMinutes = { minute, last: trades.last, day };
  }
  const [current] = trades.candles.read('1min', now, 1);
  if (current === undefined) throw new Error('a market without history');
  const closed = listing.closedMinutes?.day;
  return closed === undefined ? dayOf(current) : join(closed, current);
}

/** Trades never go back in time: after one in the current minute, no more are added before it. */
function isSumCurrent({ closedMinutes, trades }: Listing, minute: number): boolean {
  if (closedMinutes?.minute !== minute) return false;
  const { last } = closedMinutes;
  return last === trades.last || (last !== undefined && last.time >= minute * MINUTE);
}

function depthSides({ market, book }: TradedMarket, size: number, step: bigint): DepthSides {
  const side = (name: Side) => {
    const rows =
      step === 1n ? firstLevels(book.levels(name), size) : mergedLevels(book.levels(name), size, step, name === 'sell');
    return rows.map(([price, amount]) => [market.price(price), market.amount(amount)] as const);
  };
  return { bids: side('buy'), asks: side('sell') };
}

/** Rounded towards zero, with two decimals. Of nothing it is zero: a market whose recording has not begun has no price. */
function percent(part: bigint, whole: bigint): string {
  if (whole === 0n) return '0.00';
  return Decimal.fromUnits(part * 100n, 0)
    .dividedBy(Decimal.fromUnits(whole, 0), 2, 'down')
    .toString();
}

/** A depth step in ticks. It must be a positive multiple of the market's tick. */
function mergeStep(market: SandboxMarket, merge: string | undefined): bigint {
  if (merge === undefined) return 1n;
  const step = Decimal.parse(merge);
  if (step === undefined || step.sign <= 0 || step.significantScale > market.priceScale) {
    const tick = Decimal.fromUnits(1n, market.priceScale).toString();
    throw new RequestRefused(
      'badParameter',
      `merge ${merge.slice(0, 40)} is no multiple of ${tick}, the tick of ${market.name}`,
    );
  }
  return step.rescaled(market.priceScale, 'down').units;
}

function firstLevels(levels: Iterable<PriceLevel<AccountOrder>>, size: number): [bigint, bigint][] {
  const rows: [bigint, bigint][] = [];
  for (const { price, amount } of levels) {
    if (rows.length === size) break;
    rows.push([price, amount]);
  }
  return rows;
}

/** The first `size` levels with their prices rounded to multiples of `step`, away from the middle of the book. */
function mergedLevels(
  levels: Iterable<PriceLevel<AccountOrder>>,
  size: number,
  step: bigint,
  up: boolean,
): [bigint, bigint][] {
  const rows: [bigint, bigint][] = [];
  for (const { price, amount } of levels) {
    const down = (price / step) * step;
    const rounded = up && down !== price ? down + step : down;
    const last = rows.at(-1);
    if (last?.[0] === rounded) last[1] += amount;
    else if (rows.length === size) break;
    else rows.push([rounded, amount]);
  }
  return rows;
}
