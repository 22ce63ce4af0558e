/*
 * Answers in which every field of the interface has a value of its own, transcribed by hand from the interface document. Where
 * there are too few values, as for a yes or no, the values of several runs together are those of one field alone.
 */

import type { OperationName } from '../../src/exchange/operations/index.js';

export const RUNS = 4;

export const ORDER_ID = '2022022248511515550';

type Shown = string | number | boolean | null | object;

interface Field {
  /** As JSON; one for all runs, or one for each. */
  readonly sent: string | readonly string[];
  /** In the output, if it is not just the text of what was sent: for all fields of the output, or by their names. */
  readonly shown?: Shown | readonly Shown[] | { readonly by: Readonly<Record<string, Shown | readonly Shown[]>> };
}

/** A yes or no with these values in the runs, as 0 and 1. */
const flag = (runs: string): Field => ({ sent: [...runs].map((bit) => (bit === '1' ? 'true' : 'false')) });
const text = (value: string): Field => ({ sent: JSON.stringify(value) });
const number = (digits: string): Field => ({ sent: digits });
const count = (digits: string): Field => ({ sent: digits, shown: Number(digits) });
const time = (digits: string, shown: string): Field => ({ sent: digits, shown });
/** A number that is sent as a text. */
const quoted = (digits: string): Field => ({ sent: `"${digits}"` });

const PRICES = (first: number): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    ['high', 'low', 'buy', 'sell', 'last', 'open', 'riseRate', 'vol'].map((name, index) => [
      name,
      quoted(`${first + index}.5`),
    ]),
  );

const ORDER = (id: string, first: number): Readonly<Record<string, Field>> => ({
  id: text(id),
  currency: text('zec_eur'),
  price: number(`${first}.25`),
  total_amount: number(`${first + 1}.25`),
  trade_amount: number(`${first - 90}.25`),
  trade_money: number(`${first + 3}.25`),
  trade_date: time(`16484616${first}000`, new Date(Number(`16484616${first}000`)).toISOString()),
  status: {
    sent: ['3', '1', '2', '0'],
    shown: { by: { state: ['open', 'cancelled', 'cancelled', 'open'], status: [3, 1, 2, 0] } },
  },
  type: {
    sent: ['1', '2', '5', '4'],
    shown: { by: { side: ['buy', 'sell', 'buy', 'sell'], type: ['limit', 'postOnly', 'ioc', 'ioc'] } },
  },
  fees: quoted(`0.00${first}`),
  useXxFee: flag('0101'),
});

export interface Read {
  /** The operation whose answer it shows. */
  readonly operation: OperationName;
  readonly command: string;
  readonly words: string;
  /** Default: all. */
  readonly runs?: readonly number[];
}

/** The command lines that show them, each in all runs or in some. */
export const READS: readonly Read[] = [
  { operation: 'markets', command: 'markets', words: '' },
  { operation: 'allTicker', command: 'ticker', words: '' },
  { operation: 'ticker', command: 'ticker', words: 'zec_eur' },
  { operation: 'depth', command: 'depth', words: 'zec_eur' },
  { operation: 'trades', command: 'trades', words: 'zec_eur' },
  { operation: 'kline', command: 'kline', words: 'zec_eur' },
  { operation: 'getAccountInfo', command: 'account', words: '' },
  { operation: 'getAccountInfo', command: 'balance', words: '' },
  { operation: 'getSpotBills', command: 'bills', words: '' },
  { operation: 'getPayinAddress', command: 'address', words: 'zec' },
  { operation: 'getUserAddress', command: 'address', words: 'zec --single' },
  { operation: 'getWithdrawAddress', command: 'address', words: 'zec --withdraw' },
  { operation: 'getChargeRecord', command: 'deposits', words: 'zec' },
  { operation: 'getWithdrawRecord', command: 'withdrawals', words: 'zec' },
  { operation: 'getFeeInfo', command: 'fees', words: 'zec' },
  { operation: 'getOrder', command: 'order show', words: `zec_eur ${ORDER_ID}` },
  { operation: 'getOrders', command: 'orders', words: 'zec_eur --state all --side SIDE' },
  { operation: 'getOrders', command: 'fills', words: 'zec_eur' },
  { operation: 'ticker', command: 'stream', words: 'ticker:zec_eur --count 1' },
  { operation: 'depth', command: 'stream', words: 'depth:zec_eur --count 1' },
  { operation: 'trades', command: 'stream', words: 'trades:zec_eur --count 1' },
  { operation: 'kline', command: 'stream', words: 'kline:zec_eur:1min --count 1' },
  { operation: 'getAccountInfo', command: 'stream', words: 'balances --count 1' },
  // a stream shows open orders
  { operation: 'getOrders', command: 'stream', words: 'orders:zec_eur --count 1', runs: [0, 3] },
];

