import type { TradingAccount } from '../account.js';
import type { Wanted } from '../duplicates/extra-orders.js';
import { wantedOf } from '../duplicates/jobs.js';
import { type Intent, isOf, type OrderTerms } from '../journal/intent.js';
import { quietly } from '../quietly.js';
import { Job } from './job.js';
import { keyOf } from './lines.js';
import type { Sighting } from './match.js';

/** What other writes of the journal explain of the orders that are listed. */
export interface Others {
  /** Ids of orders that are theirs. */
  readonly ids: ReadonlySet<string>;
  /** Lines of other jobs of the same side of which it is not known yet whether and as what they are there. */
  readonly open: readonly Wanted[];
}

/**
 * What belongs to other writes of the journal, or may; undefined where that could not be found out. A single order that is
 * not settled is asked for by its client id.
 */
export async function ofOthers(
  account: TradingAccount,
  job: Job,
  sightings: readonly Sighting[],
): Promise<Others | undefined> {
  const { journal } = account;
  const ids = new Set<string>();
  const add = (id: string | null) => void (id === null || ids.add(id));
  const doubtful: Wanted[] = [];
  // in this order, as in Journal.writesSince
  const open = journal.open();
  const settled = journal.archive.newestFirst({ market: job.terms.market }, job.entry.intent.time);
  for (const { intent, id, duplicates } of settled) {
    // what was found of this one before it was gone on with is its own
    if (intent.id === job.id) continue;
    for (const one of [id, ...duplicates]) add(one);
    for (const one of jobOf(account, job, intent)?.orders ?? []) add(one);
  }
  for (const { intent } of open) {
    const other = jobOf(account, job, intent);
    for (const one of other?.orders ?? []) add(one);
    if (other !== undefined) doubtful.push(...[...other.doubtful].map((line) => wantedOf(other, line)));
    if (!isOf(intent, 'order') || !mayBe(intent.terms, job, sightings)) continue;
    const reference = { clientId: intent.id };
    const found = await quietly(
      async () => (await account.client.findOrder(intent.terms.market, reference)) ?? 'nothing',
    );
    if (found === undefined) return undefined;
    if (found !== 'nothing') add(found.id);
  }
  return { ids, open: doubtful };
}

/** Another job of the same side. */
function jobOf({ journal }: TradingAccount, { id, terms }: Job, intent: Intent): Job | undefined {
  if (!isOf(intent, 'orderMoreV2') || intent.id === id) return undefined;
  if (intent.terms.market !== terms.market || intent.terms.side !== terms.side) return undefined;
  const entry = journal.job(intent.id);
  return entry === undefined ? undefined : new Job(entry);
}

function mayBe({ market, side, price, amount }: OrderTerms, { terms }: Job, sightings: readonly Sighting[]): boolean {
  if (market !== terms.market || side !== terms.side) return false;
  const own = keyOf(price, amount);
  return sightings.some(({ key }) => key === own);
}
