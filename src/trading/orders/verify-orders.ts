import type { Order, Side } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import { type OrderPages, readOrderPages } from '../../exchange/growing-pages.js';
import type { TradingAccount } from '../account.js';
import { addLateOrders } from '../batches/close-job.js';
import { keptJob } from '../batches/job.js';
import type { DuplicateOrders } from '../duplicates.js';
import type { Entry } from '../journal/entry.js';
import { isOf, type MarketSide, marketOf } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import {
  type Attempt,
  closesAt,
  type Duplicates,
  type List,
  opensAt,
  type Reconciled,
  type Row,
  reconcile,
  SLACK_MS,
} from '../reconcile.js';
import { assumedTolerance } from '../tolerance.js';
import { nameOf, type OrderEntry, type OrderWrite, openOrderWrites, orderWrite, rowOf, termsOf } from './attempts.js';

/** An order that was refused, or never arrived, is recognized for a day if it appears after all. */
const REMEMBERED_MS = 86_400_000;
/** The most pages that a command reads that is about something else. */
const MOST_PAGES = 100;

/** The orders read of one side of a market, and when reading began, by the exchange's clock. */
export interface ListedOrders {
  readonly records: readonly Order[];
  readonly began: number;
  /** As {@link List.since}. */
  readonly since: number;
}

interface VerifyOptions {
  /** An order that was just placed and is not settled yet. */
  readonly fresh?: { readonly entry: Entry<'order'>; readonly order: string };
  /** The list that the caller has read itself. Without it, a list is read if something is open. */
  readonly listed?: ListedOrders;
  /**
   * How much is read for the open writes of the journal. `recent`: the newest page, and more only to close what is overdue.
   */
  readonly extent?: 'recent' | 'all';
}

/** The findings on one side of a market. */
export interface Verified {
  readonly duplicates: readonly DuplicateOrders[];
  /** When the list was read; undefined if nothing was. */
  readonly listed: ListedOrders | undefined;
}

/**
 * Compares both sides of a market with the journal, as every command does that reads its orders or places some. Findings are
 * reported once, and returned. If the list cannot be read now, a later command does it.
 *
 * @param lists what the caller has read itself: then nothing more is read, and a missing side is left to others
 */
export async function verifyMarket(
  account: TradingAccount,
  market: string,
  lists?: Partial<Record<Side, ListedOrders>>,
): Promise<readonly DuplicateOrders[]> {
  const found: DuplicateOrders[] = [];
  for (const side of ['buy', 'sell'] as const) {
    const listed = lists?.[side];
    if (lists !== undefined && listed === undefined) continue;
    const options = listed === undefined ? {} : { listed };
    found.push(...((await tryRead(() => verifyOrders(account, { market, side }, options)))?.duplicates ?? []));
  }
  return found;
}

/**
 * Compares one list of the exchange with all writes of that side that are not closed: reports duplicates that the network
 * made from requests that were sent once, and closes the requests that have expired.
 * @throws Failure as the client's `read`, and `usage` if the journal cannot be read
 */
export async function verifyOrders(
  account: TradingAccount,
  where: MarketSide,
  { fresh, listed: given, extent = 'recent' }: VerifyOptions = {},
): Promise<Verified> {
  const mostPages = extent === 'recent' && fresh === undefined ? MOST_PAGES : Number.POSITIVE_INFINITY;
  const from = earliest(account, where, extent, fresh?.entry);
  if (given === undefined && from === undefined) return { duplicates: [], listed: undefined };
  const listed = given ?? (await listOrders(account, where, from ?? Number.NEGATIVE_INFINITY, mostPages));
  const quick = reconcileSide(account, where, listed, fresh, false);
  const isSuspected = reportable(quick).length > 0;
  const checked = isSuspected ? reconcileSide(account, where, listed, fresh, true) : quick;
  const found = await reported(account, where, listed, checked, mostPages);
  // before they are recorded: if this process is killed in between, they are reported twice rather than never
  if (found.length > 0) account.reportDuplicateOrders(found.map(({ report }) => report));
  noteDuplicates(account, checked, found);
  closeWrites(account, checked);
  return { duplicates: found.map(({ report }) => report), listed };
}

interface SideResult {
  readonly writes: readonly OrderWrite[];
  readonly byAttempt: ReadonlyMap<string, OrderWrite>;
  readonly result: Reconciled;
  readonly fresh: VerifyOptions['fresh'];
}

