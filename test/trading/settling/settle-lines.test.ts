import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import type { PageSpan } from '../../../src/exchange/lists/growing-pages.js';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import type { BatchLine } from '../../../src/trading/journal/write.js';
import {
  checkForDuplicates,
  settleAllLines,
  settleEarlierLines,
  settleLines,
} from '../../../src/trading/settling/settle-lines.js';
import { NOW } from '../../support/fake-host.js';
import { lines } from '../batches/jobs.js';
import { orderAt } from '../support/answering.js';
import { type TestTrading, type TradingOptions, tradingOf } from '../support/trading.js';

/** The order that was there before the job. */
const older = orderAt('1', -3_600_000, { price: '1' });
const row = (line: number, id: string, at = 3) => orderAt(id, at, { price: `${20_000 + line}` });
const NO_ANSWER = new Failure('unreachable', 'no answer');

interface Shown {
  /** The list, newest first, or why it cannot be read; by the number of the read, the last one from then on. */
  readonly lists: readonly (readonly Order[] | Failure)[];
  /** Which orders a read by id shows (default: those of the lists). */
  readonly byId?: readonly Order[];
  /** After how many orders a page could not be read. */
  readonly brokenAfter?: number;
}

/** An exchange that shows these orders, with what it was asked. */
function showing({ lists, byId, brokenAfter }: Shown, options: TradingOptions = {}) {
  const trading = tradingOf('http://127.0.0.1:1', options);
  const pages: string[] = [];
  const asked: string[] = [];
  const listed = (name: string) => {
    const list = lists[Math.min(pages.length, lists.length - 1)] ?? [];
    pages.push(name);
    if (list instanceof Failure) throw list;
    return list;
  };
  /** Pages of ten. */
  const orders = async (_market: string, _side: string, { from, to }: PageSpan) => {
    const wanted = listed(`${from}-${to}`).slice((from - 1) * 10, Math.min(to * 10, brokenAfter ?? to * 10));
    return { orders: wanted, more: false, failure: brokenAfter === undefined ? null : NO_ANSWER };
  };
  /** Pages of one. */
  async function* orderPages(_market: string, _side: string, isEnough: (rows: readonly Order[]) => boolean) {
    const list = listed('all');
    for (const [index, order] of list.entries()) {
      if (index === brokenAfter) throw NO_ANSWER;
      const rows = [order];
      yield { rows, fresh: rows, hasOlder: index < list.length - 1 };
      if (isEnough(rows)) return;
    }
  }
  const findOrder = async (_market: string, reference: { readonly id?: string }) => {
    asked.push(reference.id ?? '');
    return (byId ?? lists.flatMap((list) => (list instanceof Failure ? [] : list))).find(
      ({ id }) => id === reference.id,
    );
  };
  const client = {
    ...{ now: () => trading.host.now(), facts: trading.client.facts, orders, orderPages, findOrder },
    acceptsReqTimeForOrders: async (_: string, __: string, reqTime: number) => trading.host.now() - reqTime <= 60_000,
  };
  return { trading: { ...trading, client: client as unknown as TestTrading['client'] }, pages, asked };
}

/** A job of these lines that has sent nothing yet, with the order known before it, if any. */
function begun(trading: TestTrading, wanted: readonly BatchLine[], baseline: readonly string[] | null = ['1']) {
  const terms = { market: 'btc_usdt', side: 'buy', account: 'spot', count: wanted.length, lines: wanted } as const;
  const write = { operation: 'batch', terms: baseline === null ? terms : { ...terms, baseline } } as const;
  return new Job(trading.journal.begin<'batch'>(write, { id: 'job1', reqTime: NOW }));
}

/** A job of as many lines in requests of 20, with `record` for what each of them brought. */
async function jobOf(
  trading: TestTrading,
  count: number,
  record: (job: Job, request: number, sent: readonly number[]) => void,
  baseline?: readonly string[] | null,
) {
  const job = begun(trading, lines(count), baseline);
  for (let first = 0, request = 1; first < count; first += 20, request += 1) {
    const sent = Array.from({ length: Math.min(20, count - first) }, (_, index) => first + index);
    await job.leaving([sent], NOW);
    record(job, request, sent);
  }
  return job;
}

