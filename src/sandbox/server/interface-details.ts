import type { Permission } from '../../domain/account.js';
import type { BillKind } from '../accounts/bills.js';
import type { RefusalName, RequestRefused } from '../refusals.js';

/*
 * How this sandbox serves what the interface document leaves open. "Observed": public clients of the interface met it. "Chosen":
 * nothing is known. Neither is documented.
 */

/** Observed, also for errors. */
export const STATUS = 200;

/** Observed on every answer, although the body is JSON. */
export const CONTENT_TYPE = 'text/javascript;charset=utf-8';

/** Chosen: how far reqTime may be from the machine's clock in either direction, in ms. Beyond it the code is 3007. */
export const REQUEST_TIME_TOLERANCE = 60_000;

/** Chosen: the interface gives depth's size a range of 1-50 and no default. */
export const DEPTH_LEVELS = 50;

/** Documented: "when merged depth is used only 5 levels are returned". */
export const MERGED_DEPTH_LEVELS = 5;

/** Documented: the default and the most that kline returns. Observed: a larger `size` gives this many rows and no error. */
export const CANDLE_ROWS = 1000;

/** Observed: clients leave out kline's `type` and expect minutes. */
export const DEFAULT_CANDLE_TYPE = '1min';

/** Observed: lists are asked without `pageIndex` and `pageSize`, or with 0. The size is documented for bills and orders. */
export const DEFAULT_PAGE = { index: '1', size: '10' } as const;

/** Observed: clients look balances up by enName or showName and expect the symbol. No coin here was renamed. */
export function coinNames(coin: string): { enName: string; cnName: string; showName: string; unitTag: string } {
  const symbol = coin.toUpperCase();
  return { enName: symbol, cnName: symbol, showName: symbol, unitTag: symbol };
}

/** Observed: the names of chains are lower case. */
export function shownChain(name: string): string {
  return name.toLowerCase();
}

/** Documented: getOrders "returns 10 records per request". */
export const ORDERS_PER_PAGE = 10;

/** Observed: the status of an open order, traded in part or not. The interface gives 0 and 3 the same meaning. */
export const OPEN_ORDER_STATUS = 3;

/** Chosen: the largest page of getOrdersNew and its like. 10 is observed, and is the default. */
export const MAX_ORDERS_PER_PAGE = 100n;

/**
 * Whether answers are the document's to the letter, or what public clients parse where it differs: a number as the code of order
 * and orderMoreV2, price and amount of trades as strings, more fields of an order, POST as well as GET, markets in upper case.
 */
