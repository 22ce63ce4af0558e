import { Writable } from 'node:stream';
import type { TerminalOutput } from '../../../src/platform/host.js';
import { cellsOf } from '../../../src/terminal/live/painted-cells.js';
import { displayWidth } from '../../../src/terminal/text.js';

/**
 * A terminal as the live screen uses it: what it shows, cell by cell. It is written from ECMA-48 and xterm's documentation, and
 * throws at anything that the live screen should not send, such as text outside the window.
 */
export class DrawnScreen extends Writable implements TerminalOutput {
  readonly isTTY = true;
  /** Characters, and the colours each was written with. */
  #cells: { text: string; style: string }[][] = [];
  #row = 0;
  #column = 0;
  #style = '';
  /** What was sent, in order. */
  readonly sent: string[] = [];
  readonly #modes = new Set(['?25', '?7']);
  /** Called after each write. */
  onWrite: () => void = () => {};
  /** Holds back the end of each write, as a slow terminal does. */
  isSlow = false;
  #finish: (() => void) | undefined;

  constructor(
    public columns: number,
    public rows: number,
  ) {
    super({ decodeStrings: false });
    this.#clear();
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.sent.push(chunk);
    this.apply(chunk);
    this.onWrite();
    if (this.isSlow) this.#finish = done;
    else done();
  }

  /** The slow terminal has taken what was written. */
  finish(): void {
    this.#finish?.();
  }

  resize(columns: number, rows: number): void {
    [this.columns, this.rows] = [columns, rows];
    this.#cells = Array.from({ length: rows }, () =>
      Array.from({ length: columns }, () => ({ text: 'x', style: 'old' })),
    );
    this.emit('resize');
  }

  /** The modes that are set: `?1049` the other screen, `?25` the cursor, `?7` breaking of long lines. */
  get modes(): string[] {
    return [...this.#modes].sort();
  }

  /** The lines as they are seen, without spaces at their ends. */
  get lines(): string[] {
    return this.#cells.map((row) =>
      row
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    );
  }

  /** The colours of a cell. */
  styleAt(column: number, row: number): string {
    return this.#cells[row]?.[column]?.style ?? '';
  }

  apply(text: string): void {
    for (const [piece, prefix, parameters = '', final] of text.matchAll(/\u001b\[(\??)([\d;]*)([A-Za-z])|./gsu)) {
      if (final === undefined) this.#write(piece);
      else if (prefix === '?') this.#setModes(parameters, final);
      else this.#control(parameters.split(';').map(Number), final, parameters);
    }
  }

  #write(character: string): void {
    if (/\p{Cc}/u.test(character)) throw new Error(`A control character was sent: ${JSON.stringify(character)}`);
    const width = displayWidth(character);
    const cells = this.#cells[this.#row];
    if (width === 0) {
      const last = cells?.[this.#column - 1];
      if (last !== undefined) last.text += character;
      return;
    }
    if (cells === undefined || this.#column + width > this.columns)
      throw new Error(`${JSON.stringify(character)} was written outside the window, at ${this.#column}:${this.#row}`);
    if (cells[this.#column]?.text === '') cells[this.#column - 1] = { text: ' ', style: '' };
    if (cells[this.#column + width]?.text === '') cells[this.#column + width] = { text: ' ', style: '' };
    cells[this.#column] = { text: character, style: this.#style };
    if (width === 2) cells[this.#column + 1] = { text: '', style: this.#style };
    this.#column += width;
  }

  #control(numbers: number[], final: string, parameters: string): void {
    const [first = 0, second = 0] = numbers;
    if (final === 'H') [this.#row, this.#column] = [Math.max(first, 1) - 1, Math.max(second, 1) - 1];
    else if (final === 'G') this.#column = Math.max(first, 1) - 1;
    else if (final === 'K') this.#cells[this.#row]?.fill({ text: ' ', style: '' }, this.#column);
    else if (final === 'J' && first === 2) this.#clear();
    else if (final === 'm') this.#style = cellsOf(`\u001b[${this.#style}m\u001b[${parameters}mx`, 1)[0]?.style ?? '';
    else throw new Error(`An unexpected sequence was sent: ${final}`);
  }

  #setModes(parameters: string, final: string): void {
    if (final === 'h') this.#modes.add(`?${parameters}`);
    else this.#modes.delete(`?${parameters}`);
  }

  #clear(): void {
    this.#cells = Array.from({ length: this.rows }, () =>
      Array.from({ length: this.columns }, () => ({ text: ' ', style: '' })),
    );
  }
}
