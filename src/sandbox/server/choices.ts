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

/**
 * Chosen: how margin works, of which the interface says only that it is there. Leverage L means that at the moment of a
 * loan, and when money leaves the wallet, all that is in it comes to at most L times what is left after its debts, at the
 * last prices: an isolated wallet in the quote coin of its market, a cross wallet in usdt. The lender has enough of the
 * coins with `canLoan`, takes no interest and sells nobody up. Asking for a loan or a repayment on spot is refused (3005),
 * because an order without the loan would be another one. The margin wallets need the permission `lever` as well.
 */
export const LEVERAGE = { spot: 1, isolated: 5, cross: 3 } as const;

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

/**
 * Chosen: how funds move, by the exchange's clock. Fast enough to be watched and slow enough that a client meets the states
 * on the way. A deposit is credited with its last confirmation; a withdrawal is confirmed (5) and gets its hash, and
 * later succeeds (2).
 *
 * Chosen as well, each the simplest that a client can rely on:
 * - The fee is part of the amount, as the field notes have it, and is charged as it was offered once it is no less than
 *   the chain's; also for an internal transfer, so that what arrives is always amount less fees.
 * - itransfer 1 is a consent: it moves at once where the address belongs to another account of the exchange, and goes over
 *   the chain where it does not. Without consent such an address is reached over the chain, as a deposit.
 * - No parameter names a chain: the verified address knows its own. Codes: 3005 for the address and the fee, 3003 for
 *   the amount, 1010 for a closed chain, 1001 for a coin.
 * - What a withdrawal takes is shown as frozen and billed when it is taken, and billed again when it comes back. A bill's
 *   balance and total are what is owned without it.
 * - manageTime is when the status changed last, so that it is a number from the first moment on; hash is empty until the
 *   transaction is on the chain, and for internal transfers; merchantOrderNo is made from the id, for none can be sent.
 * - getPayinAddress shows closed chains too, getUserAddress joins account and memo as `receiveAddr` does.
 */
export const FUNDS = {
  confirmationEvery: 10_000,
  withdrawalConfirmedAfter: 20_000,
  withdrawalDoneAfter: 40_000,
  /** After so many wrong fund passwords in a row none is looked at for a while (1004), not even the right one. */
  wrongPasswords: 5,
  passwordLock: 3_600_000,
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
