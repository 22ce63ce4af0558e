import type { OrderReference } from '../../domain/order.js';
import { Failure, failureOnly } from '../../errors.js';
import { inParallel } from '../../platform/in-parallel.js';
import { type OwnOrders, ordersToCancel } from '../history/open-orders.js';
import { closeMarket } from '../settling/reconcile-orders.js';
import { startTimerWithRetries, type Timer } from '../timed-cancel/timer.js';
import type { TradingContext } from '../trading-context.js';
import { type CancelledAll, cancelAll } from './cancel-all.js';
import { type CancelAttempt, cancelOrders } from './cancel-orders.js';

/** Orders of a market that are to be cancelled: by default all that are open, each as soon as a page shows it. */
export interface CancelTarget {
  readonly market: string;
  /** Only these. */
  readonly named?: readonly OrderReference[];
  /** All that are open, as they were read and shown to the user. */
  readonly shown?: OwnOrders | undefined;
  /**
   * Whether the exchange's timer is started, which cancels what this process leaves, even if it ends here: with the first order that is
   * found, or in any case, because an earlier write may still place one. It needs none of `shown`.
   */
  readonly timer?: 'with an order' | 'always';
}

/** What became of the orders of a target. */
export interface CancelledMarket extends CancelledAll {
  readonly market: string;
  /** Cancels what is left, a minute after it was started; null if it was not needed or not started. */
  readonly timer: Timer | null;
  /** Why the timer was not started, or may not have been; null otherwise. */
  readonly timerFailure: Failure | null;
}

export interface CancelTargetsOptions {
  /** Reads the lists whole at first, whatever is known of them. */
  readonly isWhole?: boolean | undefined;
  /** Called for each answer, with what it alone shows, and how many requests there are so far in its market. */
  readonly onAnswer?: ((attempt: CancelAttempt, requests: number) => void) | undefined;
  readonly onMarket?: (done: CancelledMarket) => void;
}

/** Markets at once: each waits for its answers, and all keep the limits together. */
export const MARKETS_TOGETHER = 4;

/**
 * Cancels orders in markets. A market that fails does not stop the others, and says why in its `failure`. One market has the time of the
 * command, of several each has that time; what the account decides takes the time that it takes, unless the user has set it.
 * @param signal ends it: nothing more is sent, and what was sent is waited for
 */
export async function cancelTargets(
  trading: TradingContext,
  targets: readonly CancelTarget[],
  signal: AbortSignal,
  options: CancelTargetsOptions = {},
): Promise<readonly CancelledMarket[]> {
  const { budget } = trading;
  const [first, ...others] = targets;
  if (first === undefined) return [];
  const cancel = async (target: CancelTarget, progressed: () => void, onPage?: () => void) => {
    const done = await cancelTarget(trading, target, signal, { ...options, progressed, onPage });
    options.onMarket?.(done);
    return done;
  };
  if (others.length === 0)
    return first.named === undefined
      ? budget.whileProgressing(async (progressed) => [await cancel(first, progressed)])
      : [await cancel(first, () => {})];
  const progressed = () => {
    if (!budget.isUserSet) budget.restart();
  };
  const lead = leadOf(first);
  const done = await budget.withoutDeadline(() =>
    inParallel(targets, MARKETS_TOGETHER, async (target) => {
      await lead.before(target);
      budget.restart();
      return cancel(target, progressed, lead.hasRead).finally(lead.end);
    }),
  );
  budget.restart();
  return done;
}

interface Steps {
  readonly progressed: () => void;
  readonly onPage: (() => void) | undefined;
}

async function cancelTarget(
  trading: TradingContext,
  { market, named, shown, timer }: CancelTarget,
  signal: AbortSignal,
  { isWhole, onAnswer, progressed, onPage }: CancelTargetsOptions & Steps,
): Promise<CancelledMarket> {
  const nothing = {
    market,
    attempts: [],
    stillOpen: [],
    orders: new Map(),
    failure: null,
    timer: null,
    timerFailure: null,
  };
  if (signal.aborted) return nothing;
  let arming: Promise<Timer | Failure> | undefined;
  const arm = () => {
    if (timer !== undefined && !signal.aborted) arming ??= startTimerWithRetries(trading, market).catch(failureOnly);
  };
  if (timer === 'always') arm();
  const cancel = async () => {
    if (named !== undefined) {
      const answered = (attempt: CancelAttempt) => onAnswer?.(attempt, named.length);
      return { attempts: await cancelOrders(trading, market, named, answered, signal) };
    }
    const { client, budget } = trading;
    const lists = budget.isUserSet ? client : client.restartingBudget(budget);
    const callbacks = { onAnswer, onOpen: arm, onPage, onProgress: progressed };
    return cancelAll(trading, market, shown, { lists, isWhole, signal, ...callbacks });
  };
  const done = await cancel().catch(failureOnly);
  const armed = (await arming) ?? null;
  const ofTimer = armed instanceof Failure ? { timerFailure: armed } : { timer: armed };
  if (done instanceof Failure) {
    const stillOpen = shown === undefined ? [] : ordersToCancel(shown).map(({ id }) => id);
    return { ...nothing, ...ofTimer, stillOpen, failure: done };
  }
  if (done.attempts.length > 0) await closeMarket(trading, market);
  return { ...nothing, ...ofTimer, ...done };
}

/**
 * Lets the market in which open orders are most likely go first, until the first page of each side is read and its orders are cancelled:
 * the lists of other markets do not come before them. Orders that were shown need no list.
 */
function leadOf(first: CancelTarget) {
  let pages = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  if (first.shown !== undefined) end();
  return {
    before: async (target: CancelTarget) => (target === first ? undefined : ended),
    // the others begin only once it has ended
    hasRead: () => {
      pages += 1;
      if (pages >= 2) end();
    },
    end: () => end(),
  };
}
