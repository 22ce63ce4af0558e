import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { unprotectedText } from '../../../src/commands/algo/unwatched.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { localTimeText } from '../../../src/errors.js';
import type { AlgoTerms } from '../../../src/trading/algos/plan/terms.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import { fakeHost } from '../../support/fake-host.js';
import { limit } from '../../trading/algos/support/entries.js';
import { buy, sell } from '../../trading/algos/support/terms.js';
import { temporaryState } from '../../trading/support/trading.js';

afterEach(() => void vi.restoreAllMocks());

test('every command says first that algo orders are not protected if their folder cannot be written, watched or not', async () => {
  const state = temporaryState();
  const host = { ...fakeHost(), directories: { config: state, state, cache: state } };
  const store = new AlgoStore(host, state, 'main');
  const best = { bid: Decimal.of('100'), ask: Decimal.of('101') };
  store.create((id) => ({ fact: 'began', time: 0, terms: { ...sell('1', { stop: '98' }), id }, ...best }));
  store.claim();
  expect(await unprotectedText(host)).toEqual([]);
  const folder = path.join(state, 'algos', 'main', 'open');
  vi.spyOn(fs, 'accessSync').mockImplementation(() => {
    throw Object.assign(new Error('read-only'), { code: 'EROFS' });
  });
  const unwritable = `NOT PROTECTED: ${folder} cannot be written (EROFS), so no order of 1 algo order is placed, not even by a reached stop. Make it writable: pit then continues, also with one that you have cancelled meanwhile: cancel it again.`;
  expect(await unprotectedText(host)).toEqual([unwritable]);
  store.release();
  expect(await unprotectedText(host)).toEqual([unwritable, expect.stringMatching(/^NOT WATCHED: /)]);
});

test('every command says that a stop is not sent while its algo order is paused, or its order was rejected', async () => {
  const state = temporaryState();
  const host = { ...fakeHost(), directories: { config: state, state, cache: state } };
  const store = new AlgoStore(host, state, 'main');
  const create = (id: string, terms: AlgoTerms) =>
    store.create(() => ({ fact: 'began', time: 0, terms: { ...terms, id }, bid: null, ask: null }), id);
  const [paused, rejected, entry] = [
    create('aaaaaab', sell('1', { stop: '98' })),
    create('aaaaaac', sell('1', { stop: '98' })),
    create('aaaaaad', buy('1', { entry: limit('97'), stop: '90' })),
  ];
  store.claim();
  const pause = { fact: 'paused', time: 1, cause: 'user', reason: 'you paused it' } as const;
  store.add(paused, { ...pause, role: null });
  // its stop goes on
  store.add(entry, { ...pause, cause: 'guard', role: 'entry' });
  const price = Decimal.of('98');
  store.add(rejected, { fact: 'triggered', time: 1, leg: 'exit', price, source: 'book', late: false });
  store.notes.write(rejected, {
    state: 'paused',
    reason: 'the balance is not sufficient',
    since: 1,
    resumed: null,
    unsentSince: 1,
  });
  expect(await unprotectedText(host)).toEqual([
    `NOT PROTECTED: 1 algo order is paused, so its stop is not sent. Run: pit algo resume ${paused} --profile main`,
    `NOT PROTECTED: the stop of ${rejected} is reached since ${localTimeText(1)} and not sent: the balance is not sufficient. Run: pit algo show ${rejected} --profile main`,
  ]);
  // the pause of its entry does not hold the stop back
  store.add(entry, { fact: 'triggered', time: 2, leg: 'exit', price, source: 'book', late: false });
  store.notes.write(entry, {
    state: 'paused',
    reason: 'the balance is not sufficient',
    since: 2,
    resumed: null,
    unsentSince: 2,
  });
  expect((await unprotectedText(host)).at(-1)).toContain(`the stop of ${entry} is reached since `);
  store.notes.write(entry, { state: 'triggered', reason: null, since: 2, resumed: null, unsentSince: null });
  store.add(paused, { fact: 'resumed', time: 2 });
  store.notes.write(rejected, { state: 'triggered', reason: null, since: 2, resumed: null, unsentSince: null });
  expect(await unprotectedText(host)).toEqual([]);
  store.release();
});

test('a record that cannot be read is named, and does not hide that the stop of another one is not sent', async () => {
  const state = temporaryState();
  const host = { ...fakeHost(), directories: { config: state, state, cache: state } };
  const store = new AlgoStore(host, state, 'main');
  const create = (id: string) =>
    store.create(
      () => ({ fact: 'began', time: 0, terms: { ...sell('1', { stop: '98' }), id }, bid: null, ask: null }),
      id,
    );
  const [unread, paused] = [create('aaaaaab'), create('aaaaaac')];
  store.claim();
  store.add(paused, { fact: 'paused', time: 1, cause: 'user', reason: 'you paused it', role: null });
  const file = path.join(state, 'algos', 'main', 'open', unread);
  fs.rmSync(file);
  fs.mkdirSync(file);
  expect(await unprotectedText(host)).toEqual([
    expect.stringContaining('1 algo order is paused'),
    expect.stringContaining(`NOT PROTECTED: nothing is done for the algo order ${unread}: its record cannot be read: `),
  ]);
  store.release();
});

test('a stop that is reached and not known to be sent is not protected, also once no process watches it', async () => {
  const state = temporaryState();
  const host = { ...fakeHost(), directories: { config: state, state, cache: state } };
  const store = new AlgoStore(host, state, 'main');
  const id = store.create((made) => ({
    ...{ fact: 'began', time: 0, bid: null, ask: null },
    terms: { ...sell('1', { stop: '98' }), id: made },
  }));
  expect(await unprotectedText(host)).toEqual([expect.stringMatching(/^NOT WATCHED: no process watches 1 algo order/)]);
  store.add(id, { fact: 'triggered', time: 1, leg: 'exit', price: Decimal.of('98'), source: 'book', late: false });
  expect(await unprotectedText(host)).toEqual([
    expect.stringMatching(/^NOT WATCHED: no process watches 1 algo order/),
    `NOT PROTECTED: the stop of ${id} is reached since ${localTimeText(1)} and not known to be sent, and no process watches it.`,
  ]);
});
