import { Decimal } from '../../protocol/decimal.js';
import type { OrderRecord } from '../../protocol/operations/trading.js';
import { type OrderType, readOrderType, type Side, splitMarket } from '../../protocol/words.js';
import { isoTime } from '../../terminal/time.js';

export type OrderState = 'open' | 'filled' | 'cancelled' | 'other';

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
export function orderRow(record: OrderRecord, clientId: string | null): OrderRow {
  const { id, currency: market, price, total_amount: amount, trade_amount: filled, trade_money: filledValue } = record;
  const { side, type } = readOrderType(record.type) ?? { side: record.type % 2 === 0 ? 'sell' : 'buy', type: 'other' };
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
    fee: record.fees,
    feeCoin: feeCoin(record, market, side),
    feeDiscount: record.useXxFee,
    time: isoTime(record.trade_date),
    state: orderState(record),
    status: record.status,
  };
}

function averagePrice(filled: string, filledValue: string): string | null {
  const amount = Decimal.of(filled);
  return amount.sign === 0
    ? null
    : Decimal.of(filledValue).dividedBy(amount, AVERAGE_DECIMALS, 'down').trimmed().toString();
}

/** Observed: a buy pays in base, a sell in quote, unless the platform's discount coin pays; that one is not named. */
function feeCoin({ fees, useXxFee }: OrderRecord, market: string, side: Side): string | null {
  const words = splitMarket(market);
  if (fees === null || useXxFee || words === undefined) return null;
  return side === 'buy' ? words.base : words.quote;
}

/** 1 = cancelled; 2 = completed, or cancelled after a partial fill; 0 and 3 = waiting. */
function orderState({ status, trade_amount: filled, total_amount: amount }: OrderRecord): OrderState {
  if (status === 0 || status === 3) return 'open';
  if (status === 1) return 'cancelled';
  if (status !== 2) return 'other';
  return Decimal.of(filled).compare(Decimal.of(amount)) >= 0 ? 'filled' : 'cancelled';
}
