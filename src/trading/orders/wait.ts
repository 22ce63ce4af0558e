import { Decimal } from '../../domain/decimal.js';
import type { Order, OrderState } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import { TimeBudget } from '../../platform/time-budget.js';
import { Pauses } from '../settling/pauses.js';
import type { TradingContext } from '../trading-context.js';

/** The state to wait for: placed, filled, or final. */
export const WAITS = ['open', 'filled', 'closed'] as const;
export type Wait = (typeof WAITS)[number];

const PAUSES_MS = { first: 500, longest: 5_000 };
/** A shorter pause is not worth another read. */
const SHORTEST_PAUSE_MS = 100;

interface Waited {
  /** What was seen last. */
  readonly order: Order;
  /** Whether the state was reached; false if it cannot be any more or the time ran out. */
  readonly isReached: boolean;
}

/** Whether a state is the one waited for; undefined if it may still become it. */
function endedBy(state: OrderState, wait: Wait): boolean | undefined {
  if (state === 'filled') return true;
  if (state === 'cancelled') return wait === 'closed';
  return state === 'open' && wait === 'open' ? true : undefined;
}

/**
 * Reads the order until it reaches the state, cannot reach it any more, or the budget ends. Reads again soon after a change,
 * less and less often without one, and early if the exchange pushes a change in the market. What was pushed of the order counts as
 * what was read, which may fail or be behind. A read that failed is repeated while there is time. Throws what `readOrder` throws if
 * the order was never seen; a new order may be late.
 *
 * @param changed called with each state of the order that differs from the one before, the first included
 * @param terms `exists`: whether the order is known to exist, so that no first read has to show it; `speed`: how many times as fast as this
 *   machine's the clock runs that the budget counts by
 */
export async function waitForOrder(
  trading: Pick<TradingContext, 'budget' | 'host' | 'orderPushes'>,
  market: string,
  readOrder: () => Promise<Order>,
  wait: Wait,
  changed: (order: Order) => void,
  { exists = false, speed = 1 } = {},
): Promise<Waited> {
  const pauses = new Pauses(trading, market, 0);
  const { host, budget } = trading;
  const waiting = speed === 1 ? budget : new TimeBudget(budget.remainingMs / speed, host.monotonic);
  const shortestPauseMs = SHORTEST_PAUSE_MS / speed;
  try {
    return await readUntil({ host, budget: waiting }, pauses, readOrder, wait, { changed, exists, shortestPauseMs });
  } finally {
    pauses.close();
  }
}

interface ReadingTerms {
  readonly changed: (order: Order) => void;
  readonly exists: boolean;
  readonly shortestPauseMs: number;
}

async function readUntil(
  { budget, host }: Pick<TradingContext, 'budget' | 'host'>,
  pauses: Pauses,
  readOrder: () => Promise<Order>,
  wait: Wait,
  { changed, exists, shortestPauseMs }: ReadingTerms,
): Promise<Waited> {
  let last: Order | undefined;
  for (let unchanged = 0; ; ) {
    const before: Order | undefined = last;
    const isKnown = exists || before !== undefined;
    const read = readOrder().catch((error: unknown) => retryable(error, wait, isKnown));
    const found = before === undefined ? await read : await firstOf(read, before.id, { pauses, host, wait });
    const seen = before === undefined ? found : further(found, pauses.pushedOrder(before.id));
    if (!(seen instanceof Failure) && isOther(seen, last)) {
      last = seen;
      unchanged = 0;
      changed(seen);
    }
    const result = last === undefined ? undefined : endedBy(last.state, wait);
    if (last !== undefined && result !== undefined) return { order: last, isReached: result };
    const usual = backoffMs(unchanged, PAUSES_MS);
    // half of what is left, so that the last read comes near the end
    const pause = Math.min(usual, budget.remainingMs / 2);
    if (pause >= shortestPauseMs) unchanged += (await pauses.wait(pause)) ? 0 : 1;
    else if (last !== undefined) return { order: last, isReached: false };
    else throw seen;
  }
}

/** How often it is checked during a read whether a push has ended the wait. HTTP shows more of an order, so it comes first. */
const READ_PATIENCE_MS = 1_000;

/** What a read finds, or what was pushed if that ends the wait first. */
async function firstOf(
  read: Promise<Order | Failure>,
  id: string,
  { pauses, host, wait }: { readonly pauses: Pauses; readonly host: TradingContext['host']; readonly wait: Wait },
): Promise<Order | Failure> {
  if (!pauses.hasStream) return read;
  const done = new AbortController();
  const pushed = async () => {
    for (;;) {
      await host.sleep(READ_PATIENCE_MS, done.signal);
      const order = pauses.pushedOrder(id);
      if (done.signal.aborted) return read;
      if (order !== undefined && endedBy(order.state, wait) !== undefined) return order;
    }
  };
  try {
    return await Promise.race([read, pushed()]);
  } finally {
    done.abort();
  }
}

/** The one of both that says more of an order: what has ended stays so, and what is filled stays filled. */
function further(read: Order | Failure, pushed: Order | undefined): Order | Failure {
  if (pushed === undefined) return read;
  if (read instanceof Failure) return pushed;
  const isBehind = read.state === 'open' && (pushed.state !== 'open' || isLess(read.filled, pushed.filled));
  return isBehind ? { ...pushed, clientId: read.clientId } : read;
}

function isLess(one: string, other: string): boolean {
  return Decimal.of(one).compare(Decimal.of(other)) < 0;
}

/** The failure of a read after which another one makes sense. Otherwise throws it. */
function retryable(error: unknown, wait: Wait, isKnown: boolean): Failure {
  if (!(error instanceof Failure)) throw error;
  const isLate = error.refusal === 'notFound' && (wait === 'open' || isKnown);
  if (isLate || (isKnown && error.kind === 'unreachable')) return error;
  throw error;
}

function isOther(now: Order, before: Order | undefined): boolean {
  return before === undefined || now.status !== before.status || now.filled !== before.filled;
}
