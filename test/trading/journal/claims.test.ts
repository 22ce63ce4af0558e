import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startStamp } from '../../../src/platform/programs/processes.js';
import { claimLink } from '../../../src/trading/journal/claim.js';
import { recordText } from '../../../src/trading/journal/entry.js';
import { encodeLine } from '../../../src/trading/journal/files.js';
import { type Owner, thisProcess } from '../../../src/trading/journal/owner.js';
import type { RecordedWrite } from '../../../src/trading/journal/write.js';
import { type Resolution, resolve } from '../../../src/trading/settling/resolve.js';
import { anOrder, ScriptedExchange } from '../../support/scripted-exchange.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';
import { newJournal, PLACED } from './support.js';

const ID = 'mine0001';

/** An order that a given process recorded. */
function recordedBy(firstOwner: Owner) {
  const journals = newJournal();
  journals.begin(ID);
  const write: RecordedWrite = { operation: 'order', terms: TERMS, id: ID, time: 1, reqTime: 1, firstOwner };
  const file = path.join(journals.unsettled, ID);
  fs.writeFileSync(file, recordText(write));
  return { ...journals, file, find: () => journals.journal.findUnsettled(ID) };
}

/** A released order. */
function released() {
  const journals = newJournal();
  journals.begin(ID).release();
  const file = path.join(journals.unsettled, ID);
  return { ...journals, file, find: () => journals.journal.findUnsettled(ID) };
}

function living(): Owner {
  const { pid = 0 } = spawnLasting();
  return { pid, startStamp: startStamp(pid) };
}

function spawnLasting() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function dead(): Owner {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  return { pid, startStamp: null };
}

/** Makes the link of a claim, as a process does that is about to add its line. */
function link(file: string, number: number, { pid, startStamp: stamp }: Owner): string {
  const made = claimLink(file, number);
  fs.symlinkSync(JSON.stringify({ pid, startStamp: stamp }), made);
  return made;
}

describe('a write', () => {
  it('is under way while its process lives', () => {
    const { find } = recordedBy(living());
    expect([find()?.isUnderWay, find()?.claim()]).toEqual([true, false]);
  });

  it('is not under way after its process died, and then belongs to the process that claims it', () => {
    const { find, journal } = recordedBy(dead());
    expect([find()?.isUnderWay, find()?.claim()]).toEqual([false, true]);
    expect([find()?.owner, find()?.isOwn, journal.unsettled().damaged]).toEqual([thisProcess(), true, []]);
    expect(find()?.events.map(({ event }) => event)).toEqual(['recorded', 'taken over']);
    // the process that would have read its answer is gone
    expect([find()?.wasLost, find()?.isOutcomeUnknown]).toEqual([true, true]);
  });

  it('was not lost if its process recorded what the answer named before it died', () => {
    const { find } = recordedBy(dead());
    find()?.note('accepted: 7', { namedId: '7' });
    expect([find()?.claim(), find()?.namedId]).toEqual([true, '7']);
    expect([find()?.wasLost, find()?.isOutcomeUnknown]).toEqual([false, true]);
    find()?.note('order 7 is not this one', { isContradicted: true });
    expect([find()?.namedId, find()?.wasLost]).toEqual([undefined, true]);
  });

  it('was not lost if its process recorded before it died that the exchange rejected it', () => {
    const { find } = recordedBy(dead());
    find()?.noteRefusal({ kind: 'insufficientFunds', code: 2009, message: 'balance' });
    expect(find()?.claim()).toBe(true);
    expect([find()?.wasLost, find()?.isOutcomeUnknown]).toEqual([false, true]);
  });

  it('has an unknown outcome, but was not lost, if its answer came and the exchange cannot say whether it has its order', () => {
    const { begin, journal } = newJournal();
    begin(ID).note('asked by client id: no answer', { couldNotLookUp: true });
    expect(journal.findUnsettled(ID)).toMatchObject({ isUnderWay: true, wasLost: false, isOutcomeUnknown: true });
  });

  it('is own only while this process owns it', () => {
    const { begin } = newJournal();
    const entry = begin(ID);
    expect(entry.isOwn).toBe(true);
    entry.release();
    expect([entry.isOwn, recordedBy(living()).find()?.isOwn]).toEqual([false, false]);
  });

  it.skipIf(startStamp(process.pid) === null)(
    'is not under way if another process has taken the process id since',
    () => {
      const { pid, startStamp: stamp } = living();
      const earlier = stamp?.replace(/\d+$/, (ticks) => String(Number(ticks) - 1)) ?? null;
      expect(recordedBy({ pid, startStamp: earlier }).find()?.isUnderWay).toBe(false);
      expect(recordedBy({ pid, startStamp: `${'0'.repeat(36)}/1` }).find()?.isUnderWay).toBe(false);
    },
  );

  it('is not under way after its process released it', () => {
    const { begin, journal } = newJournal();
    const entry = begin(ID);
    expect(journal.findUnsettled(ID)?.isUnderWay).toBe(true);
    entry.release();
    expect([entry.isUnderWay, journal.findUnsettled(ID)?.isUnderWay]).toEqual([false, false]);
  });

  it('has an unknown outcome once its answer was lost, even while its process still reconciles it', () => {
    const { begin, journal } = newJournal();
    const entry = begin(ID);
    expect(journal.findUnsettled(ID)?.isOutcomeUnknown).toBe(false);
    entry.note('no answer', { isUnanswered: true });
    expect(journal.findUnsettled(ID)).toMatchObject({ isUnderWay: true, isOutcomeUnknown: true });
    entry.release();
    expect(journal.findUnsettled(ID)?.claim()).toBe(true);
    expect(journal.findUnsettled(ID)).toMatchObject({ isUnderWay: true, isOutcomeUnknown: true });
  });
});

