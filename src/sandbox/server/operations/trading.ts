import type { OrderType, Side } from '../../../protocol/words.js';
import type { OrderRecord } from '../../exchange.js';
import { Refusal } from '../../refusals.js';
import { ORDERS_PER_PAGE, SUCCESS } from '../choices.js';
import { codeOf } from '../families.js';
import { type Json, number } from '../json.js';
import { marketOf, signedly } from '../serving.js';

/** "1 = PostOnly, 2 = IOC. Empty or any other value gives a limit order." */
const ORDER_TYPES: Readonly<Record<string, OrderType>> = { '1': 'postOnly', '2': 'ioc' };

export const order = signedly('order', (values, { exchange, account }) => {
  const { market } = marketOf(exchange, values.currency);
  if ((values.acctType ?? '0') !== '0') throw new Refusal('notOpen', 'margin accounts');
  const type = ORDER_TYPES[values.orderType ?? ''] ?? 'limit';
  const { price, amount, customerOrderId } = values;
  const client = customerOrderId === undefined ? {} : { clientId: customerOrderId };
  const id = exchange.place(account, { market, side: sideOf(values.tradeType), type, price, amount, ...client });
  return { code: codeOf('order', SUCCESS.code), message: SUCCESS.message, id };
});

export const cancelOrder = signedly('cancelOrder', (values, { exchange, account }) => {
  const { market } = marketOf(exchange, values.currency);
  const cancelled = exchange.cancel(account, market, referenceOf(values));
  const datas = {
    amount: number(cancelled.amount),
    price: number(cancelled.price),
    completeMonty: number(cancelled.filledValue),
    completeAmount: number(cancelled.filled),
  };
  return { code: SUCCESS.code, message: { des: SUCCESS.message, isSuc: true, datas } };
});

export const getOrder = signedly('getOrder', (values, { exchange, account }) => {
  const { market } = marketOf(exchange, values.currency);
  return orderRecord(exchange.order(account, market, referenceOf(values)));
});

/** The body is not shown in the interface: a plain list, newest first, and 3001 in place of an empty one are observed. */
export const getOrders = signedly('getOrders', (values, { exchange, account }) => {
  const { market } = marketOf(exchange, values.currency);
  const page = { side: sideOf(values.tradeType), page: Number(values.pageIndex), pageSize: ORDERS_PER_PAGE };
  const records = exchange.orders(account, market, page);
  if (records.length === 0) throw new Refusal('orderNotFound');
  return records.map(orderRecord);
});

function sideOf(tradeType: string): Side {
  return tradeType === '1' ? 'buy' : 'sell';
}

function referenceOf(values: { readonly id?: string | undefined; readonly customerOrderId?: string | undefined }) {
  if (values.id !== undefined) return { id: values.id };
  return { clientId: values.customerOrderId ?? '' };
}

/** 0 and 1 are limit, 2 and 3 PostOnly, 4 and 5 IOC; even ones sell, odd ones buy. */
const TYPE_CODES: Readonly<Record<OrderType, number>> = { limit: 0, postOnly: 2, ioc: 4 };

function orderRecord(record: OrderRecord): Json {
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
