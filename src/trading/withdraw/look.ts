import type { WithdrawalRecord } from '../../client/record-pages.js';
import { Decimal } from '../../protocol/decimal.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { type Intent, isOf } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import { isRefusedAlike } from '../order/reference.js';
import { quietly } from '../quietly.js';
import { billsAfter, recordsAfter } from './records.js';
import { fitOf, fitOfAmount } from './terms.js';

/** Clocks differ, and a record may be dated when somebody looked at it: what is further off is another withdrawal. */
const SLACK_MS = 60_000;

/** What a look found of a withdrawal: its records, the first before its copies; or a bill where no record tells of it. */
export type Sighting =
  | { readonly ids: readonly [string, ...string[]]; readonly bill: null }
  | { readonly ids: readonly []; readonly bill: string };

/**
 * One look at what the exchange has: `nothing` where there is no such withdrawal, undefined where it could not be asked,
 * which proves nothing.
 * @param refusal the code with which the withdrawal was refused
 */
export async function lookFor(
  account: TradingAccount,
  entry: Entry<'withdraw'>,
  refusal?: number | null,
): Promise<Sighting | 'nothing' | undefined> {
  const found = await quietly(() => search(account, entry.intent, refusal));
  entry.note(`looked at the withdrawals: ${found === undefined ? 'no answer' : wordsOf(found)}`);
  return found;
}

function wordsOf(found: Sighting | 'nothing'): string {
  if (found === 'nothing') return 'not found';
  return found.bill === null ? `found ${found.ids.join(' and ')}` : `found in the bills as ${found.bill}`;
}

async function search(account: TradingAccount, intent: Intent<'withdraw'>, refusal?: number | null) {
  try {
    const records = await recordsAfter(account.client, intent.terms.coin, intent.terms.before.record);
    const known = accountedFor(account.journal, intent.id);
    const [first, ...copies] = recordsOf(account, intent, records, known);
    if (first !== undefined) return { ids: [first.id, ...copies.map(({ id }) => id)], bill: null } as const;
    const bill = await billOf(account, intent);
    return bill === undefined ? 'nothing' : ({ ids: [], bill } as const);
  } catch (error) {
    if (isRefusedAlike(error, refusal)) return 'nothing';
    throw error;
  }
}

/** The records that fit a withdrawal best, the oldest first, but for those that belong to another one. */
export function recordsOf(
  account: TradingAccount,
  intent: Intent<'withdraw'>,
  records: readonly WithdrawalRecord[],
  known: ReadonlySet<string>,
): WithdrawalRecord[] {
  const near = records.filter(({ id, submitTime }) => !known.has(id) && isInTime(account, intent, submitTime));
  const fitting = near.filter((record) => fitOf(record, intent.terms) !== undefined);
  const exact = fitting.filter((record) => fitOf(record, intent.terms) === 'exactly');
  return (exact.length > 0 ? exact : fitting).reverse();
}

/** Whether something of this moment can be of a request: it is executed while the exchange takes it. */
function isInTime({ tolerance }: TradingAccount, { reqTime }: Intent, time: number): boolean {
  const longest = tolerance.known ?? Number.POSITIVE_INFINITY;
  return time >= reqTime - SLACK_MS && time <= reqTime + longest + SLACK_MS;
}

/** Ids of records that belong to other withdrawals of the journal. */
export function accountedFor(journal: Journal, but: string): Set<string> {
  const others = journal.archive.since(0).filter(({ intent }) => isOf(intent, 'withdraw') && intent.id !== but);
  return new Set(others.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]));
}

/** What is moved within the exchange need not be listed as a withdrawal: the bill that it made; undefined where there is none. */
async function billOf(account: TradingAccount, intent: Intent<'withdraw'>): Promise<string | undefined> {
  const { terms, reqTime } = intent;
  if (terms.before.bill === null) return undefined;
  const bills = await billsAfter(account.client, terms.coin, terms.before.bill, reqTime - SLACK_MS);
  const isIts = (change: string) => {
    const amount = Decimal.of(change).negated();
    return amount.sign > 0 && fitOfAmount(amount.toString(), terms) !== undefined;
  };
  return bills.findLast(({ change, time }) => isInTime(account, intent, time) && isIts(change))?.id;
}
