import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startStamp, thisMachine } from '../../../src/platform/processes.js';
import type { BatchEvent } from '../../../src/trading/batches/batch-event.js';
import { Archive } from '../../../src/trading/journal/archive.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { linesBackwards } from '../../../src/trading/journal/files.js';
import { isUnsettled, recordText } from '../../../src/trading/journal/record.js';
import type { MarketSide, Owner, RecordedWrite } from '../../../src/trading/journal/write.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { meanwhile } from '../support/meanwhile.js';
import { TERMS } from '../support/terms.js';
import { temporaryState } from '../support/trading.js';
import { contents, newJournal, PLACED, settledOf } from './support.js';

const ids = (entries: readonly { readonly write: RecordedWrite }[]) => entries.map(({ write }) => write.id);

/** The lines of a record as they are on the disk, without their checksums. */
function linesIn(file: string) {
  return [...fs.readFileSync(file, 'utf8').matchAll(/^[0-9a-f]{16} (.*)$/gm)].map(([, text = '']) => JSON.parse(text));
}

describe('the journal', () => {
  it('keeps a write from before it is sent until it is settled, in private files', () => {
    const { journal, begin, open, state, folder } = newJournal();
    const entry = begin('mine0001');
    expect(fs.statSync(path.join(open, 'mine0001')).mode & 0o777).toBe(0o600);
    for (const above of [state, path.join(state, 'journal'), folder, open])
      expect(fs.statSync(above).mode & 0o777).toBe(0o700);
    expect(journal.findUnsettled('mine0001')?.write).toEqual({
      ...{ operation: 'order', terms: TERMS, id: 'mine0001', time: entry.write.time, reqTime: entry.write.reqTime },
      firstOwner: { pid: process.pid, startStamp: startStamp(process.pid), machine: thisMachine() },
    });
    entry.note('sent');
    expect(journal.findUnsettled('mine0001')?.events.map(({ event }) => event)).toEqual(['recorded', 'sent']);
    entry.settle(PLACED, 'placed: 7');
    expect([journal.unsettledEntries(), Object.keys(contents(open)).filter(isUnsettled)]).toEqual([[], []]);
    expect(journal.archive.find('mine0001')).toMatchObject({ ...PLACED, write: { id: 'mine0001' } });
  });

  it('marks a write that is remembered on the disk as the first version did', () => {
    const { journal, open } = newJournal();
    const entry = journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine0001', reqTime: 1 });
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    for (const settled of journal.settledButUnexpired(TERMS)) settled.retain();
    const [name = ''] = fs.readdirSync(open);
    expect(linesIn(path.join(open, name)).at(-1)).toMatchObject({ event: 'verified', late: true, verified: true });
    expect(journal.settledButUnexpired(TERMS).map(({ isRetained }) => isRetained)).toEqual([true]);
  });

  it('keeps the names of the first version on the disk, so that other versions read the same home', () => {
    const { journal, open, host } = newJournal();
    const parameters = { process: 'theirs', left: 'theirs' };
    const options = { id: 'mine0001', isUserChosenId: true, reqTime: 1, bestBid: '9' };
    const expressions = { price: 'ask', amount: '50%' };
    const entry = journal.begin<'order'>({ operation: 'order', terms: { ...TERMS, expressions } }, options);
    entry.note('no answer', { isUnanswered: true });
    entry.release();
    journal.begin<'call'>(
      { operation: 'call', terms: { method: 'newCall', parameters } },
      { id: 'call0001', reqTime: 1 },
    );
    journal.begin<'cancel'>(
      { operation: 'cancel', terms: { market: 'btc_usdt', order: { id: '7' } } },
      { id: 'stop0001', reqTime: 1 },
    );
    const linesOf = (name: string) => linesIn(path.join(open, name));
    const time = host.now();
    const process = { pid: globalThis.process.pid, stamp: startStamp(globalThis.process.pid), place: thisMachine() };
    const common = { time, reqTime: 1, process };
    expect(linesOf('mine0001')).toEqual([
      {
        v: 2,
        intent: {
          operation: 'order',
          terms: { ...TERMS, asked: expressions },
          ...{ id: 'mine0001', chosen: true, bid: '9', ...common },
        },
      },
      { time, event: 'no answer', doubt: true },
      { time, event: 'unknown', left: true },
    ]);
    expect(linesOf('call0001')).toEqual([
      { v: 2, intent: { operation: 'call', terms: { method: 'newCall', parameters }, id: 'call0001', ...common } },
    ]);
    expect(linesOf('stop0001')).toMatchObject([{ intent: { operation: 'cancelOrder' } }]);
    expect(journal.findUnsettled('mine0001')?.write).toMatchObject({
      isUserChosenId: true,
      bestBid: '9',
      terms: { expressions },
    });
    expect(journal.findUnsettled('call0001')?.write.terms).toEqual({ method: 'newCall', parameters });
  });

  it('keeps the words of the first version for the events of a batch on the disk', () => {
    const { journal, begin, open } = newJournal();
    const written: readonly BatchEvent[] = [
      { kind: 'sending', requests: [[1, [0, 1]]], reqTime: 1 },
      { kind: 'notSent', request: 1 },
      { kind: 'duplicated', orders: [[0, '8']] },
      { kind: 'closed', request: 1, outcome: 'notSent', reason: 'expired', code: null },
    ];
    const entry = begin('mine0001');
    for (const batchEvent of written) entry.note(batchEvent.kind, { batchEvent });
    const [, ...lines] = linesIn(path.join(open, 'mine0001'));
    expect(lines.map(({ fact }) => fact)).toEqual([
      { kind: 'leaving', requests: [[1, [0, 1]]], reqTime: 1 },
      { kind: 'stayed', request: 1 },
      { kind: 'copied', orders: [[0, '8']] },
      { kind: 'closed', request: 1, outcome: 'notSent', reason: 'expired', code: null },
    ]);
    const read = journal.findUnsettled('mine0001')?.events.flatMap(({ batchEvent }) => batchEvent ?? []);
    expect(read).toEqual(written);
  });

  it('accepts an id once while it is open and after its order was placed', () => {
    const { begin } = newJournal();
    const entry = begin('mine0001', true);
    const taken = { kind: 'usage', hints: saying('pit resolve mine0001') };
    expect(() => begin('mine0001', true)).toThrow(expect.objectContaining(taken));
    entry.settle(PLACED, 'placed');
    expect(() => begin('mine0001', true)).toThrow(expect.objectContaining({ kind: 'usage' }));
    expect(begin('mine0002', true).write.id).toBe('mine0002');
  });

  it.each(['refused', 'notSent'] as const)('accepts an id again if its write was %s', (outcome) => {
    const { journal, begin } = newJournal();
    begin('mine0001', true).settle({ outcome, id: null, duplicates: [] }, outcome);
    expect(begin('mine0001', true).write.id).toBe('mine0001');
    expect(ids(journal.unsettledEntries())).toEqual(['mine0001']);
  });

  it.each<[string, (earlier: JournalEntry) => unknown]>([
    ['settles', (earlier) => earlier.settle(PLACED, 'placed')],
    ['discards', (earlier) => earlier.discard()],
    ['claims', (earlier) => expect(earlier.claim()).toBe(false)],
  ])('keeps the record of a reused id if another process still %s the earlier one', async (_, does) => {
    const { host, journal, begin } = newJournal();
    begin('mine0001', true).release();
    const [earlier, same] = [journal.findUnsettled('mine0001'), journal.findUnsettled('mine0001')];
    same?.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    await host.sleep(5_000);
    const again = begin('mine0001', true);
    if (earlier !== undefined) does(earlier);
    expect(journal.unsettledEntries().map(({ write, events }) => [write.time, events.length])).toEqual([
      [again.write.time, 1],
    ]);
  });

  it('distinguishes ids by case, as the exchange does, on any file system', () => {
    const { journal, begin, open } = newJournal();
    for (const id of ['abcd', 'ABCD', 'aBcD']) begin(id);
    expect(ids(journal.unsettledEntries()).sort()).toEqual(['ABCD', 'aBcD', 'abcd']);
    const names = fs.readdirSync(open);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(3);
  });

  it('never restores a settled record that another process still writes to', () => {
    const { journal, begin, open } = newJournal();
    const entry = begin('mine0001');
    const other = journal.findUnsettled('mine0001');
    entry.settle(PLACED, 'placed');
    other?.note('asked by client id: found');
    other?.release();
    expect([Object.keys(contents(open)).filter(isUnsettled), journal.unsettled().damaged]).toEqual([[], []]);
    other?.settle(PLACED, 'placed');
    expect(journal.archive.since(0)).toHaveLength(1);
  });

  it('removes the draft of a process that died while writing it, and no draft in progress', () => {
    const { begin, host, open } = newJournal();
    begin('mine0001');
    const [old, fresh] = ['.old1.17.1', '.new1.17.1'].map((name) => path.join(open, name));
    for (const draft of [old, fresh]) fs.writeFileSync(draft ?? '', 'half a rec');
    fs.utimesSync(old ?? '', 0, (host.now() - 7_200_000) / 1_000);
    fs.utimesSync(fresh ?? '', 0, (host.now() - 1_000) / 1_000);
    begin('mine0002');
    expect(fs.readdirSync(open).sort()).toEqual(['.new1.17.1', 'mine0001', 'mine0002']);
  });

  it('discards the record of a write that was not sent', () => {
    const { journal, begin } = newJournal();
    begin('mine0001').discard();
    expect([journal.unsettledEntries(), journal.archive.since(0)]).toEqual([[], []]);
    expect(begin('mine0001').write.id).toBe('mine0001');
  });

  it('contains no secret, and only so much of what the exchange says', () => {
    const { host, begin, open } = newJournal();
    host.redaction.addSecret('secret-9876543210');
    begin('mine0001').note(`refused: secret-9876543210 ${'x'.repeat(1_000)}`);
    const text = contents(open).mine0001?.toString() ?? '';
    expect(text).not.toContain('secret-9876543210');
    expect(text.length).toBeLessThan(1_000);
  });

  it('deletes the journal with its exchange', () => {
    const { journal, begin } = newJournal();
    begin('mine0001');
    begin('mine0002').settle(PLACED, 'placed');
    journal.deleteAll();
    expect([journal.unsettledEntries(), journal.archive.since(0), journal.markets()]).toEqual([[], [], []]);
  });

  it('names the markets of open and settled writes', () => {
    const { journal, begin } = newJournal();
    begin('mine0001');
    journal.begin<'order'>(
      { operation: 'order', terms: { ...TERMS, market: 'eth_usdt' } },
      { id: 'mine0002', reqTime: 1 },
    );
    journal.findUnsettled('mine0002')?.settle(PLACED, 'placed');
    expect(journal.markets()).toEqual(['btc_usdt', 'eth_usdt']);
  });

  it('includes a write that is settled during the read', () => {
    const { journal, begin } = newJournal();
    const entry = begin('mine0001');
    meanwhile(journal, () => entry.settle(PLACED, 'placed'));
    expect(journal.markets()).toEqual(['btc_usdt']);
  });
});

