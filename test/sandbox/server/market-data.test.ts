import { describe, expect, it } from 'vitest';
import type { Exchange } from './fake-exchange.js';
import { stillExchange } from './fake-exchange.js';
import { get, send, serveInterface, statusLineOf } from './wire.js';

describe('market data on the wire', () => {
  it('answers with status 200 and the observed content type', async () => {
    const { port } = await serveInterface();
    const answer = await send(port, 'GET /data/v1/markets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(statusLineOf(answer)).toBe('HTTP/1.1 200 OK');
    expect(answer).toContain('\r\nContent-Type: text/javascript;charset=utf-8\r\n');
    expect(answer).toContain('\r\nContent-Length: 76\r\n');
    expect(answer).toMatch(
      /\r\n\r\n\{"btc_usdt":\{"priceScale":2,"amountScale":6,"minAmount":0\.0001,"minSize":1\}\}$/,
    );
  });

  const answers: readonly (readonly [path: string, body: string])[] = [
    ['/data/v1/markets', '{"btc_usdt":{"priceScale":2,"amountScale":6,"minAmount":0.0001,"minSize":1}}'],
    [
      '/data/v1/allTicker',
      '{"btcusdt":{"high":"31200.00","low":"30100.10","buy":"31000.49","sell":"31000.51","last":"31000.50","open":"30500.00","riseRate":"1.64","vol":"1234.567890"}}',
    ],
    [
      '/data/v1/ticker?market=btc_usdt',
      '{"ticker":{"high":"31200.00","low":"30100.10","buy":"31000.49","sell":"31000.51","last":"31000.50","open":"30500.00","riseRate":"1.64","vol":"1234.567890"},"date":"1540295995557"}',
    ],
    [
      '/data/v1/depth?market=btc_usdt&size=2',
      '{"asks":[[31000.60,12345678901234567.123456],[31000.51,1.000000]],"bids":[[31000.49,0.500000],[31000.48,0.00000001]],"timestamp":1540295995}',
    ],
    [
      '/data/v1/trades?market=btc_usdt&since=1234567890123456788',
      '[{"date":1540295990,"price":31000.50,"amount":0.010000,"tid":1234567890123456789,"trade_type":"bid","type":"buy"},{"date":1540295991,"price":31000.49,"amount":0.000100,"tid":1234567890123456790,"trade_type":"ask","type":"sell"}]',
    ],
    [
      '/data/v1/kline?market=btc_usdt&type=1hour&since=1540292400000&size=1',
      '{"data":[[1540292400000,30500.00,31200.00,30100.10,31000.50,12.340000]],"moneyType":"USDT","symbol":"BTC"}',
    ],
    ['/data/v1/ticker?market=btc%5Fusdt&unknown=1', expect.stringContaining('"last":"31000.50"')],
    ['http://elsewhere:1/data/v1/ticker?market=btc_usdt', expect.stringContaining('"last":"31000.50"')],
  ];
  it.each(answers)('answers %s with its exact body', async (path, body) => {
    const { port } = await serveInterface();
    expect(await get(port, path)).toEqual(body);
  });

  it('depth follows the book, also for the same request', async () => {
    const still = stillExchange();
    let amount = 1;
    const depth: Exchange['depth'] = () => ({
      time: 1540295995557,
      bids: [['9.5', `${amount}`]],
      asks: [['9.6', `${amount}.5`]],
    });
    const { port } = await serveInterface({ ...still, depth });
    for (amount = 1; amount < 4; amount += 1) {
      expect(await get(port, '/data/v1/depth?market=btc_usdt')).toBe(
        `{"asks":[[9.6,${amount}.5]],"bids":[[9.5,${amount}]],"timestamp":1540295995}`,
      );
    }
  });

  const depths: readonly (readonly [query: string, asked: { size: number; merge?: string }])[] = [
    ['', { size: 50 }],
    ['&size=50', { size: 50 }],
    ['&size=1', { size: 1 }],
    ['&merge=0.5', { size: 5, merge: '0.5' }],
    ['&size=50&merge=10', { size: 5, merge: '10' }],
    ['&size=3&merge=10', { size: 3, merge: '10' }],
    ['&size=&merge=', { size: 50 }],
  ];
  it.each(depths)('depth with "%s" asks the exchange for %o', async (query, asked) => {
    let seen: unknown;
    const still = stillExchange();
    const depth: Exchange['depth'] = (market, options) => {
      seen = options;
      return still.depth(market, options);
    };
    const { port } = await serveInterface({ ...still, depth });
    await get(port, `/data/v1/depth?market=btc_usdt${query}`);
    expect(seen).toEqual(asked);
  });

  it('processes everything that is due before it answers', async () => {
    const seen: string[] = [];
    const still = stillExchange();
    const { port } = await serveInterface({
      ...still,
      advance: () => void seen.push('advance'),
      ticker: (market) => {
        seen.push(market);
        return still.ticker(market);
      },
    });
    await get(port, '/data/v1/ticker?market=btc_usdt');
    expect(seen).toEqual(['advance', 'btc_usdt']);
  });
});

describe('refused market data', () => {
  const refusals: readonly (readonly [path: string, body: string])[] = [
    ['/data/v1/ticker', '{"error":"a parameter is missing or not valid: market is missing"}'],
    ['/data/v1/ticker?market=', '{"error":"a parameter is missing or not valid: market is missing"}'],
    ['/data/v1/ticker?market=no_such', '{"error":"unknown market: no_such"}'],
    ['/data/v1/ticker?market=bchabc_usdt', '{"error":"unknown market: bchabc_usdt (bchabc is bch now)"}'],
    [
      `/data/v1/ticker?market=${'a'.repeat(10_000)}`,
      '{"error":"a parameter is missing or not valid: market must be a market like btc_usdt"}',
    ],
    [
      '/data/v1/ticker?market=BTC_USDT',
      '{"error":"a parameter is missing or not valid: market must be a market like btc_usdt"}',
    ],
    [
      '/data/v1/ticker?market=btc%00usdt',
      '{"error":"a parameter is missing or not valid: market must be a market like btc_usdt"}',
    ],
    [
      '/data/v1/ticker?market=%zz',
      '{"error":"a parameter is missing or not valid: a percent sequence that is not UTF-8"}',
    ],
    [
      '/data/v1/ticker?market=%ff',
      '{"error":"a parameter is missing or not valid: a percent sequence that is not UTF-8"}',
    ],
    [
      '/data/v1/ticker?market=btc_usdt&market=btc_usdt',
      '{"error":"a parameter is missing or not valid: market is given twice"}',
    ],
    [
      '/data/v1/depth?market=btc_usdt&size=51',
      '{"error":"a parameter is missing or not valid: size must be a whole number from 1 to 50"}',
    ],
    [
      '/data/v1/depth?market=btc_usdt&size=0',
      '{"error":"a parameter is missing or not valid: size must be a whole number from 1 to 50"}',
    ],
    [
      '/data/v1/depth?market=btc_usdt&merge=-1',
      '{"error":"a parameter is missing or not valid: merge must be a decimal number above zero"}',
    ],
    [
      '/data/v1/kline?market=btc_usdt&type=1min&size=0',
      '{"error":"a parameter is missing or not valid: size must be a whole number from 1 to 1000"}',
    ],
    [
      '/data/v1/kline?market=btc_usdt&type=1m',
      '{"error":"a parameter is missing or not valid: type must be one of 1min, 3min, 5min, 15min, 30min, 1hour, 2hour, 4hour, 6hour, 12hour, 1day, 3day, 1week"}',
    ],
    ['/data/v1/nothing', '{"error":"the request could not be carried out: no such operation"}'],
    ['/data/v1/order', '{"error":"the request could not be carried out: no such operation"}'],
    ['/data/v1/', '{"error":"the request could not be carried out: no such operation"}'],
  ];
  it.each(refusals.map(([path, body]) => [path.slice(0, 80), path, body] as const))(
    'refuses %s',
    async (_name, path, body) => {
      const { port } = await serveInterface();
      expect(await get(port, path)).toBe(body);
    },
  );
});
