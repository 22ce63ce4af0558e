import type { OrderType, Side } from '../../../domain/words.js';
import { operations } from '../../../exchange/operations/index.js';
import { type Parameters, signedRead, type Values } from '../../../exchange/operations/operation.js';
import { market, optional, required, wholeNumber } from '../../../exchange/operations/parameters.js';
import type { Account } from '../../accounts/accounts.js';
import type { OrderRequest } from '../../exchange/exchange-service.js';
import type { OrderRecord } from '../../orders/order.js';
import type { OrderList } from '../../orders/order-repository.js';
import { Refusal } from '../../refusals.js';
import { codeOf, type Json, number, numbers } from '../bodies.js';
import { MOST_ORDERS_PER_PAGE, ORDERS_PER_PAGE, partlyPlaced, SUCCESS } from '../choices.js';
import { marketOf, observedly, type SignedCall, signedly } from '../served-operation.js';

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

/**
 * Places one limit order for each pair, in the order of the pairs. A pair that is refused does not keep the others from
 * being placed. The ids are JSON numbers of more digits than a double holds, as the interface types them.
 * What is answered when pairs are refused is chosen: see {@link partlyPlaced}.
 */
export const orderMoreV2 = signedly('orderMoreV2', (values, { exchange, account }) => {
  const { market } = marketOf(exchange, values.market);
  const side = sideOf(values.tradeType);
  const pairs = pairsOf(values.tradeParams);
  const wallet = walletOf(account, values);
  const ids: string[] = [];
  const refusals: Refusal[] = [];
  for (const [price, amount] of pairs) {
    try {
      ids.push(exchange.place(account, { market, side, type: 'limit', price, amount, ...wallet }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.push(error);
    }
  }
  const [first] = refusals;
  if (first !== undefined && ids.length === 0) throw first;
  const { code, message } = first === undefined ? SUCCESS : partlyPlaced(ids.length, pairs.length, first);
  return { code: codeOf('orderMoreV2', code), message, data: numbers(ids) };
});

/** The pairs of a text that was checked already; each number stays the text that was sent. */
function pairsOf(text: string): [price: string, amount: string][] {
  return Array.from(text.matchAll(/\[([\d.]+),([\d.]+)\]/g), ([, price = '', amount = '']) => [price, amount]);
}

/** The body is not shown in the interface: a plain list, newest first, and 3001 in place of an empty one are observed. */
function page({ exchange, account }: SignedCall, currency: string, list: OrderList, page: string, size: number): Json {
  const { market } = marketOf(exchange, currency);
  const records = exchange.orders(account, market, { list, page: Number(page), pageSize: size });
  if (records.length === 0) throw new Refusal('orderNotFound');
  return records.map(orderRecord);
}

export const getOrders = signedly('getOrders', ({ currency, tradeType, pageIndex }, call) =>
  page(call, currency, sideOf(tradeType), pageIndex, ORDERS_PER_PAGE),
);

/*
 * Neighbours of getOrders. The interface does not know them, clients use them: names and parameters are observed, and so
 * is that a pageSize of 10 is taken.
 */

const { currency, tradeType, pageIndex } = operations.getOrders.parameters;
const pageSize = optional(wholeNumber(1n, MOST_ORDERS_PER_PAGE));
const bothSides = { currency: required(market), pageIndex, pageSize } satisfies Parameters;
type BothSides = Values<ReturnType<typeof listing<typeof bothSides>>>;

function listing<Params extends Parameters>(parameters: Params) {
  return signedRead(parameters, operations.getOrders.result);
}

function ofList(list: OrderList) {
  return (values: BothSides, call: SignedCall) => {
    const { currency, pageIndex, pageSize } = values;
    return page(call, currency, list, pageIndex, Number(pageSize ?? ORDERS_PER_PAGE));
  };
}

export const getOrdersNew = observedly(
  'getOrdersNew',
  listing({ currency, tradeType, pageIndex, pageSize }),
  (values, call) => ofList(sideOf(values.tradeType))(values, call),
);

export const getOrdersIgnoreTradeType = observedly('getOrdersIgnoreTradeType', listing(bothSides), ofList('all'));

export const getUnfinishedOrdersIgnoreTradeType = observedly(
  'getUnfinishedOrdersIgnoreTradeType',
  listing(bothSides),
  ofList('open'),
);

/** Read from its name: the orders of which something has traded, whether they are done or not. */
export const getFinishedAndPartialOrders = observedly(
  'getFinishedAndPartialOrders',
  listing(bothSides),
  ofList('traded'),
);

/** 0 and 1 are limit, 2 and 3 PostOnly, 4 and 5 IOC; even ones sell, odd ones buy. */
const TYPE_CODES: Readonly<Record<OrderType, number>> = { limit: 0, postOnly: 2, ioc: 4 };

/** The flat order of the interface; getOrders and its neighbours list the same. */
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

function sideOf(tradeType: string): Side {
  return tradeType === '1' ? 'buy' : 'sell';
}

interface ApiRequest {
  readonly acctType?: string | undefined;
  readonly enableExpress?: string | undefined;
  readonly enableRepay?: string | undefined;
}

/**
 * What an order says of the wallet it trades with: nothing for spot. Throws {@link Refusal} 3005 for a loan on spot and
 * 1012 for margin without the permission; both are chosen, see LEVERAGE in the choices.
 */
function walletOf(
  { permissions }: Account,
  { acctType = '0', enableExpress, enableRepay }: ApiRequest,
): Pick<OrderRequest, 'account' | 'borrow' | 'repay'> {
  const [borrow, repay] = [enableExpress === 'true', enableRepay === 'true'];
  if (acctType === '0') {
    if (borrow || repay) throw new Refusal('badParameter', 'enableExpress and enableRepay need acctType 1 or 2');
    return {};
  }
  if (!permissions.lever) throw new Refusal('noPermission', 'margin');
  return { account: acctType === '1' ? 'isolated' : 'cross', borrow, repay };
}
