import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { OrderTerms } from '../journal/intent.js';
import { bestOf, distanceFrom, type MarketView, type Reference, referenceOf } from '../market-view.js';
import { notionalOf } from '../orders/terms.js';
import { estimateFee, type FeeEstimate } from './fee.js';
import { type Fills, fillsAtOnce } from './fills.js';
import type { Available } from './outlook.js';

/** An order that can be sent as it is, in its market. */
export interface ResolvedOrder {
  readonly market: Market;
  readonly terms: OrderTerms;
}

/** What the exchange said, or why it did not. */
export interface Answers {
  readonly market: MarketView | Failure;
  /** Of a margin account no operation tells. */
  readonly available: Available | Failure | 'untold';
  readonly orders: readonly Order[] | Failure;
}

/** What an order would do. What is not known is null. */
export interface OrderFacts {
  readonly notional: Decimal;
  /** What earlier orders of this side paid, on this one. An estimate. */
  readonly fee: FeeEstimate | null;
  /** What is available of the coin that it spends, now and with the order open. */
  readonly balance: { readonly before: Decimal; readonly after: Decimal } | null;
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
  readonly reference: Reference | null;
  /** How far the price lies above the reference, in percent; negative below it. */
  readonly distance: Decimal | null;
  readonly fills: Fills | null;
}

/** The coin that an order spends: the quote coin for a buy, the base coin for a sell. */
export function spentCoin({ base, quote }: Market, side: OrderTerms['side']): string {
  return side === 'buy' ? quote : base;
}

export function factsOf({ market, terms }: ResolvedOrder, answers: Answers): OrderFacts {
  const { side } = terms;
  const [price, amount] = [Decimal.of(terms.price), Decimal.of(terms.amount)];
  const notional = notionalOf(terms).trimmed();
  const [receives, spends] = side === 'buy' ? [amount, notional] : [notional, amount];
  const orders = answers.orders instanceof Failure ? [] : answers.orders;
  const before =
    answers.available instanceof Map ? (answers.available.get(spentCoin(market, side)) ?? Decimal.zero) : null;
  return {
    notional,
    fee: estimateFee(orders, side, receives),
    balance: before === null ? null : { before, after: before.minus(spends) },
    ...seenFrom(terms, price, amount, answers.market),
  };
}

function seenFrom({ side, type }: OrderTerms, price: Decimal, amount: Decimal, market: MarketView | Failure) {
  if (market instanceof Failure) return { bid: null, ask: null, reference: null, distance: null, fills: null };
  const reference = referenceOf(market);
  const others = type === 'postOnly' ? [] : side === 'buy' ? market.asks : market.bids;
  return {
    bid: bestOf(market.bids),
    ask: bestOf(market.asks),
    reference,
    distance: reference === null ? null : distanceFrom(price, reference),
    fills: fillsAtOnce(others, side, price, amount),
  };
}
