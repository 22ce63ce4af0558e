import { closeSync, existsSync, fstatSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { diskTrouble, openPrivate } from '../disk.js';
import { readQuery, splitTarget } from '../server/parameters.js';
import type { FaultKind } from './rules.js';

/** A fault that was applied, with what was really done. */
export interface FaultEntry {
  /** Counts from 1 and goes on over a restart. */
  readonly number: number;
  /** When its last execution ended, or it was refused one, by the machine's clock: ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly rule: number;
  readonly kind: FaultKind;
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** One for each time that the request was carried out. */
  readonly executions: readonly Effects[];
}

/** The older half of the log is dropped when the newer one has this many bytes. */
const HALF = 8_000_000;

/** The most entries that are given at once. */
const ENTRIES_AT_ONCE = 1000;

/**
 * The applied faults, in a file of one JSON object a line that outlives the sandbox. Its size is bounded: a full file is
 * kept beside as the older half, and the half before it is dropped.
 */
export class FaultLog {
  private written = 0;

  constructor(private readonly file: string) {
    this.written = this.lines().at(-1)?.number ?? 0;
  }

  /** Gives the entry its number and writes it. A full disk loses the entry: the fault itself goes on as it was asked for. */
  add(entry: Omit<FaultEntry, 'number'>): void {
    this.written += 1;
    try {
      this.write({ number: this.written, ...entry });
    } catch (error) {
      if (diskTrouble(error) === undefined) throw error;
    }
  }

  private write(entry: FaultEntry): void {
    const descriptor = openPrivate(this.file, 'a');
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    const full = fstatSync(descriptor).size > HALF;
    closeSync(descriptor);
    if (full) renameSync(this.file, `${this.file}.1`);
  }

  /** Oldest first: those that follow a number. */
  after(number: number): FaultEntry[] {
    if (number >= this.written) return [];
    return this.lines()
      .filter((entry) => entry.number > number)
      .slice(0, ENTRIES_AT_ONCE);
  }

  private lines(): FaultEntry[] {
    return [`${this.file}.1`, this.file].flatMap((file) => (existsSync(file) ? entriesIn(file) : []));
  }
}

/** A line that a kill cut off is left out. */
function entriesIn(file: string): FaultEntry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as FaultEntry] : []));
}

/** What one execution of a request changed. */
export interface Effects {
  /** Ids of orders that were placed. */
  readonly placed: readonly string[];
  /** The orders that were cancelled, each by the id or the client's id that the request named. */
  readonly cancelled: readonly string[];
  /** Ids of withdrawals. */
  readonly withdrawn: readonly string[];
  /** The return code; null for market data and for flat answers, which have none. */
  readonly code: number | null;
}

/** Never written down: what signs, and what pays. */
const SECRET: ReadonlySet<string> = new Set(['sign', 'accesskey', 'safePwd', 'reqTime', 'method']);

/** The parameters of a request without secrets; none where they cannot be read. */
export function parametersOf(url: string): Record<string, string> {
  try {
    const given = readQuery(splitTarget(url).query);
    return Object.fromEntries([...given].filter(([name]) => !SECRET.has(name)));
  } catch {
    return {};
  }
}

/** Reads what was done out of the exchange's own answer; ids keep all their digits. */
export function effectsOf(operation: string, parameters: Readonly<Record<string, string>>, body: string): Effects {
  const [, code] = /^\{"code":"?(\d{4})"?[,}]/.exec(body) ?? [];
  const done = code === '1000';
  const [, id] = /"id":"(\d+)"\}$/.exec(body) ?? [];
  const [, list] = /"data":\[([\d,]*)\]\}$/.exec(body) ?? [];
  const placed = operation === 'order' ? [id] : operation === 'orderMoreV2' ? (list ?? '').split(',') : [];
  const cancelled = operation === 'cancelOrder' ? [parameters.id || parameters.customerOrderId] : [];
  const withdrawn = operation === 'withdraw' ? [id] : [];
  const known = (ids: readonly (string | undefined)[]) => (done ? ids.flatMap((one) => one || []) : []);
  return {
    placed: known(placed),
    cancelled: known(cancelled),
    withdrawn: known(withdrawn),
    code: code === undefined ? null : Number(code),
  };
}