/** Each operation's fields; a name in capitals stands for a key that is data. */
export const FIELDS: Readonly<Record<OperationName, Readonly<Record<string, Field>>>> = {
  markets: {
    MARKET: { sent: '"zec_eur"', shown: { by: { market: 'zec_eur', base: 'zec', quote: 'eur' } } },
    priceScale: count('2'),
    amountScale: count('4'),
    minAmount: number('0.0011'),
    minSize: number('0.0022'),
  },
  allTicker: { MARKET: text('zec_eur'), ...PRICES(110) },
  ticker: { ...PRICES(130), date: { sent: '"1648461600123"', shown: '2022-03-28T10:00:00.123Z' } },
  depth: {
    asks: { sent: '[[151.5,0.51],[152.5,0.52]]', shown: levels('151.5 0.51', '152.5 0.52') },
    bids: { sent: '[[150.5,0.53],[149.5,0.54]]', shown: levels('150.5 0.53', '149.5 0.54') },
    timestamp: time('1648461601000', '2022-03-28T10:00:01.000Z'),
  },
  trades: {
    date: time('1648461602000', '2022-03-28T10:00:02.000Z'),
    price: number('161.5'),
    amount: number('0.61'),
    tid: number('1234567890123456789'),
    trade_type: { sent: ['"ask"', '"bid"', '"ask"', '"ask"'], shown: ['sell', 'buy', 'sell', 'sell'] },
    type: { sent: ['"sell"', '"buy"', '"buy"', '"sell"'], shown: ['sell', 'buy', 'buy', 'sell'] },
  },
  kline: {
    data: {
      sent: '[1648461600000,171.5,175.5,170.5,172.5,0.71]',
      shown: {
        by: {
          time: '2022-03-28T10:00:00.000Z',
          open: '171.5',
          high: '175.5',
          low: '170.5',
          close: '172.5',
          volume: '0.71',
        },
      },
    },
    moneyType: text('EUR'),
    symbol: text('ZEC'),
  },
  getAccountInfo: {
    username: text('trader@example.com'),
    trade_password_enabled: flag('0001'),
    auth_google_enabled: flag('0010'),
    auth_mobile_enabled: flag('0011'),
    assetPerm: flag('0100'),
    leverPerm: flag('0101'),
    entrustPerm: flag('1101'),
    moneyPerm: flag('1011'),
    key: { sent: '"ZEC"', shown: { by: { coin: 'zec', key: 'ZEC' } } },
    enName: text('Zcash (English)'),
    cnName: text('大零币'),
    showName: text('Zcash (shown)'),
    unitTag: text('ⓩ'),
    unitDecimal: count('7'),
    fundstype: count('51'),
    available: quoted('181.5'),
    freez: quoted('182.5'),
    isCanRecharge: flag('1000'),
    isCanWithdraw: flag('1001'),
    canLoan: flag('1010'),
  },
  getSpotBills: {
    id: number('12345678901234567'),
    currencyName: { sent: '"ZEC"', shown: 'zec' },
    balance: { sent: '"191.5 ZEC"', shown: '191.5' },
    changeAmount: { sent: '"-192.5 ZEC"', shown: '-192.5' },
    total: quoted('193.5'),
    date: time('1648461603123', '2022-03-28T10:00:03.123Z'),
    showDate: text('2022-03-28 18:00:03'),
    remark: text('a remark'),
    typeDesc: text('a type'),
  },
  getUserAddress: { key: text('address-single') },
  getPayinAddress: {
    blockChain: text('chain-one'),
    canDeposit: flag('0011'),
    canWithdraw: flag('0101'),
    account: text('account-one'),
    memo: text('memo-one'),
    address: text('address-two'),
  },
  getWithdrawAddress: { key: text('address-verified') },
  getWithdrawRecord: {
    id: number('2016011201'),
    amount: number('201.5'),
    fees: number('0.0202'),
    status: {
      sent: ['0', '1', '2', '3'],
      shown: { by: { state: ['submitted', 'failed', 'success', 'cancelled'], status: [0, 1, 2, 3] } },
    },
    submitTime: time('1648461604000', '2022-03-28T10:00:04.000Z'),
    manageTime: time('1648461605000', '2022-03-28T10:00:05.000Z'),
    toAddress: text('address-out'),
    merchantOrderNo: text('merchant-1'),
    hash: text('hash-out'),
  },
  getChargeRecord: {
    id: number('3016011201'),
    address: text('address-in'),
    amount: quoted('211.5'),
    confirmTimes: count('12'),
    currency: { sent: '"ZEC"', shown: 'zec' },
    description: text('a description'),
    hash: text('hash-in'),
    itransfer: { sent: ['1', '0', '0', '1'], shown: [true, false, false, true] },
    status: {
      sent: ['0', '1', '2', '2'],
      shown: { by: { state: ['waiting', 'failed', 'success', 'success'], status: [0, 1, 2, 2] } },
    },
    // the offset of the zone is known from the bill
    submit_time: {
      sent: '"2022-03-28 18:00:06"',
      shown: { by: { time: '2022-03-28T10:00:06.000Z', timeRaw: '2022-03-28 18:00:06' } },
    },
  },
  getFeeInfo: {
    COIN: { sent: '"ZEC"', shown: 'zec' },
    chainName: text('chain-of-fee'),
    mainChainName: text('main-chain-of-fee'),
    fee: number('0.0221'),
    canDeposit: flag('0011'),
    canWithdraw: flag('1001'),
  },
  withdraw: { message: text('message of withdraw'), id: text('2016011202') },
  order: { message: text('message of order'), id: text(ORDER_ID) },
  orderMoreV2: { message: text('message of orderMoreV2'), data: number('2022022248511515551') },
  cancelOrder: {
    code: count('1000'),
    des: text('description of cancelOrder'),
    amount: number('231.5'),
    price: number('232.5'),
    completeMonty: number('233.5'),
    completeAmount: number('234.5'),
  },
  cancelAllOrdersAfter: { message: text('message of cancelAllOrdersAfter') },
  getOrder: ORDER(ORDER_ID, 240),
  getOrders: ORDER('2022022248511515553', 260),
};

