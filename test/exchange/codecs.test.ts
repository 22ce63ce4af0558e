import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.js';
import type { OrderState, OrderTerms, OrderType } from '../../src/domain/order.js';
import type { CompletionName, ExchangeClient } from '../../src/exchange/exchange-client.js';
import { ExchangeClient as Client } from '../../src/exchange/exchange-client.js';
import type { Pages } from '../../src/exchange/lists/growing-pages.js';
import { sortLevels } from '../../src/exchange/operations/market-data.js';
import { likelyOrders, readRawWithdrawal, readRawWrite } from '../../src/exchange/requests/raw-writes.js';
import { requestOf } from '../../src/exchange/requests/write-requests.js';
import { TimeBudget } from '../../src/platform/time-budget.js';
import { fakeHost } from '../support/fake-host.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { KEYS } from './support.js';

/** What a client sends and makes of a body, both in literals. Common parameters of signed requests are left out. */
async function exchanged<Value>(body: string, call: (client: ExchangeClient) => Promise<Value>) {
  const sent: string[] = [];
  const seen: CompletionName[] = [];
  const server = await serveFaults({
    answer: ({ target }) => {
      const { pathname, searchParams } = new URL(target, 'http://localhost');
      for (const name of ['method', 'accesskey', 'sign', 'reqTime']) searchParams.delete(name);
      sent.push(`${pathname}?${decodeURIComponent(String(searchParams))}`);
      return respond(body);
    },
  });
  const host = fakeHost();
  const client = new Client({
    ...{ host, hosts: { baseUrl: server.url, tradeUrl: server.url }, credentials: () => KEYS },
    ...{ budget: new TimeBudget(5_000, host.now), onNames: (one) => seen.push(one) },
  });
  const value = await call(client);
  return { sent: sent.join(' '), value, seen };
}

/** The records of the first page, and what is known of the whole list. */
async function pageOf<Record>(pages: Pages<Record>) {
  const { value: records } = (await pages.next()) as IteratorYieldResult<readonly Record[]>;
  const { value: extent } = await pages.next();
  return { records, extent };
}

const TERMS: OrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot' },
  ...{ price: '31000.5', amount: '0.01', borrow: false, repay: false },
};

const RECORD = {
  ...{ id: '202202224851151555', currency: 'btc_usdt', price: 31000.5, total_amount: 0.02, trade_amount: 0.01 },
  ...{ trade_money: 310, trade_date: 1648461600123, status: 3, type: 1, fees: '0.00002', useAbFee: true },
};

const ORDER = {
  ...{ id: '202202224851151555', clientId: null, market: 'btc_usdt', side: 'buy', type: 'limit' },
  ...{ price: '31000.5', amount: '0.02', filled: '0.01', filledValue: '310', fee: '0.00002', feeCoin: null },
  ...{ feeDiscount: true },
  ...{ time: 1648461600123, state: 'open', status: 3 },
};

