import {
  BATCH_IDS,
  described,
  flag,
  meaning,
  NUMBER,
  number,
  type OperationExample,
  ORDER,
  type OwnValue,
  PAGE,
  PLACED_ID,
  SIDE,
  text,
  WHOLE,
} from './example.js';

/** Typed int, "values true/false": either form. */
const SWITCH = /^(true|false|1|0)$/;
const CLIENT = /^[A-Za-z0-9]{4,36}$/;
const ACCOUNT = /^[012]$/;
const ONE_ORDER = { currency: 'market', 'id?': WHOLE, 'customerOrderId?': CLIENT } as const;

const SHOWN_ORDER = `{"id":"${ORDER.id}","currency":"${ORDER.market}","price":${ORDER.price},"total_amount":${ORDER.amount},"trade_amount":0.005,"trade_money":155.0025,"trade_date":1648461600123,"status":3,"type":1,"fees":"0.00001","useXxFee":false}`;
const ORDER_RESULT = {
  ...{ id: ORDER.id, currency: ORDER.market, price: ORDER.price, total_amount: ORDER.amount, trade_amount: '0.005' },
  ...{ trade_money: '155.0025', trade_date: 1648461600123, status: 3, type: 1, fees: '0.00001', useXxFee: false },
};

/** What a record is not used without, in a list or alone. */
function requiredOfOrder(before: string): OperationExample['required'] {
  const required = {
    id: 'identifies the order',
    currency: 'identifies the market',
    price: 'a price',
    total_amount: 'an amount',
    trade_amount: 'an amount',
    trade_money: 'an amount',
    trade_date: 'what became of an order is found out by it',
    status: 'whether the order is open',
    type: 'whether it buys or sells',
  };
  return Object.fromEntries(Object.entries(required).map(([name, reason]) => [`${before}${name}`, reason]));
}

function ownOrder(id: string, first: number): Readonly<Record<string, OwnValue>> {
  return {
    id: text(id),
    currency: text('zec_eur'),
    price: number(`${first}.25`),
    total_amount: number(`${first + 1}.25`),
    trade_amount: number(`${first - 90}.25`),
    trade_money: number(`${first + 3}.25`),
    // after every request: what became of an order is found out by it
    trade_date: { sent: `16484616${first}000`, shown: new Date(Number(`16484616${first}000`)).toISOString() },
    status: {
      sent: ['3', '1', '2', '0'],
      shown: { by: { state: ['open', 'cancelled', 'cancelled', 'open'], status: [3, 1, 2, 0] } },
    },
    type: {
      sent: ['1', '2', '5', '4'],
      shown: { by: { side: ['buy', 'sell', 'buy', 'sell'], type: ['limit', 'postOnly', 'ioc', 'ioc'] } },
    },
    useXxFee: flag('0101'),
  };
}

export const TRADING = {
  order: {
    parameters: {
      currency: 'market',
      tradeType: SIDE,
      price: NUMBER,
      amount: NUMBER,
      'acctType?': ACCOUNT,
      'enableExpress?': SWITCH,
      'enableRepay?': SWITCH,
      'customerOrderId?': CLIENT,
      'orderType?': /^.*$/,
    },
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
    answer: `{"code":"1000","message":"success","id":"${PLACED_ID}"}`,
    result: { code: 1000, message: 'success', id: PLACED_ID },
    required: { code: 'shows the success', id: 'identifies the order' },
    lines: [],
    own: { message: text('message of order'), id: text(ORDER.id) },
  },
  orderMoreV2: {
    parameters: {
      market: 'market',
      tradeParams: /^\[\[[\d.]+,[\d.]+\](,\[[\d.]+,[\d.]+\]){0,19}\]$/,
      tradeType: SIDE,
      'acctType?': ACCOUNT,
    },
    values: { market: 'btc_usdt', tradeParams: '[[31000.5,0.01],[30999,0.02]]', tradeType: '0', acctType: '1' },
    path: '/api/orderMoreV2?method=orderMoreV2&market=btc_usdt&tradeParams=%5B%5B31000.5%2C0.01%5D%2C%5B30999%2C0.02%5D%5D&tradeType=0&acctType=1',
    answer: `{"code":"1000","message":"success","data":[${BATCH_IDS.join(',')}]}`,
    result: { code: 1000, message: 'success', data: BATCH_IDS },
    required: { code: 'shows the success', data: 'identifies the orders' },
    lines: [],
    own: { data: { sent: '[2022022248511515551]', shown: '2022022248511515551' } },
  },
  cancelOrder: {
    parameters: ONE_ORDER,
    values: { currency: 'btc_usdt', id: '202202224851151555' },
    path: '/api/cancelOrder?method=cancelOrder&currency=btc_usdt&id=202202224851151555',
    answer: described(
      `{"amount":${ORDER.amount},"price":${ORDER.price},"completeMonty":155.0025,"completeAmount":0.005}`,
    ),
    result: meaning({
      ...{ amount: ORDER.amount, price: ORDER.price, completeMonty: '155.0025', completeAmount: '0.005' },
    }),
    required: { code: 'shows the success' },
    texts: ['message'],
    lines: [],
    own: {
      code: number('1000'),
      des: text('description of cancelOrder'),
      // more than the order itself knows of, and less than its whole
      ...{ completeMonty: number('233.5'), completeAmount: number('234.5') },
    },
  },
  cancelAllOrdersAfter: {
    parameters: { currency: 'market' },
    values: { currency: 'btc_usdt' },
    path: '/api/cancelAllOrdersAfter?method=cancelAllOrdersAfter&currency=btc_usdt',
    answer: '{"code":1000,"message":"success"}',
    result: { code: 1000, message: 'success' },
    required: { code: 'shows the success' },
    lines: [],
  },
  getOrder: {
    parameters: ONE_ORDER,
    values: { currency: 'btc_usdt', customerOrderId: 'abc123XYZ' },
    path: '/api/getOrder?method=getOrder&currency=btc_usdt&customerOrderId=abc123XYZ',
    answer: SHOWN_ORDER,
    result: ORDER_RESULT,
    required: requiredOfOrder(''),
    lines: [`order show btc_usdt ${ORDER.id}`],
    own: ownOrder(ORDER.id, 240),
  },
  getOrders: {
    // "parameters seen"
    parameters: { currency: 'market', 'pageIndex?': PAGE, 'tradeType?': SIDE },
    values: { currency: 'btc_usdt', pageIndex: '1', tradeType: '0' },
    path: '/api/getOrders?method=getOrders&currency=btc_usdt&pageIndex=1&tradeType=0',
    answer: `[${SHOWN_ORDER}]`,
    notShown: true,
    result: [ORDER_RESULT],
    required: requiredOfOrder('[].'),
    lines: ['orders btc_usdt --state all', 'fills btc_usdt'],
    own: ownOrder('2022022248511515553', 260),
  },
} satisfies Readonly<Record<string, OperationExample>>;
