import { cellsOf } from './live/painted-cells.js';
import type { Meaning, Paint } from './palette.js';
import { glyphs } from './text.js';

/** How a cell looks. */
interface Look {
  readonly meaning?: Meaning | undefined;
  /** What it means in addition. */
  readonly accent?: Meaning | undefined;
  /** The parameters of an escape sequence, in a cell of a painted line. */
  readonly style?: string | undefined;
}

interface Cell extends Look {
  /** One character with its marks; empty in the right half of a wide character. */
  readonly character: string;
}

const BLANK: Cell = { character: ' ' };

/** A rectangle of terminal cells, each with a character and what it means. A wide character takes two of them. */
export class Grid {
  readonly #rows: Cell[][];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#rows = Array.from({ length: height }, () => Array.from({ length: width }, () => BLANK));
  }

  /**
   * Writes a safe text from a cell to the right. What would be outside the grid is left out.
   * @param accent what it means in addition, such as that it has just changed
   */
  put(column: number, row: number, text: string, meaning?: Meaning, accent?: Meaning): void {
    let at = column;
    for (const { text: character, width } of glyphs(text)) {
      this.#set(at, row, { character, meaning, accent }, width);
      at += width;
    }
  }

  /** Writes a painted line into `width` cells. What has no room is left out. */
  paste(column: number, row: number, line: string, width: number): void {
    const cells = cellsOf(line, width);
    cells.forEach(({ text, style }, index) => {
      if (text !== '')
        this.#set(column + index, row, { character: text, style }, cells[index + 1]?.text === '' ? 2 : 1);
    });
  }

  /**
   * Copies another grid onto this one, from a cell to the right and down. What has no room is left out.
   * @param meaning what all of it means here, instead of what its parts mean
   */
  draw(column: number, row: number, other: Grid, meaning?: Meaning): void {
    other.#rows.forEach((cells, y) => {
      cells.forEach((cell, x) => {
        const shown = meaning === undefined ? cell : { character: cell.character, meaning };
        if (cell.character !== '') this.#set(column + x, row + y, shown, cells[x + 1]?.character === '' ? 2 : 1);
      });
    });
  }

  /** The rows as lines of text, without spaces at their ends. */
  lines(paint: Paint): string[] {
    return this.#rows.map((cells) => {
      const last = cells.findLastIndex(({ character, accent }) => character !== ' ' || accent !== undefined);
      return runs(cells.slice(0, last + 1))
        .map((run) => painted(run, paint))
        .join('');
    });
  }

  #set(column: number, row: number, cell: Cell, width: number): void {
    const cells = this.#rows[row];
    if (cells === undefined || column < 0 || column + width > this.width) return;
    // the other half of a wide character that is written over
    if (cells[column]?.character === '') cells[column - 1] = BLANK;
    if (cells[column + width]?.character === '') cells[column + width] = BLANK;
    cells[column] = cell;
    if (width === 2) cells[column + 1] = { ...cell, character: '' };
  }
}

interface Run extends Look {
  text: string;
}

/** Neighbouring cells that look alike are painted together: fewer escape sequences. */
function runs(cells: readonly Cell[]): Run[] {
  const joined: Run[] = [];
  for (const { character, ...look } of cells) {
    const last = joined.at(-1);
    const isAlike = last?.meaning === look.meaning && last?.accent === look.accent && last?.style === look.style;
    if (last !== undefined && isAlike) last.text += character;
    else joined.push({ text: character, ...look });
  }
  return joined;
}

function painted({ text, meaning, accent, style }: Run, paint: Paint): string {
  const own = style ? `\u001b[${style}m${text}\u001b[m` : meaning === undefined ? text : paint[meaning](text);
  return accent === undefined ? own : paint[accent](own);
}
