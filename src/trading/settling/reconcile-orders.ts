import { counted, formatAmount, grouped } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { localTimeText, suggest, tryRead } from '../../errors.js';
import { archivedJob, Job } from '../batches/job.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import type { ClosedAs } from '../journal/list-marks.js';
import {
  absentOutcome,
  isKind,
  type MarketSide,
  marketOf,
  ordersMadeBy,
  type RecordedWrite,
  sentClientId,
} from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { closingOf } from './close-write.js';
import type { DuplicateOrders } from './duplicates.js';
import { EXPIRED, findLateOrder, findNewest, lookUpOrder } from './find-order.js';
import {
  lineId,
  lineOf,
  type OpenWrite,
  openWrites,
  rowOf,
  type SingleOrder,
  termsOf,
  toOpenWrite,
} from './open-writes.js';
import { type OrderList, openSince, readOrderList } from './order-list.js';
import { type Duplicates, type Reconciled, type Row, reconcile, SLACK_MS } from './reconcile.js';
import { addLateOrders, bringSummaryUpToDate, duplicateEvents, endJob } from './settle-job.js';
import { settleOrder } from './settle-order.js';

/** How much further back than the oldest row in question the archive is read, because clocks differ. */
const ARCHIVE_SLACK_MS = 86_400_000;

/** What a list has shown. */
export interface Findings {
  /** Duplicates that were reported. */
  readonly duplicates: readonly DuplicateOrders[];
  /** The ids of writes that may have made an order which another pending write may have made too. */
  readonly ambiguous: ReadonlySet<string>;
}

/** What a command that reads a list knows beyond it. */
interface KnownWrite {
  /** The write that it works on; an order is settled already. */
  readonly mine?: JournalEntry<'order'> | Job | undefined;
  /** The newest `reqTime` that the exchange had rejected as expired before the list was read: lines that it lacks were not sent. */
  readonly expiredTo?: number | undefined;
}

/**
 * Compares a list of the orders of one side of a market with every write of it that is open, not only the command's own, and settles
 * and closes what that shows.
 *
 * A list decides the lines of batches, which are known by side, price, amount and time, and shows duplicates. A single order has a
 * client id: if a row may be its own, the exchange is asked for the order itself. What stays open is unknown, and the user may
 * settle it.
 *
 * @throws Failure `usage` if the journal cannot be read
 */
export async function reconcileOrders(
  trading: TradingContext,
  list: OrderList,
  { mine, expiredTo }: KnownWrite = {},
): Promise<Findings> {
  // the journal is read after the list, so that it covers all that is listed: an order is recorded before it exists
  const before = openWrites(trading.journal, list, mine);
  const accountedFor = accountedRows(trading.journal, list, before);
  const { writes, late, contested } = await settleListedOrders(trading, list, before, accountedFor);
  const attempts = writes.flatMap((write) => write.attempts);
  const rows = { ...list, rows: list.orders.map(rowOf) };
  const requestLifetime = trading.requestLifetimeMs;
  const result = reconcile(attempts, rows, { accountedFor, contested, expiredTo, requestLifetime });
  const found = writes.map((write) => ({ write, reports: reportsOf(write, list.orders, result) }));
  const duplicates = [...late.map(({ report }) => report), ...found.flatMap(({ reports }) => reports)];
  // before they are recorded: if this process dies in between, they are reported twice rather than never
  if (duplicates.length > 0) trading.reportDuplicateOrders(duplicates);
  for (const { write, order } of late) write.entry.noteFound([], order.id);
  const closings = new Map<string, ClosedAs>();
  for (const { write, reports } of found) {
    // what the list has shown counts even if the archive cannot be read
    if (write.isSettled) await tryRead(async () => noteLate(trading.journal, write, reports));
    else if (write.job !== undefined) settleListedLines(list, write, write.job, reports, result);
    // the lines that this list settled are closed by a later one
    const closing = write.isSettled ? closingByList(trading, write, result) : undefined;
    if (closing !== undefined) closings.set(write.entry.write.id, closing);
  }
  trading.journal.close(list, closings);
  return { duplicates, ambiguous: result.ambiguous };
}

