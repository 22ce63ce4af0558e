/*
 * What an exchange sends, from domain values, for tests above `exchange`: the one place there that knows its names. It is written from
 * the interface's document and shares no code with pit.
 */
import type { Side } from '../../src/domain/order.js';

/** As it is sent: an exchange sends numbers of both kinds. */
type Sent = string | number;

const TYPES = ['limit', 'postOnly', 'ioc'] as const;

/** An order as a list or `getOrder` shows it. */
export interface OrderRow {
  readonly id: string;
  readonly market?: string;
  readonly side?: Side;
  /** `other`: a type that the interface does not document. */
  readonly type?: (typeof TYPES)[number] | 'other';
  readonly price: Sent;
  readonly amount: Sent;
  readonly filled?: Sent;
  readonly filledValue?: Sent;
  readonly time: number;
  /** The exchange's own code for the state: 0 and 3 wait, 1 is cancelled, 2 is filled or was cancelled after a fill. */
  readonly status?: number;
  readonly fee?: Sent;
  /** Whether the fee was paid in the exchange's own coin. */
  readonly feeDiscount?: boolean;
}

export function orderRow({ market = 'btc_usdt', side = 'buy', type = 'limit', ...order }: OrderRow): object {
  const { id, price, amount, filled = 0, filledValue = 0, time, status = 0, fee, feeDiscount } = order;
  const code = type === 'other' ? 6 : 2 * TYPES.indexOf(type);
  return {
    ...{ id, currency: market, price, total_amount: amount, trade_amount: filled, trade_money: filledValue },
    ...{ trade_date: time, status, type: code + (side === 'buy' ? 1 : 0) },
    ...(fee === undefined ? {} : { fees: fee }),
    ...(feeDiscount === undefined ? {} : { useXxFee: feeDiscount }),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ currency: 'market', customerOrderId: 'clientId', pageIndex: 'pageNumber', tradeType: 'side', orderType: 'type' },
};

/** The parameters of a request by their names in pit: `market`, `side`, `clientId`, `pageNumber`, … The others keep theirs. */
export function parametersOf(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...parameters].map(([name, value]) => [NAMES[name] ?? name, domainValue(name, value)]));
}

function domainValue(name: string, value: string): string {
  if (name === 'tradeType') return Number(value) % 2 === 1 ? 'buy' : 'sell';
  return name === 'orderType' ? (TYPES[Number(value)] ?? value) : value;
}

/** The rules of a market, as the list of all markets shows them. */
export interface MarketRow {
  readonly priceScale?: number;
  readonly amountScale?: number;
  readonly minAmount?: Sent;
  readonly minNotional?: Sent;
}

/** The list of all markets. */
export function marketList(markets: Readonly<Record<string, MarketRow>> = { btc_usdt: {} }): string {
  const rows = Object.entries(markets).map(([market, { minNotional = 5, ...rules }]) => [
    market,
    { priceScale: 2, amountScale: 4, minAmount: 0.001, ...rules, minSize: minNotional },
  ]);
  return JSON.stringify(Object.fromEntries(rows));
}

/** An order book around 30000, for the guards of an order. */
export const BOOK = '{"asks":[[30001,5]],"bids":[[29999,5]],"timestamp":1648461600}';

/** What a list says that has nothing. */
export const NO_ORDER = '{"code":3001,"message":"order not found"}';
