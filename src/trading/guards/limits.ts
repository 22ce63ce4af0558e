import { unknownWord } from '../../config/nearest.js';
import { coinAmounts, GUARD_SETTINGS } from '../../config/settings.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import { type Advice, usage } from '../../errors.js';
import { Job } from '../batches/job.js';
import { notionalOfLines } from '../batches/lines.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import { dateOf, notionalOfWrite, quoteOf } from '../journal/notional.js';
import { type BatchLine, isKind, type RecordedWrite } from '../journal/write.js';
import { notionalForGuards, remainderOf } from '../orders/terms.js';
import type { TradingContext } from '../trading-context.js';

/** The guards, in the order in which they are listed. */
export const GUARDS = ['price-band', 'order-notional', 'day-notional', 'post-only', 'trail-distance'] as const;

export type GuardName = (typeof GUARDS)[number];

/** The guard of an algo order as a whole. The others hold for each of its orders when it is sent, and cannot be overridden for them. */
export const ALGO_GUARD = 'trail-distance' satisfies GuardName;

/** The setting of each guard that has one. */
export const SETTING_OF: Readonly<Partial<Record<GuardName, string>>> = {
  'price-band': 'priceBand',
  'order-notional': 'orderNotional',
  'day-notional': 'dayNotional',
  'post-only': 'postOnlyGuard',
};

/** Parses `price-band`, or several with commas between. Throws Failure `usage` that lists them all. */
export function parseGuards(message: string): GuardName[] {
  return message.split(',').map((word) => {
    const found = GUARDS.find((guard) => guard === word.trim().toLowerCase());
    if (found === undefined) throw unknownWord('guard', word.trim(), GUARDS);
    return found;
  });
}

/** The limits of the guards. A limit that is null, or has no entry for a coin, is off. */
export interface GuardLimits {
  /** As a fraction of the reference price: 0.1 is 10 %. */
  readonly priceBand: Decimal | null;
  /** The largest notional of one order, by quote coin. */
  readonly orderNotional: ReadonlyMap<string, Decimal>;
  /** The largest notional of a UTC day, by quote coin. */
  readonly dayNotional: ReadonlyMap<string, Decimal>;
  readonly postOnly: boolean;
}

type Settings = Readonly<Record<string, string>>;

/** A day's default limit, as a multiple of the limit of one order. */
const DAY_FACTOR = Decimal.of('5');

/**
 * The limits that a profile sets. A coin without a setting keeps its default. The default of a day follows `orderNotional`,
 * and still applies if `orderNotional` is off.
 */
export function guardLimits(settings: Settings): GuardLimits {
  const defaults = coinAmounts(GUARD_SETTINGS.orderNotional.default);
  const perOrder = new Map([...defaults, ...coinAmounts(settings.orderNotional)]);
  const perDay = [...perOrder].map(([coin, max]): [string, Decimal] => [coin, max.times(DAY_FACTOR)]);
  return {
    priceBand: share(settings.priceBand ?? GUARD_SETTINGS.priceBand.default),
    orderNotional: settings.orderNotional === 'off' ? new Map() : perOrder,
    dayNotional:
      settings.dayNotional === 'off' ? new Map() : new Map([...perDay, ...coinAmounts(settings.dayNotional)]),
    postOnly: settings.postOnlyGuard !== 'off',
  };
}

/** Converts a checked setting such as `10%` to a fraction; null for `off`. */
function share(value: string): Decimal | null {
  return value === 'off' ? null : Decimal.of(value.replace('%', '')).times(Decimal.of('0.01'));
}

const DAY_MS = 86_400_000;

/**
 * The total notional of this UTC day's orders in a quote coin, by the journal. It includes every order that was placed,
 * whatever happened to it since, and every order that may have been placed.
 *
 * @param now milliseconds since the Unix epoch
 */
export function notionalToday(
  journal: Pick<Journal, 'archive' | 'unsettledEntries'>,
  quote: string,
  now: number,
): Decimal {
  const midnight = now - (now % DAY_MS);
  // in the order of Journal.writesSince: what is settled meanwhile is in both, as is a settled job that was resumed
  const unsettled = journal
    .unsettledEntries()
    .filter((entry) => dateOf(entry) >= midnight && quoteOf(entry.write) === quote);
  return Decimal.sum(unsettled.map(notionalOfUnsettled)).plus(
    journal.archive.notionalOfDay(midnight, quote, new Set(unsettled.map(({ write }) => write.id))),
  );
}

