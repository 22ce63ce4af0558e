import { Decimal } from '../../../domain/decimal.js';
import type { AccountType, OrderType, Side } from '../../../domain/order.js';
import { operations } from '../../../exchange/operations/index.js';
import {
  market,
  optional,
  type Parameters,
  required,
  signedRead,
  type Values,
  wholeNumber,
} from '../../../exchange/operations/operation.js';
import type { Account } from '../../accounts/accounts.js';
import type { OrderRecord } from '../../orders/order.js';
import type { OrderListKind } from '../../orders/order-repository.js';
import type { OrderRequest } from '../../orders/order-service.js';
import { RequestRefused } from '../../refusals.js';
import { codeOf, type Json, number, numbers } from '../bodies.js';
import {
  DEFAULT_PAGE,
  type Dialect,
  MAX_ORDERS_PER_PAGE,
  OPEN_ORDER_STATUS,
  ORDERS_PER_PAGE,
  partlyPlaced,
  SUCCESS,
} from '../interface-details.js';
import { marketOf, type Served, type SignedCall, serveObserved, serveSigned } from '../served-operation.js';

/** "1 = PostOnly, 2 = IOC. Empty or any other value gives a limit order." */
const ORDER_TYPES: Readonly<Record<string, OrderType>> = { '1': 'postOnly', '2': 'ioc' };

const order = serveSigned('order', 'entrust', (values, { exchange, account, dialect }) => {
  const { name: market } = marketOf(exchange, values.currency);
  const { price, amount, tradeType, orderType = '', customerOrderId: clientId } = values;
  const [side, type] = [sideOf(tradeType), ORDER_TYPES[orderType] ?? 'limit'];
  const id = exchange.orders.place(account, {
    ...walletOf(account, values),
    market,
    side,
    type,
    price,
    amount,
    clientId,
  });
  return { code: codeOf('order', SUCCESS.code, dialect), message: SUCCESS.message, id };
});

const cancelOrder = serveSigned('cancelOrder', 'entrust', (values, { exchange, account }) => {
  const { name: market } = marketOf(exchange, values.currency);
  const cancelled = exchange.orders.cancel(account, market, referenceOf(values));
  const datas = {
    amount: number(cancelled.amount),
    price: number(cancelled.price),
    completeMonty: number(cancelled.filledValue),
    completeAmount: number(cancelled.filled),
  };
  return { code: SUCCESS.code, message: { des: SUCCESS.message, isSuc: true, datas } };
});

const getOrder = serveSigned('getOrder', 'entrust', (values, { exchange, account, dialect }) => {
  const { name: market } = marketOf(exchange, values.currency);
  return orderRecord(exchange.orders.order(account, market, referenceOf(values)), dialect);
});

/** A further call restarts the minute. Chosen: every order that is open at its end is cancelled, also newer ones. */
const cancelAllOrdersAfter = serveSigned('cancelAllOrdersAfter', 'entrust', ({ currency }, { exchange, account }) => {
  exchange.orders.cancelAllAfter(account, marketOf(exchange, currency).name);
  return { code: SUCCESS.code, message: SUCCESS.message };
});

function referenceOf(values: { readonly id?: string | undefined; readonly customerOrderId?: string | undefined }) {
  if (values.id !== undefined) return { id: values.id };
  return { clientId: values.customerOrderId ?? '' };
}

/**
 * Places a limit order for each pair, in order, and continues after a refused one; see {@link partlyPlaced}. The ids are JSON
 * numbers, as in the interface, with more digits than a double holds.
 */
const orderMoreV2 = serveSigned('orderMoreV2', 'entrust', (values, { exchange, account, dialect }) => {
  const { name: market } = marketOf(exchange, values.market);
  const side = sideOf(values.tradeType);
  const pairs = pairsOf(values.tradeParams);
  const wallet = walletOf(account, values);
  const ids: string[] = [];
  const refusals: RequestRefused[] = [];
  for (const [price, amount] of pairs) {
    try {
      ids.push(exchange.orders.place(account, { market, side, type: 'limit', price, amount, ...wallet }));
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      refusals.push(error);
    }
  }
  const [first] = refusals;
  if (first !== undefined && ids.length === 0) throw first;
  const { code, message } = first === undefined ? SUCCESS : partlyPlaced(ids.length, pairs.length, first);
  return { code: codeOf('orderMoreV2', code, dialect), message, data: numbers(ids) };
});

/** The pairs of a checked text. Each number stays the text that was sent. */
function pairsOf(text: string): [price: string, amount: string][] {
  return Array.from(text.matchAll(/\[([\d.]+),([\d.]+)\]/g), ([, price = '', amount = '']) => [price, amount]);
}

/** The interface does not show the body. Observed: a plain list, newest first, and 3001 instead of an empty one. */
function page(
  { exchange, account, dialect }: SignedCall,
  currency: string,
  list: OrderListKind,
  page: string = DEFAULT_PAGE.index,
  size: number = ORDERS_PER_PAGE,
): Json {
  const { name: market } = marketOf(exchange, currency);
  const records = exchange.orders.list(account, market, { list, page: Number(page), pageSize: size });
  if (records.length === 0) throw new RequestRefused('orderNotFound');
  return records.map((record) => orderRecord(record, dialect));
}

