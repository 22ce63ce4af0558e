import { describe, expect, it } from 'vitest';
import { NotWritten } from '../../../src/sandbox/store/store.js';
import type { Exchange, OrderRequest } from './fake-exchange.js';
import { refusing, stillExchange } from './fake-exchange.js';
import { get, serveInterface } from './wire.js';

const ALICE = 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2';
const WATCHER = 'accesskey=ak-0001';
const TIME = 'reqTime=1540295995557';

/** Signatures here were made by another client of the interface and checked with OpenSSL. */
const REQUESTS = {
  account: `/api/getAccountInfo?${ALICE}&method=getAccountInfo&sign=fa5d8d4e37caa86551b9ac740df2b14c&${TIME}`,
  order: `/api/order?${ALICE}&amount=0.0123&currency=btc_usdt&method=order&price=31000.5&tradeType=1&sign=1a4cf619958f1be464dd20018b7e2ec1&${TIME}`,
  everything: `/api/order?${ALICE}&acctType=2&amount=0.0123&currency=btc_usdt&customerOrderId=abc123XYZ&enableExpress=true&enableRepay=false&method=order&orderType=2&price=31000.50&tradeType=1&sign=34941d459a3bec2f42c7734a35ac1696&${TIME}`,
  cancel: `/api/cancelOrder?${ALICE}&currency=btc_usdt&id=202202224851151555&method=cancelOrder&sign=2d5a1d49b0fded4000f038eb7abdc28d&${TIME}`,
  orders: `/api/getOrders?${ALICE}&currency=btc_usdt&method=getOrders&pageIndex=1&tradeType=1&sign=21cdda7c5beee13f76f801fad1c25657&${TIME}`,
  postOnly: `/api/order?${WATCHER}&amount=0.01&currency=btc_usdt&method=order&orderType=1&price=30000&tradeType=1&sign=bdddf73a0c422f4bfad6d8046b61407f&${TIME}`,
  asciiOrder: `/api/order?${WATCHER}&B=2&Z=5&_c=3&a=4&a1=6&aB=7&ab=8&b=1&method=order&sign=9170536f8ee48ef53bd5323d4711a4f7&${TIME}`,
  emptyValue: `/api/order?${WATCHER}&amount=1&currency=btc_usdt&customerOrderId=&method=order&price=2&tradeType=1&sign=3774a8e2df67a17ce55af8395758eb73&${TIME}`,
};

async function answer(path: string, exchange: Exchange = stillExchange()): Promise<string> {
  const { port } = await serveInterface(exchange);
  return await get(port, path);
}

describe('signed operations on the wire', () => {
  it('getAccountInfo answers with a flat object and every coin', async () => {
    expect(await answer(REQUESTS.account)).toBe(
      '{"result":{"coins":[{"key":"btc","enName":"BTC","cnName":"BTC","showName":"BTC","unitTag":"BTC",' +
        '"unitDecimal":8,"fundstype":1,"available":"1.50000000","freez":"0.25000000","isCanRecharge":true,' +
        '"isCanWithdraw":false,"canLoan":true}],"base":{"username":"alice","trade_password_enabled":true,' +
        '"auth_google_enabled":false,"auth_mobile_enabled":false}},"assetPerm":true,"leverPerm":false,' +
        '"entrustPerm":true,"moneyPerm":false}',
    );
  });

  it('order answers with a string code', async () => {
    let placed: OrderRequest | undefined;
    const place: Exchange['place'] = (_account, request) => {
      placed = request;
      return '202202224851151555';
    };
    expect(await answer(REQUESTS.order, stillExchange({ place }))).toBe(
      '{"code":"1000","message":"success","id":"202202224851151555"}',
    );
    expect(placed).toEqual({ market: 'btc_usdt', side: 'buy', type: 'limit', price: '31000.5', amount: '0.0123' });
  });

  it('order passes on every parameter of a margin order', async () => {
    let placed: OrderRequest | undefined;
    const place: Exchange['place'] = (_account, request) => {
      placed = request;
      return '202202224851151555';
    };
    const alice = stillExchange().account('6d8f62fd-3086-46e3-a0ba-c66a929c24e2');
    const account = () => alice && { ...alice, permissions: { ...alice.permissions, lever: true } };
    expect(await answer(REQUESTS.everything, stillExchange({ account, place }))).toContain('"code":"1000"');
    expect(placed).toEqual({
      ...{ market: 'btc_usdt', side: 'buy', type: 'ioc', price: '31000.50', amount: '0.0123' },
      ...{ clientId: 'abc123XYZ', accountType: 'cross', borrow: true, repay: false },
    });
  });

  it('cancelOrder answers with an object as its message', async () => {
    expect(await answer(REQUESTS.cancel)).toBe(
      '{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"amount":0.012300,"price":31000.50,"completeMonty":71.30115000,"completeAmount":0.002300}}}',
    );
  });

  const RECORD =
    '{"id":"202202224851151555","currency":"btc_usdt","price":31000.50,"total_amount":0.012300,"trade_amount":0.002300,' +
    '"trade_money":71.30115000,"trade_date":1540295990123,"status":3,"type":2,"fees":"0.07130115","useXxFee":false}';

  it('getOrder answers with a flat object', async () => {
    const sign = '34fe2bce0f4e67573c6433eefc438a59';
    const path = `/api/getOrder?${ALICE}&currency=btc_usdt&customerOrderId=abc123XYZ&method=getOrder&sign=${sign}&${TIME}`;
    expect(await answer(path)).toBe(RECORD);
  });

  it('getOrders answers with a plain list', async () => {
    expect(await answer(REQUESTS.orders)).toBe(`[${RECORD}]`);
  });

  it('getOrders answers 3001 for an empty page', async () => {
    expect(await answer(REQUESTS.orders, stillExchange({ orders: () => [] }))).toBe(
      '{"code":3001,"message":"order not found"}',
    );
  });
});

