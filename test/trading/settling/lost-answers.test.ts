import { describe, expect, it } from 'vitest';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { newClientId } from '../../../src/trading/orders/terms.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { type Answer, FAULTS, respond } from '../../support/fault-server.js';
import {
  CLIENT_ID,
  count,
  LOST_ANSWERS,
  NOT_FOUND,
  orderReads,
  query,
  record,
  serve,
  serveBadly,
} from '../support/exchange.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { unknownIn } from '../support/unknown.js';

const ID = '202202224851151555';

function place(trading: TestTrading, changes: Partial<RecordedOrderTerms> = {}, id = CLIENT_ID) {
  return placeOrder(trading, { ...TERMS, ...changes }, { id });
}

const PLACED = `{"code":"1000","message":"ok","id":"${ID}"}`;
/** Enough for every fault. */
const BUDGET_MS = 2_000;

describe.each(LOST_ANSWERS)('an order whose answer was lost to %s', (fault) => {
  it('finds the order by its client id', async () => {
    const server = await serve({ write: fault, reads: [record()], list: `[${record()}]` });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await place(trading)).toEqual({
      ...{ outcome: 'placed', id: ID, duplicates: [] },
      order: expect.objectContaining({ id: ID, filled: '0' }),
    });
    expect([count(server, 'order'), orderReads(server)]).toEqual([1, 1]);
    const read = server.requests.find(({ target }) => target.startsWith('/api/getOrder?'));
    expect(query(read?.target ?? '')).toMatchObject({ market: 'btc_usdt', clientId: CLIENT_ID });
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('stays unknown while the exchange does not list it, because it may still arrive', async () => {
    const server = await serveBadly(fault, NOT_FOUND);
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await place(trading)).toMatchObject({ outcome: 'unknown' });
    expect(count(server, 'order')).toBe(1);
    expect(orderReads(server)).toBeGreaterThan(2);
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual([CLIENT_ID]);
  });
});

describe.each(LOST_ANSWERS)('an order whose answer was lost to %s', (fault) => {
  it('the order was not sent if the exchange no longer accepts its request and does not list it', async () => {
    const server = await serveBadly(fault, NOT_FOUND);
    const trading = tradingOf(server.url, { budgetMs: 90_000, tolerance: 60_000 });
    const sent = trading.host.now();
    expect(await place(trading)).toMatchObject({ outcome: 'notSent' });
    expect(trading.host.now() - sent).toBeGreaterThan(60_000);
    expect(count(server, 'order')).toBe(1);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });
});

