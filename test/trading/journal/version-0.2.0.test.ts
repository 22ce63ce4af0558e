import { cpSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import type { Entry } from '../../../src/trading/journal/entry.js';
import { resolve } from '../../../src/trading/resolve.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { lines } from '../batches/jobs.js';
import { ModelExchange } from '../batches/model-exchange.js';
import { accountOf, temporaryState } from '../support/account.js';
import { findDuplicates } from '../support/duplicates.js';
import { record } from '../support/exchange.js';
import { serveFunds } from '../support/funds.js';

const OPEN_JOB = 'job0000000000000000open';

/** A home as version 0.2.0 left it: an order, a batch and a withdrawal that are unknown, and settled ones. */
function oldHome(): string {
  const state = temporaryState();
  cpSync(path.join(import.meta.dirname, 'home-0.2.0'), path.join(state, 'journal', 'test'), { recursive: true });
  return state;
}

describe('a journal of version 0.2.0', () => {
  it('has its open and settled writes, and what is known of each line of a batch', () => {
    const { journal } = accountOf('http://127.0.0.1:1', { state: oldHome() });
    expect(new Set(journal.open().map(({ intent }) => intent.id))).toEqual(new Set(['unknown1', OPEN_JOB, 'funds001']));
    const job = new Job(journal.job(OPEN_JOB) as Entry<'orderMoreV2'>);
    expect([job.counts(), job.isWhole]).toEqual([{ placed: 40, refused: 0, unknown: 20, notSent: 0 }, true]);
    const settled = journal.archive.since(0).map(({ intent, outcome, id }) => [intent.id, outcome, id]);
    expect(settled).toEqual([
      ['placed01', 'placed', '7'],
      ['refused1', 'refused', null],
      ['job0000000000000000done', 'placed', null],
    ]);
    expect(journal.damaged()).toEqual([]);
  });

  it('settles its unknown order and batch', async () => {
    const exchange = new ModelExchange();
    for (const [, price, amount] of [...lines(60).slice(0, 20), ...lines(60).slice(40)]) exchange.place(price, amount);
    const server = await exchange.serve();
    const account = accountOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 120_000 });
    const found = await resolve(account, [account.journal.find('unknown1'), account.journal.find(OPEN_JOB)] as Entry[]);
    const outcomes = found.map(({ intent, outcome }) => [intent.id, outcome]);
    expect(outcomes).toContainEqual(['unknown1', 'notSent']);
    expect(outcomes).toContainEqual([OPEN_JOB, 'partial']);
    const job = new Job(account.journal.job(OPEN_JOB) as Entry<'orderMoreV2'>);
    expect(job.counts()).toEqual({ placed: 40, refused: 0, unknown: 0, notSent: 20 });
    expect(account.alarms).toEqual([]);
  });

  it('settles its unknown withdrawal', async () => {
    const server = await serveFunds([], []);
    const account = accountOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 120_000 });
    const [found] = await resolve(account, [account.journal.find('funds001')] as Entry[]);
    expect(found?.outcome).toBe('notSent');
  });

  it('reports what was carried out again of an order that it had settled a moment before', async () => {
    const list = ['8', '7'].map((id) => record({ id, trade_date: 1_540_295_996_000 })).join(',');
    const server = await serveFaults({ answer: () => respond(`[${list}]`) });
    const buys = { market: 'btc_usdt', side: 'buy' } as const;
    const soon = accountOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 30_000 });
    expect(await findDuplicates(soon, buys)).toMatchObject([{ intent: 'placed01', order: '7', ids: ['8'] }]);
    expect(await findDuplicates(soon, buys)).toEqual([]);
    const later = accountOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 700_000 });
    expect(await findDuplicates(later, buys)).toEqual([]);
  });
});
