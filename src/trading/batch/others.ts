import type { TradingAccount } from '../account.js';
import { type Intent, isOf, type OrderTerms } from '../journal/intent.js';
import { findOrder } from '../order/reference.js';
import { quietly } from '../quietly.js';
import { Job } from './job.js';
import { keyOf } from './lines.js';
import type { Sighting } from './match.js';

/**
 * Of these orders the ids of those that belong to other writes of the journal; undefined where that could not be found
 * out. A single order that is not settled is asked for by its client id.
 */
export async function ofOthers(
  account: TradingAccount,
  job: Job,
  sightings: readonly Sighting[],
): Promise<ReadonlySet<string> | undefined> {
  const { journal } = account;
  const ids = new Set<string>();
  const add = (id: string | null) => void (id === null || ids.add(id));
  // in this order, as in Journal.writesSince
  const open = journal.open();
  const settled = journal.archive.newestFirst({ market: job.terms.market }, job.entry.intent.time);
  for (const { intent, id, duplicates } of settled) {
    for (const one of [id, ...duplicates]) add(one);
    for (const one of ordersOf(account, job, intent)) add(one);
  }
  for (const { intent } of open) {
    for (const one of ordersOf(account, job, intent)) add(one);
    if (!isOf(intent, 'order') || !mayBe(intent.terms, job, sightings)) continue;
    const reference = { clientId: intent.id };
    const found = await quietly(
      async () => (await findOrder(account.client, intent.terms.market, reference)) ?? 'nothing',
    );
    if (found === undefined) return undefined;
    if (found !== 'nothing') add(found.id);
  }
  return ids;
}

/** The orders of another job of the same side. */
function ordersOf({ journal }: TradingAccount, { id, terms }: Job, intent: Intent): string[] {
  if (!isOf(intent, 'orderMoreV2') || intent.id === id) return [];
  if (intent.terms.market !== terms.market || intent.terms.side !== terms.side) return [];
  const entry = journal.job(intent.id);
  return entry === undefined ? [] : new Job(entry).orders;
}

function mayBe({ market, side, price, amount }: OrderTerms, { terms }: Job, sightings: readonly Sighting[]): boolean {
  if (market !== terms.market || side !== terms.side) return false;
  const own = keyOf(price, amount);
  return sightings.some(({ key }) => key === own);
}
