import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { usage } from '../../../src/errors.js';
import { startStamp } from '../../../src/platform/programs/processes.js';
import { Archive } from '../../../src/trading/journal/archive.js';
import { claimLink } from '../../../src/trading/journal/claim.js';
import { accountsWithJournal, linesBackwards } from '../../../src/trading/journal/files.js';
import type { MarketSide, RecordedWrite } from '../../../src/trading/journal/write.js';
import { saying } from '../../support/advice.js';
import { anyText } from '../../support/any-text.js';
import { NOW } from '../../support/fake-host.js';
import { meanwhile } from '../support/meanwhile.js';
import { TERMS } from '../support/terms.js';
import { temporaryState } from '../support/trading.js';
import { contents, newJournal, PLACED, settledOf } from './support.js';

const ids = (entries: readonly { readonly write: RecordedWrite }[]) => entries.map(({ write }) => write.id);

/** The lines of a file of JSON lines. */
function linesIn(file: string) {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

describe('the journal', () => {
  it('keeps a write from before it is sent until it is settled, in private files', () => {
    const { journal, begin, unsettled, state, folder } = newJournal();
    const entry = begin('mine0001');
    expect(fs.statSync(path.join(unsettled, 'mine0001')).mode & 0o777).toBe(0o600);
    for (const above of [state, path.join(state, 'journal'), folder, unsettled])
      expect(fs.statSync(above).mode & 0o777).toBe(0o700);
    expect(journal.findUnsettled('mine0001')?.write).toEqual({
      ...{ operation: 'order', terms: TERMS, id: 'mine0001', time: entry.write.time, reqTime: entry.write.reqTime },
      firstOwner: { pid: process.pid, startStamp: startStamp(process.pid) },
    });
    entry.note('accepted');
    expect(journal.findUnsettled('mine0001')?.events.map(({ event }) => event)).toEqual(['recorded', 'accepted']);
    entry.settle(PLACED, 'placed: 7');
    expect([journal.unsettledEntries(), contents(unsettled)]).toEqual([[], {}]);
    expect(journal.archive.find('mine0001')).toMatchObject({ ...PLACED, write: { id: 'mine0001' } });
  });

  it('keeps a record as a line with the write and a line for each event, in the names of the code', () => {
    const { begin, unsettled, host } = newJournal();
    const entry = begin('own0001', 'mine0001');
    entry.note('no answer', { isUnanswered: true });
    entry.release();
    const time = host.now();
    const firstOwner = { pid: process.pid, startStamp: startStamp(process.pid) };
    const ids = { id: 'own0001', clientId: 'mine0001' };
    expect(linesIn(path.join(unsettled, 'own0001'))).toEqual([
      { write: { operation: 'order', terms: TERMS, ...ids, time, reqTime: time, firstOwner } },
      { time, event: 'no answer', isUnanswered: true },
      { time, event: 'unknown', isReleased: true },
    ]);
  });

  it('archives a settled write as one line, which begins with what it counts for the limit of its day', () => {
    const { begin, archive, host } = newJournal();
    const entry = begin('own0001');
    entry.settle(PLACED, 'placed');
    const [time, [name = '']] = [host.now(), fs.readdirSync(archive)];
    const events = ['recorded', 'placed'].map((event) => ({ time, event }));
    const day = { id: 'own0001', time, quote: 'usdt', notional: '300.00' };
    expect(linesIn(path.join(archive, name))).toEqual([
      { at: time, day, settled: { ...PLACED, write: entry.write, events } },
    ]);
    expect(fs.readFileSync(path.join(archive, name), 'utf8').trim()).toMatch(/^\{"at":\d+,"day":\{[^}]+\},"settled":/);
  });

  it('never restores a settled record that another process still writes to', () => {
    const { journal, begin, unsettled } = newJournal();
    const entry = begin('mine0001');
    const other = journal.findUnsettled('mine0001');
    entry.settle(PLACED, 'placed');
    other?.note('asked by client id: found');
    other?.release();
    expect([contents(unsettled), journal.unsettled().damaged]).toEqual([{}, []]);
    other?.settle(PLACED, 'placed');
    expect(journal.archive.since(0)).toHaveLength(1);
  });

  it('removes what a process left that died while it made a record or a claim, and nothing in progress', () => {
    const { begin, host, journal, unsettled } = newJournal();
    begin('mine0001');
    const hourAgo = (host.now() - 3_600_000) / 1_000;
    // a record stays, however old it is
    fs.utimesSync(path.join(unsettled, 'mine0001'), 0, 0);
    const links = ['mine0001', 'gone0001'].map((id) => claimLink(path.join(unsettled, id), 1));
    for (const link of links) {
      fs.symlinkSync('{}', link);
      fs.lutimesSync(link, hourAgo - 1, hourAgo - 1);
    }
    for (const [name, time] of [
      ['.old1', hourAgo - 1],
      ['.new1', hourAgo + 1],
    ] as const) {
      fs.writeFileSync(path.join(unsettled, name), 'half a rec');
      fs.utimesSync(path.join(unsettled, name), 0, time);
    }
    begin('mine0002');
    // the link of a record that is there counts as a claim
    expect(fs.readdirSync(unsettled).sort()).toEqual(['.mine0001.1', '.new1', 'mine0001', 'mine0002']);
    // none of them counts as a record
    const { entries, damaged, unreadable } = journal.unsettled();
    expect([ids(entries).sort(), damaged, unreadable]).toEqual([['mine0001', 'mine0002'], [], []]);
  });

  it('leaves no file open, and leaves out lines of the archive that are no objects', async () => {
    const { begin, journal, archive } = newJournal();
    const openFiles = () => fs.readdirSync('/dev/fd').length;
    begin('mine0001').settle(PLACED, 'placed');
    const [name = ''] = fs.readdirSync(archive);
    fs.appendFileSync(path.join(archive, name), '\nnull\n5\n"text"\n');
    const before = openFiles();
    const entry = begin('mine0002');
    await entry.noteDurably('sending', {});
    entry.release();
    journal.findUnsettled('mine0002')?.claim();
    expect([ids(journal.archive.since(0)), openFiles()]).toEqual([['mine0001'], before]);
  });

  it('discards the record of a write that could not be sent, and keeps that of one which may have left', async () => {
    const { journal, begin } = newJournal();
    const failing = (error: Error) => () => Promise.reject<string>(error);
    await expect(begin('mine0001').send(failing(usage('no such order')))).rejects.toThrow('no such order');
    await expect(begin('mine0002').send(failing(new Error('a defect')))).rejects.toThrow('a defect');
    expect(await begin('mine0003').send(async () => 'answer')).toBe('answer');
    expect(ids(journal.unsettledEntries())).toEqual(['mine0002', 'mine0003']);
  });

  it('discards the record of a write that was not sent', () => {
    const { journal, begin } = newJournal();
    begin('mine0001').discard();
    expect([journal.unsettledEntries(), journal.archive.since(0)]).toEqual([[], []]);
    expect(begin('mine0001').write.id).toBe('mine0001');
  });

  it('contains no secret, and only so much of what the exchange says', () => {
    const { host, begin, unsettled } = newJournal();
    host.redaction.addSecret('secret-9876543210');
    begin('mine0001').note(`refused: secret-9876543210 ${'x'.repeat(1_000)}`);
    const text = contents(unsettled).mine0001?.toString() ?? '';
    expect(text).not.toContain('secret-9876543210');
    expect(text.length).toBeLessThan(1_000);
  });

  it('deletes the journal with its exchange, if there is one', () => {
    const { journal, begin } = newJournal();
    expect(() => journal.deleteAll()).not.toThrow();
    begin('mine0001');
    begin('mine0002').settle(PLACED, 'placed');
    journal.deleteAll();
    expect([journal.unsettledEntries(), journal.archive.since(0), journal.markets()]).toEqual([[], [], []]);
  });

  it('lists an account from its first write on', () => {
    const { begin, state } = newJournal();
    expect(accountsWithJournal(state)).toEqual([]);
    begin('mine0001').discard();
    expect(accountsWithJournal(state)).toEqual(['test']);
  });

  it('names the markets and coins of open and settled writes', () => {
    const { journal, begin } = newJournal();
    begin('mine0001');
    journal.begin<'order'>(
      { operation: 'order', terms: { ...TERMS, market: 'eth_usdt' } },
      { id: 'mine0002', reqTime: 1 },
    );
    journal.findUnsettled('mine0002')?.settle(PLACED, 'placed');
    const terms = { coin: 'btc', amount: '1', fee: '0', address: 'bc1q', internal: false, before: { record: '0' } };
    journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'out0001', reqTime: 1 });
    // the parameters of a call are its own
    const call = { method: 'setRepayState', parameters: { market: 'ltc_usdt', coin: 'ltc' } };
    journal.begin<'call'>({ operation: 'call', terms: call }, { id: 'call0001', reqTime: 1 }).settle(PLACED, 'done');
    expect([journal.markets(), journal.coins()]).toEqual([['btc_usdt', 'eth_usdt'], ['btc']]);
  });

  it('lists the unsettled writes, and those that were settled since a time, the oldest first', async () => {
    const { journal, begin, host } = newJournal();
    begin('mine0004').settle(PLACED, 'placed');
    await host.sleep(3_600_000);
    const since = host.now();
    for (const id of ['mine0003', 'mine0001', 'mine0002']) {
      begin(id);
      await host.sleep(1);
    }
    begin('mine0005').settle(PLACED, 'placed');
    const { unsettled, settled } = journal.writesSince(since);
    expect([ids(unsettled), ids(settled)]).toEqual([['mine0003', 'mine0001', 'mine0002'], ['mine0005']]);
    expect(ids(journal.writesSince(since, { id: 'mine0001' }).settled)).toEqual([]);
    expect([journal.isUnsettled('mine0001'), journal.isUnsettled('mine0005')]).toEqual([true, false]);
  });

  it('includes a write that is settled during the read', () => {
    const { journal, begin } = newJournal();
    const entry = begin('mine0001');
    meanwhile(journal, () => entry.settle(PLACED, 'placed'));
    expect(journal.markets()).toEqual(['btc_usdt']);
    const other = begin('mine0002');
    meanwhile(journal, () => other.settle(PLACED, 'placed'));
    expect(ids(journal.writesSince(0).settled)).toContain('mine0002');
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
      spied('writeFileSync', (descriptor) => seen.push(`write ${names.get(Number(descriptor))}`)),
      spied('writeSync', (descriptor) => seen.push(`write ${names.get(Number(descriptor))}`)),
      spied('fsyncSync', (descriptor) => seen.push(`sync ${names.get(Number(descriptor))}`)),
      spied('renameSync', () => seen.push('name')),
      spied('rmSync', () => seen.push('delete')),
    ];
    work();
    for (const spy of spies) spy.mockRestore();
    return seen;
  }

  function spied(
    name: 'openSync' | 'writeSync' | 'writeFileSync' | 'fsyncSync' | 'renameSync' | 'rmSync',
    note: (first: unknown, result: unknown) => void,
  ) {
    const original = fs[name] as (...values: unknown[]) => unknown;
    return vi.spyOn(fs, name as 'renameSync').mockImplementation((...values: unknown[]) => {
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

  it('is on the disk with all folders above it when the first write is recorded', () => {
    const { begin, state, folder, unsettled } = newJournal();
    const [opened, synced] = [new Map<unknown, string>(), new Set<string | undefined>()];
    const spies = [
      spied('openSync', (file, descriptor) => opened.set(descriptor, String(file))),
      spied('fsyncSync', (descriptor) => synced.add(opened.get(descriptor))),
    ];
    begin('mine0001');
    for (const spy of spies) spy.mockRestore();
    for (const above of [state, path.join(state, 'journal'), folder, unsettled])
      expect([above, synced.has(above)]).toEqual([above, true]);
  });

  it('syncs the line that names a new owner before anything else happens', () => {
    const { begin, journal } = newJournal();
    begin('mine0001').release();
    const entry = journal.findUnsettled('mine0001');
    expect(calls(() => void entry?.claim())).toEqual(['write file', 'sync file']);
  });

  it('syncs a record to the archive before it is no longer open, and so the file of a new day', async () => {
    const { begin, host } = newJournal();
    const settle = (id: string) => {
      const entry = begin(id);
      return calls(() => entry.settle(PLACED, 'placed'));
    };
    const noted = 'write file';
    const madeMark = ['write file', 'name'];
    expect(settle('mine0001')).toEqual([noted, ...madeMark, 'write file', 'sync file', 'sync folder', 'delete']);
    expect(settle('mine0002')).toEqual([noted, 'write file', 'sync file', 'delete']);
    await host.sleep(86_400_000);
    expect(settle('mine0003')).toEqual([noted, 'write file', 'sync file', 'sync folder', 'delete']);
  });

  it.each(['writeFileSync', 'fsyncSync', 'renameSync'] as const)('is not there if %s fails, nor is a draft', (name) => {
    const { begin, unsettled, journal } = newJournal();
    begin('mine0001');
    const failing = vi.spyOn(fs, name as 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('the disk'), { code: 'EIO' });
    });
    onTestFinished(() => failing.mockRestore());
    const file = path.join(unsettled, 'mine0002');
    const failure = { kind: 'usage', message: `Cannot write ${file}: EIO.` };
    expect(() => begin('mine0002')).toThrow(expect.objectContaining(failure));
    expect([fs.readdirSync(unsettled), ids(journal.unsettledEntries())]).toEqual([['mine0001'], ['mine0001']]);
  });

  it('is not there if the folder cannot be synced, because its name may be lost', () => {
    const { begin, unsettled } = newJournal();
    begin('mine0001');
    const sync = fs.fsyncSync;
    const failing = vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      if (fs.fstatSync(descriptor).isDirectory()) throw Object.assign(new Error('the disk'), { code: 'EIO' });
      sync(descriptor);
    });
    onTestFinished(() => failing.mockRestore());
    expect(() => begin('mine0002')).toThrow(expect.objectContaining({ kind: 'usage' }));
    expect(fs.readdirSync(unsettled)).toEqual(['mine0001']);
  });

  it('leaves the version of the journal to others if the first record fails', () => {
    const { begin, folder, journal } = newJournal();
    const failing = vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      if (fs.fstatSync(descriptor).isDirectory()) throw Object.assign(new Error('the disk'), { code: 'EIO' });
    });
    onTestFinished(() => failing.mockRestore());
    expect(() => begin('mine0001')).toThrow(expect.objectContaining({ kind: 'usage' }));
    expect([fs.readdirSync(folder), journal.unsettledEntries()]).toEqual([['version'], []]);
    failing.mockRestore();
    begin('mine0002');
    expect(ids(journal.unsettledEntries())).toEqual(['mine0002']);
  });

  it('is not claimed if the disk takes only a part of the line that names the new owner', () => {
    const { begin, journal, unsettled } = newJournal();
    begin('mine0001').release();
    const entry = journal.findUnsettled('mine0001');
    const write = fs.writeSync as (descriptor: number, bytes: Buffer, from: number, length: number) => number;
    const short = (descriptor: number, bytes: Buffer) => write(descriptor, bytes, 0, 10);
    const failing = vi.spyOn(fs, 'writeSync').mockImplementation(short as typeof fs.writeSync);
    onTestFinished(() => failing.mockRestore());
    expect(() => entry?.claim()).toThrow(expect.objectContaining({ message: expect.stringContaining('ENOSPC') }));
    expect([fs.readdirSync(unsettled), journal.findUnsettled('mine0001')?.owner]).toEqual([['mine0001'], null]);
  });
});

