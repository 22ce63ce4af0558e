import { counted, formatAmount, grouped } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { localTimeText, suggest, tryRead } from '../../errors.js';
import type { OrderPages } from '../../exchange/exchange.js';
import { archivedJob, Job } from '../batches/job.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import {
  absentOutcome,
  clientIdOf,
  isKind,
  type MarketSide,
  ordersMadeBy,
  type RecordedWrite,
} from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { datedRead } from './dated-read.js';
import type { DuplicateOrders } from './duplicates.js';
import { lookUp } from './look-up-order.js';
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
  type Duplicates,
  expiresAt,
  type List,
  listMustReachTo,
  mayHaveMade,
  type Reconciled,
  type Row,
  reconcile,
  SLACK_MS,
} from './reconcile.js';
import { addLateOrders, bringSummaryUpToDate, duplicateEvents, endJob } from './settle-job.js';

/** An order that was refused, or never arrived, is recognized for a day if it appears after all. */
const KEPT_MS = 86_400_000;
/** How much further back than the oldest row in question the archive is read, because clocks differ. */
const ARCHIVE_SLACK_MS = 86_400_000;
/** Why an order counts as not sent. */
export const EXPIRED = 'the request has expired and the exchange has no such order';
/** Most pages read as a side effect of another command. */
const MAX_PAGES = 100;
/** How often a list is read as a side effect further than the command itself needs it. */
const CLOSING_INTERVAL_MS = 60_000;

/** The orders read of one side of a market. */
export interface OrderList extends MarketSide, Omit<List, 'rows'> {
  /** Newest first. */
  readonly orders: readonly Order[];
}

/** What a list has shown. */
export interface Findings {
  /** Duplicates that were reported. */
  readonly duplicates: readonly DuplicateOrders[];
  /** The ids of writes that may have made an order which another pending write may have made too. */
  readonly ambiguous: ReadonlySet<string>;
}

/**
 * Settles the writes of one side of a market with a list of its orders.
 *
 * Read the journal, look up, reconcile, report, record (`docs/architecture.md` draws it): every command that reads a list, for
 * whatever reason, passes it here, and it is compared with all open writes of this side, not only the command's own.
 *
 * A list decides the lines of batches, which are known by side, price, amount and time, and shows duplicates. That a line is missing
 * counts only if the request cannot be executed any more, which the exchange has said (`expiredTo`). A single order has a client id:
 * if a row may be its own, the exchange is asked for the order itself. What stays open is unknown, and the user may settle it.
 *
 * @param mine the write that this command works on; an order is settled already
 * @throws Failure `usage` if the journal cannot be read
 */
export async function settle(
  trading: TradingContext,
  list: OrderList,
  mine?: JournalEntry<'order'> | Job,
): Promise<Findings> {
  // the journal is read after the list, so that it covers all that is listed: an order is recorded before it exists
  const before = openWrites(trading.journal, list, mine);
  const accountedFor = accountedRows(trading.journal, list, before);
  const { writes, late, newestByClientId } = await lookUpOrders(trading, list, before, accountedFor);
  const attempts = writes.flatMap((write) => write.attempts);
  const undecided = writes.flatMap((write) => write.undecided ?? []);
  const rows = { ...list, rows: list.orders.map(rowOf) };
  const requestLifetime = trading.requestLifetimeMs;
  const result = reconcile(attempts, rows, { accountedFor, undecided, newestByClientId, requestLifetime });
  const found = writes.map((write) => ({ write, reports: reportsOf(write, list.orders, result) }));
  const duplicates = [...late.map(({ report }) => report), ...found.flatMap(({ reports }) => reports)];
  // before they are recorded: if this process dies in between, they are reported twice rather than never
  if (duplicates.length > 0) trading.reportDuplicateOrders(duplicates);
  for (const { write, order } of late) write.entry.noteFound([], order.id);
  for (const { write, reports } of found) {
    // what the list has shown counts even if the archive cannot be read
    if (write.isSettled) await tryRead(async () => noteLate(trading.journal, write, reports));
    else if (write.job !== undefined) recordLines(list, write, write.job, reports, result);
    // what this list settled is closed by a later one
    if (write.isSettled) closeIfPossible(trading, write, result);
  }
  return { duplicates, ambiguous: result.ambiguous };
}