describe('placing an order', () => {
  it.each<[string, Partial<OrderTerms>, string]>([
    ['limit buy', {}, 'tradeType=1&price=31000.5&amount=0.01'],
    ['limit sell', { side: 'sell' }, 'tradeType=0&price=31000.5&amount=0.01'],
    ['post-only order', { type: 'postOnly' }, 'tradeType=1&price=31000.5&amount=0.01&orderType=1'],
    ['IOC order', { type: 'ioc' }, 'tradeType=1&price=31000.5&amount=0.01&orderType=2'],
    ['isolated margin order', { account: 'isolated' }, 'tradeType=1&price=31000.5&amount=0.01&acctType=1'],
    [
      'cross margin order with loans',
      { account: 'cross', borrow: true, repay: true },
      'tradeType=1&price=31000.5&amount=0.01&acctType=2&enableExpress=true&enableRepay=true',
    ],
  ])('writes a %s as documented', async (_, changes, query) => {
    const body = '{"code":"1000","message":"ok","id":"7"}';
    const { sent, value } = await exchanged(body, (client) => client.placeOrder({ ...TERMS, ...changes }, 'mine0001'));
    const parameters = (text: string) => [...new URLSearchParams(text)].map(String).sort();
    expect(sent.startsWith('/api/order?')).toBe(true);
    expect(parameters(sent.slice('/api/order?'.length))).toEqual(
      parameters(`currency=btc_usdt&customerOrderId=mine0001&${query}`),
    );
    expect(value).toEqual({ kind: 'done', value: { id: '7' } });
  });

  it('reports the order that was placed to observers', async () => {
    const { seen } = await exchanged('{"code":"1000","id":"7"}', (client) =>
      client.placeOrder({ ...TERMS, type: 'ioc' }, 'mine0001'),
    );
    const terms = { ...TERMS, type: 'ioc' };
    expect(seen).toEqual([
      { kind: 'placed', market: 'btc_usdt', type: 'ioc', clientId: 'mine0001', ids: ['7'], terms },
    ]);
  });

  it('writes a batch as one list of pairs', async () => {
    const orders = [
      { price: '31000.5', amount: '0.01' },
      { price: '30999', amount: '0.02' },
    ];
    const batch = { market: 'btc_usdt', side: 'sell', account: 'cross', orders } as const;
    const { sent, value, seen } = await exchanged('{"code":"1000","message":"ok","data":[7,8]}', (client) =>
      client.placeOrders(batch),
    );
    expect(sent).toBe(
      '/api/orderMoreV2?market=btc_usdt&tradeParams=[[31000.5,0.01],[30999,0.02]]&tradeType=0&acctType=2',
    );
    expect(value).toEqual({ kind: 'done', value: { ids: ['7', '8'], message: 'ok' } });
    expect(seen).toEqual([
      { kind: 'placed', market: 'btc_usdt', type: 'limit', clientId: null, ids: ['7', '8'], terms: null },
    ]);
  });
});

describe('reading orders', () => {
  it('reads one by its id or its client id, and returns it with the given id', async () => {
    const byId = await exchanged(JSON.stringify(RECORD), (client) => client.getOrder('btc_usdt', { id: RECORD.id }));
    expect([byId.sent, byId.value]).toEqual([`/api/getOrder?currency=btc_usdt&id=${RECORD.id}`, ORDER]);
    const own = await exchanged(JSON.stringify(RECORD), (client) => client.getOrder('btc_usdt', { clientId: 'mine1' }));
    expect(own.sent).toBe('/api/getOrder?currency=btc_usdt&customerOrderId=mine1');
    expect(own.value).toEqual({ ...ORDER, clientId: 'mine1' });
    expect(own.seen).toEqual([{ kind: 'orders', orders: [own.value] }]);
  });

  it.each<[number, string, OrderType | 'other']>([
    [0, 'sell', 'limit'],
    [1, 'buy', 'limit'],
    [2, 'sell', 'postOnly'],
    [3, 'buy', 'postOnly'],
    [4, 'sell', 'ioc'],
    [5, 'buy', 'ioc'],
    [6, 'sell', 'other'],
    [7, 'buy', 'other'],
  ])('reads type %i as a %s of type %s', async (type, side, name) => {
    const { value } = await exchanged(JSON.stringify({ ...RECORD, type }), (client) =>
      client.getOrder('btc_usdt', { id: RECORD.id }),
    );
    expect(value).toMatchObject({ side, type: name });
  });

  it.each<[object, string | null]>([
    [{ type: 1, useAbFee: false }, 'btc'],
    [{ type: 0, useAbFee: false }, 'usdt'],
    [{ type: 1, useAbFee: true }, null],
    [{ type: 1, useAbFee: false, fees: undefined }, null],
  ])('reads %j as paying its fee in %s (observed)', async (changes, coin) => {
    const { value } = await exchanged(JSON.stringify({ ...RECORD, ...changes }), (client) =>
      client.getOrder('btc_usdt', { id: RECORD.id }),
    );
    expect(value).toMatchObject({ feeCoin: coin });
  });

  it.each<[number, number, OrderState]>([
    [0, 0, 'open'],
    [3, 0.01, 'open'],
    [1, 0, 'cancelled'],
    [2, 0.02, 'filled'],
    [2, 0.01, 'cancelled'],
    [4, 0.02, 'other'],
  ])('reads status %i with %d of 0.02 filled as %s', async (status, trade_amount, state) => {
    const { value } = await exchanged(JSON.stringify({ ...RECORD, status, trade_amount }), (client) =>
      client.getOrder('btc_usdt', { id: RECORD.id }),
    );
    expect(value).toMatchObject({ state, status });
  });

  it('reads a page of one side', async () => {
    const { sent, value } = await exchanged(JSON.stringify([RECORD]), (client) =>
      client.orderPage('btc_usdt', 'buy', 3),
    );
    expect([sent, value]).toEqual(['/api/getOrders?currency=btc_usdt&pageIndex=3&tradeType=1', [ORDER]]);
  });

  it.each([
    ['another order', { id: '8' }, 'pit asked for order 202202224851151555 and got order 8'],
    ['an order of another market', { currency: 'eth_usdt' }, 'got order 202202224851151555 of eth_usdt'],
  ])('refuses %s than was asked for', async (_, changes, message) => {
    const body = JSON.stringify({ ...RECORD, ...changes });
    const read = exchanged(body, (client) => client.getOrder('btc_usdt', { id: RECORD.id }));
    await expect(read).rejects.toMatchObject({ kind: 'internal', message: expect.stringContaining(message) });
  });

  it.each(['BTC_USDT', 'btcusdt', 'btc-usdt'])('takes %s for the market btc_usdt', async (currency) => {
    const body = JSON.stringify({ ...RECORD, currency });
    const { value } = await exchanged(body, (client) => client.getOrder('btc_usdt', { id: RECORD.id }));
    expect(value).toMatchObject({ id: RECORD.id });
  });

  it.each([
    ['of another market', { currency: 'eth_usdt' }, 'of eth_usdt'],
    ['of the other side', { type: 0 }, 'pit asked for buy orders and got the sell order'],
  ])('refuses a page with an order %s', async (_, changes, message) => {
    const body = JSON.stringify([RECORD, { ...RECORD, id: '8', ...changes }]);
    const read = exchanged(body, (client) => client.orderPage('btc_usdt', 'buy', 1));
    await expect(read).rejects.toMatchObject({ kind: 'internal', message: expect.stringContaining(message) });
  });

  it('treats the code for a missing order as an empty page or no order', async () => {
    const body = '{"code":3001,"message":"order not found"}';
    expect((await exchanged(body, (client) => client.orderPage('btc_usdt', 'buy', 1))).value).toEqual([]);
    expect((await exchanged(body, (client) => client.findOrder('btc_usdt', { id: '7' }))).value).toBeUndefined();
  });
});

