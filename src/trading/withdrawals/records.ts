import type { Bill, Withdrawal } from '../../domain/funds.js';
import type { Moment } from '../../domain/moment.js';
import { Failure } from '../../errors.js';
import { readBills } from '../../exchange/bills.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { ExchangeZone } from '../../exchange/exchange-zone.js';
import { readWithdrawals } from '../../exchange/record-pages.js';
import type { FundsBaseline } from '../journal/write.js';

/** Older than every id. */
const NONE = '0';

/** The most that a search reads which may be repeated every few seconds. */
const MAX_BILLS = 1_000;

/** Newest first. */
export type BillList = readonly Bill[];

/**
 * The newest records of a coin at this moment, to recognise later ones.
 * @param bills whether to note the newest bill as well
 * @throws Failure `unreachable`, `limited`, `refused` or `credentials`; `internal` also if the list is not newest first
 */
export async function readBaseline(client: ExchangeClient, coin: string, bills: boolean): Promise<FundsBaseline> {
  const [record, bill] = await Promise.all([newestRecord(client, coin), bills ? newestBill(client, coin) : null]);
  return { record, bill };
}

/**
 * The withdrawals of a coin that are newer than a record, newest first. Throws Failure `unreachable`, `limited`, `refused`,
 * `credentials` or `internal`; `partial` if the exchange repeats a page.
 */
export async function recordsAfter(client: ExchangeClient, coin: string, last: string): Promise<Withdrawal[]> {
  const found: Withdrawal[] = [];
  for await (const page of readWithdrawals(client, coin)) {
    requireNewestFirst(page);
    found.push(...page.filter(({ id }) => isNewer(id, last)));
    if (page.some(({ id }) => !isNewer(id, last))) break;
  }
  return found;
}

/**
 * The withdrawals of a coin from a moment on, newest first. Throws Failure `unreachable`, `limited`,
 * `refused`, `credentials` or `internal`; `partial` if the exchange repeats a page.
 */
export async function recordsSince(client: ExchangeClient, coin: string, since: Moment): Promise<Withdrawal[]> {
  const found: Withdrawal[] = [];
  for await (const page of readWithdrawals(client, coin)) {
    requireNewestFirst(page);
    // only an answer shows what time it is on the exchange
    const start = since(client.now());
    found.push(...page.filter(({ time }) => time >= start));
    if (page.some(({ time }) => time < start)) break;
  }
  return found;
}

/**
 * The bills of a coin that are newer than one, and not older than a time in ms since the Unix epoch. Throws Failure
 * `unreachable`, `limited`, `refused`, `credentials` or `internal`; `partial` if the exchange repeats a page.
 */
export async function billsAfter(client: ExchangeClient, coin: string, last: string, from: number): Promise<BillList> {
  const found: Bill[] = [];
  for await (const page of readBills(client, anyZone(), { coin, from: () => from }))
    found.push(...page.filter(({ id }) => isNewer(id, last)));
  return found;
}

/**
 * The bills of all coins between two times, both included, in ms since the Unix epoch; undefined if there are too many to
 * read. Throws Failure `unreachable`, `limited`, `refused`, `credentials` or `internal`; `partial` if the exchange repeats a
 * page.
 */
export async function billsBetween(client: ExchangeClient, from: number, to: number): Promise<BillList | undefined> {
  const found: Bill[] = [];
  for await (const page of readBills(client, anyZone(), { from: () => from, to: () => to })) {
    found.push(...page);
    if (found.length >= MAX_BILLS) return undefined;
  }
  return found;
}

/** Whether a withdrawal's money was returned. */
export function isReturned({ state }: Withdrawal): boolean {
  return state === 'failed' || state === 'cancelled';
}

async function newestRecord(client: ExchangeClient, coin: string): Promise<string> {
  for await (const page of readWithdrawals(client, coin, 1)) {
    requireNewestFirst(page);
    return page[0]?.id ?? NONE;
  }
  return NONE;
}

async function newestBill(client: ExchangeClient, coin: string): Promise<string> {
  for await (const page of readBills(client, anyZone(), { coin })) {
    const newest = page.map(({ id }) => id).reduce((one, other) => (isNewer(one, other) ? one : other), NONE);
    if (page.length > 0) return newest;
  }
  return NONE;
}

/** A zone for reading bills by their own times: the exchange's dates are not used here. */
function anyZone(): ExchangeZone {
  return new ExchangeZone(undefined, { read: () => undefined, write: () => undefined });
}

/** Whether an id is newer than another. Ids have more digits than a number holds. */
export function isNewer(id: string, than: string): boolean {
  return BigInt(id) > BigInt(than);
}

/** The order of the list is not documented, and finding new records depends on it. */
function requireNewestFirst(records: readonly { readonly id: string }[]): void {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined || !isNewer(last.id, first.id)) return;
  throw new Failure('internal', 'The exchange lists withdrawals oldest first; pit expects newest first.');
}
