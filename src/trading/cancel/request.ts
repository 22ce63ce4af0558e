import type { OrderRecord } from '../../protocol/operations/trading.js';
import type { TradingAccount } from '../account.js';
import { orderState } from '../order/record.js';
import { findOrder, type OrderReference } from '../order/reference.js';
import { quietly } from '../quietly.js';

/** A cancellation that is recorded: what it names, and where its steps are noted. */
export interface CancelRequest {
  readonly market: string;
  readonly order: OrderReference;
  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  readonly reqTime: number;
  readonly note: (event: string) => void;
}

/** One look at the order: `nothing` where there is none, undefined where the exchange could not be asked. */
export async function lookAt(
  { client }: TradingAccount,
  { market, order: reference, note }: CancelRequest,
): Promise<OrderRecord | 'nothing' | undefined> {
  const order = await quietly(async () => (await findOrder(client, market, reference)) ?? ('nothing' as const));
  const words = typeof order === 'object' ? orderState(order) : order === undefined ? 'no answer' : 'not found';
  note(`asked for the order: ${words}`);
  return order;
}
