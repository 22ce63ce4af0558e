import type { Paint } from './screen.js';
import { safe, shortened } from './text.js';
import { displayWidth } from './width.js';

export interface Column<Row> {
  readonly title: string;
  /** Plain text, from the exchange too: it is made safe here. Null shows as a faint dash. */
  value(row: Row): string | null;
  /** `decimal` puts the points under each other. */
  readonly align?: 'left' | 'right' | 'decimal';
  paint?(text: string, row: Row, paint: Paint): string;
  /** On a narrow screen the least important columns go first; 1 unless told, and of equals the rightmost goes. */
  readonly importance?: number;
  /** Worked out for people: neither CSV nor JSON has it. */
  readonly onScreenOnly?: true;
}

/** A text as it is painted, and the cells it takes. */
export interface Cell {
  readonly text: string;
  readonly width: number;
}

/** The room that a column takes: its cells, and those from the point on where points stand under each other. */
interface Extent {
  readonly width: number;
  readonly fraction: number;
}

export interface LaidOutColumn extends Extent {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly importance: number;
  readonly onScreenOnly: boolean;
  readonly cells: readonly Cell[];
}

/** Space between two columns. */
export const GAP = 2;

/** A column's cells as text, painted and aligned, and its width: never less than the column had above. */
export function layOut<Row>(
  column: Column<Row>,
  rows: readonly Row[],
  paint: Paint,
  above: Extent = { width: 0, fraction: 0 },
): LaidOutColumn {
  const title = safe(column.title);
  const values = rows.map((row) => {
    const value = column.value(row);
    return value === null ? null : shortened(safe(value));
  });
  const fraction = column.align === 'decimal' ? Math.max(longestFraction(values), above.fraction) : 0;
  const titleWidth = Math.max(displayWidth(title), above.width);
  const cells = values.map((value, index) => cellOf(value, column, rows[index] as Row, paint, fraction));
  return {
    title,
    align: (column.align ?? 'left') === 'left' ? 'left' : 'right',
    importance: column.importance ?? 1,
    onScreenOnly: column.onScreenOnly ?? false,
    width: cells.reduce((widest, cell) => Math.max(widest, cell.width), titleWidth),
    fraction,
    cells,
  };
}

/** The columns that the width has room for, in their order. At least one is kept, however wide. */
export function columnsThatFit(columns: readonly LaidOutColumn[], width: number): LaidOutColumn[] {
  const kept = [...columns];
  while (kept.length > 1 && totalWidth(kept) > width) {
    const least = Math.min(...kept.map((column) => column.importance));
    kept.splice(
      kept.findLastIndex((column) => column.importance === least),
      1,
    );
  }
  return kept;
}

function totalWidth(columns: readonly LaidOutColumn[]): number {
  return columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1));
}

function cellOf<Row>(value: string | null, column: Column<Row>, row: Row, paint: Paint, fraction: number): Cell {
  const text = value ?? '-';
  const painted = value === null ? paint.faint(text) : (column.paint?.(text, row, paint) ?? text);
  // Space in place of the digits that others have after the point brings the points under each other.
  const filler = ' '.repeat(Math.max(fraction - fractionOf(text), 0));
  return { text: painted + filler, width: displayWidth(text) + filler.length };
}

function longestFraction(values: readonly (string | null)[]): number {
  return values.reduce((longest, value) => Math.max(longest, value === null ? 0 : fractionOf(value)), 0);
}

/** The cells from the point on, the unit of `1.25%` included. */
function fractionOf(text: string): number {
  const point = text.search(/\.|%$/);
  return point === -1 ? 0 : text.length - point;
}
