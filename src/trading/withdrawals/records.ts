import type { Withdrawal } from '../../domain/funds.js';
import type { Moment } from '../../domain/moment.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';

/** Older than every id. */
const NONE = '0';

/**
 * The id of a coin's newest record at this moment, to recognise later ones; "0" if there is none.
 * @throws Failure `unreachable`, `limited`, `refused` or `credentials`; `internal` also if the list is not newest first
 */
export async function newestRecord(client: Exchange, coin: string): Promise<string> {
  for await (const page of client.withdrawals({ coin }, 1)) {
    requireNewestFirst(page);
    return page[0]?.id ?? NONE;
  }
  return NONE;
}

/**
 * The withdrawals of a coin that are newer than a record, newest first. Throws Failure `unreachable`, `limited`, `refused`,
 * `credentials` or `internal`; `partial` if the exchange repeats a page.
 */
export async function recordsAfter(client: Exchange, coin: string, last: string): Promise<Withdrawal[]> {
  const found: Withdrawal[] = [];
  for await (const page of client.withdrawals({ coin })) {
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
export async function recordsSince(client: Exchange, coin: string, since: Moment): Promise<Withdrawal[]> {
  const found: Withdrawal[] = [];
  for await (const page of client.withdrawals({ coin })) {
    requireNewestFirst(page);
    // only an answer shows what time it is on the exchange
    const start = since(client.now());
    found.push(...page.filter(({ time }) => time >= start));
    if (page.some(({ time }) => time < start)) break;
  }
  return found;
}

/** Whether a withdrawal's money was returned. */
export function isReturned({ state }: Withdrawal): boolean {
  return state === 'failed' || state === 'cancelled';
}

/** Whether an id is newer than another. Ids have more digits than a number holds. */
export function isNewer(id: string, than: string): boolean {
  return BigInt(id) > BigInt(than);
}

/** The order of the list is not documented, and finding new records depends on it. */
function requireNewestFirst(records: readonly { readonly id: string }[]): void {
  const first = records[0];
  const last = records.at(-1);
  if (first === undefined || last === undefined || !isNewer(last.id, first.id)) return;
  throw new Failure('internal', 'The exchange lists withdrawals oldest first; pit expects newest first.');
}
