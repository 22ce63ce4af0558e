import type { Host } from '../host.js';
import { bars } from './bar.js';
import { grouped } from './numbers.js';
import type { Screen } from './screen.js';
import { safe } from './text.js';
import { displayWidth } from './width.js';

/** How far something has come. */
export interface Advance {
  readonly done: number;
  readonly total: number;
  /** After the bar where there is room: the time that is left. */
  readonly note?: string;
}

const CLEAR_LINE = '\r\u001b[K';
const EVERY_MS = 100;
/** A shorter bar tells nothing. */
const SHORTEST_BAR = 8;

/**
 * One line at the bottom of the terminal that tells how far something has come, drawn over itself. Where stderr is no
 * terminal, or one that cannot move its cursor, nothing is drawn.
 */
export class Progress {
  #isThere = false;
  #last = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly host: Pick<Host, 'errors' | 'now'>,
    private readonly screen: Screen,
  ) {}

  /** Draws a bar: `1,240/10,000 ███▌        12% 8 s`. Not more often than an eye can follow. */
  advance(advance: Advance): void {
    const now = this.host.now();
    if (now - this.#last < EVERY_MS && advance.done < advance.total) return;
    this.#last = now;
    this.#draw(this.#bar(advance));
  }

  /** Draws words in place of the bar. */
  say(words: string): void {
    this.#draw(this.screen.paint.faint(safe(words).slice(0, Math.max(0, this.#room))));
  }

  /** Leaves the line as if nothing had been there. */
  clear(): void {
    if (this.#isThere) this.host.errors.write(CLEAR_LINE);
    this.#isThere = false;
    this.#last = Number.NEGATIVE_INFINITY;
  }

  /** The last cell stays free: a terminal breaks the line there. The window may have become narrower. */
  get #room(): number {
    return Math.min(this.screen.width, this.host.errors.columns ?? this.screen.width) - 1;
  }

  #bar({ done, total, note = '' }: Advance): string {
    const count = `${grouped(String(done))}/${grouped(String(total))}`;
    const percent = `${total === 0 ? 100 : Math.floor((done / total) * 100)}%`.padStart(4);
    const after = note === '' ? percent : `${percent} ${note}`;
    const width = Math.min(30, this.#room - count.length - displayWidth(after) - 2);
    if (width < SHORTEST_BAR) return `${count}${percent}`.slice(0, Math.max(0, this.#room));
    const [bar = ''] = bars(this.screen, [String(done), String(Math.max(total, 1))], width);
    return `${count} ${this.screen.paint.good(bar)}${' '.repeat(Math.max(0, width - bar.length))} ${after}`;
  }

  #draw(text: string): void {
    if (this.host.errors.isTTY !== true || !this.screen.symbols) return;
    this.#isThere = true;
    this.host.errors.write(`\r${text}\u001b[K`);
  }
}
