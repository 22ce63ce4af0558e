import { describe, expect, it } from 'vitest';
import type { Exchange, OrderRequest } from './fake-exchange.js';
import { RECORD, stillExchange } from './fake-exchange.js';
import { get, serveInterface } from './wire.js';

/*
 * Requests as clients in Go, PHP, Python and JavaScript send them. The signatures were made with Python's hmac over the values
 * as they were sent.
 */

const ALICE = 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2';
const TIME = 'reqTime=1540295995557';

/** The placed orders, and an exchange that remembers them. */
function remembering() {
  const placed: OrderRequest[] = [];
  const place: Exchange['place'] = (_account, request) => String(202202224851151554n + BigInt(placed.push(request)));
  return { placed, exchange: stillExchange({ place }) };
}

async function answer(path: string, exchange: Exchange): Promise<string> {
  const { port } = await serveInterface(exchange);
  return await get(port, path);
}

describe('an order', () => {
  it('takes exponents as numbers', async () => {
    const { placed, exchange } = remembering();
    const path = `/api/order?${ALICE}&amount=1e-05&currency=btc_usdt&method=order&price=3.1e4&tradeType=1&sign=8367a01d084b23f60a53bc6181e6a90e&${TIME}`;
    expect(await answer(path, exchange)).toBe('{"code":"1000","message":"success","id":"202202224851151555"}');
    expect(placed).toMatchObject([{ price: '31000', amount: '0.00001' }]);
  });

  it.each([
    `/api/order?${ALICE}&acctType=0&amount=0.0123&currency=btc_usdt&enableExpress=true&enableRepay=true&method=order&price=31000.5&tradeType=0&sign=e2fd435887cf57f3d859015b25cea789&${TIME}`,
    `/api/order?${ALICE}&amount=1&currency=btc_usdt&enableExpress=1&method=order&price=2&tradeType=0&sign=7b66f5918ab240d027715dea06e9b683&${TIME}`,
  ])('ignores enableExpress and enableRepay on spot: %s', async (path) => {
    const { placed, exchange } = remembering();
    expect(await answer(path, exchange)).toBe('{"code":"1000","message":"success","id":"202202224851151555"}');
    expect(placed).toEqual([expect.not.objectContaining({ borrow: expect.anything() })]);
    expect(placed).toEqual([expect.not.objectContaining({ repay: expect.anything() })]);
  });
});

describe('the pairs of a batch', () => {
  const path = (pairs: string, sign: string) =>
    `/api/orderMoreV2?${ALICE}&market=btc_usdt&method=orderMoreV2&tradeParams=${pairs}&tradeType=1&sign=${sign}&${TIME}`;

  it.each([
    [
      'spaces',
      '%5B%5B31000.5,%200.01%5D,%20%5B30999,%200.02%5D%5D',
      '0194439eb62801465737cd7ce18b79b0',
      ['31000.5 0.01', '30999 0.02'],
    ],
    [
      'spaces that are sent as +',
      '[[31000.5,+0.01],+[30999,+0.02]]',
      '0194439eb62801465737cd7ce18b79b0',
      ['31000.5 0.01', '30999 0.02'],
    ],
    [
      'numbers in quotes and an exponent',
      '%5B%5B%2231000.5%22,%20%221e-05%22%5D,%20%5B%2230999%22,%220.02%22%5D%5D',
      '111a5fc0089f9e5c71a0cd6ee11a26a5',
      ['31000.5 0.00001', '30999 0.02'],
    ],
    ['single quotes', '%5B%5B%2731000.5%27,%270.01%27%5D%5D', '27f241b37b267ee6b55ee88f77f8d12a', ['31000.5 0.01']],
  ])('accepts pairs with %s', async (_what, pairs, sign, expected) => {
    const { placed, exchange } = remembering();
    const ids = expected.map((_, index) => `20220222485115155${5 + index}`).join(',');
    expect(await answer(path(pairs, sign), exchange)).toBe(`{"code":"1000","message":"success","data":[${ids}]}`);
    expect(placed.map(({ price, amount }) => `${price} ${amount}`)).toEqual(expected);
  });

  it.each([
    ['a space inside a number', '%5B%5B31%20000.5,0.01%5D%5D', '78934bc71235dae661d755fc454fe0b7'],
    ['quotes around a pair', '%5B%5B%2231000.5,0.01%22%5D%5D', '3485d879dfecd8b0946bacc8f4fa98db'],
  ])('refuses pairs with %s', async (_what, pairs, sign) => {
    const { placed, exchange } = remembering();
    expect(await answer(path(pairs, sign), exchange)).toBe(
      '{"code":"3005","message":"a parameter is missing or not valid: tradeParams must be 1 to 20 pairs like [[31000.5,0.01],[30999,0.02]]"}',
    );
    expect(placed).toEqual([]);
  });
});

