import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/exchange/operations/index.js';
import { SERVED } from '../../../src/sandbox/server/operations/index.js';
import type { Exchange, OrderRequest } from './fake-exchange.js';
import { stillExchange } from './fake-exchange.js';
import { get, send, serveInterface } from './wire.js';

const ALICE = 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2';
const TIME = 'reqTime=1540295995557';

async function answer(query: string, exchange: Exchange = stillExchange()): Promise<string> {
  const method = /method=(\w+)/.exec(query)?.[1];
  const { port } = await serveInterface(exchange);
  return await get(port, `/api/${method}?${ALICE}&${query}&${TIME}`);
}

function refused(rule: string, code = '3005'): string {
  return `{"code":${code},"message":"a parameter is missing or not valid: ${rule}"}`;
}

/** Signatures here were made apart from the exchange's code, over the text as it stands. */
describe('order references', () => {
  it.each([
    [
      'cancelOrder refuses a request with neither id nor customerOrderId',
      'currency=btc_usdt&method=cancelOrder&sign=e11d0b5640d46e567d1c1f21b17f0e57',
    ],
    [
      'cancelOrder refuses a request with both id and customerOrderId',
      'currency=btc_usdt&customerOrderId=abc123XYZ&id=1&method=cancelOrder&sign=b3588a892b9ffa39def4be98e7762390',
    ],
    [
      'getOrder refuses a request with neither id nor customerOrderId',
      'currency=btc_usdt&method=getOrder&sign=a18d05c9a38a4d76c499455bf06bbccd',
    ],
    [
      'getOrder refuses a request with both id and customerOrderId',
      'currency=btc_usdt&customerOrderId=abc123XYZ&id=1&method=getOrder&sign=cef8bdfb5406029f02a1ec4211622800',
    ],
  ])('%s', async (_what, query) => {
    expect(await answer(query)).toBe(refused('exactly one of id and customerOrderId is given'));
  });

  it.each([
    [
      'cancelOrder finds an order by id',
      'cancel',
      'currency=btc_usdt&id=202202224851151555&method=cancelOrder&sign=2d5a1d49b0fded4000f038eb7abdc28d',
      { id: '202202224851151555' },
    ],
    [
      'cancelOrder finds an order by customerOrderId',
      'cancel',
      'currency=btc_usdt&customerOrderId=abc123XYZ&method=cancelOrder&sign=e4e58e5344e3affc8579560da8f8d52f',
      { clientId: 'abc123XYZ' },
    ],
    [
      'getOrder finds an order by id',
      'order',
      'currency=btc_usdt&id=202202224851151555&method=getOrder&sign=3e79ed6ff02c2bb73bb302feb644b69c',
      { id: '202202224851151555' },
    ],
    [
      'getOrder finds an order by customerOrderId',
      'order',
      'currency=btc_usdt&customerOrderId=abc123XYZ&method=getOrder&sign=34fe2bce0f4e67573c6433eefc438a59',
      { clientId: 'abc123XYZ' },
    ],
  ] as const)('%s', async (_what, call, query, reference) => {
    const still = stillExchange();
    const asked: unknown[] = [];
    const find: Exchange['order'] = (account, market, ref) => {
      asked.push(market, ref);
      return still.order(account, market, ref);
    };
    await answer(query, { ...still, [call]: find });
    expect(asked).toEqual(['btc_usdt', reference]);
  });
});

describe('order parameters', () => {
  const ORDER = 'amount=0.01&currency=btc_usdt';
  const END = 'method=order&price=30000&tradeType=1';
  const LONGEST = 'a'.repeat(36);

  async function placed(query: string): Promise<OrderRequest | undefined> {
    let seen: OrderRequest | undefined;
    const place: Exchange['place'] = (_account, request) => {
      seen = request;
      return '1';
    };
    expect(await answer(query, stillExchange({ place }))).toBe('{"code":"1000","message":"success","id":"1"}');
    return seen;
  }

  it('tradeType 1 buys and 0 sells', async () => {
    expect(
      (await placed(`${ORDER}&method=order&price=30000&tradeType=0&sign=1187238e91b21e5ea0c10ee908690328`))?.side,
    ).toBe('sell');
    expect((await placed(`${ORDER}&customerOrderId=ab12&${END}&sign=0ec753c444741e6c0d6796f561c5eb3e`))?.side).toBe(
      'buy',
    );
  });

  it.each([
    [
      'any other value',
      `${ORDER}&method=order&orderType=7&price=30000&tradeType=1&sign=846021157853e96cc4f38f4efba0e4ef`,
    ],
    ['an empty one', `${ORDER}&method=order&orderType=&price=30000&tradeType=1&sign=77e47d5f8db88d95cfe1fc320135d2ba`],
  ])('an orderType of %s gives a limit order', async (_what, query) => {
    expect((await placed(query))?.type).toBe('limit');
  });

  it('customerOrderId takes 4 to 36 digits or letters', async () => {
    expect((await placed(`${ORDER}&customerOrderId=ab12&${END}&sign=0ec753c444741e6c0d6796f561c5eb3e`))?.clientId).toBe(
      'ab12',
    );
    expect(
      (await placed(`${ORDER}&customerOrderId=${LONGEST}&${END}&sign=834f0219ff8d4c3ca0531ee66129f18e`))?.clientId,
    ).toBe(LONGEST);
    const rule = refused('customerOrderId must be 4 to 36 letters or digits', '"3005"');
    expect(await answer(`${ORDER}&customerOrderId=ab1&${END}&sign=a9a3eb6686be2a3c48dbe2eacbe62260`)).toBe(rule);
    expect(await answer(`${ORDER}&customerOrderId=${LONGEST}a&${END}&sign=2891cbfca77d8447acf88eb835516ef3`)).toBe(
      rule,
    );
    expect(await answer(`${ORDER}&customerOrderId=ab_cd&${END}&sign=eb69c025f49432c3e37f876d1bf96100`)).toBe(rule);
  });

  it.each([
    [
      'a tradeType of 2',
      `${ORDER}&method=order&price=30000&tradeType=2&sign=4f261dd61e24e064b38d59eca02f3235`,
      'tradeType must be one of 1, 0',
    ],
    [
      'an acctType of 3',
      `acctType=3&${ORDER}&${END}&sign=b7c5fb7626fa0965246e4a0286b5428c`,
      'acctType must be one of 0, 1, 2',
    ],
  ])('refuses %s', async (_what, query, rule) => {
    expect(await answer(query)).toBe(refused(rule, '"3005"'));
  });
});

