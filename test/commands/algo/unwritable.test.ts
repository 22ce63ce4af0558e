import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { unprotectedText } from '../../../src/commands/algo/unwatched.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { AlgoStore } from '../../../src/trading/algos/store.js';
import { fakeHost } from '../../support/fake-host.js';
import { sell } from '../../trading/algos/support/terms.js';
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
  const unwritable = `NOT PROTECTED: ${folder} cannot be written (EROFS), so no order of 1 algo order is placed, not even by a reached stop. Make it writable: pit then continues.`;
  expect(await unprotectedText(host)).toEqual([unwritable]);
  store.release();
  expect(await unprotectedText(host)).toEqual([unwritable, expect.stringMatching(/^NOT WATCHED: /)]);
});
