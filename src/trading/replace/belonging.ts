import type { Order } from '../../domain/order.js';
import type { AccountType } from '../../domain/words.js';
import { usage } from '../../errors.js';
import { Job } from '../batches/job.js';
import { type Intent, isOf, marketOf, type OrderTerms, type Settled } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import type { OrderReference } from '../orders/reference.js';

/** The account that an order is of and its loans, none of which the exchange tells. */
type Belonging = Pick<OrderTerms, 'account' | 'borrow' | 'repay'>;

/** The same as the user says it; undefined where no flag says the account. */
export interface SaidOfIt {
  readonly account: AccountType | undefined;
  readonly borrow: boolean;
  readonly repay: boolean;
}

/** A belonging, and whether it is the journal that knows it. */
interface FoundBelonging extends Belonging {
  readonly isRecorded: boolean;
}

/**
 * Where the order in the place of another one belongs: where that one does, by the journal. Of an order that the journal
 * does not know the user's word counts, and spot is taken only where pit placed none on margin in that market.
 *
 * @throws Failure `usage` where the user says otherwise than the journal, or has to say it, and where the journal cannot be
 *   read: nothing was sent
 */
export function belongingOf(journal: Journal, order: Order, reference: OrderReference, said: SaidOfIt): FoundBelonging {
  const { recorded, isMarginUsed } = searched(journal, order, reference);
  if (recorded !== undefined) return { ...agreed(order, recorded, said), isRecorded: true };
  const { account = 'spot', borrow, repay } = said;
  if (said.account !== undefined || !isMarginUsed) return { account, borrow, repay, isRecorded: false };
  throw usage(
    `The journal does not know the order ${order.id}, and pit placed orders on margin in ${order.market}: it may be of a margin account.`,
    'The exchange does not tell, so say it: --account spot, --account isolated or --account cross. Nothing was sent.',
  );
}

function agreed(order: Order, { account, borrow, repay }: Belonging, said: SaidOfIt): Belonging {
  const contradictions = [
    ...(said.account === undefined || said.account === account ? [] : [`--account ${said.account}`]),
    ...(said.borrow && !borrow ? ['--borrow'] : []),
    ...(said.repay && !repay ? ['--repay'] : []),
  ];
  if (contradictions.length === 0) return { account, borrow, repay };
  const loans = `${borrow ? ' with --borrow' : ''}${repay ? ' with --repay' : ''}`;
  throw usage(
    `The order ${order.id} was placed with --account ${account}${loans}, which ${contradictions.join(' and ')} contradicts.`,
    'Leave that out: it is taken from the journal. To move an order, cancel it and place another. Nothing was sent.',
  );
}

interface Searched {
  /** Undefined where the journal does not know the order. */
  readonly recorded: Belonging | undefined;
  /** Whether pit placed orders on margin in the market, or may have. */
  readonly isMarginUsed: boolean;
}

function searched(journal: Journal, order: Order, reference: OrderReference): Searched {
  // before the archive: what is settled meanwhile is then in both
  const open = journal.open().filter(({ intent }) => marketOf(intent) === order.market);
  const named = open.find(({ intent }) => 'clientId' in reference && intent.id === reference.clientId);
  if (named?.isOf('order')) return { recorded: named.intent.terms, isMarginUsed: false };
  const past = inThePast(journal, order);
  const isMarginUsed = past.isMarginUsed || open.some(({ intent }) => isOnMargin(intent));
  // the files of jobs are long, and where nothing is on margin no order of theirs is
  if (past.recorded !== undefined || !isMarginUsed) return { ...past, isMarginUsed };
  const jobs = [...open.map(({ intent }) => intent.id), ...past.jobs];
  return { recorded: inJobs(journal, jobs, order.id), isMarginUsed };
}

/** What the settled writes of the days that are kept tell; `jobs` are those of the market. */
function inThePast({ archive }: Journal, { id, market }: Order) {
  let isMarginUsed = false;
  const jobs: string[] = [];
  for (const settled of archive.newestFirst(mayTellOf(id), 0)) {
    const { intent } = settled;
    if (marketOf(intent) !== market) continue;
    if (isOf(intent, 'order') && names(settled, id)) return { recorded: intent.terms, isMarginUsed, jobs };
    if (isOf(intent, 'orderMoreV2')) jobs.push(intent.id);
    isMarginUsed ||= isOnMargin(intent) && cameToBe(settled);
  }
  return { recorded: undefined, isMarginUsed, jobs };
}

/** Whether a line of the archive has to be looked into, by its text: there are very many. */
function mayTellOf(id: string): (line: string) => boolean {
  const marks = [`"${id}"`, '"account":"isolated"', '"account":"cross"', '"operation":"orderMoreV2"'];
  return (line) => marks.some((mark) => line.includes(mark));
}

function names({ id, duplicates }: Settled, order: string): boolean {
  return id === order || duplicates.includes(order);
}

function isOnMargin(intent: Intent): boolean {
  return (isOf(intent, 'order') || isOf(intent, 'orderMoreV2')) && intent.terms.account !== 'spot';
}

/** Of a job that placed a part of its orders the outcome may be another one. */
function cameToBe({ intent, outcome, notional }: Settled): boolean {
  return isOf(intent, 'orderMoreV2') ? notional !== '0' : outcome === 'placed';
}

function inJobs(journal: Journal, jobs: readonly string[], order: string): Belonging | undefined {
  for (const id of jobs) {
    const entry = journal.job(id);
    if (entry !== undefined && new Job(entry).orders.includes(order))
      return { account: entry.intent.terms.account, borrow: false, repay: false };
  }
  return undefined;
}
