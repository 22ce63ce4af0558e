import { OBSERVED } from '../../exchange/observed-codes.js';

/** A request that left, or may have, of which not everything is known yet. */
export interface PendingRequest {
  readonly request: number;
  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  readonly reqTime: number;
  /** Of how many ids the job knew when it left: those orders are older than what it made. */
  readonly knownBefore: number;
  readonly sent: readonly number[];
  /** The lines without an outcome. */
  readonly lines: Set<number>;
  /** Accepted orders of which it is not known yet which lines they are. */
  readonly ids: Set<string>;
  /** The ids that its answer named, as far as they were new, whatever became of them. */
  readonly named: Set<string>;
  /** The last look's list showed all of its orders that are known to be there: then what is missing in it is not there. */
  isShown: boolean;
  /** `lost` also where no answer was written down. */
  answer: 'lost' | 'short' | { readonly code: number | null };
  reason: string;
  /** Nobody waits for its answer any more: it came, or will not. */
  isOver: boolean;
}

/**
 * Refused for its moment, not for its orders, so that they are to be sent again. But not at once: where something on the way
 * had repeated the request, that was the answer to one copy of it, and another that is still held may be executed for as
 * long as the exchange takes its `reqTime`.
 */
export function isTurnedAway({ answer }: Pick<PendingRequest, 'answer'>): boolean {
  return typeof answer === 'object' && FOR_THE_MOMENT.has(answer.code);
}

const FOR_THE_MOMENT: ReadonlySet<number | null> = new Set([OBSERVED.tooFrequent, OBSERVED.locked, OBSERVED.expired]);
