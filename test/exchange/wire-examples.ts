import type { OperationName } from '../../src/exchange/operations/index.js';

/** Wrong values for a field of each kind; `undefined` is a missing field. */
export const WRONG = {
  /** Counts, codes, ids, times, yes and no, lists and groups. */
  strict: [undefined, null, 'not it', -0.5, true, '\u001b[31m'],
  decimal: [undefined, null, {}, [], true, '', 'not it', '1,5', '\u001b[31m'],
  /** The same where the field may be missing. */
  open: ['not it', -0.5, true, '\u001b[31m'],
  openDecimal: [{}, [], true, 'not it', '1,5', '\u001b[31m'],
  /** A quiet market may have none. */
  quiet: [{}, [], true, 'not it'],
  text: [undefined, null, {}, [], true],
  /** Optional fields of any type. */
  optional: [{ not: 'it' }, [['not it']], true],
  /** Also seen as a text. */
  message: [[], true],
} as const;

/** One request of an operation and its answer, as literals from the interface's document. */
export interface WireExample {
  readonly values: Readonly<Record<string, string>>;
  /** Without the host; of a signed one without accesskey, sign and reqTime. */
  readonly path: string;
  readonly body: string;
  /** What the body means. */
  readonly result: unknown;
  /** Fields by their path in the body, with what each may not be. */
  readonly fields: Readonly<Record<string, keyof typeof WRONG>>;
}

const TICKER =
  '{"high":"31500.10","low":"30000","buy":"31000.50","sell":"31000.60","last":"31000.5","open":"30500","riseRate":"1.64","vol":"120.00000001"}';
const TICKER_FIELDS = {
  high: '31500.10',
  low: '30000',
  buy: '31000.50',
  sell: '31000.60',
  last: '31000.5',
  open: '30500',
  riseRate: '1.64',
  vol: '120.00000001',
};

export const MARKET_DATA = {
  markets: {
    values: {},
    path: '/data/v1/markets',
    body: '{"btc_usdt":{"amountScale":4,"minAmount":0.0001,"minSize":5,"priceScale":2},"shib_usdt":{"priceScale":8,"amountScale":0,"minAmount":1e-8,"minSize":5.00}}',
    result: {
      btc_usdt: { priceScale: 2, amountScale: 4, minAmount: '0.0001', minSize: '5' },
      shib_usdt: { priceScale: 8, amountScale: 0, minAmount: '0.00000001', minSize: '5.00' },
    },
    // each market is read by itself
    fields: {},
  },
  allTicker: {
    values: {},
    path: '/data/v1/allTicker',
    body: `{"btcusdt":${TICKER}}`,
    result: { btcusdt: TICKER_FIELDS },
    fields: {},
  },
  ticker: {
    values: { market: 'btc_usdt' },
    path: '/data/v1/ticker?market=btc_usdt',
    body: `{"ticker":${TICKER},"date":"1648461600123"}`,
    result: { ticker: TICKER_FIELDS, date: 1648461600123 },
    fields: {
      date: 'open',
      ticker: 'strict',
      'ticker.high': 'quiet',
      'ticker.low': 'quiet',
      'ticker.buy': 'quiet',
      'ticker.sell': 'quiet',
      'ticker.open': 'quiet',
    },
  },
  depth: {
    values: { market: 'btc_usdt', size: '3', merge: '0.1' },
    path: '/data/v1/depth?market=btc_usdt&size=3&merge=0.1',
    body: '{"asks":[[31001.50,0.1],[31000.60,2]],"bids":[[31000.50,0.00000001]],"timestamp":1648461600}',
    result: {
      asks: [
        ['31001.50', '0.1'],
        ['31000.60', '2'],
      ],
      bids: [['31000.50', '0.00000001']],
      timestamp: 1648461600000,
    },
    fields: { asks: 'strict', bids: 'strict', timestamp: 'open', 'asks.0.1': 'decimal', 'bids.0.0': 'decimal' },
  },
  trades: {
    values: { market: 'btc_usdt', since: '1234567890123456789' },
    path: '/data/v1/trades?market=btc_usdt&since=1234567890123456789',
    body: '[{"amount":"0.0100","date":1648461600,"price":31000.5,"tid":1234567890123456790,"trade_type":"bid","type":"buy"}]',
    result: [
      {
        date: 1648461600000,
        price: '31000.5',
        amount: '0.0100',
        tid: '1234567890123456790',
        trade_type: 'bid',
        type: 'buy',
      },
    ],
    fields: {
      '0.date': 'strict',
      '0.price': 'decimal',
      '0.amount': 'decimal',
      '0.tid': 'strict',
      '0.trade_type': 'optional',
      '0.type': 'open',
    },
  },
  kline: {
    values: { market: 'btc_usdt', type: '15min', since: '1648461599999', size: '1000' },
    path: '/data/v1/kline?market=btc_usdt&type=15min&since=1648461599999&size=1000',
    body: '{"data":[[1648461600000,31000.10,31010,30990.5,31005,12.345678901234567890]],"moneyType":"USDT","symbol":"BTC"}',
    result: {
      data: [[1648461600000, '31000.10', '31010', '30990.5', '31005', '12.345678901234567890']],
      moneyType: 'USDT',
      symbol: 'BTC',
    },
    fields: { data: 'strict', moneyType: 'optional', symbol: 'optional', 'data.0.0': 'decimal', 'data.0.5': 'decimal' },
  },
} satisfies Partial<Record<OperationName, WireExample>>;

