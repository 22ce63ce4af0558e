import { counted } from '../domain/decimal.js';
import type { Order } from '../domain/order.js';
import { tryRead } from '../errors.js';
import type { OrderPages } from '../exchange/exchange.js';
import { addLateOrders, bringSummaryUpToDate, duplicateEvents, endJob } from './batches/close-job.js';
import { archivedJob, Job } from './batches/job.js';
import { datedRead } from './dated-read.js';
import type { DuplicateOrders } from './duplicates.js';
import type { JournalEntry } from './journal/entry.js';
import type { Journal } from './journal/journal.js';
import {
  absentOutcome,
  clientIdOf,
  isKind,
  type MarketSide,
  ordersMadeBy,
  type RecordedWrite,
  type Settlement,
} from './journal/write.js';
import {
  lineId,
  lineOf,
  type OpenWrite,
  type OrderEntry,
  openWrites,
  rowOf,
  termsOf,
  toOpenWrite,
} from './open-writes.js';
import {
  type Attempt,
  type Duplicates,
  expiresAt,
  type List,
  listMustReachTo,
  type Reconciled,
  type Row,
  reconcile,
} from './reconcile.js';
import type { TradingContext } from './trading-context.js';

/** An order that was refused, or never arrived, is recognized for a day if it appears after all. */
const KEPT_MS = 86_400_000;
/** How much further back than the oldest row in question the archive is read, because clocks differ. */
const ARCHIVE_SLACK_MS = 86_400_000;
/** Why an order counts as not sent. */
export const EXPIRED = 'the request has expired and the exchange has no such order';
/** Most pages read as a side effect of another command. */
const MAX_PAGES = 100;

/** The orders read of one side of a market. */
export interface OrderList extends MarketSide, Omit<List, 'rows'> {
  /** Newest first. */
  readonly orders: readonly Order[];
}

/** What a list has shown. */
export interface Findings {
  /** The outcomes of orders that it decided, by the ids of the writes. */
  readonly settled: ReadonlyMap<string, Settlement>;
  /** Duplicates that were reported. */
  readonly duplicates: readonly DuplicateOrders[];
  /** The ids of writes whose answer named an order that is not theirs. */
  readonly contradicted: ReadonlySet<string>;
  /** The ids of writes that may have made an order which another pending write may have made too. */
  readonly ambiguous: ReadonlySet<string>;
}

/**
 * Settles the writes of one side of a market with a list of its orders.
 *
 * Read the journal, reconcile, report, record (`docs/architecture.md` draws it): every command that reads a list, for whatever
 * reason, passes it here, and it is compared with all open writes of this side, not only the command's own. What was just placed is
 * an open write like any other, whose answer names an order.
 *
 * A list decides what it shows. That something is missing counts only if the request cannot be executed any more, which the
 * exchange has said (`expiredTo`). A single order is known by its client id, so its row counts once the exchange was asked for
 * that id; a line of a batch is known by side, price, amount and time. What stays open is unknown, and the user may settle it.
 *
 * @param mine the write that this command works on
 * @throws Failure `usage` if the journal cannot be read
 */
export async function settle(
  trading: TradingContext,
  list: OrderList,
  mine?: { readonly id: string } | Job,
): Promise<Findings> {
  // the journal is read after the list, so that it covers all that is listed: an order is recorded before it exists
  const writes = openWrites(trading.journal, list, mine);
  const result = await compare(trading, list, writes);
  const found = writes.map((write) => ({ write, reports: reportsOf(write, list.orders, result) }));
  const duplicates = found.flatMap(({ reports }) => reports);
  // before they are recorded: if this process dies in between, they are reported twice rather than never
  if (duplicates.length > 0) trading.reportDuplicateOrders(duplicates);
  const settled = new Map<string, Settlement>();
  for (const { write, reports } of found) {
    const settlement = record(trading, list, write, reports, result);
    if (settlement !== undefined) settled.set(write.entry.write.id, settlement);
    // what this list settled is closed by a later one
    if (write.isSettled) closeIfPossible(trading, write, result);
  }
  const { contradicted, ambiguous } = result;
  return { settled, duplicates, contradicted, ambiguous };
}

