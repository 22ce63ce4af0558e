import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/words.js';
import { usage } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import { Job } from '../batches/job.js';
import { worthOfLines } from '../batches/lines.js';
import type { Entry } from '../journal/entry.js';
import { type Intent, isOf, marketOf, type Settled } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import type { Sums, ValueOf } from '../journal/sums.js';
import { remainderOf } from '../orders/remainder.js';
import { worthOfOrder } from '../orders/terms.js';
import type { GuardLimits } from './limits.js';

const DAY_MS = 86_400_000;

/**
 * What the orders of the UTC day come to in a quote coin, by the journal: those that were placed, whatever became of them
 * since, and those that may have been.
 *
 * @param now milliseconds since the Unix epoch
 */
export function writtenToday(journal: Pick<Journal, 'archive' | 'open'>, quote: string, now: number): Decimal {
  const midnight = now - (now % DAY_MS);
  const counted = (one: Settled) => {
    const coin = dateOf(one) < midnight ? undefined : quoteOf(one.intent);
    return coin === undefined ? undefined : { name: coin, value: worthOfSettled(one) };
  };
  // in the order of Journal.writesSince: what is settled meanwhile counts twice rather than not at all
  const open = journal.open().filter((entry) => dateOf(entry) >= midnight && quoteOf(entry.intent) === quote);
  const again = settledBefore(journal, open, counted).get(quote) ?? Decimal.zero;
  const settled = journal.archive.sumsOfToday(counted).get(quote) ?? Decimal.zero;
  return open.reduce((sum, entry) => sum.plus(worthOfOpen(entry)), settled.minus(again));
}

/**
 * Looks again once a write is recorded, and so counts: of several processes that were all within the limit a moment ago,
 * none goes past it. Throws Failure `usage`: nothing may be sent.
 */
export function requireDay(
  { journal, host }: Pick<TradingAccount, 'journal' | 'host'>,
  quote: string,
  { dayNotional }: Pick<GuardLimits, 'dayNotional'>,
): void {
  const most = dayNotional.get(quote);
  const today = most === undefined ? undefined : writtenToday(journal, quote, host.now());
  if (most === undefined || today === undefined || today.compare(most) <= 0) return;
  const words = `with what other processes just began, the orders of this UTC day would come to ${today.trimmed()} ${quote}`;
  throw usage(
    `day-notional holds this back: ${words}, and the limit is ${most.trimmed()} ${quote}. Nothing was sent.`,
    'Try again when they are done, or if it is meant: --override day-notional.',
  );
}

function quoteOf(intent: Intent): string | undefined {
  return splitMarket(marketOf(intent) ?? '')?.quote;
}

/** An order counts on the day on which it was sent; a job, that may take days, as a whole on that of its end. */
function dateOf({ intent, events }: Pick<Settled, 'intent' | 'events'>): number {
  return isOf(intent, 'orderMoreV2') ? (events.at(-1)?.time ?? intent.time) : intent.time;
}

function worthOfSettled({ intent, outcome, duplicates, notional }: Settled): Decimal {
  if (isOf(intent, 'orderMoreV2')) return Decimal.of(notional ?? '0');
  const orders = duplicates.length + (outcome === 'placed' ? 1 : 0);
  return worthOf(intent).times(Decimal.of(String(orders)));
}

/** A job that is gone on with counts as an open one: what it was settled with is still among the sums of the archive. */
function settledBefore({ archive }: Pick<Journal, 'archive'>, open: readonly Entry[], counted: ValueOf): Sums {
  const jobs = open.flatMap(({ intent }) => (isOf(intent, 'orderMoreV2') ? intent.id : []));
  return archive.sumsOfTodaysJobs(new Set(jobs), counted);
}

function worthOfOpen(entry: Entry): Decimal {
  return entry.isOf('orderMoreV2') ? worthOfJob(new Job(entry), entry.isUnderWay) : worthOf(entry.intent);
}

/** Of a job that nobody is at counts what is there, copies too, or may be; of one that is under way also what it is going to send. */
function worthOfJob(job: Job, isUnderWay: boolean): Decimal {
  const { uncertainLines } = job;
  const isSpent = (line: number) => {
    const outcome = job.results[line]?.outcome;
    return isUnderWay ? outcome !== 'refused' : uncertainLines.has(line) || outcome === 'placed';
  };
  const { lines, side } = job.terms;
  const copies = [...job.duplicates.values()].flatMap((line) => lines.slice(line, line + 1));
  return worthOfLines([...lines.filter((_, line) => isSpent(line)), ...copies], side, job.bid);
}

function worthOf(intent: Intent): Decimal {
  if (isOf(intent, 'order')) return worthOfOrder(intent.terms, intent.bid);
  // until its order is cancelled; then it is an order
  return isOf(intent, 'replace') ? worthOfReplacement(intent) : Decimal.zero;
}

/** The most that is going to be placed: what had filled of the cancelled order counts with that one. */
function worthOfReplacement({ terms: { wanted, filled = '0' }, bid }: Intent<'replace'>): Decimal {
  return worthOfOrder(remainderOf(wanted, filled), bid);
}
