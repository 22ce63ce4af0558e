import fs from 'node:fs';
import path from 'node:path';
import { systemErrorCode, usage } from '../errors.js';
import { FOLDER_MODE } from './private-files.js';

/** What the folders that a lock is made of begin with: they come and go while somebody else holds it. */
export const LOCK = '.lock';

/** A lock this old was left by a process that was killed; the section it protects takes milliseconds. */
const STALE_AFTER = 10_000;

/** Waits 25 to 50 ms between attempts: at least 15 s in all, which outlasts a stale lock. */
const PATIENCE = { retries: 600, factor: 1, minTimeout: 25, maxTimeout: 50, randomize: true };

type Done = (error: NodeJS.ErrnoException | null) => void;

/**
 * Runs `work` while no other pit process that uses this folder runs its own. `work` is synchronous, so no signal
 * handler and no timer can get between its reads and its writes.
 * @throws Failure `usage` when another process keeps the lock for longer than 15 seconds
 */
export async function locked<T>(folder: string, work: () => T): Promise<T> {
  const release = await acquire(folder);
  try {
    return work();
  } finally {
    // A lock that cannot be taken away goes stale by itself; what `work` did is done.
    await release().catch(() => undefined);
  }
}

async function acquire(folder: string): Promise<() => Promise<void>> {
  const { default: lockfile } = await import('proper-lockfile');
  const lockfilePath = path.join(folder, LOCK);
  const holder = { holds: false };
  try {
    const options = { lockfilePath, realpath: false, stale: STALE_AFTER, retries: PATIENCE, onCompromised: () => {} };
    const release = await lockfile.lock(folder, { ...options, fs: fileSystem(holder) });
    holder.holds = true;
    return release;
  } catch (thrown) {
    const reason =
      systemErrorCode(thrown) === 'ELOCKED' ? 'another pit process is changing it' : systemErrorCode(thrown);
    throw usage(`${folder} cannot be locked (${reason}).`, `If no other pit runs, remove ${lockfilePath}.`);
  }
}

/**
 * The file system as the lock sees it. If several processes find the same stale lock, the library lets a slow one remove the
 * fresh lock of a quick one, and both hold it. Here a removal that is not a release takes turns and checks again first.
 */
function fileSystem(holder: { readonly holds: boolean }): object {
  return {
    ...fs,
    mkdir: (target: string, done: Done) => fs.mkdir(target, FOLDER_MODE, done),
    // the library only knows locks that are too old; a clock that was set back leaves one that is too new
    stat: (target: string, done: (error: NodeJS.ErrnoException | null, found?: Pick<fs.Stats, 'mtime'>) => void) =>
      fs.stat(target, (error, found) => {
        if (error !== null) done(error);
        else done(null, isOutOfTime(found) ? { mtime: new Date(0) } : found);
      }),
    rmdir: (target: string, done: Done) => {
      if (holder.holds) return fs.rmdir(target, done);
      try {
        takeTurn(`${target}-turn`, () => isStale(target) && fs.rmdirSync(target));
        done(null);
      } catch (thrown) {
        // Another process holds it: the library waits and tries again.
        done(thrown instanceof Error ? thrown : new Error('not removed'));
      }
    },
  };
}

function takeTurn(turn: string, action: () => void): void {
  if (isStale(turn)) fs.rmdirSync(turn);
  fs.mkdirSync(turn, FOLDER_MODE);
  try {
    action();
  } finally {
    fs.rmdirSync(turn);
  }
}

function isStale(target: string): boolean {
  const found = fs.statSync(target, { throwIfNoEntry: false });
  return found !== undefined && isOutOfTime(found);
}

/** Also if it is from the future: no holder dates it more than a second ahead. */
function isOutOfTime({ mtimeMs }: fs.Stats): boolean {
  return Math.abs(Date.now() - mtimeMs) > STALE_AFTER;
}
