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

/** One permit as its file name says: when it is free again, and who holds it. Times are of the clock that all processes of the machine share. */
interface PermitFile {
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
    this.#seen = this.#permits();
    const taken = this.#takeFree(priority, this.#seen.length);
    if (taken !== undefined) return taken;
    const now = this.#now();
    const takeable = this.#seen.filter(({ number }) => this.#mayTake(number, priority));
    if (now >= this.#recoverAt) for (const found of takeable) this.#recover(found, now);
    const next = Math.min(...takeable.flatMap(({ freeAt, pid }) => (pid === 0 ? freeAt : [])));
    return { waitMs: Math.min(next - now, POLL_MS) };
  }

  /** Takes one of the permits that were seen to be free, after at most so many tries. */
  #takeFree(priority: Priority, tries: number): TakeResult | undefined {
    const now = this.#now();
    const free = this.#seen.filter(({ number, freeAt }) => freeAt <= now && this.#mayTake(number, priority));
    for (const found of shuffled(free, priority).slice(0, tries)) {
      const taken = this.#move(found.name, heldName(found.number, now + LOST_MS, this.#here));
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
      const free = this.#move(name, freeName(number, freeAt));
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
    const isLost = machine === this.#here && pid !== 0 && pid !== process.pid && !isAlive(pid);
    const isImpossible = freeAt > now + (pid === 0 ? HOLD_MS : LOST_MS);
    if (isLost || isImpossible) this.#move(name, freeName(number, now + HOLD_MS));
  }

  /** Renames a permit's file. Returns the new name; undefined if another process was quicker. */
  #move(from: string, to: string): string | undefined {
    try {
      fs.renameSync(path.join(this.#folder, from), path.join(this.#folder, to));
      return to;
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  #permits(): PermitFile[] {
    const found = permitFilesIn(this.#folder);
    if (found.length > 0) return found;
    this.#make();
    return permitFilesIn(this.#folder);
  }

  /** Makes the folder elsewhere and moves it into place, so that only one of several starting processes succeeds. */
  #make(): void {
    makePrivateFolder(this.#root, path.dirname(this.#within));
    const draft = `${this.#folder}.${process.pid}.${process.hrtime.bigint()}`;
    fs.mkdirSync(draft, FOLDER_MODE);
    for (let number = 0; number < this.#limit.count; number += 1)
      fs.writeFileSync(path.join(draft, freeName(number, 0)), '', { mode: FILE_MODE });
    try {
      fs.renameSync(draft, this.#folder);
    } catch (thrown) {
      fs.rmSync(draft, { recursive: true, force: true });
      if (!['ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(thrown))) throw thrown;
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

function permitFilesIn(folder: string): PermitFile[] {
  try {
    const found = fs.readdirSync(folder).map(permitFileIn);
    return found.filter((permit) => permit !== undefined);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

function permitFileIn(name: string): PermitFile | undefined {
  const parts = /^(\d+)\.(\d+)(?:\.(\d+)\.([0-9a-f]+))?$/.exec(name);
  if (parts === null) return undefined;
  const [, number, freeAt, pid = '0', machine] = parts;
  return { name, number: Number(number), freeAt: Number(freeAt), pid: Number(pid), machine };
}

/** Begins at a random permit, so that processes do not all try the same one. Cancellations try the reserved ones first. */
function shuffled(permits: readonly PermitFile[], priority: Priority): readonly PermitFile[] {
  if (priority === 'cancel') return permits.toSorted((one, other) => one.number - other.number);
  const start = Math.floor(Math.random() * permits.length);
  return [...permits.slice(start), ...permits.slice(0, start)];
}
