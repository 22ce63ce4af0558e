import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { codeOf, FILE_MODE, FOLDER_MODE, makePrivateFolder } from '../../config/private.js';
import { isAlive, type Place, thisPlace } from '../../platform/processes.js';
import { type Claim, HOLD_MS, type Lane, type Permit, type Permits, type PermitTerms, POLL_MS } from './permits.js';

/** No request lasts so long: what is still out then was lost with its process. */
const LOST_MS = 60_000;
/** Between two looks for permits whose process is gone. */
const MEND_MS = 200;

/** One permit, as its file's name tells it: when it is free again, and who has it out. Times as of {@link monotonicMs}. */
interface Found {
  readonly name: string;
  readonly number: number;
  readonly freeAt: number;
  /** The process that has it out; 0 where it is back. */
  readonly pid: number;
  /** The mark of the place where that runs; earlier names have none, which is here. */
  readonly place: string | undefined;
}

/**
 * Permits as empty files of one folder, shared by all processes that see it. A permit is taken by renaming its file, which
 * of several processes only one can do, since for the others it is no longer there. So there is no lock that could go
 * stale, and what a killed process had out comes back by itself.
 */
export class PermitFiles implements Permits {
  readonly #folder: string;
  #mendAt = 0;
  /** A name has no room for whole places, and a host's name may hold anything. */
  readonly #here: string;

  /**
   * @param root a folder of the user's alone; `within` it the permits lie, and are made where they are missing
   * @param part so much of them is taken here, always the same ones: those who take parts of any size never take more
   *   together than the largest
   */
  constructor(
    private readonly root: string,
    private readonly within: string,
    private readonly terms: PermitTerms,
    private readonly now: () => number = monotonicMs,
    private readonly part: PermitTerms = terms,
    place: Place = thisPlace(),
  ) {
    this.#folder = path.join(root, within);
    this.#here = markOf(place);
  }

  /** Throws Failure where the folder cannot be used. */
  async claim(lane: Lane): Promise<Claim> {
    const open = this.#permits().filter(({ number }) => this.#isOpen(number, lane));
    const now = this.now();
    for (const found of shuffled(
      open.filter(({ freeAt }) => freeAt <= now),
      lane,
    )) {
      const taken = this.#move(found.name, outName(found.number, now + LOST_MS, this.#here));
      if (taken !== undefined) return { permit: this.#permit(taken, found.number) };
    }
    if (now >= this.#mendAt) for (const found of open) this.#mend(found, now);
    const next = Math.min(...open.flatMap(({ freeAt, pid }) => (pid === 0 ? freeAt : [])));
    return { waitMs: Math.min(Math.max(next - now, 1), POLL_MS) };
  }

  /** The first ones are those kept for cancellations. */
  #isOpen(number: number, lane: Lane): boolean {
    const { terms, part } = this;
    if (number < part.reserved) return lane === 'cancel';
    return number >= terms.reserved && number < terms.reserved + part.count - part.reserved;
  }

  #permit(name: string, number: number): Permit {
    const backIn = async (milliseconds: number) => {
      try {
        this.#move(name, backName(number, this.now() + milliseconds));
      } catch {
        // one that cannot be given back counts as lost, and is free again when that is over
      }
    };
    return { done: () => backIn(HOLD_MS), unused: () => backIn(0) };
  }

  /** A permit of a process that is seen to be gone, which one elsewhere never is, or one that is due later than it can be, as after a restart of the machine. */
  #mend({ name, number, freeAt, pid, place = this.#here }: Found, now: number): void {
    this.#mendAt = now + MEND_MS;
    const isLost = place === this.#here && pid !== 0 && pid !== process.pid && !isAlive(pid);
    const isOdd = freeAt > now + (pid === 0 ? HOLD_MS : LOST_MS);
    if (isLost || isOdd) this.#move(name, backName(number, now + HOLD_MS));
  }

  /** The new name; undefined where somebody else was quicker. */
  #move(from: string, to: string): string | undefined {
    try {
      fs.renameSync(path.join(this.#folder, from), path.join(this.#folder, to));
      return to;
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  #permits(): Found[] {
    const found = foundWithin(this.#folder);
    if (found.length > 0) return found;
    this.#make();
    return foundWithin(this.#folder);
  }

  /** Made aside and moved into place as a whole, so that of several processes that begin at once one makes them. */
  #make(): void {
    makePrivateFolder(this.root, path.dirname(this.within));
    const draft = `${this.#folder}.${process.pid}.${process.hrtime.bigint()}`;
    fs.mkdirSync(draft, FOLDER_MODE);
    for (let number = 0; number < this.terms.count; number += 1)
      fs.writeFileSync(path.join(draft, backName(number, 0)), '', { mode: FILE_MODE });
    try {
      fs.renameSync(draft, this.#folder);
    } catch (thrown) {
      fs.rmSync(draft, { recursive: true, force: true });
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(thrown))) throw thrown;
    }
  }
}

/** How many permits of a folder are not back, or not due yet; 0 where there is no such folder. */
export function permitsOut(folder: string, now = monotonicMs()): number {
  return foundWithin(folder).filter(({ freeAt, pid }) => pid !== 0 || freeAt > now).length;
}

/** One clock for all processes of a machine, that nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

function backName(number: number, freeAt: number): string {
  return `${number}.${Math.ceil(freeAt)}`;
}

function outName(number: number, lostAt: number, place: string): string {
  return `${number}.${Math.ceil(lostAt)}.${process.pid}.${place}`;
}

function markOf({ host, pids }: Place): string {
  return createHash('sha256').update(`${host}\n${pids}`).digest('hex').slice(0, 8);
}

function foundWithin(folder: string): Found[] {
  try {
    return fs.readdirSync(folder).flatMap(foundIn);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

function foundIn(name: string): Found[] {
  const [, number, freeAt, pid = '0', place] = /^(\d+)\.(\d+)(?:\.(\d+)(?:\.([0-9a-f]+))?)?$/.exec(name) ?? [];
  return number === undefined
    ? []
    : [{ name, number: Number(number), freeAt: Number(freeAt), pid: Number(pid), place }];
}

/** Processes that look at once should not all reach for the same one; cancellations take those kept for them first. */
function shuffled(permits: readonly Found[], lane: Lane): readonly Found[] {
  if (lane === 'cancel') return permits.toSorted((one, other) => one.number - other.number);
  const start = Math.floor(Math.random() * permits.length);
  return [...permits.slice(start), ...permits.slice(0, start)];
}
