/**
 * Every operation, parameter, field and stated limit of the interface document, transcribed from it by hand, and the test
 * that holds it: a file under test/sandbox and the title of a test in it, or the first column of a row of its table.
 * Words of one line that are parted by spaces are a row each.
 */
type Line = readonly [kind: 'operation' | 'parameter' | 'field', names: string, test: string];
type Stated = readonly [rule: string, test: string];

export interface Chapter {
  readonly lines: readonly Line[];
  readonly limits?: readonly Stated[];
}

const MARKET = 'server/market-data.test.ts';
const SIGNED = 'server/signed.test.ts';
const RULES = 'server/rules.test.ts';
const BATCH = 'server/batch-and-lists.test.ts';
const LIMITS = 'server/limits.test.ts';
const FUNDS = 'funds/wire.test.ts';

const TICKER = 'high low buy sell last open riseRate vol';
const ENVELOPE = 'code message des isSuc datas';
const ORDER = 'id currency price total_amount trade_amount trade_money trade_date status type fees useXxFee';

const KLINE = `${MARKET}: /data/v1/kline?market=btc_usdt&type=1hour&since=1540292400000&size=1`;
const ACCOUNT = `${SIGNED}: getAccountInfo`;
const BILLS = `${FUNDS}: getSpotBills, of a deposit, a withdrawal and its fee`;
const CHARGES = `${FUNDS}: getChargeRecord, while a deposit is confirmed`;
const WITHDRAWALS = `${FUNDS}: withdraw and getWithdrawRecord, while one goes its way`;
const EVERYTHING = `${SIGNED}: order, with every parameter, for a margin account`;

