import type { TerminalOutput } from '../host.js';
import { safe } from './text.js';
import { displayWidth } from './width.js';

const EVERY_MS = 1_000;
const CLEARED = '\r\u001b[2K';

/** Where a line that changes is drawn. */
export interface StatusPlace {
  readonly stream: TerminalOutput;
  /** In cells; asked for at each drawing, as a terminal may be made narrower. */
  readonly width: () => number;
  /** Whether the line that the cursor stands in is nobody else's. */
  readonly isFree: () => boolean;
}

/** A line on a terminal that is drawn in place, at once and every second, until it is stopped. */
export class StatusLine {
  readonly #timer: NodeJS.Timeout;

  /**
   * @param text what it says now
   * @param paint how that looks
   */
  constructor(
    private readonly place: StatusPlace,
    private readonly text: () => string,
    private readonly paint: (text: string) => string,
  ) {
    this.draw();
    this.#timer = setInterval(() => this.draw(), EVERY_MS);
    // what it tells of decides how long the program runs
    this.#timer.unref();
  }

  draw(): void {
    if (!this.place.isFree()) return;
    // a line as wide as the terminal would move the cursor to the next
    const text = cut(safe(this.text()), this.place.width() - 1);
    this.place.stream.write(`${CLEARED}${this.paint(text)}`);
  }

  /** Makes room for other lines. */
  clear(): void {
    if (this.place.isFree()) this.place.stream.write(CLEARED);
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
