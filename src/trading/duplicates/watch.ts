import type { Order } from '../../domain/order.js';
import { readOrderPages } from '../../exchange/order-pages.js';
import type { TradingAccount } from '../account.js';
import { reclose } from '../batches/closing.js';
import type { Copy } from '../batches/copies.js';
import type { MarketSide } from '../journal/archive.js';
import { unlessDiskFails } from '../journal/files.js';
import { type Check, type Intent, isOf, type Settled } from '../journal/intent.js';
import { areAlike } from '../orders/terms.js';
import { quietly } from '../quietly.js';
import { byWrite, type Extra, extraOrders, type Wanted, withoutKnown } from './extra-orders.js';
import { isJobThere, jobOrders, settledJob } from './jobs.js';
import { areOfOneOf } from './maker.js';
import { here, LAG_MS, lastOf, SLACK_MS, settledAt, startOf } from './moments.js';

/** So far back the first command after a while looks for what was carried out again meanwhile. */
const MEMORY_MS = 3 * 86_400_000;
/** Where the exchange's tolerance was never measured; chosen, not documented. */
const USUAL_TOLERANCE_MS = 60_000;
/** So many are read by a command that is about something else; what lies before them is left to others. */
const WATCHED_PAGES = 100;
/** So many settled writes are worth not to be looked through again. */
const MANY = 100;

/** What is looked for, of one side of a market. */
interface Search {
  readonly where: MarketSide;
  readonly check: Check;
  readonly wanted: readonly Wanted[];
  /** The one of these that is not in the archive yet. */
  readonly fresh: Wanted | undefined;
  /** The settled writes that these are of. */
  readonly settled: readonly Settled[];
  /** Ids of the jobs whose orders are looked for; which ones, their files tell. */
  readonly jobs: ReadonlySet<string>;
  /** Orders of before need no look any more; by the exchange's clock, in milliseconds since the Unix epoch. */
  readonly from: number;
  /** How far two executions of one request may be apart, in milliseconds. */
  readonly span: number;
  /** How many settled writes of the account were passed on the way to it. */
  readonly passed: number;
}

/**
 * Looks for orders that the network made of requests which were sent once: one read of the recent orders, held against the
 * journal. What is found is told, and noted so that it is told once. Until a request cannot be executed any more, every
 * command in its market looks again, back to where the last look began; where nothing is to be looked for, nothing is read.
 *
 * @param fresh an order that was just placed and is not in the archive yet
 * @param most so many pages are read at the most; a batch makes many
 * @throws Failure as the client's `read`, and `usage` where the journal cannot be read
 */
export async function findExtras(
  account: TradingAccount,
  where: MarketSide,
  fresh?: Wanted,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Extra[]> {
  const search = searchOf(account, where, fresh);
  if (search.wanted.length + search.jobs.size === 0) return nothingWanted(account, search);
  const { records, isWhole } = await listedSince(account, search, search.from, most);
  const { extras: found, isDecided } = heldAgainstAll(account, search, records);
  const extras =
    found.length === 0 ? found : unnoted(account, search, records, await withDoubts(account, search, found, most));
  // before it is noted: who is killed in between is told twice rather than never
  if (extras.length > 0) account.alarm(extras);
  // what is not noted is found again by the next look
  unlessDiskFails(() => {
    for (const [intent, those] of byWrite(extras)) keep(account, intent, those);
    if (isWhole && isDecided) account.journal.archive.markChecked(where, search.check);
  });
  return extras;
}

/** Notes that too where it took long to see, so that the next one sees it at once. */
function nothingWanted({ journal }: TradingAccount, { where, check, passed }: Search): readonly Extra[] {
  if (passed > MANY) unlessDiskFails(() => journal.archive.markChecked(where, check));
  return [];
}

/**
 * Looks at both sides of a market, as every signed command does that is about it. Where nothing can have been repeated,
 * nothing is asked; where it cannot be found out now, a later command will, and where it would take long, one that places
 * orders or resolves. What is found is told, and given.
 */
export async function watchMarket(account: TradingAccount, market: string): Promise<readonly Extra[]> {
  const found: Extra[] = [];
  for (const side of ['buy', 'sell'] as const)
    found.push(...((await quietly(() => findExtras(account, { market, side }, undefined, WATCHED_PAGES))) ?? []));
  return found;
}

/** How far the moments of two executions of one request may be apart, in milliseconds. */
export function executionSpan({ tolerance }: Pick<TradingAccount, 'tolerance'>): number {
  return Math.min(tolerance.known ?? USUAL_TOLERANCE_MS, 10 * USUAL_TOLERANCE_MS) + SLACK_MS;
}

function searchOf(account: TradingAccount, where: MarketSide, fresh: Wanted | undefined): Search {
  const { client, host, journal } = account;
  const check: Check = { time: client.now(), at: host.now() };
  const span = executionSpan(account);
  const { settled, last, passed } = journal.archive.recent(where, check, (latest) =>
    latest === undefined ? check.at - MEMORY_MS : Math.min(latest.at - LAG_MS, here(latest.time - span, check)),
  );
  const starts = settled
    .filter(({ intent }) => isThere(intent, where) || isJobThere(intent, where))
    .map((one) => ({ one, from: startOf(one, last, lastOf(one, check) + span) }));
  const needed = starts.flatMap(({ one, from }) => (from === undefined ? [] : { one, from }));
  const froms = needed.map(({ from }) => from).concat(fresh === undefined ? [] : fresh.reqTime - SLACK_MS);
  const looked = needed.map(({ one }) => one);
  const wanted = looked.flatMap(wantedOf).concat(fresh ?? []);
  const jobs = new Set(looked.flatMap(({ intent }) => (isJobThere(intent, where) ? intent.id : [])));
  return { where, check, span, fresh, jobs, from: Math.min(...froms), wanted, settled: looked, passed };
}

/** The orders of a side since a time, and whether these are all. */
async function listedSince({ client }: TradingAccount, { where }: Search, from: number, most: number) {
  const isEnough = ({ time }: Order) => time < from;
  const extent = { from: 1, to: most };
  const { records, more, failure } = await readOrderPages(client, where.market, where.side, extent, isEnough);
  return { records, isWhole: failure === null && (!more || records.some(isEnough)) };
}

interface Found {
  readonly extras: readonly Extra[];
  /** Ids of all orders that the journal accounts for. */
  readonly known: ReadonlySet<string>;
  /** Nothing of what was seen may still turn out to be one too many: an open order just like one that is looked for may claim it. */
  readonly isDecided: boolean;
}

/**
 * Holds a list against ever more of the journal, for as long as an order of it seems to be one too many: a page of the list
 * reaches further back than what is looked for, and the exchange need not date orders by the clock that it judges requests by.
 */
function heldAgainstAll(account: TradingAccount, search: Search, records: readonly Order[]): Found {
  const [from, ...earlier] = [search.from, earliestOf(search), 0];
  let found = heldAgainst(account, search, records, from);
  for (const time of earlier) if (found.extras.length > 0) found = heldAgainst(account, search, records, time);
  return found;
}

/** Nothing of before can be a copy of what is looked for. */
function earliestOf({ from, wanted, span }: Search): number {
  return Math.min(from, ...wanted.map(({ reqTime }) => reqTime)) - span;
}

/**
 * Holds a list of orders from a time on against the journal, which is read after the list, and in the order of
 * `Journal.writesSince`: so nothing that is listed is missed in it. No order is settled before it is there.
 */
function heldAgainst(
  { journal }: TradingAccount,
  { where, check, wanted, settled: looked, jobs, fresh, span }: Search,
  records: readonly Order[],
  from: number,
): Found {
  const recorded = journal.open();
  const past = latestOf([...looked, ...journal.archive.recent(where, check, () => here(from, check)).settled]);
  const accounted = new Set([fresh?.intent, ...past.map(({ intent }) => intent.id)]);
  const single = new Set(past.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]).concat(fresh?.order ?? ''));
  const strange = records.filter(({ id }) => !single.has(id));
  const batch = jobOrders(journal, where, strange, { recorded, past, watched: jobs });
  const open = recorded
    .filter(({ intent }) => isThere(intent, where) && !accounted.has(intent.id))
    .flatMap(({ intent }) => wantedOf({ intent, id: null, events: [] }))
    .concat(batch.open);
  const settled = [...wanted, ...batch.settled];
  const known = new Set([...single, ...batch.known]);
  const extras = extraOrders({ records, known, settled, open, span });
  return { extras, known, isDecided: !open.some((one) => settled.some(({ terms }) => areAlike(terms, one.terms))) };
}

