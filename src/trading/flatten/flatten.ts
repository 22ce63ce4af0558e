import { bestOf } from '../../domain/book.js';
import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { quotedName } from '../../domain/quotation.js';
import { Failure, suggest } from '../../errors.js';
import type { GuardLimits } from '../guards/limits.js';
import { isKind, type RecordedOrderTerms } from '../journal/write.js';
import { isSameRules } from '../orders/changed-rules.js';
import { placeOrder } from '../orders/place.js';
import { isTooSmall, newClientId } from '../orders/terms.js';
import { referenceOf } from '../preview/market-view.js';
import { resolve } from '../settling/resolve.js';
import type { Placement } from '../settling/settle-sent-order.js';
import type { TradingContext } from '../trading-context.js';
import { floorOf, nextSlice } from './slices.js';

/** Levels of the book that a slice is made of: the most that the interface returns. */
const LEVELS = 50;

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

/** What is to be sold of one coin. */
export interface Holding {
  readonly coin: string;
  /** What is available, and what cancelling would free. */
  readonly amount: Decimal;
  /** What is frozen beyond that, as in open orders. */
  readonly frozen: Decimal;
  readonly sale: Sale | Unsold;
}

export interface Sale {
  readonly market: Market;
  /** The best bid when it was planned. */
  readonly bid: Decimal;
  /** No order is placed below this price; null without a price band. */
  readonly floor: Decimal | null;
}

/** Why a coin is not sold. */
export interface Unsold {
  /** As a part of a sentence. */
  readonly why: string;
  /** Whether it is less than an order may sell, so that nothing is left to do. */
  readonly isDust: boolean;
}

export function isSale(sale: Sale | Unsold): sale is Sale {
  return 'market' in sale;
}

/**
 * Plans the sale of everything that the account holds for another coin. Throws what a read throws, and Failure `usage` for a coin
 * that no market sells into.
 * @param freed orders that are cancelled before, so that what they hold is sold as well
 * @param command the words of a command that sells into another coin
 */
export async function planFlatten(
  { client }: TradingContext,
  into: string,
  limits: GuardLimits,
  { freed, command }: { readonly freed: readonly Order[]; readonly command: (into: string) => readonly string[] },
): Promise<readonly Holding[]> {
  const markets = await client.markets.all();
  const { coins } = await client.account();
  requireTarget(markets, into, command);
  const heldByOrders = heldBy(freed, markets);
  const held = coins
    .map(({ coin, available, frozen }) => {
      const released = heldByOrders.get(coin) ?? Decimal.zero;
      const left = Decimal.of(frozen).minus(released);
      return {
        coin,
        amount: Decimal.of(available).plus(released),
        frozen: left.sign < 0 ? Decimal.zero : left,
      };
    })
    .filter(({ coin, amount, frozen }) => coin !== into && (amount.sign > 0 || frozen.sign > 0));
  return Promise.all(
    held.map(async ({ coin, amount, frozen }): Promise<Holding> => {
      const unsold = (why: string, isDust = false): Holding => ({ coin, amount, frozen, sale: { why, isDust } });
      const market = markets.find(({ base, quote }) => base === coin && quote === into);
      if (market === undefined) return unsold(`there is no market ${quotedName(`${coin}_${into}`)}`);
      const book = await client.depth({ market: market.market, size: LEVELS });
      const reference = referenceOf({ ...book, last: null }, 'sell');
      const [best] = book.bids;
      if (isDust(market, amount.plus(frozen), best === undefined ? null : Decimal.of(best.price)))
        return unsold('it is below the minimum of an order', true);
      if (best === undefined || reference === null) return unsold(`there are no bids in ${market.market}`);
      const floor = floorOf(market, reference.price, limits.priceBand);
      const maxNotional = limits.orderNotional.get(into) ?? null;
      const bid = Decimal.of(best.price);
      // what is frozen now may be freed by another process
      if (!isDust(market, amount, bid) && nextSlice(market, book.bids, amount, { floor, maxNotional }) === null)
        return unsold('no bid within the price band takes it');
      return { coin, amount, frozen, sale: { market, bid, floor } };
    }),
  );
}

function requireTarget(markets: readonly Market[], into: string, command: (into: string) => readonly string[]): void {
  if (markets.some(({ quote }) => quote === into)) return;
  const isCoin = markets.some(({ base }) => base === into);
  const message = isCoin
    ? `No market sells into ${into}.`
    : `There is no coin ${into} on this exchange that other coins are sold into.`;
  const quotes = [...new Set(markets.map(({ quote }) => quote))].sort();
  const countOf = (coin: string) => markets.filter(({ quote }) => quote === coin).length;
  const [common = ''] = quotes.toSorted((one, other) => countOf(other) - countOf(one));
  throw new Failure('usage', message, {
    hint: [`Coins are sold into ${quotes.join(', ')}.`, suggest('Sell everything', ...command(common))],
  });
}

