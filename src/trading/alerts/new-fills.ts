import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import type { FillCondition } from './condition.js';

/** Orders whose filled amounts are remembered; the oldest are forgotten. */
const MAX_ORDERS = 10_000;

/** Whether a condition on the whole order holds. */
export function isFilled({ state }: Pick<Order, 'state'>): boolean {
  return state === 'filled';
}

/** Finds the orders that have filled more than before. */
export class NewFills {
  readonly #conditions: readonly FillCondition[];

  readonly #named = new Map<FillCondition, Pick<Order, 'id' | 'state'>>();
  readonly #filled = new Map<string, Decimal>();
  #isFollowing = false;

  constructor(conditions: readonly FillCondition[]) {
    this.#conditions = conditions;
  }

  /** Takes the order that a condition names, before those that are followed. */
  name(condition: FillCondition, order: Order): void {
    this.#named.set(condition, order);
    this.#filled.set(order.id, Decimal.of(order.filled));
  }

  /** Whether no condition can hold any more: each names an order, and all of these have ended. */
  get isOver(): boolean {
    const named = this.#conditions.map((condition) => this.#named.get(condition));
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
      const isMore = filled.compare(before) > 0;
      const held = this.#conditions.filter((condition) => this.#beginsToHold(condition, order, isMore));
      return held.map((condition) => ({ condition, order }));
    });
  }

  /** Keeps the state of the order if the condition names it. */
  #beginsToHold(condition: FillCondition, order: Order, isMore: boolean): boolean {
    if (condition.order === null) return isMore;
    const before = this.#named.get(condition);
    if (before?.id !== order.id) return false;
    this.#named.set(condition, order);
    return condition.isWhole ? isFilled(order) && !isFilled(before) : isMore;
  }

  #remember(id: string, filled: Decimal): void {
    this.#filled.set(id, filled);
    const [oldest] = this.#filled.keys();
    if (this.#filled.size > MAX_ORDERS && oldest !== undefined) this.#filled.delete(oldest);
  }
}
