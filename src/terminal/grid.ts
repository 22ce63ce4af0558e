import type { Meaning, Paint } from './screen.js';
import { glyphs } from './text.js';

interface Cell {
  /** One character with its marks; empty in the right half of a wide character. */
  readonly character: string;
  readonly meaning: Meaning | undefined;
}

const BLANK: Cell = { character: ' ', meaning: undefined };

/** A rectangle of terminal cells, each with a character and what it means. A wide character takes two of them. */
export class Grid {
  readonly #rows: Cell[][];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#rows = Array.from({ length: height }, () => Array.from({ length: width }, () => BLANK));
  }

  /** Writes a safe text from a cell to the right. What would be outside the grid is left out. */
  put(column: number, row: number, text: string, meaning?: Meaning): void {
    const cells = this.#rows[row];
    if (cells === undefined) return;
    let at = column;
    for (const { text: character, width } of glyphs(text)) {
      if (at >= 0 && at + width <= this.width) {
        this.#uncover(cells, at, width);
        cells[at] = { character, meaning };
        if (width === 2) cells[at + 1] = { character: '', meaning };
      }
      at += width;
    }
  }

  /** Blanks the halves of wide characters whose other halves are about to be written over. */
  #uncover(cells: Cell[], at: number, width: number): void {
    if (cells[at]?.character === '') cells[at - 1] = BLANK;
    if (cells[at + width]?.character === '') cells[at + width] = BLANK;
  }

  isBlank(column: number, row: number): boolean {
    return this.#rows[row]?.[column]?.character === ' ';
  }

  /** The rows as lines of text, without spaces at their ends. */
  lines(paint: Paint): string[] {
    return this.#rows.map((cells) => {
      const last = cells.findLastIndex(({ character }) => character !== ' ');
      return runs(cells.slice(0, last + 1))
        .map(({ text, meaning }) => (meaning === undefined ? text : paint[meaning](text)))
        .join('');
    });
  }
}

/** Neighbouring cells of one meaning are painted together: fewer escape sequences. */
function runs(cells: readonly Cell[]): { text: string; meaning: Meaning | undefined }[] {
  const joined: { text: string; meaning: Meaning | undefined }[] = [];
  for (const { character, meaning } of cells) {
    const last = joined.at(-1);
    if (last !== undefined && last.meaning === meaning) last.text += character;
    else joined.push({ text: character, meaning });
  }
  return joined;
}