describe('kline', () => {
  it.each([
    ['/data/v1/kline?market=btc_usdt&type=1hour&size=1001', '1hour', 1000],
    ['/data/v1/kline?market=btc_usdt&type=1hour&size=5000', '1hour', 1000],
    ['/data/v1/kline?market=btc_usdt', '1min', 1000],
    ['/data/v1/kline?market=btc_usdt&type=&size=10', '1min', 10],
  ])('%s gives candles of %s, at most %i', async (path, type, size) => {
    const asked: unknown[] = [];
    const still = stillExchange();
    const candles: Exchange['candles'] = (market, wanted, query) => {
      asked.push([wanted, query.size]);
      return still.candles(market, wanted, query);
    };
    expect(await answer(path, { ...still, candles })).toBe(
      '{"data":[[1540292400000,30500.00,31200.00,30100.10,31000.50,12.340000]],"moneyType":"USDT","symbol":"BTC"}',
    );
    expect(asked).toEqual([[type, size]]);
  });
});

describe('a list of orders', () => {
  const LISTED =
    '[{"id":"202202224851151555","currency":"btc_usdt","price":31000.50,"total_amount":0.012300,"trade_amount":0.002300,' +
    '"trade_money":71.30115000,"trade_date":1540295990123,"status":3,"type":2,"fees":"0.07130115","useXxFee":false}]';

  it.each([
    `/api/getOrders?${ALICE}&currency=btc_usdt&method=getOrders&tradeType=1&sign=7a843151bc13e2854b58b85667f081c5&${TIME}`,
    `/api/getOrders?${ALICE}&currency=btc_usdt&method=getOrders&pageIndex=0&tradeType=1&sign=571591acbaad5c76bd8ed8220a0d193e&${TIME}`,
    `/api/getOrdersNew?${ALICE}&currency=btc_usdt&method=getOrdersNew&pageIndex=0&pageSize=0&tradeType=1&sign=6e54b19849399c448397de4e01f34617&${TIME}`,
    `/api/getUnfinishedOrdersIgnoreTradeType?${ALICE}&currency=btc_usdt&method=getUnfinishedOrdersIgnoreTradeType&sign=0d650804aa28d7915e9d09685e1a301b&${TIME}`,
  ])('gives the first ten without a page or with 0: %s', async (path) => {
    const asked: unknown[] = [];
    const orders: Exchange['orders'] = (_account, _market, { page, pageSize }) => {
      asked.push([page, pageSize]);
      return [RECORD];
    };
    expect(await answer(path, stillExchange({ orders }))).toBe(LISTED);
    expect(asked).toEqual([[1, 10]]);
  });

  it.each([
    ['0.000000', 'open', 3],
    ['0.002300', 'open', 3],
    ['0.000000', 'cancelled', 1],
    ['0.002300', 'cancelled', 2],
    ['0.012300', 'filled', 2],
  ] as const)('shows an order with %s filled that is %s with status %i', async (filled, state, status) => {
    const path = `/api/getOrder?${ALICE}&currency=btc_usdt&id=202202224851151555&method=getOrder&sign=3e79ed6ff02c2bb73bb302feb644b69c&${TIME}`;
    expect(await answer(path, stillExchange({ order: () => ({ ...RECORD, filled, state }) }))).toContain(
      `"trade_amount":${filled},"trade_money":71.30115000,"trade_date":1540295990123,"status":${status},`,
    );
  });
});
