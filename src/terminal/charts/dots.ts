import type { Grid } from '../grid.js';
import type { Meaning } from '../palette.js';

/** The bits of a braille character's dots: four rows of two. */
const BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

const EMPTY_BRAILLE = 0x2800;

/** How many dots a cell has across and down. */
export const DOTS_ACROSS = 2;
export const DOTS_DOWN = 4;

/** Dots of two to a cell across and four down, drawn with braille characters. A cell has one meaning: the last one given. */
export class Dots {
  readonly #cells = new Map<number, { bits: number; meaning: Meaning }>();

  constructor(
    /** In cells. */
    readonly width: number,
    readonly height: number,
  ) {}

  set(x: number, y: number, meaning: Meaning): void {
    const [column, row] = [Math.floor(x / DOTS_ACROSS), Math.floor(y / DOTS_DOWN)];
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return;
    const bit = BITS[y % DOTS_DOWN]?.[x % DOTS_ACROSS] ?? 0;
    const at = row * this.width + column;
    this.#cells.set(at, { bits: (this.#cells.get(at)?.bits ?? 0) | bit, meaning });
  }

  /** Copies the cells that have a dot onto a grid. */
  drawOn(grid: Grid, column: number, row: number): void {
    for (const [at, { bits, meaning }] of this.#cells) {
      const character = String.fromCodePoint(EMPTY_BRAILLE + bits);
      grid.put(column + (at % this.width), row + Math.floor(at / this.width), character, meaning);
    }
  }
}