function levels(...lines: readonly string[]) {
  return lines.map((line) => {
    const [price, amount] = line.split(' ');
    return { price, amount };
  });
}

/** What a field sends in a run, as JSON. */
export function sentIn(run: number, operation: OperationName, field: string): string {
  const { sent } = fieldOf(operation, field);
  return typeof sent === 'string' ? sent : (sent[run] ?? '');
}

/** What a field of the output called `leaf` shows in a run. */
export function shownIn(run: number, operation: OperationName, field: string, leaf: string): Shown {
  const { shown } = fieldOf(operation, field);
  const named = isByName(shown) ? shown.by[leaf] : shown;
  if (named === undefined) return plain(sentIn(run, operation, field));
  // a list of values has one for each run; depth is a list in each
  return Array.isArray(named) && named.length === RUNS ? named[run] : named;
}

function isByName(shown: Field['shown']): shown is { readonly by: Readonly<Record<string, Shown>> } {
  return typeof shown === 'object' && shown !== null && 'by' in shown;
}

function plain(json: string): Shown {
  return /^[-\d]/.test(json) ? json : (JSON.parse(json) as Shown);
}

function fieldOf(operation: OperationName, field: string): Field {
  const found = FIELDS[operation][field];
  if (found === undefined) throw new Error(`${operation}.${field} has no value`);
  return found;
}

