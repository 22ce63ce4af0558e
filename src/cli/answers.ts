import type { Answer } from '../terminal/answer.js';
import { type Column, type TableOptions, table } from '../terminal/table.js';

interface Listing<Row extends object> extends TableOptions {
  readonly rows: readonly Row[];
  /** The names of a row's fields, for the CSV header when there are no rows. */
  readonly fields: readonly (keyof NoInfer<Row> & string)[];
  readonly columns: readonly Column<NoInfer<Row>>[];
  /** What people read when there are no rows. */
  readonly empty: string;
}

/** Several things of a kind: always an array for programs, a table for people. */
export function listing<Row extends object>({ rows, fields, columns, empty, ...options }: Listing<Row>): Answer {
  return {
    data: rows,
    ...(rows.length === 0 ? { csvHeader: fields } : {}),
    show: (screen) => {
      if (rows.length === 0) return screen.paint.faint(empty);
      return table(screen, columns, rows, options);
    },
  };
}
