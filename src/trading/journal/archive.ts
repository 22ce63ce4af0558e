import fs from 'node:fs';
import path from 'node:path';
import { Decimal } from '../../domain/decimal.js';
import {
  append,
  appendDurably,
  encodeLine,
  type FilterField,
  hasUnknown,
  ignoringDiskErrors,
  type LineFilter,
  linesBackwards,
  matchesAll,
  namesIn,
  readFrom,
  syncFolder,
  VERSION,
  valuesIn,
} from './files.js';
import type { RecordedWrite, Settled } from './write.js';

const DAY_MS = 86_400_000;
/** Settled writes older than this are forgotten. */
const KEPT_DAYS = 14;

/** A line of a day's file. `at` is the time at which it was written, by this machine's clock. */
type Line = { readonly at: number } & (SettledLine | SumsLine);

/** How far lines may be out of order, because several processes write them or a clock was corrected. */
const DISORDER_MS = 60_000;

/**
 * Settled writes, in one file for each UTC day. Files only grow, a line at a time, so any number of processes can add to
 * them; old ones are deleted whole.
 */
export class Archive {
  /** @param jobs the folder of settled jobs; a file's name begins with the day on which its job was settled */
  constructor(
    private readonly folder: string,
    private readonly jobs: string,
    private readonly now: () => number,
  ) {}

  /**
   * Adds a settled write durably. If a write is added again, the last line counts. Throws the system's error.
   * @param earlier what the archive already has of this write
   */
  add(settled: Settled, earlier?: Settled): void {
    const at = this.now();
    const file = this.#fileOf(at);
    const isNewDay = !fs.existsSync(file);
    appendDurably(
      file,
      encodeLine({ at, v: VERSION, settled, ...(earlier === undefined ? {} : { before: previousCounts(earlier) }) }),
    );
    if (!isNewDay) return;
    syncFolder(this.folder);
    this.#prune();
  }

  /**
   * Yields the writes that were settled at or after a time, newest first, each once with its last line. Lines are read on
   * demand, and only lines that match the filter are parsed, because a busy account has many. Damaged lines are left out.
   */
  *newestFirst(filter: LineFilter | ((text: string) => boolean), since: number): Generator<Settled> {
    const seen = new Set<string>();
    const matches = typeof filter === 'function' ? filter : matchesAll(filter);
    for (const line of this.#backwards(() => since, matches)) {
      if (!('settled' in line) || seen.has(line.settled.write.id)) continue;
      seen.add(line.settled.write.id);
      yield line.settled;
    }
  }

  /** The writes that were settled at or after a time, oldest first. */
  since(time: number, filter: LineFilter = {}): Settled[] {
    return [...this.newestFirst(filter, time)].reverse();
  }

  /** A settled write of the days that are kept. */
  find(id: string): Settled | undefined {
    for (const settled of this.newestFirst({ id }, 0)) if (settled.write.id === id) return settled;
    return undefined;
  }

  /**
   * All different values of a field of settled writes. Only a line with a new value is parsed.
   * @param of the value of a write
   */
  distinctValues(name: FilterField, of: (write: RecordedWrite) => string | undefined): ReadonlySet<string> {
    const found = new Set<string>();
    const isNew = hasUnknown(name, found);
    for (const line of this.#backwards(() => 0, isNew)) {
      const value = 'settled' in line ? of(line.settled.write) : undefined;
      if (value !== undefined) found.add(value);
    }
    return found;
  }

  /** Keeps the file of a settled job for as long as its summary here. Throws the system's error. */
  archiveJobFile(file: string, name: string): void {
    fs.renameSync(file, path.join(this.jobs, `${dayOf(this.now())}-${name}`));
  }

  /** The path of a settled job's file; undefined if it was deleted. */
  archivedJobFile(name: string): string | undefined {
    const found = namesIn(this.jobs).findLast((other) => other.slice('YYYY-MM-DD-'.length) === name);
    return found === undefined ? undefined : path.join(this.jobs, found);
  }

  /** The sums of all writes that were settled on this UTC day. Throws Failure `usage` if the file cannot be read. */
  sumsOfToday(summandOf: SummandOf): Sums {
    const at = this.now();
    const file = this.#fileOf(at);
    return sumsIn(file, summandOf, (line) =>
      ignoringDiskErrors(() => append(file, encodeLine({ at, v: VERSION, ...line }))),
    );
  }

  /** The part of {@link sumsOfToday} that comes from some jobs. Throws Failure `usage` if the file cannot be read. */
  sumsOfTodaysJobs(ids: ReadonlySet<string>, summandOf: SummandOf): Sums {
    return sumsOfJobs(ids, this.#fileOf(this.now()), summandOf);
  }

  #fileOf(time: number): string {
    return path.join(this.folder, `${dayOf(time)}.log`);
  }

