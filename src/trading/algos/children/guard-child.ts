import type { Side } from '../../../domain/order.js';
import { Failure } from '../../../errors.js';
import type { AgentLimits } from '../../guards/agent-limits.js';
import { guardOrders } from '../../guards/guards.js';
import type { GuardLimits } from '../../guards/limits.js';
import type { BookView } from '../../preview/market-view.js';
import type { TradingContext } from '../../trading-context.js';
import type { NewChild } from '../plan/children.js';
import type { AlgoTerms } from '../plan/terms.js';
import { held, heldBy, later, type SentChild } from './sent-child.js';

/** What the guards have read. */
export interface Guarded {
  readonly limits: GuardLimits;
  readonly bestBid: string | undefined;
}

/** A child that is to leave. */
interface GuardedChild {
  readonly wanted: NewChild;
  readonly side: Side;
  readonly terms: AlgoTerms;
  /** The agent whose limits it has to keep. */
  readonly agent: AgentLimits | undefined;
}

/**
 * Asks the guards about a child, with the limits as they are now.
 * @param readBook the book that they compare it with
 * @returns what they have read, or why it does not leave
 */
export async function guardChild(
  trading: TradingContext,
  { wanted, side, terms, agent }: GuardedChild,
  readLimits: () => Promise<GuardLimits>,
  readBook: () => Promise<BookView | Failure>,
): Promise<Guarded | SentChild> {
  let limits: GuardLimits;
  try {
    limits = await readLimits();
    agent?.requireAllowed({ market: terms.market.market, borrows: terms.borrow });
    if (agent !== undefined) limits = agent.within(limits);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return heldBy('account', error);
  }
  const orders = [{ price: wanted.price.trimmed().toString(), amount: wanted.amount.trimmed().toString() }];
  const plan = { market: terms.market, side, type: wanted.type, orders };
  const { breaches, bestBid } = guardOrders(trading, plan, await readBook(), limits);
  const [unchecked] = breaches.flatMap(({ failure }) => failure ?? []);
  if (unchecked !== undefined) return later(unchecked);
  const [breach] = breaches;
  if (breach === undefined) return { limits, bestBid };
  // the best prices have moved since it was decided: the next decision takes the new ones
  if (breach.guard === 'post-only') return later(new Failure('refused', `Not sent: ${breach.message}.`));
  if (breach.guard === 'price-band' && isPricedByBand(wanted, terms)) return later(OUTSIDE_BAND);
  return held('guard', `${breach.guard}: ${breach.message}`);
}

/** The same text for each book: a failure that changes is reported at each try. */
const OUTSIDE_BAND = new Failure('refused', 'Not sent: the newest book allows no such price within the price band.');

/** Whether pit itself keeps the price within the band: a stop without `--limit`, once a book is known. */
function isPricedByBand({ role }: NewChild, { exits }: AlgoTerms): boolean {
  return role === 'stop' && exits?.limit === null;
}
