import { Decimal } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import type { TradingAccount } from '../account.js';
import type { Intent } from '../journal/intent.js';
import type { Ambiguity, Observation } from './observation.js';
import { type BillList, billsBetween } from './records.js';
import { type Fit, fitOfAmount } from './terms.js';
import { uncontested } from './uncontested.js';

export type Bill = BillList[number];

/** What a bill is compared with. */
interface Explanations {
  /** The withdrawal to find. */
  readonly intent: Intent<'withdraw'>;
  /** Other withdrawals of the coin that left, or may have. */
  readonly others: readonly Intent<'withdraw'>[];
  /** The coin's withdrawals in the exchange's list, whoever made them. */
  readonly records: readonly Withdrawal[];
  readonly fitOf: (bill: Bill, of: Intent<'withdraw'>) => Fit;
}

/** Bills of one event have the same date; those of two events sometimes. */
const MOMENT_MS = 2_000;
/** A record and its bill are made together, by one clock. */
const SLACK_MS = 60_000;
/** How far back other uses of a type are checked: as far as the exchange's own recent bills go, "data within 48 h". */
const RECENT_MS = 48 * 3_600_000;

/**
 * A transfer within the exchange need not be listed as a withdrawal, but it has a bill. No document gives the type of such a
 * bill, so its words prove nothing: it counts only if nothing else that is known can have made it. A trade of the same
 * amount, or a transfer to a margin account, has an identical bill.
 *
 * @param fitting the bills of the right amount and time, oldest first
 * @throws Failure as the client's `read`, and `usage` if the journal cannot be read
 */
export async function findInBills(
  account: TradingAccount,
  fitting: readonly Bill[],
  explanations: Explanations,
): Promise<Observation | Ambiguity | 'nothing'> {
  const { intent, others, fitOf } = explanations;
  const [oldest] = fitting;
  if (oldest === undefined) return 'nothing';
  const own = uncontested(fitting, intent, others, fitOf);
  if (own === 'contested') return doubtOf(oldest, 'another withdrawal has the same amount');
  const [bill = oldest, ...more] = own;
  const why =
    more.length > 0 ? `bill ${more[0]?.id} has the same amount` : await otherwise(account, bill, explanations);
  return why === undefined ? { ids: [], bill: bill.id } : doubtOf(bill, why);
}

function doubtOf({ id, type, time }: Bill, why: string): Ambiguity {
  const facts = `${type ?? 'without a type'}, ${new Date(time).toISOString()}`;
  return { doubt: `bill ${id} (${facts}) has this amount but may belong to something else: ${why}`, records: [] };
}

/** What else may have made a bill, in words; undefined if nothing can. */
async function otherwise(account: TradingAccount, bill: Bill, of: Explanations): Promise<string | undefined> {
  const { client, journal } = account;
  const { coin } = of.intent.terms;
  if (bill.type === null) return 'the exchange reports no type for it';
  const record = of.records.find((one) => mayHaveMade(one, bill));
  if (record !== undefined) return `it may belong to withdrawal ${record.id}`;
  const market = journal.markets().find((name) => name.split('_').includes(coin));
  if (market !== undefined) return `it may belong to a trade in ${market}`;
  const around = await billsBetween(client, bill.time - RECENT_MS, bill.time + SLACK_MS);
  return around === undefined ? 'there are too many bills to check' : amongBills(bill, around, of);
}

/** Whoever withdrew it: a record for another address explains a bill as well. */
function mayHaveMade({ amount, fee, time: submitted }: Withdrawal, { change, time }: Bill): boolean {
  const taken = Decimal.of(change).negated().toString();
  const terms = { amount, fee: fee ?? '0' };
  return Math.abs(submitted - time) <= SLACK_MS && fitOfAmount(taken, terms) !== undefined;
}

/** A trade brings something in return. And a type that other bills have is not one for withdrawals, as far as is known. */
function amongBills(bill: Bill, around: readonly Bill[], { others, fitOf }: Explanations): string | undefined {
  const neighbours = around.filter(({ id }) => id !== bill.id);
  const brought = neighbours.find(
    ({ change, time }) => Decimal.of(change).sign > 0 && Math.abs(time - bill.time) <= MOMENT_MS,
  );
  if (brought !== undefined) return `bill ${brought.id} brought ${brought.coin} at the same moment, as a trade does`;
  const isOfOther = (one: Bill) => one.coin === bill.coin && others.some((other) => fitOf(one, other) !== undefined);
  const alike = neighbours.find((one) => one.type === bill.type && !isOfOther(one));
  return alike === undefined ? undefined : `bill ${alike.id} has the same type and belongs to no known withdrawal`;
}
