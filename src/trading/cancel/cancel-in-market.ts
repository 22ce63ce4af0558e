import { Failure } from '../../errors.js';
import { closeMarket } from '../settling/reconcile-orders.js';
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
 * Cancels every open order of a market, each as soon as it is found, while the lists are read. With the first of them, it starts the
 * exchange's timer, which cancels what this process leaves, even if it ends here.
 * @param isArmed starts the timer in any case: an earlier write may still place an order
 * @param options how the orders are cancelled; if it may not continue, nothing is begun
 */
export async function cancelInMarket(
  trading: TradingContext,
  market: string,
  isArmed: boolean,
  options: CancelAllOptions = {},
): Promise<EmptiedMarket> {
  let arming: Promise<Timer | Failure> | undefined;
  const arm = () => {
    arming ??= startTimerWithRetries(trading, market).catch(failureOnly);
  };
  if (isArmed) arm();
  const done = await cancelAll(trading, market, undefined, { ...options, onOpen: arm }).catch(failureOnly);
  const armed = (await arming) ?? null;
  const [timer, timerFailure] = armed instanceof Failure ? [null, armed] : [armed, null];
  if (done instanceof Failure) return { market, attempts: [], stillOpen: [], timer, timerFailure, failure: done };
  const { attempts, stillOpen, failure } = done;
  if (attempts.length > 0) await closeMarket(trading, market);
  return { market, attempts, stillOpen, timer, timerFailure, failure };
}

function failureOnly(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