/** Each line's order has the id 100 + line. */
const answered = (job: Job, request: number, sent: readonly number[]) =>
  job.record('', { kind: 'answered', request, ids: sent.map((line) => `${100 + line}`), message: null });
const lost = (job: Job, request: number) => job.record('no answer', { kind: 'lost', request });
const refused = (job: Job, request: number) =>
  job.record('', { kind: 'refused', request, refusal: 'insufficientFunds', code: 2009, message: 'no funds' });
/** Nothing came of it until it expired: its lines count as not sent, and the exchange may still execute them late. */
const expired = (job: Job, request: number) => {
  lost(job, request);
  job.record('', { kind: 'closed', request, outcome: 'notSent', reason: 'expired', code: null });
};
const eventsOf = (job: Job) => job.entry.events.map(({ event }) => event);
/** The orders of a job of as many lines, newest first, before what was there. */
const listOf = (count: number) => [
  ...Array.from({ length: count }, (_, line) => row(line, `${100 + line}`)).reverse(),
  older,
];

describe('looking for duplicates of a job', () => {
  it.each([
    [3, '1-1'],
    [10, '1-2'],
    [25, '1-3'],
    [30, '2-4'],
    [45, '3-5'],
  ])('whose %i orders are the newest takes the pages %s, down to the order before them', async (count, wanted) => {
    const { trading, pages } = showing({ lists: [listOf(count)] });
    const job = await jobOf(trading, count, answered);
    expect(await checkForDuplicates(trading, job)).toBe(NOW);
    expect(pages).toEqual([wanted]);
  });

  it.each<[string, readonly Order[]]>([
    ['a duplicate', [row(1, '109', 9), ...listOf(3)]],
    ['an order of another program', [orderAt('109', 9, { price: '5' }), ...listOf(3)]],
    ['an order that the exchange changed', [row(7, '102'), ...listOf(2)]],
    ['an order of another program in place of the one before', listOf(3).slice(0, 3)],
  ])('reads all since the beginning if the list shows %s', async (_, list) => {
    const { trading, pages } = showing({ lists: [list] });
    const job = await jobOf(trading, 3, answered);
    expect(await checkForDuplicates(trading, job)).toBe(NOW);
    expect(pages).toEqual(['1-1', 'all']);
  });

  it.each<[string, readonly string[], readonly Order[]]>([
    [
      'another order stands in the place of one of the job',
      ['1'],
      [row(2, '102'), orderAt('109', 3, { price: '5' }), row(0, '100'), older],
    ],
    ['the list was empty before the job and lacks one of its orders', [], [row(2, '102'), row(1, '101')]],
  ])('reads all since the beginning if %s', async (_, baseline, first) => {
    const { trading, pages } = showing({ lists: [first, listOf(3)] });
    const job = await jobOf(trading, 3, answered, baseline);
    expect(await checkForDuplicates(trading, job)).toBe(NOW);
    expect(pages).toEqual(['1-1', 'all']);
  });

  it('adds the time that the pages of all its orders take, unless the user has set the time', async () => {
    for (const [isChosen, budgetMs] of [
      [false, 60_054],
      [true, 60_000],
    ] as const) {
      const { trading } = showing({ lists: [[row(1, '109', 9), ...listOf(25)]] }, { budgetMs: 60_000, isChosen });
      const job = await jobOf(trading, 25, answered);
      expect(await checkForDuplicates(trading, job)).toBe(NOW);
      expect(trading.budget.milliseconds).toBe(budgetMs);
    }
  });

  it('reports the duplicate that the list shows, once', async () => {
    const { trading } = showing({ lists: [[row(1, '109', 9), ...listOf(3)]] });
    const job = await jobOf(trading, 3, answered);
    await checkForDuplicates(trading, job);
    expect(trading.alarms).toMatchObject([{ writeId: 'job1', line: 1, orderId: '101', ids: ['109'] }]);
    expect([...job.duplicates]).toEqual([['109', 1]]);
  });

  it('reads all since the beginning if no list was read before the job', async () => {
    const { trading, pages } = showing({ lists: [listOf(3)] });
    const job = await jobOf(trading, 3, answered, null);
    expect(await checkForDuplicates(trading, job)).toBe(NOW);
    expect(pages).toEqual(['all']);
  });

  it('waits a second for an order that the exchange does not list yet', async () => {
    const late = listOf(3);
    const { trading, pages, asked } = showing({ lists: [late.slice(1), late.slice(1), late] });
    const job = await jobOf(trading, 3, answered);
    expect(await checkForDuplicates(trading, job)).toBe(NOW);
    expect([pages, asked, trading.host.now() - NOW]).toEqual([['1-1', 'all', 'all'], [], 1_000]);
  });

  it.each<[string, Partial<Shown>]>([
    ['cannot be read', { lists: [NO_ANSWER] }],
    ['breaks off', { brokenAfter: 2 }],
  ])('says that nothing was checked if the list %s, and reads each order by its id', async (_, how) => {
    const { trading, asked } = showing({ lists: [listOf(3)], byId: listOf(3), ...how });
    const job = await jobOf(trading, 3, answered);
    expect(await checkForDuplicates(trading, job)).toBeUndefined();
    expect([job.outcomes(), asked.length > 0]).toEqual([['placed', 'placed', 'placed'], true]);
  });

  it('asks by id only for the orders that no list has shown', async () => {
    const { trading, asked } = showing({ lists: [listOf(3).slice(1)], byId: listOf(3) });
    const job = await jobOf(trading, 3, answered);
    expect(await checkForDuplicates(trading, job)).toBeUndefined();
    expect(asked).toEqual(['102']);
    expect(eventsOf(job).at(-1)).toBe('read 1 order by their ids');
  });

  it.each<[string, readonly Order[]]>([
    ['nothing shows', listOf(2)],
    ['its id shows on the other side', [{ ...row(2, '102'), side: 'sell' }, ...listOf(2)]],
  ])('opens a line again whose order %s', async (_, byId) => {
    const { trading } = showing({ lists: [listOf(2)], byId }, { budgetMs: 5_000 });
    const job = await jobOf(trading, 4, answered);
    expect(await checkForDuplicates(trading, job)).toBeUndefined();
    expect(job.outcomes()).toEqual(['placed', 'placed', 'unknown', 'unknown']);
    expect(eventsOf(job)).toEqual(expect.arrayContaining(['not shown yet: 102, 103', 'read 0 orders by their ids']));
  });

  it('adds the time that reading each order by its id takes', async () => {
    const { trading, asked } = showing({ lists: [NO_ANSWER], byId: listOf(30) }, { budgetMs: 500, isChosen: false });
    const job = await jobOf(trading, 30, answered);
    expect(await checkForDuplicates(trading, job)).toBeUndefined();
    expect(asked).toHaveLength(30);
    // a second to record the outcome, and 30 requests at 57 a second
    expect(trading.budget.milliseconds).toBe(1_532);
  });

  it('neither waits nor asks for more orders if its time is nearly over', async () => {
    const { trading, pages, asked } = showing({ lists: [NO_ANSWER], byId: listOf(3) }, { budgetMs: 1_000 });
    const job = await jobOf(trading, 3, answered);
    expect(await checkForDuplicates(trading, job)).toBeUndefined();
    expect(pages.slice(0, 2)).toEqual(['1-1', 'all']);
    expect(trading.host.sleeps).not.toContain(1_000);
    expect(asked).toEqual([]);
  });
});

