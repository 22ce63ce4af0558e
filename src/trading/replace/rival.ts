import { Failure, suggest } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import { type Intent, isOf } from '../journal/intent.js';
import { isSameReference, type OrderReference } from '../orders/reference.js';

/**
 * Throws Failure `usage` where another write is about to close the order, or nobody knows whether it did: of two that close
 * one at once, both would take it for closed by themselves, and both place another one.
 * @param own the id of the record that asks, where it is made already
 */
export function refuseRival({ journal }: TradingAccount, order: OrderReference, own?: string): void {
  const rival = journal.open().find(({ intent }) => intent.id !== own && closes(intent, order));
  if (rival === undefined) return;
  throw new Failure(
    'usage',
    'Another command is about to close this order, or nobody knows whether it did; nothing was sent.',
    {
      clientId: rival.intent.id,
      hint: suggest('Find out what became of that one', 'resolve', rival.intent.id),
    },
  );
}

function closes(intent: Intent, order: OrderReference): boolean {
  if (isOf(intent, 'order')) return intent.replaces !== undefined && isSameReference(intent.replaces.order, order);
  return (isOf(intent, 'replace') || isOf(intent, 'cancelOrder')) && isSameReference(intent.terms.order, order);
}
