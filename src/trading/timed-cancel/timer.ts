import { Failure, suggest } from '../../errors.js';
import { refusalFailure } from '../../exchange/exchange.js';
import { backoffMs } from '../../platform/backoff.js';
import { expiresAt } from '../settling/reconcile.js';
import type { TradingContext } from '../trading-context.js';

/** "Orders are cancelled one minute after the call." */
export const MINUTE_MS = 60_000;

/** The exchange's timer as it was started last. */
export interface Timer {
  /** When the exchange cancels, at the earliest: by its own clock, in milliseconds since the Unix epoch. */
  readonly cancelsAt: number;
  /** When the request left, by this machine's clock in milliseconds since the Unix epoch: for people. */
  readonly sentAt: number;
  /** When the request left and when its answer came, by the monotonic clock. */
  readonly sent: number;
  readonly answered: number;
  /**
   * When the last request without an answer left, by this machine's clock in milliseconds since the Unix epoch; null if there
   * was none. If it arrives later, the minute begins again.
   */
  readonly lostAt: number | null;
  /** When the exchange cancels at the latest, by the same clock. */
  readonly latestAt: number;
}

/** The result of one attempt to start the timer. */
type Attempt =
  | { readonly kind: 'started'; readonly timer: Timer }
  /** `arrived`: the request may have started the timer, or did not. `ended`: by the monotonic clock. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly arrived: 'no' | 'perhaps'; readonly ended: number };

/**
 * Starts the timer, or starts it again, with one request. It may be repeated, as "a further call refreshes the timer", but
 * it is sent as a write, because a write reports whether it may have arrived.
 */
export async function startTimer({ client, host }: TradingContext, market: string): Promise<Attempt> {
  const sentAt = host.now();
  const sent = host.monotonic();
  const response = await client.cancelAllAfter(market);
  const answered = host.monotonic();
  if (response.kind === 'done') {
    const cancelsAt = client.now() - (answered - sent) + MINUTE_MS;
    const latestAt = sentAt + (answered - sent) + MINUTE_MS;
    return { kind: 'started', timer: { cancelsAt, sentAt, sent, answered, lostAt: null, latestAt } };
  }
  const failed = { kind: 'failed', ended: answered } as const;
  if (response.kind === 'refused')
    return { ...failed, failure: refusalFailure(response.refusal, 'timer'), arrived: 'no' };
  const kind = response.kind === 'notSent' ? response.failure : 'unreachable';
  const hint = suggest('Check the host and the network', 'profile', 'show');
  const failure = new Failure(kind, `cancelAllOrdersAfter: ${response.reason}`, kind === 'unreachable' ? { hint } : {});
  return { ...failed, failure, arrived: response.kind === 'lost' ? 'perhaps' : 'no' };
}

const MAX_ATTEMPTS = 4;
const PAUSES_MS = { first: 300, longest: 1_200 };

/**
 * Starts the timer with several attempts. Throws Failure `refused`, `credentials`, `limited` or `unreachable` if it was not started, and
 * `unknown` if a request got no answer.
 */
export async function startTimerWithRetries(trading: TradingContext, market: string): Promise<Timer> {
  let lost: Failure | undefined;
  let lostAt: number | null = null;
  for (let count = 0; ; count += 1) {
    const at = trading.host.now();
    const attempt = await startTimer(trading, market);
    if (attempt.kind === 'started')
      return lostAt === null ? attempt.timer : restartedBy(lostAt, attempt.timer, trading.requestLifetimeMs);
    const { failure, arrived } = attempt;
    if (arrived === 'perhaps') [lost, lostAt] = [failure, at];
    const pause = backoffMs(count, PAUSES_MS);
    const isRejected = failure.kind === 'refused' || failure.kind === 'credentials';
    const isLast = count + 1 === MAX_ATTEMPTS || isRejected || !trading.budget.allows(2 * pause);
    if (isLast) throw lost === undefined ? failure : unknown(market, lost);
    await trading.host.sleep(pause);
  }
}

/** The timer, if a request without an answer may still arrive until it expires, and then starts the minute again. */
function restartedBy(lostAt: number, timer: Timer, requestLifetimeMs: number): Timer {
  return { ...timer, lostAt, latestAt: expiresAt(lostAt, requestLifetimeMs) + MINUTE_MS };
}

function unknown(market: string, { message }: Failure): Failure {
  const text = `It is unknown whether the timer of ${market} is running: ${message}. If it is, the exchange cancels every order of ${market} within a minute.`;
  return new Failure('unknown', text, {
    hint: [
      suggest('Start it again to make sure that it is running', 'cancel-after', market),
      suggest('See what is open', 'orders', market),
    ],
  });
}
