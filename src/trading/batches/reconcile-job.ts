import { counted } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { datedRead } from '../dated-read.js';
import type { DuplicateOrders } from '../duplicates.js';
import { writeKey } from '../journal/write.js';
import { lineId, rowOf, termsOf, toJobWrite, unclosedWrites } from '../orders/reconcile-input.js';
import { accountedOrderIds, newestOrderIds } from '../orders/verify-orders.js';
import { pollUntilSettled } from '../poll-until-settled.js';
import { type List, type Reconciled, reconcile } from '../reconcile.js';
import { isSameRefusal } from '../same-refusal.js';
import type { TradingContext } from '../trading-context.js';
import { type Duplicate, duplicateEvents } from './close-job.js';
import { closeExpiredRequests, closePartialRequests, closeRefusedRequest } from './close-requests.js';
import type { Job } from './job.js';
import { lineTerms } from './lines.js';
import { assignByTerms } from './misplaced-orders.js';
import { isTemporaryRefusal } from './pending-request.js';

interface Extent {
  /** How many known orders are left out, the oldest; by default all that pending requests do not need. */
  readonly knownBefore?: number;
  /** Lines that should not have been sent, for a record that may be incomplete. */
  readonly unexpectedLines?: readonly number[];
  /** All known orders of the job: a list without one of them is incomplete. */
  readonly expectedIds?: readonly string[];
}

/**
 * Compares the exchange's list of recent orders with a job, once, and records what it shows: live orders, refused lines,
 * orders that answers had named for other lines, and duplicates.
 * @returns whether the list could be read as far as needed, is complete, and leaves nothing open that may still belong to
 *   another write
 */
export async function reconcileJob(
  trading: TradingContext,
  job: Job,
  { knownBefore = job.knownBefore, unexpectedLines = [], expectedIds }: Extent = {},
): Promise<boolean> {
  const { value: recent, began } = await datedRead(trading, () => recentOrders(trading, job, knownBefore));
  const { orders, isRead, failure } = recent;
  job.addListed(orders);
  const ids = new Set(orders.map(({ id }) => id));
  for (const request of job.pendingRequests.values())
    request.areOrdersListed = [...request.responseIds].every((id) => request.unassignedIds.has(id) || ids.has(id));
  const result = await reconciled(trading, job, { orders, isRead, began }, unexpectedLines);
  const missing = expectedIds?.filter((id) => !ids.has(id)).length ?? 0;
  const lacking = missing === 0 ? '' : `, without ${counted(missing, 'order')} of its own`;
  const isAnswered = isRead && result !== undefined;
  job.entry.note(`read the orders: ${isAnswered ? `${orders.length} since${lacking}` : 'no answer'}`);
  for (const request of [...job.pendingRequests.values()]) {
    const { code = null } = typeof request.response === 'object' ? request.response : {};
    if (isSameRefusal(failure, code) && !isTemporaryRefusal(request)) closeRefusedRequest(job, request);
  }
  if (result === undefined) return false;
  const found = job.terms.lines.flatMap((_, line) => {
    const outcome = result.outcomes.get(lineId(job, line));
    return outcome?.outcome === 'placed' ? [[line, outcome.id] as const] : [];
  });
  if (found.length > 0)
    job.record(`found ${counted(found.length, 'order')} by price and amount`, { kind: 'found', orders: found });
  assignByTerms(trading, job, orders, isRead && expectedIds !== undefined && missing === 0);
  recordDuplicates(trading, job, orders, result);
  const isRefused = (line: number) => result.outcomes.get(lineId(job, line))?.outcome === 'refused';
  for (const request of [...job.pendingRequests.values()])
    if ([...request.lines].some(isRefused)) closeRefusedRequest(job, request);
  return isRead && missing === 0 && (expectedIds === undefined || !result.ambiguous.has(writeKey(job.entry)));
}

/** Undefined if the orders of other writes cannot be determined. */
async function reconciled(
  trading: TradingContext,
  job: Job,
  { orders, isRead, began }: { readonly orders: readonly Order[]; readonly isRead: boolean; readonly began: number },
  unexpectedLines: readonly number[],
): Promise<Reconciled | undefined> {
  const { journal } = trading;
  const jobAttempts = toJobWrite(job, false, unexpectedLines);
  const list: List = {
    rows: orders.map(rowOf),
    began,
    since: isRead ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
  };
  // after the list, so that the journal covers all that is listed
  const others = unclosedWrites(journal, job.terms).filter(({ entry }) => entry.write.id !== job.id);
  const accountedFor = orders.length === 0 ? new Set<string>() : accountedOrderIds(journal, job.terms, orders, job.id);
  for (const id of [...others.flatMap(({ orderIds }) => orderIds), ...job.duplicates.keys()]) accountedFor.add(id);
  const attempts = [...jobAttempts.attempts, ...others.flatMap((write) => write.attempts)];
  const context = { accountedFor, requestLifetime: trading.requestLifetimeMs };
  const result = reconcile(attempts, list, context);
  if (result.needsLookup.size === 0) return result;
  const asked = others.filter(({ entry }) => result.needsLookup.has(writeKey(entry)));
  const newestByClientId = await newestOrderIds(trading, asked);
  const isAnswered = asked.every(({ entry, isSettled }) => isSettled || newestByClientId.has(writeKey(entry)));
  return isAnswered ? reconcile(attempts, list, { ...context, newestByClientId }) : undefined;
}