describe('settling the lines of a job once', () => {
  it('reads back to the orders before the oldest open request, and decides what the list shows', async () => {
    const { trading } = showing({ lists: [[row(1, '8'), row(0, '7'), older]] });
    const job = await jobOf(trading, 3, lost);
    expect(await settleLines(trading, job)).toBe(true);
    expect(job.outcomes()).toEqual(['placed', 'placed', 'unknown']);
    expect(eventsOf(job).at(-1)).toBe('read the orders: 3 since');
  });

  it('does not read orders again that were known before the oldest open request', async () => {
    const { trading } = showing({ lists: [[row(20, '7'), ...listOf(20)]] });
    const job = await jobOf(trading, 21, (made, request, sent) =>
      request === 1 ? answered(made, request, sent) : lost(made, request),
    );
    expect(await settleLines(trading, job)).toBe(true);
    expect(job.outcomes()[20]).toBe('placed');
    expect(eventsOf(job).at(-1)).toBe('read the orders: 2 since');
  });

  it('decides what a list shows that breaks off, but says that it was not read', async () => {
    const { trading } = showing({ lists: [[row(1, '8'), row(0, '7'), older]], brokenAfter: 1 });
    const job = await jobOf(trading, 3, lost);
    expect(await settleLines(trading, job)).toBe(false);
    expect(job.outcomes()).toEqual(['unknown', 'placed', 'unknown']);
    expect(eventsOf(job)).toContain('read the orders: no answer');
  });

  it('reads the orders that an answer named by their ids if the list cannot be read; those without a name stay unknown', async () => {
    const { trading, asked } = showing({ lists: [NO_ANSWER], byId: listOf(3) });
    const job = await jobOf(trading, 3, (made, request) =>
      made.record('', { kind: 'answered', request, ids: ['101'], message: 'no funds' }),
    );
    expect(await settleLines(trading, job)).toBe(false);
    expect(asked).toEqual(['101']);
    expect(job.outcomes()).toEqual(['unknown', 'placed', 'unknown']);
    expect(eventsOf(job).slice(-3)).toEqual([
      'read the orders: no answer',
      'found 1 order by price and amount',
      'read 1 order by their ids',
    ]);
  });

  it('gives the older of two orders that are alike to the earlier line, also if they were read by their ids', async () => {
    const alike = ['100', '101'].map((id, at) => orderAt(id, at, { price: '20000' }));
    const { trading } = showing({ lists: [NO_ANSWER], byId: alike });
    const terms = [1, 2, 3].map((line): BatchLine => [line, '20000', '0.01']);
    const job = begun(trading, terms);
    await job.leaving([[0, 1, 2]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['100', '101'], message: 'no funds' });
    await settleLines(trading, job);
    expect(job.lines.slice(0, 2)).toMatchObject([{ id: '100' }, { id: '101' }]);
  });

  it('leaves a refused request unknown while only orders of an earlier one were read, by their ids', async () => {
    const { trading } = showing({ lists: [NO_ANSWER], byId: listOf(20) });
    const job = await jobOf(trading, 21, (made, request, sent) =>
      request === 1 ? answered(made, request, sent) : refused(made, request),
    );
    expect(await settleLines(trading, job)).toBe(false);
    expect(job.counts()).toEqual({ placed: 20, refused: 0, unknown: 1, notSent: 0 });
  });

  it.each<[string, number, 'refused' | 'unknown']>([
    ['is refused if the list is refused with the same code', 2009, 'refused'],
    ['stays unknown if the list is refused with another code', 1012, 'unknown'],
  ])('a request that was refused %s', async (_, code, outcome) => {
    const { trading } = showing({
      lists: [new Failure('refused', 'no', { code, refusal: 'insufficientFunds' })],
    });
    const job = await jobOf(trading, 2, refused);
    expect(await settleLines(trading, job)).toBe(false);
    expect(job.outcomes()).toEqual([outcome, outcome]);
    if (outcome === 'refused') expect(eventsOf(job)).toContain('request 1: 2 orders refused: no funds');
  });

  it('a request that was refused for its time stays unknown, though the list is refused with the same code', async () => {
    const { trading } = showing({ lists: [new Failure('refused', 'no', { code: 4002, refusal: 'tooFrequent' })] });
    const job = await jobOf(trading, 2, (made, request) =>
      made.record('', { kind: 'refused', request, refusal: 'tooFrequent', code: 4002, message: 'too frequent' }),
    );
    await settleLines(trading, job);
    expect(job.outcomes()).toEqual(['unknown', 'unknown']);
  });
});