const DIALECTS = ['document', 'observed'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Documented for these two operations: `code` is a string, here also in errors. A number elsewhere. */
export const CODE_IS_TEXT: ReadonlySet<string> = new Set(['order', 'orderMoreV2']);

/** Observed: price and amount have codes of their own; any other wrong parameter is 3005. */
export const PARAMETER_REFUSALS: Readonly<Record<string, RefusalName>> = { price: 'badPrice', amount: 'badAmount' };

/**
 * Observed: enableExpress and enableRepay, typed int with the values true and false, may also be 1 and 0. On spot, where nothing
 * is lent, they are ignored: clients send them with every order.
 */
export const SWITCHES: Readonly<Record<string, string>> = { '1': 'true', '0': 'false' };
export const SWITCHED: ReadonlySet<string> = new Set(['enableExpress', 'enableRepay']);

/** Chosen: the interface does not show the text of the message. */
export const SUCCESS = { code: 1000, message: 'success' } as const;

/**
 * Chosen: the answer of orderMoreV2 if some pairs were refused. A code other than 1000 would mean to a client that nothing was placed,
 * and it would lose track of resting orders. So the code is 1000 with the accepted ids, and the message says that some are missing.
 * If all pairs were refused, the answer is the refusal of the first.
 */
export function partlyPlaced(placed: number, wanted: number, first: RequestRefused): { code: number; message: string } {
  const message = `${placed} of ${wanted} orders were placed; the first refusal is ${first.code}: ${first.message}`;
  return { code: SUCCESS.code, message };
}

/**
 * Chosen: how "60 a second" is counted. Windows slide, so no second has more, wherever it begins. A request that is refused for
 * its rate does not count against the key, but does count against the address.
 */
export const LIMITS = {
  key: { requests: 60, milliseconds: 1000 },
  address: { requests: 10_000, milliseconds: 60_000, lock: 3_600_000 },
  kline: { requests: 1, milliseconds: 1000 },
} as const;

/**
 * The streams. Their address, the names of channels, the samples of frames and the rules of signing are observed. Chosen:
 *
 * - A subscription is not acknowledged. It is answered at once with the present state of a market's channel or of a snapshot;
 *   `push_user_incr_record` and `push_user_incr_asset` begin with the next change. Subscribing again is answered again.
 * - Market data are pushed at once, then at most every `interval` ms, with the newest state.
 * - `push_user_record` is pushed whole after changes, at most every `snapshotInterval` ms; `push_user_asset` after each change.
 * - A subscription of orders without a market is one of all markets. `hrecord` has the newest orders that are closed.
 * - Places 9 to 12 of a record are null, and 13 to 16 before the first trade.
 * - `version` of assets increases with each push.
 * - The payload of `push_user_cross_asset`: at first all coins of the cross wallet, then those that changed, as in
 *   `push_user_incr_asset`, each with `borrowed`.
 * - Which permission a channel needs, and every code except 1007 and 1008.
 */
export const STREAMS = {
  /** On the port of the trade host: observed. */
  path: '/websocket',
  /** In ms. */
  interval: 50,
  snapshotInterval: 250,
  /** Rows of a K-line at the beginning of a subscription. */
  openingCandles: 100,
  /** If more pages of 50 trades than this happen between two pushes, only the latest 50 are pushed. */
  tradePages: 10,
  closedOrders: 50,
  /** Levels of each side without `length`. */
  quickDepth: 20,
  /** Observed as here; presumably the price of a dollar in yuan. */
  quickDepthRate: '6.484',
  /** Subscriptions, and their ends, of one connection within a second: observed. More are refused (4002). */
  subscriptionsPerSecond: 60,
  /** At once on one connection. */
  subscriptions: 300,
  connections: 1500,
  /** In bytes, of a message that a client sends. */
  messageSize: 8_192,
  /** A connection that sends nothing for this long, no pong either, is closed; so is one that subscribes to nothing. In ms. */
  idle: 60_000,
  /** How often a quiet client is sent a ping of the protocol, in ms. */
  pingEvery: 20_000,
  /** Bytes that may wait for a slow reader. One for which more waits is disconnected: it reads everything again when it comes back. */
  waiting: 4 * 2 ** 20,
} as const;

/** Chosen from their meaning, as the permissions of operations are: the interface does not show which of them needs which. */
export const CHANNEL_PERMISSIONS: Readonly<Record<string, Permission>> = {
  push_user_incr_record: 'entrust',
  push_user_record: 'entrust',
  push_user_incr_asset: 'asset',
  push_user_asset: 'asset',
  push_user_cross_asset: 'lever',
};

/** Chosen: the default zone of startDate, endDate, showDate and submit_time, in minutes ahead of UTC. */
export const ZONE = 0;

/**
 * Chosen: without a dataType, bills of the last 48 hours. This is the strict reading of "0 = data within 48 h, 1 = older", so that
 * a client that asks for both works with any reading. Exactly 48 hours is within. Both dates are inclusive, the end up to the last
 * ms of its second.
 */
export const BILLS = { dataType: '0', recent: 48 * 3_600_000 } as const;

/** Chosen: the interface does not show the words for the types of bills. */
export const BILL_WORDS: Readonly<Record<BillKind, string>> = {
  opening: 'Opening balance',
  buy: 'Buy',
  sell: 'Sell',
  fee: 'Trading fee',
  borrow: 'Loan',
  repay: 'Repayment',
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  withdrawalFee: 'Withdrawal fee',
  withdrawalReturned: 'Withdrawal returned',
  transferIn: 'Transfer in',
  transferOut: 'Transfer out',
};

/** Chosen: "text describing the status" of a deposit. */
export const DEPOSIT_WORDS = { waiting: 'waiting for confirmation', failed: 'failed', success: 'success' } as const;

let lastSecond = { second: Number.NaN, text: '' };

/** A `Date` header for ms since the Unix epoch: the exchange's clock, by which clients date their requests. */
export function dateHeader(time: number): string {
  const second = Math.floor(time / 1_000);
  if (second !== lastSecond.second) lastSecond = { second, text: new Date(time).toUTCString() };
  return lastSecond.text;
}