  #prune(): void {
    const oldest = dayOf(this.now() - KEPT_DAYS * DAY_MS);
    for (const folder of [this.folder, this.jobs])
      for (const name of namesIn(folder)) if (name < oldest) fs.rmSync(path.join(folder, name), { force: true });
  }

  /** The lines whose text matches, newest first, back to a time. */
  *#backwards(from: () => number, matches: (text: string) => boolean): Generator<Line> {
    for (const name of namesIn(this.folder).reverse()) {
      if (name < dayOf(from() - DISORDER_MS)) return;
      for (const text of linesBackwards(path.join(this.folder, name))) {
        if (isFromBefore(text, from() - DISORDER_MS)) return;
        if (text !== '' && matches(text)) yield* valuesIn(text) as Line[];
      }
    }
  }
}

function previousCounts({ duplicates, notional }: Settled): Pick<Settled, 'duplicates' | 'notional'> {
  return { duplicates, ...(notional === undefined ? {} : { notional }) };
}

/** Whether a line was written before a time. Its checksum is verified, because a wrong byte must not hide older lines. */
function isFromBefore(text: string, time: number): boolean {
  const hint = Number(/^\w+ \{"at":(\d+)/.exec(text)?.[1] ?? Number.NaN);
  return hint < time && (valuesIn(text) as Line[]).some(({ at }) => at < time);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns what a settled write adds to a sum; undefined if it adds nothing. */
export type SummandOf = (settled: Settled) => Summand | undefined;

interface Summand {
  readonly name: string;
  readonly value: Decimal;
}

/** Sums by name. */
export type Sums = ReadonlyMap<string, Decimal>;

/** A line with the sums of all earlier lines of the file. */
export interface SumsLine {
  /** The offset of the first line that is not included, in bytes. */
  readonly upTo: number;
  readonly sums: Readonly<Record<string, string>>;
}

/** A line with a settled write. `before` is what an earlier line of the same write has already added to the sums. */
export interface SettledLine {
  readonly settled: Settled;
  readonly before?: Pick<Settled, 'duplicates' | 'notional'>;
}

/** If more than this follows the last sums, new sums are written. It is about 16 orders. */
const MAX_BYTES = 16_384;
const SUMS_MARK = '"sums":';

/**
 * Sums up a day's file. Every order needs the sums, so only the end of the file is read, back to the last line with sums. If
 * that is too much, `keep` receives the next line with sums.
 *
 * A write that two processes settle at the same time may count twice, but never less than once.
 */
function sumsIn(file: string, summandOf: SummandOf, keep: (line: SumsLine) => void): Sums {
  const known = lastSums(file);
  const content = readFrom(file, known.upTo);
  const whole = content.subarray(0, content.lastIndexOf(10) + 1);
  const earlier = new Map(Object.entries(known.sums).map(([name, value]) => [name, Decimal.of(value)]));
  const sums = addUp(summandsIn(settledIn(whole.toString('utf8')), summandOf), earlier);
  if (whole.length > MAX_BYTES) {
    const texts = [...sums].map(([name, value]) => [name, value.toString()]);
    keep({ upTo: known.upTo + whole.length, sums: Object.fromEntries(texts) });
  }
  return sums;
}

/** The part of a day's sums that comes from some jobs. Reads the whole file once, and parses only lines of jobs. */
function sumsOfJobs(ids: ReadonlySet<string>, file: string, summandOf: SummandOf): Sums {
  if (ids.size === 0) return new Map();
  const isOfJob = matchesAll({ operation: 'batch' });
  const lines: SettledLine[] = [];
  for (const line of linesBackwards(file)) if (isOfJob(line)) lines.push(...settledIn(line));
  const own = lines.reverse().filter(({ settled }) => ids.has(settled.write.id));
  return addUp(summandsIn(own, summandOf));
}

function lastSums(file: string): SumsLine {
  for (const line of linesBackwards(file)) {
    // parsing a line costs more than finding it
    if (!line.includes(SUMS_MARK)) continue;
    const [found] = valuesIn(line) as (SumsLine | object)[];
    if (found !== undefined && 'upTo' in found) return found;
  }
  return { upTo: 0, sums: {} };
}

function settledIn(content: string): SettledLine[] {
  return (valuesIn(content) as (SettledLine | object)[]).flatMap((line) => ('settled' in line ? line : []));
}

function addUp(counted: readonly Summand[], earlier: Sums = new Map()): Sums {
  const sums = new Map(earlier);
  for (const { name, value } of counted) sums.set(name, (sums.get(name) ?? Decimal.zero).plus(value));
  return sums;
}

function summandsIn(lines: readonly SettledLine[], summandOf: SummandOf): Summand[] {
  const byWrite = new Map<string, Summand[]>();
  for (const { settled, before } of lines) {
    const { id } = settled.write;
    const [now, then] = [summandOf(settled), before && summandOf({ ...settled, ...before })];
    const counted = now === undefined ? [] : [{ ...now, value: now.value.minus(then?.value ?? Decimal.zero) }];
    byWrite.set(id, before === undefined ? counted : [...(byWrite.get(id) ?? []), ...counted]);
  }
  return [...byWrite.values()].flat();
}
