import { describe, expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import { lineTerms } from '../../../src/trading/batches/lines.js';
import { notionalToday } from '../../../src/trading/guards/limits.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import type { BatchLine, Settled } from '../../../src/trading/journal/write.js';
import { readOrderList } from '../../../src/trading/settling/order-list.js';
import { reconcileOrders } from '../../../src/trading/settling/reconcile-orders.js';
import { resolveJob } from '../../../src/trading/settling/resolve.js';
import { addLateOrders } from '../../../src/trading/settling/settle-job.js';
import { NOW } from '../../support/fake-host.js';
import { LOST, LOST_DONE, late, refused, ScriptedExchange } from '../../support/scripted-exchange.js';
import { accountWith } from '../pnl/forgetful-account.js';
import { findDuplicates } from '../support/duplicates.js';
import { tradingOf } from '../support/trading.js';
import { JOB, lines, place, resume, timesPlaced } from './jobs.js';

const WHERE = { market: 'btc_usdt', side: 'buy' } as const;

it('a request that was executed twice is found by counting, and its surplus ids are reported', async () => {
  const exchange = new ScriptedExchange({}, [{}, { times: 2 }]);
  const trading = tradingOf(exchange);
  const { job, isChecked } = await place(trading, { lines: lines(60) });
  // the answer is that of the second execution
  const second = exchange.has.orders.slice(20, 40).map(({ id }) => id);
  expect([...job.duplicates.keys()].sort()).toEqual(second);
  expect([isChecked, job.counts().placed]).toEqual([true, 60]);
  expect(trading.journal.archive.find(JOB)?.duplicates).toHaveLength(20);
  const [extra] = trading.alarms;
  // no order of a batch carries a client id: another program may have placed the same batch
  expect(trading.alarms.some(({ isProven }) => isProven)).toBe(false);
  const { price, amount } = extra?.terms ?? {};
  const sameTerms = exchange.has.orders
    .filter((order) => order.price === price && order.amount === amount)
    .map(({ id }) => id);
  expect([extra?.orderId, ...(extra?.ids ?? [])].sort()).toEqual(sameTerms);
});

it.each([0, 1, 10, 20, 25])(
  'a request that was executed twice is found if %i orders existed before',
  async (before) => {
    const exchange = new ScriptedExchange({}, [{ times: 2 }]);
    for (let index = 0; index < before; index += 1) exchange.place({ price: '19000', amount: '0.5' });
    const { job, isChecked } = await place(tradingOf(exchange), { lines: lines(20), account: 'cross' });
    expect([isChecked, job.duplicates.size]).toEqual([true, 20]);
  },
);

it.each([1, 9, 10, 11, 20, 45, 100])('a batch of %i orders is verified with at most three pages', async (orders) => {
  for (const before of [0, 1, 10]) {
    const exchange = new ScriptedExchange();
    for (let index = 0; index < before; index += 1) exchange.place({ price: '19000', amount: '0.5' });
    const { isChecked } = await place(tradingOf(exchange), { lines: lines(orders) });
    const pages = Math.min(3, Math.floor(orders / 10) + 1);
    expect([isChecked, exchange.count('list')]).toEqual([true, 1 + pages]);
  }
});

it('a list without the orders of a batch does not verify it, and a later list finds the duplicates', async () => {
  const exchange = new ScriptedExchange({}, [{}, { times: 2 }]);
  exchange.lag = 1_000;
  const trading = tradingOf(exchange, { tolerance: 60_000 });
  const { job, isChecked } = await place(trading, { lines: lines(60) });
  expect([job.counts().placed, isChecked, trading.journal.archive.find(JOB)?.checkedTo]).toEqual([
    60,
    false,
    undefined,
  ]);
  exchange.lag = 0;
  // later than a list would begin that reaches back only to the last check
  const options = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW + 30_000 };
  const next = tradingOf(exchange, options);
  for (let index = 0; index < 20; index += 1) exchange.place({ price: '19000', amount: '0.5' });
  expect((await findDuplicates(next, WHERE)).flatMap(({ ids }) => ids)).toHaveLength(20);
  const last = tradingOf(exchange, { ...options, elapsedMs: options.elapsedMs + 120_000 });
  expect(await findDuplicates(last, WHERE)).toEqual([]);
  // the batch is verified now: no command reads its list again
  const lists = exchange.count('list');
  expect([await findDuplicates(last, WHERE), exchange.count('list') - lists]).toEqual([[], 0]);
});

