import fs from 'node:fs';
import path from 'node:path';
import { Failure, systemErrorCode } from '../../../errors.js';
import { isStopped } from '../../../platform/programs/processes.js';
import { createLink, HIDDEN, ignoringDiskErrors, orCannotWrite, removeLink, textOfLink } from '../../journal/files.js';
import { decodeOwner, isOwnerAlive, type Owner, thisProcess } from '../../journal/owner.js';
import { ALGO_FOLDER, openAlgos } from './algo-folder.js';

/** A process that has claimed to watch. While it is stopped it acts for nothing, and keeps the claim: it may be continued at any moment. */
export interface Watcher extends Owner {
  readonly isStopped: boolean;
}

/** Begins the name of the link of a process that watches. */
const WATCHER = `${HIDDEN}watcher${HIDDEN}`;

/**
 * Makes this process the one that watches the algo orders in a folder. Each process makes a link of its own and then looks for others: of
 * two that do so at once, at least one sees the other. A process that died does not count.
 * @returns undefined, or the process that watches already
 * @throws Failure `usage` if the disk fails
 */
export function claimWatch(folder: string): Watcher | undefined {
  const own = thisProcess();
  const link = linkOf(folder, own);
  return orCannotWrite(link, () => {
    if (!createLink(link, JSON.stringify(own))) {
      // of a process that died and had the same id
      removeLink(link);
      createLink(link, JSON.stringify(own));
    }
    const other = livingWatchers(folder).find(({ pid }) => pid !== own.pid);
    if (other !== undefined) removeLink(link);
    return other;
  });
}

/** Gives up to watch. */
export function releaseWatch(folder: string): void {
  ignoringDiskErrors(() => removeLink(linkOf(folder, thisProcess())));
}

function linkOf(folder: string, { pid }: Owner): string {
  return path.join(folder, `${WATCHER}${pid}`);
}

/** The living process that has claimed to watch the algo orders in a folder; undefined if there is none. */
export function watcherIn(folder: string): Watcher | undefined {
  const watchers = livingWatchers(folder);
  // one that waits for the claim of a stopped one has a link too for a moment, at each try
  return watchers.find((watcher) => watcher.isStopped) ?? watchers[0];
}

/** The living processes that watch the algo orders in a folder. The links of dead ones are removed. */
function livingWatchers(folder: string): Watcher[] {
  const links = namesOf(folder).filter((name) => name.startsWith(WATCHER));
  return links.flatMap((name) => {
    const link = path.join(folder, name);
    const owner = ownerIn(link);
    // the process that gave up may make it again at any moment
    if (owner === undefined) return [];
    if (isOwnerAlive(owner)) return { ...owner, isStopped: isStopped(owner.pid) };
    ignoringDiskErrors(() => removeLink(link));
    return [];
  });
}

/** The process that made a link, by the link's name if its text does not say; undefined if the link is gone or names none. */
function ownerIn(link: string): Owner | undefined {
  let text: string | undefined = '';
  ignoringDiskErrors(() => {
    text = textOfLink(link);
  });
  if (text === undefined) return undefined;
  const pid = path.basename(link).slice(WATCHER.length);
  return decodeOwner(text) ?? decodeOwner(`{"pid":${pid},"startStamp":null}`);
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
    return watcher?.isStopped === false ? [] : { account, ids, stopped: watcher };
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
