import type { OrderReference } from '../../domain/order.js';
import { Failure } from '../../errors.js';

export type { OrderReference } from '../../domain/order.js';

import { OBSERVED } from '../../exchange/observed-codes.js';

/** Whether both name an order alike. One by its id and one by its client id may still be of one order. */
export function isSameReference(one: OrderReference, other: OrderReference): boolean {
  if ('id' in one) return 'id' in other && one.id === other.id;
  return 'clientId' in other && one.clientId === other.clientId;
}

/** An exchange in trouble refuses everything for a while, which says nothing of any request. */
const IN_TROUBLE: readonly (number | null)[] = [OBSERVED.internal, OBSERVED.maintenance];

/**
 * Whether a look was refused as the write before it was, for a permission that the key lacks or a market that there is not:
 * then there is no order to be found.
 */
export function isRefusedAlike(error: unknown, refusal: number | null | undefined): boolean {
  if (!(error instanceof Failure) || error.kind !== 'refused' || error.code === null) return false;
  return error.code === refusal && !IN_TROUBLE.includes(error.code);
}
