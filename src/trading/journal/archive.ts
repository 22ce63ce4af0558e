import fs from 'node:fs';
import path from 'node:path';
import type { Decimal } from '../../domain/decimal.js';
import { syncFolder } from '../../platform/files/private-files.js';
import { ArchiveIndex } from './archive-index.js';
import { type ArchiveLine, archiveLineIn, isOfCancelled, type SettledLine } from './archive-line.js';
import { DaySums, DISORDER_MS, TIME_OF_LINE } from './day-sums.js';
import { appendDurably, encodeLine, linesBackwards, linesForwards, moveIfExists, namesIn, sizeOf } from './files.js';
import { dayNotionalOf, notionalOfFilled } from './notional.js';
import { type CancelledOrder, isKind, ordersMadeBy, type Settled } from './write.js';

/** Of `2026-11-25`, with which the names of files begin. */
const DAY_LENGTH = 10;
/** So many days on which something was settled are kept; what was settled before them is forgotten. */
const KEPT_DAYS = 14;
const DAY_MS = 86_400_000;
/** Nearly all lines are shorter. */
const LINE_BYTES = 4_096;

const QUOTED = /"([^"]*)"/g;

type FilterField = 'id' | 'clientId' | 'operation' | 'market' | 'side' | 'account' | 'coin';

/** Names and values that must occur somewhere in a line's JSON; `{}` matches every line. */
export type LineFilter = Readonly<Partial<Record<FilterField, string> & { unexpected: true }>>;

/** How far the archive was read: by the name of a file, where its last whole line ended, in bytes. */
export type ArchivePosition = Readonly<Record<string, number>>;

interface ArchivedLine {
  readonly settled: Settled;
  readonly file: string;
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
}

/**
 * Settled writes and cancelled orders, in one file for each UTC day. Files only grow, a line at a time, so any number of processes can add to
 * them; old ones are deleted whole.
 */
export class Archive {
  readonly #folder: string;
  readonly #jobs: string;
  readonly #now: () => number;
  readonly #sums: DaySums;
  readonly #index: ArchiveIndex;

  /**
   * @param jobs the folder of settled jobs; a file's name begins with the day on which its job was settled
   * @param sums those of the folder
   */
  constructor(folder: string, jobs: string, now: () => number, sums = new DaySums(folder)) {
    this.#folder = folder;
    this.#jobs = jobs;
    this.#now = now;
    this.#sums = sums;
    this.#index = new ArchiveIndex(folder);
  }

  /** Adds a settled write durably. If a write is added again, the last line counts. Throws the system's error. */
  add(settled: Settled): void {
    this.#add({ at: this.#now(), day: dayNotionalOf(settled), settled });
  }

  /** Adds that pit saw an order cancelled. Throws the system's error. */
  addCancelled(cancelled: CancelledOrder): void {
    this.#add({ at: this.#now(), cancelled });
  }

