import { Decimal } from '../../domain/decimal.js';
import type { TradingAccount } from '../account.js';
import type { OrderTerms } from '../journal/intent.js';
import type { Seen } from './breach.js';
import { writtenToday } from './day-notional.js';
import { checkGuards, type Guarded, type Proposal } from './guards.js';
import type { GuardLimits } from './limits.js';

/** Holds an order against every guard: only what is seen of the market counts. */
export function guardOrder(
  account: TradingAccount,
  { market, terms }: Pick<Proposal, 'market'> & { readonly terms: OrderTerms },
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