describe('placing an order', () => {
  it('the outcome is unknown after an answer with id 0 until the client id finds the order', async () => {
    const server = await serveBadly(respond('{"code":"1000","message":"ok","id":"0"}'), NOT_FOUND, NOT_FOUND, record());
    expect(await place(tradingOf(server.url))).toMatchObject({ outcome: 'placed', id: ID });
    const never = await serveBadly(respond('{"code":"1000","message":"ok","id":0}'), NOT_FOUND);
    expect(await place(tradingOf(never.url, { budgetMs: BUDGET_MS }))).toMatchObject({ outcome: 'unknown' });
  });

  it('finds an order that appears late', async () => {
    const server = await serveBadly('a reset after reading', NOT_FOUND, NOT_FOUND, record());
    expect(await place(tradingOf(server.url))).toMatchObject({ outcome: 'placed', id: ID });
  });

  it('finds an order that appears at the very last read', async () => {
    const server = await serve({ write: 'a reset after reading', reads: [...Array(16).fill(NOT_FOUND), record()] });
    const trading = tradingOf(server.url, { budgetMs: 120_000 });
    expect(await place(trading)).toMatchObject({ outcome: 'placed', id: ID });
    expect(trading.host.now() - NOW).toBeGreaterThan(55_000);
  });

  it.each([
    ['another side', { side: 'sell' } as const],
    ['another price', { price: 30001 }],
    ['another amount', { amount: 0.02 }],
  ])('accepts no order with %s under a chosen client id, nor concludes anything from it', async (_, changes) => {
    for (const write of ['a reset after reading', respond('{"code":2009,"message":"balance"}')] as const) {
      const server = await serveBadly(write, record(changes));
      const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
      const reason = expect.stringContaining(`order ${ID} has this client id but the`);
      const ids = { id: 'own0001', clientId: CLIENT_ID };
      expect(await placeOrder(trading, TERMS, ids)).toMatchObject({ outcome: 'unknown', reason });
      expect([count(server, 'order'), trading.warnings]).toEqual([1, []]);
      const [entry] = trading.journal.unsettledEntries();
      expect(entry?.events.map(({ event }) => event)).toContainEqual(reason);
      // after the tolerance too
      const later = tradingOf(server.url, { state: trading.state, elapsedMs: 3_600_000, tolerance: 60_000 });
      expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown' }]);
    }
  });

  it('accepts any order under a client id that pit generated, and reports the differences', async () => {
    const own = 'pit0123456789abcdef01234567';
    const changed = record({ type: 'other', price: 29999.5, amount: 0.0099 });
    for (const write of ['a reset after reading', respond('{"code":2009,"message":"balance"}')] as const) {
      const server = await serve({ write, reads: [changed], clientId: own });
      const trading = tradingOf(server.url);
      expect(await place(trading, {}, own)).toMatchObject({ outcome: 'placed', id: ID });
      const differs = 'the price 29999.5 instead of 30000, the amount 0.0099 instead of 0.01';
      expect(trading.warnings).toEqual([
        expect.stringContaining(`The exchange changed order ${ID}: it has ${differs}`),
      ]);
      const [settled] = trading.journal.archive.since(0);
      expect(settled?.events.map(({ event }) => event)).toContainEqual(expect.stringContaining(differs));
    }
  });

  it.each([
    ['other terms', { price: 29999.5 }],
    ['a time long before the request', { time: 1_500_000_000_000 }],
  ])('concludes nothing from an order with %s if the exchange shows one for any client id', async (_, changes) => {
    const own = 'pit0123456789abcdef01234567';
    const other = record(changes);
    const server = await serve({ write: 'a reset after reading', reads: [other], others: other, clientId: own });
    const trading = tradingOf(server.url, { budgetMs: 3_000 });
    expect(await place(trading, {}, own)).toMatchObject({ outcome: 'unknown' });
    expect([count(server, 'order'), trading.warnings]).toEqual([1, []]);
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual([own]);
  });

  it('treats a chosen client id as chosen even if it reads generated', async () => {
    const own = 'pit0123456789abcdef01234567';
    const server = await serve({ write: 'a reset after reading', others: record({ price: 29999.5 }) });
    const trading = tradingOf(server.url);
    expect(await placeOrder(trading, TERMS, { id: CLIENT_ID, clientId: own })).toMatchObject({ outcome: 'unknown' });
  });

  it('finds an order of an undocumented type', async () => {
    const server = await serveBadly('a reset after reading', record({ type: 'other' }));
    const trading = tradingOf(server.url);
    expect(await place(trading)).toMatchObject({ outcome: 'placed', id: ID });
    expect(trading.warnings).toEqual([]);
  });

  it('concludes nothing from failed reads, however late', async () => {
    const server = await serveBadly('a reset after reading', FAULTS['an HTML page']);
    expect(await place(tradingOf(server.url, { budgetMs: 200_000 }))).toMatchObject({ outcome: 'unknown' });
    expect(count(server, 'order')).toBe(1);
  });

  it('concludes nothing if the exchange claims to know an unused client id', async () => {
    const server = await serve({ write: 'a reset after reading', others: record() });
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    expect(await place(trading)).toMatchObject({ outcome: 'unknown' });
  });

  it('reads a refused order once, because the refusal may answer a repeated request', async () => {
    const server = await serveBadly(respond('{"code":2009,"message":"balance"}'), record());
    expect(await place(tradingOf(server.url))).toMatchObject({ outcome: 'placed', id: ID });
    // the first of two executions reached the limit, and the second was locked out
    const locked = await serveBadly(respond('{"code":4001,"message":"locked"}'), record());
    expect(await place(tradingOf(locked.url))).toMatchObject({ outcome: 'placed', id: ID });
    const none = await serveBadly(respond('{"code":2009,"message":"balance"}'), NOT_FOUND);
    expect(await place(tradingOf(none.url))).toMatchObject({ outcome: 'refused', refusal: { code: 2009 } });
    expect([count(none, 'order'), orderReads(none)]).toEqual([1, 1]);
  });

  it('the outcome is unknown after a refusal if the order cannot be read', async () => {
    const server = await serveBadly(respond('{"code":2009,"message":"balance"}'), FAULTS['an HTML page']);
    expect(await place(tradingOf(server.url))).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringMatching(
        /^the exchange rejected it \(“balance”\), but a duplicate may have been executed: /,
      ),
    });
    const later = await serveBadly(respond('{"code":2009,"message":"balance"}'), FAULTS['no HTTP at all'], record());
    expect(await place(tradingOf(later.url))).toMatchObject({ outcome: 'placed', id: ID });
  });

  it('counts as refused if it can be read only after its request has expired, and does not exist', async () => {
    const server = await serveBadly(respond('{"code":2009,"message":"balance"}'), FAULTS['an HTML page'], NOT_FOUND);
    const trading = tradingOf(server.url, { budgetMs: 90_000, tolerance: 60_000 });
    expect(await place(trading)).toMatchObject({ outcome: 'refused', refusal: { code: 2009 } });
    expect(trading.journal.archive.since(0)).toMatchObject([{ outcome: 'refused', write: { id: CLIENT_ID } }]);
    expect(count(server, 'order')).toBe(1);
  });

  it('counts as refused if its lookup is refused with the same code, unless the exchange has trouble or limits the rate', async () => {
    const refuse = (code: number) => {
      const answer = `{"code":${code},"message":"no"}`;
      return serve({ write: respond(answer), reads: [answer], others: answer });
    };
    // a missing permission, and keys that the exchange does not accept
    for (const code of [1012, 1003, 3004]) {
      const forbidden = await refuse(code);
      expect(await place(tradingOf(forbidden.url))).toMatchObject({ outcome: 'refused', refusal: { code } });
      expect(orderReads(forbidden)).toBe(1);
    }
    for (const code of [1002, 1009, 4001, 4002]) {
      const troubled = await refuse(code);
      expect(await place(tradingOf(troubled.url))).toMatchObject({ outcome: 'unknown' });
    }
  });

  it('the order is placed if the exchange has it, whatever the code of the refusal', async () => {
    for (const code of [1003, 3004, 3006]) {
      const server = await serveBadly(respond(`{"code":"${code}","message":"no"}`), record());
      expect(await place(tradingOf(server.url))).toMatchObject({ outcome: 'placed', id: ID });
    }
  });

  it('reads no order whose request was not sent', async () => {
    const nowhere = tradingOf('http://127.0.0.1:1');
    expect(await place(nowhere)).toMatchObject({ outcome: 'notSent' });
    expect(nowhere.journal.archive.since(0)).toMatchObject([{ outcome: 'notSent', write: { id: CLIENT_ID } }]);
  });

  it('refuses an order while an identical one has an unknown outcome', async () => {
    const server = await serveBadly('a reset after reading', NOT_FOUND);
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    await place(trading);
    const again = tradingOf(server.url, { state: trading.state });
    const error = { kind: 'usage', clientId: CLIENT_ID, hints: saying(`pit resolve ${CLIENT_ID}`) };
    for (const like of [{ price: '30000.00' }, { type: 'ioc' }, { borrow: true }] as const)
      await expect(place(again, like, 'mine0002')).rejects.toMatchObject(error);
    expect(count(server, 'order')).toBe(1);
    const others = [{ price: '30001' }, { amount: '0.02' }, { side: 'sell' }, { account: 'cross' }] as const;
    for (const [index, other] of others.entries()) {
      const later = tradingOf(server.url, { state: trading.state, budgetMs: BUDGET_MS });
      expect(await place(later, other, `other${index}`)).toMatchObject({ outcome: 'unknown' });
    }
    expect(count(server, 'order')).toBe(5);
  });

  it('refuses an order while another command or pit resolve still reconciles an identical one', async () => {
    let state = '';
    const outcomes: unknown[] = [];
    const repeatThenAnswer: Answer = (socket) => {
      const other = tradingOf('http://127.0.0.1:1', { state });
      outcomes.push(
        place(other, {}, 'mine0002').then(
          ({ outcome }) => outcome,
          ({ clientId }) => clientId,
        ),
      );
      outcomes.push(unknownIn(other, 'btc_usdt').length);
      respond(NOT_FOUND)(socket);
    };
    const server = await serve({ write: 'a reset after reading', reads: [repeatThenAnswer] });
    const trading = tradingOf(server.url, { budgetMs: 1_000 });
    state = trading.state;
    await place(trading);
    const readsByFirst = outcomes.length / 2;
    await resolve(tradingOf(server.url, { state, budgetMs: 1_000 }), trading.journal.unsettledEntries());
    expect(readsByFirst).toBeGreaterThan(0);
    expect(outcomes.length / 2).toBeGreaterThan(readsByFirst);
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set([CLIENT_ID, 1]));
  });

  it('refuses an order while one with the same expressions is unknown, even if they resolve to other values', async () => {
    const server = await serveBadly('a reset after reading', NOT_FOUND);
    const expressions = { price: 'ask+1%', amount: '50%' };
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    await place(trading, { expressions });
    const [earlier] = unknownIn(trading, 'btc_usdt');
    expect(earlier).toEqual(saying(`placed: buy 0.01 btc_usdt at 30,000. Find out: pit resolve ${CLIENT_ID}`));
    expect(unknownIn(trading, 'eth_usdt')).toEqual([]);
    const moved = { price: '30012.5', amount: '0.0099' };
    const again = tradingOf(server.url, { state: trading.state, budgetMs: BUDGET_MS });
    await expect(place(again, { ...moved, expressions }, 'mine0002')).rejects.toMatchObject({ clientId: CLIENT_ID });
    expect(count(server, 'order')).toBe(1);
    const other = { ...moved, expressions: { ...expressions, price: 'ask+2%' } };
    expect(await place(again, other, 'mine0003')).toMatchObject({ outcome: 'unknown' });
  });

  it.each<[Partial<RecordedOrderTerms>, object]>([
    [{}, { side: 'buy' }],
    [
      { side: 'sell', type: 'postOnly' },
      { side: 'sell', type: 'postOnly' },
    ],
    [
      { type: 'ioc', account: 'isolated', borrow: true },
      { side: 'buy', type: 'ioc', acctType: '1', enableExpress: 'true' },
    ],
    [
      { account: 'cross', repay: true },
      { side: 'buy', acctType: '2', enableRepay: 'true' },
    ],
  ])('sends %j as %j and nothing more', async (changes, sent) => {
    const server = await serveBadly(respond(PLACED));
    await place(tradingOf(server.url), changes);
    const { accesskey, sign, reqTime, method, ...own } = query(server.requests[0]?.target ?? '');
    expect([accesskey, sign?.length, reqTime, method]).toEqual(['access-0123456789', 32, '1540295995557', 'order']);
    expect(own).toEqual({ market: 'btc_usdt', price: '30000', amount: '0.01', clientId: CLIENT_ID, ...sent });
  });

  it('generates client ids that the exchange accepts', () => {
    expect(newClientId(tradingOf('http://127.0.0.1:1').host)).toMatch(/^pit[0-9a-f]{24}$/);
  });
});
