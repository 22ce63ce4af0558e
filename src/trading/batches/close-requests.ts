import { counted } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import { EXPIRED } from '../orders/settle-order.js';
import { orderKey } from '../orders/terms.js';
import { accountedOrderIds } from '../orders/verify-orders.js';
import type { TradingContext } from '../trading-context.js';
import type { BatchEvent } from './batch-event.js';
import type { Job } from './job.js';
import { isTemporaryRefusal, type PendingRequest } from './pending-request.js';

/** What the exchange rejected because of the orders, the key or the account is not sent again. */
export function closeRefusedRequest(job: Job, request: PendingRequest): void {
  const { response, reason } = request;
  const { kind: refusal, code } = typeof response === 'object' ? response : { kind: undefined, code: null };
  close(job, request, { outcome: 'refused', reason, refusal, code });
}

/** The request has expired: whatever kept it from being placed, it may be sent again. */
export function closeExpiredRequests(job: Job): void {
  for (const request of [...job.pendingRequests.values()]) {
    const { response, reason } = request;
    if (response === 'lost') close(job, request, { outcome: 'notSent', reason: EXPIRED, code: null });
    else if (typeof response === 'object' && isTemporaryRefusal(request))
      close(job, request, { outcome: 'notSent', reason, refusal: response.kind, code: response.code });
  }
}

/**
 * Looks up by id the orders that an answer named and no list shows, once the request has expired. If the exchange does not
 * have them, the remaining lines were refused. If it has one, the list is incomplete and proves nothing about these lines: a
 * later list has to show it first. An order that matches no line stays unknown. If all of them are orders of other requests,
 * the answer was a stale one, and this request was not executed.
 */
export async function closePartialRequests(trading: TradingContext, job: Job): Promise<void> {
  for (const request of [...job.pendingRequests.values()].filter(({ response }) => response === 'partial')) {
    const lookups = await Promise.all([...request.unassignedIds].map((id) => lookUpOrder(trading, job, id)));
    const named = lookups.flatMap((response) => response ?? []);
    const own = named.filter((order) => !isOfAnother(trading, job, order));
    const left = new Set(request.lines);
    const found = own.flatMap((order): (readonly [line: number, id: string])[] => {
      const key = orderKey(order, job.terms.side);
      const line = [...left].find((one) => job.keys[one] === key);
      if (line === undefined) return [];
      left.delete(line);
      return [[line, order.id]];
    });
    if (found.length > 0)
      job.record(`found ${counted(found.length, 'order')} by their ids`, { kind: 'found', orders: found });
    if (lookups.includes(undefined) || own.length > 0 || !request.areOrdersListed) continue;
    if (named.length > 0 && named.length === request.responseIds.size) {
      close(job, request, { outcome: 'notSent', reason: EXPIRED, code: null });
      continue;
    }
    if (request.unassignedIds.size > 0) warnOf(trading, request);
    closeRefusedRequest(job, request);
  }
}

/** Whether an order is of the other side, or belongs to another write of the journal. */
function isOfAnother({ journal }: TradingContext, { terms, id }: Job, order: Order): boolean {
  return order.side !== terms.side || accountedOrderIds(journal, terms, [order], id).has(order.id);
}

function warnOf({ warn }: TradingContext, { unassignedIds }: PendingRequest): void {
  warn(
    `The exchange reported orders as accepted but does not have them: ${[...unassignedIds].join(', ')}. Their lines count as refused.`,
  );
}

/** The order by its id, none if it does not exist, or undefined if the exchange could not be asked. */
async function lookUpOrder({ client }: TradingContext, { terms }: Job, id: string): Promise<Order[] | undefined> {
  const order = await tryRead(async () => (await client.findOrder(terms.market, { id })) ?? 'none');
  return order === undefined || order === 'none' ? order && [] : [order];
}

type Close = Omit<Extract<BatchEvent, { kind: 'closed' }>, 'kind' | 'request'>;

function close(job: Job, { request, lines }: PendingRequest, result: Close): void {
  const what = `${counted(lines.size, 'order')} ${result.outcome === 'refused' ? 'refused' : 'not sent'}`;
  job.record(`request ${request}: ${what}: ${result.reason}`, { kind: 'closed', request, ...result });
}
