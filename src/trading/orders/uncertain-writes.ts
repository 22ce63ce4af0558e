import { type Advice, Failure, suggest } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import { Job } from '../batches/job.js';
import type { Entry } from '../journal/entry.js';
import type { OrderTerms } from '../journal/intent.js';
import { isRepetition, keyOf } from './terms.js';

/** Throws Failure `usage` if an identical order has an unknown outcome, or a record cannot be read. */
export function refuseDuplicate({ journal }: TradingAccount, terms: OrderTerms): void {
  journal.requireReadable();
  const isLike = (entry: Entry) =>
    entry.isOf('order')
      ? entry.isInDoubt && isRepetition(terms, entry.intent.terms)
      : entry.isOf('orderMoreV2') && isInDoubtLike(entry, terms);
  const duplicate = journal.open().find((entry) => isLike(entry) && isStillOpen(journal, entry));
  if (duplicate === undefined) return;
  throw new Failure('usage', 'An identical order has an unknown outcome, so this one was not sent.', {
    clientId: duplicate.intent.id,
    hint: suggest('Find its outcome', 'resolve', duplicate.intent.id),
  });
}

/** A warning for each write of a market with an unknown outcome: the next order may come on top of it. */
export function uncertainWrites({ journal }: TradingAccount, market: string): Advice[] {
  return journal.open().flatMap((entry) => {
    const what = doubtOf(entry, market);
    if (what === undefined || !isStillOpen(journal, entry)) return [];
    return [what];
  });
}

function doubtOf(entry: Entry, market: string): Advice | undefined {
  if (entry.isOf('order') && entry.isInDoubt && entry.intent.terms.market === market) {
    const { side, amount, price } = entry.intent.terms;
    return [
      `An earlier order may have been placed: ${side} ${amount} ${market} at ${price}.`,
      suggest('Find out', 'resolve', entry.intent.id),
    ];
  }
  if (!entry.isOf('orderMoreV2') || entry.intent.terms.market !== market) return undefined;
  const { size } = new Job(entry).uncertainKeys();
  // without its id, which would close the job as it is
  return size === 0
    ? undefined
    : [
        `Some orders of ${entry.intent.id} (${entry.intent.terms.side}) may have been placed.`,
        suggest('Find out', 'resolve'),
      ];
}

/** Whether an identical order of the job has an unknown outcome. */
function isInDoubtLike(entry: Entry<'orderMoreV2'>, order: OrderTerms): boolean {
  const { market, side, account } = entry.intent.terms;
  if (order.market !== market || order.side !== side || order.account !== account) return false;
  // last: its record may be long
  return new Job(entry).uncertainKeys().has(keyOf(order.price, order.amount));
}

/** Its process may have settled it, and ended, since the records were listed. */
function isStillOpen(journal: TradingAccount['journal'], { intent }: Entry): boolean {
  return journal.find(intent.id) !== undefined;
}
