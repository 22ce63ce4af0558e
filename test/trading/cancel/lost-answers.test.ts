import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OrderReference } from '../../../src/domain/order.js';
import { type CancelAttempt, cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { archiveLineIn } from '../../../src/trading/journal/archive-line.js';
import { type Answer, FAULTS, respond, serveFaults } from '../../support/fault-server.js';
import {
  CLIENT_ID,
  count,
  LOST_ANSWERS,
  NOT_FOUND,
  orderReads,
  query,
  record,
  serveBadly,
} from '../support/exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const ID = '202202224851151555';
const CANCELLED =
  '{"code":1000,"message":{"des":"ok","isSuc":true,"datas":{"amount":0.0100,"price":30000,"completeMonty":120,"completeAmount":0.004}}}';
const REFUSED = '{"code":3001,"message":"not found"}';
/** Enough for every fault. */
const BUDGET_MS = 2_000;

const OPEN = record({ status: 0 });
const PARTLY = record({ status: 3, filled: 0.005, filledValue: 150 });
const GONE = record({ status: 1 });
const PARTLY_GONE = record({ status: 2, filled: 0.005, filledValue: 150 });
const FILLED = record({ status: 2, filled: 0.01, filledValue: 300 });

async function cancel(trading: TestTrading, order: OrderReference = { id: ID }): Promise<CancelAttempt> {
  const [attempt] = await cancelOrders(trading, 'btc_usdt', [order]);
  if (attempt === undefined) throw new Error('nothing was attempted');
  return attempt;
}

/** What the journal keeps: the orders that were seen cancelled. There is no record of a cancellation. */
function kept({ journal, state }: ReturnType<typeof tradingOf>): unknown[] {
  const folder = path.join(state, 'journal', 'test');
  const files = existsSync(folder)
    ? readdirSync(path.join(folder, 'archive')).filter((name) => !name.startsWith('.'))
    : [];
  const lines = files.flatMap((name) =>
    readFileSync(path.join(folder, 'archive', name), 'utf8')
      .trim()
      .split('\n'),
  );
  return [
    ...lines.map((line) => archiveLineIn(line)).map((line) => line && ('cancelled' in line ? line.cancelled : line)),
    ...journal.unsettledEntries(),
  ];
}

/** What is kept of an order that was seen cancelled. */
const SEEN = [{ market: 'btc_usdt', id: ID }];

const ACCEPTED = 'the exchange accepted the cancellation';

describe('a cancellation that is answered', () => {
  it('takes the outcome from the answer, which one reading of the order confirms', async () => {
    const server = await serveBadly(
      respond(CANCELLED),
      record({ id: '7', status: 2, filled: 0.004, filledValue: 120 }),
    );
    const trading = tradingOf(server.url);
    expect(await cancel(trading, { id: '7' })).toEqual({
      result: {
        outcome: 'cancelled',
        id: '7',
        clientId: null,
        market: 'btc_usdt',
        price: '30000',
        amount: '0.01',
        filled: '0.004',
        filledValue: '120',
        code: 1000,
        message: 'ok',
      },
      failure: null,
      wasRejected: false,
      accepted: { code: 1000, message: 'ok', price: '30000', amount: '0.0100', filled: '0.004', filledValue: '120' },
    });
    expect([count(server, 'getOrder'), kept(trading)]).toEqual([1, [{ market: 'btc_usdt', id: '7' }]]);
    const { accesskey, sign, reqTime, method, ...own } = query(server.requests[0]?.target ?? '');
    expect([accesskey, sign?.length, reqTime, method]).toEqual([
      'access-0123456789',
      32,
      '1540295995557',
      'cancelOrder',
    ]);
    expect(own).toEqual({ market: 'btc_usdt', id: '7' });
  });

  it('names the order in the request only by the given id, and in the result by both', async () => {
    const server = await serveBadly(respond(CANCELLED), GONE);
    const { result } = await cancel(tradingOf(server.url), { clientId: CLIENT_ID });
    expect(result).toMatchObject({ outcome: 'cancelled', id: ID, clientId: CLIENT_ID });
    const { id, clientId } = query(server.requests[0]?.target ?? '');
    expect([id, clientId]).toEqual([undefined, CLIENT_ID]);
  });

  it.each([
    ['open', OPEN, 'unknown', 'unknown', `${ACCEPTED}, but shows the order as open`],
    ['in a state of code 7', record({ status: 7 }), 'unknown', 'unknown', `${ACCEPTED}, but shows the order as other`],
    ['not found', NOT_FOUND, 'unknown', 'unknown', `${ACCEPTED}, but shows no such order`],
    ['unreadable', FAULTS['an HTML page'], 'unknown', 'unknown', `${ACCEPTED}, but the order could not be read`],
    ['filled', FILLED, 'refused', 'refused', 'the order was filled'],
  ])('the answer does not count if the order is %s', async (_, read, outcome, failure, message) => {
    const server = await serveBadly(respond(CANCELLED), read);
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    expect(await cancel(trading)).toMatchObject({
      result: { outcome, id: ID, message },
      failure,
    });
    expect([count(server, 'cancelOrder'), kept(trading)]).toEqual([1, []]);
    expect(trading.progress.length).toBe(outcome === 'unknown' ? 1 : 0);
  });

  it('counts once the order is read as closed, without measuring the request lifetime', async () => {
    const server = await serveBadly(respond(CANCELLED), OPEN, OPEN, PARTLY_GONE);
    const trading = tradingOf(server.url);
    expect((await cancel(trading)).result).toMatchObject({ outcome: 'cancelled', code: 1000, filled: '0.005' });
    expect(count(server, 'getOrder')).toBe(3);
  });

  it('takes nothing from the stale answer of another request but its code', async () => {
    const other = CANCELLED.replace('30000', '28000').replace('0.004', '0.009');
    const server = await serveBadly(respond(other), PARTLY_GONE);
    const facts = { price: '30000', amount: '0.01', filled: '0.005', filledValue: '150' };
    expect((await cancel(tradingOf(server.url))).result).toMatchObject({ outcome: 'cancelled', ...facts });
  });

  it('the cancellation did not arrive if the order stays open until the request has expired', async () => {
    const server = await serveBadly(respond(CANCELLED), PARTLY);
    const trading = tradingOf(server.url, { budgetMs: 90_000, tolerance: 60_000 });
    const result = { outcome: 'refused', message: expect.stringContaining('the order is open') };
    expect(await cancel(trading)).toMatchObject({ result, failure: 'unreachable' });
    expect(kept(trading)).toEqual([]);
  });
});

describe.each(LOST_ANSWERS)('a cancellation whose answer was lost to %s', (fault) => {
  it.each([
    ['open', OPEN, 'unknown', 'unknown', []],
    ['partly filled and open', PARTLY, 'unknown', 'unknown', []],
    ['cancelled', GONE, 'cancelled', null, SEEN],
    ['cancelled after a partial fill', PARTLY_GONE, 'cancelled', null, SEEN],
    ['filled', FILLED, 'refused', 'refused', []],
    // an undocumented code does not prove that the order is closed
    ['in a state of code 7', record({ status: 7 }), 'unknown', 'unknown', []],
    ['not found', NOT_FOUND, 'unknown', 'unknown', []],
  ])('takes the outcome from an order that is %s', async (_, read, outcome, failure, inJournal) => {
    const server = await serveBadly(fault, read);
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await cancel(trading)).toMatchObject({ result: { outcome, id: ID, code: null }, failure });
    expect([count(server, 'cancelOrder'), kept(trading)]).toEqual([1, inJournal]);
  });
});