describe('cancelling', () => {
  it('returns what the exchange reports of the order', async () => {
    const body =
      '{"code":1000,"message":{"des":"done","isSuc":true,"datas":{"amount":0.02,"price":31000.5,"completeMonty":310,"completeAmount":0.01}}}';
    const { sent, value, seen } = await exchanged(body, (client) => client.cancelOrder('btc_usdt', { id: '7' }));
    expect(sent).toBe('/api/cancelOrder?currency=btc_usdt&id=7');
    const answer = {
      code: 1000,
      message: 'done',
      price: '31000.5',
      amount: '0.02',
      filled: '0.01',
      filledValue: '310',
    };
    expect(value).toEqual({ kind: 'done', value: answer });
    expect(seen).toEqual([{ kind: 'cancelled', order: { id: '7' } }]);
  });

  it('the answer to a cancellation may lack details', async () => {
    const { sent, value } = await exchanged('{"code":1000,"message":"done"}', (client) =>
      client.cancelOrder('btc_usdt', { clientId: 'mine1' }),
    );
    expect(sent).toBe('/api/cancelOrder?currency=btc_usdt&customerOrderId=mine1');
    const answer = { code: 1000, message: 'done', price: null, amount: null, filled: null, filledValue: null };
    expect(value).toEqual({ kind: 'done', value: answer });
  });

  it('starts the timer of a market', async () => {
    const { sent, value } = await exchanged('{"code":1000,"message":"ok"}', (client) =>
      client.cancelAllAfter('btc_usdt'),
    );
    expect(sent).toBe('/api/cancelAllOrdersAfter?currency=btc_usdt');
    expect(value).toEqual({ kind: 'done', value: null });
  });
});