describe('a client id that the user chose', () => {
  const refused = (message: RegExp, hints?: unknown) =>
    expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message), ...(hints ? { hints } : {}) });

  it('names no record: the second unsettled order with it is refused, and leaves no record', () => {
    const { begin, unsettled } = newJournal();
    begin('own0001', 'mine0001');
    const inUse = refused(
      /^The client id mine0001 is in use/,
      saying('This order was not sent. Find out: pit resolve mine0001'),
    );
    expect(() => begin('own0002', 'mine0001')).toThrow(inUse);
    expect(fs.readdirSync(unsettled)).toEqual(['own0001']);
    expect(begin('own0003', 'mine0003').write).toMatchObject({ id: 'own0003', clientId: 'mine0003' });
  });

  it('is refused while an unsettled order carries it as the id that pit generated', () => {
    const { begin } = newJournal();
    begin('own0001');
    expect(() => begin('own0002', 'own0001')).toThrow(refused(/^The client id own0001 is in use/));
  });

  it('is refused once an order with it was placed', () => {
    const { begin, unsettled } = newJournal();
    begin('own0001', 'mine0001').settle(PLACED, 'placed');
    begin('own0002').settle({ ...PLACED, id: '8' }, 'placed');
    const hints = saying('Choose another --id. This order was not sent.');
    expect(() => begin('own0003', 'mine0001')).toThrow(
      refused(/^The client id mine0001 is taken by order \d+\.$/, hints),
    );
    expect(() => begin('own0004', 'own0002')).toThrow(refused(/^The client id own0002 is taken by order 8\.$/));
    expect(fs.readdirSync(unsettled)).toEqual([]);
  });

  it('is refused if it is the id of a job that was placed', () => {
    const { begin, journal } = newJournal();
    const { market, side, account } = TERMS;
    const terms = { market, side, account, count: 0, lines: [], baseline: [] };
    const job = journal.begin<'batch'>({ operation: 'batch', terms }, { id: 'job0001', reqTime: 1 });
    job.settle({ ...PLACED, id: null }, 'placed');
    const taken = refused(/^The client id job0001 is taken by an earlier order\.$/);
    expect(() => begin('own0001', 'job0001')).toThrow(taken);
  });

  it.each(['refused', 'notSent'] as const)(
    'can be used again after its order was %s, under a record of its own',
    (outcome) => {
      const { journal, begin } = newJournal();
      begin('own0001', 'mine0001').settle({ outcome, id: null, duplicates: [] }, outcome);
      begin('own0002', 'mine0001');
      expect(ids(journal.unsettledEntries())).toEqual(['own0002']);
      expect(ids(journal.settledEntries(TERMS))).toEqual(['own0001']);
    },
  );

  it('is refused to both of two processes that begin at the same moment', () => {
    const { begin, journal } = newJournal();
    const rename = fs.renameSync;
    const both: unknown[] = [];
    const renaming = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      rename(from, to);
      if (!String(to).endsWith('own0001')) return;
      renaming.mockRestore();
      both.push(attempt(() => begin('own0002', 'mine0001')));
    });
    begin('first001').discard();
    both.push(attempt(() => begin('own0001', 'mine0001')));
    expect(both.filter((one) => one === 'begun').length).toBeLessThanOrEqual(1);
    expect(journal.unsettledEntries().length).toBeLessThanOrEqual(1);
  });

  function attempt(work: () => unknown): 'begun' | 'refused' {
    try {
      work();
      return 'begun';
    } catch {
      return 'refused';
    }
  }

  it('leads to its write, an unsettled one before a settled one, and an id of pit to its own', () => {
    const { begin, journal } = newJournal();
    begin('own0001', 'mine0001').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    expect([journal.idOf('mine0001'), journal.idOf('own0001'), journal.idOf('other')]).toEqual([
      'own0001',
      'own0001',
      'other',
    ]);
    begin('own0002', 'mine0001');
    begin('own0003', 'own0001');
    expect(journal.idOf('other')).toBe('other');
    expect([journal.idOf('mine0001'), journal.idOf('own0001'), journal.idOf('own0003')]).toEqual([
      'own0002',
      'own0001',
      'own0003',
    ]);
  });
});

