import type { BillKind } from '../accounts/bills.js';
import type { Refusal, RefusalName } from '../refusals.js';

/*
 * What the interface document leaves open, as this sandbox serves it. "Observed" means that public clients of the
 * interface met it; "chosen" means that nothing is known. Neither is documented.
 */

/** Observed, for errors too: the status says that there is an answer, the body says which. */
export const STATUS = 200;

/** Observed on every answer, although the body is JSON. */
export const CONTENT_TYPE = 'text/javascript;charset=utf-8';

/** Chosen: how far reqTime may be from the exchange's clock, in either direction; beyond it the code is 3007. */
export const REQUEST_TIME_TOLERANCE = 60_000;

/** Chosen: the interface gives depth's size a range of 1-50 and no default; the most that it allows. */
export const DEPTH_LEVELS = 50;

/** Documented: "when merged depth is used only 5 levels are returned". */
export const MERGED_DEPTH_LEVELS = 5;

/** Documented: the default and the most that kline returns. */
export const CANDLE_ROWS = 1000;

/** Documented: getOrders "returns 10 records per request". */
export const ORDERS_PER_PAGE = 10;

/** Chosen: the most that the neighbours of getOrders list at once; 10 is observed, and is what they list when not told. */
export const MOST_ORDERS_PER_PAGE = 100n;

/** Documented for these two operations, and served in their errors too: `code` is a string. A number elsewhere. */
export const CODE_IS_TEXT: ReadonlySet<string> = new Set(['order', 'orderMoreV2']);

/** Observed: a price and an amount have codes of their own; whatever else is wrong with a parameter is 3005. */
export const PARAMETER_REFUSALS: Readonly<Record<string, RefusalName>> = { price: 'badPrice', amount: 'badAmount' };

/** Observed: enableExpress and enableRepay, typed int with the values true and false, are taken as 1 and 0 too. */
export const SWITCHES: Readonly<Record<string, string>> = { '1': 'true', '0': 'false' };
export const SWITCHED: ReadonlySet<string> = new Set(['enableExpress', 'enableRepay']);

type Permission = 'asset' | 'lever' | 'entrust' | 'money';

/** Chosen from what the interface says each permission is for; which operation needs which is not shown. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  getAccountInfo: 'asset',
  getSpotBills: 'asset',
  getUserAddress: 'money',
  getPayinAddress: 'money',
  getWithdrawAddress: 'money',
  getWithdrawRecord: 'money',
  getChargeRecord: 'money',
  withdraw: 'money',
  order: 'entrust',
  orderMoreV2: 'entrust',
  cancelOrder: 'entrust',
  cancelAllOrdersAfter: 'entrust',
  getOrder: 'entrust',
  getOrders: 'entrust',
  getOrdersNew: 'entrust',
  getOrdersIgnoreTradeType: 'entrust',
  getUnfinishedOrdersIgnoreTradeType: 'entrust',
  getFinishedAndPartialOrders: 'entrust',
};

/** Chosen: the interface shows that there is a message on success, and not which. */
export const SUCCESS = { code: 1000, message: 'success' } as const;

/**
 * Chosen: what orderMoreV2 answers when some pairs were refused. Another code than 1000 would tell a client that nothing
 * was placed, and it would lose sight of orders that rest; so 1000 it is, with the accepted ids, and the message says that
 * some are missing. When none was accepted the answer is the first pair's refusal, as `order` would give it.
 */
export function partlyPlaced(placed: number, wanted: number, first: Refusal): { code: number; message: string } {
  const message = `${placed} of ${wanted} orders were placed; the first refusal is ${first.code}: ${first.message}`;
  return { code: SUCCESS.code, message };
}

/**
 * Chosen: where "60 a second" is counted. Sliding windows, so that no second of any phase sees more; a request that was
 * refused for its rate does not count against the key, and does count against the address.
 */
export const LIMITS = {
  key: { requests: 60, milliseconds: 1000 },
  address: { requests: 10_000, milliseconds: 60_000, lock: 3_600_000 },
  kline: { requests: 1, milliseconds: 1000 },
} as const;

/** Chosen: the zone of startDate, endDate, showDate and submit_time in minutes ahead of UTC, where none is set. */
export const ZONE = 0;

/**
 * Chosen: bills of the last 48 hours when no dataType is given, the strict reading of "0 = data within 48 h, 1 = older":
 * a client that asks for both works whichever way an exchange reads it. Exactly 48 hours old is within. Both dates are
 * inclusive, the end up to the last ms of its second.
 */
export const BILLS = { dataType: '0', recent: 48 * 3_600_000 } as const;

/** Chosen: the interface shows that a bill has a type in words, and not which. */
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
export const DEPOSIT_WORDS = { 0: 'waiting for confirmation', 1: 'failed', 2: 'success' } as const;
