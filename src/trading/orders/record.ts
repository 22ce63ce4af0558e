import { Decimal } from '../../domain/decimal.js';
import { type Side, splitMarket } from '../../domain/words.js';
import type { OrderRecord } from '../../exchange/operations/trading.js';

export type OrderState = 'open' | 'filled' | 'cancelled' | 'other';

/** 1 = cancelled; 2 = completed, or cancelled after a partial fill; 0 and 3 = waiting. */
export function orderState({ status, trade_amount: filled, total_amount: amount }: OrderRecord): OrderState {
  if (status === 0 || status === 3) return 'open';
  if (status === 1) return 'cancelled';
  if (status !== 2) return 'other';
  return Decimal.of(filled).compare(Decimal.of(amount)) >= 0 ? 'filled' : 'cancelled';
}

/** Observed: a buy pays in base, a sell in quote, unless the platform's discount coin pays; that one is not named. */
export function feeCoin({ fees, useXxFee, currency }: OrderRecord, side: Side): string | null {
  const words = splitMarket(currency);
  if (fees === null || useXxFee || words === undefined) return null;
  return side === 'buy' ? words.base : words.quote;
}
