import fs from 'node:fs';
import path from 'node:path';
import { codeOf, FOLDER_MODE } from '../../config/private.js';
import { namesIn } from './files.js';
import { type Intent, listOf, type MarketSide } from './intent.js';
import { fileName } from './record.js';

/** Settled writes whose requests may still be carried out again: their files, named by the list that would show it. */
export const VERIFYING = 'verifying';

const SEPARATOR = '~';

/** Takes the file of an open write there. One that is gone was settled by another process. */
export function moveToVerifying(file: string, intent: Intent): void {
  const folder = path.join(path.dirname(path.dirname(file)), VERIFYING);
  const list = listOf(intent);
  if (list === undefined) return;
  const name = [fileName(intent.id), intent.time, suffixOf(list)].join(SEPARATOR);
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

/** The files there of what one list shows, sorted. */
export function verifyingOf(folder: string, list: MarketSide | { readonly coin: string }): string[] {
  const suffix = `${SEPARATOR}${suffixOf(list)}`;
  return filesIn(folder, (name) => name.endsWith(suffix));
}

/** The files there of one write, the newest last: an id that the user chose may have been used again. */
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
