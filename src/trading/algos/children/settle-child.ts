import type { Order } from '../../../domain/order.js';
import { Failure, tryRead } from '../../../errors.js';
import { readOrderHistory } from '../../history/order-history.js';
import type { MarketSide } from '../../journal/write.js';
import { findOrderOutcome } from '../../settling/find-order.js';
import { readOrderList } from '../../settling/order-list.js';
import { reconcileOrders } from '../../settling/reconcile-orders.js';
import { settleOrder } from '../../settling/settle-order.js';
import type { TradingContext } from '../../trading-context.js';
import type { ChildOrder } from './child-order.js';

/** The journal forgets what is older, in milliseconds: then only the exchange knows it. */
const FORGOTTEN_MS = 13 * 86_400_000;

/**
 * Finds out what became of a child whose outcome is unknown, and whether the network made it twice, within the time budget.
 * @returns whether both are known now
 */
export async function settleChild(trading: TradingContext, market: string, child: ChildOrder): Promise<boolean> {
  const isKnown = (child.sending === 'placed' && child.needsList) || (await findOutcome(trading, market, child));
  if (child.needsList) child.needsList = !(await compareWithList(trading, market, child));
  return isKnown && !child.needsList;
}

/** Reads the order of a child in the list of its side, for an exchange that does not show single orders now. Throws Failure if that fails. */
export async function readChildInList(trading: TradingContext, side: MarketSide, child: ChildOrder): Promise<void> {
  const isChild = ({ id }: Order) => id === child.orderId;
  const isEnough = (orders: readonly Order[]) => orders.some((order) => isChild(order) || order.time < child.time);
  const { orders } = await readOrderHistory(trading, side, { isEnough });
  const order = orders.find(isChild);
  if (order !== undefined) child.show(order);
}

async function findOutcome(trading: TradingContext, market: string, child: ChildOrder): Promise<boolean> {
  const { journal, client } = trading;
  const unsettled = journal.findUnsettled(child.clientId);
  if (unsettled !== undefined) {
    if (!unsettled.isKind('order') || !(unsettled.isOwn || unsettled.claim())) return false;
    const found = await findOrderOutcome(trading, unsettled);
    settleOrder(unsettled, found);
    if (found.outcome === 'placed') {
      child.show(found.order);
      child.needsList = true;
    } else if (found.outcome !== 'unknown') child.sending = found.outcome;
    if (found.outcome === 'refused') child.refusal = found.refusal;
    return found.outcome !== 'unknown';
  }
  const settled = journal.archive.find(child.clientId);
  if (settled !== undefined) {
    child.settled(settled);
    child.needsList = child.sending === 'placed';
    return child.sending !== 'unknown';
  }
  const order = await tryRead(async () => (await client.findOrder(market, { clientId: child.clientId })) ?? null);
  if (order === undefined) return false;
  if (order !== null) child.show(order);
  // it was named before it was recorded, so without a record it was never sent
  else if (client.now() - child.time < FORGOTTEN_MS) child.sending = 'notSent';
  return order !== null || child.sending === 'notSent';
}

/** Compares a placed child with a list that goes back to its request. Returns whether that was read. */
async function compareWithList(trading: TradingContext, market: string, child: ChildOrder): Promise<boolean> {
  const { journal } = trading;
  try {
    // the list that closed it has shown all that its requests made
    const unclosed = journal.unclosedEntries(market).find(({ write }) => write.id === child.clientId);
    if (unclosed?.isKind('order')) {
      const list = await readOrderList(trading, unclosed.write.terms, unclosed.write.reqTime);
      for (const report of (await reconcileOrders(trading, list)).duplicates)
        if (report.writeId === child.clientId) child.addDuplicates(report);
    }
    // another process may have recorded some
    const settled = journal.archive.find(child.clientId);
    if (settled !== undefined) child.settled(settled);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // it was read, and the duplicates of other orders are left to a command whose output somebody sees
    return error.kind === 'partial';
  }
}

/** Reads the orders of a child that may have changed. Throws Failure if the exchange cannot be read. */
export async function readChild({ client }: TradingContext, market: string, child: ChildOrder): Promise<void> {
  for (const id of child.unfinishedIds) {
    // what an answer or a push shows meanwhile is newer
    const wasFinal = child.end !== null;
    const order = await client.findOrder(market, { id });
    if (id !== child.orderId) {
      const isProven = child.duplicates.get(id)?.isProven || (await isOneOfPair(client, market, child));
      if (order !== undefined) child.addDuplicate(id, order, isProven, true);
      else child.duplicates.delete(id);
    } else if (order === undefined) child.sending = 'missing';
    else if (order.state !== 'open' || wasFinal || child.end === null) {
      child.show(order);
      // it may be cancelled again: that is harmless even if the first request still arrives
      if (order.state === 'open' && child.isCancelUnknown) {
        child.isCancelUnknown = false;
        child.cancelRefused = client.now();
      }
    }
  }
}

/**
 * Whether the client id of a child leads to its order or to a duplicate of it. The exchange shows only the newest order with a client
 * id. The settler took the other one for its duplicate, by the same terms within the time of the same request: it is the twin.
 */
async function isOneOfPair(
  client: TradingContext['client'],
  market: string,
  { clientId, orderId, duplicates }: ChildOrder,
): Promise<boolean> {
  const newest = (await client.findOrder(market, { clientId }))?.id;
  return newest !== undefined && (newest === orderId || duplicates.has(newest));
}
