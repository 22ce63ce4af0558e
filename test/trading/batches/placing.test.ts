import { describe, expect, it } from 'vitest';
import { NOW } from '../../support/fake-host.js';
import {
  DONE,
  LOST,
  LOST_DONE,
  late,
  NOT_SENT,
  refused,
  refusedRead,
  ScriptedExchange,
  TWICE,
} from '../../support/scripted-exchange.js';
import { tradingOf } from '../support/trading.js';
import { begin, JOB, lines, place, resume, runJob, timesPlaced } from './jobs.js';

const BUSY = refused('tooFrequent');
/** Half of it is longer than any write waits. */
const BUDGET_MS = 30_000;

describe('a batch', () => {
  it('sends twenty orders a request as documented, after one list and before the lists that verify it', async () => {
    const exchange = new ScriptedExchange();
    exchange.place({ price: '19999', amount: '0.5' });
    const trading = tradingOf(exchange);
    const ran = await place(trading, { lines: lines(45) });
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    const kinds = exchange.requests.map(({ kind }) => kind);
    expect(kinds).toEqual(['list', ...Array(3).fill('batch'), ...Array(3).fill('list')]);
    expect(exchange.arrived('list').map(({ page }) => page)).toEqual([1, 3, 4, 5]);
    const orders = Array.from({ length: 20 }, (_, index) => ({ price: `${20_000 + index}`, amount: '0.01' }));
    expect(exchange.arrived('batch')[0]).toMatchObject({
      batch: { market: 'btc_usdt', side: 'buy', orders },
      reqTime: NOW,
    });
    expect(ran.job.counts()).toEqual({ placed: 45, refused: 0, notSent: 0, unknown: 0 });
    for (const [line, order] of exchange.has.orders.slice(1).entries())
      expect(ran.job.lines[line]).toMatchObject({ state: 'placed', id: order.id });
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(trading.journal.archive.find(JOB)).toMatchObject({ outcome: 'placed', write: { terms: { count: 45 } } });
  });

  it.each([
    ['sell', 'spot'],
    ['buy', 'isolated'],
    ['sell', 'cross'],
  ] as const)('sends the terms of a %s on the %s account', async (side, account) => {
    const exchange = new ScriptedExchange();
    await place(tradingOf(exchange), { side, account, lines: lines(1) });
    const batch = { market: 'btc_usdt', side, account, orders: [{ price: '20000', amount: '0.01' }] };
    expect(exchange.arrived('batch')).toMatchObject([{ batch }]);
  });

  it('finds the orders of a request whose answer was lost, and continues', async () => {
    const exchange = new ScriptedExchange({}, [{}, LOST_DONE]);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    const ran = await place(trading, { lines: lines(60) });
    expect(ran.job.counts()).toMatchObject({ placed: 60 });
    expect(exchange.has.orders).toHaveLength(60);
    expect(exchange.count('batch')).toBe(3);
    expect(new Set(ran.job.lines.map((now) => 'id' in now && now.id)).size).toBe(60);
    // the first lookup found them
    expect(trading.host.sleeps).not.toContain(300);
  });

  it('stops with an unknown request that never arrived, and places it on resume once its absence is certain', async () => {
    const exchange = new ScriptedExchange({}, [{}, LOST]);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(100) });
    expect(ran.ending).toMatchObject({ kind: 'lost' });
    const { placed, unknown, notSent } = ran.job.counts();
    expect([unknown, placed + notSent, exchange.has.orders.length]).toEqual([20, 80, placed]);
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual([JOB]);
    const later = tradingOf(exchange, { state: trading.state, budgetMs: 200_000, tolerance: 60_000 });
    const again = await resume(later);
    expect(again.job.counts()).toEqual({ placed: 100, refused: 0, unknown: 0, notSent: 0 });
    expect(exchange.has.orders).toHaveLength(100);
    expect([...timesPlaced(exchange).values()].every((times) => times === 1)).toBe(true);
    expect(later.journal.unsettledEntries()).toEqual([]);
  });

  it('counts orders that are listed with an undocumented type and sends none again', async () => {
    const exchange = new ScriptedExchange({}, [{}, LOST_DONE, { accepts: (pair) => pair > 3 }, TWICE]);
    exchange.listsAs = { type: 'other' };
    const ran = await place(tradingOf(exchange, { tolerance: 60_000 }), { lines: lines(100) });
    expect(ran.ending).toEqual({ kind: 'finished' });
    expect(ran.job.counts()).toEqual({ placed: 96, refused: 4, unknown: 0, notSent: 0 });
    expect([exchange.count('batch'), timesPlaced(exchange).size, ran.job.duplicates.size]).toEqual([5, 96, 20]);
  });

  it('never resends a request that is executed late', async () => {
    const exchange = new ScriptedExchange({}, [{}, late(5)]);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(60) });
    // the last read found it: the rest waits for the resume
    expect(ran.job.counts()).toMatchObject({ unknown: 0, refused: 0 });
    const again = await resume(tradingOf(exchange, { state: trading.state, tolerance: 60_000 }));
    expect(again.job.counts()).toMatchObject({ placed: 60 });
    expect([...timesPlaced(exchange).values()].every((times) => times === 1)).toBe(true);
  });

  it('treats lines with the same price and amount as interchangeable', async () => {
    const same = Array.from({ length: 20 }, (_, index) => [index + 1, '20000', '0.010'] as const);
    const exchange = new ScriptedExchange({}, [{ accepts: (pair) => pair >= 5 }]);
    const ran = await place(tradingOf(exchange), { lines: same });
    expect(ran.job.counts()).toMatchObject({ placed: 15, refused: 5 });
    expect(ran.job.duplicates.size).toBe(0);
  });

  it('reports the code if a request is refused as a whole', async () => {
    const exchange = new ScriptedExchange({}, [{ accepts: () => false }]);
    const ran = await place(tradingOf(exchange), { lines: lines(40) });
    expect(ran.job.counts()).toMatchObject({ placed: 20, refused: 20 });
    expect(ran.job.lines[0]).toMatchObject({
      state: 'refused',
      reason: '“Insufficient balance”',
      refusal: 'insufficientFunds',
    });
    expect(ran.ending).toEqual({ kind: 'finished' });
  });

  it('a batch is placed if the refusal answers the repetition of an executed request', async () => {
    const exchange = new ScriptedExchange({}, [{ times: 2, accepts: (_, time) => time === 0 }]);
    const ran = await place(tradingOf(exchange), { lines: lines(20) });
    expect(ran.job.counts()).toMatchObject({ placed: 20 });
    expect(exchange.has.orders).toHaveLength(20);
  });

  it('resends a request that was refused for its rate unless its orders exist', async () => {
    const exchange = new ScriptedExchange({}, [{}, BUSY, refused('tooFrequent', 'no', 1)]);
    const trading = tradingOf(exchange);
    const ran = await place(trading, { lines: lines(100) });
    expect(ran.job.counts()).toMatchObject({ placed: 100 });
    expect([...timesPlaced(exchange).values()].every((times) => times === 1)).toBe(true);
    expect(exchange.count('batch')).toBe(6);
    // the limit counts by the second, and chance adds a quarter
    expect(trading.host.sleeps).toContain(1_375);
  });

  it('resends a request refused for its rate only once its held duplicate can no longer execute', async () => {
    const held = [4, 15, 30].map((requests) => ({ ...BUSY, times: 1, late: { requests } }));
    const exchange = new ScriptedExchange({}, [{}, ...held, BUSY]);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS, isChosen: false, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(200) });
    exchange.release();
    expect(ran.ending).toEqual({ kind: 'finished' });
    expect(ran.job.counts()).toMatchObject({ placed: 200 });
    expect([...timesPlaced(exchange).values()].every((times) => times === 1)).toBe(true);
    expect(trading.progress).toEqual([expect.stringContaining('only then can they be sent again')]);
    // all other requests came first, and a single wait served all refused ones
    const kinds = exchange.requests.map(({ kind }) => kind);
    const sent = exchange.arrived('batch').map(({ batch }) => JSON.stringify(batch.orders));
    expect(kinds.slice(kinds.indexOf('batch')).indexOf('list')).toBeGreaterThanOrEqual(10);
    expect([sent.length, sent.indexOf(sent.at(-1) ?? '')]).toEqual([11, 4]);
    expect(trading.host.now() - NOW).toBeGreaterThan(60_000);
    expect(trading.host.now() - NOW).toBeLessThan(90_000);
  });

  it.each(['tooFrequent', 'locked', 'expired'] as const)(
    'stays unknown and is not resent if it was refused and the time is over: %s',
    async (kind) => {
      const exchange = new ScriptedExchange({}, [DONE, refused(kind)]);
      const trading = tradingOf(exchange, { budgetMs: BUDGET_MS, isChosen: true, tolerance: 60_000 });
      const ran = await place(trading, { lines: lines(40) });
      expect(ran.job.counts()).toEqual({ placed: 20, refused: 0, unknown: 20, notSent: 0 });
      expect([ran.ending.kind, exchange.count('batch')]).toEqual([kind === 'expired' ? 'refused' : 'limited', 2]);
      const elapsedMs = trading.host.now() - NOW;
      const again = await resume(tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs }));
      expect(again.job.counts()).toMatchObject({ placed: 40 });
      expect(exchange.has.orders).toHaveLength(40);
    },
  );

  it('ends after repeated refusals for its rate, counts the rest as not sent, and can resume', async () => {
    const exchange = new ScriptedExchange({}, [{}], BUSY);
    const trading = tradingOf(exchange);
    const ran = await place(trading, { lines: lines(800) });
    expect(ran.ending).toMatchObject({ kind: 'limited', refusal: { kind: 'tooFrequent' } });
    expect(ran.job.counts()).toMatchObject({ placed: 20, notSent: 780 });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });

  it.each(['noPermission', 'badKey'] as const)('sends nothing after a refusal that holds for all: %s', async (kind) => {
    const exchange = new ScriptedExchange({}, [], refused(kind));
    const ran = await place(tradingOf(exchange), { lines: lines(100) });
    expect(ran.ending).toMatchObject({ kind: 'refused' });
    expect(ran.job.counts()).toEqual({ placed: 0, refused: 20, unknown: 0, notSent: 80 });
    expect(exchange.count('batch')).toBe(1);
  });

  it.each([
    ['executed', 1, { placed: 20, notSent: 80 }],
    ['not executed', 0, { placed: 0, notSent: 100 }],
  ])('checks the lists if a request is refused with a lock and was %s', async (_, times, counts) => {
    const exchange = new ScriptedExchange({}, [refused('locked', 'locked', times)]);
    const trading = tradingOf(exchange);
    const ran = await place(trading, { lines: lines(100) });
    expect(ran.ending).toMatchObject({ kind: 'limited', refusal: { kind: 'locked' } });
    expect(ran.job.counts()).toMatchObject({ unknown: 0, refused: 0, ...counts });
    expect(exchange.count('batch')).toBe(1);
    const again = await resume(tradingOf(exchange, { state: trading.state }));
    expect(again.job.counts()).toMatchObject({ placed: 100 });
    expect([...timesPlaced(exchange).values()].every((times) => times === 1)).toBe(true);
  });

  it('stays unknown while a lock also refuses the lists, and resumes once they can be read', async () => {
    const exchange = new ScriptedExchange({}, [refused('locked', 'locked', 1)]);
    let isLocked = false;
    exchange.onRequest = ({ kind }) => {
      if (isLocked) return refusedRead('locked');
      isLocked = kind === 'batch';
      return undefined;
    };
    const trading = tradingOf(exchange, { budgetMs: 2_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(40) });
    expect(ran.job.counts()).toMatchObject({ unknown: 20, notSent: 20 });
    exchange.onRequest = () => undefined;
    const elapsedMs = trading.host.now() - NOW;
    const later = tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs });
    expect((await resume(later)).job.counts()).toMatchObject({ placed: 40 });
    expect(exchange.has.orders).toHaveLength(40);
  });

  it('sends nothing and leaves nothing open if the host refuses the connection', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(30) });
    exchange.usually = NOT_SENT;
    const ran = await runJob(trading, job);
    exchange.usually = DONE;
    expect(ran.ending).toMatchObject({ kind: 'unreachable' });
    expect(ran.job.counts()).toMatchObject({ notSent: 30 });
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(trading.journal.archive.find(JOB)).toMatchObject({ outcome: 'notSent' });
    const again = await resume(tradingOf(exchange, { state: trading.state }));
    expect(again.job.counts()).toMatchObject({ placed: 30 });
    expect(again.job.entry.isUnderWay).toBe(false);
  });
});
