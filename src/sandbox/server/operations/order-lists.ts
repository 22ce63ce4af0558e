import { operations } from '../../../exchange/operations/index.js';
import { type Parameters, signedRead, type Values } from '../../../exchange/operations/operation.js';
import { market, optional, required, wholeNumber } from '../../../exchange/operations/parameters.js';
import type { OrderList } from '../../exchange.js';
import { Refusal } from '../../refusals.js';
import { MOST_ORDERS_PER_PAGE, ORDERS_PER_PAGE } from '../choices.js';
import type { Json } from '../json.js';
import { marketOf, observedly, type SignedCall, signedly } from '../serving.js';
import { orderRecord, sideOf } from './order-record.js';

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
