import { describe, expect, it } from 'vitest';
import { cancelOrder } from '../../src/trading/cancel-order.js';
import { newClientId, type OrderIntent, placeOrder } from '../../src/trading/place-order.js';
import { clientOf } from '../client/support.js';
import { FAULTS, respond } from '../support/fault-server.js';
import { count, type Fault, NOT_FOUND, query, record, serveBadly } from './exchange.js';

const INTENT: OrderIntent = {
  market: 'btc_usdt',
  side: 'buy',
  type: 'limit',
  account: 'spot',
  price: '30000',
  amount: '0.01',
  clientId: 'mine0001',
  borrow: false,
  repay: false,
};

async function cancelled(...given: Parameters<typeof cancelOrder>) {
  return (await cancelOrder(...given)).result;
}

const FAULT_NAMES = Object.keys(FAULTS) as Fault[];
const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';
/** Long enough for every fault that answers, short for the one that hangs. */
const BUDGET_MS = 2_000;

describe.each(FAULT_NAMES)('an order whose answer was lost to %s', (fault) => {
  it('is found again by its client id', async () => {
    const server = await serveBadly(fault, record());
    const { client, host } = clientOf(server.url, BUDGET_MS);
    expect(await placeOrder(client, host, INTENT)).toEqual({ outcome: 'placed', id: '202202224851151555' });
    expect([count(server, 'order'), count(server, 'getOrder')]).toEqual([1, 1]);
    const look = server.requests.find(({ target }) => target.startsWith('/api/getOrder?'));
    expect(query(look?.target ?? '')).toMatchObject({ currency: 'btc_usdt', customerOrderId: 'mine0001' });
  });

  it('stays unknown while the exchange does not know it: it may still be on its way', async () => {
    const server = await serveBadly(fault, NOT_FOUND);
    const { client, host } = clientOf(server.url, BUDGET_MS);
    expect(await placeOrder(client, host, INTENT)).toMatchObject({ outcome: 'unknown' });
    expect([count(server, 'order'), count(server, 'getOrder')]).toEqual([1, 3]);
    expect(host.sleeps).toEqual([300, 600]);
  });

  it('is cancelled once, and the order tells what became of it', async () => {
    const server = await serveBadly(fault, record({ status: 2, trade_amount: 0.004, trade_money: 120 }));
    const { client } = clientOf(server.url, BUDGET_MS);
    const result = await cancelled(client, 'btc_usdt', { clientId: 'mine0001' });
    expect(result).toMatchObject({
      outcome: 'cancelled',
      id: '202202224851151555',
      filled: '0.004',
      filledValue: '120',
    });
    expect(count(server, 'cancelOrder')).toBe(1);
  });
});

describe('placing', () => {
  it('an order that shows up late is found', async () => {
    const server = await serveBadly('a reset after reading', NOT_FOUND, NOT_FOUND, record());
    const { client, host } = clientOf(server.url);
    expect(await placeOrder(client, host, INTENT)).toEqual({ outcome: 'placed', id: '202202224851151555' });
  });

  it.each([
    ['another side', { type: 0 }],
    ['another price', { price: 30001 }],
    ['another amount', { total_amount: 0.02 }],
    ['an hour older', { trade_date: 1540292395557 }],
  ])('an order under the same client id with %s is not taken for it', async (_, changes) => {
    const server = await serveBadly('a reset after reading', record(changes));
    const { client, host } = clientOf(server.url);
    expect(await placeOrder(client, host, INTENT)).toMatchObject({ outcome: 'unknown' });
  });

  it('looks that fail themselves prove nothing', async () => {
    const server = await serveBadly('a reset after reading', FAULTS['an HTML page']);
    const { client, host } = clientOf(server.url);
    expect(await placeOrder(client, host, INTENT)).toMatchObject({ outcome: 'unknown' });
    expect(count(server, 'order')).toBe(1);
  });

  it('what was refused is looked for once: a repeated request may have been refused for the first', async () => {
    const server = await serveBadly(respond('{"code":2009,"message":"balance"}'), record());
    const { client, host } = clientOf(server.url);
    expect(await placeOrder(client, host, INTENT)).toEqual({ outcome: 'placed', id: '202202224851151555' });
    const none = await serveBadly(respond('{"code":2009,"message":"balance"}'), NOT_FOUND);
    const refused = clientOf(none.url);
    expect(await placeOrder(refused.client, refused.host, INTENT)).toMatchObject({ outcome: 'refused' });
    expect([count(none, 'order'), count(none, 'getOrder')]).toEqual([1, 1]);
  });

  it('what was refused unread, or never left, is not looked for', async () => {
    const server = await serveBadly(respond('{"code":"1003","message":"sign"}'), record());
    const unread = clientOf(server.url);
    expect(await placeOrder(unread.client, unread.host, INTENT)).toMatchObject({ outcome: 'refused' });
    const nowhere = clientOf('http://127.0.0.1:1');
    expect(await placeOrder(nowhere.client, nowhere.host, INTENT)).toMatchObject({ outcome: 'notSent' });
    expect(count(server, 'getOrder')).toBe(0);
  });

  it.each<[Partial<OrderIntent>, object]>([
    [{}, { tradeType: '1' }],
    [
      { side: 'sell', type: 'postOnly' },
      { tradeType: '0', orderType: '1' },
    ],
    [
      { type: 'ioc', account: 'isolated', borrow: true },
      { tradeType: '1', orderType: '2', acctType: '1', enableExpress: 'true' },
    ],
    [
      { account: 'cross', repay: true },
      { tradeType: '1', acctType: '2', enableRepay: 'true' },
    ],
  ])('%j is sent as %j and nothing more', async (changes, sent) => {
    const server = await serveBadly(respond(PLACED));
    const { client, host } = clientOf(server.url);
    await placeOrder(client, host, { ...INTENT, ...changes });
    const { accesskey, sign, reqTime, method, ...own } = query(server.requests[0]?.target ?? '');
    expect([accesskey, sign?.length, reqTime, method]).toEqual(['access-0123456789', 32, '1540295995557', 'order']);
    expect(own).toEqual({ currency: 'btc_usdt', price: '30000', amount: '0.01', customerOrderId: 'mine0001', ...sent });
  });

  it('makes client ids that the interface takes', () => {
    expect(newClientId(clientOf('http://127.0.0.1:1').host)).toMatch(/^pit[0-9a-f]{24}$/);
  });
});