describe('a claim', () => {
  it('succeeds once for all who read the write before it', () => {
    const { find } = released();
    const [one, other] = [find(), find()];
    expect([one?.claim(), other?.claim(), find()?.claim()]).toEqual([true, false, false]);
    one?.release();
    // the other has not seen the claim, and it would be one of the same number
    expect([other?.claim(), find()?.claim()]).toEqual([false, true]);
  });

  it('gives way to a live process that has made the link and not yet added its line', () => {
    const { file, find } = released();
    const made = link(file, 1, living());
    expect(find()?.claim()).toBe(false);
    expect(fs.readlinkSync(made)).toContain('pid');
  });

  it('succeeds after a process that died between its link and its line, as often as that happens', () => {
    const { file, find } = released();
    const died = dead();
    for (const number of [1, 2]) link(file, number, died);
    expect(find()?.claim()).toBe(true);
    expect([find()?.owner, find()?.claim()]).toEqual([thisProcess(), false]);
    find()?.release();
    expect(find()?.claim()).toBe(true);
  });

  it.each([
    '',
    '{}',
    '[]',
    'null',
    '{"pid":-1,"startStamp":null}',
    '{"pid":"7","startStamp":null}',
    '{"pid":7,"startStamp":',
    '{"pid":0}',
  ])('gives way to one that does not say whose it is: %s', (text) => {
    const { file, find } = released();
    fs.symlinkSync(text === '' ? ' ' : text, claimLink(file, 1));
    expect(find()?.claim()).toBe(false);
    expect(find()?.owner).toBe(null);
  });

  it.each([-1, 0, '7', 1.5, null])('of process %j is unreadable, and its record is damaged', (pid) => {
    const { file, find, journal } = released();
    fs.appendFileSync(file, encodeLine({ time: 1, event: 'taken over', newOwner: { pid, startStamp: null } }));
    expect([find(), journal.unsettled().damaged]).toEqual([undefined, [ID]]);
  });

  it('fails if another claim was completed between the read and the link', () => {
    const { file, find } = released();
    const entry = find();
    const other = { ...thisProcess(), pid: living().pid, startStamp: null };
    const symlink = fs.symlinkSync;
    const linking = vi.spyOn(fs, 'symlinkSync').mockImplementation((...words) => {
      fs.appendFileSync(file, encodeLine({ time: 1, event: 'taken over', newOwner: other }));
      symlink(...words);
    });
    onTestFinished(() => linking.mockRestore());
    expect(entry?.claim()).toBe(false);
    linking.mockRestore();
    expect(find()?.owner).toEqual(other);
    expect(fs.readdirSync(path.dirname(file))).toEqual([ID]);
  });

  it('succeeds if the process that made the link before has just removed it without its line', () => {
    const { file, find } = released();
    const made = link(file, 1, living());
    const readlink = fs.readlinkSync;
    const reading = vi.spyOn(fs, 'readlinkSync').mockImplementation(((target: string) => {
      fs.rmSync(made);
      return readlink(target);
    }) as typeof readlink);
    const linking = vi.spyOn(fs, 'symlinkSync');
    onTestFinished(() => [reading, linking].forEach((spy) => void spy.mockRestore()));
    expect(find()?.claim()).toBe(true);
    // the number is used again: a gap would let a second process claim below this one
    expect(linking.mock.calls.map(([, name]) => name)).toEqual([made, made]);
  });

  it('fails if the record was damaged since it was read', () => {
    const { file, find } = released();
    const entry = find();
    fs.truncateSync(file, 5);
    expect(entry?.claim()).toBe(false);
  });

  it('fails if the write is settled just before the line of the claim is added', () => {
    const { file, find, unsettled } = released();
    const entry = find();
    const open = fs.openSync;
    const opening = vi.spyOn(fs, 'openSync').mockImplementation((target, flags, ...more) => {
      if (typeof flags === 'number' && (flags & fs.constants.O_APPEND) !== 0) fs.rmSync(file);
      return open(target, flags, ...more);
    });
    onTestFinished(() => opening.mockRestore());
    expect(entry?.claim()).toBe(false);
    expect([entry?.isOwn, fs.readdirSync(unsettled)]).toEqual([false, []]);
  });

  it('leaves no link, and none is made for a write that was settled meanwhile', () => {
    const { find, unsettled } = released();
    const [one, other] = [find(), find()];
    one?.claim();
    expect(fs.readdirSync(unsettled)).toEqual([ID]);
    one?.settle(PLACED, 'placed');
    expect([other?.claim(), fs.readdirSync(unsettled)]).toEqual([false, []]);
  });

  it.each(['EROFS', 'ENOSPC', 'EACCES'])('fails with the file and the reason on a disk that takes none: %s', (code) => {
    const { file, find } = released();
    const linking = vi.spyOn(fs, 'symlinkSync').mockImplementation(() => {
      throw Object.assign(new Error('the disk'), { code });
    });
    onTestFinished(() => linking.mockRestore());
    const failure = expect.objectContaining({ kind: 'usage', message: `Cannot write ${file}: ${code}.` });
    expect(() => find()?.claim()).toThrow(failure);
  });
});

