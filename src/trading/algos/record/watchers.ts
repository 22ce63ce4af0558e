import fs from 'node:fs';
import path from 'node:path';
import { Failure, suggest, systemErrorCode, usage } from '../../../errors.js';
import { isStopped } from '../../../platform/programs/processes.js';
import { claimLink, claimNext, claimOn, giveUpClaim, newestClaim } from '../../journal/claim.js';
import { HIDDEN, ignoringDiskErrors, orCannotWrite } from '../../journal/files.js';
import { isSameOwner, type Owner, thisProcess } from '../../journal/owner.js';
import { ALGO_FOLDER, openAlgos } from './algo-folder.js';

/** What a claim says beside its process. */
interface Claimant extends Owner {
  /** Whether it only ends algo orders that were cancelled, and watches none. Absent: it watches all. */
  readonly onlyEnds?: boolean;
}

/** A process that has the claim. While it is stopped it acts for nothing, and keeps it: it may be continued at any moment. */
export interface Watcher extends Claimant {
  readonly isStopped: boolean;
}

/** What a process claims in the folder of an account. */
const CLAIMED = 'watcher';

/**
 * Makes this process the only one that acts for the algo orders in a folder. A process that died does not count.
 * @param onlyEnds whether it watches none, but ends some that were cancelled
 * @returns undefined, or the process that has the claim already
 * @throws Failure `usage` if the disk fails, or if nothing says which process has the claim
 */
export function claimWatch(folder: string, onlyEnds: boolean): Watcher | undefined {
  const claimed = path.join(folder, CLAIMED);
  const claimant: Claimant = { ...thisProcess(), ...(onlyEnds && { onlyEnds }) };
  const claim = orCannotWrite(claimed, () => claimNext(claimed, Math.max(1, newestOf(folder)), claimant));
  if ('number' in claim) return undefined;
  if (claim.owner === undefined)
    throw usage(
      `Nothing says which process watches the algo orders of this account.`,
      `If no pit runs, remove ${claimLink(claimed, newestOf(folder))}.`,
    );
  return isSameOwner(claim.owner, thisProcess()) ? undefined : watcherOf(claim.owner);
}

/** Gives up to watch. */
export function releaseWatch(folder: string): void {
  const claimed = path.join(folder, CLAIMED);
  ignoringDiskErrors(() => {
    const newest = newestOf(folder);
    const owner = claimOn(claimed, newest)?.owner;
    if (owner !== undefined && isSameOwner(owner, thisProcess())) giveUpClaim(claimed, newest);
  });
}

/** Whether a process watches all algo orders of an account. */
export function isWatching(watcher: Watcher | undefined): boolean {
  return watcher?.isStopped === false && watcher.onlyEnds !== true;
}

/** The living process that has the claim on the algo orders in a folder; undefined if there is none, or nothing says which it is. */
export function watcherIn(folder: string): Watcher | undefined {
  let claim: ReturnType<typeof claimOn>;
  ignoringDiskErrors(() => {
    claim = claimOn(path.join(folder, CLAIMED), newestOf(folder));
  });
  return claim?.isHeld === true && claim.owner !== undefined ? watcherOf(claim.owner) : undefined;
}

/** Throws Failure `usage` if the claim of this process is gone, as it is when the folder was moved or deleted. */
export function requireWatch(folder: string): void {
  const watcher = watcherIn(folder);
  if (watcher !== undefined && isSameOwner(watcher, thisProcess())) return;
  throw usage(
    `NOT WATCHED: ${folder} is gone or cannot be read, and the records of the algo orders with it. Orders at the exchange stay there.`,
    [suggest('See them', 'orders'), suggest('Once the folder is back, continue', 'algo', 'run')],
  );
}

function watcherOf(owner: Claimant): Watcher {
  return { ...owner, isStopped: isStopped(owner.pid) };
}

/** Of several claims only the newest may be of a living process. */
function newestOf(folder: string): number {
  return newestClaim(path.join(folder, CLAIMED), namesOf(folder));
}

/** Algo orders that no process watches. */
export interface Unwatched {
  /** The folder of the account, by the name of its journal. */
  readonly account: string;
  readonly ids: readonly string[];
  /** The process that would watch them if it were not stopped; undefined if there is none. */
  readonly stopped: Watcher | undefined;
}

/**
 * The accounts with algo orders that no process watches. It reads names of files alone, because every command asks. What
 * cannot be read counts as none.
 * @param root `directories.state`
 */
export function unwatchedAccounts(root: string): Unwatched[] {
  const folder = path.join(root, ALGO_FOLDER);
  return namesOf(folder).flatMap((account) => {
    const ids = namesOf(path.join(folder, account, 'open')).filter((name) => !name.startsWith(HIDDEN));
    if (ids.length === 0) return [];
    const watcher = watcherIn(path.join(folder, account));
    return isWatching(watcher) ? [] : { account, ids, stopped: watcher?.isStopped === true ? watcher : undefined };
  });
}

/** Algo orders whose records cannot be written: nothing may follow for them. */
interface Unwritable {
  readonly folder: string;
  readonly ids: readonly string[];
  /** The system's code of the error. */
  readonly code: string;
}

/** The accounts with algo orders in a folder that this user cannot write. @param root `directories.state` */
export function unwritableAccounts(root: string): Unwritable[] {
  return openAlgos(root).flatMap(({ account, ids }) => {
    const folder = path.join(root, ALGO_FOLDER, account, 'open');
    if (ids.length === 0) return [];
    try {
      fs.accessSync(folder, fs.constants.W_OK);
      return [];
    } catch (thrown) {
      return [{ folder, ids, code: systemErrorCode(thrown) }];
    }
  });
}

/** Another process cannot take over from one that is stopped: it may be continued at any moment. */
export function stoppedFailure({ pid }: Watcher): Failure {
  return new Failure(
    'unreachable',
    `Process ${pid} has claimed the algo orders of this account and is stopped, so none is watched.`,
    { hint: continueText(pid) },
  );
}

/** How a process that was stopped goes on. */
export function continueText(pid: number): string {
  return `Continue it: kill -CONT ${pid}, or fg in its shell.`;
}

/** The names in a folder; none if it is missing or cannot be read. */
export function namesOf(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'unknown error') throw thrown;
    return [];
  }
}