function recordDuplicates(
  trading: TradingContext,
  job: Job,
  orders: readonly Order[],
  { duplicates }: Reconciled,
): void {
  const jobAttempts = toJobWrite(job, false);
  const more = duplicates
    .filter(({ attempt }) => attempt.writeKey === writeKey(job.entry))
    .flatMap(({ item, rows }) => rows.map((row): Duplicate => [termsOf(jobAttempts, item).line ?? 0, row.id]));
  if (more.length === 0) return;
  // before it is recorded: if this process is killed in between, it is reported twice rather than never
  trading.reportDuplicateOrders(reportsOf(job, more, orders));
  for (const [event, batchEvent] of duplicateEvents(job, more)) job.record(event, batchEvent);
}

/** The known duplicates of a job's orders. */
export function duplicatesOf(job: Job): DuplicateOrders[] {
  return reportsOf(
    job,
    [...job.duplicates].map(([id, line]) => [line, id]),
  );
}

/** One for each line. No order of a batch carries a client id, so nothing proves whose it is. */
function reportsOf(job: Job, duplicates: readonly Duplicate[], orders: readonly Order[] = []): DuplicateOrders[] {
  const byLine = new Map<number, string[]>();
  for (const [line, id] of duplicates) byLine.set(line, [...(byLine.get(line) ?? []), id]);
  return [...byLine].map(([line, ids]) => {
    const result = job.results[line];
    const shown = orders.filter(({ id }) => ids.includes(id));
    const report = { writeId: job.id, terms: lineTerms(job, line), line, ids, shown, isProven: false };
    if (result?.outcome === 'placed') return { ...report, orderId: result.id };
    return { ...report, orderId: null, ...(result === undefined ? {} : { recordedOutcome: result.outcome }) };
  });
}

/**
 * Looks up all pending requests for as long as the budget lasts. An order of a request without an answer, or of a
 * temporarily refused one, counts as not sent if it is missing once the request has expired.
 */
export async function settlePending(trading: TradingContext, job: Job): Promise<void> {
  if (job.pendingRequests.size === 0) return;
  const reqTime = Math.max(...[...job.pendingRequests.values()].map((request) => request.reqTime));
  const whenSettled = () => (job.pendingRequests.size === 0 ? ('known' as const) : undefined);
  await pollUntilSettled(
    trading,
    { reqTime, of: { market: job.terms.market } },
    async () => ((await reconcileJob(trading, job)) ? (whenSettled() ?? 'none') : undefined),
    async () => {
      closeExpiredRequests(job);
      await closePartialRequests(trading, job);
      return whenSettled();
    },
  );
}

/** Why a job cannot continue yet. */
export const MAY_STILL_ARRIVE = 'earlier requests may still arrive';

/**
 * Finds out what earlier runs left unknown, and what the exchange executed of it too late. If the record may be incomplete,
 * lines that it does not mention may have been sent too: identical orders on the exchange count as theirs.
 *
 * @returns why not all of it is known; undefined if nothing is pending any more
 */
export async function settleEarlier(trading: TradingContext, job: Job): Promise<string | undefined> {
  const mayHaveUnsent = !job.isRecordComplete || job.expiredLines.size > 0;
  if (mayHaveUnsent && !(await reconcileUnsent(trading, job))) return 'the lists of orders could not be read';
  await settlePending(trading, job);
  return job.pendingRequests.size === 0 ? undefined : MAY_STILL_ARRIVE;
}

/** The pause after a failed read. */
const AGAIN_MS = 1_000;

/** Also looks for lines that should not have been sent, or that count as not sent, for as long as the budget lasts. */
async function reconcileUnsent(trading: TradingContext, job: Job): Promise<boolean> {
  const extent = () => ({
    unexpectedLines: job.isRecordComplete ? [] : job.unsent(),
    // a late order may be older than what was sent since
    ...(job.expiredLines.size === 0 ? {} : { knownBefore: job.terms.baseline.length }),
  });
  while (!(await reconcileJob(trading, job, extent()))) {
    if (!trading.budget.allows(2 * AGAIN_MS)) return false;
    await trading.host.sleep(AGAIN_MS);
  }
  return true;
}

/** The side's orders, newest first, back to those that were known before; and whether all of them could be read. */
async function recentOrders({ client }: TradingContext, { knownIds, terms }: Job, knownBefore: number) {
  const isOlder = ({ id }: Order) => (knownIds.get(id) ?? Number.POSITIVE_INFINITY) < knownBefore;
  const extent = { from: 1, to: Number.POSITIVE_INFINITY };
  const { orders, failure } = await client.orders(terms.market, terms.side, extent, isOlder).catch((error: unknown) => {
    if (error instanceof Failure) return { orders: [], failure: error };
    throw error;
  });
  const end = orders.findIndex(isOlder);
  return { orders: end === -1 ? orders : orders.slice(0, end), isRead: failure === null, failure };
}
