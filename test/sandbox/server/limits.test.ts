import { describe, expect, it } from 'vitest';
import { DOCUMENTED_LIMITS, keptLimits } from '../../../src/sandbox/server/limits.js';
import { NOW, stillExchange } from './fake-exchange.js';
import { get, serveInterface } from './wire.js';

const ACCOUNT =
  '/api/getAccountInfo?accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&method=getAccountInfo' +
  '&sign=fa5d8d4e37caa86551b9ac740df2b14c&reqTime=1540295995557';
const KLINE = '/data/v1/kline?market=btc_usdt&type=1min';

function counted(admit: () => void, times: number): number {
  let admitted = 0;
  for (let time = 0; time < times; time += 1) {
    try {
      admit();
      admitted += 1;
    } catch {
      // refused
    }
  }
  return admitted;
}

describe('limits', () => {
  it('admits 60 requests of a key in any second', () => {
    const limits = keptLimits();
    expect(counted(() => limits.key('a', 500), 40)).toBe(40);
    expect(counted(() => limits.key('a', 1400), 40)).toBe(20);
    expect(counted(() => limits.key('a', 1499), 40)).toBe(0);
    expect(counted(() => limits.key('b', 1499), 61)).toBe(60);
    expect(counted(() => limits.key('a', 1500), 61)).toBe(40);
    expect(counted(() => limits.key('a', 2400), 61)).toBe(20);
  });

  it('admits 10,000 requests a minute from an address, then locks it for an hour', () => {
    const limits = keptLimits();
    expect(counted(() => limits.address('a', 0), 10_000)).toBe(10_000);
    expect(() => limits.address('a', 59_999)).toThrow('the interface is locked: until 1970-01-01T01:00:59.999Z');
    expect(() => limits.address('a', 3_659_998)).toThrow('locked');
    expect(counted(() => limits.address('b', 59_999), 1)).toBe(1);
    expect(counted(() => limits.address('a', 3_659_999), 1)).toBe(1);
  });

  it('sets limits and turns them off one by one', () => {
    const limits = keptLimits({ key: 2, address: 3, lock: 500, kline: null, subscriptions: null });
    expect(counted(() => limits.key('a', 0), 5)).toBe(2);
    expect(counted(() => limits.kline('a', 0), 50)).toBe(50);
    expect(counted(() => limits.address('a', 0), 5)).toBe(3);
    expect(() => limits.address('a', 499)).toThrow('locked: until 1970-01-01T00:00:00.500Z');
    expect(() => limits.key('b', 0)).not.toThrow();
  });

  it('blocks nobody when the clock is set back', () => {
    const limits = keptLimits();
    limits.kline('a', 5_000_000);
    limits.kline('a', 1000);
    expect(() => limits.kline('a', 1999)).toThrow('more than one a second');
  });
});

describe('limits on the wire', () => {
  it("answers 4002 to the 61st request of a key within a second, with the operation's type of code", async () => {
    let now = NOW;
    const { port } = await serveInterface(stillExchange(), keptLimits(), () => now);
    for (let count = 0; count < 60; count += 1) await get(port, ACCOUNT);
    expect(await get(port, ACCOUNT)).toBe('{"code":4002,"message":"requests are too frequent: more than 60 a second"}');
    now += 1000;
    expect(await get(port, ACCOUNT)).toContain('"username":"alice"');
  });

  it('never counts requests with a wrong signature against the key', async () => {
    const { port } = await serveInterface(stillExchange(), keptLimits());
    const forged = ACCOUNT.replace('sign=fa', 'sign=fb');
    for (let count = 0; count < 70; count += 1) await get(port, forged);
    expect(await get(port, ACCOUNT)).toContain('"username":"alice"');
  });

  it('answers 4001 on the trade host to a locked address, and serves it market data', async () => {
    const limits = keptLimits();
    counted(() => limits.address('127.0.0.1', NOW), 10_000);
    const { port } = await serveInterface(stillExchange(), limits);
    expect(await get(port, ACCOUNT)).toBe(
      '{"code":4001,"message":"the interface is locked: until 2018-10-23T12:59:55.557Z"}',
    );
    expect(await get(port, '/data/v1/markets')).toContain('btc_usdt');
  });

  it('counts unsigned requests apart, so that they cannot lock out signed ones', async () => {
    const { port } = await serveInterface(stillExchange(), keptLimits({ ...DOCUMENTED_LIMITS, address: 2 }));
    const unsigned = [
      '/api/getAccountInfo',
      ACCOUNT.replace('sign=fa', 'sign=fb'),
      ACCOUNT.replace('accesskey=6d', 'accesskey=7d'),
      '/api/order?a=%zz',
      '/api/getFeeInfo?currency=nothing',
    ];
    const answers = [];
    for (const path of unsigned) answers.push(await get(port, path));
    expect(answers.map((body) => /"code":"?(\d+)/.exec(body)?.[1])).toEqual(['3005', '1003', '4001', '4001', '4001']);
    expect(await get(port, ACCOUNT)).toContain('"username":"alice"');
    expect(await get(port, ACCOUNT)).toContain('"username":"alice"');
    expect(await get(port, ACCOUNT)).toContain('"code":4001');
  });

  it('signed requests never lock out unsigned ones', async () => {
    const { port } = await serveInterface(stillExchange(), keptLimits({ ...DOCUMENTED_LIMITS, address: 1 }));
    expect(await get(port, ACCOUNT)).toContain('"username":"alice"');
    expect(await get(port, ACCOUNT)).toContain('"code":4001');
    expect(await get(port, '/api/getFeeInfo?currency=nothing')).toContain('"code":1001');
  });

  it('allows one K-line request a second', async () => {
    let now = NOW;
    const { port } = await serveInterface(stillExchange(), keptLimits(), () => now);
    expect(await get(port, KLINE)).toContain('"moneyType"');
    now += 999;
    expect(await get(port, KLINE)).toBe(
      '{"result":false,"message":"requests are too frequent: more than one a second"}',
    );
    now += 1;
    expect(await get(port, KLINE)).toContain('"moneyType"');
  });
});
