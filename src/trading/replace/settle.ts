import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { TradingAccount } from '../account.js';
import { type CancelFate, eventOf } from '../cancel/fate.js';
import { conclude, lookForCancel, requestOf } from '../cancel/settle.js';
import type { Entry } from '../journal/entry.js';
import type { OrderTerms } from '../journal/intent.js';
import { remainderOf } from '../orders/remainder.js';
import { isTooSmall } from '../orders/rules.js';

/**
 * Finds out what became of a replacement that ended before its order was placed, and keeps it in the journal. It places
 * nothing: whoever wanted it may want something else by now.
 */
export async function settleReplace(account: TradingAccount, entry: Entry<'replace'>): Promise<void> {
  const fate = await lookForCancel(account, requestOf(entry));
  if (fate.outcome === 'cancelled') settleUnplaced(entry, fate, 'it was not sent');
  else conclude(entry, fate);
}

/**
 * Settles a replacement whose order was cancelled, and nothing placed for it. What is left to place, null where that is
 * nothing.
 * @param market where it is known: less than it takes is nothing that can be placed
 */
export function settleUnplaced(
  entry: Entry<'replace'>,
  fate: CancelFate,
  reason: string,
  market?: Market,
): OrderTerms | null {
  const rest = remainderOf(entry.intent.terms.wanted, fate.filled ?? '0');
  const [price, amount] = [Decimal.of(rest.price), Decimal.of(rest.amount)];
  const isTooLittle = market !== undefined && isTooSmall(market, price, amount);
  const isSome = fate.filled !== null && amount.sign > 0 && !isTooLittle;
  const event = `${eventOf(fate)}; nothing was placed for it: ${reason}`;
  entry.settle({ outcome: 'cancelled', id: fate.id, duplicates: [], ...(isSome ? { unplaced: rest } : {}) }, event);
  return isSome ? rest : null;
}
