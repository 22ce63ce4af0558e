import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OrderReference } from '../../../src/domain/order.js';
import { usage } from '../../../src/errors.js';
import { type CancelAttempt, cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { findCancellationOutcome } from '../../../src/trading/cancel/cancellation.js';
import { archiveLineIn } from '../../../src/trading/journal/archive-line.js';
import { NOW } from '../../support/fake-host.js';
import {
  AWAY,
  anOrder,
  answered,
  CODES,
  cancellationOf,
  GARBLED,
  LOST,
  NOT_SENT,
  type Outcome,
  refused,
  refusedRead,
  type Shown,
} from '../../support/scripted-exchange.js';
import { CLIENT_ID, lookedUp, lookupsOf } from '../support/lookups.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const ID = anOrder().id;
const ACCEPTED = answered(cancellationOf(anOrder({ amount: '0.0100', filled: '0.004', filledValue: '120' })));
const REFUSED = refused('notFound', 'not found');
const BUDGET_MS = 2_000;

const OPEN = anOrder();
const OTHER = anOrder({ state: 'other' });
const PARTLY = anOrder({ filled: '0.005', filledValue: '150' });
const GONE = anOrder({ state: 'cancelled' });
const PARTLY_GONE = anOrder({ state: 'cancelled', filled: '0.005', filledValue: '150' });
const FILLED = anOrder({ state: 'filled', filled: '0.01', filledValue: '300' });

/** An exchange where each cancellation has this outcome, and lookups show this, one after the other; the last one repeats. */
const showing = (outcome: Outcome, ...shows: Shown[]) => lookedUp(outcome, { shows });

async function cancel(trading: TestTrading, order: OrderReference = { id: ID }): Promise<CancelAttempt> {
  const [attempt] = await cancelOrders(trading, 'btc_usdt', [order]);
  if (attempt === undefined) throw new Error('nothing was attempted');
  return attempt;
}

/** What the journal keeps: the orders that were seen cancelled. There is no record of a cancellation. */
function kept({ journal, state }: TestTrading): unknown[] {
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

const IS_ACCEPTED = 'the exchange accepted the cancellation';

describe('a cancellation that is answered', () => {
  it('takes the outcome from the answer, which one reading of the order confirms', async () => {
    const exchange = showing(ACCEPTED, anOrder({ state: 'cancelled', filled: '0.004', filledValue: '120' }));
    const trading = tradingOf(exchange);
    expect(await cancel(trading)).toEqual({
      result: {
        outcome: 'cancelled',
        id: ID,
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
    expect([exchange.count('lookup'), kept(trading)]).toEqual([1, SEEN]);
    expect(exchange.arrived('cancel')).toMatchObject([{ market: 'btc_usdt', order: { id: ID }, reqTime: NOW }]);
  });

  it('names the order in the request only by the given id, and in the result by both', async () => {
    const exchange = showing(ACCEPTED, GONE);
    const { result } = await cancel(tradingOf(exchange), { clientId: CLIENT_ID });
    expect(result).toMatchObject({ outcome: 'cancelled', id: ID, clientId: CLIENT_ID });
    expect(exchange.arrived('cancel')).toMatchObject([{ order: { clientId: CLIENT_ID } }]);
  });

  it.each<[string, Shown, string, string, string]>([
    ['open', OPEN, 'unknown', 'unknown', `${IS_ACCEPTED}, but shows the order as open`],
    ['in an undocumented state', OTHER, 'unknown', 'unknown', `${IS_ACCEPTED}, but shows the order as other`],
    ['not found', 'none', 'unknown', 'unknown', `${IS_ACCEPTED}, but shows no such order`],
    ['unreadable', GARBLED, 'unknown', 'unknown', `${IS_ACCEPTED}, but the order could not be read`],
    ['filled', FILLED, 'refused', 'refused', 'the order was filled'],
  ])('the answer does not count if the order is %s', async (_, read, outcome, failure, message) => {
    const exchange = showing(ACCEPTED, read);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    expect(await cancel(trading)).toMatchObject({
      result: { outcome, id: ID, message },
      failure,
    });
    expect([exchange.count('cancel'), kept(trading)]).toEqual([1, []]);
    expect(trading.progress.length).toBe(outcome === 'unknown' ? 1 : 0);
  });

  it.each([GARBLED, 'none'] as const)(
    'has the amounts of the answer if nothing else shows the order: %j',
    async (read) => {
      const { result } = await cancel(tradingOf(showing(ACCEPTED, read), { budgetMs: BUDGET_MS, tolerance: 60_000 }));
      expect(result).toMatchObject({ outcome: 'unknown', price: '30000', amount: '0.0100', filled: '0.004' });
    },
  );

  it('counts once the order is read as closed, without measuring the request lifetime', async () => {
    const exchange = showing(ACCEPTED, OPEN, OPEN, PARTLY_GONE);
    const trading = tradingOf(exchange);
    expect((await cancel(trading)).result).toMatchObject({ outcome: 'cancelled', code: 1000, filled: '0.005' });
    expect(exchange.count('lookup')).toBe(3);
  });

  it('says that it waits even if the next reading shows the order as closed', async () => {
    const trading = tradingOf(showing(ACCEPTED, OPEN, GONE));
    expect((await cancel(trading)).result.outcome).toBe('cancelled');
    expect(trading.progress).toHaveLength(1);
  });

  it('takes what an answer that names neither price nor amount says was filled, if the order lags behind', async () => {
    const terse = { ...cancellationOf(anOrder({ filled: '0.009', filledValue: '270' })), price: null, amount: null };
    const { result } = await cancel(tradingOf(showing(answered(terse), PARTLY_GONE)));
    expect(result).toMatchObject({ outcome: 'cancelled', amount: '0.01', filled: '0.009', filledValue: '270' });
  });

  it('takes the fill from the order if its answer names none', async () => {
    const terse = { ...cancellationOf(anOrder()), filled: null, filledValue: null };
    const { result } = await cancel(tradingOf(showing(answered(terse), PARTLY_GONE)));
    expect(result).toMatchObject({ outcome: 'cancelled', filled: '0.005', filledValue: '150' });
  });

  it('takes nothing from the stale answer of another request but its code', async () => {
    const other = answered(cancellationOf(anOrder({ price: '28000', filled: '0.009' })));
    const exchange = showing(other, PARTLY_GONE);
    const facts = { price: '30000', amount: '0.01', filled: '0.005', filledValue: '150' };
    expect((await cancel(tradingOf(exchange))).result).toMatchObject({ outcome: 'cancelled', ...facts });
  });

  it('the cancellation did not arrive if the order stays open until the request has expired', async () => {
    const exchange = showing(ACCEPTED, PARTLY);
    const trading = tradingOf(exchange, { budgetMs: 90_000, tolerance: 60_000 });
    const result = { outcome: 'refused', message: expect.stringContaining('the order is open') };
    expect(await cancel(trading)).toMatchObject({ result, failure: 'unreachable' });
    expect(kept(trading)).toEqual([]);
  });
});

describe('a cancellation whose answer was lost', () => {
  it.each<[string, Shown, string, string | null, string | object[]]>([
    ['open', OPEN, 'unknown', 'unknown', []],
    ['partly filled and open', PARTLY, 'unknown', 'unknown', []],
    ['cancelled', GONE, 'cancelled', null, SEEN],
    ['cancelled after a partial fill', PARTLY_GONE, 'cancelled', null, SEEN],
    ['filled', FILLED, 'refused', 'refused', []],
    // an undocumented code does not prove that the order is closed
    ['in an undocumented state', OTHER, 'unknown', 'unknown', []],
    ['not found', 'none', 'unknown', 'unknown', []],
  ])('takes the outcome from an order that is %s', async (_, read, outcome, failure, inJournal) => {
    const exchange = showing(LOST, read);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await cancel(trading)).toMatchObject({ result: { outcome, id: ID, code: null }, failure });
    expect([exchange.count('cancel'), kept(trading)]).toEqual([1, inJournal]);
  });
});

it('the cancellation of an earlier process that left nothing but its request may still arrive', async () => {
  const trading = tradingOf(showing(LOST, OPEN), { budgetMs: BUDGET_MS, tolerance: 60_000 });
  const request = { market: 'btc_usdt', order: { id: ID }, reqTime: NOW };
  expect(await findCancellationOutcome(trading, request)).toMatchObject({
    ...{ outcome: 'unknown', code: null, message: 'the cancellation may still arrive' },
  });
});

it('a cancellation without an answer did not arrive if the order is open and its request is no longer accepted', async () => {
  const exchange = showing(LOST, PARTLY);
  const trading = tradingOf(exchange, { budgetMs: 90_000, tolerance: 60_000 });
  const sent = trading.host.now();
  const result = { outcome: 'refused', filled: '0.005', message: expect.stringContaining('the order is open') };
  expect(await cancel(trading)).toMatchObject({ result, failure: 'unreachable' });
  expect(trading.host.now() - sent).toBeGreaterThan(60_000);
  expect([exchange.count('cancel'), kept(trading)]).toEqual([1, []]);
});

describe('the outcome of a cancellation by its order', () => {
  it('includes the filled amount', async () => {
    const exchange = showing(LOST, PARTLY_GONE);
    const facts = { price: '30000', amount: '0.01', filled: '0.005', filledValue: '150' };
    expect((await cancel(tradingOf(exchange))).result).toMatchObject(facts);
  });

  it('the outcome is cancelled if the order closes later', async () => {
    const exchange = showing(LOST, OPEN, GARBLED, OPEN, GONE);
    expect((await cancel(tradingOf(exchange))).result.outcome).toBe('cancelled');
  });

  it('the outcome is refused if the order is not found in the end', async () => {
    const exchange = showing(LOST, 'none');
    const trading = tradingOf(exchange, { budgetMs: 90_000, tolerance: 60_000 });
    const result = { outcome: 'refused', price: null, message: 'the exchange has no such order' };
    expect(await cancel(trading)).toMatchObject({ result, failure: 'refused' });
    expect(kept(trading)).toEqual([]);
  });

  it('stays unknown if reading the order fails, however late', async () => {
    const exchange = showing(LOST, GARBLED);
    const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
    expect((await cancel(trading)).result).toMatchObject({ outcome: 'unknown', price: null });
    expect(kept(trading)).toEqual([]);
  });
});

describe('a cancellation that is refused', () => {
  it.each<[string, Outcome, Shown, object]>([
    ['not found', REFUSED, 'none', { outcome: 'refused', code: CODES.notFound, message: '“not found”', price: null }],
    ['filled', REFUSED, FILLED, { outcome: 'refused', code: CODES.notFound, filled: '0.01' }],
    ['open', REFUSED, OPEN, { outcome: 'refused', code: CODES.notFound, filled: '0' }],
    // the first of two executions cancelled it, and the answer is that of the second
    ['cancelled', REFUSED, PARTLY_GONE, { outcome: 'cancelled', code: CODES.notFound, filled: '0.005' }],
    ['cancelled, in other words', refused('invalid'), GONE, { outcome: 'cancelled', code: CODES.invalid }],
    ['cancelled, too frequent', refused('tooFrequent'), GONE, { outcome: 'cancelled', code: CODES.tooFrequent }],
    // the exchange itself cancels the rest of an IOC
    [
      'an IOC that is cancelled',
      REFUSED,
      anOrder({ state: 'cancelled', type: 'ioc' }),
      { outcome: 'refused', code: CODES.notFound },
    ],
  ])('reads the order to check the refusal: %s', async (_, outcome, read, result) => {
    const exchange = showing(outcome, read);
    const trading = tradingOf(exchange);
    expect((await cancel(trading)).result).toMatchObject(result);
    expect([exchange.count('cancel'), lookupsOf(exchange)]).toEqual([1, 1]);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it.each([
    [{ id: ID }, { id: ID }],
    [{ clientId: CLIENT_ID }, { clientId: CLIENT_ID }],
    [{ id: ID }, { clientId: CLIENT_ID }],
  ])('the cancellation of an order that %j cancelled before stays refused for %j', async (first, second) => {
    const exchange = showing(REFUSED, GONE);
    exchange.outcomes = [ACCEPTED];
    const trading = tradingOf(exchange);
    const again = tradingOf(exchange, { state: trading.state });
    // the same clock and the same randomness would give the same id
    Object.assign(again.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(7) });
    expect((await cancel(trading, first)).result.outcome).toBe('cancelled');
    expect(await cancel(again, second)).toMatchObject({ result: { outcome: 'refused' }, failure: 'refused' });
  });

  it('the cancellation of an order that its client id cancelled before, without an answer, stays refused for its id', async () => {
    const exchange = showing(REFUSED, GONE);
    exchange.outcomes = [LOST];
    const trading = tradingOf(exchange);
    const again = tradingOf(exchange, { state: trading.state });
    Object.assign(again.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(7) });
    expect((await cancel(trading, { clientId: CLIENT_ID })).result).toMatchObject({ outcome: 'cancelled', id: ID });
    expect((await cancel(again, { id: ID })).result.outcome).toBe('refused');
  });

  it('stays refused if another command is replacing the order', async () => {
    const trading = tradingOf(showing(REFUSED, GONE));
    const terms = { market: 'btc_usdt', order: { id: ID }, wanted: TERMS };
    trading.journal.begin<'replace'>({ operation: 'replace', terms }, { id: 'replacement1', reqTime: NOW });
    expect(await cancel(trading)).toMatchObject({ result: { outcome: 'refused' }, failure: 'refused' });
  });

  it('the outcome is unknown if the order cannot be read', async () => {
    const exchange = showing(REFUSED, GARBLED);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await cancel(trading)).toMatchObject({
      result: { outcome: 'unknown', code: CODES.notFound },
      failure: 'unknown',
    });
    const later = showing(REFUSED, AWAY, GONE);
    expect((await cancel(tradingOf(later))).result).toMatchObject({ outcome: 'cancelled', code: CODES.notFound });
  });

  it.each([
    ['in an unknown market', 'invalid', { result: { outcome: 'refused' }, failure: 'refused' }],
    ['for keys that it does not accept', 'badKey', { result: { outcome: 'refused' }, failure: 'credentials' }],
    // a limit refuses whatever comes
    ['because this machine is locked out', 'locked', { result: { outcome: 'unknown' } }],
    ['because of its rate', 'tooFrequent', { result: { outcome: 'unknown' } }],
  ] as const)('has its outcome if reading the order is refused alike: %s', async (_, kind, expected) => {
    const exchange = showing(refused(kind), refusedRead(kind));
    expect(await cancel(tradingOf(exchange, { budgetMs: BUDGET_MS }))).toMatchObject(expected);
  });

  it.each(['badKey', 'badOrigin'] as const)(
    'the outcome is cancelled if the order is, though it was refused: %s',
    async (kind) => {
      const done = await cancel(tradingOf(showing(refused(kind), GONE)));
      expect(done).toMatchObject({ result: { outcome: 'cancelled', code: CODES[kind] }, failure: null });
    },
  );
});

describe('a cancellation that was not sent', () => {
  it('reports the exchange as unreachable, not a refusal', async () => {
    const trading = tradingOf(showing(NOT_SENT));
    expect(await cancel(trading)).toMatchObject({ failure: 'unreachable', result: { outcome: 'refused', code: null } });
    expect(kept(trading)).toEqual([]);
  });

  it('is a usage error if its id is invalid', async () => {
    const exchange = showing(ACCEPTED);
    exchange.onRequest = () => usage('id must be a number');
    const trading = tradingOf(exchange);
    await expect(cancel(trading, { id: 'seven' })).rejects.toMatchObject({ kind: 'usage' });
    expect([exchange.count('lookup'), kept(trading)]).toEqual([0, []]);
  });

  it('a cancellation is sent without a warning if the disk takes no line', async () => {
    const exchange = showing(ACCEPTED, GONE);
    const trading = tradingOf(exchange);
    mkdirSync(path.join(trading.state, 'journal'), { mode: 0o700 });
    writeFileSync(path.join(trading.state, 'journal', 'test'), 'a file where the folder belongs');
    expect(await cancel(trading)).toMatchObject({ failure: null, result: { outcome: 'cancelled' } });
    expect(trading.warnings).toEqual([]);
    expect(exchange.count('cancel')).toBe(1);
  });
});
