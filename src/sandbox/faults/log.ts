import { closeSync, existsSync, fstatSync, renameSync, writeSync } from 'node:fs';
import { readTextBounded } from '../../platform/files/bounded-file.js';
import { openPrivate } from '../../platform/files/private-files.js';
import { diskTrouble } from '../failures.js';
import { readQuery, splitTarget } from '../server/parameters.js';
import type { FaultKind } from './rules.js';

/** A fault that was applied, and what was really executed. */
export interface FaultEntry {
  /** Counts from 1 and continues after a restart. */
  readonly number: number;
  /** When its last execution ended, or was refused, by the machine's clock: ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly rule: number;
  readonly kind: FaultKind;
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** One for each time that the request was executed. */
  readonly executions: readonly Effects[];
}

/** When the newer half of the log reaches this many bytes, the older one is dropped. */
const HALF = 8_000_000;

/** The most entries that are returned at once. */
const ENTRIES_AT_ONCE = 1000;

/**
 * The applied faults, one JSON object per line, in a file that outlives the sandbox. Its size is bounded: a full file becomes
 * the older half and replaces the one before.
 */
export class FaultLog {
  readonly #file: string;

  #written = 0;

  constructor(file: string) {
    this.#file = file;

    this.#written = this.#lines().at(-1)?.number ?? 0;
  }

  /** Numbers the entry and writes it. If the disk is full, the entry is lost, but the fault is still applied. */
  add(entry: Omit<FaultEntry, 'number'>): void {
    this.#written += 1;
    try {
      this.#write({ number: this.#written, ...entry });
    } catch (error) {
      if (diskTrouble(error) === undefined) throw error;
    }
  }

  #write(entry: FaultEntry): void {
    const descriptor = openPrivate(this.#file, 'a');
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    const full = fstatSync(descriptor).size > HALF;
    closeSync(descriptor);
    if (full) renameSync(this.#file, `${this.#file}.1`);
  }

  /** The entries after a number, oldest first. */
  after(number: number): FaultEntry[] {
    if (number >= this.#written) return [];
    return this.#lines()
      .filter((entry) => entry.number > number)
      .slice(0, ENTRIES_AT_ONCE);
  }

  #lines(): FaultEntry[] {
    return [`${this.#file}.1`, this.#file].flatMap((file) => (existsSync(file) ? entriesIn(file) : []));
  }
}

/** Leaves out a line that a kill cut off. */
function entriesIn(file: string): FaultEntry[] {
  return readTextBounded(file, 2 * HALF)
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as FaultEntry] : []));
}

/** What one execution of a request changed. */
export interface Effects {
  /** Ids of orders that were placed. */
  readonly placed: readonly string[];
  /** The orders that were cancelled, each by the id or client id in the request. */
  readonly cancelled: readonly string[];
  /** Ids of withdrawals. */
  readonly withdrawn: readonly string[];
  /** The return code; null for answers without one: market data and getOrder. */
  readonly code: number | null;
}

/** Never logged: secrets, and what every signed request has. */
const SECRET: ReadonlySet<string> = new Set(['sign', 'accesskey', 'safePwd', 'reqTime', 'method']);

/** The parameters of a request without secrets; none if they cannot be read. */
export function parametersOf(url: string): Record<string, string> {
  try {
    const given = readQuery(splitTarget(url).query);
    return Object.fromEntries([...given].filter(([name]) => !SECRET.has(name)));
  } catch {
    return {};
  }
}

/** Reads what was done from the exchange's own answer. Ids keep all their digits. */
export function effectsOf(operation: string, parameters: Readonly<Record<string, string>>, body: string): Effects {
  const [, code] = /^\{"code":"?(\d{4})"?[,}]/.exec(body) ?? [];
  const done = code === '1000';
  const [, id] = /"id":"(\d+)"\}$/.exec(body) ?? [];
  const [, list] = /"data":\[([\d,]*)\]\}$/.exec(body) ?? [];
  const placed = operation === 'order' ? [id] : operation === 'orderMoreV2' ? (list ?? '').split(',') : [];
  const cancelled = operation === 'cancelOrder' ? [parameters.id || parameters.customerOrderId] : [];
  const withdrawn = operation === 'withdraw' ? [id] : [];
  const presentIds = (ids: readonly (string | undefined)[]) => (done ? ids.flatMap((one) => one || []) : []);
  return {
    placed: presentIds(placed),
    cancelled: presentIds(cancelled),
    withdrawn: presentIds(withdrawn),
    code: code === undefined ? null : Number(code),
  };
}
