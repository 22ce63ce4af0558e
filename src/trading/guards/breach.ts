import { Failure } from '../../errors.js';
import type { MarketView } from '../preview/market-view.js';
import type { GuardName } from './names.js';

/** A guard that holds orders back. */
export interface Breach {
  readonly guard: GuardName;
  /** What was found and what the limit is, as half a sentence. */
  readonly message: string;
  /** Why it could not be checked: such a guard holds as well. Null where it was checked, or was not to be. */
  readonly failure: Failure | null;
}

/** The market, or why it is not known; undefined where nobody looked. */
export type Seen = MarketView | Failure | undefined;

export function broken(guard: GuardName, message: string): Breach {
  return { guard, message, failure: null };
}

/** Whether the market was seen. */
export function isSeen(seen: Seen): seen is MarketView {
  return seen !== undefined && !(seen instanceof Failure);
}

/** A guard that looks at a market which nobody saw. */
export function unchecked(guard: GuardName, seen: Failure | undefined): Breach {
  if (seen === undefined) return broken(guard, 'it was not checked');
  return { guard, message: `it cannot be checked: ${seen.message}`, failure: seen };
}
