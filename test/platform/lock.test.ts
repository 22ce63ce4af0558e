import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { LOCK, lock, tryLock } from '../../src/platform/lock.js';
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
