import type { Order, OrderState } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { OBSERVED } from '../../exchange/observed-codes.js';
import type { TradingAccount } from '../account.js';

/** What an order is waited for: that it is there, that all of it fills, or that nothing more can happen to it. */
export const WAITS = ['open', 'filled', 'closed'] as const;
export type Wait = (typeof WAITS)[number];

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** A shorter pause is not worth another look. */
const SHORTEST_PAUSE_MS = 100;

interface Waited {
  /** What was seen last. */
  readonly record: Order;
  /** Whether it came to what was waited for; it cannot any more, or the time was over, where it did not. */
  readonly isReached: boolean;
}

/** Whether a state is what is waited for; undefined where it may still become it. */
function endedBy(state: OrderState, wait: Wait): boolean | undefined {
  if (state === 'filled') return true;
  if (state === 'cancelled') return wait === 'closed';
  return state === 'open' && wait === 'open' ? true : undefined;
}

/**
 * Looks at an order until it is what is waited for, cannot become it, or the budget is over: soon again where something
 * happened, ever less often where nothing does. Looks that get no answer are passed over while another can be had.
 * Throws as the client's `read` where the order was never seen; one that is waited for to be there may be late.
 *
 * @param changed called with each record that is not as the one before, the first included
 */
export async function waitForOrder(
  { budget, host }: Pick<TradingAccount, 'budget' | 'host'>,
  look: () => Promise<Order>,
  wait: Wait,
  changed: (record: Order) => void,
): Promise<Waited> {
  let last: Order | undefined;
  for (let unchanged = 0; ; unchanged += 1) {
    const seen = await look().catch((error: unknown) => passable(error, wait, last !== undefined));
    if (!(seen instanceof Failure) && isOther(seen, last)) {
      [last, unchanged] = [seen, 0];
      changed(seen);
    }
    const result = last === undefined ? undefined : endedBy(last.state, wait);
    if (last !== undefined && result !== undefined) return { record: last, isReached: result };
    const usual = Math.min(FIRST_PAUSE_MS * 2 ** unchanged, LONGEST_PAUSE_MS);
    // half of what is left, so that the last look comes near the end
    const pause = Math.min(usual, budget.leftMs / 2);
    if (pause >= SHORTEST_PAUSE_MS) await host.sleep(pause);
    else if (last !== undefined) return { record: last, isReached: false };
    else throw seen;
  }
}

/** The failure of a look after which another one makes sense. Throws it where none does. */
function passable(error: unknown, wait: Wait, isSeen: boolean): Failure {
  if (!(error instanceof Failure)) throw error;
  const isLate = error.code === OBSERVED.orderNotFound && wait === 'open';
  if (isLate || (isSeen && error.kind === 'unreachable')) return error;
  throw error;
}

function isOther(now: Order, before: Order | undefined): boolean {
  return before === undefined || now.status !== before.status || now.filled !== before.filled;
}
