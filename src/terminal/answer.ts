import type { Failure } from '../errors.js';
import type { Screen } from './screen.js';
import type { Column } from './table.js';

/** What a command answers: its data for programs, and how it looks to people. */
export interface Answer {
  /** The `--json` document. Decimals and big integers come out as strings, undefined as null. */
  readonly data: unknown;
  /** The `--csv` rows where they are not the elements of `data`. */
  readonly csv?: readonly object[];
  /** The `--csv` header where there are no rows to take it from. */
  readonly csvHeader?: readonly string[];
  /** Whether it goes on with a stream, whose CSV has its header already. */
  readonly isLater?: boolean;
  /** How the command ends after its answer: something is unknown, or only a part could be done. */
  readonly failure?: Failure;
  /** The text for people, without a newline at its end; an empty text prints nothing. */
  show(screen: Screen): string;
}

/**
 * An answer of rows that come one after the other, and may be more than should be held at once: still one array for
 * programs, and one table for people.
 */
export interface RowStream<Row extends object = object> {
  /** Some rows at a time, each some as soon as it is there. A Failure that it throws ends the answer where it is. */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** The names of a row's fields: the `--csv` header. */
  readonly fields: readonly string[];
  readonly columns: readonly Column<Row>[];
  /** What people read when there are no rows. */
  readonly empty: string;
  /** What the rows are, as in `bills`. */
  readonly what: string;
}
