import { Failure } from '../../errors.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { OBSERVED } from '../../exchange/observed-codes.js';
import type { OrderRecord } from '../../exchange/operations/trading.js';

/** "Exactly one of `id` and `customerOrderId`." */
export type OrderReference = { readonly id: string } | { readonly clientId: string };

/** The reference as the interface's parameters. */
export function referenceValues(reference: OrderReference) {
  return 'id' in reference ? { id: reference.id } : { customerOrderId: reference.clientId };
}

/** Whether both name an order alike. One by its id and one by its client id may still be of one order. */
export function isSameReference(one: OrderReference, other: OrderReference): boolean {
  if ('id' in one) return 'id' in other && one.id === other.id;
  return 'clientId' in other && one.clientId === other.clientId;
}

/** One order, or undefined when the exchange says that there is none. Throws Failure as {@link ExchangeClient.read}. */
export async function findOrder(
  client: ExchangeClient,
  market: string,
  reference: OrderReference,
): Promise<OrderRecord | undefined> {
  try {
    return await client.read('getOrder', { currency: market, ...referenceValues(reference) });
  } catch (error) {
    if (error instanceof Failure && error.code === OBSERVED.orderNotFound) return undefined;
    throw error;
  }
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