it('a list is read again if it shows the orders of the batch only a moment later', async () => {
  const exchange = new ScriptedExchange({}, [{ times: 2 }]);
  exchange.lag = 2;
  const { job, isChecked } = await place(tradingOf(exchange), { lines: lines(20) });
  expect([isChecked, job.duplicates.size]).toEqual([true, 20]);
});

it('a batch is not verified if the exchange lacks one of its orders', async () => {
  const exchange = new ScriptedExchange();
  exchange.usually = {
    answer: () => {
      const ids = exchange.has.orders.map(({ id }, index) => (index === 3 ? '99' : id));
      return { kind: 'done', value: { ids, message: '' } };
    },
  };
  const { ending, isChecked } = await place(tradingOf(exchange), { lines: lines(20) });
  expect([ending.kind, isChecked]).toEqual(['finished', false]);
});

it('a request that was executed twice is found even if the balance looks right', async () => {
  const exchange = new ScriptedExchange({}, [{ times: 2 }]);
  // what fifty orders hold, less 0.2 that a cancelled order released meanwhile
  exchange.onRequest = ({ kind }) =>
    kind === 'account' ? accountWith({ btc: exchange.has.orders.length === 0 ? 1 : 0.7 }) : undefined;
  const trading = tradingOf(exchange);
  const { job } = await place(trading, { side: 'sell', lines: lines(30) });
  expect([job.counts().placed, job.duplicates.size, exchange.has.orders.length]).toEqual([30, 20, 50]);
  expect(trading.journal.archive.find(JOB)?.duplicates).toHaveLength(20);
});

it.each([3_600_000, -3_600_000])('duplicates are found if the clock of the lists is off by %i ms', async (ahead) => {
  const exchange = new ScriptedExchange({}, [{ times: 2 }, {}, { ...LOST_DONE, times: 2 }]);
  exchange.ordersAhead = ahead;
  const { job } = await place(tradingOf(exchange), { lines: lines(60) });
  expect([job.counts().placed, job.duplicates.size]).toEqual([60, 40]);
});

it('an order of another program with other terms is not a duplicate', async () => {
  const exchange = new ScriptedExchange({}, [{}, { times: 2 }]);
  const trading = tradingOf(exchange);
  const write = trading.client.placeOrders.bind(trading.client);
  let foreign = '';
  const placeOrders: typeof write = (...words) => {
    foreign ||= exchange.place({ price: '31000', amount: '0.7' });
    return write(...words);
  };
  const client = Object.assign(trading.client, { placeOrders });
  const { job } = await place({ ...trading, client }, { lines: lines(60) });
  expect([job.duplicates.size, job.duplicates.has(foreign)]).toEqual([20, false]);
});

it('an order identical to a line but placed long before the request is not a duplicate', async () => {
  const exchange = new ScriptedExchange();
  const old = [exchange.place({ price: '20000', amount: '0.01' }), exchange.place({ price: '20001', amount: '0.01' })];
  const { job } = await place(tradingOf(exchange), { lines: lines(20), account: 'cross' });
  expect([job.counts().placed, job.duplicates.size]).toEqual([20, 0]);
  expect(job.lines.some((now) => now.state === 'placed' && old.includes(now.id))).toBe(false);
});