describe('lists and batches', () => {
  it('getOrders lists ten orders of a page and a side', async () => {
    const asked: unknown[] = [];
    const orders: Exchange['orders'] = (_account, market, query) => {
      asked.push(market, query);
      return [];
    };
    await answer(
      'currency=btc_usdt&method=getOrders&pageIndex=2&tradeType=0&sign=9e5a1d4d20ea60fab8cab77d5def873e',
      stillExchange({ orders }),
    );
    expect(asked).toEqual(['btc_usdt', { list: 'sell', page: 2, pageSize: 10 }]);
  });

  it('orderMoreV2 takes an acctType', async () => {
    const alice = stillExchange().account('6d8f62fd-3086-46e3-a0ba-c66a929c24e2');
    const account = () => alice && { ...alice, permissions: { ...alice.permissions, lever: true } };
    const placed: OrderRequest[] = [];
    const place: Exchange['place'] = (_account, request) => String(placed.push(request));
    const query =
      'acctType=1&market=btc_usdt&method=orderMoreV2&tradeParams=[[1,2]]&tradeType=1&sign=28503977cd32757ffaa5feafbae456cc';
    expect(await answer(query, stillExchange({ account, place }))).toBe(
      '{"code":"1000","message":"success","data":[1]}',
    );
    expect(placed.map((request) => request.accountType)).toEqual(['isolated']);
  });
});

describe('all operations', () => {
  it('serves every operation that the interface describes', () => {
    const served = SERVED.map(({ name }) => name);
    expect(Object.keys(operations).filter((name) => !served.includes(name))).toEqual([]);
  });

  it.each([
    [
      'POST',
      '/api/getFeeInfo',
      '{"code":3005,"message":"a parameter is missing or not valid: every operation is a GET"}',
    ],
    ['POST', '/data/v1/markets', '{"error":"a parameter is missing or not valid: every operation is a GET"}'],
  ])('refuses %s %s because every operation is a GET', async (method, path, body) => {
    const { port } = await serveInterface();
    const said = await send(
      port,
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect(said.slice(said.indexOf('\r\n\r\n') + 4)).toBe(body);
  });

  it.each(['setExpressState', 'setRepayState'])('refuses %s, which is known by name only', async (name) => {
    const { port } = await serveInterface();
    expect(await get(port, `/api/${name}?${ALICE}&method=${name}`)).toBe(
      '{"code":1001,"message":"the request could not be carried out: no such operation"}',
    );
  });

  it('kline takes its thirteen types only, and gives 1,000 rows by default', async () => {
    const asked: string[] = [];
    const candles: Exchange['candles'] = (_market, type, { size }) => {
      asked.push(`${type} ${size}`);
      return [];
    };
    const { port } = await serveInterface(stillExchange({ candles }));
    const types = '1min 3min 5min 15min 30min 1hour 2hour 4hour 6hour 12hour 1day 3day 1week'.split(' ');
    for (const type of types) {
      expect(await get(port, `/data/v1/kline?market=btc_usdt&type=${type}`)).toBe(
        '{"data":[],"moneyType":"USDT","symbol":"BTC"}',
      );
    }
    expect(asked).toEqual(types.map((type) => `${type} 1000`));
    expect(await get(port, '/data/v1/kline?market=btc_usdt&type=2min')).toContain('type must be one of');
  });

  it('kline gives only data after since', async () => {
    let since: number | undefined;
    const candles: Exchange['candles'] = (_market, _type, options) => {
      since = options.since;
      return [];
    };
    const { port } = await serveInterface(stillExchange({ candles }));
    await get(port, '/data/v1/kline?market=btc_usdt&type=1min&since=1540292400000');
    expect(since).toBe(1540292400001);
  });
});
