import { Decimal } from '../../../domain/decimal.js';
import type { Depth } from '../../../domain/market-data.js';
import { isOpen, type OrderUpdate } from '../../../exchange/exchange.js';
import { type AlgoBook, bestOfOthers } from '../plan/algo-market.js';
import { KeptValue } from '../plan/kept-value.js';

type Prices = Omit<AlgoBook, 'ageMs'>;

/** The best prices of a book, with and without the account's own orders. They are kept, because each algo order of a market asks for them. */
export class BestOfOthers {
  readonly #last = new KeptValue<Prices>();

  /** @param orders the account's orders in the market, as far as they are known */
  of(book: Depth, orders: readonly OrderUpdate[] | undefined): Prices {
    return this.#last.of([book, orders], () => pricesOf(book, (orders ?? []).filter(isOpen)));
  }
}

function pricesOf({ bids, asks }: Depth, own: readonly OrderUpdate[]): Prices {
  const ofSide = (side: 'buy' | 'sell') =>
    own
      .filter((order) => order.side === side)
      .map(({ price, amount, filled }) => ({
        price: Decimal.of(price),
        remaining: Decimal.of(amount).minus(Decimal.of(filled)),
      }));
  return {
    bid: bestOfOthers(bids, []),
    ask: bestOfOthers(asks, []),
    othersBid: bestOfOthers(bids, ofSide('buy')),
    othersAsk: bestOfOthers(asks, ofSide('sell')),
  };
}
