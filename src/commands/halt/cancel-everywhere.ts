import { counted, grouped } from '../../domain/decimal.js';
import { Failure, type Hint, suggest, tryRead } from '../../errors.js';
import { progressBar } from '../../terminal/progress.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import { isoTime } from '../../terminal/time.js';
import { cancelInMarket, type EmptiedMarket } from '../../trading/cancel/cancel-in-market.js';
import type { CancelResult } from '../../trading/cancel/cancel-orders.js';
import { type OwnOrders, readOpenOrders } from '../../trading/orders/open-orders.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { cancelRow, cancelTable } from '../cancel/cancel-result.js';
import type { Context } from '../command.js';

/** Markets at once: each waits for its answers, and all keep the limits together. */
const TOGETHER = 4;

/** What `pit halt --cancel` did. */
export interface CancelledEverywhere {
  readonly rows: readonly CancelResult[];
  readonly timers: readonly { readonly market: string; readonly cancelsAt: string }[];
  readonly show: (screen: Screen) => string;
  /** What could not be cancelled; undefined if nothing is left. */
  readonly failure: Failure | undefined;
}

export const NOTHING_CANCELLED: CancelledEverywhere = { rows: [], timers: [], show: () => '', failure: undefined };

/**
 * Cancels every open order in every market, and starts the exchange's timer in the markets that had one or in which pit traded
 * lately. A market that fails does not stop the others. It may take longer than the time of one command: each market has that time.
 */
export async function cancelEverywhere(context: Context): Promise<CancelledEverywhere> {
  let trading: TradingContext;
  try {
    trading = await context.trading.open();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...NOTHING_CANCELLED, failure: leftOpen('partial', [error.message]) };
  }
  const { names, known, failure } = await marketsToCancel(context, trading);
  const emptied = await inEachMarket(context, names, 'Cancelling', (market) =>
    cancelInMarket(trading, market, known.has(market)),
  );
  for (const { market, timerFailure } of emptied)
    if (timerFailure !== null)
      context.output.warn([`The timer of ${market} was not started: ${timerFailure.message}`, ...timerFailure.hints]);
  const attempts = emptied.flatMap((one) => one.attempts);
  const rows = attempts.map(({ result }) => cancelRow(result));
  const timers = emptied.flatMap(({ market, timer }) =>
    timer === null ? [] : [{ market, cancelsAt: isoTime(timer.cancelsAt) }],
  );
  return {
    rows,
    timers,
    show: (screen) => `${cancelTable(attempts, 'No open orders.').show(screen)}${timersText(timers, screen)}`,
    failure: failureOf(emptied, failure),
  };
}

/** The open orders of every market, as they would be cancelled. A market that cannot be read is warned of. */
export async function openEverywhere(
  context: Context,
  trading: TradingContext,
): Promise<readonly { readonly market: string; readonly id: string }[]> {
  const { names, failure } = await marketsToCancel(context, trading);
  if (failure !== undefined) context.output.warn([failure.message, ...failure.hints]);
  const read = async (market: string) => {
    const own = await readOpenOrders(trading.client, market).catch((error: unknown) =>
      warnOfUnread(context, market, error),
    );
    return own === undefined ? [] : [...own.open.buy, ...own.open.sell].map(({ id }) => ({ market, id }));
  };
  return (await inEachMarket(context, names, 'Reading', read)).flat();
}

function warnOfUnread({ output }: Context, market: string, error: unknown): OwnOrders | undefined {
  if (!(error instanceof Failure)) throw error;
  output.warn([`The orders of ${market} could not be read: ${error.message}`, ...error.hints]);
  return undefined;
}

/** All markets, first those of the journal: there are most likely open orders. */
async function marketsToCancel({ session }: Context, trading: TradingContext) {
  const known = new Set((await tryRead(async () => trading.journal.markets())) ?? []);
  try {
    const listed = (await (await session.exchange.markets()).all()).map(({ market }) => market);
    const isListed = new Set(listed);
    const names = [
      ...[...known].filter((market) => isListed.has(market)),
      ...listed.filter((name) => !known.has(name)),
    ];
    return { names, known, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { names: [...known], known, failure: error };
  }
}

async function inEachMarket<Result>(
  { output, budget, host }: Context,
  names: readonly string[],
  what: string,
  work: (market: string) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let done = 0;
  const bar = (room: number) => progressBar(output.errorScreen, { done, total: names.length }, room);
  const hide = output.live((room) => `${what} in all markets: ${bar(room - what.length - 17)}`);
  const forget = host.onInterrupt(hide);
  const rest = names.entries();
  // all workers draw from one iterator
  const worker = async () => {
    for (const [index, market] of rest) {
      budget.restart();
      results[index] = await work(market);
      done += 1;
    }
  };
  try {
    await budget.withoutDeadline(async () => {
      await Promise.all(Array.from({ length: Math.min(TOGETHER, names.length) }, worker));
    });
    budget.restart();
  } finally {
    hide();
    forget();
  }
  return results;
}

function timersText(timers: CancelledEverywhere['timers'], { width }: Screen): string {
  if (timers.length === 0) return '';
  const names = timers.map(({ market }) => market).join(', ');
  return `\n${wrapped(`In one minute the exchange cancels what is left in ${names}.`, width)}`;
}

/** Any unknown 6; anything left 9. */
function failureOf(emptied: readonly EmptiedMarket[], ofMarkets: Failure | undefined): Failure | undefined {
  const unknown = emptied.flatMap(({ attempts }) => attempts.filter(({ failure }) => failure === 'unknown'));
  const open = emptied.filter(({ stillOpen }) => stillOpen.length > 0);
  const unread = emptied.flatMap(({ market, failure }) => (failure === null ? [] : [{ market, failure }]));
  const problems = [
    ...(unknown.length === 0 ? [] : [`${counted(unknown.length, 'cancellation')} without a known outcome`]),
    ...open.map(({ market, stillOpen }) => `${grouped(String(stillOpen.length))} still open in ${market}`),
    ...unread.map(({ market, failure }) => `${market}: ${failure.message}`),
    ...(ofMarkets === undefined ? [] : [`the list of markets could not be read: ${ofMarkets.message}`]),
  ];
  if (problems.length === 0) return undefined;
  const recorded = unknown.flatMap(({ recordId }) => recordId ?? []);
  const recordedHint = recorded.length === 0 ? [] : [suggest('Find out', 'resolve')];
  return leftOpen(unknown.length > 0 ? 'unknown' : 'partial', problems, recordedHint);
}

function leftOpen(kind: 'unknown' | 'partial', problems: readonly string[], first: readonly Hint[] = []): Failure {
  const text = problems.join('; ').replace(/\.$/, '');
  const hint = [...first, suggest('Cancel what is left', 'halt', '--cancel')];
  return new Failure(kind, `The account is halted, but orders may still be open: ${text}.`, { hint });
}
