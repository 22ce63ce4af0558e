import type { Failure } from '../errors.js';
import type { Screen } from './screen.js';
import type { Column } from './table.js';

/** What a command returns. */
export type Result<Data = unknown> = Answer<Data> | RowStream<RowOf<Data>> | Live;

/** A row of a document that may be an array of rows. */
type RowOf<Data> = [Extract<Data, readonly unknown[]>] extends [never]
  ? object
  : Extract<Data, readonly object[]>[number];

/** A complete answer: its data for programs, and its text for people. */
export interface Answer<Data = unknown> {
  /** The `--json` document. Decimals and big integers become strings, undefined becomes null. */
  readonly data: Data;
  /** The `--csv` rows, if they are not the elements of `data`. */
  readonly csv?: readonly object[];
  /** The `--csv` header, if there are no rows to take it from. */
  readonly csvHeader?: readonly string[];
  /** Whether it continues a stream whose CSV has its header already. */
  readonly isLater?: boolean;
  /** The failure with which the command ends after its answer, if something is unknown or only a part was done. */
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

/** An answer that keeps changing: a line for each event for programs, and a picture that is drawn in place for people. */
export interface Live<Event = unknown> {
  /** The events in their order. The view ends with the last one, or with a Failure. */
  readonly events: AsyncIterable<Event>;
  /** An event as a line for programs, without a line end; undefined for what only people see. */
  line(event: Event): string | undefined;
  /** The picture for people. If it is null, they see the lines, without anything that moves the cursor. */
  readonly picture: Picture<Event> | null;
  /** Ends the events soon: the user has pressed `q`. */
  end(): void;
  /** Returns a copy in which each answer is changed, as `--fields` does. Absent if it contains no answers. */
  withView?(view: (answer: Answer) => Answer): Live<Event>;
}

/** What a terminal shows of an answer that keeps changing. */
export interface Picture<Event = unknown> {
  take(event: Event): void;
  /**
   * The whole text at this moment, with the age of its data.
   * @param isLast whether it stays on the screen
   */
  show(screen: Screen, isLast?: boolean): string;
}
