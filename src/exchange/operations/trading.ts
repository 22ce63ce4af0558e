import * as v from 'valibot';
import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import type {
  AccountType,
  BatchRequest,
  Cancellation,
  Order,
  OrderReference,
  OrderState,
  OrderTerms,
  OrderType,
  Side,
} from '../../domain/order.js';
import { scalarText } from '../../platform/json.js';
import {
  createdId,
  decimal,
  enveloped,
  flag,
  group,
  id,
  instant,
  integer,
  maybe,
  name,
  optionalDecimal,
  optionalText,
} from './fields.js';
import {
  amount,
  anything,
  choice,
  clientOrderId,
  long,
  market,
  oneOf,
  optional,
  pricesAndAmounts,
  required,
  signedRead,
  signedRefresh,
  signedWrite,
  unboundedInt,
  withCodec,
} from './operation.js';

const side = choice('1', '0');
const accountType = choice('0', '1', '2');
/** Typed `int` in the interface, with the values true and false; so either form is taken. */
const switched = choice('true', 'false', '1', '0');
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
    currency: name,
    price: decimal,
    total_amount: decimal,
    trade_amount: decimal,
    trade_money: decimal,
    trade_date: instant,
    status: integer,
    type: integer,
    fees: optionalDecimal,
    useXxFee: v.nullish(flag, false),
  }),
);

/** Order quantity, price, filled value (the interface spells it so) and filled quantity were added on 2022-03-17. */
const cancelResult = group({
  amount: optionalDecimal,
  price: optionalDecimal,
  completeMonty: optionalDecimal,
  completeAmount: optionalDecimal,
});

/** An object or, as observed, a text in its place; it may be missing too. The code shows that the cancellation was accepted. */
const cancelMessage = v.pipe(
  v.unknown(),
  v.transform((message) => (isScalar(message) ? { des: message } : message)),
  group({ des: optionalText, isSuc: maybe(flag), datas: v.nullish(cancelResult, {}) }),
);

function isScalar(value: unknown): boolean {
  return value === null || scalarText(value) !== undefined;
}

const TRADE_TYPE: Readonly<Record<Side, string>> = { buy: '1', sell: '0' };
/** A limit order is sent without a type. */
const ORDER_TYPE: Readonly<Record<OrderType, string | undefined>> = { limit: undefined, postOnly: '1', ioc: '2' };
/** A spot order is sent without an account. */
const ACCOUNT_TYPE: Readonly<Record<AccountType, string | undefined>> = {
  spot: undefined,
  isolated: '1',
  cross: '2',
};

interface OrderInMarket {
  readonly market: string;
  readonly order: OrderReference;
}

/** "Exactly one of `id` and `customerOrderId`." */
function referenceParameters({ market, order }: OrderInMarket) {
  return { currency: market, ...('id' in order ? { id: order.id } : { customerOrderId: order.clientId }) };
}

/** 0 and 1 limit, 2 and 3 PostOnly, 4 and 5 IOC; even sells, odd buys. */
function toType(code: number): OrderType | 'other' {
  return (['limit', 'postOnly', 'ioc'] as const)[Math.floor(code / 2)] ?? 'other';
}

/** 1 = cancelled; 2 = completed, or cancelled after a partial fill; 0 and 3 = waiting. */
function toState({ status, trade_amount: filled, total_amount: amount }: WireOrder): OrderState {
  if (status === 0 || status === 3) return 'open';
  if (status === 1) return 'cancelled';
  if (status !== 2) return 'other';
  return filled === amount || Decimal.of(filled).compare(Decimal.of(amount)) >= 0 ? 'filled' : 'cancelled';
}

/**
 * A buy pays in base, a sell in quote (observed), unless the fee was paid in the exchange's own coin, which the response does
 * not name.
 */
function toFeeCoin({ fees, useXxFee, currency, type }: WireOrder): string | null {
  const names = splitMarket(currency);
  if (fees === null || useXxFee || names === undefined) return null;
  return type % 2 === 0 ? names.quote : names.base;
}

/** Converts a row of `getOrder` or `getOrders`. The client id is the one that the lookup used. */
export function toOrder(record: WireOrder, clientId: string | null): Order {
  return {
    id: record.id,
    clientId,
    market: record.currency,
    side: record.type % 2 === 0 ? 'sell' : 'buy',
    type: toType(record.type),
    price: record.price,
    amount: record.total_amount,
    filled: record.trade_amount,
    filledValue: record.trade_money,
    fee: record.fees,
    feeCoin: toFeeCoin(record),
    feeDiscount: record.useXxFee,
    time: record.trade_date,
    state: toState(record),
    status: record.status,
  };
}

