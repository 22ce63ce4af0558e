import type { OrderType, Side } from '../../../domain/words.js';
import type { OrderRecord } from '../../exchange.js';
import { type Json, number } from '../json.js';

/** 0 and 1 are limit, 2 and 3 PostOnly, 4 and 5 IOC; even ones sell, odd ones buy. */
const TYPE_CODES: Readonly<Record<OrderType, number>> = { limit: 0, postOnly: 2, ioc: 4 };

/** The flat order of the interface; getOrders and its neighbours list the same. */
export function orderRecord(record: OrderRecord): Json {
  return {
    id: record.id,
    currency: record.market,
    price: number(record.price),
    total_amount: number(record.amount),
    trade_amount: number(record.filled),
    trade_money: number(record.filledValue),
    trade_date: record.time,
    status: record.status,
    type: TYPE_CODES[record.type] + (record.side === 'buy' ? 1 : 0),
    fees: record.fee,
    useXxFee: false,
  };
}

export function sideOf(tradeType: string): Side {
  return tradeType === '1' ? 'buy' : 'sell';
}
