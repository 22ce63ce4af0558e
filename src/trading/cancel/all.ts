import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import { type OwnOrders, readOpenOrders } from '../orders/open-orders.js';
import { type CancelAttempt, type Sent, sendCancels, settleAll } from './cancel.js';
import { type Facts, factsOf } from './facts.js';

export interface CancelledAll {
  /** One for each order that was found open. */
  readonly attempts: readonly CancelAttempt[];
  /** The orders that were open when it was looked last. */
  readonly left: readonly string[];
  /** Why it was not seen whether others are left. */
  readonly failure: Failure | null;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/** What may be otherwise in a moment: no connection, no answer, too many requests. */
const PASSING: readonly CancelAttempt['failure'][] = ['unreachable', 'unknown', 'limited'];

/**
 * Cancels the open orders of a market, and those that are placed meanwhile, until none is left or nothing moves any more
 * within the budget. A cancellation that got no answer is followed by another one of the same order, under a record of its
 * own: an order is cancelled once, however often that is asked for.
 *
 * @param first the orders as they were read last
 * @param told called for each answer, with how many came so far, and of how many requests
 * @throws Failure `usage` or `credentials` where nothing could be sent
 */
export async function cancelAll(
  account: TradingAccount,
  market: string,
  first: OwnOrders,
  told: (answers: number, requests: number) => void = () => {},
): Promise<CancelledAll> {
  const sent: Sent[] = [];
  let [answers, asked] = [0, 0];
  const round = async (ids: readonly string[]) => {
    asked += ids.length;
    const orders = ids.map((id) => ({ id }));
    const done = await sendCancels(account, market, orders, () => told(++answers, asked));
    sent.push(...done);
    return done;
  };
  const { seen, failure } = await untilNoneIsLeft(account, market, first, round);
  if (failure !== null && sent.length === 0) throw failure;
  const settled = await settleAll(account, sent);
  const last = new Map(settled.map((attempt) => [attempt.result.id ?? '', attempt]));
  const attempts = [...last].map(([id, attempt]) => asSeen(attempt, seen.records.get(id)));
  return { attempts, left: openIds(seen), failure };
}

interface End {
  /** The orders as they were read last. */
  readonly seen: OwnOrders;
  readonly failure: Failure | null;
}

async function untilNoneIsLeft(
  account: TradingAccount,
  market: string,
  first: OwnOrders,
  round: (ids: readonly string[]) => Promise<readonly Sent[]>,
): Promise<End> {
  let seen = first;
  for (let idle = 0; openIds(seen).length > 0; ) {
    const ids = openIds(seen);
    try {
      const done = await round(ids);
      seen = await readOpenOrders(account.client, market);
      const left = new Set(openIds(seen));
      idle = ids.every((id) => left.has(id)) ? idle + 1 : 0;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (idle - 1), LONGEST_PAUSE_MS);
      if (idle > 0 && !(done.some(isPassing) && account.budget.allows(2 * pause))) break;
      if (idle > 0) await account.host.sleep(pause);
    } catch (error) {
      if (error instanceof Failure) return { seen, failure: error };
      throw error;
    }
  }
  return { seen, failure: seen.failure };
}

/** Also where the exchange says that an order is cancelled which its list shows as open. */
function isPassing(sent: Sent): boolean {
  return 'lost' in sent || sent.attempt.failure === null || PASSING.includes(sent.attempt.failure);
}

function openIds({ open }: OwnOrders): string[] {
  return [...open.buy, ...open.sell].map(({ id }) => id);
}

/** With what the last read says of the order, where its cancellation does not say it. */
function asSeen(attempt: CancelAttempt, order: Order | undefined): CancelAttempt {
  const { result } = attempt;
  if (order === undefined) return attempt;
  const facts = factsOf(order);
  // the answer is newer than a list that could not be read again
  if (result.outcome === 'cancelled') return { ...attempt, result: { ...result, ...missingOf(result, facts) } };
  const state = order.state;
  if (state === 'cancelled') {
    return {
      ...attempt,
      failure: null,
      result: { ...result, ...facts, outcome: state, message: 'cancelled meanwhile' },
    };
  }
  if (state !== 'filled') return attempt;
  return {
    ...attempt,
    failure: 'refused',
    result: { ...result, ...facts, outcome: 'refused', message: 'filled meanwhile' },
  };
}

function missingOf(result: Facts, { id: _, ...facts }: Facts): Partial<Facts> {
  const { price, amount, filled, filledValue } = result;
  return [price, amount, filled, filledValue].includes(null) ? facts : {};
}
