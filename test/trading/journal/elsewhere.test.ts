import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { encodeLine } from '../../../src/trading/journal/files.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import { recordText } from '../../../src/trading/journal/record.js';
import {
  type JournalEvent,
  type Owner,
  type RecordedWrite,
  SILENT_MS,
  thisProcess,
} from '../../../src/trading/journal/write.js';
import { refuseIdenticalOrder } from '../../../src/trading/orders/place.js';
import { type Resolution, resolve } from '../../../src/trading/resolve.js';
import { fakeHost } from '../../support/fake-host.js';
import { respond } from '../../support/fault-server.js';
import { NOT_FOUND, record, serve } from '../support/exchange.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';
import { newJournal } from './support.js';

const ID = 'mine0001';
/** A process on another machine, with an id that a local process may have too. */
const ELSEWHERE: Owner = { ...thisProcess(), machine: { host: 'web-2', pids: 'pid:[4026531836]' } };
const UNSEEN: Owner = { ...ELSEWHERE, startStamp: 'another-boot/1' };
const NEXT: Owner = { ...ELSEWHERE, machine: { host: 'web-2', pids: 'pid:[2]' } };

/** An order of a process whose last event and last file change are so long ago. */
function recorded(
  runner: Owner | undefined,
  silentMs: number,
  events: readonly JournalEvent[] = [],
  changedMs = silentMs,
) {
  const journals = newJournal();
  const { host, begin, open } = journals;
  begin(ID);
  const time = host.now() - silentMs;
  const write: RecordedWrite = {
    operation: 'order',
    terms: TERMS,
    id: ID,
    time,
    reqTime: time,
    firstOwner: runner ?? ELSEWHERE,
  };
  const file = path.join(open, ID);
  fs.writeFileSync(file, [recordText(write), ...events.map(encodeLine)].join(''));
  const changed = (host.now() - changedMs) / 1_000;
  fs.utimesSync(file, changed, changed);
  return { ...journals, file };
}

it.each<[string, number, number, boolean, Owner?]>([
  [
    'without a local counterpart is under way until its record has been silent for long',
    SILENT_MS - 1,
    SILENT_MS - 1,
    true,
    UNSEEN,
  ],
  ['counts as dead once its record has been silent for long', SILENT_MS, SILENT_MS, false],
  ['is under way if its clock is behind and the file was changed just now', SILENT_MS * 9, 1, true],
  ['is under way if its clock is ahead', -SILENT_MS, SILENT_MS, true],
])('a process on another machine %s', (_, silentMs, changedMs, isUnderWay, runner = ELSEWHERE) => {
  const { journal } = recorded(runner, silentMs, [], changedMs);
  const entry = journal.findUnsettled(ID);
  expect(entry?.isUnderWay).toBe(isUnderWay);
  expect(entry?.claim()).toBe(!isUnderWay);
  // the process that claimed it owns it, although its record was just extended
  expect(journal.findUnsettled(ID)?.owner).toEqual(isUnderWay ? runner : thisProcess());
  expect(journal.findUnsettled(ID)?.claim()).toBe(false);
});

it.each([
  ['fails while that one runs', SILENT_MS - 1, ELSEWHERE],
  ['succeeds once that one has been silent for long', SILENT_MS, NEXT],
])('the claim of a process on another machine over another one there %s', (_, after, owner) => {
  const time = fakeHost().now() - SILENT_MS + after;
  const { journal } = recorded(ELSEWHERE, SILENT_MS, [{ time, event: 'resumed', newOwner: NEXT }]);
  expect(journal.findUnsettled(ID)?.owner).toEqual(owner);
});

it('only the first of two claims at the same time counts, also after its process has died', () => {
  const dead: Owner = { ...thisProcess(), startStamp: 'other/1' };
  const time = fakeHost().now();
  const claim = (newOwner: Owner) => ({ time, event: 'resumed', newOwner, replacedOwner: ELSEWHERE });
  const { journal } = recorded(ELSEWHERE, SILENT_MS, [claim(dead), claim(thisProcess())]);
  const entry = journal.findUnsettled(ID);
  expect(entry?.owner).toEqual(dead);
  expect(entry?.isUnderWay).toBe(false);
  expect(entry?.claim()).toBe(true);
});

it('a record of an earlier version without a machine belongs to a local process', () => {
  const { pid, startStamp } = thisProcess();
  expect(recorded({ pid, startStamp }, SILENT_MS).journal.findUnsettled(ID)?.isUnderWay).toBe(true);
  expect(recorded({ pid, startStamp: 'other/1' }, 0).journal.findUnsettled(ID)?.isUnderWay).toBe(startStamp === null);
});

it('pit resolve names the machine of a write under way and leaves its record unchanged', async () => {
  const { state, file } = recorded(ELSEWHERE, 0);
  const before = fs.readFileSync(file);
  const account = {
    ...tradingOf('http://127.0.0.1:1', { state }),
    journal: new Journal(newJournal().host, state, 'test'),
  };
  const [found] = await resolve(account, account.journal.unsettledEntries());
  expect(found?.outcome).toBe('unknown');
  expect(found?.events.at(-1)?.event).toBe(`still under way in process ${process.pid} on web-2`);
  expect(fs.readFileSync(file)).toEqual(before);
});

it('pit resolve leaves an order to another process that claimed it since', async () => {
  const { state, begin } = newJournal();
  begin(ID).release();
  const trading = tradingOf('http://127.0.0.1:1', { state, budgetMs: 500 });
  const [seen, ...others] = trading.journal.unsettledEntries();
  expect([seen?.isUnderWay, others]).toEqual([false, []]);
  // another process has claimed it since it was listed
  const line = encodeLine({ time: trading.host.now(), event: 'resumed', newOwner: ELSEWHERE });
  fs.appendFileSync(path.join(state, 'journal', 'test', 'open', ID), line);
  const [found] = await resolve(trading, seen === undefined ? [] : [seen]);
  expect(found?.events.map(({ event }) => event).slice(-2)).toEqual([
    'resumed',
    `still under way in process ${process.pid} on web-2`,
  ]);
});

it('pit resolve claims an order while it reads it, so that a second pit resolve leaves it and sends nothing', async () => {
  const { state, begin } = newJournal();
  begin(ID).release();
  const other: { found?: Promise<readonly Resolution[]> } = {};
  const server = await serve({
    write: respond(NOT_FOUND),
    reads: [
      (socket) => {
        const second = tradingOf(server.url, { state, tolerance: 60_000 });
        other.found = resolve(second, second.journal.unsettledEntries());
        other.found.finally(() => respond(record({ id: '7' }))(socket));
      },
      // the second pit resolve would read this one
      record({ id: '8' }),
    ],
  });
  const trading = tradingOf(server.url, { state, tolerance: 60_000 });
  const own = await resolve(trading, trading.journal.unsettledEntries());
  const found = (await other.found) ?? [];
  expect(own.map(({ outcome, id }) => [outcome, id])).toEqual([['placed', '7']]);
  expect(found.map(({ outcome, events }) => [outcome, events.at(-1)?.event])).toEqual([
    ['unknown', `still under way in process ${process.pid}`],
  ]);
  expect(server.requests.filter(({ target }) => target.startsWith('/api/getOrder?'))).toHaveLength(1);
});

it('an order is refused while an identical one is under way on another machine', () => {
  const { state } = recorded(ELSEWHERE, 0);
  const trading = tradingOf('http://127.0.0.1:1', { state });
  expect(() => refuseIdenticalOrder(trading, TERMS)).toThrow(/identical order has an unknown outcome/);
});
