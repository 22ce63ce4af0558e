import fs from 'node:fs';
import path from 'node:path';
import type { Archive, ArchivePosition } from './archive.js';
import { create, ignoringDiskErrors, namesIn, readIfExists, valueInLine } from './files.js';
import { listShowing, type RecordedWrite, type Settled, type ShowingList } from './write.js';

/** A mark is no further than this before the end of the archive, in bytes: what is open further back is watched. */
const LONGEST_REST = 131_072;

/** If a mark is lost, what was settled earlier counts as closed, in milliseconds: nothing of it can be executed any more. */
const LOST_MARK_MS = 3_600_000;

/** Separates the parts of the name of a mark. */
const SEPARATOR = '~';

/** How often a list is read back to its first open write as a side effect of another command. */
const READ_INTERVAL_MS = 60_000;

/** A list that was not read yet was read then. JSON has no number that is earlier. */
const NEVER = Number.MIN_SAFE_INTEGER;

/** A settled write that a list may still show more of. */
export interface Watched {
  readonly settled: Settled;
  /** Its requests are over: it is watched only in case an order that does not exist appears after all. */
  readonly isClosed: boolean;
}

/** What a list has shown of a settled write whose requests are over. `watched`: in case an order that does not exist appears after all. */
export type ClosedAs = 'over' | 'watched';

/**
 * How far a list of the exchange was held against the archive. Every write with a line before the position is over, everything that it
 * made is known, and every write with a line after it is open: but for the exceptions.
 */
interface Mark {
  /** When the list was last to be read back to its first open write, by this machine's clock in ms since the Unix epoch. */
  readonly readAt: number;
  readonly position: ArchivePosition;
  readonly exceptions: readonly MarkedLine[];
}

/** The line of a write. */
interface MarkedLine {
  readonly id: string;
  readonly file: string;
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
  readonly is: ClosedAs | 'open';
}

/**
 * The marks of all lists, in a file each, which is replaced in one step. A mark says nothing that another process could make wrong: what
 * is settled later has its line after it. If two processes move one at once, some writes are compared twice, and none never.
 */
export class ListMarks {
  readonly #folder: string;
  readonly #archive: Archive;
  readonly #now: () => number;

  constructor(folder: string, archive: Archive, now: () => number) {
    this.#folder = folder;
    this.#archive = archive;
    this.#now = now;
  }

