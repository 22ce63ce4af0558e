import { Decimal } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import { tryRead } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { type Intent, isOf, type Settled } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import { isRefusedAlike } from '../orders/reference.js';
import { type Bill, findInBills } from './bills.js';
import { type Ambiguity, isObservation, type Observation } from './observation.js';
import { billsAfter, isNewer, recordsAfter } from './records.js';
import { type Fit, fitOf, fitOfAmount } from './terms.js';
import { uncontested } from './uncontested.js';

/** Clocks differ, and a record may be dated by a review: one further off is another withdrawal. */
export const DATES_MS = 60_000;

/** What others made of what a withdrawal may have made was settled after it was begun; so much more, for clocks that were wrong. */
export const CLOCK_SLACK_MS = 86_400_000;

/**
 * One read of the exchange's records: `nothing` if there is no such withdrawal, a doubt if a record may belong to something
 * else, undefined if it could not be asked. The last two prove nothing.
 * @param refusal the code with which the withdrawal was refused
 */
export async function findSentWithdrawal(
  account: TradingAccount,
  entry: Entry<'withdraw'>,
  refusal?: number | null,
): Promise<Observation | Ambiguity | 'nothing' | undefined> {
  const found = await tryRead(() => search(account, entry.intent, refusal));
  entry.note(`read the withdrawals: ${wordsOf(found)}`);
  return found;
}

function wordsOf(found: Observation | Ambiguity | 'nothing' | undefined): string {
  if (found === undefined) return 'no answer';
  if (found === 'nothing') return 'not found';
  if (!isObservation(found)) return found.doubt;
  return found.bill === null ? `found ${found.ids.join(' and ')}` : `found in the bills as ${found.bill}`;
}

async function search(
  account: TradingAccount,
  intent: Intent<'withdraw'>,
  refusal?: number | null,
): Promise<Observation | Ambiguity | 'nothing'> {
  try {
    const records = await recordsAfter(account.client, intent.terms.coin, intent.terms.before.record);
    // after the list, so that the journal covers all that is listed
    const { open, placed, known } = accountOfOthers(account.journal, intent);
    const fitWith = (record: Withdrawal, of: Intent<'withdraw'>) => fitOfRecord(account, record, of);
    const fitting = recordsOf(account, intent, records, known);
    const own = uncontested(fitting, intent, open, fitWith);
    if (own === 'contested') return contested(fitting);
    const [first, ...duplicates] = own;
    if (first !== undefined) return { ids: [first.id, ...duplicates.map(({ id }) => id)], bill: null };
    return await inBills(account, intent, [...open, ...placed], records);
  } catch (error) {
    if (isRefusedAlike(error, refusal)) return 'nothing';
    throw error;
  }
}

function contested(records: readonly Withdrawal[]): Ambiguity {
  const ids = records.map(({ id }) => id);
  return {
    doubt: `withdrawal ${ids.join(' and ')} may belong to another request with an unknown outcome`,
    records: ids,
  };
}

/** The coin's other withdrawals in the journal. */
function accountOfOthers(journal: Journal, { id, time, terms }: Intent<'withdraw'>) {
  const { open, settled } = journal.writesSince(time - CLOCK_SLACK_MS, { operation: 'withdraw', coin: terms.coin });
  const isOther = (intent: Intent): intent is Intent<'withdraw'> =>
    isOf(intent, 'withdraw') && intent.id !== id && intent.terms.coin === terms.coin;
  const done = settled.filter(({ outcome, duplicates }) => outcome === 'placed' || duplicates.length > 0);
  const others = (writes: readonly { readonly intent: Intent }[]) => writes.map(({ intent }) => intent).filter(isOther);
  return { open: others(open), placed: others(done), known: idsOf(settled, id) };
}

/** The records that match a withdrawal best, oldest first, except those of other withdrawals. */
export function recordsOf(
  account: TradingAccount,
  intent: Intent<'withdraw'>,
  records: readonly Withdrawal[],
  known: ReadonlySet<string>,
): Withdrawal[] {
  const fitting = records.filter((one) => !known.has(one.id) && fitOfRecord(account, one, intent) !== undefined);
  const exact = fitting.filter((one) => fitOfRecord(account, one, intent) === 'exactly');
  return (exact.length > 0 ? exact : fitting).reverse();
}

/** How well a record fits a withdrawal that was sent when it was, after the records that there were before. */
export function fitOfRecord(account: TradingAccount, record: Withdrawal, intent: Intent<'withdraw'>): Fit {
  const isAfter = isNewer(record.id, intent.terms.before.record) && isInTime(account, intent, record.time);
  return isAfter ? fitOf(record, intent.terms) : undefined;
}

/** Whether something of this moment can be of a request: it is executed while the exchange takes it. */
function isInTime({ tolerance }: TradingAccount, { reqTime }: Intent, time: number): boolean {
  const longest = tolerance.known ?? Number.POSITIVE_INFINITY;
  return time >= reqTime - DATES_MS && time <= reqTime + longest + DATES_MS;
}

/** The record ids of all other settled withdrawals. */
export function idsOf(settled: readonly Settled[], but?: string): Set<string> {
  const others = settled.filter(({ intent }) => isOf(intent, 'withdraw') && intent.id !== but);
  return new Set(others.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]));
}

/** @param others other withdrawals in the journal that left, or may have */
async function inBills(
  account: TradingAccount,
  intent: Intent<'withdraw'>,
  others: readonly Intent<'withdraw'>[],
  records: readonly Withdrawal[],
) {
  const { terms, reqTime } = intent;
  if (terms.before.bill === null) return 'nothing';
  const bills = await billsAfter(account.client, terms.coin, terms.before.bill, reqTime - DATES_MS);
  const fitWith = (bill: Bill, of: Intent<'withdraw'>) => fitOfBill(account, bill, of);
  const fitting = bills.filter((bill) => fitWith(bill, intent) !== undefined).reverse();
  return findInBills(account, fitting, { intent, others, records, fitOf: fitWith });
}

/** For a withdrawal that leaves the exchange, earlier bills were not noted, and it has a bill too. */
function fitOfBill(account: TradingAccount, { id, change, time }: Bill, intent: Intent<'withdraw'>): Fit {
  const { terms } = intent;
  const amount = Decimal.of(change).negated();
  const isAfter = isNewer(id, terms.before.bill ?? '0') && isInTime(account, intent, time);
  return isAfter && amount.sign > 0 ? fitOfAmount(amount.toString(), terms) : undefined;
}
