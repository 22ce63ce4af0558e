import { Decimal } from '../../protocol/decimal.js';
import type { TradingAccount } from '../account.js';
import type { Seen } from '../guards/breach.js';
import { writtenToday } from '../guards/day-notional.js';
import { checkGuards, type Guarded, type Proposal } from '../guards/guards.js';
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

/** The guards alone, for who does not look: only what is seen of the market counts. */
export function guardOrder(
  account: TradingAccount,
  { market, terms }: ResolvedOrder,
  seen: Seen,
  limits: GuardLimits,
): Guarded {
  const { side, type } = terms;
  return guardOrders(account, { market, side, type, orders: [terms] }, seen, limits);
}

/** The same for orders that are to be sent together. */
export function guardOrders(account: TradingAccount, proposal: Proposal, seen: Seen, limits: GuardLimits): Guarded {
  return checkGuards(proposal, limits, { seen, today: todayOf(account, proposal.market.quote, limits) });
}

/** The journal of the day is read only where a limit needs it. */
function todayOf({ journal, host }: TradingAccount, quote: string, { dayNotional }: GuardLimits): Decimal {
  return dayNotional.has(quote) ? writtenToday(journal, quote, host.now()) : Decimal.zero;
}