describe('settling all lines of a job', () => {
  it('asks nothing if none is open', async () => {
    const { trading, pages } = showing({ lists: [[older]] });
    expect(await settleAllLines(trading, await jobOf(trading, 3, answered))).toBe(true);
    expect(pages).toEqual([]);
  });

  it('reads until the list shows all of them', async () => {
    const { trading, pages } = showing({ lists: [[older], [row(0, '7'), older]] });
    expect(await settleAllLines(trading, await jobOf(trading, 1, lost))).toBe(true);
    expect(pages).toEqual(['all', 'all']);
  });

  it('finds that they were not sent once the exchange rejects the time of their request', async () => {
    const { trading } = showing({ lists: [[older]] }, { budgetMs: 90_000 });
    const job = await jobOf(trading, 1, lost);
    expect(await settleAllLines(trading, job)).toBe(true);
    expect(job.outcomes()).toEqual(['notSent']);
    expect(trading.host.now() - NOW).toBeGreaterThan(65_000);
  });

  it('waits until the newest of their requests has expired', async () => {
    const { trading } = showing({ lists: [[older]] });
    const job = begun(trading, lines(2));
    await job.leaving([[0]], NOW);
    await job.leaving([[1]], NOW + 40_000);
    for (const request of [1, 2]) lost(job, request);
    expect(await settleAllLines(trading, job)).toBe(true);
    expect(job.outcomes()).toEqual(['notSent', 'notSent']);
    expect(trading.host.now() - NOW).toBeGreaterThan(105_000);
  });

  it('leaves them unknown if its time ends before that', async () => {
    const { trading } = showing({ lists: [[older]] }, { budgetMs: 5_000 });
    const job = await jobOf(trading, 1, lost);
    expect(await settleAllLines(trading, job)).toBe(false);
    expect(job.outcomes()).toEqual(['unknown']);
  });
});

