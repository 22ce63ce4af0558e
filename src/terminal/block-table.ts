import { draw } from './drawing.js';
import { type Column, columnsThatFit, type LaidOutColumn, layOut } from './layout.js';
import type { Screen } from './screen.js';
import { leftOut } from './table.js';

/**
 * A table that is drawn a block of rows at a time. Columns only become wider and fewer on the way down; on a terminal the
 * titles stand above a block whose columns are others than those above it, and in a pipe above the first.
 */
export class BlockTable<Row> {
  #columns: readonly Column<Row>[];
  #above: readonly LaidOutColumn[] = [];
  readonly #dropped: LaidOutColumn[] = [];

  constructor(
    private readonly screen: Screen,
    columns: readonly Column<Row>[],
  ) {
    this.#columns = columns;
  }

  /** The next rows as lines. */
  block(rows: readonly Row[]): string {
    const isFirst = this.#above.length === 0;
    const all = this.#columns.map((column, index) => layOut(column, rows, this.screen.paint, this.#above[index]));
    const kept = columnsThatFit(all, this.screen.width);
    const isChanged =
      kept.length < this.#above.length || kept.some(({ width }, index) => width !== this.#above[index]?.width);
    this.#keep(all, kept);
    const isTitled = isFirst || (isChanged && this.screen.width !== Number.POSITIVE_INFINITY);
    return draw(this.screen, kept, rows.length, isTitled);
  }

  /** The line below the last block, empty where all columns were shown in all of them. */
  end(): string {
    return leftOut(this.screen, this.#dropped) ?? '';
  }

  #keep(all: readonly LaidOutColumn[], kept: readonly LaidOutColumn[]): void {
    this.#dropped.push(...all.filter((column) => !kept.includes(column)));
    this.#columns = this.#columns.filter((_, index) => kept.includes(all[index] as LaidOutColumn));
    this.#above = kept;
  }
}
