import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JobRun } from '../../../src/trading/batches/job-run.js';
import { settleJob } from '../../../src/trading/batches/settle-job.js';
import type { Entry } from '../../../src/trading/journal/entry.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { accountOf, type TestAccount } from '../support/account.js';
import { count } from '../support/exchange.js';
import { begin, JOB, lines, place, resume } from './jobs.js';
import { ModelExchange, RESET } from './model-exchange.js';

/** Does something when the nth batch is about to be sent. */
function meddling(account: TestAccount, nth: number, work: () => void): TestAccount {
  const { client } = account;
  const write = client.placeOrders.bind(client);
  let calls = 0;
  const meddled: typeof write = (...words) => {
    calls += 1;
    if (calls === nth) work();
    return write(...words);
  };
  return Object.assign(account, { client: Object.assign(client, { placeOrders: meddled }) });
}

function fileOf({ state }: { readonly state: string }): string {
  return path.join(state, 'journal', 'test', 'open', JOB);
}

describe('a batch that is stopped', () => {
  it('by a signal lets nothing leave any more, takes in what comes, and is gone on with', async () => {
    const exchange = new ModelExchange();
    const server = await exchange.serve();
    const account = accountOf(server.url);
    const job = await begin(account, { lines: lines(400) });
    const host = { ...account.host, sleep: (milliseconds: number) => delay(milliseconds) };
    const stops: Promise<void>[] = [];
    const patient = { ...meddling(account, 6, () => stops.push(run.interrupt(5_000))), host };
    const run: JobRun = new JobRun(patient, job);
    expect(await run.run()).toEqual({ kind: 'interrupted' });
    await Promise.all(stops);
    const { placed, notSent, unknown } = job.counts();
    expect([placed, unknown, placed + notSent]).toEqual([exchange.orders.length, 0, 400]);
    expect(placed).toBeGreaterThan(0);
    expect(notSent).toBeGreaterThan(200);
    expect(job.entry.events.at(-1)).toMatchObject({ left: true, event: expect.stringContaining('interrupted') });
    const again = await resume(accountOf(server.url, { state: account.state }));
    expect(again.job.counts()).toMatchObject({ placed: 400 });
    expect(again.isChecked).toBe(true);
    expect(exchange.orders).toHaveLength(400);
    // its record was whole, so nothing had to be looked for: one before, and those that count at the end
    expect(exchange.lists).toBe(1 + 3);
  });

  it('by a signal while requests are written down takes them back, so that none has to be looked for', async () => {
    const exchange = new ModelExchange();
    const server = await exchange.serve();
    const account = accountOf(server.url);
    const job = await begin(account, { lines: lines(400) });
    const host = { ...account.host, sleep: (milliseconds: number) => delay(milliseconds) };
    const run: JobRun = new JobRun({ ...account, host }, job);
    const stops: Promise<void>[] = [];
    const leaving = job.leaving.bind(job);
    job.leaving = async (...words) => {
      const first = job.requests === 0;
      const requests = leaving(...words);
      if (!first) stops.push(run.interrupt(5_000));
      return requests;
    };
    expect(await run.run()).toEqual({ kind: 'interrupted' });
    await Promise.all(stops);
    expect(stops).toHaveLength(1);
    expect(job.counts()).toEqual({ placed: 20, refused: 0, unknown: 0, notSent: 380 });
    expect(job.entry.events.at(-1)).toMatchObject({ left: true, event: expect.stringContaining('interrupted') });
    const again = await resume(accountOf(server.url, { state: account.state }));
    expect([again.job.counts().placed, exchange.orders.length, exchange.lists]).toEqual([400, 400, 1 + 3]);
  });

  it('by the time that the user gave leaves enough for the answers', async () => {
    const exchange = new ModelExchange();
    const server = await exchange.serve();
    const account = accountOf(server.url, { budgetMs: 4_000 });
    const ran = await place(account, { lines: lines(4_000) });
    expect(ran.ending).toEqual({ kind: 'time' });
    const { placed, notSent, unknown } = ran.job.counts();
    expect([placed, unknown, placed + notSent]).toEqual([exchange.orders.length, 0, 4_000]);
    expect(placed).toBeGreaterThan(1_000);
    const again = await resume(accountOf(server.url, { state: account.state, elapsedMs: 4_000 }));
    expect([again.job.counts().placed, exchange.orders.length]).toEqual([4_000, 4_000]);
  });

  it('where its record cannot be made sends nothing', async () => {
    const server = await new ModelExchange().serve();
    const account = accountOf(server.url);
    mkdirSync(path.join(account.state, 'journal', 'test'), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(account.state, 'journal', 'test', 'jobs'), '');
    await expect(place(account, {})).rejects.toMatchObject({ kind: expect.stringMatching(/usage|credentials/) });
    expect(count(server, 'orderMoreV2')).toBe(0);
  });

  it('by a defect tells of that one, when all that had left is known', async () => {
    const exchange = new ModelExchange();
    const server = await exchange.serve();
    const account = accountOf(server.url);
    const job = await begin(account, { lines: lines(400) });
    const { client } = account;
    const write = client.placeOrders.bind(client);
    const defects = [new Error('the first defect'), new Error('the second defect')];
    const answers = [undefined, undefined, ...defects];
    const broken = { ...account, client: Object.assign(client, { placeOrders: writeOrFail }) };
    function writeOrFail(...words: Parameters<typeof write>): ReturnType<typeof write> {
      const defect = answers.shift();
      return defect === undefined ? write(...words) : Promise.reject(defect);
    }
    const unhandled: unknown[] = [];
    const hear = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    await expect(new JobRun(broken, job).run()).rejects.toBe(defects[0]);
    await delay(0);
    expect(unhandled).toEqual([]);
    expect([job.counts().placed, job.counts().unknown]).toEqual([exchange.orders.length, 0]);
  });

  it('by a defect after an answer had come does not take that request for one that stayed here', async () => {
    const exchange = new ModelExchange();
    const server = await exchange.serve();
    const account = accountOf(server.url);
    const job = await begin(account, { lines: lines(40) });
    const tell = job.tell.bind(job);
    const failing: typeof tell = (event, fact) => {
      if (fact.kind === 'answered') throw new Error('a defect');
      tell(event, fact);
    };
    await expect(new JobRun(account, Object.assign(job, { tell: failing })).run()).rejects.toThrow('a defect');
    expect([job.counts().unknown, exchange.orders.length]).toEqual([20, 20]);
  });

  it('where its record cannot be gone on with lets nothing more leave, and knows what had', async () => {
    const exchange = new ModelExchange();
    const server = await exchange.serve();
    const account = accountOf(server.url);
    const aside = path.join(account.state, 'aside');
    const broken = meddling(account, 4, () => {
      renameSync(fileOf(account), aside);
      mkdirSync(fileOf(account));
    });
    const ran = await place(broken, { lines: lines(400) });
    expect(ran.ending).toMatchObject({ kind: 'unrecorded', failure: { kind: 'usage' } });
    expect(ran.job.counts().placed).toBe(exchange.orders.length);
    expect(exchange.batches.length).toBeLessThan(12);
  });
});

