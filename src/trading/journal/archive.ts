import fs from 'node:fs';
import path from 'node:path';
import { appendDurably, namesIn, readIfThere } from './files.js';
import type { Settled } from './intent.js';
import { lineOf, valuesIn } from './lines.js';

const DAY_MS = 86_400_000;
/** Settled writes older than this are forgotten. */
const KEPT_DAYS = 14;

/** One side of a market, which the exchange lists apart from the other. */
export interface MarketSide {
  readonly market: string;
  readonly side: 'buy' | 'sell';
}

type Line = { readonly settled: Settled } | { readonly checked: MarketSide & { readonly time: number } };

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

  /** Keeps a settled write on the disk; of one that is kept again the last counts. Throws the system's error. */
  add(settled: Settled): void {
    this.#append({ settled });
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

  /** A settled write of the days that are kept. */
  find(id: string): Settled | undefined {
    return this.since(0).find(({ intent }) => intent.id === id);
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

  /** Notes that one side of a market was held against the exchange's orders at a time of the exchange's clock. */
  markChecked({ market, side }: MarketSide, time: number): void {
    this.#append({ checked: { market, side, time } });
  }

  /** When that was last done, in ms since the Unix epoch; 0 where it was not since then. */
  checkedAt({ market, side }: MarketSide, since: number): number {
    return this.#lines(since).reduce((latest, line) => {
      const isMeant = 'checked' in line && line.checked.market === market && line.checked.side === side;
      return isMeant ? Math.max(latest, line.checked.time) : latest;
    }, 0);
  }

  #append(line: Line): void {
    const file = path.join(this.folder, `${dayOf(this.now())}.log`);
    const isNewDay = !fs.existsSync(file);
    appendDurably(file, lineOf(line));
    if (isNewDay) this.#prune();
  }

  #prune(): void {
    const oldest = dayOf(this.now() - KEPT_DAYS * DAY_MS);
    for (const folder of [this.folder, this.jobs])
      for (const name of namesIn(folder)) if (name < oldest) fs.rmSync(path.join(folder, name), { force: true });
  }

  #lines(since: number): Line[] {
    const first = dayOf(since);
    return namesIn(this.folder)
      .filter((name) => name >= first)
      .flatMap((name) => valuesIn(readIfThere(path.join(this.folder, name)) ?? '') as Line[]);
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
