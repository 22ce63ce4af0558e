import { appendFileSync, chmodSync, cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/domain/order.js';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { encodeLine, valuesIn } from '../../../src/trading/journal/files.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { resolve } from '../../../src/trading/resolve.js';
import { NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { lines } from '../batches/jobs.js';
import { ModelExchange } from '../batches/model-exchange.js';
import { findDuplicates } from '../support/duplicates.js';
import { record } from '../support/exchange.js';
import { serveFunds, record as withdrawal } from '../support/funds.js';
import { TERMS } from '../support/terms.js';
import { temporaryState, tradingOf } from '../support/trading.js';
import { contents } from './support.js';

const OPEN_JOB = 'job0000000000000000open';
const DONE_JOB = 'job0000000000000000done';

/** A home of an earlier version: an unknown order, batch and withdrawal, and settled ones. */
function oldHome(name = 'home-0.2.0'): string {
  const state = temporaryState();
  const folder = path.join(state, 'journal', 'test');
  cpSync(path.join(import.meta.dirname, name), folder, { recursive: true });
  for (const part of readdirSync(folder)) chmodSync(path.join(folder, part), 0o700);
  chmodSync(folder, 0o700);
  chmodSync(path.dirname(folder), 0o700);
  return state;
}

describe('a journal of version 0.2.0', () => {
  it('shows its open and settled writes, and the outcome of each line of a batch', () => {
    const { journal } = tradingOf('http://127.0.0.1:1', { state: oldHome() });
    expect(new Set(journal.unsettledEntries().map(({ write }) => write.id))).toEqual(
      new Set(['unknown1', OPEN_JOB, 'funds001']),
    );
    const job = new Job(journal.findJob(OPEN_JOB) as JournalEntry<'batch'>);
    expect([job.counts(), job.maybeUnrecorded]).toEqual([{ placed: 40, refused: 0, unknown: 20, notSent: 0 }, []]);
    const settled = journal.archive.since(0).map(({ write, outcome, id }) => [write.id, outcome, id]);
    expect(settled).toEqual([
      ['placed01', 'placed', '7'],
      ['refused1', 'refused', null],
      ['job0000000000000000done', 'placed', null],
    ]);
    expect(journal.unsettled().damaged).toEqual([]);
  });

  it('settles its unknown order and batch', async () => {
    const exchange = new ModelExchange();
    for (const [, price, amount] of [...lines(60).slice(0, 20), ...lines(60).slice(40)]) exchange.place(price, amount);
    const server = await exchange.serve();
    const trading = tradingOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 120_000 });
    const found = await resolve(trading, [
      trading.journal.findUnsettled('unknown1'),
      trading.journal.findUnsettled(OPEN_JOB),
    ] as JournalEntry[]);
    const outcomes = found.map(({ write, outcome }) => [write.id, outcome]);
    expect(outcomes).toContainEqual(['unknown1', 'notSent']);
    expect(outcomes).toContainEqual([OPEN_JOB, 'partial']);
    const job = new Job(trading.journal.findJob(OPEN_JOB) as JournalEntry<'batch'>);
    expect(job.counts()).toEqual({ placed: 40, refused: 0, unknown: 0, notSent: 20 });
    expect(trading.alarms).toEqual([]);
  });

  it('settles its unknown withdrawal', async () => {
    const server = await serveFunds([withdrawal(2)]);
    const trading = tradingOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 120_000 });
    const [found] = await resolve(trading, [trading.journal.findUnsettled('funds001')] as JournalEntry[]);
    expect(found).toMatchObject({ outcome: 'placed', id: '2' });
  });

  it('reports a duplicate of an order that it had settled a moment before', async () => {
    const list = ['8', '7'].map((id) => record({ id, trade_date: 1_540_295_996_000 })).join(',');
    const server = await serveFaults({ answer: () => respond(`[${list}]`) });
    const buys = { market: 'btc_usdt', side: 'buy' } as const;
    const soon = tradingOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 30_000 });
    expect(await findDuplicates(soon, buys)).toMatchObject([{ writeId: 'placed01', orderId: '7', ids: ['8'] }]);
    expect(await findDuplicates(soon, buys)).toEqual([]);
    const later = tradingOf(server.url, { state: oldHome(), tolerance: 60_000, elapsedMs: 700_000 });
    expect(await findDuplicates(later, buys)).toEqual([]);
  });
});