describe('market data', () => {
  const FIELDS = '{"high":"3","low":"1","buy":"1.9","sell":"2.1","last":"2","open":"1.5","riseRate":"33.3","vol":""}';
  const TICKER = { bid: '1.9', ask: '2.1', last: '2', open: '1.5', high: '3', low: '1', change: '33.3', volume: null };

  it('names the prices of a ticker', async () => {
    const { sent, value } = await exchanged(`{"ticker":${FIELDS},"date":"1648461600123"}`, (client) =>
      client.ticker({ market: 'btc_usdt' }),
    );
    expect([sent, value]).toEqual(['/data/v1/ticker?market=btc_usdt', { time: 1648461600123, ...TICKER }]);
  });

  it.each(['btcusdt', 'btc_usdt'])('finds a market among all tickers under the key %s', async (key) => {
    const { value } = await exchanged(`{"${key}":${FIELDS}}`, (client) => client.tickers());
    expect([value.of('btc_usdt'), value.of('eth_usdt')]).toEqual([TICKER, undefined]);
  });

  it('takes prices of zero for none, and the change of a market without a last price', async () => {
    const untraded =
      '{"high":"0.0","low":0,"buy":"0.00","sell":"2.1","last":"0.0","open":"0E-8","riseRate":"0.0","vol":"0"}';
    const { value } = await exchanged(`{"ticker":${untraded},"date":"1648461600123"}`, (client) =>
      client.ticker({ market: 'btc_usdt' }),
    );
    expect(value).toEqual({
      ...{ time: 1648461600123, bid: null, ask: '2.1', last: null, open: null, high: null, low: null },
      ...{ change: null, volume: '0' },
    });
  });

  it('sorts a book best first and keeps the requested size', async () => {
    const body = '{"asks":[[12,1],[10,1],[9,0.5]],"bids":[[7,1],[8,2],[6,1]],"timestamp":1648461600}';
    const { sent, value } = await exchanged(body, (client) =>
      client.depth({ market: 'btc_usdt', size: 2, merge: '0.1' }),
    );
    expect(sent).toBe('/data/v1/depth?market=btc_usdt&size=2&merge=0.1');
    expect(value).toEqual({
      time: 1648461600000,
      bids: [
        { price: '8', amount: '2' },
        { price: '7', amount: '1' },
      ],
      asks: [
        { price: '9', amount: '0.5' },
        { price: '10', amount: '1' },
      ],
    });
  });

  it('names the fields of trades', async () => {
    const body = '[{"date":1648461600,"price":2.0,"amount":0.5,"tid":9,"trade_type":"ask","type":"sell"}]';
    const { sent, value } = await exchanged(body, (client) => client.trades('btc_usdt', '8'));
    expect(sent).toBe('/data/v1/trades?market=btc_usdt&since=8');
    expect(value).toEqual([
      { id: '9', time: 1648461600000, side: 'sell', orderSide: 'sell', price: '2.0', amount: '0.5' },
    ]);
  });

  it('requests candles from an inclusive time, and returns them oldest first', async () => {
    const rows = '[1648461720000,2,2,2,2,1],[1648461600000,1,1,1,1,0],[1648461660000,1,3,1,2,5]';
    const { sent, value } = await exchanged(`{"data":[${rows}],"moneyType":"USDT","symbol":"BTC"}`, (client) =>
      client.candlePage({ market: 'btc_usdt', type: '1min', from: 1648461660000, size: 100 }),
    );
    expect(sent).toBe('/data/v1/kline?market=btc_usdt&type=1min&since=1648461659999&size=100');
    expect(value.rows).toEqual([
      { time: 1648461660000, open: '1', high: '3', low: '1', close: '2', volume: '5' },
      { time: 1648461720000, open: '2', high: '2', low: '2', close: '2', volume: '1' },
    ]);
  });
});

