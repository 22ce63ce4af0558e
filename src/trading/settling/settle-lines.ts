import { counted } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import { inParallel } from '../../platform/in-parallel.js';
import { type Job, MAX_PAIRS } from '../batches/job.js';
import type { TradingContext } from '../trading-context.js';
import { type OrderList, readListBackTo } from './order-list.js';
import { pollUntilFound } from './poll-until-found.js';
import { type Findings, reconcileOrders } from './reconcile-orders.js';
import { isSameRefusal } from './same-refusal.js';

/** The pause before a list that could not be read, or lacks orders of the job, is read again. */
const AGAIN_MS = 1_000;

/**
 * Settles the lines whose requests are open, once, with a list that goes back to them. Returns whether the list could be read.
 * @param expiredTo the newest `reqTime` that the exchange has rejected as expired; undefined if it was not asked
 */
export async function settleLines(trading: TradingContext, job: Job, expiredTo?: number): Promise<boolean> {
  // a late order may be older than what was sent since
  const knownBefore = job.hasLostLines ? job.knownFirst : job.knownBefore;
  const settled = await reconcileBackTo(trading, job, knownBefore, { expiredTo, isWhole: true });
  if (settled === undefined) await settleNamedLines(trading, job);
  return settled !== undefined;
}

/** Orders that are read at once. */
const CONCURRENCY = 8;
/** What is kept of the budget to record and report what the orders have shown. */
const RESERVE_MS = 1_000;

/**
 * Settles with the orders that answers named, each read by its id unless a list has shown it, for an exchange that does not list its
 * orders. That shows neither duplicates nor orders without an answer. A line whose order is not shown, or not read while the budget
 * lasts, is open again.
 */
async function settleNamedLines(trading: TradingContext, job: Job): Promise<void> {
  const { client, budget } = trading;
  const { market, side } = job.terms;
  const began = client.now();
  const ids = job.orderIds;
  const missing = ids.filter((id) => !job.listed.has(id));
  await inParallel(missing, CONCURRENCY, async (id) => {
    if (!budget.allows(RESERVE_MS)) return;
    const order = await tryRead(() => client.findOrder(market, { id }));
    if (order?.side === side) job.addListed([order]);
  });
  const unconfirmed = job.unconfirmed();
  if (unconfirmed.length > 0)
    job.record(`not shown yet: ${unconfirmed.map(([, id]) => id).join(', ')}`, {
      kind: 'unconfirmed',
      orders: unconfirmed,
    });
  const orders = ids.flatMap((id) => job.listed.get(id) ?? []).sort((one, other) => other.time - one.time);
  const shown = { market, side, orders, began, since: Number.POSITIVE_INFINITY };
  await tryRead(() => reconcileOrders(trading, shown, { mine: job }));
  const found = missing.filter((id) => job.listed.has(id)).length;
  job.entry.note(`read ${counted(found, 'order')} by their ids`);
}

/** Settles the open lines for as long as the budget lasts. Returns whether all are settled. */
export async function settleAllLines(trading: TradingContext, job: Job): Promise<boolean> {
  if (job.openRequests.length === 0) return true;
  const reqTime = Math.max(...job.openRequests.map((request) => request.reqTime));
  const request = { reqTime, of: { market: job.terms.market } };
  const { found } = await pollUntilFound<'settled'>(trading, request, async (isExpired) => {
    const isRead = await settleLines(trading, job, isExpired ? reqTime : undefined);
    if (job.openRequests.length === 0) return 'settled';
    return isRead ? 'none' : undefined;
  });
  return found !== undefined;
}

/** Why a job cannot continue yet. */
export const MAY_STILL_ARRIVE = 'earlier requests may still arrive';

/**
 * Finds out what earlier runs left unknown, and what the exchange executed of it too late. If the record may be incomplete,
 * lines that it does not mention may have been sent too: identical orders on the exchange count as theirs.
 *
 * @returns why not all of it is known; undefined if nothing is open any more
 */
export async function settleEarlierLines(trading: TradingContext, job: Job): Promise<string | undefined> {
  if (job.maybeUnrecorded.length > 0 || job.hasLostLines) {
    while (!(await settleLines(trading, job))) {
      if (!trading.budget.allows(2 * AGAIN_MS)) return 'the lists of orders could not be read';
      await trading.host.sleep(AGAIN_MS);
    }
    job.markComplete();
  }
  return (await settleAllLines(trading, job)) ? undefined : MAY_STILL_ARRIVE;
}

