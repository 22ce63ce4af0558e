import fs from 'node:fs';
import path from 'node:path';
import { Failure, systemErrorCode } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { makePrivateFolder, requireOwnFolder } from '../../platform/private-files.js';
import {
  appendIfExists,
  create,
  createLink,
  encodeLine,
  HIDDEN,
  ignoringDiskErrors,
  moveIfExists,
  namesIn,
  orCannotWrite,
  readIfExists,
  removeLink,
  sweepLeftovers,
  textOfLink,
  valueInLine,
} from '../journal/files.js';
import { isOwnerAlive, type Owner, thisProcess } from '../journal/write.js';

/** The folder of all accounts' algo orders, below the state folder. */
const FOLDER = 'algos';

/** Ended algo orders are kept, so many of them. */
const MOST_ENDED = 1_000;

/** Separates the end of an ended algo order from its id in the name of its file. */
const SEPARATOR = '~';

/** Begins the name of the link of a process that watches. */
const WATCHER = `${HIDDEN}watcher${HIDDEN}`;

/** What a process leaves while it makes a file is older than this only if the process died. */
const LEFTOVER_MS = 3_600_000;

/** No letter or digit looks like another one. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RANDOM_CHARACTERS = 6;

/** An id that is short, can be typed, and was never used here. */
function newId({ randomBytes }: Pick<Host, 'randomBytes'>): string {
  const characters = [...randomBytes(RANDOM_CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]);
  return `a${characters.join('')}`;
}

/** The client id of a child: the id of its algo order and a number. */
export function childId(parent: string, number: number): string {
  return `${parent}c${number}`;
}

