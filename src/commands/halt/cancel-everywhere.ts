import type { Order } from '../../domain/order.js';
import { Failure, failureOnly, suggest, withoutPeriod } from '../../errors.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import { isoTime } from '../../terminal/time.js';
import type { CancelAttempt, CancelResult } from '../../trading/cancel/cancel-orders.js';
import type { CancelledMarket, CancelTarget } from '../../trading/cancel/cancel-targets.js';
import { mayPlace } from '../../trading/settling/unknown-writes.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { byReason, marketsToCancel, mayBeOpenText, openInAllMarkets, stillOpenFailure } from '../cancel/all-markets.js';
import { cancelRow, cancelTable } from '../cancel/cancel-result.js';
import type { Cancelling } from '../cancel/cancelling.js';
import type { Context } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';

/** What `pit halt --cancel` did. */
export interface CancelledEverywhere {
  readonly rows: readonly CancelResult[];
  readonly timers: readonly { readonly market: string; readonly cancelsAt: string }[];
  readonly show: (screen: Screen) => string;
  /** What could not be cancelled; undefined if nothing is left. */
  readonly failure: Failure | undefined;
}

export const NOTHING_CANCELLED: CancelledEverywhere = { rows: [], timers: [], show: () => '', failure: undefined };

const AGAIN = suggest('Cancel what is left', 'halt', '--cancel');

/**
 * Cancels every open order in every market, and starts the exchange's timer in the markets that had one or in which pit traded
 * lately. A market that fails does not stop the others. It may take longer than the time of one command: each market has that
 * time, and without `--timeout` that time begins again with each order that is cancelled.
 */
export async function cancelEverywhere(
  context: Context,
  cancelling: Cancelling,
  signal: AbortSignal,
): Promise<CancelledEverywhere> {
  const trading = await context.session.trading().catch(failureOnly);
  if (trading instanceof Failure) {
    const failure = new Failure('partial', mayBeOpenText(trading.message), { hint: AGAIN });
    return { ...NOTHING_CANCELLED, failure };
  }
  const { names, known, failure } = await marketsToCancel(context, trading);
  const targets = names.map((market): CancelTarget => {
    return { market, timer: known.has(market) ? 'always' : 'with an order' };
  });
  const done = await cancelling.run(trading, targets, signal);
  warnOfUntimed(context, done);
  const timed = new Set(done.flatMap(({ market, timer }) => (timer === null ? [] : market)));
  // a timer cancels what still arrives
  const earlier = await warnOfUnknown(context, (one) => mayPlace(one) && !timed.has(one.market ?? ''));
  const attempts = done.flatMap((one) => one.attempts);
  return everywhere(attempts, done, stillOpenFailure(done, failure, AGAIN, earlier));
}

/** What was done so far. */
export function cancelledSoFar({ attempts, done }: Cancelling): CancelledEverywhere {
  return everywhere(attempts, done, undefined, 'No cancellation was answered.');
}

function warnOfUntimed({ output }: Context, done: readonly CancelledMarket[]): void {
  const untimed = done.flatMap(({ market, timerFailure: failure }) => (failure === null ? [] : [{ market, failure }]));
  const hints = new Map(untimed.flatMap(({ failure }) => failure.hints).map((hint) => [JSON.stringify(hint), hint]));
  if (untimed.length > 0)
    output.warn([`No timer is known to run in ${byReason(untimed).join('; ')}`, ...hints.values()]);
}

function everywhere(
  attempts: readonly CancelAttempt[],
  done: readonly CancelledMarket[],
  failure: Failure | undefined,
  none = failure === undefined ? 'No open orders.' : 'No order was cancelled.',
): CancelledEverywhere {
  const timers = done.flatMap(({ market, timer }) =>
    timer === null ? [] : [{ market, cancelsAt: isoTime(timer.cancelsAt) }],
  );
  return {
    rows: attempts.map(({ result }) => cancelRow(result)),
    timers,
    show: (screen) => `${cancelTable(attempts, none).show(screen)}${timersText(timers, screen)}`,
    failure,
  };
}

/** The open orders of every market, as they would be cancelled. A market that cannot be read is warned of. */
export async function openEverywhere(context: Context, trading: TradingContext): Promise<readonly Order[]> {
  const { markets, failure } = await openInAllMarkets(context, trading);
  if (failure !== undefined) context.output.warn([unlistedWarning(failure), ...failure.hints]);
  return markets.flatMap(({ market, own }) => {
    if (!(own instanceof Failure)) return [...own.open.buy, ...own.open.sell];
    const why = withoutPeriod(own.message);
    context.output.warn([`The orders of ${market} could not be read (${why}): some may be open.`, ...own.hints]);
    return [];
  });
}

/** Nothing was cancelled: the orders that are not shown are open as before. */
function unlistedWarning({ message }: Failure): string {
  return `Not all markets could be listed (${withoutPeriod(message)}): more orders may be open.`;
}

function timersText(timers: CancelledEverywhere['timers'], { width }: Screen): string {
  if (timers.length === 0) return '';
  const names = timers.map(({ market }) => market).join(', ');
  return `\n${wrapped(`In one minute the exchange cancels every order in ${names}, also new ones.`, width)}`;
}