it('an execution after the job was verified is reported once, by the next command in the market', async () => {
  const exchange = new ScriptedExchange();
  const trading = tradingOf(exchange, { tolerance: 60_000 });
  await place(trading, { lines: lines(60) });
  expect(await findDuplicates(trading, WHERE)).toEqual([]);
  const late = [
    exchange.place({ price: '20005', amount: '0.0100' }),
    exchange.place({ price: '20006', amount: '0.01' }),
  ];
  const later = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW + 5_000 };
  const next = tradingOf(exchange, later);
  const duplicates = (await findDuplicates(next, WHERE)).toSorted((one, other) =>
    one.terms.price.localeCompare(other.terms.price),
  );
  expect(next.alarms).toHaveLength(2);
  expect(duplicates.map(({ writeId, ids, isProven }) => ({ writeId, ids, isProven }))).toEqual(
    late.map((id) => ({ writeId: JOB, ids: [id], isProven: false })),
  );
  expect(duplicates[0]?.orderId).toBe(exchange.has.orders[5]?.id);
  const again = tradingOf(exchange, { ...later, elapsedMs: later.elapsedMs + 1_000 });
  expect(await findDuplicates(again, WHERE)).toEqual([]);
});

describe('a process that is killed while it records late orders of a settled job', () => {
  it.each(['before', 'after'] as const)('late orders survive a kill %s they are archived', async (moment) => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    await place(trading, { lines: lines(3) });
    const late = lines(3).map(([, price, amount]) => exchange.place({ price, amount }));
    const later = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW + 5_000 };
    const killed = tradingOf(exchange, later);
    const add = killed.journal.archive.add.bind(killed.journal.archive);
    killed.journal.archive.add = (settled) => {
      if (moment === 'after') add(settled);
      throw new Error('killed');
    };
    await expect(findDuplicates(killed, WHERE)).rejects.toThrow('killed');
    expect(killed.alarms.flatMap(({ ids }) => ids).sort()).toEqual(late);
    const next = tradingOf(exchange, { ...later, elapsedMs: later.elapsedMs + 1_000 });
    expect(await findDuplicates(next, WHERE)).toEqual([]);
    const job = new Job(next.journal.findJob(JOB) as JournalEntry<'batch'>);
    expect([...job.duplicates.keys()].sort()).toEqual(late);
    expect([...(next.journal.archive.find(JOB)?.duplicates ?? [])].sort()).toEqual(late);
  });
});

it('an order of a job with an unknown outcome is not a duplicate of another order', async () => {
  const exchange = new ScriptedExchange({}, [{}, late(1)]);
  const trading = tradingOf(exchange, { budgetMs: 1_000, tolerance: 60_000 });
  // no list shows its orders within the budget
  exchange.lag = 1_000;
  const { job } = await place(trading, { lines: lines(40) });
  expect(job.counts()).toMatchObject({ placed: 20, unknown: 20 });
  exchange.lag = 0;
  const terms = {
    ...WHERE,
    type: 'limit',
    account: 'spot',
    price: '40000',
    amount: '0.3',
    borrow: false,
    repay: false,
  } as const;
  const next = tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW });
  const recording = { id: 'mine0001', reqTime: trading.client.now() };
  const entry = next.journal.begin<'order'>({ operation: 'order', terms }, recording);
  const order = exchange.place({ price: '40000', amount: '0.3' });
  entry.settle({ outcome: 'placed', id: order, duplicates: [] }, 'placed');
  expect((await reconcileOrders(next, await readOrderList(next, WHERE, 0), { mine: entry })).duplicates).toEqual([]);
});