/** How a check at the moment of sending refuses. */
export interface Refusing {
  /** A part of the write was sent already. */
  readonly isRest?: boolean;
  /** What the user can do. Absent: the user may override the guard. */
  readonly hint?: Advice | undefined;
}

/** What the check of a limit leaves unsent, as a sentence. */
export function unsentText(isRest = false): string {
  return isRest ? 'The rest was not sent.' : 'Nothing was sent.';
}

/**
 * Checks the day's limit again after a write is recorded, with this write counted. So several processes that were each within
 * the limit a moment ago cannot exceed it together. Throws Failure `usage`: nothing more may be sent.
 */
export function requireDayNotional(
  { journal, host }: Pick<TradingContext, 'journal' | 'host'>,
  quote: string,
  { dayNotional }: Pick<GuardLimits, 'dayNotional'>,
  { isRest, hint }: Refusing = {},
): void {
  const max = dayNotional.get(quote);
  if (max === undefined) return;
  const today = notionalToday(journal, quote, host.now());
  if (today.compare(max) <= 0) return;
  const message = `with orders that other processes have just started, this UTC day would come to ${formatAmount(today)} ${quote}`;
  throw usage(
    `day-notional blocks this: ${message}, and the limit is ${formatAmount(max)} ${quote}. ${unsentText(isRest)}`,
    hint ?? 'Run the command again when they are done, or add --override day-notional if you mean it.',
  );
}

/** An order that is about to be sent. */
interface OrderToSend {
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
}

/**
 * Checks the limit of one order again when it is about to be sent: the user may have lowered it since it was shown. Throws Failure
 * `usage`: none of these may be sent.
 * @param bestBid at which a sell below it counts
 */
export function requireOrderNotional(
  orders: readonly OrderToSend[],
  quote: string,
  { orderNotional }: Pick<GuardLimits, 'orderNotional'>,
  bestBid: string | undefined,
  { isRest, hint }: Refusing = {},
): void {
  const max = orderNotional.get(quote);
  const largest = orders.map((order) => notionalForGuards(order, bestBid)).sort((one, other) => other.compare(one))[0];
  if (max === undefined || largest === undefined || largest.compare(max) <= 0) return;
  throw usage(
    `order-notional blocks this: an order comes to ${formatAmount(largest)} ${quote}, and the limit is ${formatAmount(max)} ${quote} by now. ${unsentText(isRest)}`,
    hint ?? 'Run the command again, or add --override order-notional if you mean it.',
  );
}

/**
 * The orders that a write places, in full.
 * @param lines those of a job that are still to be sent; absent: all
 */
export function ordersToSend(write: RecordedWrite, lines?: readonly BatchLine[]): readonly OrderToSend[] {
  if (isKind(write, 'order')) return [write.terms];
  if (isKind(write, 'replace')) {
    const { wanted, filled = '0' } = write.terms;
    return [remainderOf(wanted, filled)];
  }
  if (!isKind(write, 'batch')) return [];
  const { side, lines: all } = write.terms;
  return (lines ?? all).map(([, price, amount]) => ({ side, price, amount }));
}

function notionalOfUnsettled(entry: JournalEntry): Decimal {
  return entry.isKind('batch') ? notionalOfJob(new Job(entry), entry.isUnderWay) : notionalOfWrite(entry.write);
}

/** An idle job counts what was or may have been placed, duplicates included. A running one also counts what it will send. */
function notionalOfJob(job: Job, isUnderWay: boolean): Decimal {
  const isSpent = (line: number) => {
    const state = job.lines[line]?.state;
    return isUnderWay ? state !== 'refused' : state === 'sent' || state === 'placed';
  };
  const { lines, side } = job.terms;
  const duplicates = [...job.duplicates.values()].flatMap((line) => lines.slice(line, line + 1));
  return notionalOfLines([...lines.filter((_, line) => isSpent(line)), ...duplicates], side, job.bestBid);
}