describe('funds', () => {
  it('names the balances of the account and the permissions of the key', async () => {
    const coin =
      '{"key":"BTC","enName":"BTC","cnName":"x","showName":"Bitcoin","unitTag":"b","unitDecimal":8,"fundstype":2,"available":"0.10","freez":"0.5","isCanRecharge":true,"isCanWithdraw":false,"canLoan":true}';
    const base =
      '{"username":"a","trade_password_enabled":true,"auth_google_enabled":false,"auth_mobile_enabled":true}';
    const permissions = '"assetPerm":true,"leverPerm":false,"entrustPerm":true,"moneyPerm":false';
    const { value, seen } = await exchanged(`{"result":{"coins":[${coin}],"base":${base}},${permissions}}`, (client) =>
      client.account(),
    );
    expect(value).toEqual({
      ...{ username: 'a', tradePassword: true, googleAuth: false, mobileAuth: true },
      permissions: { asset: true, lever: false, entrust: true, money: false },
      coins: [
        {
          ...{ coin: 'btc', name: 'Bitcoin', available: '0.10', frozen: '0.5', scale: 8 },
          ...{ canDeposit: true, canWithdraw: false, canLoan: true },
          details: {
            ...{ key: 'BTC', enName: 'BTC', cnName: 'x', showName: 'Bitcoin' },
            ...{ unitTag: 'b', unitDecimal: 8, fundstype: 2 },
          },
        },
      ],
    });
    expect(seen).toEqual([{ kind: 'coins', coins: ['btc'] }]);
  });

  it('refuses balances that list a coin twice, in whatever case', async () => {
    const coins = ['btc', 'usdt', 'BTC'].map((key) => ({ key, available: '1', freez: '0' }));
    const answer = exchanged(JSON.stringify({ result: { coins } }), (client) => client.account());
    await expect(answer).rejects.toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('field "result.coins": expected each coin once'),
    });
  });

  it.each([
    [0, 'submitted'],
    [1, 'failed'],
    [2, 'success'],
    [3, 'cancelled'],
    [4, 'other'],
    [5, 'confirmed'],
  ])('reads the withdrawal status %i as %s', async (status, state) => {
    const record = { id: 7, amount: 1.5, fees: 0.1, status, submitTime: 1648461600123, manageTime: 1648461700000 };
    const list = [{ ...record, toAddress: 'addr', merchantOrderNo: 'no', hash: '0x1' }];
    const body = JSON.stringify({ code: 1000, message: { des: '', isSuc: true, datas: { list, totalCount: 1 } } });
    const { sent, value } = await exchanged(body, (client) => pageOf(client.withdrawals({ coin: 'btc' }, 2)));
    expect(sent).toBe('/api/getWithdrawRecord?currency=btc&pageIndex=2&pageSize=50');
    expect(value.records).toEqual([
      {
        ...{ id: '7', time: 1648461600123, processedTime: 1648461700000, coin: 'btc', amount: '1.5', fee: '0.1' },
        ...{ address: 'addr', hash: '0x1', merchantOrderNo: 'no', state, status },
      },
    ]);
  });

  it.each([
    [0, 'waiting'],
    [1, 'failed'],
    [2, 'success'],
    [3, 'other'],
  ])('reads the deposit status %i as %s', async (status, state) => {
    const record = { id: '7', address: 'a', amount: '1.50', confirmTimes: 3, currency: 'BTC', description: 'd' };
    const list = [{ ...record, hash: '', itransfer: 0, status, submit_time: '2022-03-28 10:00:00' }];
    const body = JSON.stringify({ code: 1000, message: { des: '', isSuc: true, datas: { list, total: 1 } } });
    const { sent, value } = await exchanged(body, (client) => pageOf(client.undatedDeposits({ coin: 'btc' }, 1)));
    expect(sent).toBe('/api/getChargeRecord?currency=btc&pageIndex=1&pageSize=50');
    expect(value.records).toEqual([
      {
        ...{ id: '7', timeRaw: '2022-03-28 10:00:00', coin: 'btc', amount: '1.50', address: 'a', hash: null },
        ...{ confirmations: 3, internal: false, description: 'd', state, status },
      },
    ]);
  });

  it('a deposit may lack what an exchange leaves out', async () => {
    const list = [{ id: 7, amount: 1.5, status: 2, itransfer: 1 }];
    const body = JSON.stringify({ code: 1000, message: { des: '', isSuc: true, datas: { list } } });
    const { value } = await exchanged(body, (client) => pageOf(client.undatedDeposits({ coin: 'btc' }, 1)));
    expect(value).toEqual({
      records: [
        {
          ...{ id: '7', timeRaw: null, coin: 'btc', amount: '1.5', address: null, hash: null, confirmations: null },
          ...{ internal: true, description: null, state: 'success', status: 2 },
        },
      ],
      extent: { hasOlder: false, page: 1, rowCount: null, pageCount: null },
    });
    const plain = body.replace(',"itransfer":1', '');
    const { value: unstated } = await exchanged(plain, (client) => pageOf(client.undatedDeposits({ coin: 'btc' }, 1)));
    expect(unstated.records[0]?.internal).toBeNull();
  });

  it.each([
    ['recent', undefined, '/api/getSpotBills?dataType=0&pageIndex=2&pageSize=50'],
    ['older', 'btc', '/api/getSpotBills?currency=btc&endDate=2022-03-28 10:00:00&dataType=1&pageIndex=2&pageSize=50'],
  ] as const)('asks for %s bills', async (age, coin, request) => {
    const until = coin === undefined ? undefined : '2022-03-28 10:00:00';
    const { sent, value } = await exchanged('{"code":1000,"message":"ok","result":[]}', (client) =>
      client.billPage({ coin, age, until, page: 2, size: 50 }),
    );
    expect([sent.replace('+', ' '), value]).toEqual([request, []]);
  });

  it.each([
    ['"balance":"2 BTC","total":"1.50"', '2', '1.50'],
    ['"balance":"1.50 BTC","total":null', '1.50', null],
    ['"balance":"1.50 BTC","total":"--"', '1.50', null],
    ['"total":"1.50 BTC"', null, '1.50'],
    ['"balance":null', null, null],
  ])('reads both balances of a bill, each by itself: %s', async (balances, balance, total) => {
    const bill = `{"id":7,"currencyName":"BTC",${balances},"changeAmount":"-0.5 BTC","date":1648461600123,"showDate":"2022-03-28 10:00:00","remark":"r","typeDesc":"Sell"}`;
    const { value } = await exchanged(`{"code":1000,"message":"ok","result":[${bill}]}`, (client) =>
      client.billPage({ coin: 'btc', age: 'recent', page: 1, size: 50 }),
    );
    const [first] = value;
    expect(first).toMatchObject({ id: '7', time: 1648461600123, shownTime: '2022-03-28 10:00:00' });
    expect(first?.read()).toEqual({
      ...{ id: '7', time: 1648461600123, coin: 'btc', type: 'Sell', change: '-0.5', balance, total },
      ...{ remark: 'r', timeRaw: '2022-03-28 10:00:00' },
    });
  });

  it.each([
    ['{"key":"1BoatSLRHtKNngkdXEeobR76b53LETtpyT"}', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'],
    ['{"key":null}', null],
    ['{}', null],
    ['null', null],
  ])('reads the address in %s', async (datas, address) => {
    const body = `{"code":1000,"message":{"des":"ok","isSuc":true,"datas":${datas}}}`;
    const deposit = await exchanged(body, (client) => client.depositAddressText({ coin: 'btc' }));
    expect([deposit.sent, deposit.value]).toEqual(['/api/getUserAddress?currency=btc', address]);
    const withdrawal = await exchanged(body, (client) => client.verifiedAddressText({ coin: 'btc' }));
    expect([withdrawal.sent, withdrawal.value]).toEqual(['/api/getWithdrawAddress?currency=btc', address]);
  });

  it.each<[string, string, object]>([
    ['an address', '"isUseMemo":false,"address":"addr"', { address: 'addr', memo: null, needsMemo: false }],
    [
      'an account and a memo',
      '"isUseMemo":true,"account":"acct","memo":"77","address":"other"',
      { address: 'acct', memo: '77', needsMemo: true },
    ],
    [
      'an address in place of the account, and no memo',
      '"isUseMemo":true,"account":"","memo":"","address":"addr"',
      { address: 'addr', memo: null, needsMemo: true },
    ],
    [
      'an account in place of the address, and a memo that is not used',
      '"isUseMemo":false,"account":"acct","memo":"77"',
      { address: 'acct', memo: null, needsMemo: false },
    ],
    ['nothing', '"isUseMemo":false,"address":""', { address: null, memo: null, needsMemo: false }],
  ])('reads where to deposit on a chain: %s', async (_, place, read) => {
    const datas = `[{"blockChain":"eos","canDeposit":true,"canWithdraw":false,${place}}]`;
    const { sent, value } = await exchanged(
      `{"code":1000,"message":{"des":"ok","isSuc":true,"datas":${datas}}}`,
      (client) => client.listedAddresses({ coin: 'eos' }),
    );
    expect(sent).toBe('/api/getPayinAddress?currency=eos');
    expect(value).toEqual([{ coin: 'eos', chain: 'eos', canDeposit: true, canWithdraw: false, ...read }]);
  });

  it('reads no chain to deposit on if the exchange sends none', async () => {
    const body = '{"code":1000,"message":{"des":"ok","isSuc":true,"datas":null}}';
    expect((await exchanged(body, (client) => client.listedAddresses({ coin: 'eos' }))).value).toEqual([]);
  });

  it.each([
    ['usdt', '/api/getFeeInfo?currency=usdt'],
    [undefined, '/api/getFeeInfo?'],
  ])('reads the fee of each chain of %s', async (coin, request) => {
    const chain = '{"chainName":"trc20","mainChainName":"trx","fee":1.50,"canDeposit":true,"canWithdraw":"false"}';
    const { sent, value } = await exchanged(`{"code":1000,"message":"ok","result":{"USDT":[${chain}]}}`, (client) =>
      client.fees({ coin }),
    );
    expect([sent, value]).toEqual([
      request,
      [{ coin: 'usdt', chain: 'trc20', mainChain: 'trx', fee: '1.50', canDeposit: true, canWithdraw: false }],
    ]);
  });

  it.each([
    [true, '&itransfer=1'],
    [false, ''],
  ])('writes a withdrawal, internal %s', async (internal, more) => {
    const withdrawal = { coin: 'btc', amount: '1.5', fee: '0.1', address: 'addr_memo', internal };
    const { sent, value } = await exchanged('{"code":1000,"message":"ok","id":"9"}', (client) =>
      client.withdraw(withdrawal, 'pass word'),
    );
    expect(sent).toBe(`/api/withdraw?amount=1.5&currency=btc&fees=0.1${more}&receiveAddr=addr_memo&safePwd=pass+word`);
    expect(value).toEqual({ kind: 'done', value: { id: '9' } });
    const hosts = { baseUrl: 'https://d', tradeUrl: 'https://t' };
    expect(requestOf({ kind: 'withdrawal', withdrawal }, hosts, 5)).toEqual({
      operation: 'withdraw',
      request: {
        ...{ url: 'https://t/api/withdraw', method: 'withdraw', accesskey: '***', sign: '***', reqTime: '5' },
        ...{ amount: '1.5', currency: 'btc', fees: '0.1', receiveAddr: 'addr_memo', safePwd: '***' },
        ...(internal ? { itransfer: '1' } : {}),
      },
    });
  });
});

