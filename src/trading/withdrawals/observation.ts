/** What was found of a withdrawal: its records, the first before its duplicates; or a bill if no record shows it. */
export type Observation =
  | { readonly ids: readonly [string, ...string[]]; readonly bill: null }
  | { readonly ids: readonly []; readonly bill: string };

/** A record that may be the withdrawal or something else. Only the user can decide, on the exchange. */
export interface Ambiguity {
  /** What was found, and why it settles nothing, in words. */
  readonly doubt: string;
  /** Ids of records among it, the oldest first. */
  readonly records: readonly string[];
}

export function isObservation(found: Observation | Ambiguity | 'nothing' | undefined): found is Observation {
  return typeof found === 'object' && 'bill' in found;
}
