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
  ...{ currency: 'market', customerOrderId: 'clientId', tradeType: 'side', orderType: 'type' },
  ...{ pageIndex: 'pageNumber', pageSize: 'perPage', dataType: 'bills', tradeParams: 'lines' },
};

/** The parameters of a request by their names in pit: `market`, `side`, `clientId`, `pageNumber`, `bills`, … The others keep theirs. */
export function parametersOf(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...parameters].map(([name, value]) => [NAMES[name] ?? name, domainValue(name, value)]));
}

function domainValue(name: string, value: string): string {
  if (name === 'dataType') return value === '1' ? 'old' : 'recent';
  if (name === 'tradeType') return Number(value) % 2 === 1 ? 'buy' : 'sell';
  return name === 'orderType' ? (TYPES[Number(value)] ?? value) : value;
}

/** The rules of a market, as the list of all markets shows them. */
export interface MarketRow {
  readonly priceScale?: Sent;
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

/** What `getAccountInfo` says of an account that has so much of each coin, and of its key. */
export function accountInfo(
  available: Readonly<Record<string, string>>,
  { mayTrade = true, mayWithdraw = true }: { readonly mayTrade?: boolean; readonly mayWithdraw?: boolean } = {},
): string {
  const coins = Object.entries(available).map(([key, amount]) => ({
    ...{ key, enName: key, cnName: key, showName: key, unitTag: '', unitDecimal: 8, fundstype: 1 },
    ...{ available: amount, freez: '0', isCanRecharge: true, isCanWithdraw: true, canLoan: false },
  }));
  const base = { username: 'me', trade_password_enabled: true, auth_google_enabled: false, auth_mobile_enabled: true };
  const granted = { assetPerm: true, leverPerm: false, entrustPerm: mayTrade, moneyPerm: mayWithdraw };
  return JSON.stringify({ result: { coins, base }, ...granted });
}

/** The same of an account without coins, whose key may only read. */
export const ACCOUNT_INFO = accountInfo({}, { mayTrade: false, mayWithdraw: false });

/** A bill as the exchange lists it. */
export interface BillRow {
  readonly id: number;
  /** As the exchange writes it: `BTC`. */
  readonly coin: string;
  /** With its sign, and with the coin behind it: `+1BTC`. */
  readonly change: string;
  readonly time: number;
  /** What the exchange calls it. */
  readonly kind?: string | null;
  readonly balance?: string | null;
  readonly total?: Sent | null;
  readonly remark?: string;
  /** The time as the exchange writes it, in its own zone. */
  readonly shownTime?: string;
}

export function billRow({ id, coin, change, time, kind = 'Buy', ...others }: BillRow): object {
  const { balance = null, total = null, remark, shownTime } = others;
  return {
    ...{ id, currencyName: coin, changeAmount: change, balance, total, date: time, typeDesc: kind },
    ...(remark === undefined ? {} : { remark }),
    ...(shownTime === undefined ? {} : { showDate: shownTime }),
  };
}

/** A page of bills. */
export function billPage(bills: readonly object[]): string {
  return JSON.stringify({ code: 1000, message: 'ok', result: bills });
}

/** What the list of bills says beyond its last one. */
export const NO_BILL = '{"code":3008,"message":"no transaction record"}';

/** A deposit as the exchange lists it. */
export interface DepositRow {
  readonly id: number;
  /** As the exchange writes it (default: `BTC`). */
  readonly coin?: string;
  readonly amount: string;
  /** As the exchange writes it, in its own zone. */
  readonly shownTime: string | null;
  /** The exchange's own code for the state (default: 2, confirmed). */
  readonly status?: number;
  readonly confirmations?: number;
}

export function depositRow(deposit: DepositRow): object {
  const { id, coin = 'BTC', amount, shownTime, status = 2, confirmations = 1 } = deposit;
  return {
    ...{ id: String(id), amount, submit_time: shownTime, address: 'a', status, confirmTimes: confirmations },
    ...{ currency: coin, itransfer: 0 },
  };
}

/** A withdrawal that was carried out, as the exchange lists it. */
export function withdrawalRow(withdrawal: { id: number; time: number; amount?: Sent; to?: string }): object {
  const { id, time, amount = 1, to = 'a' } = withdrawal;
  return { id, amount, fees: 0, status: 2, submitTime: time, toAddress: to };
}

/** A page of deposits or withdrawals. */
export function recordPage(list: readonly object[], total?: number): string {
  const datas = { list, pageIndex: 1, pageSize: 50, ...(total === undefined ? {} : { total }) };
  return JSON.stringify({ code: 1000, message: { des: 'ok', isSuc: true, datas } });
}

/** The newest candles of a market, each a time and its numbers. */
export function candlePage(rows: readonly (readonly number[])[], market = 'btc_usdt'): string {
  const [symbol, moneyType] = market.toUpperCase().split('_');
  return JSON.stringify({ data: rows, moneyType, symbol });
}

/** The prices of a market, all the same. */
export function tickerRow({ price = '1', change = '0', volume = '1' } = {}): object {
  return {
    ...{ high: price, low: price, buy: price, sell: price, last: price, open: price },
    riseRate: change,
    vol: volume,
  };
}

/** A public trade as the exchange lists it. */
export function tradeRow(id: number, time: number): object {
  return { tid: id, date: time / 1_000, price: '1', amount: '1', type: 'buy', trade_type: 'bid' };
}

/** What the exchange says of an order that it has cancelled. */
export function cancelled({ amount, price }: { readonly amount: Sent; readonly price: Sent }): string {
  const datas = { amount, price, completeMonty: 0, completeAmount: 0 };
  return JSON.stringify({ code: 1000, message: { des: 'ok', isSuc: true, datas } });
}

/** The parameters of the request that places an order. */
export function orderParameters(terms: {
  readonly market: string;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string | undefined;
  readonly type?: (typeof TYPES)[number] | undefined;
}) {
  const { market, side, price, amount, clientId, type } = terms;
  return {
    ...{ currency: market, tradeType: side === 'buy' ? '1' : '0', price, amount, customerOrderId: clientId },
    orderType: type === undefined ? undefined : String(TYPES.indexOf(type)),
  };
}

/** The same, as an exchange gets them: text, and nothing that was not given. */
export function orderRequest(terms: Parameters<typeof orderParameters>[0]): Record<string, string> {
  const given = Object.entries(orderParameters(terms)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}

/** The parameters of the request that places several orders, each a price and an amount. */
export function batchRequest({
  market,
  side,
  lines,
}: {
  market: string;
  side: Side;
  lines: readonly (readonly number[])[];
}) {
  return { market, tradeType: side === 'buy' ? '1' : '0', tradeParams: JSON.stringify(lines) };
}

/** The parameters of the request that withdraws. */
export function withdrawalRequest(terms: Readonly<Record<'coin' | 'amount' | 'fee' | 'to' | 'password', string>>) {
  const { coin, amount, fee, to, password } = terms;
  return { currency: coin, amount, fees: fee, receiveAddr: to, safePwd: password };
}

/** The parameters of the request for a page of the orders of both sides. */
export function orderPageRequest({ market, page, perPage }: { market: string; page: number; perPage: number }) {
  return { currency: market, pageIndex: String(page), pageSize: String(perPage) };
}

/** What a page of orders lists: nothing if it is a refusal. */
export function listedOrders(body: string) {
  type Listed = { id: string | number; price: number; total_amount: number; status: number };
  const listed = JSON.parse(body) as readonly Listed[] | { readonly code: unknown };
  if (!Array.isArray(listed)) return [];
  return (listed as readonly Listed[]).map(({ id, price, total_amount: amount, status }) => {
    return {
      id: String(id),
      price,
      amount,
      state: status === 0 || status === 3 ? ('open' as const) : ('closed' as const),
    };
  });
}

/** What the log of `--verbose` shows of a message that subscribes to a channel. */
export const SUBSCRIBES = 'addChannel';

/** What it shows once trades are followed, by a stream or by requests. */
export const FOLLOWS_TRADES = new RegExp(`${SUBSCRIBES}|GET .*trades`);

/** What it shows of a request for orders to sell. */
export const READS_SELLS = /getOrders.*tradeType=0/;

/** What a list says that has nothing. */
export const NO_ORDER = '{"code":3001,"message":"order not found"}';