/** The number of a child of this algo order by its client id; undefined for any other order. */
export function childNumber(parent: string, clientId: string): number | undefined {
  const rest = clientId.startsWith(`${parent}c`) ? clientId.slice(parent.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(rest) ? Number(rest) : undefined;
}

/** The algo order of a child, by its client id; undefined for an order that is no child. */
export function parentOf(clientId: string): string | undefined {
  return /^(a[a-hj-km-np-z2-9]{6})c[1-9]\d{0,8}$/.exec(clientId)?.[1];
}

/** The facts of an algo order as they were read. */
export interface FactRecord {
  readonly id: string;
  /** As they were written, oldest first. */
  readonly lines: readonly object[];
  /** How many lines were cut off: nothing was done that rests on one. */
  readonly torn: number;
  /** Whether it has ended and was put away. */
  readonly isPutAway: boolean;
}

/** What the process that watches an algo order says of it. It is no fact: nothing rests on it. */
export interface StatusNote {
  readonly state: string;
  readonly reason: string | null;
  /** Since when, in milliseconds since the Unix epoch. */
  readonly since: number;
}

/**
 * The algo orders of one account. Each is a file of lines of JSON, its facts: lines are only added, and each is on the disk before
 * anything follows from it. What is needed beside them is in the journal and at the exchange.
 *
 *     open/ID           began ──> best, triggered, paused, resumed … ──> ended
 *     open/.ID.status   what the watching process says of it
 *     ended/TIME~ID     put away
 *     .watcher.PID      the process that watches them
 */
export class AlgoStore {
  readonly #host: Pick<Host, 'now' | 'randomBytes'>;
  readonly #root: string;

  readonly #folder: string;

  /**
   * @param root `directories.state`
   * @param account the name of its journal
   */
  constructor(host: Pick<Host, 'now' | 'randomBytes'>, root: string, account: string) {
    this.#host = host;
    this.#root = root;

    this.#folder = path.join(FOLDER, account);
  }

  /**
   * Makes an algo order with its first fact. When this returns, it survives a power failure.
   * @param began makes the fact
   * @returns its id
   * @throws Failure `usage` if it cannot be written
   */
  create(began: (id: string) => object): string {
    for (const name of ['open', 'ended']) makePrivateFolder(this.#root, path.join(this.#folder, name));
    sweepLeftovers(this.#of('open'), this.#host.now() - LEFTOVER_MS);
    let id = newId(this.#host);
    while (this.#fileOf(id) !== undefined) id = newId(this.#host);
    const file = path.join(this.#of('open'), id);
    orCannotWrite(file, () => create(file, encodeLine(began(id)), true));
    return id;
  }

  /**
   * Adds a fact. When this returns, it is on the disk.
   * @throws Failure `usage` if it is not: nothing may follow from it
   */
  add(id: string, fact: object): void {
    const file = path.join(this.#of('open'), id);
    const isThere = orCannotWrite(file, () => appendIfExists(file, encodeLine(fact)));
    if (!isThere) throw new Failure('usage', `The record of the algo order ${id} is gone: ${file}.`);
  }

  /** The facts of an algo order; undefined if there is none. Throws Failure `usage` if they cannot be read, and `credentials`. */
  read(id: string): FactRecord | undefined {
    this.#requireOwn();
    const file = this.#fileOf(id);
    const text = file === undefined ? undefined : readIfExists(file);
    if (file === undefined || text === undefined) return undefined;
    const written = text.split('\n').filter((line) => line !== '');
    const lines = written.flatMap((line) => valueInLine(line) ?? []);
    return { id, lines, torn: written.length - lines.length, isPutAway: path.dirname(file) === this.#of('ended') };
  }

  /** The ids of the algo orders that have not ended. */
  openIds(): string[] {
    this.#requireOwn();
    return namesIn(this.#of('open'));
  }

  /** The ids of those that were put away, newest first. */
  endedIds(): string[] {
    this.#requireOwn();
    return namesIn(this.#of('ended')).map(idOfEnded).reverse();
  }

  /** Puts an algo order away that has ended, and deletes the oldest of too many. Disk errors are left to the next time. */
  putAway(id: string): void {
    ignoringDiskErrors(() => {
      fs.rmSync(this.#statusFile(id), { force: true });
      moveIfExists(
        path.join(this.#of('open'), id),
        path.join(this.#of('ended'), `${this.#host.now()}${SEPARATOR}${id}`),
      );
      for (const name of namesIn(this.#of('ended')).slice(0, -MOST_ENDED))
        fs.rmSync(path.join(this.#of('ended'), name));
    });
  }

  /** Says how an algo order is. If the disk is full, nothing is said. */
  note(id: string, note: StatusNote): void {
    ignoringDiskErrors(() => create(this.#statusFile(id), JSON.stringify(note), false));
  }

  /** What was said last; undefined for nothing. It counts only while the process that watches is alive. */
  noteOf(id: string): StatusNote | undefined {
    const text = readIfExists(this.#statusFile(id));
    return text === undefined ? undefined : (valueInLine(text) as StatusNote | undefined);
  }

  /** The living process that watches; undefined if there is none. */
  watcher(): Owner | undefined {
    return livingWatchers(path.join(this.#root, this.#folder))[0];
  }

  /**
   * Makes this process the one that watches. Each process makes a link of its own and then looks for others: of two that do so at
   * once, at least one sees the other. A process that died does not count.
   * @returns undefined, or the process that watches already
   * @throws Failure `usage` if the disk fails
   */
  claim(): Owner | undefined {
    makePrivateFolder(this.#root, this.#folder);
    const own = thisProcess();
    const link = this.#watcherLink(own);
    return orCannotWrite(link, () => {
      if (!createLink(link, JSON.stringify(own))) {
        // of a process that died and had the same id
        removeLink(link);
        createLink(link, JSON.stringify(own));
      }
      const other = livingWatchers(path.join(this.#root, this.#folder)).find(({ pid }) => pid !== own.pid);
      if (other !== undefined) removeLink(link);
      return other;
    });
  }

  /** Gives up to watch. */
  release(): void {
    ignoringDiskErrors(() => removeLink(this.#watcherLink(thisProcess())));
  }

  #watcherLink({ pid }: Owner): string {
    return path.join(this.#root, this.#folder, `${WATCHER}${pid}`);
  }

  #statusFile(id: string): string {
    return path.join(this.#of('open'), `${HIDDEN}${id}${HIDDEN}status`);
  }

  /** Where the facts of an algo order are. */
  #fileOf(id: string): string | undefined {
    const open = path.join(this.#of('open'), id);
    if (fs.existsSync(open)) return open;
    const ended = namesIn(this.#of('ended')).find((name) => idOfEnded(name) === id);
    return ended === undefined ? undefined : path.join(this.#of('ended'), ended);
  }

  #of(name: 'open' | 'ended'): string {
    return path.join(this.#root, this.#folder, name);
  }

  /** Throws Failure `credentials` if others can change the records. */
  #requireOwn(): void {
    requireOwnFolder(this.#root, this.#folder);
  }
}

function idOfEnded(name: string): string {
  return name.slice(name.indexOf(SEPARATOR) + 1);
}

/** The living processes that watch the algo orders in a folder. The links of dead ones are removed. */
function livingWatchers(folder: string): Owner[] {
  const links = namesOf(folder).filter((name) => name.startsWith(WATCHER));
  return links.flatMap((name) => {
    const link = path.join(folder, name);
    const owner = ownerIn(link);
    if (owner !== undefined && isOwnerAlive(owner)) return owner;
    ignoringDiskErrors(() => removeLink(link));
    return [];
  });
}

function ownerIn(link: string): Owner | undefined {
  try {
    return JSON.parse(textOfLink(link) ?? '') as Owner;
  } catch {
    return undefined;
  }
}

/** Algo orders that no living process watches. */
export interface Unwatched {
  /** The folder of the account, by the name of its journal. */
  readonly account: string;
  readonly ids: readonly string[];
}

/**
 * The accounts with algo orders that no living process watches. It reads names of files alone, because every command asks. What
 * cannot be read counts as none.
 * @param root `directories.state`
 */
export function unwatchedAccounts(root: string): Unwatched[] {
  const folder = path.join(root, FOLDER);
  return namesOf(folder).flatMap((account) => {
    const ids = namesOf(path.join(folder, account, 'open')).filter((name) => !name.startsWith(HIDDEN));
    return ids.length === 0 || livingWatchers(path.join(folder, account)).length > 0 ? [] : { account, ids };
  });
}

/** The names in a folder; none if it is missing or cannot be read. */
function namesOf(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'unknown error') throw thrown;
    return [];
  }
}
