import type { AccountType, Order, OrderReference } from '../../domain/order.js';
import { usage } from '../../errors.js';
import { Job } from '../batches/job.js';
import { matchesAll } from '../journal/files.js';
import type { Journal } from '../journal/journal.js';
import { isKind, marketOf, type RecordedOrderTerms, type RecordedWrite, type Settled } from '../journal/write.js';

/** The account of an order and its loans, which the exchange does not report. */
type OrderAccount = Pick<RecordedOrderTerms, 'account' | 'borrow' | 'repay'>;

/** The same as the user gives it; the account is undefined without a flag. */
export interface GivenAccount {
  readonly account: AccountType | undefined;
  readonly borrow: boolean;
  readonly repay: boolean;
}

/**
 * The account of an order that is to be replaced, by the journal. For an order that the journal does not know the user's
 * flag counts; without one it is spot, unless pit placed orders on margin in that market.
 *
 * @throws Failure `usage` if the flags contradict the journal, if the account has to be given, and if the journal cannot be
 *   read: nothing was sent
 */
export function orderAccountOf(
  journal: Journal,
  order: Order,
  reference: OrderReference,
  given: GivenAccount,
): OrderAccount & { readonly isRecorded: boolean } {
  const { recorded, isMarginUsed } = searchJournal(journal, order, reference);
  if (recorded !== undefined) return { ...requireNoContradiction(order, recorded, given), isRecorded: true };
  const { account = 'spot', borrow, repay } = given;
  if (given.account !== undefined || !isMarginUsed) return { account, borrow, repay, isRecorded: false };
  throw usage(
    `The account of order ${order.id} is unknown: it is not in the journal, and pit placed margin orders in ${order.market}.`,
    'Name it, as the exchange does not report it: --account spot, --account isolated or --account cross. Nothing was sent.',
  );
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

/** What the journal shows of an order's account. */
interface AccountSearch {
  /** Undefined if the journal does not know the order. */
  readonly recorded: OrderAccount | undefined;
  /** Whether pit placed margin orders in the market, or may have. */
  readonly isMarginUsed: boolean;
}

function searchJournal(journal: Journal, order: Order, reference: OrderReference): AccountSearch {
  // before the archive, so that a write that is settled meanwhile is in both
  const open = journal.unsettledEntries().filter(({ write }) => marketOf(write) === order.market);
  const named = open.find(({ write }) => 'clientId' in reference && write.id === reference.clientId);
  if (named?.isKind('order')) return { recorded: named.write.terms, isMarginUsed: false };
  const past = searchArchive(journal, order);
  const isMarginUsed = past.isMarginUsed || open.some(({ write }) => isOnMargin(write));
  // the files of jobs are long, and without any margin order in the market theirs are spot
  if (past.recorded !== undefined || !isMarginUsed) return { ...past, isMarginUsed };
  const jobs = [...open.map(({ write }) => write.id), ...past.jobs];
  return { recorded: searchJobs(journal, jobs, order.id), isMarginUsed };
}

/** What the settled writes of the kept days show; `jobs` are those of the market. */
function searchArchive({ archive }: Journal, { id, market }: Order) {
  let isMarginUsed = false;
  const jobs: string[] = [];
  for (const settled of archive.newestFirst(mayMatter(id), 0)) {
    const { write } = settled;
    if (marketOf(write) !== market) continue;
    if (isKind(write, 'order') && made(settled, id)) return { recorded: write.terms, isMarginUsed, jobs };
    if (isKind(write, 'batch')) jobs.push(write.id);
    isMarginUsed ||= isOnMargin(write) && wasPlaced(settled);
  }
  return { recorded: undefined, isMarginUsed, jobs };
}

/** Whether a line of the archive has to be parsed, by its text: there are very many. */
function mayMatter(id: string): (line: string) => boolean {
  const isOfBatch = matchesAll({ operation: 'batch' });
  const marks = [`"${id}"`, '"account":"isolated"', '"account":"cross"'];
  return (line) => isOfBatch(line) || marks.some((mark) => line.includes(mark));
}

function made({ id, duplicates }: Settled, order: string): boolean {
  return id === order || duplicates.includes(order);
}

function isOnMargin(write: RecordedWrite): boolean {
  return (isKind(write, 'order') || isKind(write, 'batch')) && write.terms.account !== 'spot';
}

/** A job that placed some of its orders may have another outcome. */
function wasPlaced({ write, outcome, notional }: Settled): boolean {
  return isKind(write, 'batch') ? notional !== '0' : outcome === 'placed';
}

function searchJobs(journal: Journal, jobs: readonly string[], order: string): OrderAccount | undefined {
  for (const id of jobs) {
    const entry = journal.findJob(id);
    if (entry !== undefined && new Job(entry).orderIds.includes(order))
      return { account: entry.write.terms.account, borrow: false, repay: false };
  }
  return undefined;
}
