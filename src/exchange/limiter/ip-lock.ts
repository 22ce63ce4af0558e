import fs from 'node:fs';
import path from 'node:path';
import { Failure, localTimeText } from '../../errors.js';
import { FILE_MODE, makePrivateFolder, requireOwnFolder } from '../../platform/files/private-files.js';

/** "Beyond that the IP is locked for 1 hour and unlocks itself after that hour." */
const LOCK_MS = 3_600_000;
/** How often a read is sent to test the lock, which may have been lifted. */
const TEST_EVERY_MS = 60_000;

/**
 * Remembers for all processes that a trade host has locked this machine's address, so that no request runs into the lock. It
 * is stored in the name of an empty file: when the lock ends, and when to test it, in milliseconds since the Unix epoch.
 */
export class IpLock {
  readonly #root: string;
  readonly #within: string;
  readonly #now: () => number;

  readonly #folder: string;

  /** @param root a private folder; the lock is kept in `within` */
  constructor(root: string, within: string, now: () => number) {
    this.#root = root;
    this.#within = within;
    this.#now = now;

    this.#folder = path.join(root, within);
  }

  /** When the lock ends; undefined if none is known. */
  get until(): number | undefined {
    return this.#lock()?.until;
  }

  /**
   * Throws Failure `limited` while the lock lasts. Now and then it lets a request through as a `probe`, if that may be repeated;
   * a response to it ends the lock.
   */
  requireFree(mayProbeLock: boolean): 'free' | 'probe' {
    const lock = this.#lock();
    if (lock === undefined) return 'free';
    const now = this.#now();
    // a lock that ends later than possible was dated before the clock was set back
    if (now >= lock.until || lock.until > now + LOCK_MS) {
      this.clear();
      return 'free';
    }
    if (mayProbeLock && now >= lock.testAt && this.#renamed(lock.name, nameOf(lock.until, now + TEST_EVERY_MS)))
      return 'probe';
    throw new Failure('limited', `The exchange has locked this machine's address until ${localTimeText(lock.until)}.`, {
      hint: 'It locks an address that sends more than 10,000 requests in a minute. The lock ends by itself. Nothing was sent.',
    });
  }

  /** Stores the lock after a response reported it. The first such answer dates it. */
  recordLock(): void {
    if (this.#lock() !== undefined) return;
    const now = this.#now();
    ignoringErrors(() => {
      makePrivateFolder(this.#root, this.#within);
      fs.writeFileSync(path.join(this.#folder, nameOf(now + LOCK_MS, now + TEST_EVERY_MS)), '', { mode: FILE_MODE });
    });
  }

  /** Removes the lock after a response did not report it. */
  clear(): void {
    for (const { name } of this.#locks()) ignoringErrors(() => fs.rmSync(path.join(this.#folder, name)));
  }

  #lock(): Lock | undefined {
    return this.#locks()[0];
  }

  #locks(): Lock[] {
    const find = () => {
      requireOwnFolder(this.#root, this.#within);
      return fs.readdirSync(this.#folder).flatMap(lockIn);
    };
    return ignoringErrors(find) ?? [];
  }

  /** Renames the file. Only one of several processes succeeds. */
  #renamed(from: string, to: string): boolean {
    const isRenamed = ignoringErrors(() => {
      fs.renameSync(path.join(this.#folder, from), path.join(this.#folder, to));
      return true;
    });
    return isRenamed === true;
  }
}

/** If the lock cannot be stored, requests still go out: the exchange reports the lock itself. */
function ignoringErrors<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

interface Lock {
  readonly name: string;
  readonly until: number;
  readonly testAt: number;
}

function nameOf(until: number, testAt: number): string {
  return `locked.${until}.${testAt}`;
}

function lockIn(name: string): Lock[] {
  const [, until, testAt] = /^locked\.(\d{13})\.(\d{13})$/.exec(name) ?? [];
  return until === undefined ? [] : [{ name, until: Number(until), testAt: Number(testAt) }];
}