export const CHAPTERS: Readonly<Record<string, Chapter>> = {
  markets: {
    lines: [
      ['operation', 'markets', `${MARKET}: /data/v1/markets`],
      ['field', 'priceScale amountScale minAmount minSize', `${MARKET}: /data/v1/markets`],
    ],
    limits: [
      ['minAmount and minSize are the least an order may have', 'exchange.test.ts: that cannot be are refused: %j'],
      ['no credentials', `${MARKET}: /data/v1/markets`],
    ],
  },
  allTicker: {
    lines: [
      ['operation', 'allTicker', `${MARKET}: /data/v1/allTicker`],
      ['field', TICKER, `${MARKET}: /data/v1/allTicker`],
    ],
  },
  ticker: {
    lines: [
      ['operation', 'ticker', `${MARKET}: /data/v1/ticker?market=btc_usdt`],
      ['parameter', 'market', `${MARKET}: /data/v1/ticker?market=btc_usdt`],
      ['field', `ticker ${TICKER} date`, `${MARKET}: /data/v1/ticker?market=btc_usdt`],
    ],
    limits: [['market is written <base>_<quote> in lower case', `${MARKET}: /data/v1/ticker?market=BTC_USDT`]],
  },
  depth: {
    lines: [
      ['operation', 'depth', `${MARKET}: /data/v1/depth?market=btc_usdt&size=2`],
      ['parameter', 'market size', `${MARKET}: /data/v1/depth?market=btc_usdt&size=2`],
      ['parameter', 'merge', 'exchange.test.ts: levels are merged outwards: bids down, asks up'],
      ['field', 'asks bids timestamp', `${MARKET}: /data/v1/depth?market=btc_usdt&size=2`],
    ],
    limits: [
      ['size is 1 to 50', `${MARKET}: /data/v1/depth?market=btc_usdt&size=51`],
      ['merged depth has 5 levels', `${MARKET}: &size=50&merge=10`],
    ],
  },
  trades: {
    lines: [
      ['operation', 'trades', `${MARKET}: /data/v1/trades?market=btc_usdt&since=1234567890123456788`],
      ['parameter', 'market since', `${MARKET}: /data/v1/trades?market=btc_usdt&since=1234567890123456788`],
      [
        'field',
        'date price amount tid trade_type type',
        `${MARKET}: /data/v1/trades?market=btc_usdt&since=1234567890123456788`,
      ],
    ],
    limits: [
      [
        'since gives the 50 trades after an id',
        'exchange.test.ts: trades follow an id, fifty at a time, and none is left out',
      ],
    ],
  },
  kline: {
    lines: [
      ['operation', 'kline', KLINE],
      ['parameter', 'market size', KLINE],
      [
        'parameter',
        'type',
        `${RULES}: kline takes each of its thirteen types and no other, and asks for 1,000 rows when no size is given`,
      ],
      ['parameter', 'since', `${RULES}: kline gives only data after its since`],
      ['field', 'data moneyType symbol', KLINE],
    ],
    limits: [
      ['never more than 1,000 rows', `${MARKET}: /data/v1/kline?market=btc_usdt&type=1min&size=1001`],
      [
        '1,000 rows by default',
        `${RULES}: kline takes each of its thirteen types and no other, and asks for 1,000 rows when no size is given`,
      ],
      [
        'the latest rows',
        'candles.test.ts: since is inclusive, size keeps the latest, and nothing is told of the future',
      ],
      ['one request a second', `${LIMITS}: answer K-line once a second`],
    ],
  },
  getAccountInfo: {
    lines: [
      ['operation', 'getAccountInfo', ACCOUNT],
      ['field', 'result coins base username trade_password_enabled auth_google_enabled auth_mobile_enabled', ACCOUNT],
      ['field', 'assetPerm leverPerm entrustPerm moneyPerm', ACCOUNT],
      ['field', 'key enName cnName showName unitTag unitDecimal fundstype available', ACCOUNT],
      ['field', 'freez isCanRecharge isCanWithdraw canLoan', ACCOUNT],
    ],
    limits: [['no envelope', ACCOUNT]],
  },
  getSpotBills: {
    lines: [
      ['operation', 'getSpotBills', BILLS],
      ['parameter', 'currency', BILLS],
      ['parameter', 'startDate endDate', `${FUNDS}: getSpotBills, between two dates, both included`],
      ['parameter', 'dataType', `${FUNDS}: getSpotBills, split at 48 hours: within by default and for 0, older for 1`],
      ['parameter', 'pageIndex pageSize', `${FUNDS}: getSpotBills, of all coins without one, ten on a page`],
      ['field', 'code message result id currencyName balance changeAmount total date showDate remark typeDesc', BILLS],
    ],
    limits: [
      ['pageSize is 10 to 50', `${FUNDS}: 9 on a page`],
      ['pageSize is 10 by default, pageIndex 1', `${FUNDS}: getSpotBills, of all coins without one, ten on a page`],
      ['currency is optional', `${FUNDS}: getSpotBills, of all coins without one, ten on a page`],
      ['dates are YYYY-MM-DD HH:MM:SS', `${FUNDS}: a day that is not`],
      [
        'a bill for every movement',
        'funds/balanced.test.ts: random deposits, withdrawals, transfers and trades keep the ledger balanced and the bills exact, also over a restart',
      ],
    ],
  },
  getUserAddress: {
    lines: [
      ['operation', 'getUserAddress', `${FUNDS}: getUserAddress`],
      ['parameter', 'currency', `${FUNDS}: getUserAddress`],
      ['field', `${ENVELOPE} key`, `${FUNDS}: getUserAddress`],
    ],
    limits: [
      [
        'the address must first be obtained',
        'funds/transfers.test.ts: one has to be obtained before getUserAddress gives it, for each coin',
      ],
      ['single chain', `${FUNDS}: getUserAddress of a coin with several chains`],
    ],
  },
  getPayinAddress: {
    lines: [
      ['operation', 'getPayinAddress', `${FUNDS}: getPayinAddress of a coin with several chains, some closed`],
      ['parameter', 'currency', `${FUNDS}: getPayinAddress of a coin with several chains, some closed`],
      [
        'field',
        `${ENVELOPE} blockChain canDeposit canWithdraw address`,
        `${FUNDS}: getPayinAddress of a coin with several chains, some closed`,
      ],
      ['field', 'isUseMemo account memo', `${FUNDS}: getPayinAddress of a memo chain`],
    ],
  },
  getWithdrawAddress: {
    lines: [
      ['operation', 'getWithdrawAddress', `${FUNDS}: getWithdrawAddress`],
      ['parameter', 'currency', `${FUNDS}: getWithdrawAddress`],
      ['field', `${ENVELOPE} key`, `${FUNDS}: getWithdrawAddress`],
    ],
    limits: [
      [
        'a verified address',
        'funds/transfers.test.ts: the first that was verified is the default, unless another is preferred',
      ],
    ],
  },
  getWithdrawRecord: {
    lines: [
      ['operation', 'getWithdrawRecord', WITHDRAWALS],
      ['parameter', 'currency', WITHDRAWALS],
      ['parameter', 'pageIndex pageSize', `${FUNDS}: getWithdrawRecord, of one that was cancelled and one that failed`],
      ['field', `${ENVELOPE} list pageIndex pageSize totalCount totalPage`, WITHDRAWALS],
      ['field', 'id amount fees status submitTime manageTime toAddress merchantOrderNo hash', WITHDRAWALS],
    ],
    limits: [
      ['status 0 submitted, 5 confirmed, 2 success', WITHDRAWALS],
      ['status 1 failed, 3 cancelled', `${FUNDS}: getWithdrawRecord, of one that was cancelled and one that failed`],
    ],
  },
  getChargeRecord: {
    lines: [
      ['operation', 'getChargeRecord', CHARGES],
      ['parameter', 'currency', CHARGES],
      ['parameter', 'pageIndex pageSize', `${FUNDS}: getChargeRecord, in pages with the newest first`],
      ['field', `${ENVELOPE} list pageIndex pageSize total`, CHARGES],
      ['field', 'id address amount confirmTimes currency description hash itransfer status submit_time', CHARGES],
    ],
    limits: [
      ['status 0 waiting, 2 success', CHARGES],
      ['status 1 failed', `${FUNDS}: getChargeRecord, of a deposit that fails`],
      [
        'itransfer 1 for internal ones',
        'funds/transfers.test.ts: an internal transfer moves at once, and is a deposit on the other side',
      ],
    ],
  },
  getFeeInfo: {
    lines: [
      ['operation', 'getFeeInfo', `${FUNDS}: unsigned, the coin alone`],
      ['parameter', 'currency', `${FUNDS}: unsigned, the coin alone`],
      ['parameter', 'method', `${FUNDS}: with its method`],
      [
        'field',
        'code message result chainName mainChainName fee canDeposit canWithdraw',
        `${FUNDS}: several chains of a coin, grouped under its upper-case name`,
      ],
    ],
    limits: [
      ['shown without accesskey and sign', `${FUNDS}: unsigned, the coin alone`],
      ['on the trade host', `${FUNDS}: market data`],
    ],
  },
  withdraw: {
    lines: [
      ['operation', 'withdraw', WITHDRAWALS],
      ['parameter', 'amount currency fees receiveAddr safePwd', WITHDRAWALS],
      [
        'parameter',
        'itransfer',
        'funds/transfers.test.ts: an internal transfer moves at once, and is a deposit on the other side',
      ],
      ['field', 'code message id', WITHDRAWALS],
    ],
    limits: [
      ['itransfer is 0 or 1', `${FUNDS}: an itransfer of 2`],
      [
        'itransfer is 0 by default',
        'funds/transfers.test.ts: without consent it goes over the chain, and comes in as a deposit of the same transaction',
      ],
      ['receiveAddr must be verified', `${FUNDS}: an address that is not verified`],
      [
        'receiveAddr is <account>_<remark> on memo chains',
        `${FUNDS}: withdraw of another client, to an account with a memo`,
      ],
      ['safePwd is the fund password', 'funds/refusals.test.ts: a wrong fund password'],
    ],
  },
  order: {
    lines: [
      ['operation', 'order', `${SIGNED}: order, with its code as a string`],
      ['parameter', 'currency price amount', `${SIGNED}: order, with its code as a string`],
      ['parameter', 'tradeType', `${RULES}: tradeType 1 buys and 0 sells`],
      ['parameter', 'acctType enableExpress enableRepay customerOrderId orderType', EVERYTHING],
      ['field', 'code message id', `${SIGNED}: order, with its code as a string`],
    ],
    limits: [
      ['code is a string', `${SIGNED}: order, with its code as a string`],
      ['tradeType is 1 or 0', `${RULES}: a tradeType of 2`],
      ['acctType is 0, 1 or 2', `${RULES}: an acctType of 3`],
      ['acctType is 0 by default', `${SIGNED}: order, with its code as a string`],
      ['orderType: any other value or none is a limit order', `${RULES}: any other value`],
      [
        'customerOrderId: 4 to 36 digits or letters',
        `${RULES}: customerOrderId has 4 to 36 characters, digits or letters`,
      ],
      ['on duplicates the newest is meant', 'exchange.test.ts: with the same client id: the newest is meant'],
    ],
  },
  orderMoreV2: {
    lines: [
      [
        'operation',
        'orderMoreV2',
        `${BATCH}: answers with a code as a string and ids as numbers, in the order of the pairs`,
      ],
      [
        'parameter',
        'market tradeParams tradeType',
        `${BATCH}: answers with a code as a string and ids as numbers, in the order of the pairs`,
      ],
      ['parameter', 'acctType', `${RULES}: orderMoreV2 takes an acctType`],
      [
        'field',
        'code message data',
        `${BATCH}: answers with a code as a string and ids as numbers, in the order of the pairs`,
      ],
    ],
    limits: [
      ['at most 20 pairs', `${BATCH}: of more than twenty pairs is refused whole`],
      ['code is a string', `${BATCH}: answers with a code as a string and ids as numbers, in the order of the pairs`],
    ],
  },
  cancelOrder: {
    lines: [
      ['operation', 'cancelOrder', `${SIGNED}: cancelOrder, with an object as its message`],
      ['parameter', 'currency id', `${RULES}: cancelOrder by id`],
      ['parameter', 'customerOrderId', `${RULES}: cancelOrder by customerOrderId`],
      [
        'field',
        `${ENVELOPE} amount price completeMonty completeAmount`,
        `${SIGNED}: cancelOrder, with an object as its message`,
      ],
    ],
    limits: [
      ['one of id and customerOrderId is given', `${RULES}: neither id nor customerOrderId, cancelOrder`],
      ['and not both', `${RULES}: both of them, cancelOrder`],
    ],
  },
  cancelAllOrdersAfter: {
    lines: [
      ['operation', 'cancelAllOrdersAfter', `${BATCH}: answers with a number as its code`],
      ['parameter', 'currency', `${BATCH}: answers with a number as its code`],
      ['field', 'code message', `${BATCH}: answers with a number as its code`],
    ],
    limits: [
      [
        'orders are cancelled one minute after the call',
        'timed-cancel.test.ts: cancels every open order of the market when its minute is over, and none before',
      ],
      ['a further call refreshes the timer', 'timed-cancel.test.ts: begins anew with each further call'],
    ],
  },
  getOrder: {
    lines: [
      ['operation', 'getOrder', `${SIGNED}: getOrder, flat`],
      ['parameter', 'currency id', `${RULES}: getOrder by id`],
      ['parameter', 'customerOrderId', `${RULES}: getOrder by customerOrderId`],
      ['field', ORDER, `${SIGNED}: getOrder, flat`],
    ],
    limits: [
      ['flat, without envelope', `${SIGNED}: getOrder, flat`],
      ['one of id and customerOrderId is given', `${RULES}: neither id nor customerOrderId, getOrder`],
      ['and not both', `${RULES}: both of them, getOrder`],
      ['status 0 waits', 'desk/states.test.ts: a limit order that meets nobody waits'],
      ['status 1 is cancelled', 'desk/states.test.ts: and is cancelled'],
      ['status 2 is completed', 'desk/states.test.ts: and is filled at once'],
      ['status 2 is cancelled after a partial fill', 'desk/states.test.ts: and is cancelled after a part'],
      ['status 3 is an unfilled remainder that waits', 'desk/states.test.ts: and is filled in part'],
    ],
  },
  getOrders: {
    lines: [
      ['operation', 'getOrders', `${SIGNED}: getOrders, a plain list`],
      ['parameter', 'currency pageIndex tradeType', `${RULES}: getOrders asks for ten of a page and a side`],
      ['field', ORDER, `${SIGNED}: getOrders, a plain list`],
    ],
    limits: [['10 records a request', `${RULES}: getOrders asks for ten of a page and a side`]],
  },
  'every signed operation': {
    lines: [
      ['parameter', 'method', `${SIGNED}: another method than the path`],
      ['parameter', 'accesskey', `${SIGNED}: an unknown access key`],
      ['parameter', 'sign', `${SIGNED}: a wrong signature`],
      ['parameter', 'reqTime', `${SIGNED}: an old reqTime`],
    ],
    limits: [
      [
        '60 requests a second for each key',
        `${LIMITS}: answer 4002 to the 61st request of a key within a second, with the code in its type`,
      ],
      [
        '10,000 requests a minute for each IP, then a lock of one hour',
        `${LIMITS}: admit 10,000 a minute from an address, and lock it for an hour beyond`,
      ],
      [
        'the lock is on the trade host',
        `${LIMITS}: answer 4001 on the trade host once an address is locked, and serve it market data`,
      ],
      ['the sign is HMAC-MD5 with the SHA-1 of the secret', 'server/verify.test.ts: reads %s as it was signed'],
      ['orderMoreV2 signs the raw tradeParams', 'server/verify.test.ts: raw brackets and commas'],
      ['a permission of the key', `${SIGNED}: a key without permission`],
    ],
  },
  'every operation': {
    lines: [],
    limits: [
      ['is a GET', `${RULES}: %s %s is refused: every operation is a GET`],
      ['refuses old coin names', `${FUNDS}: an old coin name`],
      ['refuses old coin names in markets', `${MARKET}: /data/v1/ticker?market=bchabc_usdt`],
      [
        'is sent by a browser, as its User-Agent says',
        'administration/administration.test.ts: refuses a User-Agent that is not a browser, and counts it',
      ],
      [
        'setExpressState and setRepayState are named only',
        `${RULES}: %s, of which only the name is known, is not served`,
      ],
    ],
  },
};