/** The ids of rows that belong to a write: one that is open, or one that the archive has. */
function accountedRows(journal: Journal, list: OrderList, writes: readonly OpenWrite[]): Set<string> {
  const items = writes.flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.items));
  const named = writes.flatMap(({ undecided }) => undecided?.namedId ?? []);
  const accountedFor = new Set([...writes.flatMap(({ duplicateIds }) => duplicateIds), ...named]);
  const own = new Set([...accountedFor, ...items.flatMap(({ rowId }) => rowId ?? [])]);
  const keys = new Set([
    ...items.map(({ matchKey }) => matchKey),
    ...writes.flatMap(({ undecided, absent }) => (undecided ?? absent)?.matchKey ?? []),
    // the exchange may have changed an order when it accepted it, and its duplicates in the same way
    ...list.orders.filter(({ id }) => own.has(id)).map((order) => rowOf(order).matchKey),
  ]);
  const unexplained = list.orders.map(rowOf).filter(({ id, matchKey }) => !own.has(id) && keys.has(matchKey));
  if (unexplained.length > 0)
    for (const id of ordersOfClosedWrites(journal, list, unexplained, writes)) accountedFor.add(id);
  return accountedFor;
}

/** What the exchange shows of the single orders that a row of the list may be of. */
interface LookedUp {
  /** The writes, with the orders that were found. */
  readonly writes: readonly OpenWrite[];
  /** Orders that counted as refused or not sent. */
  readonly late: readonly { readonly write: OpenWrite; readonly order: Order; readonly report: DuplicateOrders }[];
  /** For each placed order, the newest order with its client id; null if there is none. A lookup that failed is left out. */
  readonly newestByClientId: ReadonlyMap<string, string | null>;
}

/** Asks for each single order whose terms and time a row fits that belongs to no write. Settles those that are found. */
async function lookUpOrders(
  trading: TradingContext,
  list: OrderList,
  before: readonly OpenWrite[],
  accountedFor: Set<string>,
): Promise<LookedUp> {
  const newestByClientId = new Map<string, string | null>();
  const writes: OpenWrite[] = [];
  const late: LookedUp['late'][number][] = [];
  const own = new Set(
    before.flatMap(({ attempts }) => attempts.flatMap(({ items }) => items.map(({ rowId }) => rowId))),
  );
  const isFree = ({ id }: Order) => !accountedFor.has(id) && !own.has(id);
  for (const write of before) {
    const named = list.orders.find(({ id }) => id === write.undecided?.namedId);
    const free = list.orders.filter(isFree).filter((order) => mayBeOf(write, order, list, trading.requestLifetimeMs));
    const rows = named === undefined ? free : [named, ...free];
    if (rows.length === 0 || !write.entry.isKind('order')) {
      writes.push(write);
    } else if (write.undecided !== undefined) {
      const order = await settleListed(trading, write.entry, named);
      writes.push(order === undefined ? write : toOpenWrite(write.entry as OrderEntry, { isSettled: true }));
      if (order !== undefined) own.add(order.id);
    } else {
      const { terms } = write.entry.write;
      const clientId = clientIdOf(write.entry.write);
      const newest = await tryRead(async () => ({ order: await trading.client.findOrder(terms.market, { clientId }) }));
      const order = newest?.order;
      writes.push(write);
      if (write.absent === undefined) {
        if (newest !== undefined) newestByClientId.set(write.entry.write.id, order?.id ?? null);
      } else if (order !== undefined && rows.some(({ id }) => id === order.id)) {
        late.push({ write, order, report: lateReport(write.entry, order) });
        accountedFor.add(order.id);
      }
    }
  }
  return { writes, late, newestByClientId };
}

/** Looks up an order whose outcome is unknown and that no process works on; undefined if it is not found. */
async function settleListed(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  named: Order | undefined,
): Promise<Order | undefined> {
  // the exchange may list an order a moment before it knows its client id
  if (entry.isUnderWay) return undefined;
  const found = await lookUp(trading, entry, null, named);
  if (found === undefined || found === 'none' || 'mismatch' in found || !entry.claim()) return undefined;
  entry.settle({ outcome: 'placed', id: found.id, duplicates: [] }, `placed: ${found.id}`);
  return found;
}

