/** What a look found of a withdrawal: its records, the first before its copies; or a bill where no record tells of it. */
export type Observation =
  | { readonly ids: readonly [string, ...string[]]; readonly bill: null }
  | { readonly ids: readonly []; readonly bill: string };

/** What may be the withdrawal and may be something else. Only somebody who looks at the exchange can tell. */
export interface Ambiguity {
  /** What was found, and why it settles nothing, in words. */
  readonly doubt: string;
  /** Ids of records among it, the oldest first. */
  readonly records: readonly string[];
}

export function isObservation(found: Observation | Ambiguity | 'nothing' | undefined): found is Observation {
  return typeof found === 'object' && 'bill' in found;
}
