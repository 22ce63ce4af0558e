import type { Order } from '../../../domain/order.js';
import { suggest, usage } from '../../../errors.js';
import { Job } from '../../batches/job.js';
import type { JournalEntry } from '../../journal/entry.js';
import { differences, termsKey } from '../../orders/terms.js';
import type { TradingContext } from '../../trading-context.js';
import { findNewest, isOlder } from '../find-order.js';
import { closeMarket } from '../reconcile-orders.js';
import { endJob, outcomeOf } from '../settle-job.js';
import { type ManualOutcome, requireClaimed, requireExpired } from './manual-outcome.js';

/**
 * Settles an order as the user reports it, once its request can no longer be executed.
 * @throws Failure `usage` if it still can, if the exchange has no such order, if that has other terms, or if another write has it
 */
export async function settleOrderManually(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  manual: ManualOutcome,
): Promise<void> {
  const { id, reqTime, terms } = entry.write;
  requireExpired(trading, id, { reqTime }, manual);
  const order = await reportedOrder(trading, terms.market, id, manual);
  if (order !== null) await requireTerms(trading, entry, order);
  requireClaimed(entry);
  if (order === null) entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent, as the user says');
  else entry.settle({ outcome: 'placed', id: order.id, duplicates: [] }, `placed: ${order.id}, as the user says`);
  await closeMarket(trading, terms.market);
}

/**
 * Throws Failure `usage` for an order with other terms: its id may be mistyped. The exchange may have changed those of the order
 * that it shows for the client id.
 */
async function requireTerms(trading: TradingContext, { write }: JournalEntry<'order'>, order: Order): Promise<void> {
  const { type } = write.terms;
  const differs = [
    ...differences(order, write.terms),
    ...(order.type === 'other' || order.type === type ? [] : [`the type ${order.type} instead of ${type}`]),
    ...(isOlder(order, write) ? ['a time before it was sent'] : []),
  ];
  if (differs.length === 0 || (await findNewest(trading, write))?.id === order.id) return;
  throw usage(`Order ${order.id} is not ${write.id}: it has ${differs.join(', ')}. Nothing was recorded.`, [
    suggest('See the orders', 'orders', write.terms.market, '--state', 'all'),
  ]);
}

/**
 * Settles the lines of a job whose outcome is unknown: as not sent, or one of them as placed.
 * @throws Failure `usage` as for an order, and if the order is none of these lines
 */
export async function settleLinesManually(
  trading: TradingContext,
  entry: JournalEntry<'batch'>,
  manual: ManualOutcome,
): Promise<void> {
  const { id, terms } = entry.write;
  const { openRequests } = new Job(entry);
  if (openRequests.length === 0)
    throw usage(`No order of ${id} has an unknown outcome.`, suggest('See it', 'resolve', id));
  requireExpired(trading, id, { reqTime: Math.max(...openRequests.map(({ reqTime }) => reqTime)) }, manual);
  const order = await reportedOrder(trading, terms.market, id, manual);
  requireClaimed(entry);
  const job = new Job(entry);
  if (order === null) recordNotSent(job);
  else recordPlaced(job, order);
  endJob(job, outcomeOf(job));
}

function recordNotSent(job: Job): void {
  const reason = 'not sent, as the user says';
  for (const { number } of job.openRequests)
    job.record(`request ${number}: ${reason}`, {
      kind: 'closed',
      request: number,
      outcome: 'notSent',
      reason,
      code: null,
    });
}

function recordPlaced(job: Job, order: Order): void {
  const key = termsKey(order.price, order.amount);
  const open = job.openRequests.flatMap(({ lines }) => lines);
  const line = order.side === job.terms.side ? open.find((one) => job.keys[one] === key) : undefined;
  if (line === undefined) {
    job.entry.release();
    throw usage(
      `Order ${order.id} is none of the orders of ${job.id} whose outcome is unknown.`,
      'Nothing was recorded.',
    );
  }
  job.record(`placed: ${order.id}, as the user says`, { kind: 'found', orders: [[line, order.id]] });
}

/**
 * The order that the user names; null if the write was not sent. Throws Failure `usage` if it belongs to another write or the exchange
 * does not show it, and what a read throws that fails: nothing is recorded on it.
 */
async function reportedOrder(
  { client, journal }: TradingContext,
  market: string,
  id: string,
  manual: ManualOutcome,
): Promise<Order | null> {
  if (manual.outcome === 'notSent') return null;
  if (manual.id === null)
    throw usage(
      '--as done does not say which order it is.',
      suggest('Name it', 'resolve', id, '--as', 'placed=ORDERID'),
    );
  const order = await client.findOrder(market, { id: manual.id });
  if (order === undefined)
    throw usage(`The exchange does not show an order ${manual.id} in ${market}, so nothing was recorded.`, [
      suggest('See the orders', 'orders', market, '--state', 'all'),
    ]);
  const other = journal.archive.findByOrder(order.id);
  if (other !== undefined) throw usage(`Order ${order.id} belongs to ${other.write.id}, so nothing was recorded.`);
  return order;
}