it('pit resolve names the process of a write under way and leaves its record unchanged', async () => {
  const owner = living();
  const { state, file } = recordedBy(owner);
  const before = fs.readFileSync(file);
  const account = tradingOf(new ScriptedExchange(), { state });
  const [found] = await resolve(account, account.journal.unsettledEntries());
  expect(found?.outcome).toBe('unknown');
  expect(found?.events.at(-1)?.event).toBe(`still under way in process ${owner.pid}`);
  expect(fs.readFileSync(file)).toEqual(before);
});

it('pit resolve leaves an order to another process that claimed it since', async () => {
  const { state, file } = released();
  const trading = tradingOf(new ScriptedExchange(), { state, budgetMs: 500 });
  const [seen, ...others] = trading.journal.unsettledEntries();
  expect([seen?.isUnderWay, others]).toEqual([false, []]);
  const owner = living();
  fs.appendFileSync(file, encodeLine({ time: trading.host.now(), event: 'taken over', newOwner: owner }));
  const [found] = await resolve(trading, seen === undefined ? [] : [seen]);
  expect(found?.outcome).toBe('unknown');
  expect(trading.journal.findUnsettled(ID)?.owner).toEqual(owner);
});

it('pit resolve claims an order while it reads it, so that a second pit resolve leaves it and sends nothing', async () => {
  const { state } = released();
  const other: { found?: Promise<readonly Resolution[]> } = {};
  const exchange = new ScriptedExchange();
  exchange.onRequest = async ({ kind }) => {
    if (kind !== 'lookup') return undefined;
    // the second pit resolve would read the other one
    if (other.found !== undefined) return anOrder({ id: '8' });
    const second = tradingOf(exchange, { state, tolerance: 60_000 });
    other.found = resolve(second, second.journal.unsettledEntries());
    await other.found;
    return anOrder();
  };
  const trading = tradingOf(exchange, { state, tolerance: 60_000 });
  const own = await resolve(trading, trading.journal.unsettledEntries());
  const found = (await other.found) ?? [];
  expect(own.map(({ outcome, id }) => [outcome, id])).toEqual([['placed', '7']]);
  expect(found.map(({ outcome, events }) => [outcome, events.at(-1)?.event])).toEqual([
    ['unknown', `still under way in process ${process.pid}`],
  ]);
  expect(exchange.count('lookup')).toBe(1);
});