describe('writes given by wire names', () => {
  it('reads wire values as an order', () => {
    const values = { currency: 'btc_usdt', tradeType: '0', price: '2', amount: '1', orderType: '2' };
    const terms = { ...TERMS, side: 'sell', type: 'ioc', price: '2', amount: '1' };
    expect(readRawWrite('order', values)).toEqual({ kind: 'order', terms, clientId: undefined });
    const margin = { acctType: '2', enableExpress: 'true', enableRepay: 'true', customerOrderId: 'mine1' };
    expect(readRawWrite('order', { ...values, ...margin, orderType: '1', tradeType: '1' })).toEqual({
      kind: 'order',
      terms: { ...terms, side: 'buy', type: 'postOnly', account: 'cross', borrow: true, repay: true },
      clientId: 'mine1',
    });
    expect(readRawWrite('order', { ...values, orderType: 'x', acctType: '1' })).toMatchObject({
      terms: { type: 'limit', account: 'isolated' },
    });
  });

  it('reads wire values as a batch, a cancellation, a timer or a withdrawal', () => {
    expect(
      readRawWrite('orderMoreV2', { market: 'btc_usdt', tradeParams: '[[2,1],[3,0.5]]', tradeType: '1' }),
    ).toMatchObject({
      kind: 'batch',
      batch: {
        ...{ market: 'btc_usdt', side: 'buy', account: 'spot' },
        orders: [
          { price: '2', amount: '1' },
          { price: '3', amount: '0.5' },
        ],
      },
    });
    const cancel = { kind: 'cancel', market: 'btc_usdt' };
    expect(readRawWrite('cancelOrder', { currency: 'btc_usdt', id: '7' })).toEqual({ ...cancel, order: { id: '7' } });
    expect(readRawWrite('cancelOrder', { currency: 'btc_usdt', customerOrderId: 'mine1' })).toEqual({
      ...cancel,
      order: { clientId: 'mine1' },
    });
    expect(readRawWrite('cancelAllOrdersAfter', { currency: 'btc_usdt' })).toEqual({
      kind: 'timedCancel',
      market: 'btc_usdt',
    });
    expect(() => readRawWrite('withdraw', {})).toThrow('withdraw');
    expect(readRawWithdrawal({ currency: 'btc', amount: '1', receiveAddr: 'addr', fees: '0.1' })).toEqual({
      ...{ coin: 'btc', amount: '1', address: 'addr', fee: '0.1' },
    });
  });

  it('searches an undocumented operation for orders', () => {
    expect(likelyOrders({ currency: 'btc_usdt', price: '2', amount: '1' })).toEqual({
      ...{ market: 'btc_usdt', sides: ['buy', 'sell'], orders: [{ price: '2', amount: '1' }] },
    });
    expect(likelyOrders({ symbol: 'btc', tradeType: '0', tradeParams: '[[2, 1],[x,1]]', price: 'high' })).toEqual({
      ...{ market: 'btc', sides: ['sell'], orders: [{ price: '2', amount: '1' }] },
    });
    expect(likelyOrders({ price: '1e4', amount: '1e-02', tradeParams: '[[2E3, 1e-1]]' })).toMatchObject({
      orders: [
        { price: '10000', amount: '0.01' },
        { price: '2000', amount: '0.1' },
      ],
    });
    expect(likelyOrders({ market: 'btc_usdt', tradeType: '1' })).toMatchObject({ sides: ['buy'], orders: [] });
  });
});