describe('a journal of another version', () => {
  const foreign = (folder: string) =>
    expect.objectContaining({
      kind: 'usage',
      message: `${folder} is the journal of another version of pit, which this one does not read.`,
      hints: saying('Settle what is unknown with the pit that wrote it (pit resolve), then move the folder away.'),
    });

  it.each<[string, (folder: string) => void]>([
    ['by its number', (folder) => fs.writeFileSync(path.join(folder, 'version'), '2\n')],
    ['of a later pit', (folder) => fs.writeFileSync(path.join(folder, 'version'), '6\n')],
    ['without a number', (folder) => fs.rmSync(path.join(folder, 'version'))],
  ])('is refused whatever is asked, and not touched: %s', (_, change) => {
    const { begin, journal, folder, unsettled } = newJournal();
    begin('mine0001').release();
    change(folder);
    const before = contents(unsettled);
    for (const ask of [
      () => journal.unsettled(),
      () => journal.isIdle,
      () => journal.archive.find('mine0001'),
      () => journal.writesSince(0),
      () => journal.findUnsettled('mine0001'),
      () => journal.settledEntries(TERMS),
      () => journal.unclosedEntries(),
      () => journal.unexpected(),
      () => journal.requireReadable(),
      () => journal.reopen('mine0001'),
      () => begin('mine0002'),
    ])
      expect(ask).toThrow(foreign(folder));
    expect(contents(unsettled)).toEqual(before);
  });

  it('is not one whose first record another process makes at this moment', () => {
    const { begin, journal } = newJournal();
    const open = fs.openSync;
    const opening = vi.spyOn(fs, 'openSync').mockImplementation((file, ...more) => {
      if (!String(file).endsWith('version')) return open(file, ...more);
      opening.mockRestore();
      begin('mine0001');
      throw Object.assign(new Error('it was not there a moment before'), { code: 'ENOENT' });
    });
    onTestFinished(() => opening.mockRestore());
    expect(journal.unsettled().damaged).toEqual([]);
  });

  it('is read by its number, which the first write makes before any folder', () => {
    const { begin, folder, journal } = newJournal();
    expect([journal.isIdle, journal.unsettledEntries(), journal.markets()]).toEqual([true, [], []]);
    begin('mine0001');
    expect(journal.isIdle).toBe(false);
    expect(fs.readFileSync(path.join(folder, 'version'), 'utf8')).toBe('5\n');
    expect(fs.readdirSync(folder).sort()).toEqual(['archive', 'jobs', 'lists', 'unsettled', 'version']);
  });
});