/** The ids of rows that belong to a write: one that is open, or one that the archive has. */
function accountedRows(journal: Journal, list: OrderList, writes: readonly OpenWrite[]): Set<string> {
  const items = writes.flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.items));
  const named = writes.flatMap(({ order }) => order?.namedId ?? []);
  const accountedFor = new Set([...writes.flatMap(({ duplicateIds }) => duplicateIds), ...named]);
  const own = new Set([...accountedFor, ...items.flatMap(({ rowId }) => rowId ?? [])]);
  const keys = new Set([
    ...items.map(({ matchKey }) => matchKey),
    ...writes.flatMap(({ order }) => order?.matchKey ?? []),
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
  /** The ids of rows that may be of an order which is still unknown: the exchange may list it before it knows its client id. */
  readonly contested: ReadonlySet<string>;
}

/** Asks for each single order whose terms and time a row fits that belongs to no write. Settles those that are found. */
async function settleListedOrders(
  trading: TradingContext,
  list: OrderList,
  before: readonly OpenWrite[],
  accountedFor: Set<string>,
): Promise<LookedUp> {
  const writes: OpenWrite[] = [];
  const late: LookedUp['late'][number][] = [];
  const contested = new Set<string>();
  const own = new Set(
    before.flatMap(({ attempts }) => attempts.flatMap(({ items }) => items.map(({ rowId }) => rowId))),
  );
  const isFree = ({ id }: Order) => !accountedFor.has(id) && !own.has(id);
  for (const write of before) {
    const { order: single } = write;
    if (single === undefined) {
      writes.push(write);
      continue;
    }
    const named = list.orders.find(({ id }) => id === single.namedId);
    const free = list.orders.filter((order) => isFree(order) && mayHaveMade(trading, single, order, list));
    if (named === undefined && free.length === 0) {
      writes.push(write);
    } else if (single.state === 'unknown') {
      const order = await settleListedOrder(trading, single.entry, named);
      if (order === undefined) {
        for (const { id } of free) contested.add(id);
        writes.push(write);
      } else {
        own.add(order.id);
        writes.push(toOpenWrite(write.entry, true));
      }
    } else {
      const newest = await findNewest(trading, single.entry.write);
      const order = free.find(({ id }) => id === newest?.id);
      if (single.state === 'absent' && order !== undefined) {
        late.push({ write, order, report: lateReport(single.entry, order) });
        accountedFor.add(order.id);
      }
      writes.push({ ...write, attempts: write.attempts.map((attempt) => ({ ...attempt, newestId: newest?.id })) });
    }
  }
  return { writes, late, contested };
}

/** Looks up an order whose outcome is unknown and that no process works on, and settles it; undefined if it is not found. */
async function settleListedOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  named: Order | undefined,
): Promise<Order | undefined> {
  if (entry.isUnderWay) return undefined;
  const order = await lookUpOrder(trading, entry, named);
  if (order === undefined || order === 'none' || 'mismatch' in order || !entry.claim()) return undefined;
  settleOrder(entry, { outcome: 'placed', order });
  return order;
}

/** Whether the write of a single order may have made a listed order that belongs to no write. */
function mayHaveMade(
  { requestLifetimeMs }: TradingContext,
  { matchKey, reqTime, state, rowId }: SingleOrder,
  order: Order,
  list: OrderList,
): boolean {
  const row = rowOf(order);
  const window = requestLifetimeMs + SLACK_MS;
  if (state !== 'placed') {
    const after = row.time - reqTime;
    // a late execution may come at any time
    return row.matchKey === matchKey && after >= -SLACK_MS && (state === 'absent' || after <= window);
  }
  const own = [{ matchKey, time: reqTime }, ...list.orders.filter(({ id }) => id === rowId).map(rowOf)];
  const isAlike = own.some((one) => one.matchKey === row.matchKey);
  return isAlike && own.some(({ time }) => Math.abs(row.time - time) <= window);
}

