import type { Meaning, Paint } from './screen.js';

interface Cell {
  readonly character: string;
  readonly meaning: Meaning | undefined;
}

const BLANK: Cell = { character: ' ', meaning: undefined };

/** A rectangle of terminal cells, each with one character that is one cell wide and with what it means. */
export class Grid {
  readonly #rows: Cell[][];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#rows = Array.from({ length: height }, () => Array.from({ length: width }, () => BLANK));
  }

  /** Writes a text of narrow characters from a cell to the right. What would be outside the grid is left out. */
  put(column: number, row: number, text: string, meaning?: Meaning): void {
    const cells = this.#rows[row];
    if (cells === undefined) return;
    [...text].forEach((character, index) => {
      const at = column + index;
      if (at >= 0 && at < this.width) cells[at] = { character, meaning };
    });
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
