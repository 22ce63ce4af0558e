import * as v from 'valibot';
import { scalarText } from '../../platform/json.js';
import { enveloped } from './envelope.js';
import { decimal, flag, id, instant, integer, madeId, optionalDecimal, optionalText, text } from './fields.js';
import { signedRead, signedRefresh, signedWrite } from './operation.js';
import {
  amount,
  anything,
  choice,
  clientOrderId,
  long,
  market,
  oneOf,
  optional,
  pageNumber,
  pricesAndAmounts,
  required,
} from './parameters.js';

const side = choice('1', '0');
const accountType = choice('0', '1', '2');
/** Typed `int` in the interface with the values true and false. */
const switched = choice('true', 'false');
const orderReference = { id: oneOf('order', long), customerOrderId: oneOf('order', clientOrderId) };

/** In the interface the field's name carries the platform's short name in place of `Xx`. */
const FEE_COIN_FIELD = /^use[A-Z][A-Za-z0-9]*Fee$/;

function withPlainFeeField(record: unknown): unknown {
  if (typeof record !== 'object' || record === null) return record;
  const name = Object.keys(record).find((key) => FEE_COIN_FIELD.test(key));
  return name === undefined ? record : { ...record, useXxFee: Reflect.get(record, name) };
}

const orderRecord = v.pipe(
  v.unknown(),
  v.transform(withPlainFeeField),
  v.object({
    id,
    currency: text,
    price: decimal,
    total_amount: decimal,
    trade_amount: decimal,
    trade_money: decimal,
    trade_date: instant,
    status: integer,
    type: integer,
    fees: optionalDecimal,
    useXxFee: v.optional(flag, false),
  }),
);

/** Order quantity, price, filled value and filled quantity were added on 2022-03-17. */
const cancelResult = v.object({
  amount: optionalDecimal,
  price: optionalDecimal,
  completeMonty: optionalDecimal,
  completeAmount: optionalDecimal,
});

/** Observed with a text in place of the object; the cancellation counts all the same. */
const cancelMessage = v.pipe(
  v.unknown(),
  v.transform((message) => (scalarText(message) === undefined ? message : { des: message, isSuc: true })),
  v.object({ des: text, isSuc: flag, datas: v.nullish(cancelResult, {}) }),
);

export const order = signedWrite(
  {
    currency: required(market),
    tradeType: required(side),
    price: required(amount),
    amount: required(amount),
    acctType: optional(accountType),
    enableExpress: optional(switched),
    enableRepay: optional(switched),
    customerOrderId: optional(clientOrderId),
    // 1 is PostOnly, 2 is IOC; "empty or any other value gives a limit order"
    orderType: optional(anything),
  },
  enveloped({ id: madeId }),
);

export const orderMoreV2 = signedWrite(
  {
    market: required(market),
    tradeParams: required(pricesAndAmounts),
    tradeType: required(side),
    acctType: optional(accountType),
  },
  enveloped({ data: v.array(madeId) }),
);

export const cancelOrder = signedWrite(
  { currency: required(market), ...orderReference },
  v.object({ code: integer, message: cancelMessage }),
);

/** Each further call only refreshes the timer. */
export const cancelAllOrdersAfter = signedRefresh(
  { currency: required(market) },
  v.object({ code: integer, message: optionalText }),
);

/** A flat order without an envelope. */
export const getOrder = signedRead({ currency: required(market), ...orderReference }, orderRecord);

/** The body is not shown in the interface; a plain list, newest first and 10 a page, was observed. */
export const getOrders = signedRead(
  { currency: required(market), pageIndex: required(pageNumber), tradeType: required(side) },
  v.array(orderRecord),
);

export type OrderRecord = v.InferOutput<typeof orderRecord>;