/**
 * Reconciles the list with the writes. Two lookups may follow: the archive says which rows are orders of closed writes, and then
 * the exchange says which of the rest carry a client id.
 */
async function compare(trading: TradingContext, list: OrderList, writes: readonly OpenWrite[]): Promise<Reconciled> {
  const attempts = writes.flatMap((write) => write.attempts);
  const rows = { ...list, rows: list.orders.map(rowOf) };
  const accountedFor = new Set(writes.flatMap(({ duplicateIds }) => duplicateIds));
  const known = { accountedFor, requestLifetime: trading.requestLifetimeMs };
  let result = reconcile(attempts, rows, known);
  if (result.unexplained.length > 0) {
    for (const id of ordersOfClosedWrites(trading.journal, list, result.unexplained, writes)) accountedFor.add(id);
    result = reconcile(attempts, rows, known);
  }
  if (result.needsLookup.size > 0) {
    const newestByClientId = await newestOrders(trading, writes, result.needsLookup);
    result = reconcile(attempts, rows, { ...known, newestByClientId });
  }
  return result;
}

/** Which of these rows are orders of writes that are closed. Those of a job are in its own record. */
function ordersOfClosedWrites(
  journal: Journal,
  { market, side }: MarketSide,
  rows: readonly Row[],
  open: readonly OpenWrite[],
): string[] {
  const wanted = new Set(rows.map(({ id }) => id));
  const oldest = Math.min(...rows.map(({ time }) => time));
  // the earlier summary of a job that was resumed does not account for its orders
  const openIds = new Set(open.map(({ entry }) => entry.write.id));
  const found: string[] = [];
  for (const settled of journal.archive.newestFirst({ market }, oldest - ARCHIVE_SLACK_MS)) {
    const { write } = settled;
    if (openIds.has(write.id) && isKind(write, 'batch')) continue;
    const isJob = isKind(write, 'batch') && write.terms.side === side;
    const made = [...ordersMadeBy(settled), ...(isJob ? (archivedJob(journal, write.id)?.orderIds ?? []) : [])];
    found.push(...made.filter((id) => wanted.has(id)));
  }
  return found;
}