/** Whether an order that belongs to no write may be that of a single order, or its duplicate. */
function mayBeOf(write: OpenWrite, order: Order, list: OrderList, requestLifetime: number): boolean {
  const { undecided, absent } = write;
  const row = rowOf(order);
  if (undecided !== undefined) return mayHaveMade(undecided, row, requestLifetime);
  // a late execution may come at any time
  if (absent !== undefined) return mayHaveMade(absent, row, Number.POSITIVE_INFINITY);
  const [attempt] = write.attempts;
  const [item] = attempt?.items ?? [];
  if (write.job !== undefined || attempt === undefined || item === undefined) return false;
  const placed = list.orders.find(({ id }) => id === item.rowId);
  const keys = [item.matchKey, ...(placed === undefined ? [] : [rowOf(placed).matchKey])];
  const times = [attempt.reqTime, ...(placed === undefined ? [] : [placed.time])];
  const window = requestLifetime + SLACK_MS;
  return keys.includes(row.matchKey) && times.some((time) => Math.abs(row.time - time) <= window);
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
  if (isMine) return;
  // the command that resumes the job looks for orders that only an answer has named
  if (job.unconfirmed().length > 0) job.entry.release('settled in part');
  else endJob(job, 'settled');
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

function closeIfPossible(
  trading: TradingContext,
  { entry, job, attempts, absent }: OpenWrite,
  { closed }: Reconciled,
): void {
  if (job?.entry.hasLateFindings) bringSummaryUpToDate(trading.journal, job.id);
  closeIfExpired(trading, entry, {
    lastReqTime: Math.max(entry.write.reqTime, ...attempts.map(({ reqTime }) => reqTime)),
    areClosed: attempts.every(({ id }) => closed.has(id)),
    isAbsent: absent !== undefined || attempts.some(({ items }) => items.some(({ state }) => state === 'absent')),
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
  if (lists !== undefined) await tryRead(() => reportReopened(trading, market, lists));
  return found;
}

/**
 * Warns of orders that are open although pit saw them cancelled. Each is read again, because a list may lag behind a cancellation.
 * @throws Failure `usage` if the journal cannot be read
 */
async function reportReopened(trading: TradingContext, market: string, lists: readonly OrderList[]): Promise<void> {
  const open = lists.flatMap(({ orders }) => orders.filter(({ state }) => state === 'open'));
  const cancelled = trading.journal.archive.cancelledAmong(new Set(open.map(({ id }) => id)));
  for (const [id, { settled, at }] of cancelled) {
    if (trading.host.now() < at + SLACK_MS) continue;
    const order = await tryRead(() => trading.client.findOrder(market, { id }));
    if (order?.state !== 'open') continue;
    const { side, amount, filled, price } = order;
    const what = `${side} ${formatAmount(amount)} ${market} at ${grouped(price)}, ${formatAmount(filled)} filled`;
    const verb = isKind(settled.write, 'order') ? 'replaced' : 'cancelled';
    trading.warn([
      `ORDER ${id} IS OPEN AGAIN: ${what}. pit saw it ${verb} at ${localTimeText(at)}.`,
      suggest('Cancel it', 'cancel', market, id),
    ]);
  }
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
  { to = Number.POSITIVE_INFINITY, isThorough = false }: Reach = {},
): Promise<OrderList> {
  const oldest = oldestToClose(trading, side, isThorough);
  const from = Math.min(to, oldest);
  const pages = { from: 1, to: isThorough ? Number.POSITIVE_INFINITY : MAX_PAGES };
  const read = () => trading.client.orders(side.market, side.side, pages, ({ time }) => time < from);
  const { value, began } = await datedRead(trading, read);
  if (oldest < Number.POSITIVE_INFINITY) trading.journal.noteClosing(side);
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

/**
 * How far back a list closes every settled write whose requests have expired, or with `isAll` every settled write. Infinity if none
 * has, or if that was done a moment ago: otherwise each of many orders in a row would read what all of them made.
 */
function oldestToClose(
  { journal, client, host, requestLifetimeMs }: TradingContext,
  side: MarketSide,
  isAll: boolean,
): number {
  const hasExpired = (reqTime: number, now: number) => now > expiresAt(reqTime, requestLifetimeMs);
  // no request was sent before its write was recorded, so the names of the files are usually enough
  if (!isAll && !hasExpired(journal.oldestSettled(side), host.now())) return Number.POSITIVE_INFINITY;
  if (!isAll && journal.sinceClosing(side) < CLOSING_INTERVAL_MS) return Number.POSITIVE_INFINITY;
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
  if (absentOutcome(entry.settlement?.outcome) === undefined) return;
  const clientId = clientIdOf(order);
  const late = await tryRead(() => trading.client.findOrder(terms.market, { clientId }));
  if (late === undefined) return;
  if (trading.journal.archive.makerOf(late.id, order.time - ARCHIVE_SLACK_MS, id) !== undefined) return;
  trading.reportDuplicateOrders([lateReport(entry as JournalEntry<'order'>, late)]);
  entry.noteFound([], late.id);
}

/** The report of an order that counts as refused or not sent. */
function lateReport({ write, settlement }: JournalEntry<'order'>, late: Order): DuplicateOrders {
  const recordedOutcome = absentOutcome(settlement?.outcome);
  return {
    ...namesOf(write),
    terms: write.terms,
    ...{ orderId: null, ids: [late.id], shown: [late], isProven: true },
    ...(recordedOutcome === undefined ? {} : { recordedOutcome }),
  };
}
