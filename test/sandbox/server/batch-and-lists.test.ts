import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import type { Exchange, OrderRequest } from './fake-exchange.js';
import { RECORD, refusing, stillExchange } from './fake-exchange.js';
import { get, serveInterface } from './wire.js';

const ALICE = 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2';
const TIME = 'reqTime=1540295995557';

async function answer(path: string, exchange: Exchange = stillExchange()): Promise<string> {
  const { port } = await serveInterface(exchange);
  return await get(port, path);
}

/** Signatures here were made with OpenSSL over the raw text, which for orderMoreV2 is not percent-encoded. */
describe('orderMoreV2', () => {
  const TWO = `/api/orderMoreV2?${ALICE}&market=btc_usdt&method=orderMoreV2&tradeParams=%5B%5B31000.5%2C0.01%5D%2C%5B30999%2C0.02%5D%5D&tradeType=1&sign=35d6190e504c216df48b0572f5f66130&${TIME}`;
  const THREE = `/api/orderMoreV2?${ALICE}&market=btc_usdt&method=orderMoreV2&tradeParams=[[1,2],[3.50,4],[5,6]]&tradeType=0&sign=d9c6f3b0c0bbc871310e91fae54cde15&${TIME}`;

  function noting(refuse: (request: OrderRequest) => boolean = () => false) {
    const placed: OrderRequest[] = [];
    const place: Exchange['place'] = (_account, request) => {
      placed.push(request);
      if (refuse(request)) throw new RequestRefused('belowMinSize', '5');
      return `20220222485115155${placed.length}`;
    };
    return { placed, exchange: stillExchange({ place }) };
  }

  it('answers with a string code and number ids, in the order of the pairs', async () => {
    const { placed, exchange } = noting();
    expect(await answer(TWO, exchange)).toBe(
      '{"code":"1000","message":"success","data":[202202224851151551,202202224851151552]}',
    );
    expect(placed).toEqual([
      { market: 'btc_usdt', side: 'buy', type: 'limit', price: '31000.5', amount: '0.01' },
      { market: 'btc_usdt', side: 'buy', type: 'limit', price: '30999', amount: '0.02' },
    ]);
  });

  it('places the other pairs if some are refused, and says how many', async () => {
    const { placed, exchange } = noting(({ price }) => price === '3.50');
    expect(await answer(THREE, exchange)).toBe(
      '{"code":"1000","message":"2 of 3 orders were placed; the first refusal is 3003: ' +
        'price times amount is below the minimum of the market: 5","data":[202202224851151551,202202224851151553]}',
    );
    expect(placed.map(({ side, price, amount }) => [side, price, amount])).toEqual([
      ['sell', '1', '2'],
      ['sell', '3.50', '4'],
      ['sell', '5', '6'],
    ]);
  });

  it('answers with the first refusal if all pairs are refused', async () => {
    const { exchange } = noting(() => true);
    expect(await answer(THREE, exchange)).toBe(
      '{"code":"3003","message":"price times amount is below the minimum of the market: 5"}',
    );
  });

  it('reports an internal error instead of a refused pair', async () => {
    const place = () => {
      throw new TypeError('a defect');
    };
    expect(await answer(TWO, stillExchange({ place }))).toBe('{"code":"1002","message":"internal error"}');
  });

  it('refuses more than twenty pairs', async () => {
    const { placed, exchange } = noting();
    const pairs = `[${Array(21).fill('[1,1]').join(',')}]`;
    const path = `/api/orderMoreV2?${ALICE}&market=btc_usdt&method=orderMoreV2&tradeParams=${pairs}&tradeType=0&sign=4b4b503139ea22f820f23074d4d21378&${TIME}`;
    expect(await answer(path, exchange)).toMatch(
      /^\{"code":"3005","message":"a parameter is missing or not valid: tradeParams must be 1 to 20 pairs/,
    );
    expect(placed).toEqual([]);
  });
});

describe('cancelAllOrdersAfter', () => {
  const path = `/api/cancelAllOrdersAfter?${ALICE}&currency=btc_usdt&method=cancelAllOrdersAfter&sign=af73e7155f0a9988af0c39028c21af13&${TIME}`;

  it('answers with a number code', async () => {
    const asked: string[] = [];
    const cancelAllAfter: Exchange['cancelAllAfter'] = ({ username }, market) => asked.push(`${username} ${market}`);
    expect(await answer(path, stillExchange({ cancelAllAfter }))).toBe('{"code":1000,"message":"success"}');
    expect(asked).toEqual(['alice btc_usdt']);
  });

  it('refuses an unknown market', async () => {
    const exchange = stillExchange({ markets: new Map() });
    expect(await answer(path, exchange)).toBe('{"code":1001,"message":"unknown market: btc_usdt"}');
  });
});

describe('the relatives of getOrders', () => {
  const RECORDED =
    '{"id":"202202224851151555","currency":"btc_usdt","price":31000.50,"total_amount":0.012300,"trade_amount":0.002300,' +
    '"trade_money":71.30115000,"trade_date":1540295990123,"status":3,"type":2,"fees":"0.07130115","useXxFee":false}';
  const path = (method: string, rest: string, sign: string) =>
    `/api/${method}?${ALICE}&currency=btc_usdt&method=${method}&${rest}&sign=${sign}&${TIME}`;
  const TEN = 'pageIndex=1&pageSize=10';

  it.each([
    [
      'getOrdersNew',
      'one side of a market',
      'pageIndex=2&pageSize=25&tradeType=0',
      '9aaa1a992bb122a95b1b47b401135f54',
      'sell 2 25',
    ],
    ['getOrdersIgnoreTradeType', 'both sides', TEN, '53bd2adebe35b32d27059a38d3a0f7cf', 'all 1 10'],
    ['getUnfinishedOrdersIgnoreTradeType', 'open orders', TEN, 'd58d25091b5f2fe51833805043fe5565', 'open 1 10'],
    ['getFinishedAndPartialOrders', 'orders that have traded', TEN, '0ddbd5b6da0660bfbf9d242879319c46', 'traded 1 10'],
  ])('%s lists %s, page by page', async (method, _what, rest, sign, asked) => {
    let query = '';
    const orders: Exchange['orders'] = (_account, _market, { list, page, pageSize }) => {
      query = `${list} ${page} ${pageSize}`;
      return [RECORD];
    };
    expect(await answer(path(method, rest, sign), stillExchange({ orders }))).toBe(`[${RECORDED}]`);
    expect(query).toBe(asked);
    const none = stillExchange({ orders: () => [] });
    expect(await answer(path(method, rest, sign), none)).toBe('{"code":3001,"message":"order not found"}');
  });

  it('refuses more than a hundred orders per page', async () => {
    const rest = 'pageIndex=1&pageSize=101';
    expect(await answer(path('getFinishedAndPartialOrders', rest, '31fe29cb50032244180987744df7dcb4'))).toBe(
      '{"code":3005,"message":"a parameter is missing or not valid: pageSize must be a whole number from 1 to 100"}',
    );
  });

  it('requires the permission entrust', async () => {
    const account = stillExchange().account('ak-0001');
    const exchange = stillExchange({
      account: () => account && { ...account, secretKey: SECRET },
      orders: refusing('internal'),
    });
    expect(await answer(path('getOrdersIgnoreTradeType', TEN, '53bd2adebe35b32d27059a38d3a0f7cf'), exchange)).toBe(
      '{"code":1012,"message":"the key has no permission for this"}',
    );
  });
});

/** Alice's, so that her signature is right for an account that may do less. */
const SECRET = '48939bbc-8d49-402b-b731-adadf2ea9628';
