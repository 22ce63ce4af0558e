import { Decimal } from '../../domain/decimal.js';
import { linesBackwards } from './backwards.js';
import { readFrom } from './files.js';
import type { Settled } from './intent.js';
import { matchesAll } from './line-filter.js';
import { valuesIn } from './lines.js';

/** A settled write's share of a sum; undefined if it does not count. */
export type ValueOf = (settled: Settled) => Counted | undefined;

interface Counted {
  readonly name: string;
  readonly value: Decimal;
}

/** Sums by name. */
export type Sums = ReadonlyMap<string, Decimal>;

/** The sums of all lines of a file before an offset, as a line of that file. */
export interface SumsLine {
  /** In bytes, at the beginning of a line. */
  readonly upTo: number;
  readonly sums: Readonly<Record<string, string>>;
}

/** A line of a settled write, and what an earlier line for the same write said if that was counted already. */
export interface SettledLine {
  readonly settled: Settled;
  readonly before?: Pick<Settled, 'duplicates' | 'notional'>;
}

/** How much is read repeatedly before the sums are written: about 200 orders. */
const MOST_BYTES = 262_144;
const MARK = '"sums":';

/**
 * Sums up a day's file. Every order needs that, so only the end of the file is read: back to the line with the sums so far.
 * If there is too much to read, `keep` is given the next such line.
 *
 * A write that two processes settled at once may count twice, never less than once.
 */
export function sumsIn(file: string, worth: ValueOf, keep: (line: SumsLine) => void): Sums {
  const known = lastSums(file);
  const content = readFrom(file, known.upTo);
  const whole = content.subarray(0, content.lastIndexOf(10) + 1);
  const earlier = new Map(Object.entries(known.sums).map(([name, value]) => [name, Decimal.of(value)]));
  const sums = summed(countedIn(settledIn(whole.toString('utf8')), worth), earlier);
  if (whole.length > MOST_BYTES) {
    const texts = [...sums].map(([name, value]) => [name, value.toString()]);
    keep({ upTo: known.upTo + whole.length, sums: Object.fromEntries(texts) });
  }
  return sums;
}

/** The share of jobs in the sums of a day's file. Reads the whole file once, and parses only lines of jobs. */
export function sumsOfJobs(ids: ReadonlySet<string>, file: string, worth: ValueOf): Sums {
  if (ids.size === 0) return new Map();
  const isOfJob = matchesAll({ operation: 'orderMoreV2' });
  const lines: SettledLine[] = [];
  for (const line of linesBackwards(file)) if (isOfJob(line)) lines.push(...settledIn(line));
  const own = lines.reverse().filter(({ settled }) => ids.has(settled.intent.id));
  return summed(countedIn(own, worth));
}

function lastSums(file: string): SumsLine {
  for (const line of linesBackwards(file)) {
    // parsing a line costs more than finding it
    if (!line.includes(MARK)) continue;
    const [found] = valuesIn(line) as (SumsLine | object)[];
    if (found !== undefined && 'upTo' in found) return found;
  }
  return { upTo: 0, sums: {} };
}

function settledIn(content: string): SettledLine[] {
  return (valuesIn(content) as (SettledLine | object)[]).flatMap((line) => ('settled' in line ? line : []));
}

function summed(counted: readonly Counted[], earlier: Sums = new Map()): Sums {
  const sums = new Map(earlier);
  for (const { name, value } of counted) sums.set(name, (sums.get(name) ?? Decimal.zero).plus(value));
  return sums;
}

function countedIn(lines: readonly SettledLine[], worth: ValueOf): Counted[] {
  const byWrite = new Map<string, Counted[]>();
  for (const { settled, before } of lines) {
    const { id } = settled.intent;
    const [now, then] = [worth(settled), before && worth({ ...settled, ...before })];
    const counted = now === undefined ? [] : [{ ...now, value: now.value.minus(then?.value ?? Decimal.zero) }];
    byWrite.set(id, before === undefined ? counted : [...(byWrite.get(id) ?? []), ...counted]);
  }
  return [...byWrite.values()].flat();
}