/** The id of the newest order with the client id of each item, null if there is none. A lookup that failed is left out. */
async function newestOrders(
  { client }: TradingContext,
  writes: readonly OpenWrite[],
  items: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string | null>> {
  const newest = new Map<string, string | null>();
  for (const { entry, isSettled, isMine } of writes) {
    const { terms } = entry.write;
    // the exchange may list an order a moment before it knows its client id
    const isOnItsWay = !isSettled && !isMine && entry.isUnderWay;
    if (isOnItsWay || !items.has(entry.write.id)) continue;
    const response = await tryRead(async () => ({
      order: await client.findOrder(terms.market, { clientId: clientIdOf(entry.write) }),
    }));
    if (response !== undefined) newest.set(entry.write.id, response.order?.id ?? null);
  }
  return newest;
}

/** The duplicates of a write, as they are reported. Those of a write that stays open are left to the command that settles it. */
function reportsOf(write: OpenWrite, orders: readonly Order[], result: Reconciled): DuplicateOrders[] {
  return result.duplicates.flatMap((duplicates) => {
    const { attempt, item } = duplicates;
    const isOwn = attempt.writeId === write.entry.write.id;
    const isFree = !write.entry.isUnderWay && result.outcomes.has(item.id);
    const isReportable = write.isSettled || write.isMine || isFree;
    return isOwn && isReportable ? reportOf(write, duplicates, orders) : [];
  });
}

function reportOf(write: OpenWrite, { item, rows, isProven }: Duplicates, orders: readonly Order[]): DuplicateOrders {
  const ids = rows.map(({ id }) => id);
  const shown = orders.filter(({ id }) => ids.includes(id));
  const report = { ...namesOf(write.entry.write), ...termsOf(write, item), orderId: item.rowId, ids, shown, isProven };
  const recordedOutcome = item.rowId === null ? absenceOf(write, lineOf(item)) : undefined;
  return recordedOutcome === undefined ? report : { ...report, recordedOutcome };
}

/** The names of a write in a report. */
function namesOf({ id, clientId }: RecordedWrite): Pick<DuplicateOrders, 'writeId' | 'clientId'> {
  return { writeId: id, ...(clientId === undefined ? {} : { clientId }) };
}

/** The recorded outcome of an order, or of a line, that does not exist; undefined for any other. */
function absenceOf({ entry, job }: OpenWrite, line: number): 'refused' | 'notSent' | undefined {
  return absentOutcome(job === undefined ? entry.settlement?.outcome : job.outcomes()[line]);
}

/** Records what was found of a write. Returns the outcome of an order if that is decided now. */
function record(
  trading: TradingContext,
  list: OrderList,
  write: OpenWrite,
  reports: readonly DuplicateOrders[],
  result: Reconciled,
): Settlement | undefined {
  const { job, isSettled } = write;
  if (isSettled) noteLate(trading.journal, write, reports);
  else if (job === undefined) return recordOrder(list, write, reports, result);
  else recordLines(list, write, job, reports, result);
  return undefined;
}

function recordOrder(
  list: OrderList,
  write: OpenWrite,
  reports: readonly DuplicateOrders[],
  result: Reconciled,
): Settlement | undefined {
  const { entry } = write;
  const { id: writeId } = entry.write;
  const outcome = result.outcomes.get(writeId);
  const [attempt] = write.attempts as readonly [Attempt];
  const [named] = attempt.responseIds;
  // a list that ends before the order proves nothing against the answer
  const id = outcome?.outcome === 'placed' ? outcome.id : result.contradicted.has(writeId) ? undefined : named;
  if (id === undefined || !(write.isMine || entry.claim())) return undefined;
  const duplicates = reports.flatMap(({ ids }) => ids);
  const isWholeChecked = list.since <= listMustReachTo(attempt);
  const settlement = {
    outcome: 'placed',
    id,
    duplicates,
    ...(isWholeChecked ? { checkedTo: list.began } : {}),
  } as const;
  entry.settle(
    settlement,
    duplicates.length === 0 ? `placed: ${id}` : `placed: ${id}; duplicates: ${duplicates.join(', ')}`,
  );
  return settlement;
}

/** Records the outcomes of a job's lines. Only the command that works on the job knows whether the rest is to be sent. */
function recordLines(
  { orders }: OrderList,
  { entry, isMine, attempts }: OpenWrite,
  before: Job,
  reports: readonly DuplicateOrders[],
  { outcomes }: Reconciled,
): void {
  const isAnyDecided = attempts.some(({ items }) => items.some(({ id }) => outcomes.has(id)));
  // what a damaged record lacks is left to the command that resumes the job
  if (!isMine && !(isAnyDecided && before.maybeUnrecorded.length === 0 && entry.claim())) return;
  const job = isMine ? before : new Job(entry as JournalEntry<'batch'>);
  job.addListed(orders);
  const found = job.lines.flatMap((_, line) => {
    const outcome = outcomes.get(lineId(job, line));
    return outcome?.outcome === 'placed' ? [[line, outcome.id] as const] : [];
  });
  if (found.length > 0)
    job.record(`found ${counted(found.length, 'order')} by price and amount`, { kind: 'found', orders: found });
  for (const { number, lines, reason, response } of job.openRequests) {
    const [absent] = lines.flatMap((line) => absentOutcome(outcomes.get(lineId(job, line))?.outcome) ?? []);
    if (absent === undefined) continue;
    const { kind: refusal, code } = typeof response === 'object' ? response : { kind: undefined, code: null };
    const why = response === 'lost' ? EXPIRED : reason;
    const event = `request ${number}: ${counted(lines.length, 'order')} ${absent === 'refused' ? 'refused' : 'not sent'}: ${why}`;
    job.record(event, { kind: 'closed', request: number, outcome: absent, reason: why, refusal, code });
  }
  const more = reports.flatMap(({ line = 0, ids }) => ids.map((id) => [line, id] as const));
  for (const [event, batchEvent] of duplicateEvents(job, more)) job.record(event, batchEvent);
  if (!isMine) endJob(job, 'settled');
}

/** Records duplicates of a settled write, so that they are reported once and accounted for from then on. */
function noteLate(journal: Journal, { entry, job }: OpenWrite, reports: readonly DuplicateOrders[]): void {
  const [report] = reports;
  if (report === undefined) return;
  if (job !== undefined) {
    addLateOrders(journal, job, reports);
    return;
  }
  const [order = null] = report.recordedOutcome === undefined ? [] : report.ids;
  const ids = reports.flatMap((one) => one.ids);
  entry.noteFound(
    ids.filter((id) => id !== order),
    order,
  );
}

function closeIfPossible(trading: TradingContext, { entry, job, attempts }: OpenWrite, { closed }: Reconciled): void {
  if (job?.entry.hasLateFindings) bringSummaryUpToDate(trading.journal, job.id);
  closeIfExpired(trading, entry, {
    lastReqTime: Math.max(entry.write.reqTime, ...attempts.map(({ reqTime }) => reqTime)),
    areClosed: attempts.every(({ id }) => closed.has(id)),
    isAbsent: attempts.some(({ items }) => items.some(({ state }) => state === 'absent')),
  });
}

/** The requests of a settled write. */
interface RequestsOfWrite {
  /** When the last of them was dated, by the exchange's clock in ms since the Unix epoch. */
  readonly lastReqTime: number;
  /** Whether they have expired, and a list that was read later showed everything that they made. */
  readonly areClosed: boolean;
  /** Whether an order or withdrawal of it does not exist. */
  readonly isAbsent: boolean;
}

/** Closes a settled write whose requests are closed. If nothing of it exists, or was found late, its record is kept for a day. */
export function closeIfExpired(
  { client, requestLifetimeMs }: TradingContext,
  entry: Pick<JournalEntry, 'isClosed' | 'isUnexpected' | 'close'>,
  { lastReqTime, areClosed, isAbsent }: RequestsOfWrite,
): void {
  const isDayOver = client.now() > lastReqTime + requestLifetimeMs + KEPT_MS;
  const mayClose = entry.isClosed ? isDayOver : areClosed;
  if (mayClose) entry.close({ isKept: (isAbsent || entry.isUnexpected) && !isDayOver });
}

/**
 * Settles what both sides of a market show. Never throws a Failure: if a list cannot be read, a later command tries again.
 * @param lists what the caller has read itself: then nothing more is read, and a missing side is left to others. Without them, a
 *   side is read if a request of a settled write may still be executed.
 */
export async function settleMarket(
  trading: TradingContext,
  market: string,
  lists?: readonly OrderList[],
): Promise<readonly DuplicateOrders[]> {
  const found: DuplicateOrders[] = [];
  const checks =
    lists?.map((list) => async () => (await settle(trading, list)).duplicates) ??
    (['buy', 'sell'] as const).map((side) => () => settleIfOpen(trading, { market, side }));
  for (const check of checks) found.push(...((await tryRead(check)) ?? []));
  return found;
}

/** Settles a whole side, however far back its list has to be read. Throws Failure of a list that cannot be read. */
export function settleSide(trading: TradingContext, side: MarketSide): Promise<readonly DuplicateOrders[]> {
  return settleIfOpen(trading, side, { isThorough: true });
}

/** Reads and settles nothing if no request of a settled write can still make an order. */
async function settleIfOpen(
  trading: TradingContext,
  side: MarketSide,
  reach: Pick<Reach, 'isThorough'> = {},
): Promise<readonly DuplicateOrders[]> {
  if (trading.journal.settledEntries(side).every(({ isClosed }) => isClosed)) return [];
  return (await settle(trading, await readOrderList(trading, side, reach))).duplicates;
}

interface Reach {
  /** The time to which the list must go back, by the list's clock in ms since the Unix epoch; the newest page if absent. */
  readonly to?: number;
  /** Whether it goes back to every request that may still be executed, however many pages that takes. */
  readonly isThorough?: boolean;
}

/**
 * Reads the orders of a side, and far enough back to close every write whose requests have expired. A late order is on the
 * newest page, so nothing else needs more.
 * @throws Failure if not even the first page could be read
 */
export async function readOrderList(
  trading: TradingContext,
  side: MarketSide,
  { to = Number.POSITIVE_INFINITY, isThorough = false }: Reach,
): Promise<OrderList> {
  const from = Math.min(to, oldestToClose(trading, side, isThorough));
  const pages = { from: 1, to: isThorough ? Number.POSITIVE_INFINITY : MAX_PAGES };
  const read = () => trading.client.orders(side.market, side.side, pages, ({ time }) => time < from);
  const { value, began } = await datedRead(trading, read);
  return orderList(side, value, began);
}

/** Pages that were read from the first one on, as a list. */
export function orderList(
  { market, side }: MarketSide,
  { orders, more, failure }: OrderPages,
  began: number,
): OrderList {
  const oldest = orders.at(-1)?.time;
  const isWhole = !more && failure === null;
  const since = isWhole ? Number.NEGATIVE_INFINITY : (oldest ?? Number.POSITIVE_INFINITY) + 1;
  return { market, side, orders, began, since, expiredTo: Number.NEGATIVE_INFINITY };
}

/** How far back a list closes every settled write whose requests have expired, or with `isAll` every settled write. */
function oldestToClose(
  { journal, client, host, requestLifetimeMs }: TradingContext,
  side: MarketSide,
  isAll: boolean,
): number {
  const hasExpired = (reqTime: number, now: number) => now > expiresAt(reqTime, requestLifetimeMs);
  // no request was sent before its write was recorded, so the names of the files are usually enough
  if (!isAll && !hasExpired(journal.oldestSettled(side), host.now())) return Number.POSITIVE_INFINITY;
  const attempts = journal
    .settledEntries(side)
    .filter(({ isClosed }) => !isClosed)
    .flatMap((entry) => toOpenWrite(entry as OrderEntry, { isSettled: true }).attempts)
    .filter(({ reqTime }) => isAll || hasExpired(reqTime, client.now()));
  return Math.min(Number.POSITIVE_INFINITY, ...attempts.map(listMustReachTo));
}

/**
 * Looks up an order that counts as refused or not sent, unless its record is too old. If the order exists after all, its outcome is
 * corrected and reported.
 */
export async function lookUpAbsentOrder(trading: TradingContext, order: RecordedWrite<'order'>): Promise<void> {
  const { id, terms } = order;
  const entry = trading.journal.settledEntries(terms).find(({ write }) => write.id === id);
  if (entry === undefined) return;
  const recordedOutcome = absentOutcome(entry.settlement?.outcome);
  if (recordedOutcome === undefined) return;
  const clientId = clientIdOf(order);
  const late = await tryRead(() => trading.client.findOrder(terms.market, { clientId }));
  if (late === undefined) return;
  const found = { orderId: null, ids: [late.id], shown: [late], isProven: true, recordedOutcome };
  trading.reportDuplicateOrders([{ ...namesOf(order), terms, ...found }]);
  entry.noteFound([], late.id);
}
