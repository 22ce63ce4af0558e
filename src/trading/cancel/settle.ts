import { UNREAD } from '../../client/observed-codes.js';
import type { OrderRecord } from '../../protocol/operations/trading.js';
import type { Refused } from '../../protocol/response.js';
import { readOrderType } from '../../protocol/words.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { isOf } from '../journal/intent.js';
import { lookUntilKnown } from '../looking.js';
import { orderState } from '../order/record.js';
import { findOrder, isRefusedAlike, type OrderReference } from '../order/reference.js';
import { quietly } from '../quietly.js';
import { type Facts, factsOf, NO_FACTS } from './facts.js';

/** What became of a cancellation that left. */
export interface CancelFate extends Facts {
  readonly outcome: 'cancelled' | 'refused' | 'notSent' | 'unknown';
  readonly message: string | null;
}

type CancelEntry = Entry<'cancelOrder'>;

/** Finds out what became of a cancellation that got no answer: the order itself tells, for as long as the budget lasts. */
export async function settleCancel(account: TradingAccount, entry: CancelEntry): Promise<CancelFate> {
  let seen: OrderRecord | undefined;
  const { market } = entry.intent.terms;
  const { fate } = await lookUntilKnown<CancelFate>(
    account,
    { market, reqTime: entry.intent.reqTime },
    async () => {
      const order = await lookAt(account, entry);
      if (typeof order !== 'object') return order;
      seen = order;
      return closed(entry, order) ?? 'nothing';
    },
    async () => notSent(entry, seen),
  );
  if (fate !== undefined) return fate;
  entry.leave();
  return { ...factsOr(seen), outcome: 'unknown', message: 'the cancellation may still arrive' };
}

/**
 * What a refusal means. A proxy before the exchange may have repeated the request: the first cancelled the order, and the
 * answer is the refusal of the second. So an order that is cancelled, and was not by an earlier command, is taken as
 * cancelled now.
 */
export async function refusedCancel(
  account: TradingAccount,
  entry: CancelEntry,
  { code, message }: Refused,
): Promise<CancelFate> {
  const order = UNREAD.includes(code) ? 'nothing' : await lookAt(account, entry, code);
  if (order === undefined) return settleCancel(account, entry);
  const facts = factsOr(typeof order === 'object' ? order : undefined);
  if (typeof order === 'object' && canBeOurs(order) && !wasCancelled(account, entry.intent.terms.order, order)) {
    const words = 'cancelled; the exchange answered that it was final already';
    entry.settle({ outcome: 'cancelled', id: order.id, duplicates: [] }, words);
    return { ...facts, outcome: 'cancelled', message: words };
  }
  entry.settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
  return { ...facts, outcome: 'refused', message };
}

/** What an order does not fill of an IOC is cancelled by the exchange. */
function canBeOurs(order: OrderRecord): boolean {
  return orderState(order) === 'cancelled' && readOrderType(order.type)?.type !== 'ioc';
}

function wasCancelled({ journal }: TradingAccount, reference: OrderReference, { id }: OrderRecord): boolean {
  return journal.archive.since(0).some(({ intent, outcome, id: settled }) => {
    if (!isOf(intent, 'cancelOrder') || outcome !== 'cancelled') return false;
    const { order } = intent.terms;
    return settled === id || ('id' in order ? order.id === id : isSame(order, reference));
  });
}

function isSame(one: OrderReference, other: OrderReference): boolean {
  return 'clientId' in one && 'clientId' in other && one.clientId === other.clientId;
}

/** @param refusal a code with which a look that is refused finds nothing, as in a market that there is not */
async function lookAt(
  { client }: TradingAccount,
  entry: CancelEntry,
  refusal?: number | null,
): Promise<OrderRecord | 'nothing' | undefined> {
  const { market, order: reference } = entry.intent.terms;
  const unlessAlike = (error: unknown) => (isRefusedAlike(error, refusal) ? undefined : Promise.reject(error));
  const order = await quietly(async () => (await findOrder(client, market, reference).catch(unlessAlike)) ?? 'nothing');
  const words = typeof order === 'object' ? orderState(order) : order === undefined ? 'no answer' : 'not found';
  entry.note(`asked for the order: ${words}`);
  return order;
}

/** Undefined where the order is not closed, or nobody has explained its state. */
function closed(entry: CancelEntry, order: OrderRecord): CancelFate | undefined {
  const state = orderState(order);
  if (state !== 'cancelled' && state !== 'filled') return undefined;
  const outcome = state === 'cancelled' ? state : 'refused';
  entry.settle({ outcome, id: order.id, duplicates: [] }, state === 'cancelled' ? state : 'the order was filled');
  return { ...factsOf(order), outcome, message: state === 'cancelled' ? null : 'the order was filled' };
}

function notSent(entry: CancelEntry, order: OrderRecord | undefined): CancelFate {
  const message = `the cancellation did not reach the exchange, and cannot any more; the order is ${order === undefined ? 'not there' : 'open'}`;
  entry.settle({ outcome: 'notSent', id: order?.id ?? null, duplicates: [] }, `not sent: ${message}`);
  return { ...factsOr(order), outcome: 'notSent', message };
}

function factsOr(order: OrderRecord | undefined): Facts {
  return order === undefined ? NO_FACTS : factsOf(order);
}
