import type { Moment } from './moment.js';

/** `from <= time < to`; an absent end is open. */
export interface TimeRange {
  readonly from?: Moment | undefined;
  readonly to?: Moment | undefined;
}

/** In milliseconds since the Unix epoch: `from <= time < to`. */
interface Bounds {
  readonly from: number;
  readonly to: number;
}

/**
 * The bounds of a range by the exchange's clock. They are fixed when they are first asked for, which has to be after an answer:
 * only that shows what time it is on the exchange.
 */
export function boundsByAnswer(exchange: { now(): number }, { from, to }: TimeRange): () => Bounds {
  let bounds: Bounds | undefined;
  return () => {
    const now = exchange.now();
    bounds ??= { from: from?.(now) ?? Number.NEGATIVE_INFINITY, to: to?.(now) ?? Number.POSITIVE_INFINITY };
    return bounds;
  };
}