describe('a journal record', () => {
  /** The disk calls that create a record, each with its target. */
  function calls(work: () => void): string[] {
    const seen: string[] = [];
    const names = new Map<number, string>();
    const spies = [
      spied('openSync', (file, descriptor) => {
        names.set(Number(descriptor), fs.statSync(String(file)).isDirectory() ? 'folder' : 'file');
      }),
      spied('writeSync', (descriptor) => seen.push(`write ${names.get(Number(descriptor))}`)),
      spied('fsyncSync', (descriptor) => seen.push(`sync ${names.get(Number(descriptor))}`)),
      spied('linkSync', () => seen.push('name')),
    ];
    work();
    for (const spy of spies) spy.mockRestore();
    return seen;
  }

  function spied(
    name: 'openSync' | 'writeSync' | 'fsyncSync' | 'linkSync',
    note: (first: unknown, result: unknown) => void,
  ) {
    const original = fs[name] as (...values: unknown[]) => unknown;
    return vi.spyOn(fs, name as 'linkSync').mockImplementation((...values: unknown[]) => {
      const result = original.apply(fs, values);
      note(values[0], result);
      return result as undefined;
    });
  }

  it('syncs a record to the disk before its name exists, and its name before anything else happens', () => {
    const { begin } = newJournal();
    begin('mine0001');
    expect(calls(() => void begin('mine0002'))).toEqual(['write file', 'sync file', 'name', 'sync folder']);
  });

  it('names the record of a cancellation before anything else happens, without waiting for the disk', () => {
    const { journal, begin } = newJournal();
    begin('mine0001');
    const terms = { market: 'btc_usdt', order: { id: '7' } };
    const cancel = () => journal.begin<'cancel'>({ operation: 'cancel', terms }, { id: 'mine0002', reqTime: NOW });
    expect(calls(() => void cancel())).toEqual(['write file', 'name']);
  });

  it('syncs a record to the archive before it is no longer open, and so the file of a new day', async () => {
    const { begin, host } = newJournal();
    const settle = (id: string) => {
      const entry = begin(id);
      return calls(() => entry.settle(PLACED, 'placed')).slice(1);
    };
    expect(settle('mine0001')).toEqual(['write file', 'sync file', 'sync folder']);
    expect(settle('mine0002')).toEqual(['write file', 'sync file']);
    await host.sleep(86_400_000);
    expect(settle('mine0003')).toEqual(['write file', 'sync file', 'sync folder']);
  });

  it.each(['EPERM', 'ENOTSUP'])('creates a record once even if the file system has no links (%s)', (code) => {
    const { begin, journal } = newJournal();
    const linking = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('no links'), { code });
    });
    onTestFinished(() => linking.mockRestore());
    begin('mine0001');
    expect(() => begin('mine0001')).toThrow(expect.objectContaining({ kind: 'usage' }));
    expect(journal.findUnsettled('mine0001')?.write.terms).toEqual(TERMS);
  });
});

