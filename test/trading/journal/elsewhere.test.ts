import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lineOf } from '../../../src/trading/journal/files.js';
import {
  type Intent,
  type JournalEvent,
  type Runner,
  SILENT_MS,
  thisProcess,
} from '../../../src/trading/journal/intent.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import { recordOf } from '../../../src/trading/journal/record.js';
import { refuseDuplicate } from '../../../src/trading/orders/uncertain-writes.js';
import { type Resolution, resolve } from '../../../src/trading/resolve.js';
import { fakeHost } from '../../support/fake-host.js';
import { respond } from '../../support/fault-server.js';
import { accountOf } from '../support/account.js';
import { NOT_FOUND, record, serve } from '../support/exchange.js';
import { newJournal, TERMS } from './support.js';

const ID = 'mine0001';
/** Ids that a process here may have too. */
const ELSEWHERE: Runner = { ...thisProcess(), place: { host: 'web-2', pids: 'pid:[4026531836]' } };
const UNSEEN: Runner = { ...ELSEWHERE, stamp: 'another-boot/1' };
const NEXT: Runner = { ...ELSEWHERE, place: { host: 'web-2', pids: 'pid:[2]' } };

/** An order as a process left it whose record was last added to so long ago. */
function recorded(
  runner: Runner | undefined,
  silentMs: number,
  events: readonly JournalEvent[] = [],
  changedMs = silentMs,
) {
  const journals = newJournal();
  const { host, begin, open } = journals;
  begin(ID);
  const time = host.now() - silentMs;
  const intent: Intent = {
    operation: 'order',
    terms: TERMS,
    id: ID,
    time,
    reqTime: time,
    process: runner ?? ELSEWHERE,
  };
  const file = path.join(open, ID);
  fs.writeFileSync(file, [recordOf(intent), ...events.map(lineOf)].join(''));
  const changed = (host.now() - changedMs) / 1_000;
  fs.utimesSync(file, changed, changed);
  return { ...journals, file };
}

it.each<[string, number, number, boolean, Runner?]>([
  [
    'whose id nobody has here is under way until its record has long been silent',
    SILENT_MS - 1,
    SILENT_MS - 1,
    true,
    UNSEEN,
  ],
  ['is gone then', SILENT_MS, SILENT_MS, false],
  ['is under way where its clock is behind and the file was changed just now', SILENT_MS * 9, 1, true],
  ['is under way where its clock is ahead', -SILENT_MS, SILENT_MS, true],
])('a process elsewhere %s', (_, silentMs, changedMs, isUnderWay, runner = ELSEWHERE) => {
  const { journal } = recorded(runner, silentMs, [], changedMs);
  const entry = journal.find(ID);
  expect(entry?.isUnderWay).toBe(isUnderWay);
  expect(entry?.claim()).toBe(!isUnderWay);
  // who has taken it up has it, though its record has just been added to
  expect(journal.find(ID)?.runner).toEqual(isUnderWay ? runner : thisProcess());
  expect(journal.find(ID)?.claim()).toBe(false);
});

it.each([
  ['while it ran has not got it', SILENT_MS - 1, ELSEWHERE],
  ['when it had long been silent has it', SILENT_MS, NEXT],
])('one elsewhere that claims what another one there was at %s', (_, after, owner) => {
  const time = fakeHost().now() - SILENT_MS + after;
  const { journal } = recorded(ELSEWHERE, SILENT_MS, [{ time, event: 'resumed', runner: NEXT }]);
  expect(journal.find(ID)?.runner).toEqual(owner);
});

it('a record of before, that does not tell where, is of a process here', () => {
  const { pid, stamp } = thisProcess();
  expect(recorded({ pid, stamp }, SILENT_MS).journal.find(ID)?.isUnderWay).toBe(true);
  expect(recorded({ pid, stamp: 'other/1' }, 0).journal.find(ID)?.isUnderWay).toBe(stamp === null);
});

it('pit resolve says where it is under way, and adds nothing to its record', async () => {
  const { state, file } = recorded(ELSEWHERE, 0);
  const before = fs.readFileSync(file);
  const account = {
    ...accountOf('http://127.0.0.1:1', { state }),
    journal: new Journal(newJournal().host, state, 'test'),
  };
  const [found] = await resolve(account, account.journal.open());
  expect(found?.outcome).toBe('unknown');
  expect(found?.events.at(-1)?.event).toBe(`still under way in process ${process.pid} on web-2`);
  expect(fs.readFileSync(file)).toEqual(before);
});

it('pit resolve leaves an order to another one that is at it', async () => {
  const { state, begin } = newJournal();
  begin(ID).release();
  const account = accountOf('http://127.0.0.1:1', { state, budgetMs: 500 });
  const [seen, ...others] = account.journal.open();
  expect([seen?.isUnderWay, others]).toEqual([false, []]);
  // the other one has taken it up since it was listed
  const line = lineOf({ time: account.host.now(), event: 'resumed', runner: ELSEWHERE });
  fs.appendFileSync(path.join(state, 'journal', 'test', 'open', ID), line);
  const [found] = await resolve(account, seen === undefined ? [] : [seen]);
  expect(found?.events.map(({ event }) => event).slice(-2)).toEqual([
    'resumed',
    `still under way in process ${process.pid} on web-2`,
  ]);
});

it('pit resolve has an order alone while it looks: another one that comes then leaves it and asks nothing', async () => {
  const { state, begin } = newJournal();
  begin(ID).release();
  const other: { found?: Promise<readonly Resolution[]> } = {};
  const server = await serve({
    write: respond(NOT_FOUND),
    looks: [
      (socket) => {
        const second = accountOf(server.url, { state, tolerance: 60_000 });
        other.found = resolve(second, second.journal.open());
        other.found.finally(() => respond(record({ id: '7' }))(socket));
      },
      // a look of the other one would be this one
      record({ id: '8' }),
    ],
  });
  const account = accountOf(server.url, { state, tolerance: 60_000 });
  const own = await resolve(account, account.journal.open());
  const found = (await other.found) ?? [];
  expect(own.map(({ outcome, id }) => [outcome, id])).toEqual([['placed', '7']]);
  expect(found.map(({ outcome, events }) => [outcome, events.at(-1)?.event])).toEqual([
    ['unknown', `still under way in process ${process.pid}`],
  ]);
  expect(server.requests.filter(({ target }) => target.startsWith('/api/getOrder?'))).toHaveLength(1);
});

it('an order just like one that is under way elsewhere is not sent: nobody here sees whether that one is lost', () => {
  const { state } = recorded(ELSEWHERE, 0);
  const account = accountOf('http://127.0.0.1:1', { state });
  expect(() => refuseDuplicate(account, TERMS)).toThrow(/identical order has an unknown outcome/);
});
