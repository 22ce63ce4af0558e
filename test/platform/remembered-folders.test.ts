import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Failure } from '../../src/errors.js';
import { makeFolders, makePrivateFolder, readPrivate } from '../../src/platform/files/private-files.js';
import { freshFolder } from '../config/support.js';

// A process remembers for a second which folders above pit's own it has checked.

/** Of the process, in seconds: later than all that it has checked before. */
let now = 1_000_000;

afterEach(() => void vi.restoreAllMocks());

/** A private file that was read just now, and the folder above pit's own. */
function read() {
  vi.spyOn(process, 'uptime').mockImplementation(() => now);
  const root = freshFolder();
  makePrivateFolder(root, 'keys');
  fs.writeFileSync(path.join(root, 'keys', 'one'), 'text', { mode: 0o600 });
  const again = () => {
    try {
      return readPrivate(root, path.join('keys', 'one'), 100)?.toString();
    } catch (error) {
      return error instanceof Failure ? error.kind : error;
    }
  };
  expect(again()).toBe('text');
  return { root, again, above: path.dirname(root) };
}

/** A private file that was not read yet, in a folder beside that of another one. */
function beside(root: string) {
  const other = `${root}-beside`;
  makeFolders(other);
  fs.writeFileSync(path.join(other, 'one'), 'other', { mode: 0o600 });
  return () => readPrivate(other, 'one', 100)?.toString();
}

it('finds after a second that the user has opened a folder above to others', () => {
  const { again, above } = read();
  fs.chmodSync(above, 0o777);
  now += 0.999;
  expect(again()).toBe('text');
  now += 0.001;
  expect(again()).toBe('credentials');
});

it.each([
  ['the folder of the file', 'keys', 0o755],
  ['the root of the folders', '.', 0o777],
  ['the file', 'keys/one', 0o644],
])('finds at once that %s is open to others', (_, name, mode) => {
  const { root, again } = read();
  fs.chmodSync(path.join(root, name), mode);
  expect(again()).toBe('credentials');
});

it.each(['keys', '.'])('finds at once that %s is gone', (name) => {
  const { root, again } = read();
  fs.rmSync(path.join(root, name), { recursive: true });
  expect(again()).toBeUndefined();
});

it('checks no folder above again within a second', () => {
  const { again, above } = read();
  const checked = vi.spyOn(fs, 'lstatSync');
  expect(again()).toBe('text');
  expect(checked.mock.calls.filter(([target]) => above.startsWith(String(target)))).toEqual([]);
});

it('checks no folder above again for another folder within a second', () => {
  const { root, above } = read();
  const other = beside(root);
  const checked = vi.spyOn(fs, 'lstatSync');
  expect(other()).toBe('other');
  expect(checked.mock.calls.filter(([target]) => above.startsWith(String(target)))).toEqual([]);
});

it('finds a second after its check that a folder above is open to others, also for a folder first used meanwhile', () => {
  const { root, above } = read();
  const other = beside(root);
  now += 0.9;
  expect(other()).toBe('other');
  fs.chmodSync(above, 0o777);
  now += 0.1;
  expect(other).toThrow('is open to other users');
});