/** The journal is read after the list, so that it covers all that is listed: an order is recorded before it exists. */
function reconcileSide(
  account: TradingAccount,
  where: MarketSide,
  listed: ListedOrders,
  fresh: VerifyOptions['fresh'],
  isThorough: boolean,
): SideResult {
  const { journal } = account;
  const writes = openOrderWrites(journal, where).map((write) =>
    fresh !== undefined && !write.isSettled && nameOf(write.entry) === nameOf(fresh.entry) ? freshWrite(fresh) : write,
  );
  const known = isThorough ? knownOrders(journal, where, listed.records) : new Set<string>();
  const attempts = writes.flatMap((write) => write.attempts);
  const placed = new Set(attempts.flatMap(({ intents }) => intents.flatMap(({ order }) => order ?? [])));
  const named = new Set(attempts.flatMap((attempt) => attempt.named));
  for (const { orders } of writes) for (const id of orders) if (!placed.has(id) && !named.has(id)) known.add(id);
  const result = reconcile(attempts, listOf(listed), { known, tolerance: assumedTolerance(account) });
  const byAttempt = new Map(writes.flatMap((write) => write.attempts.map(({ id }) => [id, write] as const)));
  return { writes, byAttempt, result, fresh };
}

function listOf({ records, began, since }: ListedOrders): List {
  return { rows: records.map(rowOf), began, since };
}

function freshWrite({ entry, order }: { readonly entry: Entry<'order'>; readonly order: string }): OrderWrite {
  const write = orderWrite(entry, false);
  const attempts = write.attempts.map(
    (attempt): Attempt => ({
      ...attempt,
      ...{ answer: 'answered', isProvenElsewhere: false },
      intents: attempt.intents.map((intent) => ({ ...intent, order, state: 'placed' })),
    }),
  );
  return { ...write, attempts, orders: [order] };
}

/**
 * Orders that settled writes account for, back to the oldest of these; those of jobs are in their own files.
 * @param except what was found of this write before it was resumed is its own
 */
export function knownOrders(
  journal: Journal,
  { market, side }: MarketSide,
  records: readonly Order[],
  except?: string,
): Set<string> {
  const oldest = records.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const known = new Set<string>();
  // a day more, for clocks that differ
  for (const settled of journal.archive.newestFirst({ market }, oldest - REMEMBERED_MS)) {
    const { intent } = settled;
    if (intent.id === except) continue;
    for (const id of [settled.id ?? '', ...settled.duplicates]) known.add(id);
    if (!isOf(intent, 'orderMoreV2') || intent.terms.side !== side) continue;
    for (const id of keptJob(journal, intent.id)?.orders ?? []) known.add(id);
  }
  return known;
}

/**
 * How far back a list must reach; undefined if no open request can still make an order. Late orders are on the newest page;
 * a longer list is read only if something is overdue, and closes all of that at once.
 */
function earliest(
  account: TradingAccount,
  where: MarketSide,
  extent: 'recent' | 'all',
  fresh: Entry<'order'> | undefined,
): number | undefined {
  const attempts = account.journal
    .verifying(where)
    .filter((entry) => !entry.isVerified)
    .flatMap((entry) => orderWrite(entry, true).attempts);
  if (attempts.length === 0 && fresh === undefined) return undefined;
  const isOverdue = ({ reqTime }: Attempt) => account.client.now() > closesAt(reqTime, 2 * assumedTolerance(account));
  const wanted = extent === 'all' || attempts.some(isOverdue) ? attempts.map(opensAt) : [];
  return Math.min(...wanted, ...(fresh === undefined ? [] : [opensAt(fresh.intent)]));
}

/** Reads the orders of a side back to a moment of the list's clock, in milliseconds since the Unix epoch. */
async function listOrders(
  { client }: TradingAccount,
  { market, side }: MarketSide,
  from: number,
  to: number,
): Promise<ListedOrders> {
  const began = client.now();
  const pages = await readOrderPages(client, market, side, { from: 1, to }, ({ time }) => time < from);
  return listedFrom(pages, began);
}

/** Orders that were read from the first page on. */
export function listedFrom({ records, more, failure }: OrderPages, began: number): ListedOrders {
  const oldest = records.at(-1)?.time;
  const isWhole = !more && failure === null;
  const since = isWhole ? Number.NEGATIVE_INFINITY : (oldest ?? Number.POSITIVE_INFINITY) + 1;
  return { records, began, since };
}

/** Duplicates of a job that is not settled are found by whoever resumes it. */
function reportable({ result, byAttempt, fresh }: SideResult): readonly Duplicates[] {
  return result.duplicates.filter(({ attempt }) => {
    const write = byAttempt.get(attempt.id);
    return write !== undefined && (write.isSettled || write.entry.intent.id === fresh?.entry.intent.id);
  });
}

async function reported(
  account: TradingAccount,
  where: MarketSide,
  listed: ListedOrders,
  side: SideResult,
  mostPages: number,
): Promise<readonly Found[]> {
  const duplicates = reportable(side);
  if (duplicates.length === 0) return [];
  // it takes a longer list to see whether another program uses the account, which would be another reason for a duplicate
  const from = Math.min(...duplicates.map(({ attempt }) => attempt.reqTime)) - assumedTolerance(account) - SLACK_MS;
  const read = async () => (listed.since <= from ? listed : await listOrders(account, where, from, mostPages));
  const longer = await tryRead(read);
  const isAlone = longer !== undefined && reconcileSide(account, where, longer, side.fresh, true).result.isAlone;
  const certain = new Map<Duplicates, boolean>();
  for (const one of duplicates)
    certain.set(one, isAlone && (await isOfItsRequest(account, side, one, longer?.records ?? listed.records)));
  // another process may have reported some of them meanwhile; only the journal knows
  const known = knownOrders(account.journal, where, listed.records);
  for (const { orders } of openOrderWrites(account.journal, where)) for (const id of orders) known.add(id);
  return duplicates.flatMap((one) => reportOf(side, one, certain.get(one) === true, known) ?? []);
}