describe('refused signed operations', () => {
  const wrong = REQUESTS.order.replace('sign=1a', 'sign=1b');
  const refusals: readonly (readonly [what: string, path: string, body: string])[] = [
    ['a wrong signature', wrong, '{"code":"1003","message":"the signature is wrong"}'],
    [
      'a wrong signature elsewhere',
      REQUESTS.cancel.replace('sign=2d', 'sign=2e'),
      '{"code":1003,"message":"the signature is wrong"}',
    ],
    [
      'a short signature',
      REQUESTS.cancel.replace(/sign=\w+/, 'sign=2d5a'),
      '{"code":1003,"message":"the signature is wrong"}',
    ],
    [
      'an upper-case signature',
      REQUESTS.account.replace('fa5d8d4e37caa86551b9ac740df2b14c', 'FA5D8D4E37CAA86551B9AC740DF2B14C'),
      '{"code":1003,"message":"the signature is wrong"}',
    ],
    [
      'a parameter that was not signed',
      `${REQUESTS.account}&extra=1`,
      '{"code":1003,"message":"the signature is wrong"}',
    ],
    [
      'no signature',
      REQUESTS.account.replace(/&sign=\w+/, ''),
      '{"code":3005,"message":"a parameter is missing or not valid: sign is missing"}',
    ],
    [
      'no access key',
      '/api/getAccountInfo?method=getAccountInfo&sign=1&reqTime=1',
      '{"code":3005,"message":"a parameter is missing or not valid: accesskey is missing"}',
    ],
    [
      'an unknown access key',
      '/api/getAccountInfo?accesskey=nobody&method=getAccountInfo&sign=1&reqTime=1',
      '{"code":3004,"message":"no such user: the access key is not known"}',
    ],
    [
      'no parameters',
      '/api/order',
      '{"code":"3005","message":"a parameter is missing or not valid: method is missing"}',
    ],
    [
      'another method than the path',
      REQUESTS.account.replace('/api/getAccountInfo', '/api/order'),
      '{"code":"3005","message":"a parameter is missing or not valid: method must equal the last segment of the path"}',
    ],
    [
      'no reqTime',
      REQUESTS.account.replace(`&${TIME}`, ''),
      '{"code":3005,"message":"a parameter is missing or not valid: reqTime is missing"}',
    ],
    [
      'a reqTime that is no time',
      REQUESTS.account.replace(TIME, 'reqTime=yesterday'),
      '{"code":3005,"message":"a parameter is missing or not valid: reqTime must be milliseconds since the Unix epoch"}',
    ],
    [
      'an old reqTime',
      REQUESTS.account.replace(TIME, 'reqTime=1540295935556'),
      '{"code":3007,"message":"reqTime is out of range: more than 60 s from the exchange\'s clock"}',
    ],
    [
      'a reqTime of tomorrow',
      REQUESTS.account.replace(TIME, 'reqTime=1540382395557'),
      '{"code":3007,"message":"reqTime is out of range: more than 60 s from the exchange\'s clock"}',
    ],
    ['a key without permission', REQUESTS.postOnly, '{"code":"1012","message":"the key has no permission for this"}'],
    [
      'margin without its permission',
      REQUESTS.everything,
      '{"code":"1012","message":"the key has no permission for this: margin"}',
    ],
    [
      'a doubled parameter',
      `${REQUESTS.account}&method=getAccountInfo`,
      '{"code":3005,"message":"a parameter is missing or not valid: method is given twice"}',
    ],
    [
      'a batch without parameters',
      '/api/orderMoreV2',
      '{"code":"3005","message":"a parameter is missing or not valid: method is missing"}',
    ],
    [
      'market data here',
      '/api/ticker',
      '{"code":1001,"message":"the request could not be carried out: no such operation"}',
    ],
    ['no operation', '/', '{"code":1001,"message":"the request could not be carried out: no such operation"}'],
  ];
  it.each(refusals)('answers %s with its code and message', async (_what, path, body) => {
    expect(await answer(path)).toBe(body);
  });

  it.each([REQUESTS.asciiOrder, REQUESTS.emptyValue])('accepts the signature of %s', async (path) => {
    expect(await answer(path)).toBe('{"code":"1012","message":"the key has no permission for this"}');
  });

  it.each(['1540295935557', '1540296055557'])('accepts reqTime %s, just within the tolerance', async (time) => {
    expect(await answer(REQUESTS.cancel.replace(TIME, `reqTime=${time}`))).toContain('"code":1000');
  });

  it('passes on a refusal of the exchange with a string code', async () => {
    const place = refusing('belowMinSize', '5');
    expect(await answer(REQUESTS.order, stillExchange({ place }))).toBe(
      '{"code":"3003","message":"price times amount is below the minimum of the market: 5"}',
    );
  });

  it('answers 1002 for a defect, logs it and continues', async () => {
    const place = () => {
      throw new TypeError('a defect');
    };
    const { port, logged } = await serveInterface(stillExchange({ place }));
    expect(await get(port, REQUESTS.order)).toBe('{"code":"1002","message":"internal error"}');
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/^internal error in \/api\/order: TypeError: a defect/);
    expect(logged.join()).not.toMatch(/6d8f62fd|1a4cf619/);
    expect(await get(port, REQUESTS.cancel)).toContain('"code":1000');
  });
});