it('a journal whose first process died before it wrote the version gets it with the next write', () => {
  const { begin, folder, journal } = newJournal();
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  begin('mine0001');
  expect([fs.existsSync(path.join(folder, 'version')), ids(journal.unsettledEntries())]).toEqual([true, ['mine0001']]);
});

describe('the archive of settled writes', () => {
  const DAY = 86_400_000;

  it('keeps fourteen days, a file a day, and the records of the jobs that were closed on them', async () => {
    const { host, begin, journal, archive, folder } = newJournal();
    for (let day = 0; day < 20; day += 1) {
      begin(`day${day}x`).settle(PLACED, 'placed');
      fs.writeFileSync(path.join(folder, 'job'), '');
      journal.archive.keepJob(path.join(folder, 'job'), `job${day}`);
      await host.sleep(DAY);
    }
    const jobs = fs.readdirSync(path.join(folder, 'jobs')).map((name) => name.slice('YYYY-MM-DD-'.length));
    expect(jobs).toEqual(Array.from({ length: 14 }, (_, index) => `job${index + 6}`));
    const names = fs.readdirSync(archive);
    expect(names).toHaveLength(14);
    expect(names.every((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name))).toBe(true);
    const kept = ids(journal.archive.since(0));
    expect(kept).toEqual(Array.from({ length: 14 }, (_, index) => `day${index + 6}x`));
    expect(ids(journal.archive.since(host.now() - 3 * DAY))).toEqual(['day17x', 'day18x', 'day19x']);
  });

  it('makes its folders again if another process has deleted them', () => {
    const { begin, journal, folder } = newJournal();
    begin('mine0001').settle(PLACED, 'placed');
    fs.rmSync(folder, { recursive: true });
    begin('mine0002').settle(PLACED, 'placed');
    expect(ids(journal.archive.since(0))).toEqual(['mine0002']);
  });

  it('does not mind that another process deletes an old file first', async () => {
    const { host, begin, journal } = newJournal();
    const remove = fs.rmSync;
    const removing = vi.spyOn(fs, 'rmSync').mockImplementation((file, options) => {
      if (String(file).endsWith('.jsonl')) remove(file);
      remove(file, options);
    });
    onTestFinished(() => removing.mockRestore());
    for (let day = 0; day < 16; day += 1) {
      begin(`day${day}x`).settle(PLACED, 'placed');
      await host.sleep(DAY);
    }
    expect([journal.unsettledEntries(), journal.archive.since(0).length]).toEqual([[], 14]);
  });

  it('sums the orders that were recorded from midnight on, whenever they were settled, without excepted ones', async () => {
    const { host, begin, journal } = newJournal();
    const midnight = Math.ceil(host.now() / DAY) * DAY;
    await host.sleep(midnight - 1 - host.now());
    const yesterday = begin('mine0001');
    await host.sleep(1);
    const today = begin('mine0002');
    for (const entry of [yesterday, today]) entry.settle(PLACED, 'placed');
    const sum = (...except: string[]) =>
      journal.archive.notionalOfDay(midnight, 'usdt', new Set(except)).trimmed().toString();
    expect([sum(), sum('mine0002'), sum('mine0003')]).toEqual(['300', '0', '300']);
  });

  it('sums the orders of a day although another process deletes a file meanwhile', () => {
    const { begin, journal, archive } = newJournal();
    begin('mine0001').settle(PLACED, 'placed');
    const stat = fs.statSync;
    const asking = vi.spyOn(fs, 'statSync').mockImplementation(((file: string, options: object) => {
      fs.rmSync(archive, { recursive: true, force: true });
      return stat(file, options);
    }) as typeof stat);
    onTestFinished(() => asking.mockRestore());
    expect(journal.archive.notionalOfDay(0, 'usdt', new Set()).toString()).toBe('0');
  });

  it('forgets nothing because a clock was wrong for a while', async () => {
    const { host, begin, journal } = newJournal();
    begin('mine0001').settle(PLACED, 'placed');
    await host.sleep(400 * DAY);
    begin('mine0002').settle(PLACED, 'placed');
    expect(ids(journal.archive.since(0))).toEqual(['mine0001', 'mine0002']);
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
    const { begin, journal, unsettled } = newJournal();
    const entry = begin('mine0001');
    const before = contents(unsettled).mine0001 ?? Buffer.of();
    entry.settle(PLACED, 'placed');
    fs.writeFileSync(path.join(unsettled, 'mine0001'), before);
    expect(journal.archive.find('mine0001')).toMatchObject(PLACED);
    expect(journal.findUnsettled('mine0001')?.settlement).toMatchObject(PLACED);
    journal.findUnsettled('mine0001')?.settle(PLACED, 'placed again');
    expect([journal.unsettledEntries(), journal.archive.since(0).length]).toEqual([[], 1]);
  });

  it('lists the settled orders of a side of a market whose requests may be executed again, oldest first', async () => {
    const { begin, journal, host } = newJournal();
    const buys = { market: 'btc_usdt', side: 'buy' } as const;
    const ids = (where: MarketSide) =>
      journal.settledEntries(where).map(({ write, settlement }) => [write.id, settlement?.id]);
    begin('mine0001').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    await host.sleep(1);
    begin('also0002').settle(PLACED, 'placed');
    expect(ids(buys)).toEqual([
      ['mine0001', null],
      ['also0002', PLACED.id],
    ]);
    expect([ids({ ...buys, side: 'sell' }), ids({ ...buys, market: 'eth_usdt' }), journal.unsettledEntries()]).toEqual([
      [],
      [],
      [],
    ]);
    const [, placed] = journal.settledEntries(buys);
    placed?.noteFound(['8']);
    expect(journal.settledEntries(buys)[1]?.settlement?.duplicates).toEqual(['8']);
    expect(journal.archive.find('also0002')?.duplicates).toEqual(['8']);
  });

  it('yields the newest write first, in whatever order the system lists the files', async () => {
    const { host, begin, journal } = newJournal();
    for (const id of ['mine0001', 'mine0002', 'mine0003']) {
      begin(id).settle(PLACED, 'placed');
      await host.sleep(DAY);
    }
    const list = fs.readdirSync as (folder: string) => string[];
    const listing = vi
      .spyOn(fs, 'readdirSync')
      .mockImplementation(((folder: string) => list(folder).sort().reverse()) as typeof fs.readdirSync);
    onTestFinished(() => listing.mockRestore());
    expect(ids([...journal.archive.newestFirst({}, 0)])).toEqual(['mine0003', 'mine0002', 'mine0001']);
  });

  it('finds writes behind a line that a corrected clock dated up to a minute too early', () => {
    const { archive: folder } = newJournal();
    fs.mkdirSync(folder, { recursive: true });
    let now = NOW;
    const archive = new Archive(folder, folder, () => now);
    archive.add(settledOf('mine0001'));
    now = NOW - 60_000;
    archive.add(settledOf('mine0002'));
    expect(ids(archive.since(NOW))).toEqual(['mine0001', 'mine0002']);
    now = NOW - 60_001;
    archive.add(settledOf('mine0003'));
    expect(ids(archive.since(NOW))).toEqual([]);
  });

  it('reads the archive no further back than requested', async () => {
    const { begin, journal, host, archive } = newJournal();
    for (let minute = 0; minute < 300; minute += 1) {
      begin(`min${1000 + minute}`).settle(PLACED, 'placed');
      await host.sleep(60_000);
    }
    expect(journal.isIdle).toBe(false);
    const read = vi.spyOn(fs, 'readSync');
    onTestFinished(() => read.mockRestore());
    const ids = journal.archive.since(host.now() - 600_000, { market: 'btc_usdt' }).map(({ write }) => write.id);
    expect(ids.slice(-10)).toEqual(Array.from({ length: 10 }, (_, index) => `min${1290 + index}`));
    expect(ids.length).toBeLessThan(13);
    const [file = ''] = fs.readdirSync(archive);
    expect(fs.statSync(path.join(archive, file)).size).toBeGreaterThan(80_000);
    expect(read.mock.calls).toHaveLength(1);
  });
});

