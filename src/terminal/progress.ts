import type { Screen } from './screen.js';

const TO_LINE_START = '\r';
const ERASE_LINE = '\u001b[K';

/** A line that changes while a person waits. Only on a terminal that can erase it; elsewhere nothing is shown. */
export class ProgressLine {
  #isShown = false;

  constructor(
    private readonly screen: Screen,
    private readonly write: (text: string) => void,
  ) {}

  show(text: string): void {
    const { width, symbols, paint } = this.screen;
    // a line that wraps could not be erased
    if (width === Number.POSITIVE_INFINITY || !symbols || text.length >= width) return;
    this.#isShown = true;
    this.write(`${TO_LINE_START}${paint.faint(text)}${ERASE_LINE}`);
  }

  /** Takes the line away, so that something else may stand there. */
  erase(): void {
    if (this.#isShown) this.write(`${TO_LINE_START}${ERASE_LINE}`);
    this.#isShown = false;
  }
}