interface OrderWithClientId {
  readonly terms: OrderTerms;
  readonly clientId: string | null;
}

const order = withCodec(
  signedWrite(
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
    enveloped({ id: createdId }),
  ),
  {
    about: 'Places an order. `orderType` 1 is PostOnly, 2 is IOC, and anything else is a limit order.',
    notShown: 'what the answer means for an order that cannot be filled or posted',
    encode: ({ terms, clientId }: OrderWithClientId) => ({
      currency: terms.market,
      tradeType: TRADE_TYPE[terms.side],
      price: terms.price,
      amount: terms.amount,
      acctType: ACCOUNT_TYPE[terms.account],
      enableExpress: terms.borrow ? 'true' : undefined,
      enableRepay: terms.repay ? 'true' : undefined,
      customerOrderId: clientId ?? undefined,
      orderType: ORDER_TYPE[terms.type],
    }),
    decode: ({ id }) => ({ id }),
  },
);

const orderMoreV2 = withCodec(
  signedWrite(
    {
      market: required(market),
      tradeParams: required(pricesAndAmounts),
      tradeType: required(side),
      acctType: optional(accountType),
    },
    enveloped({ data: v.array(createdId) }),
  ),
  {
    about: 'Places up to 20 orders of one side.',
    notShown: 'the answer if some of them fail, and how to give client ids',
    encode: ({ market, side, account, namesSpot = false, orders }: BatchRequest) => ({
      market,
      tradeParams: `[${orders.map(({ price, amount }) => `[${price},${amount}]`).join(',')}]`,
      tradeType: TRADE_TYPE[side],
      acctType: ACCOUNT_TYPE[account] ?? (namesSpot ? '0' : undefined),
    }),
    decode: ({ data, message }) => ({ ids: data, message }),
  },
);

const cancelOrder = withCodec(
  signedWrite(
    { currency: required(market), ...orderReference },
    v.object({ code: integer, message: v.optional(cancelMessage, null) }),
  ),
  {
    about: 'Cancels an order by one of its two ids. The numbers in the answer exist since 2022-03-17.',
    notShown: 'from which states it is accepted, and the answer for an order that is done',
    encode: referenceParameters,
    decode: ({ code, message: { des, datas } }): Cancellation => {
      const { price = null, amount = null, completeAmount = null, completeMonty = null } = datas ?? {};
      return { code, message: des ?? '', price, amount, filled: completeAmount, filledValue: completeMonty };
    },
  },
);

/** Each further call only restarts the timer. */
const cancelAllOrdersAfter = withCodec(
  signedRefresh({ currency: required(market) }, v.object({ code: integer, message: optionalText })),
  {
    about: 'Cancels the orders of a market a minute after the call; a further call restarts the minute.',
    notShown: 'how to stop the timer, and whether later orders are cancelled too',
    encode: ({ market }: { readonly market: string }) => ({ currency: market }),
    decode: () => null,
  },
);

/** The body is an order without an envelope. */
const getOrder = withCodec(signedRead({ currency: required(market), ...orderReference }, orderRecord), {
  about: 'An order by one of its two ids, without an envelope. With a client id that was used twice, the newest.',
  notShown: 'the answer for an order that does not exist',
  encode: referenceParameters,
  decode: (record, { order }) => toOrder(record, 'clientId' in order ? order.clientId : null),
});

interface OrderPageRequest {
  readonly market: string;
  readonly side: Side;
  /** Counts from 1. */
  readonly page: number;
}

/**
 * Neither the body nor which parameters are required is shown in the interface; a plain list, newest first and 10 a page, was
 * observed.
 */
const getOrders = withCodec(
  signedRead(
    { currency: required(market), pageIndex: optional(unboundedInt), tradeType: optional(side) },
    v.array(orderRecord),
  ),
  {
    about: 'Orders of a market, 10 in an answer.',
    notShown:
      'the body, which parameters are required, and the order of the records; pit reads a plain list, newest first (observed)',
    encode: ({ market, side, page }: OrderPageRequest) => ({
      currency: market,
      pageIndex: String(page),
      tradeType: TRADE_TYPE[side],
    }),
    decode: (records) => records.map((record) => toOrder(record, null)),
  },
);

export type WireOrder = v.InferOutput<typeof orderRecord>;

/** Each by its name in the interface. */
export const tradingOperations = { order, orderMoreV2, cancelOrder, cancelAllOrdersAfter, getOrder, getOrders };
