import { mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startStamp } from '../../../src/platform/processes.js';
import { takeLaunchLock, waitForLaunchLock } from '../../../src/sandbox/lifecycle/launch-lock.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pit-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function leave(name: string, text: string, age = 0): void {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  const time = Date.now() / 1000 - age;
  utimesSync(file, time, time);
}

const NOBODY = String(2 ** 22 + 12_345);
const SOMEBODY = String(process.pid);
const ITSELF = `${SOMEBODY} ${startStamp(process.pid) ?? '-'}`;

describe('the launch lock', () => {
  it('one process holds the lock until it is released', () => {
    const lock = takeLaunchLock(folder);
    expect(lock).toBeDefined();
    expect(takeLaunchLock(folder)).toBeUndefined();
    lock?.release();
    expect(takeLaunchLock(folder)).toBeDefined();
  });

  it('keeps only the files of its last holder', () => {
    for (let round = 0; round < 5; round += 1) takeLaunchLock(folder)?.release();
    expect(readdirSync(folder).sort()).toEqual(['launch.5', 'launch.5.free']);
  });

  it('a waiting process takes the released lock', async () => {
    const first = takeLaunchLock(folder);
    const waiting = waitForLaunchLock(folder);
    first?.release();
    (await waiting).release();
  });

  const holders: readonly (readonly [state: 'held' | 'free', what: string, text: string, age: number])[] = [
    ['held', 'one that runs', ITSELF, 0],
    ['held', 'one that runs, on a system that reports no start', `${SOMEBODY} -`, 3],
    ['free', 'one that is gone, whose id another process has now', `${SOMEBODY} another-boot/17`, 0],
    ['held', 'an id alone, as earlier versions wrote it', SOMEBODY, 0],
    ['free', 'an id alone, which may be of another process by now', SOMEBODY, 3],
    ['free', 'one from the future', ITSELF, -3_600],
    ['free', 'one that is gone', NOBODY, 0],
    ['free', 'one that takes longer than anyone needs', ITSELF, 61],
    ['held', 'one that is about to write its id', '', 0],
    ['free', 'one that was killed before it wrote its id', '', 3],
    ['free', 'no process, but nonsense', 'nonsense', 0],
  ];
  it.each(holders)('counts as %s if its file names %s', (state, _what, text, age) => {
    leave('launch.7', text, age);
    expect(takeLaunchLock(folder) === undefined ? 'held' : 'free').toBe(state);
  });

  it.each<['held' | 'free', string, string, number]>([
    ['held', 'one that has held it for almost a minute', ITSELF, 59_999],
    ['free', 'one that has held it for a minute', ITSELF, 60_000],
    ['held', 'one that has been about to write its id for almost two seconds', '', 1_999],
    ['free', 'one that has been about to write its id for two seconds', '', 2_000],
    ['held', 'an id alone of almost two seconds ago', SOMEBODY, 1_999],
    ['free', 'an id alone of two seconds ago', SOMEBODY, 2_000],
  ])('counts as %s if its file names %s', (state, _, text, ageMs) => {
    leave('launch.7', text);
    const file = path.join(folder, 'launch.7');
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000 + ageMs);
    try {
      expect(takeLaunchLock(folder) === undefined ? 'held' : 'free').toBe(state);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('counts as held if the file of its holder is gone at the moment: a follower has removed it', () => {
    symlinkSync('nowhere', path.join(folder, 'launch.7'));
    expect(takeLaunchLock(folder)).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['launch.7']);
  });

  it('counts only its highest number', () => {
    leave('launch.9', NOBODY);
    leave('launch.10', SOMEBODY);
    leave('launch.2', NOBODY);
    leave('launch.11.free', '');
    leave('launch.x', SOMEBODY);
    expect(takeLaunchLock(folder)).toBeUndefined();
  });
});
