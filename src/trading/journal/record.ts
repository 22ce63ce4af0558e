import fs from 'node:fs';
import path from 'node:path';
import { codeOf, FILE_MODE, FOLDER_MODE } from '../../config/private.js';
import { Failure } from '../../errors.js';
import type { Archive } from './archive.js';
import { namesIn, readIfThere } from './files.js';
import { type Intent, isOf, type JournalEvent, listOf, type MarketSide, type Settled } from './intent.js';
import { lineOf, valuesIn } from './lines.js';

/** The content of an entry's file: the intent, and what has happened since, oldest first. */
interface OpenRecord {
  readonly intent: Intent;
  readonly happened: JournalEvent[];
}

type Line = { readonly intent: Intent } | JournalEvent;

/** The text of a new entry's file. */
export function recordOf(intent: Intent): string {
  return lineOf({ intent });
}

/**
 * Reads the file of an entry; `damaged` if it holds no intent, the failure if it could not be read, undefined if it has just
 * been settled.
 */
export function readRecord(file: string): OpenRecord | Failure | 'damaged' | undefined {
  const content = contentOf(file);
  if (content === undefined || content instanceof Failure) return content;
  const lines = valuesIn(content) as Line[];
  const intent = lines.flatMap((line) => ('intent' in line ? line.intent : [])).at(-1);
  return intent === undefined ? 'damaged' : { intent, happened: eventsAmong(lines) };
}

/** The events since the intent, from the text of an entry's file. */
export function eventsIn(content: string): JournalEvent[] {
  return eventsAmong(valuesIn(content) as Line[]);
}

function eventsAmong(lines: readonly Line[]): JournalEvent[] {
  return lines.flatMap((line) => ('intent' in line ? [] : line));
}

/** An unreadable file, such as another user's, is only reported: no other write waits for it. */
function contentOf(file: string): string | Failure | undefined {
  try {
    return readIfThere(file);
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
}

/** The path of an entry. Some file systems take `A` for `a`, and the exchange does not. */
export function fileName(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function idOf(file: string): string {
  return path.basename(file).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Settled writes whose requests may still be executed again: their files, named by the list that would show it. */
export const VERIFYING = 'verifying';

const SEPARATOR = '~';

/** Moves the file of an open write there. A missing one was settled by another process. */
export function moveToVerifying(file: string, intent: Intent): void {
  const folder = path.join(path.dirname(path.dirname(file)), VERIFYING);
  const name = nameOf(intent);
  if (name === undefined) return;
  const move = () => fs.renameSync(file, path.join(folder, name));
  try {
    move();
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT' || !fs.existsSync(file)) {
      if (codeOf(thrown) === 'ENOENT') return;
      throw thrown;
    }
    fs.mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    move();
  }
}

/** Makes one for a settled write that is only in the archive, and for a job with a file beside it. */
export function adopt(folder: string, { intent, outcome, id, duplicates, events }: Settled, archive: Archive): void {
  const name = nameOf(intent);
  if (name === undefined) return;
  const file = path.join(folder, name);
  const kept = isOf(intent, 'orderMoreV2') ? archive.kept(fileName(intent.id)) : undefined;
  if (kept !== undefined) fs.renameSync(kept, file);
  if (isOf(intent, 'orderMoreV2')) return;
  const [last = { time: intent.time, event: outcome }] = events.slice(-1);
  const settled: JournalEvent = { ...last, settled: { outcome, id, duplicates } };
  fs.writeFileSync(file, recordOf(intent) + lineOf(settled), { mode: FILE_MODE });
}

/** The name of a write's file there; undefined for one that no list shows. */
function nameOf(intent: Intent): string | undefined {
  const list = listOf(intent);
  return list === undefined ? undefined : [fileName(intent.id), intent.time, suffixOf(list)].join(SEPARATOR);
}

/** The files there of what one list shows, sorted. */
export function verifyingOf(folder: string, list: MarketSide | { readonly coin: string }): string[] {
  const suffix = `${SEPARATOR}${suffixOf(list)}`;
  return filesIn(folder, (name) => name.endsWith(suffix));
}

/** The files there of one write, newest last: an id that the user chose may have been used again. */
export function verifyingNamed(folder: string, id: string): string[] {
  return filesIn(folder, (name) => name.startsWith(`${fileName(id)}${SEPARATOR}`));
}

function filesIn(folder: string, isMeant: (name: string) => boolean): string[] {
  return namesIn(folder)
    .filter(isMeant)
    .map((name) => path.join(folder, name));
}

function suffixOf(list: MarketSide | { readonly coin: string }): string {
  const words = 'coin' in list ? [list.coin] : [list.market, list.side];
  return words.map(encodeURIComponent).join(SEPARATOR);
}