describe('cancelling', () => {
  const CANCELLED =
    '{"code":1000,"message":{"des":"ok","isSuc":true,"datas":{"amount":0.0100,"price":30000,"completeMonty":120,"completeAmount":0.004}}}';

  it('takes the answer that comes', async () => {
    const server = await serveBadly(respond(CANCELLED));
    expect(await cancelled(clientOf(server.url).client, 'btc_usdt', { id: '7' })).toEqual({
      outcome: 'cancelled',
      id: '7',
      clientId: null,
      market: 'btc_usdt',
      price: '30000',
      amount: '0.0100',
      filled: '0.004',
      filledValue: '120',
      code: 1000,
      message: 'ok',
    });
    expect(count(server, 'getOrder')).toBe(0);
  });

  it.each([
    ['open', { status: 0 }, 'unknown'],
    ['partly filled and open', { status: 3, trade_amount: 0.005 }, 'unknown'],
    ['cancelled', { status: 1 }, 'cancelled'],
    ['filled', { status: 2, trade_amount: 0.01 }, 'refused'],
    // a code that nobody has explained does not say that the order is gone
    ['in a state of code 7', { status: 7 }, 'unknown'],
  ])('after a lost answer, an order that is %s', async (_, changes, outcome) => {
    const server = await serveBadly('a reset after reading', record(changes));
    const { client } = clientOf(server.url);
    expect(await cancelled(client, 'btc_usdt', { id: '202202224851151555' })).toMatchObject({ outcome, code: null });
    expect(count(server, 'cancelOrder')).toBe(1);
  });

  it.each([[NOT_FOUND], ['<html>']])('after a lost answer, where asking gives %s', async (look) => {
    const server = await serveBadly('a close without an answer', look);
    const result = await cancelled(clientOf(server.url).client, 'btc_usdt', { id: '7' });
    expect(result).toMatchObject({ outcome: 'unknown', id: '7', price: null });
  });

  it('a refusal is a refusal with its code', async () => {
    const server = await serveBadly(respond('{"code":3001,"message":"not found"}'));
    const result = await cancelled(clientOf(server.url).client, 'btc_usdt', { id: '7' });
    expect(result).toMatchObject({ outcome: 'refused', code: 3001, message: 'not found' });
  });

  it.each([
    ['a reset after reading', record({ status: 0 }), 'unknown'],
    ['a reset after reading', record({ status: 2, trade_amount: 0.01 }), 'refused'],
    ['a reset after reading', record({ status: 1 }), null],
    [respond('{"code":3001,"message":"not found"}'), NOT_FOUND, 'refused'],
    [respond('{"code":4002,"message":"too frequent"}'), NOT_FOUND, 'limited'],
    [respond(CANCELLED), NOT_FOUND, null],
  ] as const)('%j and then %s is a failure of the kind %s', async (write, look, kind) => {
    const server = await serveBadly(write, look);
    expect((await cancelOrder(clientOf(server.url).client, 'btc_usdt', { id: '7' })).failure).toBe(kind);
  });

  it('a request that never left is unreachable, not refused', async () => {
    const attempt = await cancelOrder(clientOf('http://127.0.0.1:1').client, 'btc_usdt', { id: '7' });
    expect(attempt).toMatchObject({ failure: 'unreachable', result: { outcome: 'refused', code: null } });
  });
});
