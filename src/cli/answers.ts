import type { Answer } from '../terminal/answer.js';
import { type Column, type TableOptions, table } from '../terminal/table.js';
import { fieldNames } from './row-fields.js';
import type { Shape } from './shapes.js';

interface Listing<Row extends object> extends TableOptions {
  readonly rows: readonly Row[];
  /** The shape of a row: it names the fields of the CSV header when there are no rows. */
  readonly row: Shape<Row>;
  readonly columns: readonly Column<NoInfer<Row>>[];
  /** What people read when there are no rows. */
  readonly empty: string;
}

/** Several things of a kind: always an array for programs, a table for people. */
export function listing<Row extends object>({
  rows,
  row,
  columns,
  empty,
  ...options
}: Listing<Row>): Answer<readonly Row[]> {
  return {
    data: rows,
    ...(rows.length === 0 ? { csvHeader: fieldNames(row) } : {}),
    show: (screen) => {
      if (rows.length === 0) return screen.paint.faint(empty);
      return table(screen, columns, rows, options);
    },
  };
}
