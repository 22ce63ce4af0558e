import path from 'node:path';
import { Decimal } from '../../domain/decimal.js';
import { create, HIDDEN, ignoringDiskErrors, linesBackwards, readIfExists, sizeOf, valueInLine } from './files.js';
import type { DayNotional } from './notional.js';

/** How far lines may be out of order, because several processes write them or a clock was corrected. In milliseconds. */
export const DISORDER_MS = 60_000;

/** The time at which a line of the archive was written. */
export const TIME_OF_LINE = /^\{"at":(\d+)/;
const DAY_OF_LINE = /^\{"at":\d+,"day":(\{[^}]+\}),"settled":/;

/** A process that reads more of the archive than this, in bytes, keeps the sums for the next one. */
const KEPT_AFTER = 32_768;

/** How much of a file of the archive was summed, in bytes: its size then, and where its last whole line ended. */
interface Summed {
  readonly size: number;
  readonly end: number;
}

/** What the orders of a day come to, as far as the files were read. */
interface Day {
  readonly midnight: number;
  /** By the path of the file. */
  readonly read: Map<string, Summed>;
  /** By quote coin. */
  readonly totals: Map<string, Decimal>;
  /** A line `ID QUOTE NOTIONAL` for each write, as text: one in thousands is looked for, and to parse them all would take longer. */
  writes: string;
}

/**
 * What the orders of a UTC day come to. Files of the archive only grow, so each line is summed once: in memory, because an algo order may
 * settle a child every second, and in a file beside the archive, because a command is a process of its own. The file is disposable.
 */
export class DaySums {
  readonly #folder: string;
  readonly #keptAfter: number;
  #day: Day | undefined;

  /** @param folder of the archive */
  constructor(folder: string, keptAfter = KEPT_AFTER) {
    this.#folder = folder;
    this.#keptAfter = keptAfter;
  }

  /**
   * The total of a day in a quote coin.
   * @param midnight the beginning of the day, in milliseconds since the Unix epoch
   * @param files those in which writes of the day may be, oldest first
   * @param except the ids of writes that do not count
   */
  notionalOf(midnight: number, files: readonly string[], quote: string, except: ReadonlySet<string>): Decimal {
    const day = this.#dayOf(midnight, files);
    const excepted = [...except].flatMap((id) => {
      const one = findWrite(day, id);
      return one?.quote === quote ? one.notional : [];
    });
    return (day.totals.get(quote) ?? Decimal.zero).minus(Decimal.sum(excepted));
  }

  /** Reads only the lines that were added since the last time. */
  #dayOf(midnight: number, files: readonly string[]): Day {
    const sizes = files.map((file): [string, number] => [file, sizeOf(file)]);
    const isUsable = (day: Day | undefined): day is Day => day?.midnight === midnight && hasOnlyGrown(day, sizes);
    if (!isUsable(this.#day)) {
      const kept = this.#readKept();
      this.#day = isUsable(kept) ? kept : { midnight, read: new Map(), totals: new Map(), writes: '' };
    }
    const day = this.#day;
    const added = new Set<string>();
    let bytes = 0;
    for (const [file, size] of sizes.toReversed()) bytes += addLines(day, file, size, added);
    if (bytes > this.#keptAfter) this.#keep(day);
    return day;
  }

  get #file(): string {
    return path.join(this.#folder, `${HIDDEN}day-sums`);
  }

  #keep({ midnight, read, totals, writes }: Day): void {
    const header: Header = {
      midnight,
      read: [...read].map(([file, summed]) => [path.basename(file), summed]),
      totals: [...totals].map(([quote, total]) => [quote, total.toString()]),
      length: writes.length,
    };
    ignoringDiskErrors(() => create(this.#file, `${JSON.stringify(header)}${writes}`, false));
  }

  /** The sums that a process has kept; undefined if there are none, or they are damaged. */
  #readKept(): Day | undefined {
    const text = readIfExists(this.#file) ?? '';
    const [line = ''] = text.split('\n', 1);
    const header = valueInLine(line);
    const writes = text.slice(line.length);
    if (header === undefined || !isHeader(header) || header.length !== writes.length) return undefined;
    const read = header.read.map(([name, summed]) => [path.join(this.#folder, name), summed] as const);
    const totals = header.totals.map(([quote, total]) => [quote, Decimal.of(total)] as const);
    return { midnight: header.midnight, read: new Map(read), totals: new Map(totals), writes };
  }
}

/** The first line of the file of the sums; the writes follow. */
interface Header {
  readonly midnight: number;
  readonly read: readonly (readonly [name: string, summed: Summed])[];
  readonly totals: readonly (readonly [quote: string, total: string])[];
  /** Of the writes, in characters. */
  readonly length: number;
}

function isHeader(value: object): value is Header {
  const { midnight, read, totals, length } = value as Partial<Header>;
  const isSummed = ({ size, end }: Partial<Summed>) => typeof size === 'number' && typeof end === 'number';
  const isNumeric = (text: unknown) => typeof text === 'string' && Decimal.parse(text) !== undefined;
  return (
    typeof midnight === 'number' &&
    typeof length === 'number' &&
    Array.isArray(read) &&
    read.every((one) => Array.isArray(one) && typeof one[0] === 'string' && isSummed(one[1] ?? {})) &&
    Array.isArray(totals) &&
    totals.every((one) => Array.isArray(one) && typeof one[0] === 'string' && isNumeric(one[1]))
  );
}

/** Whether lines were added to the newest file alone: of two lines of one write, the later one counts. */
function hasOnlyGrown({ read }: Day, sizes: readonly (readonly [string, number])[]): boolean {
  const sizeOf = new Map(sizes);
  const areOlderSame = sizes.slice(0, -1).every(([file, size]) => read.get(file)?.size === size);
  return areOlderSame && [...read].every(([file, { size }]) => (sizeOf.get(file) ?? 0) >= size);
}

/**
 * Adds the lines of a file that were not read yet, up to a size. Returns how many bytes were read.
 * @param added the ids of writes that already have a later line in this pass
 */
function addLines(day: Day, file: string, size: number, added: Set<string>): number {
  const { midnight, read } = day;
  const { end: from, size: before } = read.get(file) ?? { end: 0, size: 0 };
  if (size === before) return 0;
  let isWhole: boolean | undefined;
  for (const text of linesBackwards(file, { from, to: size })) {
    // what is after the last line feed was cut off, or is being written
    isWhole ??= text === '';
    if (Number(TIME_OF_LINE.exec(text)?.[1] ?? Number.NaN) < midnight - DISORDER_MS) break;
    const one = valueInLine(DAY_OF_LINE.exec(text)?.[1] ?? '') as DayNotional | undefined;
    if (one === undefined || added.has(one.id) || one.time < midnight) continue;
    added.add(one.id);
    addNotional(day, one);
  }
  read.set(file, { size, end: isWhole === true ? size : from });
  return size - from;
}

/** Adds what a write comes to, in place of what it came to before. */
function addNotional(day: Day, { id, quote, notional }: DayNotional): void {
  const replaced = findWrite(day, id);
  if (replaced !== undefined) addTo(day.totals, replaced.quote, Decimal.zero.minus(replaced.notional));
  day.writes += `\n${id} ${quote} ${notional}`;
  addTo(day.totals, quote, Decimal.of(notional));
}

/** What a write comes to by its last line. */
function findWrite({ writes }: Day, id: string): { readonly quote: string; readonly notional: Decimal } | undefined {
  const start = writes.lastIndexOf(`\n${id} `);
  if (start === -1) return undefined;
  const end = writes.indexOf('\n', start + 1);
  const [, quote = '', notional = '0'] = writes.slice(start + 1, end === -1 ? undefined : end).split(' ');
  return { quote, notional: Decimal.of(notional) };
}

function addTo(totals: Map<string, Decimal>, quote: string, amount: Decimal): void {
  totals.set(quote, (totals.get(quote) ?? Decimal.zero).plus(amount));
}
