import type { Failure } from '../errors.js';
import type { Screen } from './screen.js';
import type { Column } from './table.js';

/** What a command returns. A live view, which shows frames with their age and state, would be a third kind. */
export type Result = Answer | RowStream;

/** A whole answer: its data for programs, and how people see it. */
export interface Answer {
  /** The `--json` document. Decimals and big integers become strings, undefined becomes null. */
  readonly data: unknown;
  /** The `--csv` rows, if they are not the elements of `data`. */
  readonly csv?: readonly object[];
  /** The `--csv` header, if there are no rows to take it from. */
  readonly csvHeader?: readonly string[];
  /** Whether it continues a stream whose CSV has its header already. */
  readonly isLater?: boolean;
  /** How the command ends after its answer, if something is unknown or only a part was done. */
  readonly failure?: Failure;
  /** The text for people, without a final newline. An empty text prints nothing. */
  show(screen: Screen): string;
}

/** Rows that arrive over time and may not fit in memory at once. Still one array for programs and one table for people. */
export interface RowStream<Row extends object = object> {
  /** Pages of rows, each as soon as it has arrived. A Failure that it throws ends the answer there. */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** The names of a row's fields: the `--csv` header. */
  readonly fields: readonly string[];
  readonly columns: readonly Column<Row>[];
  /** The text for people if there are no rows. */
  readonly empty: string;
  /** The noun for the rows, such as `bills`. */
  readonly what: string;
}
