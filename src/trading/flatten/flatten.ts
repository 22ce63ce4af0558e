import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { quotedName } from '../../domain/quotation.js';
import { Failure, suggest } from '../../errors.js';
import type { GuardLimits } from '../guards/limits.js';
import { referenceOf } from '../preview/market-view.js';
import type { TradingContext } from '../trading-context.js';
import { floorOf, isDust, LEVELS, nextSlice } from './slices.js';

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
