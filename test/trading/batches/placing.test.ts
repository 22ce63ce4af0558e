import { describe, expect, it } from 'vitest';
import { NOW } from '../../support/fake-host.js';
import { FAULTS, passHangs, respond, serveFaults } from '../../support/fault-server.js';
import { count, LOST_ANSWERS, query } from '../support/exchange.js';
import { tradingOf } from '../support/trading.js';
import { begin, JOB, lines, place, resume, runJob } from './jobs.js';
import { ModelExchange, RESET } from './model-exchange.js';

/** All of them are lost answers, as the first test with them shows; what follows does not depend on which. */
const BUSY = respond('{"code":"4002","message":"too frequent"}');
/** Half of it is longer than any write waits. */
const BUDGET_MS = 30_000;

describe('a batch', () => {
  it('sends twenty orders a request as documented, after one list and before the lists that verify it', async () => {
    const exchange = new ModelExchange();
    exchange.place('19999', '0.5');
    const server = await exchange.serve();
    const trading = tradingOf(server.url);
    const ran = await place(trading, { lines: lines(45) });
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    const operations = server.requests.map(({ target }) => query(target).method);
    expect(operations).toEqual(['getOrders', ...Array(3).fill('orderMoreV2'), ...Array(3).fill('getOrders')]);
    expect(server.requests.slice(4).map(({ target }) => query(target).pageNumber)).toEqual(['3', '4', '5']);
    const { accesskey, sign, reqTime, ...first } = query(server.requests[1]?.target ?? '');
    expect([accesskey, sign?.length, reqTime]).toEqual(['access-0123456789', 32, '1540295995557']);
    const pairs = Array.from({ length: 20 }, (_, index) => `[${20_000 + index},0.01]`).join(',');
    const values = { market: 'btc_usdt', side: 'buy', tradeParams: `[${pairs}]` };
    expect(first).toEqual({ method: 'orderMoreV2', ...values });
    expect(ran.job.counts()).toEqual({ placed: 45, refused: 0, notSent: 0, unknown: 0 });
    for (const [line, order] of exchange.orders.slice(1).entries())
      expect(ran.job.lines[line]).toMatchObject({ state: 'placed', id: order.id });
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(trading.journal.archive.find(JOB)).toMatchObject({ outcome: 'placed', write: { terms: { count: 45 } } });
  });

  it.each([
    ['sell', 'spot', { side: 'sell' }],
    ['buy', 'isolated', { side: 'buy', acctType: '1' }],
    ['sell', 'cross', { side: 'sell', acctType: '2' }],
  ] as const)('sends the parameters of a %s on the %s account and no others', async (side, account, sent) => {
    const server = await new ModelExchange().serve();
    await place(tradingOf(server.url), { side, account, lines: lines(1) });
    const request = server.requests.find(({ target }) => target.startsWith('/api/orderMoreV2?'));
    const { accesskey, sign, reqTime, ...own } = query(request?.target ?? '');
    expect(own).toEqual({ method: 'orderMoreV2', market: 'btc_usdt', tradeParams: '[[20000,0.01]]', ...sent });
  });

  it.each(LOST_ANSWERS)('finds the orders of a request whose answer was lost to %s, and continues', async (fault) => {
    const exchange = new ModelExchange([{}, { answer: FAULTS[fault] }]);
    const server = await exchange.serve();
    passHangs();
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    const ran = await place(trading, { lines: lines(60) });
    expect(ran.job.counts()).toMatchObject({ placed: 60 });
    expect(exchange.orders).toHaveLength(60);
    expect(count(server, 'orderMoreV2')).toBe(3);
    expect(new Set(ran.job.lines.map((now) => 'id' in now && now.id)).size).toBe(60);
  });

  it.each(LOST_ANSWERS)(
    'stops with an unknown request that never arrived (%s), and places it on resume once its absence is certain',
    async (fault) => {
      const exchange = new ModelExchange([{}, { times: 0, answer: FAULTS[fault] }]);
      const server = await exchange.serve();
      passHangs();
      const trading = tradingOf(server.url, { budgetMs: BUDGET_MS, tolerance: 60_000 });
      const ran = await place(trading, { lines: lines(100) });
      expect(ran.ending).toMatchObject({ kind: 'lost' });
      const { placed, unknown, notSent } = ran.job.counts();
      expect([unknown, placed + notSent, exchange.orders.length]).toEqual([20, 80, placed]);
      expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual([JOB]);
      const later = tradingOf(server.url, { state: trading.state, budgetMs: 200_000, tolerance: 60_000 });
      const again = await resume(later);
      expect(again.job.counts()).toEqual({ placed: 100, refused: 0, unknown: 0, notSent: 0 });
      expect(exchange.orders).toHaveLength(100);
      expect([...exchange.counts.values()].every((times) => times === 1)).toBe(true);
      expect(later.journal.unsettledEntries()).toEqual([]);
    },
  );

  it.each([7, 21, -1])(
    'counts orders that are listed with the undocumented type %i and sends none again',
    async (type) => {
      const exchange = new ModelExchange([{}, { answer: RESET }, { accepts: (pair) => pair > 3 }, { times: 2 }]);
      exchange.shownType = type;
      const server = await exchange.serve();
      const ran = await place(tradingOf(server.url, { tolerance: 60_000 }), { lines: lines(100) });
      expect(ran.ending).toEqual({ kind: 'finished' });
      expect(ran.job.counts()).toEqual({ placed: 96, refused: 4, unknown: 0, notSent: 0 });
      expect([exchange.batches.length, exchange.counts.size, ran.job.duplicates.size]).toEqual([5, 96, 20]);
    },
  );

  it('never resends a request that is executed late', async () => {
    const exchange = new ModelExchange([{}, { late: 5, answer: RESET }]);
    const server = await exchange.serve();
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(60) });
    // the last read found it: the rest waits for the resume
    expect(ran.job.counts()).toMatchObject({ unknown: 0, refused: 0 });
    const again = await resume(tradingOf(server.url, { state: trading.state, tolerance: 60_000 }));
    expect(again.job.counts()).toMatchObject({ placed: 60 });
    expect([...exchange.counts.values()].every((times) => times === 1)).toBe(true);
  });

  it('treats lines with the same price and amount as interchangeable', async () => {
    const same = Array.from({ length: 20 }, (_, index) => [index + 1, '20000', '0.010'] as const);
    const exchange = new ModelExchange([{ accepts: (pair) => pair >= 5 }]);
    const server = await exchange.serve();
    const ran = await place(tradingOf(server.url), { lines: same });
    expect(ran.job.counts()).toMatchObject({ placed: 15, refused: 5 });
    expect(ran.job.duplicates.size).toBe(0);
  });

  it('reports the code if a request is refused as a whole', async () => {
    const exchange = new ModelExchange([{ accepts: () => false }]);
    const server = await exchange.serve();
    const ran = await place(tradingOf(server.url), { lines: lines(40) });
    expect(ran.job.counts()).toMatchObject({ placed: 20, refused: 20 });
    expect(ran.job.lines[0]).toMatchObject({
      state: 'refused',
      reason: '“Insufficient balance”',
      refusal: 'insufficientFunds',
      code: 2009,
    });
    expect(ran.ending).toEqual({ kind: 'finished' });
  });

  it('a batch is placed if the refusal answers the repetition of an executed request', async () => {
    const exchange = new ModelExchange([{ times: 2, accepts: (_, time) => time === 0 }]);
    const server = await exchange.serve();
    const ran = await place(tradingOf(server.url), { lines: lines(20) });
    expect(ran.job.counts()).toMatchObject({ placed: 20 });
    expect(exchange.orders).toHaveLength(20);
  });

  it('resends a request that was refused for its rate unless its orders exist', async () => {
    const exchange = new ModelExchange([{}, { times: 0, answer: BUSY }, { times: 1, answer: BUSY }]);
    const server = await exchange.serve();
    const trading = tradingOf(server.url);
    const ran = await place(trading, { lines: lines(100) });
    expect(ran.job.counts()).toMatchObject({ placed: 100 });
    expect([...exchange.counts.values()].every((times) => times === 1)).toBe(true);
    expect(count(server, 'orderMoreV2')).toBe(6);
    expect(trading.host.sleeps.some((pause) => pause > 1_000)).toBe(true);
  });

  it('resends a request refused for its rate only once its held duplicate can no longer execute', async () => {
    const held = [4, 15, 30].map((late) => ({ late, answer: BUSY }));
    const exchange = new ModelExchange([{}, ...held, { times: 0, answer: BUSY }]);
    const server = await exchange.serve();
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS, isChosen: false, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(200) });
    exchange.release();
    expect(ran.ending).toEqual({ kind: 'finished' });
    expect(ran.job.counts()).toMatchObject({ placed: 200 });
    expect([...exchange.counts.values()].every((times) => times === 1)).toBe(true);
    expect(trading.progress).toEqual([expect.stringContaining('only then can they be sent again')]);
    // all other requests came first, and a single wait served all refused ones
    const operations = server.requests.map(({ target }) => query(target).method);
    const [again] = exchange.batches.slice(-1);
    expect(operations.slice(operations.indexOf('orderMoreV2')).indexOf('getOrders')).toBeGreaterThanOrEqual(10);
    expect([exchange.batches.length, exchange.batches.indexOf(again ?? '')]).toEqual([11, 4]);
    expect(trading.host.now() - NOW).toBeGreaterThan(60_000);
    expect(trading.host.now() - NOW).toBeLessThan(90_000);
  });

  it.each([4002, 4001, 3007])(
    'stays unknown and is not resent if it was refused with %i and the time is over',
    async (code) => {
      const exchange = new ModelExchange([{}, { times: 0, answer: respond(`{"code":"${code}","message":"no"}`) }]);
      const server = await exchange.serve();
      const trading = tradingOf(server.url, { budgetMs: BUDGET_MS, isChosen: true, tolerance: 60_000 });
      const ran = await place(trading, { lines: lines(40) });
      expect(ran.job.counts()).toEqual({ placed: 20, refused: 0, unknown: 20, notSent: 0 });
      expect([ran.ending.kind, exchange.batches.length]).toEqual([code === 3007 ? 'refused' : 'limited', 2]);
      const elapsedMs = trading.host.now() - NOW;
      const again = await resume(tradingOf(server.url, { state: trading.state, tolerance: 60_000, elapsedMs }));
      expect(again.job.counts()).toMatchObject({ placed: 40 });
      expect(exchange.orders).toHaveLength(40);
    },
  );

  it('ends after repeated refusals for its rate, counts the rest as not sent, and can resume', async () => {
    const exchange = new ModelExchange([{}], { times: 0, answer: BUSY });
    const server = await exchange.serve();
    const trading = tradingOf(server.url);
    const ran = await place(trading, { lines: lines(800) });
    expect(ran.ending).toMatchObject({ kind: 'limited', refusal: { code: 4002 } });
    expect(ran.job.counts()).toMatchObject({ placed: 20, notSent: 780 });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });

  it.each([
    [1012, { kind: 'refused' }, { notSent: 80, refused: 20 }],
    [1003, { kind: 'refused' }, { notSent: 80, refused: 20 }],
  ])('sends nothing after a refusal with %i', async (code, ending, counts) => {
    const exchange = new ModelExchange([], { times: 0, answer: respond(`{"code":"${code}","message":"no"}`) });
    const server = await exchange.serve();
    const ran = await place(tradingOf(server.url), { lines: lines(100) });
    expect(ran.ending).toMatchObject(ending);
    expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 0, ...counts });
    expect(count(server, 'orderMoreV2')).toBe(1);
  });

  it.each([
    ['executed', 1, { placed: 20, notSent: 80 }],
    ['not executed', 0, { placed: 0, notSent: 100 }],
  ])('checks the lists if a request is refused with a lock and was %s', async (_, times, counts) => {
    const locked = respond('{"code":4001,"message":"locked"}');
    const exchange = new ModelExchange([{ times, answer: locked }]);
    const server = await exchange.serve();
    const trading = tradingOf(server.url);
    const ran = await place(trading, { lines: lines(100) });
    expect(ran.ending).toMatchObject({ kind: 'limited', refusal: { code: 4001 } });
    expect(ran.job.counts()).toMatchObject({ unknown: 0, refused: 0, ...counts });
    expect(count(server, 'orderMoreV2')).toBe(1);
    const again = await resume(tradingOf(server.url, { state: trading.state }));
    expect(again.job.counts()).toMatchObject({ placed: 100 });
    expect([...exchange.counts.values()].every((times) => times === 1)).toBe(true);
  });

  it('stays unknown while a lock also refuses the lists, and resumes once they can be read', async () => {
    const exchange = new ModelExchange([{ answer: respond('{"code":4001,"message":"locked"}') }]);
    let isLocked = false;
    const server = await serveFaults({
      answer: ({ target }) => {
        if (isLocked) return respond('{"code":4001,"message":"locked"}');
        isLocked = target.startsWith('/api/orderMoreV2?');
        return exchange.answer(target);
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 2_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(40) });
    expect(ran.job.counts()).toMatchObject({ unknown: 20, notSent: 20 });
    const unlocked = await exchange.serve();
    const elapsedMs = trading.host.now() - NOW;
    const later = tradingOf(unlocked.url, { state: trading.state, tolerance: 60_000, elapsedMs });
    expect((await resume(later)).job.counts()).toMatchObject({ placed: 40 });
    expect(exchange.orders).toHaveLength(40);
  });

  it('sends nothing and leaves nothing open if the host refuses the connection', async () => {
    const exchange = new ModelExchange();
    const server = await exchange.serve();
    const trading = tradingOf(server.url);
    const job = await begin(trading, { lines: lines(30) });
    const ran = await runJob({ ...trading, client: tradingOf('http://127.0.0.1:1').client }, job);
    expect(ran.ending).toMatchObject({ kind: 'unreachable' });
    expect(ran.job.counts()).toMatchObject({ notSent: 30 });
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(trading.journal.archive.find(JOB)).toMatchObject({ outcome: 'notSent' });
    const again = await resume(tradingOf(server.url, { state: trading.state }));
    expect(again.job.counts()).toMatchObject({ placed: 30 });
    expect(again.job.entry.isUnderWay).toBe(false);
  });
});
