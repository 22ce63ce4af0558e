import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { LOCK, lock, tryLock } from '../../src/platform/files/lock.js';
import { temporaryState } from '../trading/support/trading.js';

afterEach(() => void vi.restoreAllMocks());

test('a lock that the disk does not take fails at its first try, and says why', async () => {
  const folder = path.join(temporaryState(), 'missing');
  let tries = 0;
  const { mkdir } = fs;
  vi.spyOn(fs, 'mkdir').mockImplementation(((...given: Parameters<typeof mkdir>) => {
    tries += 1;
    return mkdir(...given);
  }) as typeof mkdir);
  await expect(lock(folder)).rejects.toMatchObject({
    kind: 'usage',
    message: `Cannot write ${path.join(folder, LOCK)}: ENOENT.`,
    hints: [expect.stringContaining('that the disk has room')],
  });
  expect(tries).toBe(1);
});

test('a lock that another process has is waited for', async () => {
  const folder = temporaryState();
  const release = await lock(folder);
  expect(await tryLock(folder)).toBeUndefined();
  const second = lock(folder);
  await release();
  await (await second)();
});

test('a lock that another process removes as stale when it was just taken is tried again', async () => {
  const folder = temporaryState();
  const { mkdir } = fs;
  let removals = 2;
  vi.spyOn(fs, 'mkdir').mockImplementation(((made: string, mode: number, done: fs.NoParamCallback) =>
    mkdir(made, mode, (error) => {
      if (error === null && removals > 0) {
        removals -= 1;
        // it may be gone: the library removes what it could not take only after it has said so
        fs.rmSync(made, { recursive: true, force: true });
      }
      done(error);
    })) as typeof mkdir);
  expect(await tryLock(folder)).toBeUndefined();
  await (await lock(folder))();
  expect(removals).toBe(0);
});

test('a stale lock is taken over by one process, even if another removes its new lock just afterwards', async () => {
  const folder = temporaryState();
  const place = path.join(folder, LOCK);
  fs.mkdirSync(place);
  fs.utimesSync(place, 0, 0);
  const { mkdir } = fs;
  let removals = 1;
  vi.spyOn(fs, 'mkdir').mockImplementation(((made: string, mode: number, done: fs.NoParamCallback) =>
    mkdir(made, mode, (error) => {
      done(error);
      if (error !== null || removals === 0) return;
      removals -= 1;
      // by then it is held
      setTimeout(() => {
        fs.rmdirSync(made);
        fs.mkdirSync(made);
      }, 50);
    })) as typeof mkdir);
  expect(await tryLock(folder)).toBeUndefined();
  expect(fs.existsSync(place)).toBe(true);
});
