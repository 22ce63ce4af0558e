import type { Cache } from '../../config/cache.js';
import { CANDLE_MS, type Candle, type CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { convert, type Hop, Routes } from '../../domain/routes.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Fill } from './matching/match-bills.js';
import type { PastValue } from './trade-legs.js';

/** From the most exact one; the exchange returns about the latest thousand candles of each. */
const TYPES = ['1min', '1hour', '1day', '1week'] as const satisfies readonly CandleType[];
const REACH = 990;
const MINUTE_MS = CANDLE_MS['1min'];
/** The exchange's clock is known from dates in whole seconds. */
const CLOCK_ERROR_MS = 2_000;

/** The closing price of a candle, its type, and when it opened in milliseconds since the Unix epoch. */
type KeptPrice = readonly [close: string, type: CandleType, opened: number];

/** By market and by the minute that was asked for, counted from the Unix epoch. */
export type KeptPrices = Readonly<Record<string, Readonly<Record<string, KeptPrice>>>>;

/** A candle whose closing price was used. */
export interface PricingCandle {
  readonly market: string;
  readonly type: CandleType;
  /** When it opened, in milliseconds since the Unix epoch. */
  readonly opened: number;
}

interface CandlePrice extends Omit<PricingCandle, 'market'> {
  readonly price: Decimal;
}

export interface PriceStore {
  read(): KeptPrices | undefined;
  write(prices: KeptPrices): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 2;

/** Keeps the prices of an exchange in the cache: that of a candle which is over never changes. */
export function priceStore(cache: Pick<Cache, 'read' | 'write'>, baseUrl: string): PriceStore {
  const key = `prices ${FORMAT} ${baseUrl}`;
  return {
    read: () => {
      const text = cache.read(key)?.value;
      return text === undefined ? undefined : (JSON.parse(text) as KeptPrices);
    },
    write: (prices) => cache.write(key, JSON.stringify(prices)),
  };
}

/** What decides which prices a trade needs. */
type PricedTrade = Pick<Fill, 'base' | 'quote' | 'time'> & {
  readonly fees: readonly Pick<Fill['fees'][number], 'coin'>[];
};

/** A coin that has to be valued in another one at a time, in milliseconds since the Unix epoch. */
export interface PriceNeed {
  readonly coin: string;
  readonly unit: string;
  readonly time: number;
}

/**
 * What coins were worth: by the closing price of the candle in which something happened, of the shortest type that reaches back far
 * enough, over as few markets as possible. Prices are read once and kept.
 */
export class PastPrices {
  readonly #client: Exchange;
  readonly #store: PriceStore | undefined;
  readonly #routes: Routes;
  readonly #ways = new Map<string, readonly Hop[] | undefined>();
  /** By market and minute. */
  readonly #prices = new Map<string, Map<number, CandlePrice>>();
  #kept: KeptPrices;
  #areFinal = true;

  constructor(client: Exchange, markets: readonly Market[], store?: PriceStore) {
    this.#client = client;
    this.#store = store;
    this.#routes = new Routes(markets);
    this.#kept = store?.read() ?? {};
  }

  /** Whether each price that was read since the beginning was found, and never changes. */
  get areFinal(): boolean {
    return this.#areFinal;
  }

  /** The value of an amount, for what was loaded. */
  readonly value: PastValue = (amount, coin, unit, time) => {
    const way = this.#way(coin, unit);
    if (way === undefined) return undefined;
    const minute = Math.floor(time / MINUTE_MS);
    const prices = new Map<string, Decimal>();
    for (const { market } of way) {
      const known = this.#price(market, minute);
      if (known === undefined) return undefined;
      prices.set(market, known.price);
    }
    const price = (market: string) => prices.get(market) ?? Decimal.zero;
    return convert(amount, way, price, ({ significantScale }) => significantScale);
  };

  /** The candles that say what a coin was worth in another one, one for each market on the way; none if that is unknown. */
  candlesOf(coin: string, unit: string, time: number): readonly PricingCandle[] {
    const minute = Math.floor(time / MINUTE_MS);
    const way = this.#way(coin, unit) ?? [];
    const found = way.flatMap(({ market }): PricingCandle[] => {
      const known = this.#price(market, minute);
      return known === undefined ? [] : [{ market, type: known.type, opened: known.opened }];
    });
    return found.length === way.length ? found : [];
  }

  /**
   * Reads the prices that trades and their fees need which are in neither coin of their market. Reads nothing if there are none. Throws
   * Failure if candles cannot be read.
   * @param unitOf the coin in which a trade is valued
   */
  async loadForTrades<Trade extends PricedTrade>(
    fills: readonly Trade[],
    unitOf: (fill: Trade) => string,
  ): Promise<void> {
    const needs: PriceNeed[] = [];
    const foreign: Trade[] = [];
    for (const fill of fills) {
      const { base, quote, time } = fill;
      const unit = unitOf(fill);
      if (base !== unit && quote !== unit) {
        needs.push({ coin: quote, unit, time });
        foreign.push(fill);
      }
      for (const { coin } of fill.fees)
        if (coin !== null && coin !== base && coin !== quote && coin !== unit) needs.push({ coin, unit, time });
    }
    await this.load(needs);
    const one = Decimal.fromUnits(1n, 0);
    const unvalued = foreign.filter((fill) => this.value(one, fill.quote, unitOf(fill), fill.time) === undefined);
    await this.load(unvalued.map((fill) => ({ coin: fill.base, unit: unitOf(fill), time: fill.time })));
  }

  /** Reads what is needed and not known yet. Throws Failure if candles cannot be read: what was read before is known then. */
  async load(needs: readonly PriceNeed[]): Promise<void> {
    const missing = new Map<string, Set<number>>();
    for (const { coin, unit, time } of needs)
      for (const { market } of this.#way(coin, unit) ?? []) {
        const minute = Math.floor(time / MINUTE_MS);
        if (this.#price(market, minute) !== undefined) continue;
        missing.set(market, (missing.get(market) ?? new Set()).add(minute));
      }
    if (missing.size === 0) return;
    try {
      for (const [market, minutes] of missing) {
        const found = await this.#read(market, [...minutes]);
        this.#kept = { ...this.#kept, [market]: { ...this.#kept[market], ...found } };
      }
    } finally {
      await this.#store?.write(this.#kept);
    }
  }

  /** Reads the prices of a market at these minutes. Returns those that never change. */
  async #read(market: string, minutes: readonly number[]): Promise<Record<string, KeptPrice>> {
    const found: Record<string, KeptPrice> = {};
    const prices = this.#pricesOf(market);
    let left = minutes;
    for (const type of TYPES) {
      const start = this.#client.marketNow() - REACH * CANDLE_MS[type];
      const inReach = left.filter((minute) => minute * MINUTE_MS > start || type === '1week');
      if (inReach.length === 0) continue;
      // as far as it reaches: there is no candle of a time without a trade, and the last one before counts
      const { candles } = await this.#client.candles({ market, type, since: () => start });
      const now = this.#client.marketNow() - CLOCK_ERROR_MS;
      const read = new Set<number>();
      for (const minute of inReach) {
        const candle = lastBy(candles, minute * MINUTE_MS);
        if (candle === undefined || Decimal.of(candle.close).sign <= 0) continue;
        read.add(minute);
        const { close, time: opened, closed } = candle;
        prices.set(minute, { price: Decimal.of(close), type, opened });
        if (closed && minute * MINUTE_MS + CANDLE_MS[type] <= now) found[String(minute)] = [close, type, opened];
      }
      left = left.filter((minute) => !read.has(minute));
    }
    if (Object.keys(found).length < minutes.length) this.#areFinal = false;
    return found;
  }

  #price(market: string, minute: number): CandlePrice | undefined {
    const prices = this.#pricesOf(market);
    const known = prices.get(minute);
    const kept = this.#kept[market]?.[String(minute)];
    if (known !== undefined || kept === undefined) return known;
    const [close, type, opened] = kept;
    const price = { price: Decimal.of(close), type, opened };
    prices.set(minute, price);
    return price;
  }

  #pricesOf(market: string): Map<number, CandlePrice> {
    const prices = this.#prices.get(market) ?? new Map<number, CandlePrice>();
    this.#prices.set(market, prices);
    return prices;
  }

  #way(coin: string, unit: string): readonly Hop[] | undefined {
    const key = `${coin} ${unit}`;
    if (!this.#ways.has(key)) this.#ways.set(key, this.#routes.find(coin, unit));
    return this.#ways.get(key);
  }
}

/** The candle in which a moment is, or the last one before; undefined if there is none. */
function lastBy(candles: readonly Candle[], time: number): Candle | undefined {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((candles[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return candles[low - 1];
}
