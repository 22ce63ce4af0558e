import type { TradingAccount } from '../account.js';
import { guardOrder } from '../guards/guard-orders.js';
import type { Guarded } from '../guards/guards.js';
import type { GuardLimits } from '../guards/limits.js';
import { type Answers, factsOf, type OrderFacts, type ResolvedOrder } from './facts.js';
import type { Outlook } from './outlook.js';
import { warningsOf } from './warnings.js';

interface OrderPreview extends Guarded {
  readonly facts: OrderFacts;
}

/** What an order would do, what to beware of, and which guards hold it back. What could not be asked for is said, not thrown. */
export async function previewOrder(
  account: TradingAccount,
  order: ResolvedOrder,
  outlook: Outlook,
  limits: GuardLimits,
): Promise<OrderPreview> {
  const [market, available, orders] = await Promise.all([
    outlook.market(),
    order.terms.account === 'spot' ? outlook.available() : ('untold' as const),
    outlook.orders(),
  ]);
  const answers: Answers = { market, available, orders };
  const facts = factsOf(order, answers);
  const guarded = guardOrder(account, order, market, limits);
  return { ...guarded, facts, warnings: [...guarded.warnings, ...warningsOf(order, facts, answers)] };
}
