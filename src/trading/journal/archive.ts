import fs from 'node:fs';
import path from 'node:path';
import { appendDurably, namesIn, readIfThere, syncFolder } from './files.js';
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

/** A look at all of one side of a market, back to where the look before it began. In milliseconds since the Unix epoch. */
export interface Check {
  /** When it began, by the exchange's clock. */
  readonly time: number;
  /** The same by this machine's clock. */
  readonly at: number;
}

type Line = { readonly settled: Settled } | { readonly checked: MarketSide & Check };

/**
 * Settled writes, in one file for each UTC day. Files only grow, a line at a time, so that any number of processes adds to
 * them; what is old goes a whole file at a time.
 */
export class Archive {
  constructor(
    private readonly folder: string,
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

  /** Notes that one side of a market was held against the exchange's orders. */
  markChecked({ market, side }: MarketSide, { time, at }: Check): void {
    this.#append({ checked: { market, side, time, at } });
  }

  /**
   * The last time that this was done, since then; undefined where it was not.
   * @param now what a clock that was wrong by then noted for later does not count
   */
  lastCheck({ market, side }: MarketSide, since: number, now: Check): Check | undefined {
    return this.#lines(since).reduce<Check | undefined>((latest, line) => {
      if (!('checked' in line) || line.checked.market !== market || line.checked.side !== side) return latest;
      const { time, at } = line.checked;
      return time <= now.time && at <= now.at && time > (latest?.time ?? 0) ? { time, at } : latest;
    }, undefined);
  }

  #append(line: Line): void {
    const file = path.join(this.folder, `${dayOf(this.now())}.log`);
    const isNewDay = !fs.existsSync(file);
    appendDurably(file, lineOf(line));
    if (!isNewDay) return;
    syncFolder(this.folder);
    this.#prune();
  }

  #prune(): void {
    const oldest = dayOf(this.now() - KEPT_DAYS * DAY_MS);
    for (const name of namesIn(this.folder))
      if (name < oldest) fs.rmSync(path.join(this.folder, name), { force: true });
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
