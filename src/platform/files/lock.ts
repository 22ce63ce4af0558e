import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemErrorCode, usage } from '../../errors.js';
import { cannotWrite, FOLDER_MODE } from './private-files.js';

/** The folder that is the lock, inside the folder that it protects. */
export const LOCK = '.lock';

/** A lock this old, in milliseconds, was left by a process that was killed: a holder renews it. */
const STALE_MS = 10_000;

/**
 * If two processes take over a stale lock at the same moment, one may remove the new lock of the other. So a process that took a lock
 * over checks after this time, in milliseconds, that it still has it.
 */
const TAKEOVER_MS = 250;

/** Waits 25 to 50 ms between attempts: at least 15 s in all, which outlasts a stale lock. */
const ATTEMPTS = 600;
const PAUSE_MS = { least: 25, more: 25 };

/** Gives a lock back. Never fails: a lock that cannot be removed goes stale by itself. */
export type Release = () => Promise<void>;

/**
 * Runs `work` while no other pit process that uses this folder runs its own. `work` is synchronous, so no signal
 * handler and no timer can get between its reads and its writes.
 * @throws Failure `usage` when another process keeps the lock for longer than 15 seconds
 */
export async function locked<T>(folder: string, work: () => T): Promise<T> {
  const release = await lock(folder);
  try {
    return work();
  } finally {
    await release();
  }
}

/**
 * Takes the lock of a folder, waiting for it if another process has it.
 * @throws Failure `usage` when another process keeps it for longer than 15 seconds, and at once if the folder cannot be written
 */
export async function lock(folder: string): Promise<Release> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const release = await tryLock(folder);
      if (release !== undefined) return release;
      await delay(PAUSE_MS.least + Math.random() * PAUSE_MS.more);
    }
  } catch (thrown) {
    // only what another process gives back is worth waiting for: a full disk would be tried as often
    throw cannotWrite(path.join(folder, LOCK), thrown);
  }
  throw usage(
    `${folder} cannot be locked (another pit process is using it).`,
    `If no other pit runs, remove ${path.join(folder, LOCK)}.`,
  );
}

/** Takes the lock of a folder; undefined while another process has it. Throws what the system reports. */
export async function tryLock(folder: string): Promise<Release | undefined> {
  const before = identityOf(folder);
  try {
    const release = await take(folder);
    if (before === undefined) return release;
    const taken = identityOf(folder);
    await delay(TAKEOVER_MS);
    // a lock of another process is not given back
    return identityOf(folder) === taken ? release : undefined;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ELOCKED' || isTakenOver(folder, thrown)) return undefined;
    throw thrown;
  }
}

/** Which lock the folder has; undefined for none. File systems use the number of a removed folder again. */
function identityOf(folder: string): string | undefined {
  const found = fs.statSync(path.join(folder, LOCK), { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.ino} ${found.birthtimeNs}`;
}

/**
 * Makes the folder that is the lock for the user alone, as everything beside it. It inherits the rest: copying it would load all streams
 * of files.
 */
const PRIVATE: typeof fs = Object.create(fs, {
  mkdir: { value: (folder: string, done: fs.NoParamCallback) => fs.mkdir(folder, FOLDER_MODE, done) },
});

async function take(folder: string): Promise<Release> {
  const { default: lockfile } = await import('proper-lockfile');
  const release = await lockfile.lock(folder, {
    lockfilePath: path.join(folder, LOCK),
    realpath: false,
    fs: PRIVATE,
    stale: STALE_MS,
    // after a sleep of the machine: what is done under the lock takes milliseconds or checks again what it relies on
    onCompromised: () => {},
  });
  return () => release().catch(() => undefined);
}

/** Whether another process removed a stale lock when this one had just put its own in its place. */
function isTakenOver(folder: string, thrown: unknown): boolean {
  return systemErrorCode(thrown) === 'ENOENT' && fs.existsSync(folder);
}
