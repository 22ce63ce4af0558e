import type { Order } from '../../domain/order.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { lookUntilKnown } from '../looking.js';
import { orderProbe } from '../tolerance.js';
import { factsOf } from './facts.js';
import { type CancelFate, closedFate, eventOf } from './fate.js';
import { type CancelRequest, lookAt } from './request.js';

/** The cancellation that an entry is about, or begins with; its steps are noted there. */
export function requestOf(entry: Entry<'cancelOrder'> | Entry<'replace'>): CancelRequest {
  const { terms, reqTime } = entry.intent;
  const steps = { note: (event: string) => entry.note(event), withdraw: () => entry.withdraw() };
  return { market: terms.market, order: terms.order, reqTime, ...steps };
}

/** Finds out what became of a recorded cancellation, for as long as the budget lasts, and keeps it in the journal. */
export async function settleCancel(account: TradingAccount, entry: Entry<'cancelOrder'>): Promise<CancelFate> {
  const fate = await lookForCancel(account, requestOf(entry));
  conclude(entry, fate);
  return fate;
}

/** Keeps a fate in the journal: what is not known stays open. */
export function conclude(entry: Pick<Entry, 'leave' | 'settle'>, fate: CancelFate): void {
  const { outcome, id } = fate;
  if (outcome === 'unknown') entry.leave();
  else entry.settle({ outcome, id, duplicates: [] }, eventOf(fate));
}

/** The order itself tells what became of a cancellation that got no answer. */
export async function lookForCancel(account: TradingAccount, request: CancelRequest): Promise<CancelFate> {
  let seen: Order | undefined;
  const { fate } = await lookUntilKnown<CancelFate>(
    account,
    { probe: orderProbe(request.market), reqTime: request.reqTime },
    async () => {
      const found = await lookAt(account, request);
      if (found === undefined) return undefined;
      seen = found === 'nothing' ? undefined : found;
      return (seen === undefined ? undefined : closedFate(seen)) ?? 'nothing';
    },
    async () => tooLate(seen),
  );
  if (fate !== undefined) return fate;
  const message = 'the cancellation may still arrive';
  return { ...factsOf(seen), outcome: 'unknown', code: null, message, failure: 'unknown' };
}

/** The exchange would not take the request any more, so that it stays as it was seen. */
function tooLate(order: Order | undefined): CancelFate {
  const facts = { ...factsOf(order), code: null };
  // whether it was there before, nobody can tell
  if (order === undefined)
    return { ...facts, outcome: 'refused', message: 'the exchange has no such order', failure: 'refused' };
  const message = 'the cancellation did not reach the exchange, and cannot any more; the order is open';
  return { ...facts, outcome: 'notSent', message, failure: 'unreachable' };
}
