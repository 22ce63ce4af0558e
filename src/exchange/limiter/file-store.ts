import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../errors.js';
import { FILE_MODE, FOLDER_MODE, makePrivateFolder, requireOwnFolder } from '../../platform/files/private-files.js';
import { isAlive, type Machine, thisMachine } from '../../platform/programs/processes.js';
import { HOLD_MS, type PermitCount, type PermitStore, POLL_MS, type Priority, type TakeResult } from './permits.js';

/** No request lasts this long. A permit that is still taken then was lost with its process. */
const LOST_MS = 60_000;
/** The time between two searches for permits whose process is gone. */
const RECOVER_MS = 200;
/** The number of the first permit of each part: each part doubles how many there are. */
const PARTS = [0, 10, 20, 40, 80];

/** One permit as its file name says: when it is free again, and who holds it. Times are of the clock that all processes of the machine share. */
interface PermitFile {
  /** With the folder of its part. */
  readonly name: string;
  readonly number: number;
  readonly freeAt: number;
  /** The process that holds it; 0 if none does. */
  readonly pid: number;
  /** A digest of the machine and PID namespace that the process runs in; undefined if none holds it. */
  readonly machine: string | undefined;
}

/**
 * Permits as empty files in one folder, shared by all processes that see it. A permit is taken by renaming its file, which
 * only one of several processes can do. So no lock can go stale, and the permits of a killed process come back by
 * themselves.
 *
 * Most commands need few permits, so they are made in parts. The first part is in the folder itself. Each further part is in a folder
 * within it, and is made once all permits before it are taken. A part appears whole, by one rename that fails if the part exists, and
 * stays. So no permit is made twice.
 */
export class FileStore implements PermitStore {
  readonly #root: string;
  readonly #within: string;
  readonly #limit: PermitCount;
  readonly #now: () => number;
  readonly #part: PermitCount;

  readonly #folder: string;
  #recoverAt = 0;
  /** A digest of this machine, because a host name may hold any character. */
  readonly #here: string;
  /** The permits when they were last read. One that was taken since has another name, so it cannot be taken by this one. */
  #seen: readonly PermitFile[] = [];
  /** The numbers of all permits when they were last read, also of those that others have taken since. */
  #made: ReadonlySet<number> = new Set();

  /**
   * @param root a private folder; the permits are in `within`, and are made if missing
   * @param now milliseconds of a clock that all processes of this machine share and that is never set
   * @param part how many of them this process may take. It always takes the same ones, so that processes with parts of
   *   different sizes never take more together than the largest part
   */
  constructor(root: string, within: string, limit: PermitCount, now: () => number, part: PermitCount = limit) {
    this.#root = root;
    this.#within = within;
    this.#limit = limit;
    this.#now = now;
    this.#part = part;

    this.#folder = path.join(root, within);
    this.#here = machineDigest();
  }

