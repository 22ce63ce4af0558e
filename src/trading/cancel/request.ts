import type { Order } from '../../domain/order.js';
import type { TradingAccount } from '../account.js';
import { isRefusedAlike, type OrderReference } from '../orders/reference.js';
import { quietly } from '../quietly.js';

/** A cancellation that is recorded: what it names, and where its steps are noted. */
export interface CancelRequest {
  readonly market: string;
  readonly order: OrderReference;
  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  readonly reqTime: number;
  readonly note: (event: string) => void;
  /** Takes the record back: nothing has left. */
  readonly withdraw: () => void;
}

/**
 * One look at the order: `nothing` where there is none, undefined where the exchange could not be asked.
 *
 * @param refusal the code with which the cancellation was refused: a look that is refused with the same one, as in a market
 *   that there is not, finds nothing either
 */
export async function lookAt(
  { client }: TradingAccount,
  { market, order: reference, note }: CancelRequest,
  refusal?: number | null,
): Promise<Order | 'nothing' | undefined> {
  const unlessAlike = (error: unknown) => (isRefusedAlike(error, refusal) ? undefined : Promise.reject(error));
  const order = await quietly(async () => (await client.findOrder(market, reference).catch(unlessAlike)) ?? 'nothing');
  const words = typeof order === 'object' ? order.state : order === undefined ? 'no answer' : 'not found';
  note(`asked for the order: ${words}`);
  return order;
}