describe('a job that is gone on with', () => {
  it.each([
    ['another side', { side: 'sell' }, /is for buy orders in btc_usdt/],
    ['another market', { market: 'eth_usdt' }, /is for buy orders in btc_usdt/],
    ['another account', { account: 'cross' }, /uses the spot account/],
    ['other orders', { lines: lines(59) }, /does not have the same orders/],
    ['an order more', { lines: lines(61) }, /does not have the same orders/],
  ] as const)('is not about %s', async (_, wish, message) => {
    const { jobToResume } = await import('../../../src/trading/batches/start-job.js');
    const account = await stopped();
    const meant = { market: 'btc_usdt', side: 'buy' as const, ...wish };
    expect(() => jobToResume(account, JOB, meant)).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message) }),
    );
  });

  it('takes the same orders in whatever order and writing they come', async () => {
    const { jobToResume } = await import('../../../src/trading/batches/start-job.js');
    const account = await stopped();
    const others = lines(60)
      .map(([line, price, amount]) => [61 - line, `${price}.00`, `${amount}0`] as const)
      .reverse();
    expect(jobToResume(account, JOB, { market: 'btc_usdt', side: 'buy', lines: others }).intent.id).toBe(JOB);
    expect(() => jobToResume(account, 'jobnever', { market: 'btc_usdt', side: 'buy' })).toThrow(/no job jobnever/);
  });

  it('is not taken up while a process is at it', async () => {
    const server = await new ModelExchange().serve();
    const account = accountOf(server.url);
    await begin(account, {});
    const { jobToResume, resumeJob } = await import('../../../src/trading/batches/start-job.js');
    expect(() => jobToResume(account, JOB, { market: 'btc_usdt', side: 'buy' })).toThrow(
      /Another process is running job/,
    );
    expect(() => resumeJob(account, JOB)).toThrow(/Another process is running job/);
  });

  it('is not begun a second time, until it is finished or ended', async () => {
    const exchange = new ModelExchange([{}, { times: 0, answer: RESET }]);
    const server = await exchange.serve();
    const options = { tolerance: 60_000, budgetMs: 100_000 };
    const account = accountOf(server.url, options);
    await place(account, { lines: lines(60) });
    const told = {
      kind: 'usage',
      clientId: JOB,
      hints: saying(`pit order batch buy btc_usdt --resume ${JOB}`),
    };
    const reversed = lines(60).reverse();
    await expect(begin(account, { lines: reversed }, 'job2')).rejects.toMatchObject(told);
    const others = [{ lines: lines(59) }, { side: 'sell' }, { account: 'cross' }] as const;
    for (const [index, other] of others.entries())
      await begin(account, { lines: lines(60), ...other }, `other${index}`);
    expect(readdirSync(path.join(account.state, 'journal', 'test', 'open')).sort()).toEqual([
      JOB,
      'other0',
      'other1',
      'other2',
    ]);
    const entry = account.journal.find(JOB) as Entry<'orderMoreV2'>;
    expect(await settleJob(account, entry, false)).toMatchObject({ outcome: 'partial' });
    await expect(begin(account, { lines: reversed }, 'job3')).rejects.toMatchObject(told);
    expect(await settleJob(account, entry, true)).toMatchObject({ outcome: 'partial' });
    await begin(account, { lines: reversed }, 'job4');
    // and what was ended may still be gone on with
    const elapsedMs = account.host.now() - NOW;
    const again = await resume(accountOf(server.url, { ...options, state: account.state, elapsedMs }));
    expect(again.job.counts()).toMatchObject({ placed: 60 });
  });
});

/** An account with a job that a loss has stopped. */
async function stopped(): Promise<TestAccount> {
  const server = await new ModelExchange([{ times: 0, answer: RESET }]).serve();
  const account = accountOf(server.url, { budgetMs: 2_000, tolerance: 60_000 });
  await place(account, { lines: lines(60) });
  return account;
}
