import fs from 'node:fs';
import path from 'node:path';
import { linesBackwards } from './backwards.js';
import { append, appendDurably, namesIn, readIfThere, syncFolder, unlessDiskFails } from './files.js';
import type { Check, Settled } from './intent.js';
import { lineOf, valuesIn } from './lines.js';
import { type SettledLine, type Sums, type SumsLine, sumsIn, sumsOf, type ValueOf } from './sums.js';

const DAY_MS = 86_400_000;
/** Settled writes older than this are forgotten. */
const KEPT_DAYS = 14;

/** One side of a market, which the exchange lists apart from the other. */
export interface MarketSide {
  readonly market: string;
  readonly side: 'buy' | 'sell';
}

/** With when it was written, by this machine's clock. */
type Line = { readonly at: number } & (SettledLine | { readonly checked: MarketSide & Check } | SumsLine);

/** What was written down lately of one side of a market. */
export interface Recent {
  /** Oldest first. */
  readonly settled: readonly Settled[];
  /** The last look at all of it; undefined where there was none. */
  readonly last: Check | undefined;
}

/** Lines of several processes, and of a clock that is corrected, come a little out of order. */
const DISORDER_MS = 60_000;

/**
 * Settled writes, in one file for each UTC day. Files only grow, a line at a time, so that any number of processes adds to
 * them; what is old goes a whole file at a time.
 */
export class Archive {
  /** @param jobs the folder of the files of jobs, each with the day on which it was settled before its name */
  constructor(
    private readonly folder: string,
    private readonly jobs: string,
    private readonly now: () => number,
  ) {}

  /**
   * Keeps a settled write on the disk; of one that is kept again the last counts. Throws the system's error.
   * @param earlier what was kept of it before
   */
  add(settled: Settled, earlier?: Settled): void {
    const at = this.now();
    const file = this.#fileOf(at);
    const isNewDay = !fs.existsSync(file);
    appendDurably(file, lineOf({ at, settled, ...(earlier === undefined ? {} : { before: countedOf(earlier) }) }));
    if (!isNewDay) return;
    syncFolder(this.folder);
    this.#prune();
  }

  /** What was settled at or after a time, oldest first. Damaged lines are left out. */
  since(time: number): Settled[] {
    const settled = new Map<string, Settled>();
    for (const line of this.#lines(time)) {
      if (!('settled' in line)) continue;
      settled.delete(line.settled.intent.id);
      settled.set(line.settled.intent.id, line.settled);
    }
    return [...settled.values()];
  }

  /**
   * The settled writes of the days that are kept, the newest first and each as it was kept last. No more is read than is
   * asked for. Throws Failure `usage` where it cannot be read.
   * @param isMeant whether a line is looked into, by its text: that costs more than finding it
   */
  *newestFirst(isMeant: (line: string) => boolean): Generator<Settled> {
    const met = new Set<string>();
    for (const line of this.#backwards(isMeant)) {
      if (!('settled' in line) || met.has(line.settled.intent.id)) continue;
      met.add(line.settled.intent.id);
      yield line.settled;
    }
  }

  /** A settled write of the days that are kept. */
  find(id: string): Settled | undefined {
    const mark = JSON.stringify({ id }).slice(1, -1);
    for (const name of this.#days('').reverse()) {
      const content = readIfThere(path.join(this.folder, name)) ?? '';
      // looking into a line costs more than finding it
      const lines = content.split('\n').filter((line) => line.includes(mark));
      const found = (valuesIn(lines.join('\n')) as Line[]).findLast((line) => idOf(line) === id);
      if (found !== undefined && 'settled' in found) return found.settled;
    }
    return undefined;
  }

  /** Keeps the file of a settled job for as long as what is said of it here. Throws the system's error. */
  keep(file: string): void {
    fs.renameSync(file, path.join(this.jobs, `${dayOf(this.now())}-${path.basename(file)}`));
  }

  /** Where the file of a settled job is; undefined where it is not kept any more. */
  kept(name: string): string | undefined {
    const found = namesIn(this.jobs).findLast((other) => other.slice('YYYY-MM-DD-'.length) === name);
    return found === undefined ? undefined : path.join(this.jobs, found);
  }

  /** Notes that one side of a market was held against the exchange's orders. Where that is lost, it is only done again. */
  markChecked({ market, side }: MarketSide, { time, at }: Check): void {
    const now = this.now();
    append(this.#fileOf(now), lineOf({ at: now, checked: { market, side, time, at } }));
  }

  /**
   * What was written down of one side of a market, back to a time of this machine's clock that may depend on when it was
   * looked at last. Of older lines none is read, because every order asks for this. What a clock that was wrong noted for
   * later than now does not count.
   */
  recent({ market, side }: MarketSide, now: Check, from: (last: Check | undefined) => number): Recent {
    const settled = new Map<string, Settled>();
    let last: Check | undefined;
    for (const line of this.#backwards()) {
      const { at } = line;
      if (at < from(last) - DISORDER_MS) break;
      if ('settled' in line) {
        const { id } = line.settled.intent;
        if (!settled.has(id)) settled.set(id, line.settled);
        continue;
      }
      if (!('checked' in line)) continue;
      const { checked } = line;
      const isMeant = checked.market === market && checked.side === side;
      const isPast = checked.time <= now.time && checked.at <= now.at;
      if (isMeant && isPast && checked.time > (last?.time ?? 0)) last = checked;
    }
    return { settled: [...settled.values()].reverse(), last };
  }

  /** What was settled on the UTC day of now, summed up. Throws Failure `usage` where it cannot be read. */
  sumsOfToday(worth: ValueOf): Sums {
    const at = this.now();
    const file = this.#fileOf(at);
    return sumsIn(file, worth, (line) => unlessDiskFails(() => append(file, lineOf({ at, ...line }))));
  }

  /** What one write counts for in these. Throws Failure `usage` where that cannot be read. */
  sumsOfTodayFor(id: string, worth: ValueOf): Sums {
    return sumsOf(id, this.#fileOf(this.now()), worth);
  }

  #fileOf(time: number): string {
    return path.join(this.folder, `${dayOf(time)}.log`);
  }

  #prune(): void {
    const oldest = dayOf(this.now() - KEPT_DAYS * DAY_MS);
    for (const folder of [this.folder, this.jobs])
      for (const name of namesIn(folder)) if (name < oldest) fs.rmSync(path.join(folder, name), { force: true });
  }

  #lines(since: number): Line[] {
    return this.#days(dayOf(since)).flatMap(
      (name) => valuesIn(readIfThere(path.join(this.folder, name)) ?? '') as Line[],
    );
  }

  *#backwards(isMeant: (line: string) => boolean = () => true): Generator<Line> {
    for (const name of this.#days('').reverse())
      for (const line of linesBackwards(path.join(this.folder, name)))
        if (isMeant(line)) yield* valuesIn(line) as Line[];
  }

  /** The files of the days from one on, oldest first. */
  #days(first: string): string[] {
    return namesIn(this.folder).filter((name) => name >= first);
  }
}

function countedOf({ duplicates, notional }: Settled): Pick<Settled, 'duplicates' | 'notional'> {
  return { duplicates, ...(notional === undefined ? {} : { notional }) };
}

function idOf(line: Line): string | undefined {
  return 'settled' in line ? line.settled.intent.id : undefined;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