describe('the levels of a book', () => {
  const price = fc
    .tuple(fc.bigInt({ min: -2_000n, max: 200_000n }), fc.integer({ min: 0, max: 4 }))
    .map(([units, scale]) => Decimal.fromUnits(units, scale).toString());

  /** In ten-thousandths, by its own reading of the text. */
  const units = (text: string) => {
    const [whole = '', fraction = ''] = text.replace('-', '').split('.');
    return Number(`${text.startsWith('-') ? '-' : ''}${whole}${fraction.padEnd(4, '0')}`);
  };

  it('sorts the levels by price, lowest first, whatever their order and the form of their numbers', () => {
    fc.assert(
      fc.property(
        fc.array(price, { maxLength: 12 }),
        fc.constantFrom('as drawn', 'rising', 'falling'),
        (drawn, order) => {
          const rising = drawn.toSorted((left, right) => units(left) - units(right));
          const prices = order === 'as drawn' ? drawn : order === 'rising' ? rising : rising.toReversed();
          const sorted = sortLevels(prices.map((one) => ({ price: one, amount: '1' })));
          expect(sorted.map((level) => units(level.price))).toEqual(rising.map(units));
          expect(sorted.map((level) => level.price).toSorted()).toEqual(drawn.toSorted());
        },
      ),
    );
  });
});

it('the markets keep what their configuration says', async () => {
  const body = '{"btc_usdt":{"priceScale":2,"amountScale":6,"minAmount":0.0001,"minSize":5}}';
  const { value, sent } = await exchanged(body, (client) => client.api.read('markets', {}));
  expect(sent).toBe('/data/v1/markets?');
  expect(value).toEqual({ btc_usdt: { priceScale: 2, amountScale: 6, minAmount: '0.0001', minSize: '5' } });
});

it.each([
  ['buy', 'bid'],
  ['sell', 'ask'],
])('a trade may be a %s that takes the %s', async (side, kind) => {
  const body = `[{"date":1648461600,"price":1,"amount":2,"tid":9,"trade_type":"${kind}","type":"${side}"}]`;
  const { value } = await exchanged(body, (client) => client.trades('btc_usdt', undefined));
  expect(value).toMatchObject([{ side }]);
});
