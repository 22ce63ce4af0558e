import { grouped } from '../domain/decimal.js';
import { bars } from './bar.js';
import type { Screen } from './screen.js';
import { displayWidth } from './text.js';

/** How far something has come. */
interface Advance {
  readonly done: number;
  readonly total: number;
  /** After the bar if there is room: the time that is left. */
  readonly note?: string;
}

/** A shorter bar shows nothing, and a longer one shows no more. */
const [SHORTEST, LONGEST] = [8, 30];

/** How far something has come, for a line that is drawn in place: `1,240/10,000 ███▌        12% 8 s`, as far as there is room. */
export function progressBar(screen: Screen, { done, total, note = '' }: Advance, room: number): string {
  const count = `${grouped(String(done))}/${grouped(String(total))}`;
  const percent = `${total === 0 ? 100 : Math.floor((done / total) * 100)}%`.padStart(4);
  const after = note === '' ? percent : `${percent} ${note}`;
  const width = Math.min(LONGEST, room - count.length - displayWidth(after) - 2);
  if (width < SHORTEST) return `${count} ${percent.trim()}`;
  const [bar = ''] = bars(screen, [String(done), String(Math.max(total, 1))], width);
  return `${count} ${bar}${' '.repeat(Math.max(0, width - bar.length))} ${after}`;
}
