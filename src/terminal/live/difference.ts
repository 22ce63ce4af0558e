import { BLANK, type Cell } from './painted-cells.js';

const RESET = '\u001b[m';
const REST_OF_LINE = '\u001b[K';
/** A jump within a line takes at least so many bytes: a shorter gap is written again. */
const SHORT_GAP = 4;
/** Erasing takes three bytes. */
const SHORT_REST = 3;
/** A character that every terminal draws one cell wide. */
const NARROW = /^[ -~\u2500-\u259f\u2800-\u28ff]$/;

type Line = readonly Cell[];

/**
 * The shortest text that turns one screen into another of the same size: absolute cursor moves, runs of changed cells, and
 * colours only if they differ from the last. Empty if nothing changed. It begins and ends without colours.
 *
 * @param before lines that are missing are blank
 */
export function difference(before: readonly Line[], after: readonly Line[]): string {
  const writer = new Writer();
  after.forEach((line, row) => {
    const old = before[row];
    if (line !== old) writeLine(writer, row, old ?? [], line);
  });
  return writer.end();
}

function writeLine(writer: Writer, row: number, before: Line, after: Line): void {
  const isChanged = (column: number) => !isSame(before[column] ?? BLANK, after[column] ?? BLANK);
  let end = after.length;
  while (end > 0 && !isChanged(end - 1)) end -= 1;
  const used = after.findLastIndex((cell) => !isSame(cell, BLANK)) + 1;
  const isErased = end - used >= SHORT_REST;
  writer.beginLine(row, after);
  for (let column = 0; column < (isErased ? used : end); column += 1) {
    const isWide = after[column + 1]?.text === '';
    if (after[column]?.text !== '' && (isChanged(column) || (isWide && isChanged(column + 1)))) writer.put(column);
  }
  if (isErased) writer.eraseFrom(used);
}

function isSame(left: Cell, right: Cell): boolean {
  return left === right || (left.text === right.text && left.style === right.style);
}

/** Collects the text, and knows where the cursor is and what colours are set. */
class Writer {
  #text = '';
  #style = '';
  #line: Line = [];
  #row = 0;
  /** Whether the cursor is in this row. */
  #isInRow = false;
  /** Undefined after a character that not every terminal draws equally wide. */
  #column: number | undefined;

  beginLine(row: number, line: Line): void {
    [this.#row, this.#line, this.#isInRow] = [row, line, false];
  }

  put(column: number): void {
    this.#moveTo(column);
    const { text, style } = this.#line[column] ?? BLANK;
    this.#paint(style);
    this.#text += text;
    this.#column = NARROW.test(text) ? column + 1 : undefined;
  }

  /** Leaves the rest of the line blank. */
  eraseFrom(column: number): void {
    this.#moveTo(column);
    this.#paint('');
    this.#text += REST_OF_LINE;
  }

  end(): string {
    this.#paint('');
    return this.#text;
  }

  #moveTo(column: number): void {
    if (this.#isInRow && this.#column === column) return;
    const gap = this.#isInRow && this.#column !== undefined ? this.#line.slice(this.#column, column) : [];
    const isCheap = gap.length > 0 && gap.length <= SHORT_GAP;
    if (isCheap && gap.every(({ text, style }) => style === this.#style && /^[ -~]$/.test(text)))
      this.#text += gap.map(({ text }) => text).join('');
    else this.#text += this.#isInRow ? `\u001b[${column + 1}G` : `\u001b[${this.#row + 1};${column + 1}H`;
    [this.#isInRow, this.#column] = [true, column];
  }

  #paint(style: string): void {
    if (style === this.#style) return;
    this.#text += style === '' ? RESET : `\u001b[${this.#style === '' ? '' : '0;'}${style}m`;
    this.#style = style;
  }
}
