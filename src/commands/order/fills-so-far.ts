import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { averageOfFills } from '../../trading/orders/terms.js';

/** The fields that say how much of one or several orders has filled. */
export const FILLS = {
  filled: shape.nullable(shape.decimal('in the base coin; null if the exchange has not shown it yet')),
  filledValue: shape.nullable(shape.decimal('in the quote coin')),
  averagePrice: shape.nullable(shape.decimal('null if nothing has filled')),
  fee: shape.nullable(shape.decimal('so far')),
  feeCoin: shape.nullable(shape.outsideText('as observed')),
};

/** The fields that say what an order did right after it was placed. */
export const STATE_AND_FILLS = {
  state: shape.nullable(
    shape.enumOf(['open', 'filled', 'cancelled', 'other'], 'as the exchange listed it at once; null if it did not yet'),
  ),
  ...FILLS,
};

/** The fills of orders that the exchange has not shown. */
export const UNKNOWN_FILLS = { filled: null, filledValue: null, averagePrice: null, fee: null, feeCoin: null };

/** What an order did right after it was placed, for programs; all null if the exchange has not shown it. */
export function fillsSoFar(listed: Order | null) {
  if (listed === null) return { state: null, ...UNKNOWN_FILLS };
  const { state, filled, filledValue, fee, feeCoin } = listed;
  return { state, filled, filledValue, averagePrice: averageOfFills(listed), fee, feeCoin };
}

/** `0.0008 btc`, without the coin if that is unknown; null if the fee is. */
export function feeText({ fee, feeCoin }: Pick<Order, 'fee' | 'feeCoin'>): string | null {
  return fee === null ? null : `${formatAmount(fee)}${feeCoin === null ? '' : ` ${feeCoin}`}`;
}

/** The sums of what several orders filled. The fee is null if one is unknown, or if the fees are in several coins. */
export function totalOfFills(orders: readonly Order[]) {
  const sum = (texts: readonly string[]) => Decimal.sum(texts.map(Decimal.of)).trimmed().toString();
  const filled = sum(orders.map((order) => order.filled));
  const filledValue = sum(orders.map((order) => order.filledValue));
  const fees = orders.filter((order) => averageOfFills(order) !== null).map(({ fee, feeCoin }) => ({ fee, feeCoin }));
  const [feeCoin = null, ...others] = new Set(fees.map((one) => one.feeCoin));
  const shown = fees.flatMap(({ fee }) => fee ?? []);
  const fee = shown.length === fees.length && others.length === 0 ? sum(shown) : null;
  const total = { filled, filledValue };
  return { ...total, averagePrice: averageOfFills(total), fee, feeCoin: fee === null ? null : feeCoin };
}