const ORDER =
  '"id":"202202224851151555","currency":"btc_usdt","price":31000.50,"total_amount":0.0123,"trade_amount":0.01,"trade_money":310.005,"trade_date":1648461600123,"status":3,"type":1,"fees":"0.00002"';
const ORDER_FIELDS = {
  id: '202202224851151555',
  currency: 'btc_usdt',
  price: '31000.50',
  total_amount: '0.0123',
  trade_amount: '0.01',
  trade_money: '310.005',
  trade_date: 1648461600123,
  status: 3,
  type: 1,
  fees: '0.00002',
};
/** Of a record in a list and of one alone. */
function recordFields(before: string): WireExample['fields'] {
  const strict = ['id', 'trade_date', 'status', 'type'].map((name) => [`${before}${name}`, 'strict'] as const);
  const amounts = ['price', 'total_amount', 'trade_amount', 'trade_money'];
  const decimals = amounts.map((name) => [`${before}${name}`, 'decimal'] as const);
  return Object.fromEntries([...strict, ...decimals, [`${before}currency`, 'text']]);
}

export const TRADING = {
  order: {
    values: {
      currency: 'btc_usdt',
      tradeType: '1',
      price: '31000.50',
      amount: '0.0123',
      acctType: '2',
      enableExpress: 'true',
      enableRepay: 'false',
      customerOrderId: 'abc123XYZ',
      orderType: '2',
    },
    path: '/api/order?method=order&currency=btc_usdt&tradeType=1&price=31000.50&amount=0.0123&acctType=2&enableExpress=true&enableRepay=false&customerOrderId=abc123XYZ&orderType=2',
    body: '{"code":"1000","message":"操作成功","id":"202202224851151555"}',
    result: { code: 1000, message: '操作成功', id: '202202224851151555' },
    fields: { id: 'strict', code: 'strict' },
  },
  orderMoreV2: {
    values: { market: 'btc_usdt', tradeParams: '[[31000.5,0.01],[30999,0.02]]', tradeType: '0', acctType: '1' },
    path: '/api/orderMoreV2?method=orderMoreV2&market=btc_usdt&tradeParams=%5B%5B31000.5%2C0.01%5D%2C%5B30999%2C0.02%5D%5D&tradeType=0&acctType=1',
    body: '{"code":"1000","message":"ok","data":[202202224851151555,202202224851151556]}',
    result: { code: 1000, message: 'ok', data: ['202202224851151555', '202202224851151556'] },
    fields: { data: 'strict', 'data.1': 'strict', code: 'strict' },
  },
  cancelOrder: {
    values: { currency: 'btc_usdt', id: '202202224851151555' },
    path: '/api/cancelOrder?method=cancelOrder&currency=btc_usdt&id=202202224851151555',
    body: '{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"amount":0.0123,"price":31000.50,"completeMonty":0,"completeAmount":1e-8}}}',
    result: {
      code: 1000,
      message: {
        des: 'success',
        isSuc: true,
        datas: { amount: '0.0123', price: '31000.50', completeMonty: '0', completeAmount: '0.00000001' },
      },
    },
    fields: { code: 'strict', message: 'message', 'message.des': 'optional', 'message.isSuc': 'open' },
  },
  cancelAllOrdersAfter: {
    values: { currency: 'btc_usdt' },
    path: '/api/cancelAllOrdersAfter?method=cancelAllOrdersAfter&currency=btc_usdt',
    body: '{"code":1000,"message":"success"}',
    result: { code: 1000, message: 'success' },
    fields: { code: 'strict' },
  },
  getOrder: {
    values: { currency: 'btc_usdt', customerOrderId: 'abc123XYZ' },
    path: '/api/getOrder?method=getOrder&currency=btc_usdt&customerOrderId=abc123XYZ',
    body: `{${ORDER},"useAbFee":true}`,
    result: { ...ORDER_FIELDS, useXxFee: true },
    fields: recordFields(''),
  },
  getOrders: {
    values: { currency: 'btc_usdt', pageIndex: '1', tradeType: '0' },
    path: '/api/getOrders?method=getOrders&currency=btc_usdt&pageIndex=1&tradeType=0',
    body: `[{${ORDER},"useQrstFee":false,"trade_price":1,"acctType":0}]`,
    result: [{ ...ORDER_FIELDS, useXxFee: false }],
    fields: recordFields('0.'),
  },
} satisfies Partial<Record<OperationName, WireExample>>;