/** The bodies of all answers in a run. */
export function answersIn(run: number): Record<OperationName, string | ((given: URLSearchParams) => string)> {
  const of = (operation: OperationName, ...names: readonly string[]) =>
    names.map((name) => `"${name}":${sentIn(run, operation, name)}`).join(',');
  const all = (operation: OperationName) =>
    of(operation, ...Object.keys(FIELDS[operation]).filter((name) => !/^[A-Z]+$/.test(name)));
  const datas = (content: string) => `{"code":1000,"message":{"des":"success","isSuc":true,"datas":${content}}}`;
  const perms = of('getAccountInfo', 'assetPerm', 'leverPerm', 'entrustPerm', 'moneyPerm');
  const base = of('getAccountInfo', 'username', 'trade_password_enabled', 'auth_google_enabled', 'auth_mobile_enabled');
  const coin = of(
    'getAccountInfo',
    ...'key enName cnName showName unitTag unitDecimal fundstype available freez isCanRecharge isCanWithdraw canLoan'.split(
      ' ',
    ),
  );
  return {
    markets: `{"zec_eur":{${all('markets')}}}`,
    allTicker: `{"zec_eur":{${all('allTicker')}}}`,
    ticker: `{"ticker":{${of('ticker', ...'high low buy sell last open riseRate vol'.split(' '))}},${of('ticker', 'date')}}`,
    depth: `{${all('depth')}}`,
    trades: `[{${all('trades')}}]`,
    kline: `{"data":[${sentIn(run, 'kline', 'data')}],${of('kline', 'moneyType', 'symbol')}}`,
    getAccountInfo: `{"result":{"coins":[{${coin}}],"base":{${base}}},${perms}}`,
    getSpotBills: `{"code":1000,"message":"success","result":[{${all('getSpotBills')}}]}`,
    getUserAddress: datas(`{${all('getUserAddress')}}`),
    getPayinAddress: datas(
      `[{"isUseMemo":true,${of('getPayinAddress', 'blockChain', 'canDeposit', 'canWithdraw', 'account', 'memo')}},` +
        `{"isUseMemo":false,"blockChain":"chain-two","canDeposit":true,"canWithdraw":true,${of('getPayinAddress', 'address')}}]`,
    ),
    getWithdrawAddress: datas(`{${all('getWithdrawAddress')}}`),
    getWithdrawRecord: datas(
      `{"list":[{${all('getWithdrawRecord')}}],"pageIndex":1,"pageSize":10,"totalCount":37,"totalPage":4}`,
    ),
    getChargeRecord: datas(`{"list":[{${all('getChargeRecord')}}],"pageIndex":1,"pageSize":10,"total":29}`),
    getFeeInfo: `{"code":1000,"message":"success","result":{"ZEC":[{${all('getFeeInfo')}}]}}`,
    withdraw: `{"code":1000,${all('withdraw')}}`,
    order: `{"code":"1000",${all('order')}}`,
    orderMoreV2: `{"code":"1000",${of('orderMoreV2', 'message')},"data":[${sentIn(run, 'orderMoreV2', 'data')}]}`,
    cancelOrder: `{${of('cancelOrder', 'code')},"message":{${of('cancelOrder', 'des')},"isSuc":true,"datas":{${of('cancelOrder', 'amount', 'price', 'completeMonty', 'completeAmount')}}}}`,
    cancelAllOrdersAfter: `{"code":1000,${all('cancelAllOrdersAfter')}}`,
    getOrder: (given) => `{${all('getOrder')}}`.replace(ORDER_ID, given.get('id') ?? ORDER_ID),
    getOrders: (given) =>
      Number(sentIn(run, 'getOrders', 'type')) % 2 === Number(given.get('tradeType')) && given.get('pageIndex') === '1'
        ? `[{${all('getOrders')}}]`
        : '[]',
  };
}
