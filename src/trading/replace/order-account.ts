import { type AccountType, isSameReference, type Order, type OrderReference } from '../../domain/order.js';
import { usage } from '../../errors.js';
import type { Journal } from '../journal/journal.js';
import { clientIdOf, isKind, type RecordedOrderTerms } from '../journal/write.js';

/** The account of an order and its loans, which the exchange does not report. */
type OrderAccount = Pick<RecordedOrderTerms, 'account' | 'borrow' | 'repay'>;

/** The same as the user gives it; the account is undefined without a flag. */
export interface GivenAccount {
  readonly account: AccountType | undefined;
  readonly borrow: boolean;
  readonly repay: boolean;
}

/** Where an account is from: the record of the order, the user's flag, or nowhere. */
export type AccountSource = 'journal' | 'flag' | 'assumed';

/**
 * The account of an order that is to be replaced, by the journal. For an order that the journal does not know the user's flag
 * counts; without one it is assumed to be spot. The orders of batches are not looked for: only the long files of jobs name them.
 *
 * @throws Failure `usage` if the flags contradict the journal, and if the journal cannot be read: nothing was sent
 */
export function orderAccountOf(
  journal: Journal,
  order: Order,
  reference: OrderReference,
  given: GivenAccount,
): OrderAccount & { readonly source: AccountSource } {
  const recorded = recordedTermsOf(journal, order, reference);
  if (recorded !== undefined) return { ...requireNoContradiction(order, recorded, given), source: 'journal' };
  const { account, borrow, repay } = given;
  return { account: account ?? 'spot', borrow, repay, source: account === undefined ? 'assumed' : 'flag' };
}

function requireNoContradiction(
  order: Order,
  { account, borrow, repay }: OrderAccount,
  given: GivenAccount,
): OrderAccount {
  const contradictions = [
    ...(given.account === undefined || given.account === account ? [] : [`--account ${given.account}`]),
    ...(given.borrow && !borrow ? ['--borrow'] : []),
    ...(given.repay && !repay ? ['--repay'] : []),
  ];
  if (contradictions.length === 0) return { account, borrow, repay };
  const loans = `${borrow ? ' with --borrow' : ''}${repay ? ' with --repay' : ''}`;
  throw usage(
    `Order ${order.id} was placed with --account ${account}${loans}, which contradicts ${contradictions.join(' and ')}.`,
    'Leave that out: pit takes it from the journal. To move an order, cancel it and place another. Nothing was sent.',
  );
}

/** The terms that the journal has of an order; undefined if it does not know the order. */
function recordedTermsOf(
  journal: Journal,
  { id, market }: Order,
  reference: OrderReference,
): RecordedOrderTerms | undefined {
  // before the archive, so that a write that is settled meanwhile is in both
  for (const { write } of journal.unsettledEntries())
    if (
      isKind(write, 'order') &&
      write.terms.market === market &&
      isSameReference({ clientId: clientIdOf(write) }, reference)
    )
      return write.terms;
  const write = journal.archive.findByOrder(id)?.write;
  return write !== undefined && isKind(write, 'order') && write.terms.market === market ? write.terms : undefined;
}