describe('a signed answer', () => {
  it.each([REQUESTS.order, REQUESTS.cancel, REQUESTS.orders])('waits until everything is durable: %s', async (path) => {
    const seen = { isAnswered: false, writes: [] as (() => void)[] };
    const durable = () => new Promise<void>((resolve) => void seen.writes.push(resolve));
    const { port } = await serveInterface(stillExchange({ durable }));
    const answered = get(port, path).then(() => {
      seen.isAnswered = true;
    });
    while (seen.writes.length === 0 && !seen.isAnswered) await get(port, '/data/v1/markets');
    // as long as an answer takes
    await get(port, '/data/v1/markets');
    expect(seen).toMatchObject({ isAnswered: false, writes: [expect.any(Function)] });
    for (const write of seen.writes) write();
    await answered;
  });
});

describe('after the disk failed', () => {
  const refused = "internal error: the exchange's data cannot be written: the disk is full";
  const full = () => Promise.reject(new NotWritten(Object.assign(new Error('full'), { code: 'ENOSPC' })));

  it('refuses signed requests with 1002 and the reason', async () => {
    const exchange = stillExchange({
      isFailing: true,
      durable: full,
      place: () => expect.fail('an order that would not last was placed'),
    });
    expect(await answer(REQUESTS.order, exchange)).toBe(`{"code":"1002","message":"${refused}"}`);
    expect(await answer(REQUESTS.account, exchange)).toBe(`{"code":1002,"message":"${refused}"}`);
  });

  it('answers the request that hit the failure in the same way', async () => {
    const exchange = stillExchange({ durable: full });
    expect(await answer(REQUESTS.order, exchange)).toBe(`{"code":"1002","message":"${refused}"}`);
  });

  it('still serves market data', async () => {
    const exchange = stillExchange({ isFailing: true, durable: full });
    expect(await answer('/data/v1/depth?market=btc_usdt', exchange)).toContain('"asks":[[');
  });
});
