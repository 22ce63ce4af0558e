import type { Refusal, RefusalKind } from '../../domain/refusal.js';

/** A request that was sent, or may have been, and whose outcome is not fully known. */
export interface PendingRequest {
  readonly request: number;
  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  readonly reqTime: number;
  /** How many ids the job knew when it was sent: those orders are older than the ones it made. */
  readonly knownBefore: number;
  readonly sent: readonly number[];
  /** The lines without an outcome. */
  readonly lines: Set<number>;
  /** Accepted orders whose lines are unknown so far. */
  readonly unassignedIds: Set<string>;
  /** The new ids that its answer named, whatever their outcome. */
  readonly responseIds: Set<string>;
  /** Whether the last list had all of its known orders: an order that the list lacks does not exist. */
  areOrdersListed: boolean;
  /** `lost` also if no answer was recorded. */
  response: 'lost' | 'partial' | Pick<Refusal, 'kind' | 'code'>;
  reason: string;
  /** No process waits for its answer any more: it came, or it will not come. */
  isOver: boolean;
}

const REFUSED_FOR_TIMING: ReadonlySet<RefusalKind> = new Set(['tooFrequent', 'locked', 'expired']);

/**
 * Refused for its time, not for its orders, so they will be sent again. But not at once: if the network repeated the request,
 * that was the answer to one duplicate, and another may be executed for as long as the exchange accepts its `reqTime`.
 */
export function isTemporaryRefusal({ response }: Pick<PendingRequest, 'response'>): boolean {
  return typeof response === 'object' && REFUSED_FOR_TIMING.has(response.kind);
}
