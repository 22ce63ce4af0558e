import fs from 'node:fs';
import path from 'node:path';
import { FILE_MODE, makePrivateFolder } from '../../config/private.js';
import { Failure } from '../../errors.js';

/** "Beyond that the IP is locked for 1 hour and unlocks itself after that hour." */
const LOCK_MS = 3_600_000;
/** So often one request is let through all the same: the lock may have been lifted, or the exchange be another one. */
const TRY_MS = 60_000;

/**
 * Remembers, for all processes, that a trade host has locked this machine's address, so that nobody runs against the lock.
 * What it remembers is the name of one empty file: until when, and when to try again, in ms since the Unix epoch.
 */
export class Breaker {
  readonly #folder: string;

  /** @param root a folder of the user's alone; `within` it the lock is kept */
  constructor(
    private readonly root: string,
    private readonly within: string,
    private readonly now: () => number,
  ) {
    this.#folder = path.join(root, within);
  }

  /** When the lock ends; undefined where none is known. */
  get until(): number | undefined {
    return this.#lock()?.until;
  }

  /**
   * Throws Failure `limited` while the lock lasts. A request that may be repeated is let through now and then, as a `try`:
   * an answer to it ends the lock.
   */
  check(mayTry: boolean): 'open' | 'try' {
    const lock = this.#lock();
    if (lock === undefined) return 'open';
    const now = this.now();
    // one that lies further ahead was dated before the clock was set back
    if (now >= lock.until || lock.until > now + LOCK_MS) {
      this.clear();
      return 'open';
    }
    if (mayTry && now >= lock.tryAt && this.#renamed(lock.name, nameOf(lock.until, now + TRY_MS))) return 'try';
    throw new Failure('limited', `The exchange has locked this machine's address until ${clockTime(lock.until)}.`, {
      hint: 'It locks an address that asks more than 10,000 times within a minute. The lock ends by itself; nothing was sent.',
    });
  }

  /** An answer told of the lock. The first one dates it. */
  trip(): void {
    if (this.#lock() !== undefined) return;
    const now = this.now();
    forgivingly(() => {
      makePrivateFolder(this.root, this.within);
      fs.writeFileSync(path.join(this.#folder, nameOf(now + LOCK_MS, now + TRY_MS)), '', { mode: FILE_MODE });
    });
  }

  /** An answer came that was not the lock's. */
  clear(): void {
    for (const { name } of this.#locks()) forgivingly(() => fs.rmSync(path.join(this.#folder, name), { force: true }));
  }

  #lock(): Lock | undefined {
    return this.#locks()[0];
  }

  #locks(): Lock[] {
    return forgivingly(() => fs.readdirSync(this.#folder).flatMap(lockIn)) ?? [];
  }

  /** Only one of several processes finds the file under its old name. */
  #renamed(from: string, to: string): boolean {
    const isRenamed = forgivingly(() => {
      fs.renameSync(path.join(this.#folder, from), path.join(this.#folder, to));
      return true;
    });
    return isRenamed === true;
  }
}

/** A memory that cannot be used must not stop what could be asked without it: the exchange itself tells of its lock. */
function forgivingly<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

interface Lock {
  readonly name: string;
  readonly until: number;
  readonly tryAt: number;
}

function nameOf(until: number, tryAt: number): string {
  return `locked.${until}.${tryAt}`;
}

function lockIn(name: string): Lock[] {
  const [, until, tryAt] = /^locked\.(\d{13})\.(\d{13})$/.exec(name) ?? [];
  return until === undefined ? [] : [{ name, until: Number(until), tryAt: Number(tryAt) }];
}

/** By the user's own clock, with its distance from UTC: `2026-11-21 13:00:00 (UTC+01:00)`. */
export function clockTime(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const away = new Date(Math.abs(offset) * 60_000).toISOString().slice(11, 16);
  const words = new Date(time + offset * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  return `${words} (UTC${offset === 0 ? '' : (offset < 0 ? '-' : '+') + away})`;
}