/** What open orders hold, by coin. */
function heldBy(orders: readonly Order[], markets: readonly Market[]): ReadonlyMap<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const { market, side, price, amount, filled } of orders) {
    const rules = markets.find((one) => one.market === market);
    if (rules === undefined) continue;
    const rest = Decimal.of(amount).minus(Decimal.of(filled));
    const [coin, held] = side === 'sell' ? [rules.base, rest] : [rules.quote, rest.times(Decimal.of(price))];
    sums.set(coin, (sums.get(coin) ?? Decimal.zero).plus(held));
  }
  return sums;
}

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

/**
 * Sells a coin with one order after another, each for what the book takes at the floor or better. It stops at the first outcome
 * that is unknown, when the bids take so little at a time that it would need more than {@link MAX_SALES} orders, and when the time of
 * the command is over. Earlier orders of the market with an unknown outcome are settled first, so that it can be run again.
 */
export async function sell(
  trading: TradingContext,
  { coin, sale }: { readonly coin: string; readonly sale: Sale },
  limits: GuardLimits,
  { signal, onSlice = () => {} }: SellOptions,
): Promise<SaleResult> {
  const slices: SoldSlice[] = [];
  let { market, floor } = sale;
  const ended = (left: string | null, unknown: string | null = null): SaleResult => ({ slices, left, unknown });
  const maxNotional = limits.orderNotional.get(market.quote) ?? null;
  const { budget } = trading;
  let sold = Decimal.zero;
  const mayPause = pauses(trading);
  try {
    const earlier = await earlierUnknown(trading, market.market);
    if (earlier !== null) return ended('an earlier order has an unknown outcome', earlier);
    let rest: Decimal | null = null;
    for (let idle = 0; idle < MAX_IDLE; ) {
      if (signal.aborted) return ended('it was interrupted');
      if (!budget.allows(Math.min(STEP_MS, budget.milliseconds / 10))) return ended('the time of the command is over');
      const { available, frozen } = await balanceOf(trading, coin);
      // a balance may lag behind the last fill
      const amount: Decimal = rest !== null && rest.compare(available) < 0 ? rest : available;
      const { bids } = await trading.client.depth({ market: market.market, size: LEVELS });
      const slice = nextSlice(market, bids, amount, { floor, maxNotional });
      if (slice === null) {
        const whole = amount.plus(frozen);
        if (isDust(market, whole, bestOf(bids))) return ended(null);
        if (!isDust(market, amount, bestOf(bids))) return ended('no bid within the price band takes it');
        if (await mayPause()) continue;
        return ended(`${formatAmount(frozen)} is frozen, as in open orders`);
      }
      const needed = ordersNeeded(slices.length, sold, amount, maxNotional?.dividedBy(slice.price, 8, 'down') ?? null);
      if (needed !== null)
        return ended(
          `the bids take about ${formatAmount(needed.perOrder)} at a time, so the rest would need ${grouped(needed.orders)} more orders`,
        );
      const one = await sellSlice(trading, market, slice).catch(identicalOnly);
      if (one instanceof Failure) {
        if (await mayPause()) continue;
        return ended(one.message);
      }
      slices.push(one);
      onSlice(one);
      const { placement } = one;
      if (placement.outcome === 'unknown') return ended('the outcome of an order is unknown', one.id);
      if (placement.outcome === 'notSent') return ended(`an order was not sent: ${placement.reason}`);
      if (placement.outcome === 'refused') {
        rest = null;
        const { rules } = placement;
        if (rules !== undefined && !isSameRules(market, rules)) {
          market = rules;
          floor = floor?.rescaled(rules.priceScale, 'up') ?? null;
          continue;
        }
        // another process may have sold it meanwhile
        if (await mayPause()) continue;
        return ended(`the exchange rejected an order: ${placement.refusal.message}`);
      }
      const { order } = placement;
      const filled = order === null ? null : Decimal.of(order.filled);
      sold = sold.plus(filled ?? Decimal.zero);
      rest = filled === null ? null : amount.minus(filled);
      idle = filled?.sign === 0 ? idle + 1 : 0;
    }
    return ended('the orders filled nothing');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return ended(error.message);
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

/** Whether what is left is less than an order may sell. */
function isDust(market: Market, amount: Decimal, bid: Decimal | null): boolean {
  if (amount.sign <= 0 || amount.compare(Decimal.of(market.minAmount)) < 0) return true;
  return bid !== null && isTooSmall(market, bid, amount);
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
