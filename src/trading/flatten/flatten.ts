import { bestOf } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure } from '../../errors.js';
import type { GuardLimits } from '../guards/limits.js';
import { isKind, type RecordedOrderTerms } from '../journal/write.js';
import { referenceOf } from '../market-view.js';
import { placeOrder } from '../orders/place.js';
import type { Placement } from '../orders/settle-order.js';
import { isTooSmall, newClientId } from '../orders/terms.js';
import { resolve } from '../resolve.js';
import type { TradingContext } from '../trading-context.js';
import { floorOf, nextSlice } from './slices.js';

/** Levels of the book that a slice is made of: the most that the interface returns. */
const LEVELS = 50;

/** Slices in a row that fill nothing before the rest is left: the bids were taken by others. */
const MAX_IDLE = 3;

/** What is to be sold of one coin. */
export interface Holding {
  readonly coin: string;
  /** What is available. */
  readonly amount: Decimal;
  /** How it is sold, or why it is not, as a part of a sentence. */
  readonly sale: Sale | string;
}

export interface Sale {
  readonly market: Market;
  /** The best bid when it was planned. */
  readonly bid: Decimal;
  /** No order is placed below this price; null without a price band. */
  readonly floor: Decimal | null;
}

/** Plans the sale of everything that the account holds for another coin. Throws what a read throws. */
export async function planFlatten(
  { client }: TradingContext,
  into: string,
  limits: GuardLimits,
): Promise<readonly Holding[]> {
  const markets = await client.markets.all();
  const { coins } = await client.account();
  const held = coins.filter(({ coin, available }) => coin !== into && Decimal.of(available).sign > 0);
  return Promise.all(
    held.map(async ({ coin, available }): Promise<Holding> => {
      const amount = Decimal.of(available);
      const market = markets.find(({ base, quote }) => base === coin && quote === into);
      if (market === undefined) return { coin, amount, sale: `there is no market ${coin}_${into}` };
      const book = await client.depth(market.market, LEVELS);
      const reference = referenceOf({ ...book, last: null }, 'sell');
      const [best] = book.bids;
      if (best === undefined || reference === null) return { coin, amount, sale: `nobody buys in ${market.market}` };
      const floor = floorOf(market, reference.price, limits.priceBand);
      const maxNotional = limits.orderNotional.get(into) ?? null;
      if (nextSlice(market, book.bids, amount, { floor, maxNotional }) === null)
        return { coin, amount, sale: 'it is below the minimum of an order, or no bid is within the price band' };
      return { coin, amount, sale: { market, bid: Decimal.of(best.price), floor } };
    }),
  );
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

/**
 * Sells a coin with one order after another, each for what the book takes at the floor or better. It stops at the first outcome
 * that is unknown. Earlier orders of the market with an unknown outcome are settled first, so that it can be run again.
 * @param mayContinue asked before each order
 */
export async function sell(
  trading: TradingContext,
  { coin, sale: { market, floor } }: { readonly coin: string; readonly sale: Sale },
  limits: GuardLimits,
  mayContinue: () => boolean,
): Promise<SaleResult> {
  const slices: SoldSlice[] = [];
  const ended = (left: string | null, unknown: string | null = null): SaleResult => ({ slices, left, unknown });
  const maxNotional = limits.orderNotional.get(market.quote) ?? null;
  try {
    const earlier = await earlierUnknown(trading, market.market);
    if (earlier !== null) return ended('an earlier order has an unknown outcome', earlier);
    let rest: Decimal | null = null;
    for (let idle = 0; idle < MAX_IDLE; ) {
      if (!mayContinue()) return ended('it was interrupted');
      trading.budget.restart();
      const available = await availableOf(trading, coin);
      // a balance may lag behind the last fill
      const amount: Decimal = rest !== null && rest.compare(available) < 0 ? rest : available;
      const { bids } = await trading.client.depth(market.market, LEVELS);
      const slice = nextSlice(market, bids, amount, { floor, maxNotional });
      if (slice === null) return ended(isDust(market, amount, bestOf(bids)) ? null : 'no bid is within the price band');
      const sold = await sellSlice(trading, market, slice);
      slices.push(sold);
      const { placement } = sold;
      if (placement.outcome === 'unknown') return ended('the outcome of an order is unknown', sold.id);
      if (placement.outcome === 'refused') return ended(`the exchange rejected an order: ${placement.refusal.message}`);
      if (placement.outcome === 'notSent') return ended(`an order was not sent: ${placement.reason}`);
      const { order } = placement;
      const filled = order === null ? null : Decimal.of(order.filled);
      rest = filled === null ? null : amount.minus(filled);
      idle = filled?.sign === 0 ? idle + 1 : 0;
    }
    return ended('the orders filled nothing');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return ended(error.message);
  }
}

/** Whether what is left is less than an order may sell. */
function isDust(market: Market, amount: Decimal, bid: Decimal | null): boolean {
  if (amount.compare(Decimal.of(market.minAmount)) < 0) return true;
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

async function availableOf({ client }: TradingContext, coin: string): Promise<Decimal> {
  const { coins } = await client.account();
  return Decimal.of(coins.find((one) => one.coin === coin)?.available ?? '0');
}

/** Settles the orders of a market that no process works on. Returns the client id of one that stays unknown; null if none does. */
async function earlierUnknown(trading: TradingContext, market: string): Promise<string | null> {
  const { journal } = trading;
  const open = () =>
    journal.unsettledEntries().filter(({ write }) => isKind(write, 'order') && write.terms.market === market);
  const entries = open();
  if (entries.length > 0) await resolve(trading, entries);
  const [left] = entries.length > 0 ? open() : [];
  return left === undefined ? null : (left.write.clientId ?? left.write.id);
}
