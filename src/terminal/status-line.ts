import type { TextOutput } from '../platform/host.js';
import { displayWidth, safe } from './text.js';

const EVERY_MS = 1_000;
const CLEARED = '\r\u001b[2K';

/** The place where a changing line is drawn. */
export interface StatusPlace {
  readonly stream: Pick<TextOutput, 'write'>;
  /** In cells; asked for at each drawing, as a terminal may be made narrower. */
  readonly width: () => number;
  /** Whether the cursor's line belongs to it alone. */
  readonly isFree: () => boolean;
}

/** A line on a terminal that is drawn in place, at once and again and again, until it is stopped. */
export class StatusLine {
  readonly #place: StatusPlace;
  readonly #text: (room: number) => string;
  readonly #paint: (text: string) => string;

  readonly #timer: NodeJS.Timeout;

  /**
   * @param text what it says now, in at most this many cells
   * @param paint how that looks
   * @param everyMs how often it is drawn
   */
  constructor(place: StatusPlace, text: (room: number) => string, paint: (text: string) => string, everyMs = EVERY_MS) {
    this.#place = place;
    this.#text = text;
    this.#paint = paint;

    this.draw();
    this.#timer = setInterval(() => this.draw(), everyMs);
    // the work that it reports decides how long the program runs
    this.#timer.unref();
  }

  draw(): void {
    if (!this.#place.isFree()) return;
    // a line as wide as the terminal would move the cursor to the next
    const room = this.#place.width() - 1;
    const text = cut(safe(this.#text(room)), room);
    this.#place.stream.write(`${CLEARED}${this.#paint(text)}`);
  }

  /** Makes room for other lines. */
  clear(): void {
    if (this.#place.isFree()) this.#place.stream.write(CLEARED);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.clear();
  }
}

function cut(text: string, width: number): string {
  let shown = text;
  while (displayWidth(shown) > width && shown !== '') shown = shown.slice(0, -1);
  return shown;
}
