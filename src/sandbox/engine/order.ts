export type Side = 'buy' | 'sell';

/** `limit` rests with what does not trade, `postOnly` only rests, `ioc` never rests. */
export type Execution = 'limit' | 'postOnly' | 'ioc';

/**
 * What the book knows of an order. Prices are ticks and amounts lots: whole numbers of the market's smallest steps.
 * Ids increase with time, so that the id alone tells who came first at a price.
 */
export interface BookOrder {
  readonly id: bigint;
  readonly side: Side;
  readonly price: bigint;
  /** The lots that have not traded; the book lowers it. */
  remaining: bigint;
}

/** What a submitted order caused, in the order in which it happened. A trade is at the maker's price. */
export type BookEvent<Order extends BookOrder> =
  | {
      readonly kind: 'traded';
      readonly maker: Order;
      readonly taker: Order;
      readonly price: bigint;
      readonly amount: bigint;
    }
  | { readonly kind: 'rested'; readonly order: Order }
  | { readonly kind: 'cancelled'; readonly order: Order }
  | { readonly kind: 'refused'; readonly order: Order };

export function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}
