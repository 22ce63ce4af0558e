import { isCrossed, midOf } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import type { Ticker } from '../../domain/market-data.js';
import type { OrderReference } from '../../domain/order.js';
import type { ClosingPrice, ConditionText, Field, Threshold } from './crossing.js';
import type { Trail } from './trail.js';

/** More of an own order is filled, or all of it. */
export interface FillCondition extends ConditionText {
  readonly kind: 'fill';
  /** Null for any order of the market. */
  readonly order: OrderReference | null;
  /** Whether only the whole order counts. */
  readonly isWhole: boolean;
}

/** What an alert waits for. */
export type Condition = Threshold | ClosingPrice | Trail | FillCondition;

const SPREAD_DECIMALS = 6;

/** A number of a market; null if it has none now. The spread is a share of the middle, in percent. */
export function numberOf(ticker: Ticker, field: Field): Decimal | null {
  const bid = priceOf(ticker.bid);
  const ask = priceOf(ticker.ask);
  if (field === 'bid') return bid;
  if (field === 'ask') return ask;
  if (field === 'last') return priceOf(ticker.last);
  if (field !== 'spread') return ticker[field] === null ? null : Decimal.of(ticker[field]);
  const mid = midOf({ bid, ask });
  if (bid === null || ask === null || mid === null || isCrossed({ bid, ask })) return null;
  return ask.minus(bid).times(Decimal.of('100')).dividedBy(mid, SPREAD_DECIMALS, 'down').trimmed();
}

/** A price of zero counts as none. */
function priceOf(text: string | null): Decimal | null {
  const price = text === null ? Decimal.zero : Decimal.of(text);
  return price.sign > 0 ? price : null;
}