/** Chosen: without `tradeType` the orders of both sides, and without `pageIndex` the first page. */
const getOrders = serveSigned('getOrders', 'entrust', ({ currency, tradeType, pageIndex }, call) =>
  page(call, currency, tradeType === undefined ? 'all' : sideOf(tradeType), pageIndex, ORDERS_PER_PAGE),
);

/*
 * Relatives of getOrders that the interface does not describe but clients use. Names and parameters are observed, and that a
 * pageSize of 10 is accepted.
 */

const { currency, tradeType, pageIndex } = operations.getOrders.parameters;
const pageSize = optional(wholeNumber(1n, MAX_ORDERS_PER_PAGE));
const bothSides = { currency: required(market), pageIndex, pageSize } satisfies Parameters;
type BothSides = Values<ReturnType<typeof listing<typeof bothSides>>>;

function listing<Params extends Parameters>(parameters: Params) {
  return signedRead(parameters, operations.getOrders.result);
}

function ofList(list: OrderListKind) {
  return (values: BothSides, call: SignedCall) => {
    const { currency, pageIndex, pageSize } = values;
    return page(call, currency, list, pageIndex, Number(pageSize ?? ORDERS_PER_PAGE));
  };
}

const getOrdersNew = serveObserved(
  'getOrdersNew',
  listing({ currency, tradeType: required(tradeType.kind), pageIndex, pageSize }),
  (values, call) => ofList(sideOf(values.tradeType))(values, call),
);

const getOrdersIgnoreTradeType = serveObserved('getOrdersIgnoreTradeType', listing(bothSides), ofList('all'));

const getUnfinishedOrdersIgnoreTradeType = serveObserved(
  'getUnfinishedOrdersIgnoreTradeType',
  listing(bothSides),
  ofList('open'),
);

/** As its name says: orders that traded at least in part, open or not. */
const getFinishedAndPartialOrders = serveObserved('getFinishedAndPartialOrders', listing(bothSides), ofList('traded'));

/**
 * "1 = cancelled; 2 = completed, or cancelled after a partial fill; 0 and 3 = waiting to trade, or the unfilled remainder still
 * waiting".
 */
export function statusOf({ state, filled }: OrderRecord): number {
  if (state === 'open') return OPEN_ORDER_STATUS;
  return Decimal.of(filled).sign === 0 ? 1 : 2;
}

/** 0 and 1 are limit, 2 and 3 PostOnly, 4 and 5 IOC. Even codes sell, odd ones buy. */
const TYPE_CODES: Readonly<Record<OrderType, number>> = { limit: 0, postOnly: 2, ioc: 4 };

/** The side and the kind of an order in one number. */
export function typeCodeOf({ type, side }: OrderRecord): number {
  return TYPE_CODES[type] + (side === 'buy' ? 1 : 0);
}

/** The flat order of getOrder, which the lists have too. */
function orderRecord(record: OrderRecord, dialect: Dialect): Json {
  return {
    id: record.id,
    currency: record.market,
    price: number(record.price),
    total_amount: number(record.amount),
    trade_amount: number(record.filled),
    trade_money: number(record.filledValue),
    trade_date: record.time,
    status: statusOf(record),
    type: typeCodeOf(record),
    fees: record.fee,
    useXxFee: false,
    ...(dialect === 'observed' ? observedFields(record) : {}),
  };
}

const ACCOUNT_CODES: Readonly<Record<AccountType, number>> = { spot: 0, isolated: 1, cross: 2 };

/** Observed in the records of orders. The price is the average of what was traded, with the decimals of the order's own. */
function observedFields({ accountType, price, filled, filledValue }: OrderRecord): { readonly [name: string]: Json } {
  const amount = Decimal.of(filled);
  const { scale } = Decimal.of(price);
  const average = amount.sign === 0 ? '0' : Decimal.of(filledValue).dividedBy(amount, scale, 'down').toString();
  return { trade_price: number(average), acctType: ACCOUNT_CODES[accountType] };
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
 * The wallet of an order; empty for spot, where `enableExpress` and `enableRepay` are ignored ({@link SWITCHED}). Throws
 * {@link RequestRefused} 1012 for margin without the permission, which is chosen.
 */
function walletOf(
  { permissions }: Account,
  { acctType = '0', enableExpress, enableRepay }: ApiRequest,
): Pick<OrderRequest, 'accountType' | 'borrow' | 'repay'> {
  const [borrow, repay] = [enableExpress === 'true', enableRepay === 'true'];
  if (acctType === '0') return {};
  if (!permissions.lever) throw new RequestRefused('noPermission', 'margin');
  return { accountType: acctType === '1' ? 'isolated' : 'cross', borrow, repay };
}

export const TRADING: readonly Served[] = [
  order,
  orderMoreV2,
  cancelOrder,
  cancelAllOrdersAfter,
  getOrder,
  getOrders,
  getOrdersNew,
  getOrdersIgnoreTradeType,
  getUnfinishedOrdersIgnoreTradeType,
  getFinishedAndPartialOrders,
];
