import { Decimal } from '../../domain/decimal.js';
import { feeCoin, type Order, type OrderState, type OrderType, type Side } from '../../domain/order.js';
import { isoTime } from '../../terminal/time.js';

export interface OrderRow {
  readonly id: string;
  readonly clientId: string | null;
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType | 'other';
  /** The interface does not tell which account an order belongs to. */
  readonly account: null;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  readonly remaining: string;
  readonly filledValue: string;
  readonly averagePrice: string | null;
  readonly fee: string | null;
  readonly feeCoin: string | null;
  readonly feeDiscount: boolean;
  readonly time: string;
  readonly state: OrderState;
  readonly status: number;
}

/** More than any market's price has; an average need not lie on a tick. */
const AVERAGE_DECIMALS = 10;

/** The exchange's record as people and programs read it. */
export function orderRow(order: Order, clientId: string | null): OrderRow {
  const { id, market, side, type, price, amount, filled, filledValue, fee, feeDiscount, time, state, status } = order;
  return {
    id,
    clientId,
    market,
    side,
    type,
    account: null,
    price,
    amount,
    filled,
    remaining: Decimal.of(amount).minus(Decimal.of(filled)).toString(),
    filledValue,
    averagePrice: averagePrice(filled, filledValue),
    fee,
    feeCoin: feeCoin(order),
    feeDiscount,
    time: isoTime(time),
    state,
    status,
  };
}

function averagePrice(filled: string, filledValue: string): string | null {
  const amount = Decimal.of(filled);
  return amount.sign === 0
    ? null
    : Decimal.of(filledValue).dividedBy(amount, AVERAGE_DECIMALS, 'down').trimmed().toString();
}
