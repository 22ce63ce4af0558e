import { plainNumber } from '../../domain/decimal.js';
import {
  type AccountType,
  type BatchRequest,
  type OrderReference,
  type OrderTerms,
  type OrderType,
  SIDES,
  type Side,
} from '../../domain/order.js';

/** Parameters by the interface's own names. */
type Values = Readonly<Record<string, string>>;

/** The parameter of an order that gives it a client id. */
export const CLIENT_ID_PARAMETER = 'customerOrderId';

/** Calls as `pit api` takes them. */
export const RAW_EXAMPLES = [
  'depth market=btc_usdt size=5',
  'getOrders currency=btc_usdt tradeType=1 pageIndex=1 --json',
  'order currency=btc_usdt tradeType=1 price=30000 amount=0.01 --yes',
  'setExpressState currency=btc_usdt --dry-run',
] as const;

/** A write that was given by the interface's names, in the project's own terms. */
export type RawWrite =
  | { readonly kind: 'order'; readonly terms: OrderTerms; readonly clientId: string | undefined }
  | { readonly kind: 'batch'; readonly batch: BatchRequest }
  | { readonly kind: 'cancel'; readonly market: string; readonly order: OrderReference }
  | { readonly kind: 'timedCancel'; readonly market: string };

/** What a described write means; its values have been checked. Throws Error for `withdraw`, which is never given this way. */
export function readRawWrite(operation: string, values: Values): RawWrite {
  const { currency: market = '', id, customerOrderId: clientId } = values;
  if (operation === 'order') return { kind: 'order', terms: orderTerms(values), clientId };
  if (operation === 'orderMoreV2') return { kind: 'batch', batch: batchRequest(values) };
  if (operation === 'cancelOrder')
    return { kind: 'cancel', market, order: id === undefined ? { clientId: clientId ?? '' } : { id } };
  if (operation === 'cancelAllOrdersAfter') return { kind: 'timedCancel', market };
  throw new Error(`${operation} cannot be given by its parameters`);
}

/** "Empty or any other value gives a limit order." */
const TYPES: Readonly<Record<string, OrderType>> = { 1: 'postOnly', 2: 'ioc' };

function orderTerms(values: Values): OrderTerms {
  const { currency: market = '', amount = '', price = '', orderType = '' } = values;
  return {
    market,
    side: sideOf(values),
    type: TYPES[orderType] ?? 'limit',
    account: accountOf(values),
    price,
    amount,
    borrow: isOn(values.enableExpress),
    repay: isOn(values.enableRepay),
  };
}

/** Typed `int` in the interface, with the values true and false. */
function isOn(value: string | undefined): boolean {
  return value === 'true' || value === '1';
}

function batchRequest(values: Values): BatchRequest {
  const { market = '', tradeParams = '' } = values;
  const namesSpot = values.acctType === '0';
  return { market, side: sideOf(values), account: accountOf(values), namesSpot, orders: pairsIn(tradeParams) };
}

function sideOf({ tradeType }: Values): Side {
  return tradeType === '1' ? 'buy' : 'sell';
}

function accountOf({ acctType = '0' }: Values): AccountType {
  return acctType === '0' ? 'spot' : acctType === '1' ? 'isolated' : 'cross';
}

/** `[[price,amount],…]` */
function pairsIn(text: string): { readonly price: string; readonly amount: string }[] {
  const found = [...text.matchAll(/\[\s*([\d.eE+-]+)\s*,\s*([\d.eE+-]+)/g)];
  return found.map(([, price = '', amount = '']) => ({ price, amount }));
}

/** What a withdrawal's parameters say; undefined for what they leave out. */
export function readRawWithdrawal({ currency: coin, amount, receiveAddr: address, fees: fee }: Values) {
  return { coin, amount, address, fee };
}

/** The orders that an operation the interface does not describe may place. */
export interface LikelyOrders {
  readonly market: string | undefined;
  readonly sides: readonly Side[];
  readonly orders: readonly { readonly price: string; readonly amount: string }[];
}

/** Goes by the names that described operations have for a market, a side, a price, an amount and pairs of them. */
export function likelyOrders(values: Values): LikelyOrders {
  const { price = '', amount = '', tradeParams = '', tradeType } = values;
  const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text);
  // an exchange may understand an exponent, so the guards count it
  const orders = [{ price, amount }, ...pairsIn(tradeParams)].map((order) => ({
    price: plainNumber(order.price),
    amount: plainNumber(order.amount),
  }));
  return {
    market: values.currency ?? values.market ?? values.symbol,
    sides: tradeType === '1' ? ['buy'] : tradeType === '0' ? ['sell'] : SIDES,
    orders: orders.filter((order) => isNumber(order.price) && isNumber(order.amount)),
  };
}
