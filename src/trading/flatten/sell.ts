import { bestOf } from '../../domain/book.js';
import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure } from '../../errors.js';
import type { GuardLimits } from '../guards/limits.js';
import { isKind, type RecordedOrderTerms } from '../journal/write.js';
import { isSameRules } from '../orders/changed-rules.js';
import { placeOrder } from '../orders/place.js';
import { newClientId } from '../orders/terms.js';
import { resolve } from '../settling/resolve.js';
import type { Placement } from '../settling/settle-sent-order.js';
import type { TradingContext } from '../trading-context.js';
import type { Sale } from './flatten.js';
import { isDust, LEVELS, nextSlice } from './slices.js';

/** Slices in a row that fill nothing before the rest is left: the bids were taken by others. */
const MAX_IDLE = 3;

/** The most orders that a coin is sold with, by what the first ones filled. @internal for its test */
export const MAX_SALES = 500;
/** How many orders show what the bids take at a time. */
const FIRST_SALES = 20;

/** Another process may sell the same coin: what it has frozen or taken is seen a moment later. */
const PAUSE_MS = 500;
const MAX_PAUSES = 10;

/** A step of a sale needs about this much of the time of the command, in milliseconds. */
const STEP_MS = 2_000;

/** An order of a sale and its outcome. */
export interface SoldSlice {
  readonly id: string;
  readonly terms: RecordedOrderTerms;
  readonly placement: Placement;
}

export interface SaleResult {
  readonly slices: readonly SoldSlice[];
  /** Why something is left, as a part of a sentence; null if nothing is that can be sold. */
  readonly left: string | null;
  /** The client id of an order whose outcome is unknown; null if there is none. */
  readonly unknown: string | null;
}

export interface SellOptions {
  /** Ends it after the order under way. */
  readonly signal: AbortSignal;
  /** Called after each order. */
  readonly onSlice?: (slice: SoldSlice) => void;
}

/**
 * Sells a coin with one order after another, each for what the book takes at the floor or better. It stops at the first outcome
 * that is unknown, when the bids take so little at a time that it would need more than {@link MAX_SALES} orders, and when the time of
 * the command is over. Earlier orders of the market with an unknown outcome are settled first, so that it can be run again.
 */
export async function sell(
  trading: TradingContext,
  holding: { readonly coin: string; readonly sale: Sale },
  limits: GuardLimits,
  { signal, onSlice = () => {} }: SellOptions,
): Promise<SaleResult> {
  const { market } = holding.sale;
  const maxNotional = limits.orderNotional.get(market.quote) ?? null;
  const coinSale = new CoinSale(trading, holding, maxNotional, onSlice);
  const ended = ({ left, unknown = null }: Stop): SaleResult => ({ slices: coinSale.slices, left, unknown });
  const { budget } = trading;
  const mayPause = pauses(trading);
  try {
    const earlier = await earlierUnknown(trading, market.market);
    if (earlier !== null) return ended({ left: 'an earlier order has an unknown outcome', unknown: earlier });
    while (!coinSale.isIdle) {
      if (signal.aborted) return ended({ left: 'it was interrupted' });
      if (!budget.allows(Math.min(STEP_MS, budget.milliseconds / 10)))
        return ended({ left: 'the time of the command is over' });
      const stop = await coinSale.sellNext();
      if (stop === null || (stop.mayPass === true && (await mayPause()))) continue;
      return ended(stop);
    }
    return ended({ left: 'the orders filled nothing' });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return ended({ left: error.message });
  }
}

/** Returns a function that waits a moment for another process, a few times in all, and says whether the sale may try again. */
function pauses({ budget, host }: Pick<TradingContext, 'budget' | 'host'>): () => Promise<boolean> {
  let count = 0;
  return async () => {
    if (count === MAX_PAUSES || !budget.allows(STEP_MS + PAUSE_MS)) return false;
    count += 1;
    await host.sleep(PAUSE_MS);
    return true;
  };
}

/** Why a sale stops. */
interface Stop extends Pick<SaleResult, 'left'> {
  readonly unknown?: string | null;
  /** Whether another process may change that in a moment. */
  readonly mayPass?: boolean;
}

/** What is sold of a coin so far, and the next order. */
class CoinSale {
  readonly slices: SoldSlice[] = [];
  readonly #trading: TradingContext;
  readonly #coin: string;
  readonly #maxNotional: Decimal | null;
  readonly #onSlice: (slice: SoldSlice) => void;
  #market: Market;
  #floor: Decimal | null;
  #sold = Decimal.zero;
  /** What the last order has left; null if that is not known. */
  #rest: Decimal | null = null;
  /** How many orders in a row have filled nothing. */
  #idle = 0;