describe('reading the lines of a file backwards', () => {
  it('yields the same lines as reading it forwards, whatever their lengths', () => {
    const file = path.join(temporaryState(), 'lines');
    const line = fc.oneof(
      anyText(),
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

  it('yields at least every line that contains what is looked for, in the same order', () => {
    const file = path.join(temporaryState(), 'lines');
    const line = fc.tuple(fc.integer({ min: 0, max: 30_000 }), fc.boolean()).map(([length, isMeant]) => {
      const half = 'é'.repeat(length);
      return `${half}${isMeant ? 'this and that' : 'neither'}${half}`;
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        fs.writeFileSync(file, lines.join('\n'));
        const found = [...linesBackwards(file, { from: 0 }, ['this', 'that'])].reverse();
        const isMeant = (one: string) => one.includes('this and that');
        expect(found.filter(isMeant)).toEqual(lines.filter(isMeant));
      }),
      { numRuns: 40 },
    );
  });

  it('yields hardly a line of a long file that contains nothing of what is looked for', () => {
    const file = path.join(temporaryState(), 'lines');
    fs.writeFileSync(file, 'some line\n'.repeat(100_000));
    expect([...linesBackwards(file, { from: 0 }, ['other'])].length).toBeLessThan(30);
  });

  it('yields none if there is no file', () => {
    expect([...linesBackwards(path.join(temporaryState(), 'nothing'))]).toEqual([]);
  });
});
