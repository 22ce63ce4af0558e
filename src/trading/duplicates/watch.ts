import { readOrderPages } from '../../client/order-pages.js';
import type { OrderRecord } from '../../protocol/operations/trading.js';
import type { TradingAccount } from '../account.js';
import type { MarketSide } from '../journal/archive.js';
import { type Intent, isOf, type Settled } from '../journal/intent.js';
import { type Extra, extraOrders, type Wanted } from './extra-orders.js';
import { endOf, isJobThere, jobOrders } from './jobs.js';

/** So far back the first command after a while looks for what was carried out again meanwhile. */
const MEMORY_MS = 3 * 86_400_000;
/** Where the exchange's tolerance was never measured; chosen, not documented. */
const USUAL_TOLERANCE_MS = 60_000;
/** For clocks that differ a little. */
const SLACK_MS = 5_000;
const MOST_PAGES = 10;

/**
 * Looks for orders that the network made of requests which were sent once: one read of the recent orders, held against the
 * journal. What is found is told once. Until a request cannot be executed any more, every command in its market looks
 * again; where nothing is to be looked for, nothing is read.
 *
 * @param fresh an order that was just placed and is not in the archive yet
 * @throws Failure as the client's `read`
 */
export async function findExtras(account: TradingAccount, where: MarketSide, fresh?: Wanted): Promise<Extra[]> {
  const { client, journal, host } = account;
  const { archive } = journal;
  const span = executionSpan(account);
  const since = host.now() - MEMORY_MS;
  const settled = archive.since(since);
  const checkedAt = archive.checkedAt(where, since);
  const past = settled.filter(({ intent }) => isThere(intent, where));
  const jobs = settled.filter(({ intent }) => isJobThere(intent, where));
  const watched = past.flatMap((one) => (one.intent.reqTime + span > checkedAt ? wantedOf(one) : []));
  const wanted = fresh === undefined ? watched : [...watched, fresh];
  const watchedJobs = jobs.filter((job) => endOf(job) + span > checkedAt);
  if (wanted.length + watchedJobs.length === 0) return [];
  const start = client.now();
  const earliest = Math.min(...wanted.map(({ reqTime }) => reqTime), ...watchedJobs.map(endOf)) - span;
  const extent = { from: 1, to: MOST_PAGES };
  const pages = await readOrderPages(client, where.market, where.side, extent, (last) => last.trade_date < earliest);
  const single = [...past, ...jobs]
    .flatMap(({ id, duplicates }) => [id ?? '', ...duplicates])
    .concat(fresh?.order ?? '');
  const strange = withoutKnown(pages.records, single).filter(({ trade_date: time }) => time >= earliest);
  const batch = jobOrders(journal, where, strange, { settled: jobs, watched: watchedJobs });
  const open = journal.open().flatMap(({ intent }) => (isThere(intent, where) ? openOf(intent, fresh) : []));
  const extras = extraOrders({
    records: pages.records,
    known: new Set([...single, ...batch.known]),
    settled: [...wanted, ...batch.settled],
    open: [...open, ...batch.open],
    span,
  });
  keep(account, settled, extras);
  if (pages.failure === null) archive.markChecked(where, start);
  return extras;
}

function withoutKnown(records: readonly OrderRecord[], ids: readonly string[]): OrderRecord[] {
  const known = new Set(ids);
  return records.filter(({ id }) => !known.has(id));
}

/** How far the moments of two executions of one request may be apart, in milliseconds. */
export function executionSpan({ tolerance }: TradingAccount): number {
  return Math.min(tolerance.known ?? USUAL_TOLERANCE_MS, 10 * USUAL_TOLERANCE_MS) + SLACK_MS;
}

/** So that an extra order is told once, and accounted for from then on. */
function keep({ journal }: TradingAccount, past: readonly Settled[], extras: readonly Extra[]): void {
  for (const id of new Set(extras.map(({ intent }) => intent))) {
    const ids = extras.flatMap((extra) => (extra.intent === id ? extra.ids : []));
    const settled = past.find(({ intent }) => intent.id === id);
    if (settled !== undefined) journal.archive.add({ ...settled, duplicates: [...settled.duplicates, ...ids] });
  }
}

function isThere(intent: Intent, { market, side }: MarketSide): boolean {
  return isOf(intent, 'order') && intent.terms.market === market && intent.terms.side === side;
}

function wantedOf({ intent, id }: Pick<Settled, 'intent' | 'id'>): Wanted[] {
  return isOf(intent, 'order') ? [{ intent: intent.id, terms: intent.terms, reqTime: intent.reqTime, order: id }] : [];
}

function openOf(intent: Intent, fresh: Wanted | undefined): Wanted[] {
  return intent.id === fresh?.intent ? [] : wantedOf({ intent, id: null });
}