it.each(LOST_ANSWERS)(
  'a cancellation lost to %s did not arrive if the order is open and its request is no longer accepted',
  async (fault) => {
    const server = await serveBadly(fault, PARTLY);
    const trading = tradingOf(server.url, { budgetMs: 90_000, tolerance: 60_000 });
    const sent = trading.host.now();
    const result = { outcome: 'refused', filled: '0.005', message: expect.stringContaining('the order is open') };
    expect(await cancel(trading)).toMatchObject({ result, failure: 'unreachable' });
    expect(trading.host.now() - sent).toBeGreaterThan(60_000);
    expect([count(server, 'cancelOrder'), kept(trading)]).toEqual([1, []]);
  },
);

describe('the outcome of a cancellation by its order', () => {
  it('includes the filled amount', async () => {
    const server = await serveBadly('a close without an answer', PARTLY_GONE);
    const facts = { price: '30000', amount: '0.01', filled: '0.005', filledValue: '150' };
    expect((await cancel(tradingOf(server.url))).result).toMatchObject(facts);
  });

  it('the outcome is cancelled if the order closes later', async () => {
    const server = await serveBadly('a close without an answer', OPEN, FAULTS['an HTML page'], OPEN, GONE);
    expect((await cancel(tradingOf(server.url))).result.outcome).toBe('cancelled');
  });

  it('the outcome is refused if the order is not found in the end', async () => {
    const server = await serveBadly('a close without an answer', NOT_FOUND);
    const trading = tradingOf(server.url, { budgetMs: 90_000, tolerance: 60_000 });
    const result = { outcome: 'refused', price: null, message: 'the exchange has no such order' };
    expect(await cancel(trading)).toMatchObject({ result, failure: 'refused' });
    expect(kept(trading)).toEqual([]);
  });

  it('stays unknown if reading the order fails, however late', async () => {
    const server = await serveBadly('a close without an answer', FAULTS['an HTML page']);
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    expect((await cancel(trading)).result).toMatchObject({ outcome: 'unknown', price: null });
    expect(kept(trading)).toEqual([]);
  });
});