  #add(line: ArchiveLine): void {
    const file = path.join(this.#folder, `${dayOf(line.at)}.jsonl`);
    const isNewDay = !fs.existsSync(file);
    appendDurably(file, encodeLine(line));
    if (!isNewDay) return;
    syncFolder(this.#folder);
    this.#prune();
  }

  /**
   * From now on an order that is closed counts for the limit of its day what it has filled, and not in full. One that the network made
   * twice goes on counting in full. Throws the system's error.
   */
  countFilled(id: string, filled: string): void {
    const settled = this.find(id);
    if (settled === undefined || settled.outcome !== 'placed' || settled.duplicates.length > 0) return;
    const { write } = settled;
    if (isKind(write, 'order')) this.add({ ...settled, notional: notionalOfFilled(write, filled).toString() });
  }

  /**
   * Yields the writes that were settled at or after a time, newest first, each once with its last line. Lines are read on
   * demand, and only lines that match the filter are parsed, because a busy account has many. Damaged lines are left out.
   */
  newestFirst(filter: LineFilter, since: number): Generator<Settled> {
    return this.#lastLines(since, textsOf(filter));
  }

  /** The writes that were settled at or after a time, oldest first. */
  since(time: number, filter: LineFilter = {}): Settled[] {
    return [...this.newestFirst(filter, time)].reverse();
  }

  /**
   * The total of one UTC day's orders in a quote coin.
   * @param midnight the beginning of the day, in milliseconds since the Unix epoch
   * @param except the ids of writes that do not count
   */
  notionalOfDay(midnight: number, quote: string, except: ReadonlySet<string>): Decimal {
    return this.#sums.notionalOf(midnight, this.#filesSince(midnight - DISORDER_MS), quote, except);
  }

  /** A settled write of the days that are kept. */
  find(id: string): Settled | undefined {
    for (const settled of this.newestFirst({ id }, 0)) if (settled.write.id === id) return settled;
    return undefined;
  }

  /** The newest settled write with a client id that the user chose. */
  findByClientId(clientId: string): Settled | undefined {
    for (const settled of this.newestFirst({ clientId }, 0)) if (settled.write.clientId === clientId) return settled;
    return undefined;
  }

  /** The write that made an order, also as a duplicate. The orders of a batch are in its own record. */
  findByOrder(id: string): Settled | undefined {
    for (const settled of this.#lastLines(0, [`"${id}"`])) if (ordersMadeBy(settled).includes(id)) return settled;
    return undefined;
  }

  /**
   * The write that was settled since a time and made this order or withdrawal, also as a duplicate. The orders of a batch are in its
   * own record.
   * @param besides the id of a write that does not count
   */
  makerOf(id: string, since: number, besides: string): Settled | undefined {
    for (const settled of this.#lastLines(since, [`"${id}"`])) {
      const { write, duplicates } = settled;
      if (write.id === besides || isKind(write, 'replace')) continue;
      if (settled.id === id || duplicates.includes(id)) return settled;
    }
    return undefined;
  }

  /** How far the archive reaches now, but for the lines of today and yesterday. */
  positionOfYesterday(): ArchivePosition {
    const yesterday = dayOf(this.#now() - DAY_MS);
    const older = namesIn(this.#folder).filter((name) => name.slice(0, DAY_LENGTH) < yesterday);
    return Object.fromEntries(older.map((name) => [name, sizeOf(path.join(this.#folder, name))]));
  }

  /**
   * The lines after a position that were written at or after a time and contain all these texts, in the order in which they were written
   * to their files, and the position after them. What is being written at this moment comes after that.
   */
  linesAfter(position: ArchivePosition, since: number, texts: readonly string[]) {
    const lines: ArchivedLine[] = [];
    const ends: Record<string, number> = {};
    let bytes = 0;
    for (const name of namesIn(this.#folder)) {
      const file = path.join(this.#folder, name);
      const from = position[name] ?? 0;
      const size = sizeOf(file);
      ends[name] = from;
      if (size === from) continue;
      // a file that is shorter than it was is another one
      const start = size < from ? 0 : from;
      for (const { text, offset, end } of linesForwards(file, start)) {
        bytes += end - offset;
        ends[name] = end;
        const line = texts.every((one) => text.includes(one)) ? settledLineIn(text) : undefined;
        if (line !== undefined && line.at >= since) lines.push({ settled: line.settled, file: name, offset });
      }
    }
    return { lines, position: ends as ArchivePosition, bytes };
  }

  /** The settled write of the line that begins there; undefined if the file was deleted, or that is no line. */
  lineAt(name: string, offset: number): Settled | undefined {
    const line = this.#lineAt(name, offset);
    return line !== undefined && 'settled' in line ? line.settled : undefined;
  }

  /**
   * Yields the lines since a time that name one of these orders or withdrawals, newest first, each with the time at which it was written.
   * Only such lines are parsed, because a busy account has many.
   */
  *naming(ids: ReadonlySet<string>, since: number): Generator<{ readonly settled: Settled; readonly at: number }> {
    if (ids.size === 0) return;
    for (const text of this.#textsBackwards(since, [])) {
      const isMeant = [...text.matchAll(QUOTED)].some(([, word = '']) => ids.has(word));
      const line = isMeant ? settledLineIn(text) : undefined;
      if (line !== undefined) yield line;
    }
  }

  /** Which of these orders pit saw cancelled or has replaced, each with the line that says so. */
  cancelledAmong(ids: ReadonlySet<string>): ReadonlyMap<string, ArchiveLine> {
    const found = new Map<string, ArchiveLine>();
    if (ids.size === 0) return found;
    for (const [file, orders] of this.#index.orders())
      for (const [id, offset] of orders) {
        const line = ids.has(id) ? this.#lineAt(file, offset) : undefined;
        // a later one counts
        if (line !== undefined && isOfCancelled(line, id)) found.set(id, line);
      }
    return found;
  }

  /** Whether pit saw an order cancelled, or has replaced it. */
  wasCancelled(id: string): boolean {
    const parts = textsOf({ id });
    for (const text of this.#textsBackwards(0, parts)) {
      const line = parts.every((part) => text.includes(part)) ? archiveLineIn(text) : undefined;
      if (line !== undefined && isOfCancelled(line, id)) return true;
    }
    return false;
  }

  /** The markets of all settled writes and cancelled orders. */
  markets(): readonly string[] {
    return this.#index.markets();
  }

  /** The coins of all settled withdrawals. */
  coins(): readonly string[] {
    return this.#index.coins();
  }

  /** The client ids of the orders that single writes made, also as duplicates, by the ids of the orders. */
  clientIds(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const [, orders] of this.#index.orders())
      for (const [id, , clientId] of orders) if (clientId !== null) found.set(id, clientId);
    return found;
  }

  /** Keeps the record of a settled job for as long as its summary here. Throws the system's error. */
  keepJob(file: string, id: string): void {
    moveIfExists(file, path.join(this.#jobs, `${dayOf(this.#now())}-${id}`));
  }

  /** The path of a settled job's record; undefined if it was resumed or deleted. */
  jobFile(id: string): string | undefined {
    const found = namesIn(this.#jobs).findLast((name) => name.slice('YYYY-MM-DD-'.length) === id);
    return found === undefined ? undefined : path.join(this.#jobs, found);
  }

  /** Counts days instead of reading a clock: one that is set forward must not make pit forget today's orders. */
  #prune(): void {
    const oldest = namesIn(this.#folder).at(-KEPT_DAYS)?.slice(0, DAY_LENGTH);
    if (oldest === undefined) return;
    for (const folder of [this.#folder, this.#jobs])
      for (const name of namesIn(folder)) if (name < oldest) fs.rmSync(path.join(folder, name), { force: true });
  }

  /** As {@link #backwards}, each write once. */
  *#lastLines(since: number, parts: readonly string[]): Generator<Settled> {
    const seen = new Set<string>();
    for (const settled of this.#backwards(since, parts)) {
      if (seen.has(settled.write.id)) continue;
      seen.add(settled.write.id);
      yield settled;
    }
  }

  /** The writes in lines that contain all parts, newest first, back to a time. */
  *#backwards(since: number, parts: readonly string[]): Generator<Settled> {
    for (const text of this.#textsBackwards(since, parts)) {
      const line = parts.every((part) => text.includes(part)) ? settledLineIn(text) : undefined;
      if (line !== undefined) yield line.settled;
    }
  }

  /** Lines that are not empty, newest first, back to a time: at least all that contain these parts. */
  *#textsBackwards(since: number, parts: readonly string[]): Generator<string> {
    const from = since - DISORDER_MS;
    for (const file of this.#filesSince(from).reverse()) {
      for (const text of linesBackwards(file, { from: 0 }, parts)) {
        if (Number(TIME_OF_LINE.exec(text)?.[1] ?? Number.NaN) < from) return;
        if (text !== '') yield text;
      }
    }
  }

  #lineAt(name: string, offset: number): ArchiveLine | undefined {
    for (const { text } of linesForwards(path.join(this.#folder, name), offset, LINE_BYTES)) return archiveLineIn(text);
    return undefined;
  }

  #filesSince(time: number): string[] {
    const names = namesIn(this.#folder).filter((name) => name >= dayOf(time));
    return names.map((name) => path.join(this.#folder, name));
  }
}

function settledLineIn(text: string): SettledLine | undefined {
  const line = archiveLineIn(text);
  return line !== undefined && 'settled' in line ? line : undefined;
}

/**
 * The texts that a line contains if it matches a filter. They are looked for first because parsing is far slower. A line that contains
 * them may still be about something else; a line that does not is never needed.
 */
function textsOf(filter: LineFilter): string[] {
  return Object.entries(filter).map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, DAY_LENGTH);
}