/** Which of these rows are orders of writes that are closed. Those of a job are in its own record. */
function ordersOfClosedWrites(
  journal: Journal,
  { market, side }: MarketSide,
  rows: readonly Row[],
  open: readonly OpenWrite[],
): string[] {
  const since = Math.min(...rows.map(({ time }) => time)) - ARCHIVE_SLACK_MS;
  // the earlier summary of a job that was resumed does not account for its orders
  const openIds = new Set(open.map(({ entry }) => entry.write.id));
  const isClosed = (write: RecordedWrite) => !(openIds.has(write.id) && isKind(write, 'batch'));
  const wanted = new Set(rows.map(({ id }) => id));
  const named = [...journal.archive.naming(wanted, since)].filter(
    ({ settled: { write } }) => marketOf(write) === market && isClosed(write),
  );
  const ofJobs = [...journal.archive.newestFirst({ operation: 'batch', market, side }, since)].flatMap(({ write }) =>
    isClosed(write) ? (archivedJob(journal, write.id)?.orderIds ?? []) : [],
  );
  return [...named.flatMap(({ settled }) => ordersMadeBy(settled)), ...ofJobs].filter((id) => wanted.has(id));
}

/** The duplicates of a write, as they are reported. Those of a write that stays open are left to the command that settles it. */
function reportsOf(write: OpenWrite, orders: readonly Order[], result: Reconciled): DuplicateOrders[] {
  return result.duplicates.flatMap((duplicates) => {
    const { attempt, item } = duplicates;
    const isOwn = attempt.writeId === write.entry.write.id;
    const isFree = !write.entry.isUnderWay && result.outcomes.has(item.id);
    const isReportable = write.isSettled || write.isOwnJob || isFree;
    return isOwn && isReportable ? reportOf(write, duplicates, orders) : [];
  });
}

function reportOf(write: OpenWrite, { item, rows, isProven }: Duplicates, orders: readonly Order[]): DuplicateOrders {
  const ids = rows.map(({ id }) => id);
  const shown = orders.filter(({ id }) => ids.includes(id));
  const { entry, job } = write;
  // of a line that does not exist; a single order that does not is looked up (`lateReport`)
  const recordedOutcome = item.rowId === null ? absentOutcome(job?.outcomes()[lineOf(item)]) : undefined;
  const found = { orderId: item.rowId, ids, shown, isProven, recordedOutcome };
  return { ...namesOf(entry.write), ...termsOf(write, item), ...found };
}

/** The names of a write in a report. */
function namesOf({ id, clientId }: RecordedWrite): Pick<DuplicateOrders, 'writeId' | 'clientId'> {
  return { writeId: id, ...(clientId === undefined ? {} : { clientId }) };
}

/** Settles the lines of a job. Only the command that works on the job knows whether the rest is to be sent. */
function settleListedLines(
  { orders }: OrderList,
  { entry, isOwnJob, attempts }: OpenWrite,
  before: Job,
  reports: readonly DuplicateOrders[],
  { outcomes }: Reconciled,
): void {
  const isAnyDecided = attempts.some(({ items }) => items.some(({ id }) => outcomes.has(id)));
  // what a damaged record lacks is left to the command that resumes the job
  if (!isOwnJob && !(isAnyDecided && before.maybeUnrecorded.length === 0 && entry.claim())) return;
  const job = isOwnJob ? before : new Job(entry as JournalEntry<'batch'>);
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
  if (isOwnJob) return;
  // the command that resumes the job looks for orders that only an answer has named
  if (job.unconfirmed().length > 0) job.entry.release('settled in part');
  else endJob(job, 'settled');
}

/** Records duplicates of a settled write, so that they are reported once and accounted for from then on. */
function noteLate(journal: Journal, { entry, job }: OpenWrite, reports: readonly DuplicateOrders[]): void {
  const [report] = reports;
  if (report === undefined) return;
  if (job === undefined) entry.noteFound(report.ids);
  else addLateOrders(journal, job, reports);
}

function closingByList(
  trading: TradingContext,
  { entry, job, attempts, order }: OpenWrite,
  { closed }: Reconciled,
): ClosedAs | undefined {
  if (job?.entry.hasLateFindings) bringSummaryUpToDate(trading.journal, job.id);
  return closingOf(trading, entry, {
    lastReqTime: Math.max(entry.write.reqTime, ...attempts.map(({ reqTime }) => reqTime)),
    areOver: attempts.every(({ id }) => closed.has(id)),
    isAbsent: order?.state === 'absent' || attempts.some(({ items }) => items.some(({ state }) => state === 'absent')),
  });
}

