import type { Order } from '../../../src/domain/order.js';
import {
  anOrder,
  answered,
  cancellationOf,
  DONE,
  type HeldOrder,
  type Outcome,
  type ScriptedExchange,
} from '../../support/scripted-exchange.js';

/** Orders of 0.01 at 30000 with the ids from `from` on, the oldest first. */
export function openOrders(count: number, changes: Partial<Order> = {}, from = 1): HeldOrder[] {
  return Array.from({ length: count }, (_, index) => anOrder({ id: String(from + index), ...changes }));
}

/** Decides what becomes of each cancellation by its order, and by how often that was to be cancelled, from 1 on. */
export function cancelling(exchange: ScriptedExchange, decide: (order: HeldOrder, time: number) => Outcome): void {
  const times = new Map<string, number>();
  exchange.outcomeOf = (write) => {
    if (write.kind !== 'cancel' || !('id' in write.order)) return undefined;
    const { id } = write.order;
    const order = exchange.has.orders.find((one) => one.id === id);
    times.set(id, (times.get(id) ?? 0) + 1);
    return order === undefined ? undefined : decide(order, times.get(id) ?? 0);
  };
}

/** The exchange accepts a cancellation, and leaves the order as it is. */
export function accepted(order: Order): Outcome {
  return answered(cancellationOf(order));
}

/** The order fills before its cancellation arrives. */
export function filledBefore(order: HeldOrder): Outcome {
  Object.assign(order, { state: 'filled', filled: order.amount });
  return DONE;
}