describe('a cancellation that is refused', () => {
  it.each<[string, string | Answer, string, object]>([
    ['not found', REFUSED, NOT_FOUND, { outcome: 'refused', code: 3001, message: '“not found”', price: null }],
    ['filled', REFUSED, FILLED, { outcome: 'refused', code: 3001, filled: '0.01' }],
    ['open', REFUSED, OPEN, { outcome: 'refused', code: 3001, filled: '0' }],
    // the first of two executions cancelled it, and the answer is that of the second
    ['cancelled', REFUSED, PARTLY_GONE, { outcome: 'cancelled', code: 3001, filled: '0.005' }],
    ['cancelled, in other words', '{"code":1001,"message":"failed"}', GONE, { outcome: 'cancelled', code: 1001 }],
    ['cancelled, too frequent', '{"code":4002,"message":"often"}', GONE, { outcome: 'cancelled', code: 4002 }],
    [
      'cancelled, with the code of a success',
      '{"code":1000,"message":{"des":"no","isSuc":false}}',
      GONE,
      { outcome: 'cancelled', code: 1000 },
    ],
    // the exchange itself cancels the rest of an IOC
    ['an IOC that is cancelled', REFUSED, record({ status: 1, type: 'ioc' }), { outcome: 'refused', code: 3001 }],
  ])('reads the order to check the refusal: %s', async (_, answer, read, result) => {
    const server = await serveBadly(typeof answer === 'string' ? respond(answer) : answer, read);
    const trading = tradingOf(server.url);
    expect((await cancel(trading)).result).toMatchObject(result);
    expect([count(server, 'cancelOrder'), orderReads(server)]).toEqual([1, 1]);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it.each([
    [{ id: ID }, { id: ID }],
    [{ clientId: CLIENT_ID }, { clientId: CLIENT_ID }],
    [{ id: ID }, { clientId: CLIENT_ID }],
  ])('the cancellation of an order that %j cancelled before stays refused for %j', async (first, second) => {
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/api/getOrder?')) return respond(GONE);
        return respond(count(server, 'cancelOrder') === 1 ? CANCELLED : REFUSED);
      },
    });
    const trading = tradingOf(server.url);
    const again = tradingOf(server.url, { state: trading.state });
    // the same clock and the same randomness would give the same id
    Object.assign(again.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(7) });
    expect((await cancel(trading, first)).result.outcome).toBe('cancelled');
    expect(await cancel(again, second)).toMatchObject({ result: { outcome: 'refused' }, failure: 'refused' });
  });

  it('the cancellation of an order that its client id cancelled before, without an answer, stays refused for its id', async () => {
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/api/getOrder?')) return respond(GONE);
        return count(server, 'cancelOrder') === 1 ? FAULTS['a close without an answer'] : respond(REFUSED);
      },
    });
    const trading = tradingOf(server.url);
    const again = tradingOf(server.url, { state: trading.state });
    Object.assign(again.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(7) });
    expect((await cancel(trading, { clientId: CLIENT_ID })).result).toMatchObject({ outcome: 'cancelled', id: ID });
    expect((await cancel(again, { id: ID })).result.outcome).toBe('refused');
  });

  it('the outcome is unknown if the order cannot be read', async () => {
    const server = await serveBadly(respond(REFUSED), FAULTS['an HTML page']);
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await cancel(trading)).toMatchObject({ result: { outcome: 'unknown', code: 3001 }, failure: 'unknown' });
    const later = await serveBadly(respond(REFUSED), FAULTS['no HTTP at all'], GONE);
    expect((await cancel(tradingOf(later.url))).result).toMatchObject({ outcome: 'cancelled', code: 3001 });
  });

  it('the outcome is refused if reading the order is refused alike, as in an unknown market', async () => {
    const unknownMarket = respond('{"code":1001,"message":"unknown market"}');
    const server = await serveBadly(unknownMarket, unknownMarket);
    expect(await cancel(tradingOf(server.url))).toMatchObject({ result: { outcome: 'refused', code: 1001 } });
    for (const code of [1003, 3004]) {
      const unknownKey = respond(`{"code":${code},"message":"no"}`);
      const refusing = await serveBadly(unknownKey, unknownKey);
      const result = { outcome: 'refused', code };
      expect(await cancel(tradingOf(refusing.url))).toMatchObject({ result, failure: 'credentials' });
    }
    // a limit refuses whatever comes
    for (const code of [4001, 4002]) {
      const often = respond(`{"code":${code},"message":"often"}`);
      const busy = await serveBadly(often, often);
      const trading = tradingOf(busy.url, { budgetMs: BUDGET_MS });
      expect(await cancel(trading)).toMatchObject({ result: { outcome: 'unknown', code } });
    }
  });

  it('the outcome is cancelled if the order is, whatever the code of the refusal', async () => {
    for (const code of [1003, 3004, 3006]) {
      const server = await serveBadly(respond(`{"code":${code},"message":"no"}`), GONE);
      expect(await cancel(tradingOf(server.url))).toMatchObject({
        result: { outcome: 'cancelled', code },
        failure: null,
      });
    }
  });
});

describe('a cancellation that was not sent', () => {
  it('reports the exchange as unreachable, not a refusal', async () => {
    const trading = tradingOf('http://127.0.0.1:1');
    expect(await cancel(trading)).toMatchObject({ failure: 'unreachable', result: { outcome: 'refused', code: null } });
    expect(kept(trading)).toEqual([]);
  });

  it('is a usage error if its id is invalid', async () => {
    const server = await serveBadly(respond(CANCELLED));
    const trading = tradingOf(server.url);
    await expect(cancel(trading, { id: 'seven' })).rejects.toMatchObject({ kind: 'usage' });
    expect([server.connections, kept(trading)]).toEqual([0, []]);
  });

  it('a cancellation is sent without a warning if the disk takes no line', async () => {
    const server = await serveBadly(respond(CANCELLED), GONE);
    const trading = tradingOf(server.url);
    mkdirSync(path.join(trading.state, 'journal'), { mode: 0o700 });
    writeFileSync(path.join(trading.state, 'journal', 'test'), 'a file where the folder belongs');
    expect(await cancel(trading)).toMatchObject({ failure: null, result: { outcome: 'cancelled' } });
    expect(trading.warnings).toEqual([]);
    expect(count(server, 'cancelOrder')).toBe(1);
  });
});