/**
 * Checks whether the network repeated a request that was answered normally. Three pages of the side's list usually suffice:
 * the newest order before the job must be as many rows down as the job has orders. If it is not (another program may have
 * placed an order), or if these pages show that an answer named orders for other lines, all orders since the beginning are
 * read. A list that lacks orders of the job may lack duplicates of them too.
 *
 * If it cannot be read, each order that an answer named is read by its id. What is not shown then is open again.
 *
 * @returns when the check began, by the exchange's clock; undefined if the list could not be read
 */
export async function checkForDuplicates(trading: TradingContext, job: Job): Promise<number | undefined> {
  const { client, budget } = trading;
  const start = client.now();
  if (await areOnlyJobOrdersNew(trading, job)) return start;
  const { ordersPerPage, timeFor } = client.facts;
  budget.extend(timeFor(Math.ceil(job.orderIds.length / ordersPerPage)));
  if (await isWholeListSettled(trading, job)) return start;
  // the exchange may take a moment to list all of its orders
  if (budget.allows(2 * AGAIN_MS)) {
    await trading.host.sleep(AGAIN_MS);
    if (await isWholeListSettled(trading, job)) return start;
  }
  budget.allowFor(RESERVE_MS + timeFor(job.orderIds.length));
  await settleNamedLines(trading, job);
  await settleAllLines(trading, job);
  return undefined;
}

/** Whether a list with all of the job's orders could be read, and nothing in it may still belong to another write. */
async function isWholeListSettled(trading: TradingContext, job: Job): Promise<boolean> {
  const settled = await reconcileBackTo(trading, job, job.knownFirst, {});
  if (settled === undefined || settled.findings.ambiguous.has(job.id)) return false;
  const listed = new Set(settled.list.orders.map(({ id }) => id));
  return job.orderIds.every((id) => listed.has(id));
}

interface ReconciledList {
  readonly list: OrderList;
  readonly findings: Findings;
}

/** Settles with a list that goes back to the orders known first. Undefined if it could not be read that far. */
async function reconcileBackTo(
  trading: TradingContext,
  job: Job,
  knownBefore: number,
  { expiredTo, isWhole }: { readonly expiredTo?: number | undefined; readonly isWhole?: boolean | undefined },
): Promise<ReconciledList | undefined> {
  const isLast = (order: Order) => job.isOlder(order, knownBefore);
  const settled = await tryRead(async () => {
    const list = await readListBackTo(trading, job.terms, isLast, { isWhole }).catch((error) => {
      recordRejected(job, error);
      throw error;
    });
    const findings = await reconcileOrders(trading, list, { mine: job, expiredTo });
    return list.failure === null ? { list, findings } : undefined;
  });
  job.entry.note(`read the orders: ${settled === undefined ? 'no answer' : `${settled.list.orders.length} since`}`);
  return settled;
}

/** A list that is rejected with the same code as a request shows that the exchange has none of its orders. */
function recordRejected(job: Job, error: unknown): void {
  for (const { number, lines, response, reason } of job.openRequests) {
    if (typeof response !== 'object' || response.isTemporary || !isSameRefusal(error, response.code)) continue;
    const event = `request ${number}: ${counted(lines.length, 'order')} refused: ${reason}`;
    job.record(event, {
      kind: 'closed',
      request: number,
      outcome: 'refused',
      reason,
      refusal: response.kind,
      code: response.code,
    });
  }
}

/**
 * Whether only the job's orders were added to the list since it began. No order leaves the list, closed ones stay in it
 * (observed); if one did, the rows would not match. The rows above the one from before are at least one request's: they also
 * show whether answers name orders in the order of the pairs.
 */
async function areOnlyJobOrdersNew({ client }: TradingContext, job: Job): Promise<boolean> {
  const { market, side, baseline } = job.terms;
  if (baseline === undefined) return false;
  const { ordersPerPage } = client.facts;
  const jobOrders = new Set(job.orderIds);
  const to = Math.floor(jobOrders.size / ordersPerPage) + 1;
  const from = Math.max(1, to - MAX_PAIRS / ordersPerPage);
  const pages = await tryRead(() => client.orders(market, side, { from, to }));
  if (pages === undefined || pages.failure !== null) return false;
  job.addListed(pages.orders);
  const rows = jobOrders.size - (from - 1) * ordersPerPage;
  const newer = pages.orders.slice(0, rows);
  const isJobOnly = newer.length === rows && newer.every(({ id }) => jobOrders.has(id));
  return isJobOnly && pages.orders[rows]?.id === baseline[0] && job.areInPlace(newer);
}
