import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SendGate } from '../../../src/trading/journal/entry.js';
import type { BatchTerms, Settled, Settlement, WithdrawTerms } from '../../../src/trading/journal/write.js';
import { closeAll } from '../support/closed.js';
import { TERMS } from '../support/terms.js';
import { contents, newJournal, PLACED } from './support.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;
const NOT_SENT = { outcome: 'notSent', id: null, duplicates: [] } as const;
const JOB = 'job0001';
const JOB_TERMS: BatchTerms = { ...BUYS, account: 'spot', count: 1, lines: [[1, '2', '3']], baseline: [] };
const WITHDRAWAL: WithdrawTerms = {
  ...{ coin: 'btc', amount: '1', fee: '0', address: 'bc1q', internal: false },
  before: { record: '0' },
};

/** A journal with one settled order. */
function settledOrder(settlement: Settlement = PLACED) {
  const journals = newJournal();
  journals.begin('own0001').settle(settlement, settlement.outcome);
  const find = () => {
    const [entry] = journals.journal.settledEntries(BUYS);
    if (entry === undefined) throw new Error('there is no settled order');
    return entry;
  };
  return { ...journals, find, archived: () => journals.journal.archive.find('own0001') };
}

/** A journal with one settled job. */
function settledJob() {
  const journals = newJournal();
  const { journal, host } = journals;
  const entry = journal.begin<'batch'>({ operation: 'batch', terms: JOB_TERMS }, { id: JOB, reqTime: host.now() });
  entry.release('1 of 1 placed', { settled: { ...PLACED, id: null } });
  const { events, write } = entry;
  entry.archiveSummary({ ...PLACED, id: null, events, write: { ...write, terms: { ...JOB_TERMS, lines: [] } } });
  return { ...journals, jobs: path.join(journals.folder, 'jobs') };
}

describe('a settled order', () => {
  it('is corrected in the archive when duplicates are found, each once', () => {
    const { find, archived, archive } = settledOrder();
    expect(find().settlement).toEqual(PLACED);
    find().noteFound(['8', '9']);
    find().noteFound(['9']);
    for (const one of [find().settlement, archived()])
      expect(one).toMatchObject({ outcome: 'placed', id: PLACED.id, duplicates: ['8', '9'] });
    expect(find().events.at(-1)).toMatchObject({ event: 'duplicates: 8, 9', isLate: true });
    expect(find().isUnexpected).toBe(false);
    // the second finding said nothing new, so the archive has no third line
    const lines = Object.values(contents(archive)).join('').split('\n');
    expect(lines.filter((line) => line !== '')).toHaveLength(2);
  });

  it('that counted as not sent is placed after all when its order is found, and is unexpected until the user has seen it', async () => {
    const { find, archived, journal, host } = settledOrder(NOT_SENT);
    expect([find().isUnexpected, find().unexpectedSince, journal.unexpected()]).toEqual([false, undefined, []]);
    await host.sleep(1_000);
    find().noteFound(['9'], '8');
    expect(archived()).toMatchObject({ outcome: 'placed', id: '8', duplicates: ['9'] });
    expect(find().events.at(-1)?.event).toBe('placed after all: 8; duplicates: 9');
    expect([find().unexpectedSince, journal.unexpected().map(({ write }) => write.id)]).toEqual([
      host.now(),
      ['own0001'],
    ]);
    find().markSeen();
    const lines = find().events.length;
    expect(find().events.at(-1)).toMatchObject({ event: 'shown', isLate: true, shown: true });
    find().markSeen();
    expect([find().events.length, find().isUnexpected, journal.unexpected()]).toEqual([lines, false, []]);
  });

  it('that counted as not sent is archived as placed when its order alone is found', () => {
    const { find, archived } = settledOrder(NOT_SENT);
    find().noteFound([], '8');
    expect(archived()).toMatchObject({ outcome: 'placed', id: '8', duplicates: [] });
    expect(archived()?.events.at(-1)?.event).toBe('placed after all: 8');
  });

  it('that counted as placed, without its id, has it in its record and in the archive once it is found, and is not unexpected', () => {
    const { find, archived, journal } = settledOrder({ ...PLACED, id: null });
    find().noteFound([], '8');
    for (const one of [find().settlement, archived()])
      expect(one).toMatchObject({ outcome: 'placed', id: '8', duplicates: [] });
    expect(archived()?.events.at(-1)?.event).toBe('placed: 8');
    expect(journal.unexpected()).toEqual([]);
  });

  it('that is unexpected is reported before those recorded later, whatever their markets', async () => {
    const { journal, host } = newJournal();
    for (const market of ['eth_usdt', 'btc_usdt', 'ltc_usdt']) {
      const terms = { ...TERMS, market };
      journal.begin<'order'>({ operation: 'order', terms }, { id: market, reqTime: 1 }).settle(NOT_SENT, 'not sent');
      for (const entry of journal.settledEntries(terms)) entry.noteFound([], '8');
      await host.sleep(1);
    }
    expect(journal.unexpected().map(({ write }) => write.id)).toEqual(['eth_usdt', 'btc_usdt', 'ltc_usdt']);
  });

  it('that is unexpected is reported for a day', async () => {
    const { find, journal, host } = settledOrder(NOT_SENT);
    find().noteFound([], '8');
    await host.sleep(86_399_999);
    expect(journal.unexpected()).toHaveLength(1);
    await host.sleep(1);
    expect(journal.unexpected()).toHaveLength(0);
  });

  it('is gone once it is closed, and its line stays in the archive as it was', () => {
    const { folder, journal, archive, unsettled } = settledOrder();
    const before = contents(archive);
    closeAll(journal, BUYS);
    closeAll(journal, BUYS);
    expect([journal.settledEntries(BUYS), journal.isIdle, contents(archive)]).toEqual([[], true, before]);
    expect([contents(unsettled), contents(path.join(folder, 'jobs'))]).toEqual([{}, {}]);
  });

  it('is watched once it is closed if its order may appear after all', () => {
    const { find, journal } = settledOrder(NOT_SENT);
    expect([find().isClosed, journal.unclosedEntries().length]).toEqual([false, 1]);
    closeAll(journal, BUYS, 'watched');
    expect([find().isClosed, journal.unclosedEntries(), journal.isIdle]).toEqual([true, [], false]);
    find().noteFound([], '8');
    expect([find().isClosed, find().settlement?.id]).toEqual([true, '8']);
    closeAll(journal, BUYS);
    expect(journal.isIdle).toBe(true);
  });
});