describe('settling what earlier runs of a job left', () => {
  it('reads nothing if nothing is open', async () => {
    const { trading, pages } = showing({ lists: [[older]] });
    expect(await settleEarlierLines(trading, await jobOf(trading, 3, answered))).toBeUndefined();
    expect(pages).toEqual([]);
  });

  it('says that earlier requests may still arrive', async () => {
    const { trading } = showing({ lists: [[older]] }, { budgetMs: 5_000 });
    const why = await settleEarlierLines(trading, await jobOf(trading, 1, lost));
    expect(why).toBe('earlier requests may still arrive');
  });

  it('finds a lost line that the exchange executed later', async () => {
    const { trading, pages } = showing({ lists: [NO_ANSWER, [row(0, '7', 90_000), older]] });
    const job = await jobOf(trading, 2, expired);
    expect(await settleEarlierLines(trading, job)).toBeUndefined();
    expect(job.outcomes()).toEqual(['placed', 'notSent']);
    expect([pages, trading.host.now() - NOW]).toEqual([['all', 'all'], 1_000]);
  });

  it('finds it too if it is older than an order that was sent later', async () => {
    const { trading } = showing({ lists: [[row(20, '120', 80_000), row(0, '7', 70_000), older]] });
    const job = await jobOf(trading, 21, (made, request, sent) =>
      request === 1 ? expired(made, request) : answered(made, request, sent),
    );
    expect(await settleEarlierLines(trading, job)).toBeUndefined();
    expect(job.lines[0]).toMatchObject({ state: 'placed', id: '7' });
  });

  it('gives up if the list cannot be read while two seconds are left', async () => {
    const { trading, pages } = showing({ lists: [NO_ANSWER] }, { budgetMs: 4_000 });
    const job = await jobOf(trading, 2, expired);
    expect(await settleEarlierLines(trading, job)).toBe('the lists of orders could not be read');
    expect([pages.length, trading.host.now() - NOW]).toEqual([3, 2_000]);
  });

  it('finds the orders of lines that an incomplete record does not mention, and takes it for complete from then on', async () => {
    const { trading } = showing({ lists: [[row(1, '8'), row(0, '100'), older]] });
    const killed = begun(trading, lines(3));
    await killed.leaving([[0]], NOW);
    answered(killed, 1, [0]);
    const resumed = new Job(trading.journal.findJob('job1') as JournalEntry<'batch'>);
    expect(resumed.maybeUnrecorded).toEqual([1, 2]);
    expect(await settleEarlierLines(trading, resumed)).toBeUndefined();
    expect(resumed.outcomes()).toEqual(['placed', 'placed', 'notSent']);
    expect(resumed.maybeUnrecorded).toEqual([]);
  });
});
