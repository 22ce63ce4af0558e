import { NUMBER, number, type OperationExample, type Shown, text, WHOLE } from './example.js';

const TICKER =
  '{"high":"31500.10","low":"30000.20","buy":"31000.30","sell":"31000.40","last":"31000.5","open":"30500.60","riseRate":"1.64","vol":"120.7"}';
const TICKER_RESULT = {
  high: '31500.10',
  low: '30000.20',
  buy: '31000.30',
  sell: '31000.40',
  last: '31000.5',
  open: '30500.60',
  riseRate: '1.64',
  vol: '120.7',
};

const TYPES = /^(1min|3min|5min|15min|30min|1hour|2hour|4hour|6hour|12hour|1day|3day|1week)$/;

function levels(...lines: readonly string[]): Shown {
  return lines.map((line) => {
    const [price, amount] = line.split(' ');
    return { price, amount };
  });
}

export const MARKET_DATA = {
  markets: {
    parameters: {},
    values: {},
    path: '/data/v1/markets',
    answer: '{"btc_usdt":{"amountScale":4,"minAmount":0.0001,"minSize":5,"priceScale":2}}',
    result: { btc_usdt: { priceScale: 2, amountScale: 4, minAmount: '0.0001', minSize: '5' } },
    // each market is read by itself
    required: {},
    lines: ['markets'],
    own: {
      '*': { sent: '"zec_eur"', shown: { by: { market: 'zec_eur', base: 'zec', quote: 'eur' } } },
      priceScale: number('2'),
      amountScale: number('4'),
      minAmount: number('0.0011'),
      minSize: number('0.0022'),
    },
  },
  allTicker: {
    parameters: {},
    values: {},
    path: '/data/v1/allTicker',
    answer: `{"btc_usdt":${TICKER}}`,
    result: { btc_usdt: TICKER_RESULT },
    // each market is read by itself
    required: {},
    lines: ['ticker'],
  },
  ticker: {
    parameters: { market: 'market' },
    values: { market: 'btc_usdt' },
    path: '/data/v1/ticker?market=btc_usdt',
    answer: `{"ticker":${TICKER},"date":"1648461600123"}`,
    result: { ticker: TICKER_RESULT, date: 1648461600123 },
    required: { ticker: 'the prices themselves' },
    lines: ['ticker btc_usdt'],
  },
  depth: {
    parameters: { market: 'market', 'size?': /^([1-9]|[1-4]\d|50)$/, 'merge?': NUMBER },
    values: { market: 'btc_usdt', size: '3', merge: '0.1' },
    path: '/data/v1/depth?market=btc_usdt&size=3&merge=0.1',
    answer: '{"asks":[[31000.4,0.5],[31000.5,2]],"bids":[[31000.3,0.25],[31000.2,3]],"timestamp":1648461600}',
    result: {
      asks: [
        ['31000.4', '0.5'],
        ['31000.5', '2'],
      ],
      bids: [
        ['31000.3', '0.25'],
        ['31000.2', '3'],
      ],
      timestamp: 1648461600000,
    },
    required: { asks: 'prices and amounts of orders', bids: 'prices and amounts of orders' },
    lines: ['depth btc_usdt'],
    own: {
      asks: { sent: '[[151.5,0.51],[152.5,0.52]]', shown: levels('151.5 0.51', '152.5 0.52') },
      bids: { sent: '[[150.5,0.53],[149.5,0.54]]', shown: levels('150.5 0.53', '149.5 0.54') },
    },
  },
  trades: {
    parameters: { market: 'market', 'since?': WHOLE },
    values: { market: 'btc_usdt', since: '1234567890123456789' },
    path: '/data/v1/trades?market=btc_usdt&since=1234567890123456789',
    answer:
      '[{"date":1648461600,"price":31000.5,"amount":0.0100,"tid":1234567890123456789,"trade_type":"bid","type":"buy"}]',
    result: [
      {
        date: 1648461600000,
        price: '31000.5',
        amount: '0.0100',
        tid: '1234567890123456789',
        trade_type: 'bid',
        type: 'buy',
      },
    ],
    required: {
      '[].date': 'when a price was reached decides about trailing stops',
      '[].price': 'a price',
      '[].amount': 'an amount',
      '[].tid': 'identifies the trade: pages and gaps are read by it',
    },
    lines: ['trades btc_usdt'],
    own: {
      trade_type: { sent: ['"ask"', '"bid"', '"ask"', '"ask"'], shown: ['sell', 'buy', 'sell', 'sell'] },
      type: { sent: ['"sell"', '"buy"', '"buy"', '"sell"'], shown: ['sell', 'buy', 'buy', 'sell'] },
    },
  },
  kline: {
    parameters: { market: 'market', 'type?': TYPES, 'since?': WHOLE, 'size?': /^([1-9]\d{0,2}|1000)$/ },
    values: { market: 'btc_usdt', type: '15min', since: '1648461599999', size: '1000' },
    path: '/data/v1/kline?market=btc_usdt&type=15min&since=1648461599999&size=1000',
    answer:
      '{"data":[[1648461600000,31000.1,31010.2,30990.3,31005.4,12.5],[1648461660000,31005.4,31006,31001,31002,7.25]],"moneyType":"USDT","symbol":"BTC"}',
    result: {
      data: [
        [1648461600000, '31000.1', '31010.2', '30990.3', '31005.4', '12.5'],
        [1648461660000, '31005.4', '31006', '31001', '31002', '7.25'],
      ],
      moneyType: 'USDT',
      symbol: 'BTC',
    },
    required: { data: 'the prices themselves' },
    lines: ['kline btc_usdt'],
    own: {
      data: {
        sent: '[[1648461600000,171.5,175.5,170.5,172.5,0.71]]',
        shown: {
          by: {
            time: '2022-03-28T10:00:00.000Z',
            ...{ open: '171.5', high: '175.5', low: '170.5', close: '172.5', volume: '0.71' },
          },
        },
      },
      moneyType: text('EUR'),
      symbol: text('ZEC'),
    },
  },
} satisfies Readonly<Record<string, OperationExample>>;
