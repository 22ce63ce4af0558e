import type { Order } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import type { TradingContext } from '../trading-context.js';
import { type Job, MAX_PAIRS } from './job.js';
import { misplacedIn } from './misplaced-orders.js';
import { reconcileJob } from './reconcile-job.js';

/** The pause before the list is read a second time if it lacks orders of the job. */
const AGAIN_MS = 1_000;

/**
 * Checks whether the network repeated a request that was answered normally. Three pages of the side's list usually suffice:
 * the newest order before the job must be as many rows down as the job has orders. If it is not (another program may have
 * placed an order), or if these pages show that an answer named orders for other lines, all orders since the beginning are
 * read. A list that lacks orders of the job may lack duplicates of them too.
 *
 * @returns when the check began, by the exchange's clock; undefined if the list could not be read
 */
export async function findDuplicates(trading: TradingContext, job: Job): Promise<number | undefined> {
  const { client, budget } = trading;
  const start = client.now();
  if (await areOnlyJobOrdersNew(trading, job)) return start;
  const { ordersPerPage, timeFor } = client.facts;
  budget.extend(timeFor(Math.ceil(job.orderIds.length / ordersPerPage)));
  return (await hasWholeListBeenCompared(trading, job)) ? start : undefined;
}

/** Whether a list with all of the job's orders could be read, which may take the exchange a moment. */
async function hasWholeListBeenCompared(trading: TradingContext, job: Job): Promise<boolean> {
  const compareList = () =>
    reconcileJob(trading, job, { knownBefore: job.terms.baseline.length, expectedIds: job.orderIds });
  if (await compareList()) return true;
  if (!trading.budget.allows(2 * AGAIN_MS)) return false;
  await trading.host.sleep(AGAIN_MS);
  return compareList();
}

/**
 * Whether only the job's orders were added to the list since it began. No order leaves the list, closed ones stay in it
 * (observed); if one did, the rows would not match. The rows above the one from before are at least one request's: they also
 * show whether answers name orders in the order of the pairs.
 */
async function areOnlyJobOrdersNew({ client }: TradingContext, job: Job): Promise<boolean> {
  const { market, side, baseline } = job.terms;
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
  return isJobOnly && pages.orders[rows]?.id === baseline[0] && areInPlace(job, newer);
}

/** If none of these orders is known only by its position in an answer, they say nothing of those that are. */
function areInPlace(job: Job, orders: readonly Order[]): boolean {
  const listed = new Set(orders.map(({ id }) => id));
  const isListed = (line: number) => {
    const settled = job.results[line];
    return settled?.outcome === 'placed' && listed.has(settled.id);
  };
  const isConclusive = job.placedByPosition.size === 0 || [...job.placedByPosition].some(isListed);
  return isConclusive && misplacedIn(job, orders).length === 0;
}
