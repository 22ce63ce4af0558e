import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Failure } from '../../src/errors.js';
import { makePrivateFolder, readPrivate } from '../../src/platform/files/private-files.js';
import { freshFolder } from '../config/support.js';

// A process remembers for a second which folders above pit's own it has checked.

/** Of the process, in seconds. */
let now = 0;

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
