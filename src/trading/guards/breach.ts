import { Failure } from '../../errors.js';
import type { MarketView } from '../market-view.js';
import type { GuardName } from './names.js';

/** A guard that holds orders back. */
export interface Breach {
  readonly guard: GuardName;
  /** What was found and what the limit is, as half a sentence. */
  readonly message: string;
  /** Why it could not be checked: such a guard holds as well. Null where it was checked, or was not to be. */
  readonly failure: Failure | null;
  /** Which orders of the proposal break it, counted from 0: the one that the message is about first. None where it is all. */
  readonly orders: readonly number[];
}

/** The market, or why it is not known; undefined where nobody looked. */
export type Seen = MarketView | Failure | undefined;

export function broken(guard: GuardName, message: string, orders: readonly number[] = []): Breach {
  return { guard, message, failure: null, orders };
}

/** The orders that break a guard, of which the message is about the one of this value. */
export function breaking<Value>(
  values: readonly Value[],
  isBroken: (value: Value) => boolean,
  told: Value,
): readonly number[] {
  const found = values.flatMap((value, index) => (isBroken(value) ? [index] : []));
  const first = values.indexOf(told);
  return [first, ...found.filter((index) => index !== first)];
}

/** Whether the market was seen. */
export function isSeen(seen: Seen): seen is MarketView {
  return seen !== undefined && !(seen instanceof Failure);
}

/** A guard that looks at a market which nobody saw. */
export function unchecked(guard: GuardName, seen: Failure | undefined): Breach {
  if (seen === undefined) return broken(guard, 'it was not checked');
  return { guard, message: `it cannot be checked: ${seen.message}`, failure: seen, orders: [] };
}