/** One for each write, what was kept of it last. */
function latestOf(settled: readonly Settled[]): Settled[] {
  return [...new Map(settled.map((one) => [one.intent.id, one])).values()];
}

/** It takes a longer list to tell whether another program uses the account, which would be another reason for an extra order. */
async function withDoubts(
  account: TradingAccount,
  search: Search,
  found: readonly Extra[],
  most: number,
): Promise<Extra[]> {
  const earliest = earliestOf(search);
  const longer = await quietly(() => listedSince(account, search, earliest, most));
  const again = longer === undefined ? [] : heldAgainst(account, search, longer.records, earliest).extras;
  const isAlone = again.length > 0 && again.every((extra) => extra.certain);
  const isCertain = async ({ intent, terms, ids }: Extra) => {
    const own = search.wanted.filter((one) => one.intent === intent);
    const alike = search.wanted.filter((one) => one.intent !== intent && areAlike(one.terms, terms));
    return own.length === 0 || areOfOneOf(account, [...own, ...alike], ids, longer?.records ?? []);
  };
  return Promise.all(found.map(async (extra) => ({ ...extra, certain: isAlone && (await isCertain(extra)) })));
}

/**
 * Without what another process has found, told and noted meanwhile. Only the journal says so: a list may lack an order that
 * it showed a moment ago.
 */
function unnoted(account: TradingAccount, search: Search, records: readonly Order[], found: readonly Extra[]) {
  const { known } = heldAgainst(account, search, records, earliestOf(search));
  return withoutKnown(found, known);
}

/** So that the extra orders of a write are told once, and accounted for from then on. */
function keep({ journal }: TradingAccount, intent: string, extras: readonly Extra[]): void {
  const settled = journal.archive.find(intent);
  if (settled === undefined) return;
  const job = settledJob(journal, settled);
  const byLine = extras.flatMap(({ line, ids }) => (line === undefined ? [] : ids.map((id): Copy => [line, id])));
  const certain = extras.every((extra) => extra.certain);
  if (job !== undefined) {
    reclose(journal, job, settled, byLine, certain);
    return;
  }
  const duplicates = [...new Set([...settled.duplicates, ...extras.flatMap(({ ids }) => ids)])];
  journal.archive.add({ ...settled, duplicates }, settled);
}

function isThere(intent: Intent, { market, side }: MarketSide): boolean {
  return isOf(intent, 'order') && intent.terms.market === market && intent.terms.side === side;
}

function wantedOf(settled: Pick<Settled, 'intent' | 'id' | 'events'>): Wanted[] {
  const { intent, id } = settled;
  if (!isOf(intent, 'order')) return [];
  const took = settledAt(settled) - intent.time;
  return [{ intent: intent.id, terms: intent.terms, reqTime: intent.reqTime, order: id, took }];
}
