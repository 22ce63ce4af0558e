import { Failure } from '../../errors.js';
import { readOpenOrders } from '../orders/open-orders.js';
import { closeMarket } from '../settling/close-lists.js';
import { startTimerWithRetries, type Timer } from '../timed-cancel/timer.js';
import type { TradingContext } from '../trading-context.js';
import { type CancelAllOptions, type CancelAttempt, cancelAll } from './cancel-orders.js';

/** What became of the open orders of a market. */
export interface EmptiedMarket {
  readonly market: string;
  readonly attempts: readonly CancelAttempt[];
  /** The ids of the orders that were open when they were read last. */
  readonly stillOpen: readonly string[];
  /** Cancels what is left, a minute after it was started; null if it was not needed or not started. */
  readonly timer: Timer | null;
  /** Why the timer was not started, or may not have been; null otherwise. */
  readonly timerFailure: Failure | null;
  /** Why it is unknown whether open orders are left; null if it is known. */
  readonly failure: Failure | null;
}

/**
 * Cancels every open order of a market. If there are any, it first starts the exchange's timer, which cancels what this process
 * leaves, even if it ends here.
 * @param isArmed starts the timer in any case: an earlier write may still place an order
 * @param options how the orders are cancelled; if it may not continue, nothing is begun
 */
export async function cancelInMarket(
  trading: TradingContext,
  market: string,
  isArmed: boolean,
  options: CancelAllOptions = {},
): Promise<EmptiedMarket> {
  const empty = { market, attempts: [], stillOpen: [], timer: null, timerFailure: null };
  const own = await readOpenOrders(options.lists ?? trading.client, market).catch(failureOnly);
  const isEmpty = !(own instanceof Failure) && own.open.buy.length + own.open.sell.length === 0;
  const armed = isEmpty && !isArmed ? null : await startTimerWithRetries(trading, market).catch(failureOnly);
  const [timer, timerFailure] = armed instanceof Failure ? [null, armed] : [armed, null];
  if (own instanceof Failure) return { ...empty, timer, timerFailure, failure: own };
  if (isEmpty) return { ...empty, timer, timerFailure, failure: own.failure };
  const done = await cancelAll(trading, market, own, options).catch(failureOnly);
  if (done instanceof Failure) {
    const stillOpen = [...own.open.buy, ...own.open.sell].map(({ id }) => id);
    return { ...empty, timer, timerFailure, stillOpen, failure: done };
  }
  await closeMarket(trading, market);
  const { attempts, stillOpen, failure } = done;
  return { market, attempts, stillOpen, timer, timerFailure, failure };
}

function failureOnly(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