  /** The lists with a mark. */
  lists(): ShowingList[] {
    return namesIn(this.#folder).flatMap((name) => listOf(name) ?? []);
  }

  /** Makes the mark of a list that has none, before the line of its first settled write. Throws the system's error. */
  ensure(list: ShowingList): void {
    if (!fs.existsSync(this.#fileOf(list))) this.#move(list);
  }

  /** The settled writes that a list may still show more of, oldest first. */
  watched(list: ShowingList): Watched[] {
    const { found, bytes } = this.#read(list);
    // else a list with no newer writes of its own would read all those of other lists each time
    if (bytes > 2 * LONGEST_REST) ignoringDiskErrors(() => this.#move(list));
    return found
      .flatMap(({ settled, line }) => (line.is === 'over' ? [] : { settled, isClosed: line.is === 'watched' }))
      .sort((one, other) => one.settled.write.time - other.settled.write.time);
  }

  /** Closes these writes of a list and moves its mark. If the disk fails, the next reading of the list does so. */
  close(list: ShowingList, closings: ReadonlyMap<string, ClosedAs>): void {
    if (closings.size > 0) ignoringDiskErrors(() => this.#move(list, closings));
  }

  #move(list: ShowingList, closings: ReadonlyMap<string, ClosedAs> = new Map()): void {
    const { mark, found, end } = this.#read(list);
    const lines = found.map(({ line }) => ({ ...line, is: closings.get(line.id) ?? line.is }));
    this.#write(list, markOf(lines, end, mark?.readAt));
  }

  /** Whether a list is to be read back to its first open write now, because one is over; notes that it is. */
  isDue(list: ShowingList, isOver: (write: RecordedWrite) => boolean): boolean {
    const mark = this.#markOf(list);
    const since = this.#now() - (mark?.readAt ?? NEVER);
    // the clock may have been set back
    if (since >= 0 && since < READ_INTERVAL_MS) return false;
    if (!this.watched(list).some(({ settled, isClosed }) => !isClosed && isOver(settled.write))) return false;
    if (mark !== undefined) ignoringDiskErrors(() => this.#write(list, { ...mark, readAt: this.#now() }));
    return true;
  }

  /** The exceptions of a list's mark and the writes with a line after it, each with its last line. */
  #read(list: ShowingList) {
    const mark = this.#markOf(list);
    const found = new Map<string, { readonly settled: Settled; readonly line: MarkedLine }>();
    for (const line of mark?.exceptions ?? []) {
      const settled = this.#archive.lineAt(line.file, line.offset);
      if (settled?.write.id === line.id) found.set(line.id, { settled, line });
    }
    const position = mark?.position ?? this.#archive.positionOfYesterday();
    const since = mark === undefined ? this.#now() - LOST_MARK_MS : Number.NEGATIVE_INFINITY;
    const { lines, position: end, bytes } = this.#archive.linesAfter(position, since, textsOf(list));
    for (const { settled, file, offset } of lines) {
      const { write } = settled;
      if (!isShownBy(write, list)) continue;
      const known = found.get(write.id)?.line;
      // a job that was resumed has made more since, and a correction of another write changes nothing
      const isSame = write.operation !== 'batch' || (known?.file === file && known.offset === offset);
      const is = known !== undefined && isSame ? known.is : 'open';
      found.set(write.id, { settled, line: { id: write.id, file, offset, is } });
    }
    return { mark, found: [...found.values()], end, bytes };
  }

  /** The mark of a list; undefined if there is none, or it is damaged. */
  #markOf(list: ShowingList): Mark | undefined {
    const value = valueInLine(readIfExists(this.#fileOf(list)) ?? '');
    return value !== undefined && isMark(value) ? value : undefined;
  }

  #write(list: ShowingList, mark: Mark): void {
    create(this.#fileOf(list), JSON.stringify(mark), false);
  }

  #fileOf(list: ShowingList): string {
    const words = 'coin' in list ? [list.coin] : [list.market, list.side];
    return path.join(this.#folder, words.map(encoded).join(SEPARATOR));
  }
}

/** The mark before the first of these lines that is open and not too far back, with the exceptions before and after it. */
function markOf(lines: readonly MarkedLine[], end: ArchivePosition, readAt = NEVER): Mark {
  const isFarBack = ({ file, offset }: MarkedLine) => offset < (end[file] ?? 0) - LONGEST_REST;
  const first = new Map(Object.entries(end));
  for (const line of lines)
    if (line.is === 'open' && !isFarBack(line)) first.set(line.file, Math.min(first.get(line.file) ?? 0, line.offset));
  const isAfter = ({ file, offset }: MarkedLine) => offset >= (first.get(file) ?? 0);
  const exceptions = lines.filter(
    (line) => line.is === 'watched' || (line.is === 'over' ? isAfter(line) : !isAfter(line)),
  );
  return { readAt, position: Object.fromEntries(first), exceptions };
}

/** The list of a mark, by its name; undefined for another file. */
function listOf(name: string): ShowingList | undefined {
  const [word = '', side, ...more] = name.split(SEPARATOR);
  const named = decoded(word);
  if (named === undefined || more.length > 0) return undefined;
  if (side === undefined) return { coin: named };
  return side === 'buy' || side === 'sell' ? { market: named, side } : undefined;
}

function encoded(word: string): string {
  return encodeURIComponent(word).replaceAll(SEPARATOR, '%7E');
}

function decoded(word: string): string | undefined {
  try {
    return decodeURIComponent(word);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** The texts that every line of a list's writes contains. */
function textsOf(list: ShowingList): string[] {
  const text = (name: string, value: string) => `"${name}":${JSON.stringify(value)}`;
  return 'coin' in list ? [text('coin', list.coin)] : [text('market', list.market), text('side', list.side)];
}

function isShownBy(write: RecordedWrite, list: ShowingList): boolean {
  const own = listShowing(write);
  if (own === undefined) return false;
  if ('coin' in own) return 'coin' in list && own.coin === list.coin;
  return 'market' in list && own.market === list.market && own.side === list.side;
}

function isMark(value: object): value is Mark {
  const { readAt, position, exceptions } = value as Partial<Mark>;
  return (
    typeof readAt === 'number' &&
    typeof position === 'object' &&
    position !== null &&
    Object.values(position).every((end) => typeof end === 'number') &&
    Array.isArray(exceptions) &&
    exceptions.every(isMarkedLine)
  );
}

function isMarkedLine(value: Partial<MarkedLine> | null): boolean {
  const { id, file, offset, is } = value ?? {};
  const isPlaced = typeof id === 'string' && typeof file === 'string' && typeof offset === 'number';
  return isPlaced && (is === 'open' || is === 'over' || is === 'watched');
}
