import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import type { FillCondition } from './condition.js';

/** Orders whose filled amounts are remembered; the oldest are forgotten. */
const MAX_ORDERS = 10_000;

/** Finds the orders that have filled more than before. */
export class NewFills {
  readonly #named = new Map<FillCondition, Pick<Order, 'id' | 'state'>>();
  readonly #filled = new Map<string, Decimal>();
  #isFollowing = false;

  constructor(private readonly conditions: readonly FillCondition[]) {}

  /** Takes the order that a condition names, before those that are followed. */
  name(condition: FillCondition, order: Order): void {
    this.#named.set(condition, order);
    this.#filled.set(order.id, Decimal.of(order.filled));
  }

  /** Whether no condition can hold any more: each names an order, and all of these have ended. */
  get isOver(): boolean {
    const named = this.conditions.map((condition) => this.#named.get(condition));
    return named.every((order) => order !== undefined && order.state !== 'open');
  }

  /** Takes orders as they are now; those that are taken first are the ones that were open at the start. */
  take<Row extends Order>(orders: readonly Row[]): { readonly condition: FillCondition; readonly order: Row }[] {
    const isFollowing = this.#isFollowing;
    this.#isFollowing = true;
    return orders.flatMap((order) => {
      const filled = Decimal.of(order.filled);
      const before = this.#filled.get(order.id) ?? (isFollowing ? Decimal.zero : filled);
      this.#remember(order.id, filled);
      const concerned = this.conditions.filter((condition) => this.#concerns(condition, order));
      return filled.compare(before) > 0 ? concerned.map((condition) => ({ condition, order })) : [];
    });
  }

  /** Whether a condition is about an order; keeps its state if it names it. */
  #concerns(condition: FillCondition, order: Order): boolean {
    if (condition.order === null) return true;
    const isNamed = this.#named.get(condition)?.id === order.id;
    if (isNamed) this.#named.set(condition, order);
    return isNamed;
  }

  #remember(id: string, filled: Decimal): void {
    this.#filled.set(id, filled);
    const [oldest] = this.#filled.keys();
    if (this.#filled.size > MAX_ORDERS && oldest !== undefined) this.#filled.delete(oldest);
  }
}
