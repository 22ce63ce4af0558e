import type { Failure } from '../errors.js';
import type { Screen } from './screen.js';

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