describe('a journal with a separate folder for settled writes that may execute again', () => {
  const BUYS = { market: 'btc_usdt', side: 'buy' } as const;

  it('moves open writes and unverified settled ones into one folder', () => {
    const state = oldHome('home-verifying');
    const { journal } = tradingOf('http://127.0.0.1:1', { state });
    expect(journal.unsettledEntries().map(({ write }) => write.id)).toEqual([OPEN_JOB, 'unknown1', 'funds001']);
    const settled = (side: Side) =>
      journal
        .settledButUnexpired({ market: 'btc_usdt', side })
        .map(({ write, settlement }) => [write.id, settlement?.outcome, settlement?.id]);
    expect(settled('buy')).toEqual([
      ['placed01', 'placed', '7'],
      ['refused1', 'refused', null],
    ]);
    expect(settled('sell')).toEqual([
      [DONE_JOB, 'placed', null],
      ['placed02', 'placed', '9'],
    ]);
    expect(journal.findSettledJob(DONE_JOB)?.write.terms.count).toBe(3);
    expect(readdirSync(path.join(state, 'journal', 'test', 'verifying'))).toEqual([]);
    expect(journal.unsettled().damaged).toEqual([]);
  });

  it('finds at the next write what a process of that version has moved away since the first read', async () => {
    const state = oldHome('home-verifying');
    const { journal } = tradingOf('http://127.0.0.1:1', { state });
    const settled = () => journal.settledButUnexpired(BUYS).map(({ write }) => write.id);
    expect(settled()).toEqual(['placed01', 'refused1']);
    const [open, moved] = ['open', 'verifying'].map((name) => path.join(state, 'journal', 'test', name)) as [
      string,
      string,
    ];
    const name = readdirSync(open).find((one) => one.startsWith('placed01')) as string;
    renameSync(path.join(open, name), path.join(moved, name));
    journal.begin({ operation: 'order', terms: TERMS }, { id: 'later001', reqTime: NOW });
    expect(settled()).toEqual(['placed01', 'refused1']);
  });

  it('reports a duplicate of a settled order once', async () => {
    const list = ['8', '7'].map((id) => record({ id, trade_date: 1_540_295_996_000 })).join(',');
    const server = await serveFaults({ answer: () => respond(`[${list}]`) });
    const state = oldHome('home-verifying');
    const soon = tradingOf(server.url, { state, tolerance: 60_000, elapsedMs: 30_000 });
    expect(await findDuplicates(soon, BUYS)).toMatchObject([{ writeId: 'placed01', orderId: '7', ids: ['8'] }]);
    expect(await findDuplicates(soon, BUYS)).toEqual([]);
  });

  it('settles its unknown order and withdrawal', async () => {
    const funds = tradingOf((await serveFunds([withdrawal(2)])).url, {
      ...{ state: oldHome('home-verifying'), tolerance: 60_000, elapsedMs: 120_000 },
    });
    const [found] = await resolve(funds, [funds.journal.findUnsettled('funds001')] as JournalEntry[]);
    expect(found).toMatchObject({ outcome: 'placed', id: '2' });
    const server = await new ModelExchange().serve();
    const trading = tradingOf(server.url, {
      ...{ state: oldHome('home-verifying'), tolerance: 60_000, elapsedMs: 120_000 },
    });
    const [order] = await resolve(trading, [trading.journal.findUnsettled('unknown1')] as JournalEntry[]);
    expect(order?.outcome).toBe('notSent');
  });
});

describe('a journal of a newer version', () => {
  const read = (state: string) => tradingOf('http://127.0.0.1:1', { state }).journal;
  const newer = expect.objectContaining({
    kind: 'usage',
    message: 'A newer version of pit wrote this journal.',
  });
  const write = { operation: 'order', terms: TERMS } as const;

  it.each<[string, (folder: string) => void]>([
    ['a version', (folder) => writeFileSync(path.join(folder, 'version'), '3\n')],
    ['a record', (folder) => writeFileSync(path.join(folder, 'open', 'unknown9'), encodeLine({ v: 3, intent: {} }))],
    [
      'an archive line',
      (folder) =>
        appendFileSync(
          path.join(folder, 'settled', '2018-10-23.log'),
          encodeLine({ at: NOW, v: 3, settled: { intent: { id: 'mine0001' } } }),
        ),
    ],
  ])('a journal of a newer version is a usage error, and nothing is sent: %s', async (_, change) => {
    const state = oldHome();
    change(path.join(state, 'journal', 'test'));
    const trading = tradingOf('http://127.0.0.1:1', { state });
    expect(() => trading.journal.writesSince(0)).toThrow(newer);
    await expect(placeOrder(trading, TERMS, { id: 'mine0001', isUserChosenId: true })).rejects.toEqual(newer);
    expect(readdirSync(path.join(state, 'journal', 'test', 'open'))).not.toContain('mine0001');
  });

  it('differs from this version by the number in its records and archive', () => {
    const state = temporaryState();
    const journal = read(state);
    const begin = (id: string) => journal.begin<'order'>(write, { id, reqTime: 1 });
    begin('mine0001').settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    begin('mine0002');
    const folder = path.join(state, 'journal', 'test');
    const texts = ['open', 'settled'].flatMap((name) => Object.values(contents(path.join(folder, name))));
    const first = texts.map((text) => valuesIn(String(text))[0]);
    expect(first).toEqual([{ v: 2 }, { v: 2 }, { v: 2 }].map((one) => expect.objectContaining(one)));
    expect(readFileSync(path.join(folder, 'version'), 'utf8')).toBe('2\n');
  });
});
