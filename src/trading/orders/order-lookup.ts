import type { OrderReference } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { RETURN_CODES } from '../../exchange/observed-codes.js';

/** Whether both name an order in the same way. An id and a client id may still name the same order. */
export function isSameReference(one: OrderReference, other: OrderReference): boolean {
  if ('id' in one) return 'id' in other && one.id === other.id;
  return 'clientId' in other && one.clientId === other.clientId;
}

/** An exchange in trouble refuses every request, which says nothing about this one. */
const IN_TROUBLE: readonly (number | null)[] = [RETURN_CODES.internal, RETURN_CODES.maintenance];

/**
 * Whether a lookup failed with the same code as the write (missing permission, unknown market): then the order does not
 * exist.
 */
export function isSameRefusal(error: unknown, refusal: number | null | undefined): boolean {
  if (!(error instanceof Failure) || error.kind !== 'refused' || error.code === null) return false;
  return error.code === refusal && !IN_TROUBLE.includes(error.code);
}
