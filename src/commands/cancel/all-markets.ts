import { counted, grouped } from '../../domain/decimal.js';
import { SIDES } from '../../domain/order.js';
import { Failure, failureOnly, type Hint, suggest, tryRead, withoutPeriod } from '../../errors.js';
import { inParallel } from '../../platform/in-parallel.js';
import { progressBar } from '../../terminal/progress.js';
import { type CancelledMarket, MARKETS_TOGETHER } from '../../trading/cancel/cancel-targets.js';
import { type OwnOrders, readOpenOrders } from '../../trading/history/open-orders.js';
import type { UnknownWrite } from '../../trading/settling/unknown-writes.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { leftOutText } from '../listings/left-out.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import type { Context } from '../session/command.js';
import { NO_WRITES, outcomeFailure } from '../writes/outcome-failure.js';
import { leftOrders } from './open-text.js';

/** The markets in which orders may be open. */
export interface MarketsToCancel {
  readonly names: readonly string[];
  /** Those in which pit traded lately. */
  readonly known: ReadonlySet<string>;
  /** Why the list of the exchange could not be read, in which case only those in which pit traded are here, or lacks some. */
  readonly failure: Failure | undefined;
}

/** All markets, first those in which orders were open when they were last read, and those of the journal. */
export async function marketsToCancel(
  { session }: Pick<Context, 'session'>,
  trading: TradingContext,
): Promise<MarketsToCancel> {
  const known = new Set((await tryRead(async () => trading.journal.markets())) ?? []);
  try {
    const catalog = await session.markets();
    const leftOut = await catalog.leftOut();
    // orders are found and cancelled without the rules of their market
    const listed = [...(await catalog.all()), ...leftOut].flatMap(({ market }) => market ?? []);
    const unnamed = leftOut.filter(({ market }) => market === null);
    const failure = unnamed.length === 0 ? undefined : new Failure('partial', `${leftOutText(unnamed)}.`);
    const isListed = new Set(listed);
    const { knownSides } = trading;
    const hadOpen = (market: string) =>
      SIDES.some((side) => (knownSides?.read({ market, side })?.followed ?? []).length > 0);
    const first = [...listed.filter(hadOpen), ...[...known].filter((market) => isListed.has(market))];
    return { names: [...new Set([...first, ...listed])], known, failure };
  } catch (error) {
    return { names: [...known], known, failure: failureOnly(error) };
  }
}

/** The open orders of a market, or why they could not be read. */
export interface MarketOrders {
  readonly market: string;
  readonly own: OwnOrders | Failure;
}

/** What went wrong in markets, as parts of a sentence: a reason that several share, such as a full disk, is said once. */
export function byReason(problems: readonly { readonly market: string; readonly failure: Failure }[]): string[] {
  const markets = new Map<string, Set<string>>();
  for (const { market, failure } of problems)
    markets.set(failure.message, (markets.get(failure.message) ?? new Set()).add(market));
  return [...markets].map(([reason, names]) => `${[...names].join(', ')}: ${reason}`);
}

/** Why orders in other markets are not cancelled, as a part of a sentence. */
export function unlistedText({ message }: Failure): string {
  return `not all markets could be read: ${message}`;
}

/** What became of the orders of a market. */
export type MarketOutcome = Pick<CancelledMarket, 'market' | 'attempts' | 'stillOpen' | 'failure'>;

/**
 * The failure of a command that cancelled in many markets: any unknown 6; anything left, or not read, 9.
 * @param unlisted why the list of markets could not be read
 * @param again the command that cancels what is left
 * @param earlier writes with an unknown outcome that may still place orders
 */
export function stillOpenFailure(
  outcomes: readonly MarketOutcome[],
  unlisted: Failure | undefined,
  again: Hint,
  earlier: readonly UnknownWrite[] = [],
): Failure | undefined {
  const attempts = outcomes.flatMap((one) => one.attempts);
  const unknown = attempts.filter(({ failure }) => failure === 'unknown');
  const open = outcomes.flatMap((one) => {
    const { ids, state } = leftOrders(one);
    return ids.length === 0 ? [] : [`${grouped(String(ids.length))} ${state} in ${one.market}`];
  });
  const unread = outcomes.flatMap(({ market, failure }) => (failure === null ? [] : [{ market, failure }]));
  const problems = [
    ...(unknown.length === 0 ? [] : [`${counted(unknown.length, 'cancellation')} without a known outcome`]),
    ...open,
    ...(unlisted === undefined ? [] : [unlistedText(unlisted)]),
    ...byReason(unread),
    ...(earlier.length === 0 ? [] : [`${counted(earlier.length, 'earlier write')} without a known outcome`]),
  ];
  // naming a job would close it without sending its other lines
  const isAnyJob = earlier.some(({ operation }) => operation === 'batch');
  const records = earlier.map(({ clientId }) => clientId);
  return outcomeFailure({
    ...NO_WRITES,
    unknown: unknown.length + earlier.length,
    left: problems.length,
    message: mayBeOpenText(problems.join('; ')),
    records: isAnyJob ? [] : records,
    again: isAnyJob ? [suggest('Find out', 'resolve'), again] : again,
  });
}

/** That orders are not known to be cancelled, and why, as a sentence. */
export function mayBeOpenText(why: string): string {
  return `Orders may still be open: ${withoutPeriod(why)}.`;
}

/** Reads the open orders of every market, as they would be cancelled. */
export async function openInAllMarkets(
  context: Context,
  trading: TradingContext,
  isWhole = false,
): Promise<{ readonly markets: readonly MarketOrders[]; readonly failure: Failure | undefined }> {
  const { names, failure } = await marketsToCancel(context, trading);
  const lists = withTimePerPage(context, trading.client);
  const read = async (market: string): Promise<MarketOrders> => {
    return { market, own: await readOpenOrders(trading, market, { lists, isWhole }).catch(failureOnly) };
  };
  return { markets: await readEach(context, names, read), failure };
}

/** Reads many markets, with progress on a terminal. It may take longer than the time of one command. */
async function readEach<Result>(
  { output, budget, host }: Pick<Context, 'output' | 'budget' | 'host'>,
  names: readonly string[],
  read: (market: string) => Promise<Result>,
): Promise<readonly Result[]> {
  let done = 0;
  const label = 'Reading all markets: ';
  const bar = (room: number) => progressBar(output.errorScreen, { done, total: names.length }, room - label.length);
  const hide = output.live((room) => `${label}${bar(room)}`);
  const forget = host.onInterrupt(hide);
  try {
    const results = await budget.withoutDeadline(() =>
      inParallel(names, MARKETS_TOGETHER, async (market) => {
        budget.restart();
        const result = await read(market);
        done += 1;
        return result;
      }),
    );
    budget.restart();
    return results;
  } finally {
    hide();
    forget();
  }
}
