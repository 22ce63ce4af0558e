import type { TradingAccount } from '../account.js';
import { unlessDiskFails } from '../journal/files.js';
import { type Intent, isOf, type Settled, type WithdrawTerms } from '../journal/intent.js';
import { CLOCK_SLACK_MS, idsOf, recordsOf } from './look.js';
import { recordsAfter } from './records.js';

/** So far back every command about a coin's withdrawals looks for what was carried out again meanwhile. */
const MEMORY_MS = 3 * 86_400_000;

/** Withdrawals that are there besides the one that was wanted. */
export interface ExtraWithdrawal {
  readonly intent: string;
  readonly terms: WithdrawTerms;
  /** The record that was wanted; null where there was to be none, or none is known. */
  readonly id: string | null;
  /** The records besides it. */
  readonly ids: readonly string[];
}

/**
 * Holds the coin's records against the journal, for what came of a request after its command had ended. What is found is
 * told, and noted so that it is told once.
 * @throws Failure as the client's `read`, and `usage` where the journal cannot be read
 */
export async function findExtraWithdrawals(account: TradingAccount, coin: string): Promise<readonly ExtraWithdrawal[]> {
  const { client, host, journal } = account;
  const since = host.now() - MEMORY_MS;
  const saying = { operation: 'withdraw', coin };
  const past = withdrawalsOf(coin, journal.archive.since(since, saying)).map(({ intent }) => intent);
  const first = past.map(({ terms }) => terms.before.record);
  const [lowest] = first.sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1));
  if (lowest === undefined) return [];
  const records = await recordsAfter(client, coin, lowest);
  // after the list, so that nothing that is listed is missed in the journal
  const begun = Math.min(...past.map(({ time }) => time));
  const writes = journal.writesSince(begun - CLOCK_SLACK_MS, saying);
  const open = writes.open.flatMap(({ intent }) =>
    isOf(intent, 'withdraw') && intent.terms.coin === coin ? intent : [],
  );
  const known = idsOf(writes.settled);
  const settled = withdrawalsOf(coin, journal.archive.since(since, saying));
  for (const intent of open) for (const { id } of recordsOf(account, intent, records, known)) known.add(id);
  const extras = settled.flatMap(({ intent, id }) => {
    const ids = recordsOf(account, intent, records, known).map((record) => record.id);
    for (const found of ids) known.add(found);
    return ids.length === 0 ? [] : { intent: intent.id, terms: intent.terms, id, ids };
  });
  if (extras.length > 0) account.alarmWithdrawals(extras);
  for (const extra of extras) keep(account, extra);
  return extras;
}

type SettledWithdrawal = Settled & { readonly intent: Intent<'withdraw'> };

function withdrawalsOf(coin: string, settled: readonly Settled[]): SettledWithdrawal[] {
  return settled.filter(
    (one): one is SettledWithdrawal => isOf(one.intent, 'withdraw') && one.intent.terms.coin === coin,
  );
}

/** Where the disk does not take it, it is only told again. */
function keep({ journal: { archive } }: TradingAccount, { intent, ids }: ExtraWithdrawal): void {
  const settled = archive.find(intent);
  if (settled === undefined) return;
  unlessDiskFails(() => archive.add({ ...settled, duplicates: [...new Set([...settled.duplicates, ...ids])] }));
}