/** The most identical orders among which the repeated one is searched; beyond that it is left open. */
const MOST_ALIKE = 10;

/** Whether all of these were made from the request, or from that of another identical order. */
async function isOfItsRequest(
  account: TradingAccount,
  { byAttempt, writes }: SideResult,
  { attempt, intent, rows }: Duplicates,
  records: readonly Order[],
): Promise<boolean> {
  const own = byAttempt.get(attempt.id);
  if (own === undefined || own.job !== undefined) return true;
  const isLike = (write: OrderWrite) =>
    write !== own && write.job === undefined && write.attempts.some(({ intents }) => intents[0]?.key === intent.key);
  const alike = writes.filter((write) => write.isSettled && isLike(write));
  for (const write of [own, ...alike].slice(0, MOST_ALIKE)) {
    const order = write === own ? intent.order : (write.attempts[0]?.intents[0]?.order ?? null);
    if (await mayHaveMade(account, write.entry, order, rows, records)) return true;
  }
  return false;
}

/**
 * Whether a request can have made these orders. Nothing is executed before it is sent, so a row that is older than its order
 * by more than the answer took is not its own. And of several orders with one client id the exchange shows the newest: if
 * that is the order, a newer one has another id.
 */
async function mayHaveMade(
  { client, host }: TradingAccount,
  entry: OrderEntry,
  order: string | null,
  rows: readonly Row[],
  records: readonly Order[],
): Promise<boolean> {
  const place = records.findIndex(({ id }) => id === order);
  const answered = entry.events.findLast(({ settled }) => settled !== undefined)?.time ?? host.now();
  const took = answered - entry.intent.time;
  const first = (records[place]?.time ?? Number.NEGATIVE_INFINITY) - took - SLACK_MS;
  if (rows.some(({ time }) => time < first)) return false;
  const ids = new Set(rows.map(({ id }) => id));
  const isNewer = place === -1 || records.slice(0, place).some(({ id }) => ids.has(id));
  const market = marketOf(entry.intent);
  if (!isNewer || market === undefined) return true;
  const ask = async () => (await client.findOrder(market, { clientId: entry.intent.id })) ?? 'nothing';
  const shown = await tryRead(ask);
  if (shown === undefined) return true;
  return shown === 'nothing' ? order !== null : shown.id !== order;
}

interface Found {
  readonly write: OrderWrite;
  readonly report: DuplicateOrders;
}

function reportOf(
  { byAttempt }: SideResult,
  { attempt, intent, rows }: Duplicates,
  certain: boolean,
  known: ReadonlySet<string>,
): Found | undefined {
  const write = byAttempt.get(attempt.id);
  const ids = rows.map(({ id }) => id).filter((id) => !known.has(id));
  if (write === undefined || ids.length === 0) return undefined;
  // the first of a line may have become the line's order meanwhile
  const order = intent.order ?? rows.map(({ id }) => id).find((id) => known.has(id)) ?? null;
  return { write, report: { intent: write.entry.intent.id, ...termsOf(write, intent), order, ids, certain } };
}

/** Records the findings, so that they are reported once and accounted for from then on. */
function noteDuplicates({ journal }: TradingAccount, { fresh }: SideResult, found: readonly Found[]): void {
  for (const write of new Set(found.map((one) => one.write))) {
    const reports = found.filter((one) => one.write === write).map(({ report }) => report);
    if (write.job !== undefined) addLateOrders(journal, write.job, reports);
    else if (write.entry.intent.id !== fresh?.entry.intent.id)
      write.entry.addDuplicates(reports.flatMap(({ ids }) => ids));
  }
}

function closeWrites(account: TradingAccount, { writes, result }: SideResult): void {
  for (const { entry, isSettled, attempts } of writes) {
    if (!isSettled) continue;
    closeVerified(account, entry, attempts, result.closed);
  }
}

/** Closes a settled write whose attempts are closed. One that made nothing is remembered for a day. */
export function closeVerified(
  account: TradingAccount,
  entry: OrderEntry,
  attempts: readonly Attempt[],
  closed: ReadonlySet<string>,
): void {
  const isAbsent = attempts.some(({ intents }) => intents.some(({ state }) => state === 'absent'));
  const end = Math.max(entry.intent.reqTime, ...attempts.map(({ reqTime }) => reqTime));
  const isForgotten = account.client.now() > end + assumedTolerance(account) + REMEMBERED_MS;
  if (entry.isVerified) {
    if (isForgotten) entry.endVerification();
  } else if (attempts.every(({ id }) => closed.has(id))) entry.endVerification(isAbsent && !isForgotten);
}