  constructor(
    trading: TradingContext,
    { coin, sale }: { readonly coin: string; readonly sale: Sale },
    maxNotional: Decimal | null,
    onSlice: (slice: SoldSlice) => void,
  ) {
    [this.#trading, this.#coin, this.#maxNotional, this.#onSlice] = [trading, coin, maxNotional, onSlice];
    [this.#market, this.#floor] = [sale.market, sale.floor];
  }

  /** Whether too many orders in a row have filled nothing. */
  get isIdle(): boolean {
    return this.#idle >= MAX_IDLE;
  }

  /** Places the next order. Returns why the sale has to stop; null if it goes on. Throws what a read throws. */
  async sellNext(): Promise<Stop | null> {
    const { available, frozen } = await balanceOf(this.#trading, this.#coin);
    const rest = this.#rest;
    // a balance may lag behind the last fill
    const amount = rest !== null && rest.compare(available) < 0 ? rest : available;
    const { bids } = await this.#trading.client.depth({ market: this.#market.market, size: LEVELS });
    const slice = nextSlice(this.#market, bids, amount, { floor: this.#floor, maxNotional: this.#maxNotional });
    if (slice === null) return this.#unsellable(amount, frozen, bestOf(bids));
    const most = this.#maxNotional?.dividedBy(slice.price, 8, 'down') ?? null;
    const needed = ordersNeeded(this.slices.length, this.#sold, amount, most);
    if (needed !== null)
      return {
        left: `the bids take about ${formatAmount(needed.perOrder)} at a time, so the rest would need ${grouped(needed.orders)} more orders`,
      };
    const sold = await sellSlice(this.#trading, this.#market, slice).catch(identicalOnly);
    if (sold instanceof Failure) return { left: sold.message, mayPass: true };
    this.slices.push(sold);
    this.#onSlice(sold);
    return this.#take(sold, amount);
  }

  /** Why no order is placed for an amount. */
  #unsellable(amount: Decimal, frozen: Decimal, bid: Decimal | null): Stop {
    if (isDust(this.#market, amount.plus(frozen), bid)) return { left: null };
    if (!isDust(this.#market, amount, bid)) return { left: 'no bid within the price band takes it' };
    return { left: `${formatAmount(frozen)} is frozen, as in open orders`, mayPass: true };
  }

  /** Takes the outcome of an order. @param amount what there was to sell before it */
  #take({ id, placement }: SoldSlice, amount: Decimal): Stop | null {
    if (placement.outcome === 'unknown') return { left: 'the outcome of an order is unknown', unknown: id };
    if (placement.outcome === 'notSent') return { left: `an order was not sent: ${placement.reason}` };
    if (placement.outcome === 'refused') {
      this.#rest = null;
      const { rules, refusal } = placement;
      if (rules === undefined || isSameRules(this.#market, rules))
        // another process may have sold it meanwhile
        return { left: `the exchange rejected an order: ${refusal.message}`, mayPass: true };
      this.#market = rules;
      this.#floor = this.#floor?.rescaled(rules.priceScale, 'up') ?? null;
      return null;
    }
    const { order } = placement;
    const filled = order === null ? null : Decimal.of(order.filled);
    this.#sold = this.#sold.plus(filled ?? Decimal.zero);
    this.#rest = filled === null ? null : amount.minus(filled);
    this.#idle = filled?.sign === 0 ? this.#idle + 1 : 0;
    return null;
  }
}

/**
 * What the orders so far show: how many more the rest would need, if that is too many; null otherwise.
 * @param most the most that one order may sell: it is not the bids that are small if most orders sell about that
 */
function ordersNeeded(
  count: number,
  sold: Decimal,
  rest: Decimal,
  most: Decimal | null,
): { readonly perOrder: Decimal; readonly orders: string } | null {
  if (count < FIRST_SALES || sold.sign === 0) return null;
  const perOrder = sold.dividedBy(Decimal.of(String(count)), 8, 'up');
  if (most !== null && perOrder.plus(perOrder).compare(most) >= 0) return null;
  const orders = rest.dividedBy(perOrder, 0, 'up');
  const isTooMany = orders.plus(Decimal.of(String(count))).compare(Decimal.of(String(MAX_SALES))) > 0;
  return isTooMany ? { perOrder, orders: orders.toString() } : null;
}

/** The failure of an order that was not sent because another process sends the same one now. */
function identicalOnly(error: unknown): Failure {
  if (error instanceof Failure && error.kind === 'usage' && error.clientId !== null) return error;
  throw error;
}

async function sellSlice(
  trading: TradingContext,
  { market }: Market,
  { price, amount }: { readonly price: Decimal; readonly amount: Decimal },
): Promise<SoldSlice> {
  const id = newClientId(trading.host);
  const terms: RecordedOrderTerms = {
    ...{ market, side: 'sell', type: 'ioc', account: 'spot', borrow: false, repay: false },
    ...{ price: price.toString(), amount: amount.trimmed().toString() },
  };
  return { id, terms, placement: await placeOrder(trading, terms, { id }) };
}

async function balanceOf({ client }: TradingContext, coin: string) {
  const { coins } = await client.account();
  const { available = '0', frozen = '0' } = coins.find((one) => one.coin === coin) ?? {};
  return { available: Decimal.of(available), frozen: Decimal.of(frozen) };
}

/** Settles the orders of a market that no process works on. Returns the client id of one that stays unknown; null if none does. */
async function earlierUnknown(trading: TradingContext, market: string): Promise<string | null> {
  const { journal } = trading;
  const open = () =>
    journal
      .unsettledEntries()
      .filter(({ write, isUnderWay }) => !isUnderWay && isKind(write, 'order') && write.terms.market === market);
  const entries = open();
  if (entries.length > 0) await resolve(trading, entries);
  const [left] = entries.length > 0 ? open() : [];
  return left === undefined ? null : (left.write.clientId ?? left.write.id);
}
