import { Decimal } from '../../domain/decimal.js';
import { feeCoin, type Order, type Side } from '../../domain/order.js';

/** More decimals than a coin's balance was seen with say nothing. */
const FEE_DECIMALS = 8;

export interface FeeEstimate {
  readonly fee: Decimal;
  readonly coin: string;
}

/**
 * What an order would pay if it fills, going by what earlier orders of its side paid of what they received: a buy receives
 * and pays base, a sell quote (observed). Null where no order tells: none was filled, or the discount coin paid for them.
 *
 * @param records orders of one market
 * @param receives what the order would bring
 */
export function estimateFee(records: readonly Order[], side: Side, receives: Decimal): FeeEstimate | null {
  let [paid, received, coin] = [Decimal.zero, Decimal.zero, null as string | null];
  for (const record of records) {
    const filled = Decimal.of(side === 'buy' ? record.filled : record.filledValue);
    const own = feeCoin(record);
    if (own === null || record.fee === null || filled.sign <= 0 || record.type === 'other' || record.side !== side)
      continue;
    [paid, received, coin] = [paid.plus(Decimal.of(record.fee)), received.plus(filled), own];
  }
  if (coin === null) return null;
  return { fee: receives.times(paid).dividedBy(received, FEE_DECIMALS, 'up').trimmed(), coin };
}