describe('a write', () => {
  /** An entry that a given process began. */
  function entryOf(runner: Owner, id = 'mine0001') {
    const { journal, begin, open } = newJournal();
    begin(id);
    const write: RecordedWrite = { operation: 'order', terms: TERMS, id, time: 1, reqTime: 1, firstOwner: runner };
    fs.writeFileSync(path.join(open, id), recordText(write));
    return journal.findUnsettled(id);
  }

  function living(): number {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child.pid ?? 0;
  }

  it('a write is under way while its process lives', () => {
    const pid = living();
    expect(entryOf({ pid, startStamp: startStamp(pid) })?.isUnderWay).toBe(true);
  });

  it('a write is not under way after its process died', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    expect(entryOf({ pid, startStamp: null })?.isUnderWay).toBe(false);
  });

  it.skipIf(startStamp(process.pid) === null)(
    'a write is not under way if another process has taken the process id since',
    () => {
      const pid = living();
      const earlier = startStamp(pid)?.replace(/\d+$/, (ticks) => String(Number(ticks) - 1)) ?? null;
      expect(entryOf({ pid, startStamp: earlier })?.isUnderWay).toBe(false);
      expect(entryOf({ pid, startStamp: `${'0'.repeat(36)}/1` })?.isUnderWay).toBe(false);
    },
  );

  it('a write has an unknown outcome once its answer was lost, even while its process still reconciles it', () => {
    const { begin, journal } = newJournal();
    const entry = begin('mine0001');
    entry.note('sent');
    expect(journal.findUnsettled('mine0001')?.isOutcomeUnknown).toBe(false);
    entry.note('no answer', { isUnanswered: true });
    expect(journal.findUnsettled('mine0001')).toMatchObject({ isUnderWay: true, isOutcomeUnknown: true });
    entry.release();
    expect(journal.findUnsettled('mine0001')?.claim()).toBe(true);
    expect(journal.findUnsettled('mine0001')).toMatchObject({ isUnderWay: true, isOutcomeUnknown: true });
  });

  it('a write is not under way after its process released it', () => {
    const { begin, journal } = newJournal();
    const entry = begin('mine0001');
    expect(journal.findUnsettled('mine0001')?.isUnderWay).toBe(true);
    entry.release();
    expect([entry.isUnderWay, journal.findUnsettled('mine0001')?.isUnderWay]).toEqual([false, false]);
  });
});