it('a settled withdrawal is found by its coin, and a cancelled order in no list', () => {
  const { journal, host, lists, unsettled } = newJournal();
  const reqTime = host.now();
  const withdraw = { operation: 'withdraw', terms: WITHDRAWAL } as const;
  journal.begin<'withdraw'>(withdraw, { id: 'out0001', reqTime }).settle({ ...PLACED, id: '5' }, 'placed');
  journal.noteCancelled({ market: 'btc_usdt', id: '7' });
  const idsOf = (list: Parameters<typeof journal.settledEntries>[0]) =>
    journal.settledEntries(list).map(({ write }) => write.id);
  expect([idsOf({ coin: 'btc' }), idsOf({ coin: 'eth' }), idsOf(BUYS)]).toEqual([['out0001'], [], []]);
  expect(Object.keys(contents(lists))).toEqual(['btc']);
  expect(contents(unsettled)).toEqual({});
});

describe('a settled job', () => {
  it('keeps its full record while the archive has its summary, before and after it is closed', () => {
    const { journal, jobs } = settledJob();
    for (const isClosed of [false, true]) {
      if (isClosed) closeAll(journal, BUYS);
      expect(journal.findSettledJob(JOB)?.write.terms.lines).toEqual(JOB_TERMS.lines);
      expect([journal.findJob(JOB)?.write.id, journal.findJob('job0002')]).toEqual([JOB, undefined]);
      expect(journal.settledEntries(BUYS).map(({ write }) => write.id)).toEqual(isClosed ? [] : [JOB]);
      expect(Object.keys(contents(jobs))).toEqual(['2018-10-23-job0001']);
    }
  });

  it.each(['settled', 'closed'])('is reopened once, with all that it recorded, when it is %s', (state) => {
    const { journal, jobs } = settledJob();
    if (state === 'closed') closeAll(journal, BUYS);
    expect([journal.reopen(JOB), journal.reopen(JOB), journal.reopen('job0002')]).toEqual([true, false, false]);
    const entry = journal.findUnsettled(JOB);
    expect(journal.findJob(JOB)?.write.id).toBe(JOB);
    expect(entry?.events.map(({ event }) => event)).toEqual(['recorded', '1 of 1 placed']);
    expect([journal.settledEntries(BUYS), contents(jobs), journal.findSettledJob(JOB)]).toEqual([[], {}, undefined]);
    expect([entry?.claim({ bestBid: '29000' }), entry?.events.at(-1)?.bestBid]).toEqual([true, '29000']);
    expect(journal.findUnsettled(JOB)?.events.at(-1)?.bestBid).toBe('29000');
  });

  it('that was closed and resumed is not closed any more: it has made more orders since', () => {
    const { journal } = settledJob();
    const summary = journal.archive.find(JOB) as Settled;
    closeAll(journal, BUYS, 'watched');
    journal.reopen(JOB);
    journal.findUnsettled(JOB)?.archiveSummary(summary);
    expect(journal.settledEntries(BUYS).map(({ write, isClosed }) => [write.id, isClosed])).toEqual([[JOB, false]]);
  });

  it('takes what is found out later, unless it was reopened', () => {
    const { journal } = settledJob();
    const [entry, other] = [journal.findSettledJob(JOB), journal.findSettledJob(JOB)];
    expect(entry?.noteLate('duplicates: 8', { kind: 'duplicated', orders: [[0, '8']] })).toBe(true);
    expect([entry?.hasLateFindings, entry?.isUnexpected]).toEqual([true, false]);
    expect(entry?.noteLate('there: 9', { kind: 'found', orders: [[0, '9']] })).toBe(true);
    expect(journal.findSettledJob(JOB)).toMatchObject({ hasLateFindings: true, isUnexpected: true });
    expect(entry?.events.at(-1)).toMatchObject({ isLate: true, unexpected: true });
    journal.reopen(JOB);
    expect(other?.noteLate('there: 9', { kind: 'found', orders: [[0, '9']] })).toBe(false);
    expect(other?.events.map(({ event }) => event)).toEqual(['recorded', '1 of 1 placed']);
  });

  it('keeps the summary of the archive, which names later orders, when it is closed', () => {
    const { journal } = settledJob();
    const summary = journal.archive.find(JOB);
    journal.findSettledJob(JOB)?.noteLate('duplicates: 8', { kind: 'duplicated', orders: [[0, '8']] });
    if (summary !== undefined) journal.archive.add({ ...summary, duplicates: ['8'] });
    closeAll(journal, BUYS);
    expect(journal.archive.find(JOB)?.duplicates).toEqual(['8']);
  });

  it('is no record of a single write, whatever its id', () => {
    const { journal, begin } = newJournal();
    begin('own0001').settle(PLACED, 'placed');
    begin('own0002');
    expect([journal.findSettledJob('own0001'), journal.findJob('own0001'), journal.findJob('own0002')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('an event', () => {
  it('that must precede a request is on the disk when it is noted, and no event if that fails', async () => {
    const { begin, journal, unsettled } = newJournal();
    const entry = begin('own0001');
    const sending = { kind: 'sending', requests: [[1, [0]]], reqTime: 1 } as const;
    await entry.noteDurably('request 1 leaves', { batchEvent: sending });
    expect(journal.findUnsettled('own0001')).toMatchObject({ hasLateFindings: false });
    expect(journal.findUnsettled('own0001')?.events.at(-1)).toMatchObject({ batchEvent: sending });
    fs.rmSync(path.join(unsettled, 'own0001'));
    const failure = { kind: 'usage', message: `Cannot write ${path.join(unsettled, 'own0001')}: ENOENT.` };
    await expect(entry.noteDurably('request 2 leaves', { batchEvent: sending })).rejects.toMatchObject(failure);
    expect(entry.events).toHaveLength(2);
  });

  it('contains no secret in its details either', () => {
    const { begin, host, unsettled } = newJournal();
    host.redaction.addSecret('secret-9876543210');
    const entry = begin('own0001');
    entry.note('refused', { bestBid: 'secret-9876543210' });
    entry.note('accepted', { bestBid: '5' });
    expect(contents(unsettled).own0001?.toString()).not.toContain('secret-9876543210');
    expect(entry.events.at(-1)?.bestBid).toBe('5');
  });
});

it('an unsettled write has no outcome that a list could correct', () => {
  const { begin } = newJournal();
  const entry = begin('own0001');
  entry.noteFound(['8']);
  expect([entry.settlement, entry.events.map(({ event }) => event)]).toEqual([undefined, ['recorded']]);
});

describe('the gate of a write', () => {
  it('lets a write leave or cancels it before it has a record, too', () => {
    const leaving = new SendGate();
    expect([leaving.mayLeave(), leaving.cancel()]).toEqual([true, false]);
    const cancelled = new SendGate();
    expect([cancelled.cancel(), cancelled.mayLeave()]).toEqual([true, false]);
  });

  it('adds nothing to the record of a write that leaves, and then cannot cancel it', () => {
    const { begin, journal } = newJournal();
    const gate = new SendGate();
    gate.attachEntry(begin('own0001'));
    expect([gate.mayLeave(), gate.cancel()]).toEqual([true, false]);
    expect(journal.findUnsettled('own0001')?.events.map(({ event }) => event)).toEqual(['recorded']);
  });

  it('settles a write that is cancelled before it leaves, once, and does not let it leave', () => {
    const { begin, journal } = newJournal();
    const gate = new SendGate();
    const entry = begin('own0001');
    gate.attachEntry(entry);
    expect([gate.cancel(), journal.archive.find('own0001')?.outcome]).toEqual([true, 'notSent']);
    expect([gate.cancel(), gate.mayLeave()]).toEqual([true, false]);
    for (const events of [entry.events, journal.archive.find('own0001')?.events])
      expect(events?.map(({ event }) => event)).toEqual(['recorded', 'not sent: interrupted before it left']);
  });
});

describe('the archive', () => {
  it('is asked for a write by its own id, and by the client id that the user chose', () => {
    const { begin, journal } = newJournal();
    begin('own0001', 'mine0001').settle(NOT_SENT, 'not sent');
    begin('own0002', 'own0001').settle(NOT_SENT, 'not sent');
    begin('own0003').settle({ ...PLACED, id: 'own0001' }, 'placed');
    const { archive } = journal;
    expect([archive.find('own0001')?.write.id, archive.find('mine0001')]).toEqual(['own0001', undefined]);
    expect([archive.findByClientId('mine0001')?.write.id, archive.findByClientId('own0001')?.write.id]).toEqual([
      'own0001',
      'own0002',
    ]);
    expect(archive.findByClientId('own0003')).toBeUndefined();
  });

  it('counts only writes of a market for the limit of a day', () => {
    const { journal, host, archive } = newJournal();
    const reqTime = host.now();
    const withdraw = { operation: 'withdraw', terms: WITHDRAWAL } as const;
    journal.begin<'withdraw'>(withdraw, { id: 'out0001', reqTime }).settle({ ...PLACED, id: '5' }, 'placed');
    const [line = ''] = Object.values(contents(archive)).map(String);
    expect(line.trim()).toMatch(/^\{"at":\d+,"settled":/);
  });

  it('is asked for the write that made an order, as its own or as a duplicate, but not for one that cancelled it', () => {
    const { begin, journal } = newJournal();
    begin('own0001').settle({ ...PLACED, id: '7', duplicates: ['8', '9'] }, 'placed');
    journal.noteCancelled({ market: 'btc_usdt', id: '5' });
    begin('own0002', '9').settle({ ...NOT_SENT }, 'not sent');
    const makerOf = (id: string) => journal.archive.findByOrder(id)?.write.id;
    expect(['7', '8', '9', '5', '1'].map(makerOf)).toEqual(['own0001', 'own0001', 'own0001', undefined, undefined]);
  });

  it('keeps the settled write if its folder cannot be written, and the next command settles it', () => {
    const { begin, journal, unsettled } = newJournal();
    const entry = begin('own0001');
    const opening = vi.spyOn(fs, 'openSync').mockImplementation(() => {
      throw Object.assign(new Error('the disk'), { code: 'ENOSPC' });
    });
    onTestFinished(() => opening.mockRestore());
    entry.settle(PLACED, 'placed');
    opening.mockRestore();
    expect(Object.keys(contents(unsettled))).toEqual(['own0001']);
    journal.findUnsettled('own0001')?.settle(PLACED, 'placed');
    expect([contents(unsettled), journal.archive.since(0).length]).toEqual([{}, 1]);
  });
});
