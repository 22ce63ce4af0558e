import fs from 'node:fs';
import path from 'node:path';
import { FILE_MODE, makePrivateFolder } from '../../config/private.js';
import { Failure } from '../../errors.js';

/** "Beyond that the IP is locked for 1 hour and unlocks itself after that hour." */
const LOCK_MS = 3_600_000;
/** This often one request is let through anyway: the lock may have been lifted, or the exchange be another one. */
const PROBE_MS = 60_000;

/**
 * Remembers, for all processes, that a trade host has locked this machine's address, so that no request runs into the lock.
 * It is stored as the name of one empty file: when the lock ends, and when to try again, in ms since the Unix epoch.
 */
export class Breaker {
  readonly #folder: string;

  /** @param root a private folder; the lock is kept in `within` */
  constructor(
    private readonly root: string,
    private readonly within: string,
    private readonly now: () => number,
  ) {
    this.#folder = path.join(root, within);
  }

  /** When the lock ends; undefined if none is known. */
  get until(): number | undefined {
    return this.#lock()?.until;
  }

  /**
   * Throws Failure `limited` while the lock lasts. Now and then a request that may be repeated is let through, as a `probe`:
   * an answer to it ends the lock.
   */
  check(mayProbe: boolean): 'open' | 'probe' {
    const lock = this.#lock();
    if (lock === undefined) return 'open';
    const now = this.now();
    // a lock further ahead was dated before the clock was set back
    if (now >= lock.until || lock.until > now + LOCK_MS) {
      this.clear();
      return 'open';
    }
    if (mayProbe && now >= lock.probeAt && this.#renamed(lock.name, nameOf(lock.until, now + PROBE_MS))) return 'probe';
    throw new Failure('limited', `The exchange has locked this machine's address until ${clockTime(lock.until)}.`, {
      hint: 'It locks an address that sends more than 10,000 requests in a minute. The lock ends by itself. Nothing was sent.',
    });
  }

  /** An answer reported the lock. The first one dates it. */
  trip(): void {
    if (this.#lock() !== undefined) return;
    const now = this.now();
    ignoringErrors(() => {
      makePrivateFolder(this.root, this.within);
      fs.writeFileSync(path.join(this.#folder, nameOf(now + LOCK_MS, now + PROBE_MS)), '', { mode: FILE_MODE });
    });
  }

  /** An answer came that did not report the lock. */
  clear(): void {
    for (const { name } of this.#locks())
      ignoringErrors(() => fs.rmSync(path.join(this.#folder, name), { force: true }));
  }

  #lock(): Lock | undefined {
    return this.#locks()[0];
  }

  #locks(): Lock[] {
    return ignoringErrors(() => fs.readdirSync(this.#folder).flatMap(lockIn)) ?? [];
  }

  /** Only one of several processes finds the file under its old name. */
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
  readonly probeAt: number;
}

function nameOf(until: number, probeAt: number): string {
  return `locked.${until}.${probeAt}`;
}

function lockIn(name: string): Lock[] {
  const [, until, probeAt] = /^locked\.(\d{13})\.(\d{13})$/.exec(name) ?? [];
  return until === undefined ? [] : [{ name, until: Number(until), probeAt: Number(probeAt) }];
}

/** In local time, with its offset from UTC: `2026-11-21 13:00:00 (UTC+01:00)`. */
export function clockTime(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const away = new Date(Math.abs(offset) * 60_000).toISOString().slice(11, 16);
  const words = new Date(time + offset * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  return `${words} (UTC${offset === 0 ? '' : (offset < 0 ? '-' : '+') + away})`;
}