  /** Throws Failure if the folder cannot be used. */
  async take(priority: Priority): Promise<TakeResult> {
    requireOwnFolder(this.#root, this.#within);
    // one that is gone shows that other processes take permits: then they are read again
    const known = this.#takeFree(priority, 1);
    if (known !== undefined) return known;
    const seen = this.#takeSeen(priority);
    if (seen !== undefined) return seen;
    for (const part of PARTS.keys()) {
      const numbers = this.#numbersOf(part);
      // by its numbers: an earlier version made all of them at once, in the folder itself
      const isThere = numbers.some((number) => this.#made.has(number));
      if (isThere || !numbers.some((number) => this.#mayTake(number, priority))) continue;
      this.#make(part, numbers);
      const made = this.#takeSeen(priority);
      if (made !== undefined) return made;
    }
    const now = this.#now();
    const takeable = this.#seen.filter(({ number }) => this.#mayTake(number, priority));
    if (now >= this.#recoverAt) for (const found of takeable) this.#recover(found, now);
    const next = Math.min(...takeable.map(({ freeAt }) => freeAt));
    return { waitMs: Math.min(next - now, POLL_MS) };
  }

  /** Reads the permits, and takes one that is free. */
  #takeSeen(priority: Priority): TakeResult | undefined {
    this.#seen = permitFilesIn(this.#folder);
    this.#made = new Set(this.#seen.map(({ number }) => number));
    return this.#takeFree(priority, this.#seen.length);
  }

  /** Takes one of the permits that were seen to be free, after at most so many tries. */
  #takeFree(priority: Priority, tries: number): TakeResult | undefined {
    const now = this.#now();
    const free = this.#seen.filter(({ number, freeAt }) => freeAt <= now && this.#mayTake(number, priority));
    for (const found of shuffled(free, priority).slice(0, tries)) {
      const taken = this.#rename(found.name, heldName(found.number, now + LOST_MS, this.#here));
      this.#seen = this.#seen.filter((permit) => permit !== found);
      if (taken !== undefined) return { release: (milliseconds) => this.#release(taken, found.number, milliseconds) };
    }
    return undefined;
  }

  /** Whether this process may take a permit. The first ones are reserved for cancellations. */
  #mayTake(number: number, priority: Priority): boolean {
    const limit = this.#limit;
    const part = this.#part;
    if (number < part.reserved) return priority === 'cancel';
    return number >= limit.reserved && number < limit.reserved + part.count - part.reserved;
  }

  async #release(name: string, number: number, milliseconds: number): Promise<void> {
    try {
      const freeAt = Math.ceil(this.#now() + milliseconds);
      const free = this.#rename(name, freeName(number, freeAt));
      if (free !== undefined) this.#seen = [...this.#seen, { name: free, number, freeAt, pid: 0, machine: undefined }];
    } catch {
      // counts as lost, and is free again after LOST_MS
    }
  }

  /**
   * Frees the permit of a process that is gone, which can be seen only on its own machine, or a permit that is due later than
   * possible, for example after a reboot.
   */
  #recover({ name, number, freeAt, pid, machine }: PermitFile, now: number): void {
    this.#recoverAt = now + RECOVER_MS;
    const isLost = machine === this.#here && pid !== process.pid && !isAlive(pid);
    const isImpossible = freeAt > now + (pid === 0 ? HOLD_MS : LOST_MS);
    if (isLost || isImpossible) this.#rename(name, freeName(number, now + HOLD_MS));
  }

  /** Renames a permit's file within its folder. Returns the new name; undefined if another process was quicker. */
  #rename(from: string, name: string): string | undefined {
    const to = path.join(path.dirname(from), name);
    try {
      fs.renameSync(path.join(this.#folder, from), path.join(this.#folder, to));
      return to;
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  /** The numbers of the permits of a part; none if the limit has fewer. */
  #numbersOf(part: number): number[] {
    const [start = 0, end = this.#limit.count] = PARTS.slice(part);
    const size = Math.max(0, Math.min(end, this.#limit.count) - start);
    return Array.from({ length: size }, (_, index) => start + index);
  }

  /** Makes a part elsewhere and moves it into place, so that only one of several processes succeeds. */
  #make(part: number, numbers: readonly number[]): void {
    if (part === 0) makePrivateFolder(this.#root, path.dirname(this.#within));
    const draft = `${this.#folder}.${process.pid}.${process.hrtime.bigint()}`;
    try {
      fs.mkdirSync(draft, FOLDER_MODE);
      for (const number of numbers) fs.writeFileSync(path.join(draft, freeName(number, 0)), '', { mode: FILE_MODE });
      fs.renameSync(draft, path.join(this.#folder, part === 0 ? '' : String(part)));
    } catch (thrown) {
      fs.rmSync(draft, { recursive: true, force: true });
      // also if the limits were cleared in between: then the next try begins with the first part
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemErrorCode(thrown))) throw thrown;
    }
  }
}

/** How many permits of a folder are taken; 0 if there is no such folder. @param now as of the clock of {@link FileStore} */
export function permitsTaken(folder: string, now: number): number {
  return permitFilesIn(folder).filter(({ freeAt, pid }) => pid !== 0 || freeAt > now).length;
}

/**
 * The files of the permits of a folder that a request has now. Those of processes that are gone are left out.
 * @param now as of the clock of {@link FileStore}
 */
export function heldPermits(folder: string, now: number): readonly string[] {
  const here = machineDigest();
  const isHeld = ({ pid, machine, freeAt }: PermitFile) =>
    pid !== 0 && freeAt > now && (machine !== here || isAlive(pid));
  return permitFilesIn(folder).flatMap((found) => (isHeld(found) ? [found.name] : []));
}

function freeName(number: number, freeAt: number): string {
  return `${number}.${Math.ceil(freeAt)}`;
}

function heldName(number: number, lostAt: number, machine: string): string {
  return `${number}.${Math.ceil(lostAt)}.${process.pid}.${machine}`;
}

/** Names a machine, in which process ids are comparable, without its host name. */
export function machineDigest({ host, pids }: Machine = thisMachine()): string {
  return createHash('sha256').update(`${host}\n${pids}`).digest('hex').slice(0, 8);
}

/** The permits of all parts of a folder; none if there is no such folder. */
function permitFilesIn(folder: string, part = ''): PermitFile[] {
  let names: string[];
  try {
    names = fs.readdirSync(path.join(folder, part));
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
  return names.flatMap((name) => {
    if (part === '' && /^\d$/.test(name)) return permitFilesIn(folder, name);
    return permitFileIn(part, name) ?? [];
  });
}

function permitFileIn(part: string, fileName: string): PermitFile | undefined {
  const parts = /^(\d+)\.(\d+)(?:\.(\d+)\.([0-9a-f]+))?$/.exec(fileName);
  if (parts === null) return undefined;
  const [, number, freeAt, pid = '0', machine] = parts;
  const name = path.join(part, fileName);
  return { name, number: Number(number), freeAt: Number(freeAt), pid: Number(pid), machine };
}

/** Begins at a random permit, so that processes do not all try the same one. Cancellations try the reserved ones first. */
function shuffled(permits: readonly PermitFile[], priority: Priority): readonly PermitFile[] {
  if (priority === 'cancel') return permits.toSorted((one, other) => one.number - other.number);
  const start = Math.floor(Math.random() * permits.length);
  return [...permits.slice(start), ...permits.slice(0, start)];
}
