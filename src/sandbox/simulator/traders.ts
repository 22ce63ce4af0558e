import { type OrderType, SIDES, type Side } from '../../domain/order.js';
import { MAKERS, TAKERS } from '../accounts/accounts.js';
import type { Ledger } from '../accounts/ledger.js';
import { opposite } from '../engine/book.js';
import type { SandboxMarket } from '../markets/market.js';
import { type AccountOrder, heldFunds } from '../orders/order.js';
import type { OrderService, TradedMarket } from '../orders/order-service.js';
import { RequestRefused } from '../refusals.js';
import { volumeFactor } from './prehistory.js';
import { factorOf, genesisPrice } from './price-path.js';
import { type RandomStream, random } from './random.js';

/** What traders know in a step, apart from the book. */
export interface SimulatedMoment {
  /** ms since the Unix epoch. */
  readonly time: number;
  /** The fair price in ticks, not necessarily whole. */
  readonly fair: number;
  /** BTC traded in btc_usdt in the recorded minute. */
  readonly turnover: number;
  readonly dice: RandomStream;
}

/** A simulated trader's resting order. Its price is a number, for fast comparison. */
interface Quote {
  readonly price: number;
  readonly order: AccountOrder;
}

/** How many average quotes takers take in a step if somebody offers better than the fair price. */
const SWEEP_QUOTES = 20;

/** Steps in a minute, over which its turnover is spread. */
const STEPS = 120;

/** The simulated traders of one market. In each step they quote around the fair price and trade a little. */
export class MarketTraders {
  readonly #seed: number;
  readonly #venue: TradedMarket;
  readonly #orderService: OrderService;
  readonly #ledger: Ledger;

  readonly #quotes: Record<Side, Quote[]> = { buy: [], sell: [] };
  readonly #profile: TraderProfile;

  constructor(seed: number, venue: TradedMarket, orderService: OrderService, ledger: Ledger) {
    this.#seed = seed;
    this.#venue = venue;
    this.#orderService = orderService;
    this.#ledger = ledger;

    this.#profile = profileOf(venue.market);
  }

  /** Takes over a stored quote. */
  restore(order: AccountOrder): void {
    const price = Number(order.price);
    const quotes = this.#quotes[order.side];
    const worse = quotes.findIndex((quote) => isBefore(order.side, price, quote.price));
    quotes.splice(worse < 0 ? quotes.length : worse, 0, { price, order });
  }

  step(moment: SimulatedMoment): void {
    const wanted = this.#quoteAround(moment);
    if (moment.dice.next() >= this.#profile.activity) return;
    const side = this.#trade(moment);
    this.#post(side, wanted[side], moment);
  }

  /** A step without quotes, in which as much trades as in any other. */
  stepWithoutQuotes(moment: SimulatedMoment): void {
    const { activity } = this.#profile;
    if (moment.dice.next() < activity) this.print(moment, 1 / (STEPS * activity));
  }

  /** A step that stands for a longer time: no quotes remain, but the price trades, and so do orders that it passes. */
  print(moment: SimulatedMoment, share: number): void {
    this.leave();
    this.#sweep(moment);
    const side: Side = moment.dice.next() < 0.5 ? 'buy' : 'sell';
    const spread = side === 'buy' ? this.#profile.halfSpread : -this.#profile.halfSpread;
    const price = BigInt(Math.max(1, Math.round(moment.fair + spread)));
    const lots = moment.turnover * this.#profile.lotsPerTurnover * share;
    const amount = sizedAmount(lots * (0.5 + moment.dice.next()), 1, true);
    const quote = this.#order(MAKERS[0], opposite(side), 'postOnly', price, amount, moment.time);
    if (quote === undefined) return;
    this.#order(TAKERS[0], side, 'ioc', price, amount, moment.time);
    this.#orderService.remove(this.#venue, quote);
  }

  /** Quotes around the fair price and trades with whoever offers better. The quoted prices. */
  #quoteAround(moment: SimulatedMoment): Record<Side, number[]> {
    const wanted = this.#wanted(moment.fair);
    for (const side of SIDES) this.#cancelExcept(side, wanted[side]);
    this.#sweep(moment);
    for (const side of SIDES) this.#post(side, wanted[side], moment);
    return wanted;
  }

