import type { OrderType } from '../../../domain/words.js';
import { SUCCESS } from '../choices.js';
import { codeOf } from '../families.js';
import { number } from '../json.js';
import { marketOf, signedly } from '../serving.js';
import { orderRecord, sideOf } from './order-record.js';
import { walletOf } from './wallet.js';

/** "1 = PostOnly, 2 = IOC. Empty or any other value gives a limit order." */
const ORDER_TYPES: Readonly<Record<string, OrderType>> = { '1': 'postOnly', '2': 'ioc' };

export const order = signedly('order', (values, { exchange, account }) => {
  const { market } = marketOf(exchange, values.currency);
  const { price, amount, tradeType, orderType = '', customerOrderId: clientId } = values;
  const [side, type] = [sideOf(tradeType), ORDER_TYPES[orderType] ?? 'limit'];
  const id = exchange.place(account, { ...walletOf(account, values), market, side, type, price, amount, clientId });
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

/** A further call starts the minute anew. Chosen: every order that is open when it ends is cancelled, newer ones too. */
export const cancelAllOrdersAfter = signedly('cancelAllOrdersAfter', ({ currency }, { exchange, account }) => {
  exchange.cancelAllAfter(account, marketOf(exchange, currency).market);
  return { code: SUCCESS.code, message: SUCCESS.message };
});

function referenceOf(values: { readonly id?: string | undefined; readonly customerOrderId?: string | undefined }) {
  if (values.id !== undefined) return { id: values.id };
  return { clientId: values.customerOrderId ?? '' };
}
