import type { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import { Pauses } from '../settling/pauses.js';
import type { TradingContext } from '../trading-context.js';
import { MINUTE_MS, startTimer, type Timer } from './timer.js';

/** Four chances a minute. */
const REFRESH_MS = 15_000;
/** For one attempt, so that one that hangs leaves time for others. */
const ATTEMPT_MS = 16_000;
const TICK_MS = 1_000;
const PAUSES_MS = { first: 500, longest: 4_000 };
/** When the wall clock moves this much more or less than the monotonic one, the machine slept or the clock was set. */
const JUMP_MS = 2_000;
/** The exchange's clock is known to the second. */
const SLACK_MS = 3_000;

/** What happens to a timer while it is held. */
export type HoldEvent =
  /** An attempt is sent: until its result it is unknown whether the timer was started again. */
  | { readonly kind: 'trying' }
  | { readonly kind: 'started'; readonly timer: Timer }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The minute passed. `latest`: when the exchange cancels at the latest, by the monotonic clock. */
  | { readonly kind: 'lapsed'; readonly latest: number };

/**
 * Starts the timer again and again, and keeps trying if that fails: after a pause, or at once when the exchange pushes a
 * change of an order, which shows that it can be reached again. Reports once that its minute has passed; the attempts continue
 * for as long as events are taken, since new orders may be placed under the timer.
 *
 * @param end ends it, between two attempts
 */
export async function* hold(
  trading: TradingContext,
  market: string,
  first: Timer,
  end: AbortSignal,
): AsyncGenerator<HoldEvent> {
  let timer = first;
  let latest = first.answered + MINUTE_MS;
  let pause = 0;
  let isLapsed = false;
  let failures = 0;
  const pauses = new Pauses(trading, market);
  try {
    while (await isDue(trading, isLapsed ? undefined : timer, { pauses, pause }, end)) {
      if (!isLapsed && hasExpired(trading, timer)) {
        isLapsed = true;
        yield { kind: 'lapsed', latest };
      }
      yield { kind: 'trying' };
      trading.budget.restart(ATTEMPT_MS);
      const attempt = await startTimer(trading, market);
      if (attempt.kind === 'failed') {
        if (attempt.arrived === 'perhaps') latest = attempt.ended + MINUTE_MS;
        pause = backoffMs(failures, PAUSES_MS);
        failures += 1;
        yield { kind: 'failed', failure: attempt.failure };
        continue;
      }
      const wasLate = !isLapsed && isAfter(attempt.timer, timer);
      timer = attempt.timer;
      latest = timer.answered + MINUTE_MS;
      pause = 0;
      isLapsed = false;
      failures = 0;
      yield { kind: 'started', timer };
      if (wasLate) yield { kind: 'lapsed', latest: timer.sent };
    }
  } finally {
    pauses.close();
  }
}

/** Waits until the next attempt, or until the minute is over; false if it was ended. */
async function isDue(
  trading: TradingContext,
  timer: Timer | undefined,
  { pauses, pause }: { readonly pauses: Pauses; readonly pause: number },
  end: AbortSignal,
): Promise<boolean> {
  const { host } = trading;
  const start = host.monotonic();
  const isEnough = () => {
    const now = host.monotonic();
    if (pause > 0 || timer === undefined) return now - start >= pause;
    const passed = now - timer.sent;
    // the machine slept, or its clock was set: only the exchange's answer shows which
    const isUncertain = Math.abs(host.now() - timer.sentAt - passed) > JUMP_MS;
    return passed >= REFRESH_MS || isUncertain;
  };
  // short ticks: a machine that slept learns it from its wall clock alone
  while (!end.aborted && !isEnough() && !(timer !== undefined && hasExpired(trading, timer))) {
    if (pause === 0) await host.sleep(TICK_MS, end);
    else if (await pauses.wait(Math.min(TICK_MS, pause), end)) break;
  }
  return !end.aborted;
}

function hasExpired({ host }: TradingContext, { answered }: Timer): boolean {
  return host.monotonic() > answered + MINUTE_MS;
}

/** By the exchange's clock the minute was over before the timer was started again. */
function isAfter({ cancelsAt }: Timer, earlier: Timer): boolean {
  return cancelsAt - MINUTE_MS > earlier.cancelsAt + SLACK_MS;
}