describe('the archive of settled writes', () => {
  const DAY = 86_400_000;

  it('keeps fourteen days, a file a day', async () => {
    const { host, begin, journal, settled } = newJournal();
    for (let day = 0; day < 20; day += 1) {
      begin(`day${day}x`).settle(PLACED, 'placed');
      await host.sleep(DAY);
    }
    const names = fs.readdirSync(settled);
    expect(names).toHaveLength(15);
    expect(names.every((name) => /^\d{4}-\d\d-\d\d\.log$/.test(name))).toBe(true);
    const kept = ids(journal.archive.since(0));
    expect(kept).toEqual(Array.from({ length: 15 }, (_, index) => `day${index + 5}x`));
    expect(ids(journal.archive.since(host.now() - 3 * DAY))).toEqual(['day17x', 'day18x', 'day19x']);
  });

  it('counts a write once that was settled twice, with the last result', () => {
    const { begin, journal } = newJournal();
    begin('mine0001').settle(PLACED, 'placed');
    begin('mine0002').settle(PLACED, 'placed');
    journal.archive.add({ ...settledOf('mine0001'), duplicates: ['9'] });
    expect(journal.archive.since(0).map(({ write, duplicates }) => [write.id, duplicates])).toEqual([
      ['mine0002', []],
      ['mine0001', ['9']],
    ]);
  });

  it('shows a write that was archived by a process that died before it removed the open record', () => {
    const { begin, journal, open } = newJournal();
    const entry = begin('mine0001');
    const before = contents(open).mine0001 ?? Buffer.of();
    entry.settle(PLACED, 'placed');
    fs.writeFileSync(path.join(open, 'mine0001'), before);
    expect(journal.archive.find('mine0001')).toMatchObject(PLACED);
    journal.findUnsettled('mine0001')?.settle(PLACED, 'placed again');
    expect([journal.unsettledEntries(), journal.archive.since(0).length]).toEqual([[], 1]);
  });

  it('lists the unverified orders of a side of a market, even if two share an id', async () => {
    const { begin, journal, host } = newJournal();
    const buys = { market: 'btc_usdt', side: 'buy' } as const;
    const ids = (where: MarketSide) =>
      journal.settledButUnexpired(where).map(({ write, settlement }) => [write.id, settlement?.id]);
    begin('mine0001').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    await host.sleep(1);
    begin('mine0001').settle(PLACED, 'placed');
    expect(ids(buys)).toEqual([
      ['mine0001', null],
      ['mine0001', PLACED.id],
    ]);
    expect([ids({ ...buys, side: 'sell' }), ids({ ...buys, market: 'eth_usdt' }), journal.unsettledEntries()]).toEqual([
      [],
      [],
      [],
    ]);
    const oldest = (where: MarketSide) => journal.oldestSettledButUnexpired(where);
    expect([oldest(buys), oldest({ ...buys, side: 'sell' })]).toEqual([NOW, Number.POSITIVE_INFINITY]);
    const [refused, placed] = journal.settledButUnexpired(buys);
    placed?.noteFound(['8']);
    expect(journal.settledButUnexpired(buys)[1]?.settlement?.duplicates).toEqual(['8']);
    expect(journal.archive.find('mine0001')?.duplicates).toEqual(['8']);
    placed?.close();
    refused?.retain();
    expect(journal.settledButUnexpired(buys).map(({ isRetained }) => isRetained)).toEqual([true]);
  });

  it('finds writes behind a line that a corrected clock dated up to a minute too early', () => {
    const { settled } = newJournal();
    fs.mkdirSync(settled, { recursive: true });
    let now = NOW;
    const archive = new Archive(settled, settled, () => now);
    archive.add(settledOf('mine0001'));
    now = NOW - 60_000;
    archive.add(settledOf('mine0002'));
    expect(ids(archive.since(NOW))).toEqual(['mine0001', 'mine0002']);
    now = NOW - 60_001;
    archive.add(settledOf('mine0003'));
    expect(ids(archive.since(NOW))).toEqual([]);
  });

  it('reads the archive no further back than requested', async () => {
    const { begin, journal, host, settled } = newJournal();
    for (let minute = 0; minute < 300; minute += 1) {
      begin(`min${1000 + minute}`).settle(PLACED, 'placed');
      await host.sleep(60_000);
    }
    const read = vi.spyOn(fs, 'readSync');
    onTestFinished(() => read.mockRestore());
    const ids = journal.archive.since(host.now() - 600_000, { market: 'btc_usdt' }).map(({ write }) => write.id);
    expect(ids.slice(-10)).toEqual(Array.from({ length: 10 }, (_, index) => `min${1290 + index}`));
    expect(ids.length).toBeLessThan(13);
    const [file = ''] = fs.readdirSync(settled);
    expect(fs.statSync(path.join(settled, file)).size).toBeGreaterThan(100_000);
    expect(read.mock.calls).toHaveLength(1);
  });
});

describe('reading the lines of a file backwards', () => {
  it('yields the same lines as reading it forwards, whatever their lengths', () => {
    const file = path.join(temporaryState(), 'lines');
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 0, max: 200_000 }).map((length) => 'é'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.join('\n');
        fs.writeFileSync(file, text);
        expect([...linesBackwards(file)].reverse().join('\n')).toBe(Buffer.from(text).toString('utf8'));
      }),
      { numRuns: 40 },
    );
  });

  it('yields none if there is no file', () => {
    expect([...linesBackwards(path.join(temporaryState(), 'nothing'))]).toEqual([]);
  });
});
