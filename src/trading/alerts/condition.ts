import type { OrderReference } from '../../domain/order.js';
import type { ClosingPrice, ConditionText, Threshold } from './crossing.js';
import type { Trail } from './trail.js';

/** More of an own order is filled, or all of it. */
export interface FillCondition extends ConditionText {
  readonly kind: 'fill';
  /** Null for any order of the market. */
  readonly order: OrderReference | null;
  /** Whether only the whole order counts. */
  readonly isWhole: boolean;
}

/** What an alert waits for. */
export type Condition = Threshold | ClosingPrice | Trail | FillCondition;