/**
 * Compares lists of a market that a command has read with the journal, and warns of orders that are open again. Never throws a
 * Failure: what a list would have shown is shown by the list of a later command.
 */
export async function reconcileLists(
  trading: TradingContext,
  market: string,
  lists: readonly OrderList[],
): Promise<readonly DuplicateOrders[]> {
  const found: DuplicateOrders[] = [];
  for (const list of lists)
    found.push(...((await tryRead(async () => (await reconcileOrders(trading, list)).duplicates)) ?? []));
  await tryRead(() => reportReopened(trading, market, lists));
  return found;
}

/**
 * Closes what the list of each side of a market shows to be over. Reads nothing of a side whose settled writes are all closed. Never
 * throws a Failure: if a list cannot be read, a later command tries again.
 */
export async function closeMarket(trading: TradingContext, market: string): Promise<readonly DuplicateOrders[]> {
  const buys = await tryRead(() => closeOpen(trading, { market, side: 'buy' }));
  const sells = await tryRead(() => closeOpen(trading, { market, side: 'sell' }));
  return [...(buys ?? []), ...(sells ?? [])];
}

/** Closes a whole side, however far back its list has to be read. Throws Failure of a list that cannot be read. */
export function closeSide(trading: TradingContext, side: MarketSide): Promise<readonly DuplicateOrders[]> {
  return closeOpen(trading, side, openSince(trading, side));
}

async function closeOpen(
  trading: TradingContext,
  side: MarketSide,
  since?: number,
): Promise<readonly DuplicateOrders[]> {
  if (trading.journal.settledEntries(side).every(({ isClosed }) => isClosed)) return [];
  return (await reconcileOrders(trading, await readOrderList(trading, side, since))).duplicates;
}

/**
 * Warns of orders that are open although pit saw them cancelled. Each is read again, because a list may lag behind a cancellation.
 * @throws Failure `usage` if the journal cannot be read
 */
async function reportReopened(trading: TradingContext, market: string, lists: readonly OrderList[]): Promise<void> {
  const open = lists.flatMap(({ orders }) => orders.filter(({ state }) => state === 'open'));
  const cancelled = trading.journal.archive.cancelledAmong(new Set(open.map(({ id }) => id)));
  for (const [id, line] of cancelled) {
    const { at } = line;
    if (trading.host.now() < at + SLACK_MS) continue;
    const order = await tryRead(() => trading.client.findOrder(market, { id }));
    if (order?.state !== 'open') continue;
    const { side, amount, filled, price } = order;
    const what = `${side} ${formatAmount(amount)} ${market} at ${grouped(price)}, ${formatAmount(filled)} filled`;
    const verb = 'settled' in line && isKind(line.settled.write, 'order') ? 'replaced' : 'cancelled';
    trading.warn([
      `ORDER ${id} IS OPEN AGAIN: ${what}. pit saw it ${verb} at ${localTimeText(at)}.`,
      suggest('Cancel it', 'cancel', market, id),
    ]);
  }
}

/**
 * Looks up an order that counts as refused or not sent, unless its record is too old. If the order exists after all, its outcome is
 * corrected and reported.
 */
export async function settleLateOrder(trading: TradingContext, order: RecordedWrite<'order'>): Promise<void> {
  const { id, terms } = order;
  const entry = trading.journal.settledEntries(terms).find(({ write }) => write.id === id);
  if (entry === undefined || !entry.isKind('order')) return;
  if (absentOutcome(entry.settlement?.outcome) === undefined) return;
  const late = await findLateOrder(trading, entry);
  if (late === undefined) return;
  if (trading.journal.archive.makerOf(late.id, order.time - ARCHIVE_SLACK_MS, id) !== undefined) return;
  trading.reportDuplicateOrders([lateReport(entry, late)]);
  entry.noteFound([], late.id);
}

/** The report of an order that counts as refused or not sent. */
function lateReport({ write, settlement }: JournalEntry<'order'>, late: Order): DuplicateOrders {
  const recordedOutcome = absentOutcome(settlement?.outcome);
  const isProven = sentClientId(write) !== undefined;
  const found = { orderId: null, ids: [late.id], shown: [late], isProven, recordedOutcome };
  return { ...namesOf(write), terms: write.terms, ...found };
}
