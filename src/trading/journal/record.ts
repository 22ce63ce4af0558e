import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../errors.js';
import { FILE_MODE } from '../../platform/private-files.js';
import type { Archive } from './archive.js';
import { encodeLine, namesIn, readIfExists, VERSION, valuesIn } from './files.js';
import { isKind, type JournalEvent, listShowing, type MarketSide, type RecordedWrite, type Settled } from './write.js';

/** Separates the parts of the name of a settled write's file. It occurs in no id and no market. */
const SEPARATOR = '~';

/** The content of an entry's file: the write, and what has happened since, oldest first. */
interface OpenRecord {
  readonly write: RecordedWrite;
  readonly laterEvents: JournalEvent[];
}

type Line = { readonly write: RecordedWrite } | JournalEvent;

/** The text of a new entry's file. */
export function recordText(write: RecordedWrite): string {
  return encodeLine({ v: VERSION, write });
}

/**
 * Reads the file of an entry; `damaged` if it holds no write, the failure if it could not be read, undefined if the
 * file does not exist.
 */
export function readRecord(file: string): OpenRecord | Failure | 'damaged' | undefined {
  const content = readContent(file);
  if (content === undefined || content instanceof Failure) return content;
  const lines = valuesIn(content) as Line[];
  const write = lines.flatMap((line) => ('write' in line ? line.write : [])).at(-1);
  return write === undefined ? 'damaged' : { write, laterEvents: eventsOfLines(lines) };
}

/** The events since the write, from the text of an entry's file. */
export function eventsIn(content: string): JournalEvent[] {
  return eventsOfLines(valuesIn(content) as Line[]);
}

function eventsOfLines(lines: readonly Line[]): JournalEvent[] {
  return lines.flatMap((line) => ('write' in line ? [] : line));
}

/** Returns the failure of an unreadable file instead of throwing it. */
function readContent(file: string): string | Failure | undefined {
  try {
    return readIfExists(file);
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
}

/** The file name of an id; capitals are escaped because some file systems ignore case. */
export function fileName(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The id whose file this is: the inverse of {@link fileName}. */
export function idOf(file: string): string {
  return path.basename(file).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The path of a settled write's file; undefined for a write that no list shows. Its name contains the list that would show
 * the write, so that a command reads only the files that it needs. The id can then be used for another write.
 */
export function settledFile(folder: string, write: RecordedWrite): string | undefined {
  const list = listShowing(write);
  if (list === undefined) return undefined;
  return path.join(folder, [fileName(write.id), write.time, suffixOf(list)].join(SEPARATOR));
}

/** Whether a file belongs to an unsettled write: its name is just the id, so no other write can take that id. */
export function isUnsettled(name: string): boolean {
  return /^\w+$/.test(name);
}

/** The files of all settled writes that are not closed. */
export function settledFilesIn(folder: string): string[] {
  return filesIn(folder, (name) => name.includes(SEPARATOR));
}

/** The files of the settled writes that one list shows, sorted. */
export function settledFilesOf(folder: string, list: MarketSide | { readonly coin: string }): string[] {
  const suffix = `${SEPARATOR}${suffixOf(list)}`;
  return filesIn(folder, (name) => name.endsWith(suffix));
}

/** When the settled write of a file was recorded, in milliseconds since the Unix epoch. */
export function timeOfSettledFile(file: string): number {
  return Number(path.basename(file).split(SEPARATOR)[1]);
}

/** The files of one settled write, newest last: an id that the user chose may have been used again. */
export function settledFilesNamed(folder: string, id: string): string[] {
  return filesIn(folder, (name) => name.startsWith(`${fileName(id)}${SEPARATOR}`));
}

/** Restores the file of a write that version 0.2.0 settled. That version removed it, or moved it to `jobs/` if it was a job. */
export function restoreSettledFile(
  folder: string,
  { write, outcome, id, duplicates, events }: Settled,
  archive: Archive,
): void {
  const file = settledFile(folder, write);
  if (file === undefined) return;
  if (isKind(write, 'batch')) {
    const kept = archive.archivedJobFile(fileName(write.id));
    if (kept !== undefined) fs.renameSync(kept, file);
    return;
  }
  const [last = { time: write.time, event: outcome }] = events.slice(-1);
  const settled: JournalEvent = { ...last, settled: { outcome, id, duplicates } };
  fs.writeFileSync(file, recordText(write) + encodeLine(settled), { mode: FILE_MODE });
}

function filesIn(folder: string, matches: (name: string) => boolean): string[] {
  return namesIn(folder)
    .filter(matches)
    .map((name) => path.join(folder, name));
}

function suffixOf(list: MarketSide | { readonly coin: string }): string {
  const words = 'coin' in list ? [list.coin] : [list.market, list.side];
  return words.map(encodeURIComponent).join(SEPARATOR);
}
