import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import type { BatchPlan } from '../batches/begin.js';
import { totals } from '../batches/lines.js';
import type { Breach, Seen } from '../guards/breach.js';
import { guardOrders } from '../guards/guard-orders.js';
import type { Guarded } from '../guards/guards.js';
import type { GuardLimits } from '../guards/limits.js';
import { crosses } from '../guards/post-only.js';
import { bestOf, referenceOf } from '../market-view.js';
import { type Answers, type OrderFacts, spentCoin } from './facts.js';
import { estimateFee } from './fee.js';
import type { Outlook } from './outlook.js';
import { aboutAnswers, aboutBalance } from './warnings.js';

/** What a job would do. What is not known is null. */
export interface BatchFacts extends Pick<OrderFacts, 'fee' | 'balance' | 'bid' | 'ask' | 'reference'> {
  /** How many of its orders reach the other side of the book, and so fill at once as far as that goes. */
  readonly crossing: number | null;
}

interface BatchPreview extends Guarded {
  readonly facts: BatchFacts;
}

/** What orders would do, what to beware of, and which guards hold them back. What could not be asked for is said, not thrown. */
export async function previewBatch(
  account: TradingAccount,
  market: Market,
  plan: BatchPlan,
  outlook: Outlook,
  limits: GuardLimits,
): Promise<BatchPreview> {
  const [seen, available, orders] = await Promise.all([
    outlook.market(),
    plan.account === 'spot' ? outlook.available() : ('untold' as const),
    outlook.orders(),
  ]);
  const answers: Answers = { market: seen, available, orders };
  const facts = factsOf(market, plan, answers);
  const guarded = guardBatch(account, market, plan, seen, limits);
  const more = [...aboutBalance(market, plan.side, facts.balance, 'a part of it'), ...aboutAnswers(answers)];
  return { ...guarded, facts, warnings: [...guarded.warnings, ...more] };
}

/** The guards alone. Batches have no PostOnly orders. */
export function guardBatch(
  account: TradingAccount,
  market: Market,
  { side, lines }: BatchPlan,
  seen: Seen,
  limits: GuardLimits,
): Guarded {
  const orders = lines.map(([, price, amount]) => ({ price, amount }));
  const guarded = guardOrders(account, { market, side, type: 'limit', orders }, seen, limits);
  return { ...guarded, breaches: guarded.breaches.map((breach) => naming(breach, lines)) };
}

/** Which line of the file it is about, and how many more break the same guard; nothing where that is no single line's doing. */
function naming(breach: Breach, lines: BatchPlan['lines']): Breach {
  const [first, ...others] = breach.orders;
  const number = first === undefined ? undefined : lines[first]?.[0];
  if (number === undefined) return breach;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return { ...breach, message: `line ${number}${more}: ${breach.message}` };
}

function factsOf(market: Market, { side, lines }: BatchPlan, answers: Answers): BatchFacts {
  const { amount, notional } = totals(lines);
  const [receives, spends] = side === 'buy' ? [amount, notional] : [notional, amount];
  const orders = answers.orders instanceof Failure ? [] : answers.orders;
  const before =
    answers.available instanceof Map ? (answers.available.get(spentCoin(market, side)) ?? Decimal.zero) : null;
  return {
    fee: estimateFee(orders, side, receives),
    balance: before === null ? null : { before, after: before.minus(spends) },
    ...seenFrom(side, lines, answers.market),
  };
}

function seenFrom(side: BatchPlan['side'], lines: BatchPlan['lines'], market: Answers['market']) {
  if (market instanceof Failure) return { bid: null, ask: null, reference: null, crossing: null };
  const [bid, ask] = [bestOf(market.bids), bestOf(market.asks)];
  const best = side === 'buy' ? ask : bid;
  const crossing = best === null ? 0 : lines.filter(([, price]) => crosses(side, Decimal.of(price), best)).length;
  return { bid, ask, reference: referenceOf(market), crossing };
}