describe('a partly refused request that the network repeats later', () => {
  const refusedPart = { accepts: (pair: number) => pair < 2 };
  /** Executes the request again, with enough balance for all of it. */
  const repeat = (exchange: ScriptedExchange) => {
    for (const [, price, amount] of lines(20)) exchange.place({ price, amount });
  };

  it('the job reports the late orders when it resumes: refused lines get the orders, the rest are duplicates', async () => {
    const exchange = new ScriptedExchange({}, [refusedPart, LOST]);
    const trading = tradingOf(exchange, { budgetMs: 4_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(25) });
    expect(ran.job.counts()).toEqual({ placed: 2, refused: 18, unknown: 5, notSent: 0 });
    repeat(exchange);
    const elapsedMs = trading.host.now() - NOW + 90_000;
    const next = tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs });
    const { job, ending } = await resume(next);
    expect([ending.kind, job.counts().placed, job.duplicates.size, exchange.count('batch')]).toEqual([
      'finished',
      25,
      2,
      3,
    ]);
    expect(new Set([...timesPlaced(exchange).values()].slice(2))).toEqual(new Set([1]));
    expect(next.alarms.map(({ orderId, ids }) => [orderId === null, ids.length])).toEqual(
      lines(20).map((_, line) => [line > 1, 1]),
    );
    expect(new Set(job.orderIds)).toEqual(new Set(exchange.has.orders.map(({ id }) => id)));
    expect(trading.journal.archive.find(JOB)).toMatchObject({ outcome: 'placed' });
  });

  it('the next command in the market reports the late orders if the job is finished', async () => {
    const exchange = new ScriptedExchange({}, [refusedPart]);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    expect([ran.ending.kind, ran.job.counts().refused]).toEqual(['finished', 18]);
    repeat(exchange);
    const elapsedMs = trading.host.now() - NOW + 5_000;
    const next = tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs });
    const duplicates = await findDuplicates(next, WHERE);
    expect(duplicates.map(({ orderId, ids }) => [orderId === null, ids.length])).toHaveLength(20);
    expect(duplicates.filter(({ orderId }) => orderId === null)).toHaveLength(18);
    expect(await findDuplicates(next, WHERE)).toEqual([]);
    // from then on every reader of the journal sees them as the lines' orders
    const job = new Job(next.journal.findJob(JOB) as JournalEntry<'batch'>);
    expect([job.counts().placed, job.duplicates.size, job.maybeUnrecorded]).toEqual([20, 2, []]);
    expect(new Set(job.orderIds)).toEqual(new Set(exchange.has.orders.map(({ id }) => id)));
    const archived = next.journal.archive.find(JOB);
    expect([archived?.outcome, archived?.duplicates]).toEqual(['placed', [...job.duplicates.keys()]]);
    const worth = lines(20).reduce((sum, [, price]) => sum + Number(price) * 0.01, 0) + (20_000 + 20_001) * 0.01;
    expect(Number(notionalToday(next.journal, 'usdt', next.host.now()))).toBeCloseTo(worth);
  });

  it('two commands that check at the same time report the late orders once and assign each order once', async () => {
    const exchange = new ScriptedExchange({}, [refusedPart]);
    let concurrent: (() => Promise<unknown>) | undefined;
    let lists = 0;
    exchange.onRequest = async ({ kind }) => {
      if (kind === 'list') lists += 1;
      if (lists === 0) return undefined;
      const other = concurrent;
      concurrent = undefined;
      await other?.();
      return undefined;
    };
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    await place(trading, { lines: lines(20) });
    repeat(exchange);
    const options = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW + 5_000 };
    const [one, other] = [tradingOf(exchange, options), tradingOf(exchange, options)];
    lists = 0;
    concurrent = () => findDuplicates(other, WHERE);
    expect(await findDuplicates(one, WHERE)).toEqual([]);
    expect([one.alarms.length, other.alarms.length, lists > 2]).toEqual([0, 20, true]);
    const job = new Job(one.journal.findJob(JOB) as JournalEntry<'batch'>);
    expect([job.counts().placed, job.duplicates.size]).toEqual([20, 2]);
    const { id = '' } =
      exchange.has.orders.find((order) => job.lines.some((now) => now.state === 'placed' && now.id === order.id)) ?? {};
    // a report of an order that a line already has changes nothing
    const kept = one.journal.archive.find(JOB) as Settled;
    const line = job.lines.findIndex((now) => now.state === 'placed' && now.id === id);
    const report = {
      writeId: JOB,
      terms: lineTerms(job, line),
      line,
      orderId: null,
      ids: [id],
      shown: [],
      isProven: true,
    };
    addLateOrders(one.journal, job, [report]);
    expect(one.journal.archive.find(JOB)).toMatchObject({
      outcome: 'placed',
      duplicates: kept.duplicates,
      notional: kept.notional,
    });
  });

  it('never overwrites the result of a job that was resumed and settled meanwhile', async () => {
    const exchange = new ScriptedExchange({}, []);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    await place(trading, { lines: lines(2) });
    const { archive } = trading.journal;
    const job = new Job(trading.journal.findJob(JOB) as JournalEntry<'batch'>);
    const kept = archive.find(JOB) as Settled;
    const again: Settled = { ...kept, notional: '1', events: [...kept.events, { time: NOW, event: 'settled again' }] };
    const add = archive.add.bind(archive);
    archive.add = (settled) => {
      archive.add = add;
      add(settled);
      add(again);
    };
    const report = {
      writeId: JOB,
      terms: lineTerms(job, 0),
      line: 0,
      orderId: null,
      ids: ['9'],
      shown: [],
      isProven: true,
    };
    addLateOrders(trading.journal, job, [report]);
    expect(archive.find(JOB)).toEqual(again);
  });

  it('reports the late orders even if the longer list that detects other programs on the key lacks them', async () => {
    const exchange = new ScriptedExchange({}, [refusedPart]);
    let isCut = false;
    exchange.onRequest = ({ kind }) => (isCut && kind === 'list' ? [] : undefined);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    await place(trading, { lines: lines(20) });
    repeat(exchange);
    const elapsedMs = trading.host.now() - NOW + 5_000;
    const next = tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs });
    // the journal is read after the first list
    next.journal.unsettledEntries = () => {
      isCut = true;
      return Journal.prototype.unsettledEntries.call(next.journal);
    };
    expect(await findDuplicates(next, WHERE)).toHaveLength(20);
    expect(next.alarms).toHaveLength(20);
  });

  it('gives its orders to the lines without one if several have the same price and amount', async () => {
    for (const [accepted, orders] of [
      [0, [null, null]],
      [1, ['own', null]],
    ] as const) {
      const exchange = new ScriptedExchange({}, [{ accepts: (pair) => pair < accepted }]);
      const trading = tradingOf(exchange, { tolerance: 60_000 });
      const alike = [1, 2].map((line): BatchLine => [line, '20000', '0.01']);
      await place(trading, { lines: alike });
      for (const [, price, amount] of alike) exchange.place({ price, amount });
      const elapsedMs = trading.host.now() - NOW + 5_000;
      const next = tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs });
      const duplicates = await findDuplicates(next, WHERE);
      expect(duplicates.map(({ orderId, ids }) => [orderId === null ? null : 'own', ids.length]).sort()).toEqual(
        orders.map((order) => [order, 1]).sort(),
      );
    }
  });

  it('gives its orders to the lines of an ended job that is resumed with unsent lines', async () => {
    // the next request would get the same answer
    const closed = refused('closed');
    for (const isArchiveOnly of [false, true]) {
      const exchange = new ScriptedExchange({}, [refusedPart], closed);
      const trading = tradingOf(exchange, { tolerance: 60_000 });
      const { job } = await place(trading, { lines: lines(400) });
      expect(job.counts()).toMatchObject({ placed: 2, unknown: 0 });
      expect(job.counts().notSent).toBeGreaterThan(20);
      await resolveJob(trading, trading.journal.findUnsettled(JOB) as JournalEntry<'batch'>, true);
      repeat(exchange);
      const elapsedMs = trading.host.now() - NOW + 5_000;
      const next = tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs });
      if (isArchiveOnly) {
        const kept = next.journal.archive.find(JOB) as Settled;
        next.journal.archive.add({ ...kept, duplicates: exchange.has.orders.slice(2).map(({ id }) => id) });
      } else await findDuplicates(next, WHERE);
      const { job: done } = await resume(next);
      expect([done.counts().placed, done.duplicates.size]).toEqual([20, 2]);
      await resolveJob(next, next.journal.findUnsettled(JOB) as JournalEntry<'batch'>, true);
      expect(next.journal.archive.find(JOB)?.duplicates).toHaveLength(2);
      expect(next.alarms.flatMap(({ ids }) => ids)).toHaveLength(20);
    }
  });
});
