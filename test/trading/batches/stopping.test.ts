import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { BatchSender } from '../../../src/trading/batches/batch-sender.js';
import { JobRun } from '../../../src/trading/batches/job-run.js';
import { resumeCommand, resumeJob, startJob } from '../../../src/trading/batches/start-job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import type { BatchLine } from '../../../src/trading/journal/write.js';
import { resolveJob } from '../../../src/trading/settling/resolve.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { DONE, LOST, LOST_DONE, refused, ScriptedExchange } from '../../support/scripted-exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { begin, JOB, lines, place, resume } from './jobs.js';

/** Runs `work` right before the nth batch is sent. */
function beforeNthBatch(trading: TestTrading, nth: number, work: () => void): TestTrading {
  const { client } = trading;
  const write = client.placeOrders.bind(client);
  let calls = 0;
  const placeOrders: typeof write = (...words) => {
    calls += 1;
    if (calls === nth) work();
    return write(...words);
  };
  return Object.assign(trading, { client: Object.assign(client, { placeOrders }) });
}

function fileOf({ state }: { readonly state: string }): string {
  return path.join(state, 'journal', 'test', 'unsettled', JOB);
}

describe('a batch that stops', () => {
  it('checks the lines before each request, and the lines that are left when it is resumed', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(400) });
    const lowered = new Failure('usage', 'the limit was lowered');
    const check = async (_: unknown, checked: readonly BatchLine[]) => {
      if (checked.some(([line]) => line > 200)) throw lowered;
    };
    expect(await new JobRun(trading, job, new AbortController().signal, check).run()).toEqual({
      kind: 'unrecorded',
      failure: lowered,
    });
    const { placed, notSent } = job.counts();
    expect([placed > 0, placed <= 200, placed + notSent, exchange.has.orders.length]).toEqual([
      true,
      true,
      400,
      placed,
    ]);
    const left: unknown[] = [];
    const requireWithinLimits = (_: unknown, rest: readonly BatchLine[] = []) => void left.push(...rest);
    await resumeJob(tradingOf(exchange, { state: trading.state }), JOB, { requireWithinLimits });
    expect(left).toHaveLength(400 - placed);
  });

  it.each([
    ['is lost', LOST, 'lost'],
    ['is a refusal', refused('insufficientFunds'), 'refused'],
  ])('sends no further request if an answer %s', async (_, outcome, kind) => {
    const exchange = new ScriptedExchange({}, [DONE, outcome]);
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(100) });
    const all = Array.from({ length: 100 }, (_none, line) => line);
    const sender = new BatchSender(trading, job, new AbortController().signal, undefined);
    expect(await sender.send(all.slice(0, 20))).toBeUndefined();
    expect(await sender.send(all.slice(20, 40))).toMatchObject({ kind });
    const fresh = new BatchSender(trading, job, new AbortController().signal, undefined);
    exchange.outcomes.push(outcome);
    expect(await fresh.send(all.slice(40))).toMatchObject({ kind });
    expect(exchange.count('batch')).toBe(3);
  });

  it('sends nothing more after a signal, waits for the answers, and resumes', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(400) });
    const stopping = new AbortController();
    const stopped = beforeNthBatch(trading, 6, () => stopping.abort());
    expect(await new JobRun(stopped, job, stopping.signal).run()).toEqual({ kind: 'interrupted' });
    const { placed, notSent, unknown } = job.counts();
    expect([placed, unknown, placed + notSent]).toEqual([exchange.has.orders.length, 0, 400]);
    expect(placed).toBeGreaterThan(0);
    expect(notSent).toBeGreaterThan(200);
    expect(job.entry.events.at(-1)).toMatchObject({ isReleased: true, event: expect.stringContaining('interrupted') });
    const again = await resume(tradingOf(exchange, { state: trading.state }));
    expect(again.job.counts()).toMatchObject({ placed: 400 });
    expect(again.isChecked).toBe(true);
    expect(exchange.has.orders).toHaveLength(400);
    // its record was complete, so only the list before and the three that verify it were read
    expect(exchange.count('list')).toBe(1 + 3);
  });

  it('cancels the requests that a signal interrupts while they are recorded, so that none is unknown', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(400) });
    const stopping = new AbortController();
    const leaving = job.leaving.bind(job);
    job.leaving = async (...words) => {
      const first = job.requests === 0;
      const requests = leaving(...words);
      if (!first) stopping.abort();
      return requests;
    };
    expect(await new JobRun(trading, job, stopping.signal).run()).toEqual({ kind: 'interrupted' });
    expect(job.counts()).toEqual({ placed: 20, refused: 0, unknown: 0, notSent: 380 });
    expect(job.entry.events.at(-1)).toMatchObject({ isReleased: true, event: expect.stringContaining('interrupted') });
    const again = await resume(tradingOf(exchange, { state: trading.state }));
    expect([again.job.counts().placed, exchange.has.orders.length, exchange.count('list')]).toEqual([400, 400, 1 + 3]);
  });

  it('is released when it is given up before its answers have come, once', async () => {
    const stopping = new AbortController();
    let answered = () => {};
    const exchange = new ScriptedExchange();
    exchange.onRequest = async ({ kind }) => {
      if (kind !== 'batch') return undefined;
      stopping.abort();
      await new Promise<void>((resolve) => {
        answered = resolve;
      });
      return undefined;
    };
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(40) });
    const run = new JobRun(trading, job, stopping.signal);
    const ending = run.run();
    await once(stopping.signal, 'abort');
    expect([run.phase, job.entry.events.at(-1)?.isReleased]).toEqual(['stopping', undefined]);
    run.release();
    run.release();
    const released = job.entry.events.filter(({ isReleased }) => isReleased);
    expect(released.map(({ event }) => event)).toEqual([
      'stopped (interrupted): 0 of 40 placed, 20 unknown, 20 not sent',
    ]);
    answered();
    expect(await ending).toEqual({ kind: 'interrupted' });
    expect(job.entry.events.filter(({ isReleased }) => isReleased)).toHaveLength(1);
  });

  it('leaves time for the answers before the end of its time budget', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange, { budgetMs: 4_000 });
    exchange.onRequest = async ({ kind }) => {
      if (kind === 'batch') await trading.host.sleep(30);
      return undefined;
    };
    const ran = await place(trading, { lines: lines(4_000) });
    expect(ran.ending).toEqual({ kind: 'time' });
    const { placed, notSent, unknown } = ran.job.counts();
    expect([placed, unknown, placed + notSent]).toEqual([exchange.has.orders.length, 0, 4_000]);
    expect(placed).toBeGreaterThan(1_000);
    const again = await resume(tradingOf(exchange, { state: trading.state, elapsedMs: 4_000 }));
    expect([again.job.counts().placed, exchange.has.orders.length]).toEqual([4_000, 4_000]);
  });

  it('sends nothing if its record cannot be created', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    (await begin(trading, {})).entry.discard();
    const jobs = path.join(trading.state, 'journal', 'test', 'jobs');
    rmdirSync(jobs);
    writeFileSync(jobs, '');
    await expect(place(trading, {})).rejects.toMatchObject({ kind: expect.stringMatching(/usage|credentials/) });
    expect(exchange.count('batch')).toBe(0);
  });

  it('throws the first of two defects once the outcome of every sent request is known', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(400) });
    const { client } = trading;
    const write = client.placeOrders.bind(client);
    const defects = [new Error('the first defect'), new Error('the second defect')];
    const answers = [undefined, undefined, ...defects];
    const broken = { ...trading, client: Object.assign(client, { placeOrders: writeOrFail }) };
    function writeOrFail(...words: Parameters<typeof write>): ReturnType<typeof write> {
      const defect = answers.shift();
      return defect === undefined ? write(...words) : Promise.reject(defect);
    }
    const unhandled: unknown[] = [];
    const hear = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    await expect(new JobRun(broken, job, new AbortController().signal).run()).rejects.toBe(defects[0]);
    await delay(0);
    expect(unhandled).toEqual([]);
    expect([job.counts().placed, job.counts().unknown]).toEqual([exchange.has.orders.length, 0]);
  });

  it('throws a defect of the check of its lines, and sends none of them', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(40) });
    const defect = new TypeError('a defect');
    const check = () => Promise.reject(defect);
    await expect(new JobRun(trading, job, new AbortController().signal, check).run()).rejects.toBe(defect);
    expect([job.counts().notSent, exchange.count('batch')]).toEqual([40, 0]);
  });

  it('counts a request as unknown if a defect follows its answer', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: lines(40) });
    const record = job.record.bind(job);
    const failing: typeof record = (event, fact) => {
      if (fact.kind === 'answered') throw new Error('a defect');
      record(event, fact);
    };
    const failingJob = Object.assign(job, { record: failing });
    await expect(new JobRun(trading, failingJob, new AbortController().signal).run()).rejects.toThrow('a defect');
    expect([job.counts().unknown, exchange.has.orders.length]).toEqual([20, 20]);
  });

  it('sends nothing more if its record cannot be extended, and knows the outcome of what was sent', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const aside = path.join(trading.state, 'aside');
    const broken = beforeNthBatch(trading, 4, () => {
      renameSync(fileOf(trading), aside);
      mkdirSync(fileOf(trading));
    });
    const ran = await place(broken, { lines: lines(400) });
    expect(ran.ending).toMatchObject({ kind: 'unrecorded', failure: { kind: 'usage' } });
    expect(ran.job.counts().placed).toBe(exchange.has.orders.length);
    expect(exchange.count('batch')).toBeLessThan(12);
  });
});