  /** Cancels all quotes. */
  leave(): void {
    for (const side of SIDES) this.#cancelExcept(side, []);
  }

  #wanted(fair: number): Record<Side, number[]> {
    const prices = (side: Side, salt: number) => wantedPrices(this.#seed + salt, this.#profile, side, fair);
    return { buy: prices('buy', 1), sell: prices('sell', 2) };
  }

  /** Cancels quotes that are now too near to the fair price or too far away. */
  #cancelExcept(side: Side, keep: readonly number[]): void {
    let next = 0;
    this.#quotes[side] = this.#quotes[side].filter(({ price, order }) => {
      while (next < keep.length && isBefore(side, keep[next] ?? 0, price)) next += 1;
      if (order.open && keep[next] === price) return true;
      this.#orderService.remove(this.#venue, order);
      return false;
    });
  }

  /** Trades with customers who offer better than the fair price. */
  #sweep({ fair, time }: SimulatedMoment): void {
    const amount = sizedAmount(this.#profile.quoteLots * SWEEP_QUOTES, 1, true);
    const limits = { buy: Math.ceil(fair) - 1, sell: Math.floor(fair) + 1 };
    for (const side of SIDES) {
      const price = BigInt(Math.max(1, limits[side]));
      if (this.#venue.book.crosses(side, price)) this.#order(TAKERS[0], side, 'ioc', price, amount, time);
    }
  }

  /** Ensures that there is a quote of sufficient size at each price. */
  #post(side: Side, prices: readonly number[], moment: SimulatedMoment): void {
    const old = this.#quotes[side];
    const min = BigInt(this.#profile.leastLots);
    const quotes: Quote[] = [];
    let next = 0;
    for (let rank = 0; rank < prices.length; rank += 1) {
      const price = prices[rank] ?? 0;
      const present = old[next]?.price === price ? old[next++] : undefined;
      const quote = present && present.order.remaining >= min ? present : this.#quote(side, price, rank, moment);
      if (present !== undefined && quote !== present) this.#orderService.remove(this.#venue, present.order);
      if (quote !== undefined) quotes.push(quote);
    }
    this.#quotes[side] = quotes;
  }

  /** A new quote, unless it would trade. Quotes further out are larger. */
  #quote(side: Side, price: number, rank: number, { time, dice }: SimulatedMoment): Quote | undefined {
    const wanted = this.#profile.quoteLots * (0.15 + dice.exponential(0.85)) * (1 + rank / 40);
    const amount = sizedAmount(wanted, this.#profile.leastLots, dice.next() < 0.6);
    const maker = MAKERS[Math.floor(dice.next() * MAKERS.length)] ?? MAKERS[0];
    const order = this.#order(maker, side, 'postOnly', BigInt(price), amount, time);
    return order === undefined ? undefined : { price, order };
  }

  /** A taker takes from the best quote. The side that was taken from. */
  #trade({ turnover, time, dice }: SimulatedMoment): Side {
    const side: Side = dice.next() < 0.5 ? 'buy' : 'sell';
    const best = this.#venue.book.best(opposite(side));
    const mean = (turnover * this.#profile.lotsPerTurnover) / (STEPS * this.#profile.activity);
    const amount = sizedAmount(dice.exponential(mean), 1, dice.next() < 0.5);
    const taker = TAKERS[Math.floor(dice.next() * TAKERS.length)] ?? TAKERS[0];
    if (best !== undefined) this.#order(taker, side, 'ioc', best.price, amount, time);
    return opposite(side);
  }

  /** Places an order for a simulated trader, who gets coins from outside if needed. Undefined if it is refused. */
  #order(
    account: string,
    side: Side,
    type: OrderType,
    price: bigint,
    amount: bigint,
    time: number,
  ): AccountOrder | undefined {
    const { coin, units } = heldFunds({ market: this.#venue.market, side, price, remaining: amount });
    if (this.#ledger.available(account, coin) < units) this.#ledger.credit(account, coin, units * 1_000n);
    try {
      return this.#orderService.submit(this.#venue, { account, side, type, price, amount }, time);
    } catch (error) {
      if (error instanceof RequestRefused) return undefined;
      throw error;
    }
  }
}

/** Whether a price is nearer to the other side than another. */
function isBefore(side: Side, price: number, other: number): boolean {
  return side === 'buy' ? price > other : price < other;
}

/** A price range with a number of quotes, one in every `width` ticks. */
interface Band {
  readonly quotes: number;
  readonly width: number;
}

/** How simulated traders behave in a market. */
export interface TraderProfile {
  /** From the fair price to the first quote, in ticks. */
  readonly halfSpread: number;
  /** From the best quote outwards. */
  readonly bands: readonly Band[];
  /** The mean and the minimum amount of a quote, in lots. */
  readonly quoteLots: number;
  readonly leastLots: number;
  /** The probability of a trade in a step. */
  readonly activity: number;
  /** Lots to trade for each BTC traded in the recorded minute. */
  readonly lotsPerTurnover: number;
}

/** The width of each band's cells relative to the price, from the best quote outwards; at least a tick. */
const WIDTHS = [4e-6, 2e-5, 8e-5, 3e-4];
/** The number of quotes in each band. The deepest market has more. */
const QUOTES = [22, 22, 14, 10];
const MORE_QUOTES = [26, 24, 20, 12];

/** @internal for its test */
export function profileOf(market: SandboxMarket): TraderProfile {
  const price = (genesisPrice(market.base) / genesisPrice(market.quote)) * 10 ** market.priceScale;
  const lotsPerUsdt = 10 ** market.amountScale / genesisPrice(market.base);
  const depth = 4_000 + 8_000 * factorOf(market.base).factor.turnover;
  const quotes = market.name === 'btc_usdt' ? MORE_QUOTES : QUOTES;
  const width = (relative: number) => Math.max(1, Math.round(price * relative));
  return {
    halfSpread: Math.max(0.6, price * 1.5e-6),
    bands: WIDTHS.map((relative, band) => ({ quotes: quotes[band] ?? 0, width: width(relative) })),
    quoteLots: depth * lotsPerUsdt,
    leastLots: Math.ceil(depth * 0.07 * lotsPerUsdt),
    activity: market.quote === 'usdt' ? 0.3 : 0.12,
    lotsPerTurnover: volumeFactor(market) * lotsPerUsdt,
  };
}

/**
 * The prices to quote on a side around a fair price, best first, in whole ticks. They are numbers because most of them are
 * quoted already and need no order.
 *
 * They lie on a grid that does not move with the price: each band divides all prices into cells of its width and has one quote
 * in each cell, always at the same place. So when the fair price moves, few quotes change.
 * @internal for its test
 */
export function wantedPrices(seed: number, profile: TraderProfile, side: Side, fair: number): number[] {
  const prices: number[] = [];
  const outwards = side === 'buy' ? -1 : 1;
  let near = profile.halfSpread;
  for (const [index, { quotes, width }] of profile.bands.entries()) {
    const far = near + quotes * width;
    const first = Math.floor((fair + near * outwards) / width);
    const last = Math.floor((fair + far * outwards) / width);
    for (let cell = first; (last - cell) * outwards >= 0; cell += outwards) {
      const price = cell * width + Math.floor(random(seed, index, cell) * width);
      const distance = (price - fair) * outwards;
      if (distance >= near && distance < far && price > 0) prices.push(price);
    }
    near = far;
  }
  return prices;
}

/** An amount in lots with two or three significant digits, as people choose them; at least `min`. @internal for its test */
export function sizedAmount(wanted: number, min: number, precise: boolean): bigint {
  const digits = Math.max(0, Math.floor(Math.log10(Math.max(1, wanted))) - (precise ? 2 : 1));
  const unit = 10 ** digits;
  return BigInt(Math.max(min, Math.round(wanted / unit) * unit, 1));
}
