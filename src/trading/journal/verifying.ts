import fs from 'node:fs';
import path from 'node:path';
import { codeOf, FILE_MODE, FOLDER_MODE } from '../../config/private.js';
import type { Archive } from './archive.js';
import { namesIn } from './files.js';
import { type Intent, isOf, type JournalEvent, listOf, type MarketSide, type Settled } from './intent.js';
import { lineOf } from './lines.js';
import { fileName, recordOf } from './record.js';

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