describe('a job that resumes', () => {
  it.each([
    ['another side', { side: 'sell' }, /has other orders: buy orders in btc_usdt\.$/],
    ['another market', { market: 'eth_usdt' }, /has other orders: buy orders in btc_usdt\.$/],
    ['another account', { account: 'cross' }, /uses the spot account/],
    ['other orders', { lines: lines(59) }, /does not have the same orders/],
    ['an order more', { lines: lines(61) }, /does not have the same orders/],
  ] as const)('refuses to resume a job with %s', async (_, wish, message) => {
    const { jobToResume } = await import('../../../src/trading/batches/start-job.js');
    const trading = await stopped();
    const meant = { market: 'btc_usdt', side: 'buy' as const, ...wish };
    expect(() => jobToResume(trading, JOB, meant)).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message) }),
    );
  });

  it('accepts the same orders in another order and notation', async () => {
    const { jobToResume } = await import('../../../src/trading/batches/start-job.js');
    const trading = await stopped();
    const others = lines(60)
      .map(([line, price, amount]) => [61 - line, `${price}.00`, `${amount}0`] as const)
      .reverse();
    expect(jobToResume(trading, JOB, { market: 'btc_usdt', side: 'buy', lines: others }).write.id).toBe(JOB);
    expect(() => jobToResume(trading, 'jobnever', { market: 'btc_usdt', side: 'buy' })).toThrow(/no job jobnever/);
  });

  it('refuses to resume a job while another process runs it', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    await begin(trading, {});
    const { jobToResume, resumeJob } = await import('../../../src/trading/batches/start-job.js');
    expect(() => jobToResume(trading, JOB, { market: 'btc_usdt', side: 'buy' })).toThrow(
      /Another process is running job/,
    );
    await expect(resumeJob(trading, JOB)).rejects.toThrow(/Another process is running job/);
  });

  it('says that it looks up what was lost, and then that it places the rest', async () => {
    const trading = await stopped();
    const exchange = new ScriptedExchange();
    const later = tradingOf(exchange, { state: trading.state, elapsedMs: 100_000, tolerance: 60_000 });
    const run = new JobRun(later, await resumeJob(later, JOB), new AbortController().signal);
    const phases = phasesOf(run, exchange);
    expect(await run.run()).toEqual({ kind: 'finished' });
    expect([...new Set(phases)]).toEqual(['expiry settling', 'list settling', 'batch placing', 'list checking']);
  });

  it('says that it looks up what its own request may have placed', async () => {
    const exchange = new ScriptedExchange({}, [DONE, LOST_DONE]);
    const trading = tradingOf(exchange);
    const run = new JobRun(trading, await begin(trading, { lines: lines(40) }), new AbortController().signal);
    const phases = phasesOf(run, exchange);
    expect(await run.run()).toEqual({ kind: 'finished' });
    expect([...new Set(phases)]).toEqual(['batch placing', 'list settling', 'list checking']);
  });

  it('has the guards that were overridden when it began', async () => {
    const plan = { market: 'btc_usdt', side: 'buy', account: 'spot', lines: lines(1) } as const;
    const trading = tradingOf(new ScriptedExchange());
    const job = await startJob(trading, plan, JOB, { overridden: ['price-band'] });
    expect([job.terms.overridden, job.overridden]).toEqual([['price-band'], ['price-band']]);
  });

  it('names the command that resumes it if its side or market is not that of the line', async () => {
    const { jobToResume } = await import('../../../src/trading/batches/start-job.js');
    const trading = await stopped();
    expect(() => jobToResume(trading, JOB, { market: 'btc_usdt', side: 'sell' })).toThrow(
      expect.objectContaining({ hints: saying(`Resume it: pit order batch buy btc_usdt --resume ${JOB}`) }),
    );
  });

  it('keeps the guards that are overridden and the best bid when it is resumed, and names the guards to override', async () => {
    const trading = await stopped();
    const again = (options: Parameters<typeof resumeJob>[2]) =>
      resumeJob(tradingOf(new ScriptedExchange(), { state: trading.state }), JOB, options);
    const job = await again({ overridden: ['price-band'], bestBid: '21000' });
    expect([job.overridden, job.bestBid]).toEqual([['price-band'], '21000']);
    expect(job.entry.events.at(-1)).toMatchObject({ overridden: ['price-band'], bestBid: '21000' });
    const command = `order batch buy btc_usdt --resume ${JOB} --override price-band`;
    expect(resumeCommand(job)).toEqual(command.split(' '));
    job.entry.release('held back');
    const plain = await again({});
    expect([plain.overridden, plain.bestBid]).toEqual([['price-band'], '21000']);
    expect(Object.keys(plain.entry.events.at(-1) ?? {})).not.toContain('overridden');
  });

  it('blocks the same ladder until it is finished or ended, though its prices have moved', async () => {
    const trading = tradingOf(new ScriptedExchange());
    const ladder = 'ask+1%:ask+5%:60 0.5 equal';
    await begin(trading, { lines: lines(60), ladder });
    const moved = lines(60).map(([line, price, amount]) => [line, `${price}.5`, amount] as const);
    await expect(begin(trading, { lines: moved, ladder }, 'job2')).rejects.toMatchObject({ clientId: JOB });
    await begin(trading, { lines: moved, ladder: 'ask+1%:ask+5%:60 0.6 equal' }, 'job3');
    await begin(trading, { lines: moved, ladder, side: 'sell' }, 'job4');
    trading.journal.findUnsettled(JOB)?.discard();
    await begin(trading, { lines: lines(60), ladder }, 'job5');
  });

  it('blocks a second job with the same orders until it is finished or ended', async () => {
    const exchange = new ScriptedExchange({}, [{}, LOST]);
    const options = { tolerance: 60_000, budgetMs: 100_000 };
    const trading = tradingOf(exchange, options);
    await place(trading, { lines: lines(60) });
    const error = {
      kind: 'usage',
      clientId: JOB,
      hints: saying(`pit order batch buy btc_usdt --resume ${JOB}`),
    };
    const reversed = lines(60).reverse();
    await expect(begin(trading, { lines: reversed }, 'job2')).rejects.toMatchObject(error);
    const others = [{ lines: lines(59) }, { side: 'sell' }, { account: 'cross' }] as const;
    for (const [index, other] of others.entries())
      await begin(trading, { lines: lines(60), ...other }, `other${index}`);
    expect(readdirSync(path.join(trading.state, 'journal', 'test', 'unsettled')).sort()).toEqual([
      JOB,
      'other0',
      'other1',
      'other2',
    ]);
    const entry = trading.journal.findUnsettled(JOB) as JournalEntry<'batch'>;
    expect(await resolveJob(trading, entry, false)).toMatchObject({ outcome: 'partial' });
    await expect(begin(trading, { lines: reversed }, 'job3')).rejects.toMatchObject(error);
    expect(await resolveJob(trading, entry, true)).toMatchObject({ outcome: 'partial' });
    await begin(trading, { lines: reversed }, 'job4');
    // an ended job can still be resumed
    const elapsedMs = trading.host.now() - NOW;
    const again = await resume(tradingOf(exchange, { ...options, state: trading.state, elapsedMs }));
    expect(again.job.counts()).toMatchObject({ placed: 60 });
  });
});

/** What a run says that it is doing when each of its requests is sent. */
function phasesOf(run: JobRun, exchange: ScriptedExchange): string[] {
  const phases: string[] = [];
  exchange.onRequest = ({ kind }) => {
    phases.push(`${kind} ${run.phase}`);
    return undefined;
  };
  return phases;
}

/** A trading context with a job that stopped after a lost answer. */
async function stopped(): Promise<TestTrading> {
  const exchange = new ScriptedExchange({}, [LOST]);
  const trading = tradingOf(exchange, { budgetMs: 2_000, tolerance: 60_000 });
  await place(trading, { lines: lines(60) });
  return trading;
}
