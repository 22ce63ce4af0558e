import type { Order, Side } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import type { OrderPages } from '../../exchange/exchange.js';
import { addLateOrders, bringSummaryUpToDate } from '../batches/close-job.js';
import { archivedJob } from '../batches/job.js';
import { datedRead } from '../dated-read.js';
import type { DuplicateOrders } from '../duplicates.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import {
  absentOutcome,
  clientIdOf,
  isKind,
  type MarketSide,
  marketOf,
  ordersMadeBy,
  type RecordedWrite,
  writeKey,
} from '../journal/write.js';
import {
  type Attempt,
  type Duplicates,
  expiresAt,
  type List,
  listMustReachTo,
  type Reconciled,
  reconcile,
  SLACK_MS,
  type WantedItem,
} from '../reconcile.js';
import type { TradingContext } from '../trading-context.js';
import {
  lineOf,
  type OrderEntry,
  type OrderWrite,
  rowOf,
  termsOf,
  toOrderWrite,
  unclosedWrites,
} from './reconcile-input.js';
import { differences } from './terms.js';

/** An order that was refused, or never arrived, is recognized for a day if it appears after all. */
const RETENTION_MS = 86_400_000;
/** How much further back than the oldest listed order the archive is read, because clocks differ. */
const ARCHIVE_SLACK_MS = 86_400_000;
/** Most pages read as a side effect of another command. */
const MAX_PAGES = 100;

/** The orders read of one side of a market, and when reading began, by the exchange's clock. */
export interface ListedOrders {
  readonly orders: readonly Order[];
  readonly began: number;
  /** The time from which on they are complete, as in {@link List.since}. */
  readonly since: number;
}

interface JustPlacedOrder {
  readonly entry: JournalEntry<'order'>;
  readonly orderId: string;
  /** Whether it was found by its client id. Otherwise only an answer named it. */
  readonly isProven?: boolean;
}

interface VerifyOptions {
  /** An order that was just placed and is not settled yet. */
  readonly justPlaced?: JustPlacedOrder | undefined;
  /** The list that the caller has read itself. Without it, a list is read if some write is not closed. */
  readonly listed?: ListedOrders;
  /**
   * How far back to read for the writes of the journal. `recent` (default): the newest page, and more only if a request is
   * overdue. `all`: as far as needed to close every request.
   */
  readonly reach?: 'recent' | 'all';
  /** The id of a settled write that is compared although its requests have expired. */
  readonly retainedId?: string | undefined;
}

/** The findings on one side of a market. */
export interface Verified {
  readonly duplicates: readonly DuplicateOrders[];
  /** The list that was compared; undefined if none was read. */
  readonly listed: ListedOrders | undefined;
  /** Why the named order may not be ours, as a part of a sentence; nothing was compared then. */
  readonly contradiction?: string;
  /** Whether the list ends before the order that was just placed was sent, so that duplicates of it may be missing. */
  readonly isCutOff?: boolean;
}

/**
 * Compares both sides of a market with the journal. Reports findings once, and returns them. Never throws a Failure: if a list
 * cannot be read, a later command tries again.
 *
 * @param lists what the caller has read itself: then nothing more is read, and a missing side is left to others
 */
export async function verifyMarket(
  trading: TradingContext,
  market: string,
  lists?: Partial<Record<Side, ListedOrders>>,
): Promise<readonly DuplicateOrders[]> {
  const found: DuplicateOrders[] = [];
  for (const side of ['buy', 'sell'] as const) {
    const listed = lists?.[side];
    if (lists !== undefined && listed === undefined) continue;
    const options = listed === undefined ? {} : { listed };
    found.push(...((await tryRead(() => verifyOrders(trading, { market, side }, options)))?.duplicates ?? []));
  }
  return found;
}

/**
 * Compares one list of the exchange with all writes of that side that are not closed: reports duplicates that the network
 * made from requests that were sent once, and closes the requests that have expired.
 * @throws Failure of a list that cannot be read, and `usage` if the journal cannot be read
 */
export async function verifyOrders(
  trading: TradingContext,
  marketSide: MarketSide,
  { justPlaced, listed: given, reach = 'recent', retainedId }: VerifyOptions = {},
): Promise<Verified> {
  const maxPages = reach === 'recent' && justPlaced === undefined ? MAX_PAGES : Number.POSITIVE_INFINITY;
  const from = oldestNeeded(trading, marketSide, { reach, justPlaced, retainedId });
  if (given === undefined && from === undefined) return { duplicates: [], listed: undefined };
  const listed = given ?? (await listOrders(trading, marketSide, from ?? Number.NEGATIVE_INFINITY, maxPages));
  // the journal is read after the list, so that it covers all that is listed: an order is recorded before it exists
  const writes = unclosedWrites(trading.journal, marketSide);
  const contradicts =
    justPlaced === undefined || justPlaced.isProven ? undefined : contradiction(trading, writes, listed, justPlaced);
  if (contradicts !== undefined) return { duplicates: [], listed, contradiction: contradicts };
  const firstPass = reconcileSide(trading, marketSide, listed, { justPlaced, withArchive: false, writes });
  const checked = needsThoroughPass(firstPass)
    ? await reconcileThoroughly(trading, marketSide, listed, justPlaced, maxPages)
    : firstPass;
  const found = unreportedFindings(trading, marketSide, checked);
  // reported before they are recorded: if this process is killed in between, they are reported twice rather than never
  if (found.length > 0) trading.reportDuplicateOrders(found.map(({ report }) => report));
  noteDuplicates(trading, checked, found);
  closeWrites(trading, checked);
  const isCutOff = justPlaced !== undefined && listed.since > listMustReachTo(justPlaced.entry.write);
  return { duplicates: found.map(({ report }) => report), listed, isCutOff };
}

/** The writes of one side of a market that are not closed, and what comparing them with the list decided. */
interface ComparedSide {
  readonly orders: readonly Order[];
  readonly writes: readonly OrderWrite[];
  readonly byAttempt: ReadonlyMap<string, OrderWrite>;
  readonly result: Reconciled;
  readonly justPlaced: VerifyOptions['justPlaced'];
}

interface CompareOptions {
  /** Whether the archive is read too. */
  readonly withArchive: boolean;
  /** The writes of this side that are not closed, read after the list; read again if absent. */
  readonly writes?: readonly OrderWrite[];
  readonly newestByClientId?: ReadonlyMap<string, string | null>;
}

/** Compares a list with the writes of its side. */
function reconcileSide(
  trading: TradingContext,
  marketSide: MarketSide,
  listed: ListedOrders,
  {
    justPlaced,
    withArchive,
    writes: read,
    newestByClientId = new Map(),
  }: Pick<VerifyOptions, 'justPlaced'> & CompareOptions,
): ComparedSide {
  const { journal } = trading;
  const writes = (read ?? unclosedWrites(journal, marketSide)).map((write) =>
    justPlaced !== undefined && !write.isSettled && writeKey(write.entry) === writeKey(justPlaced.entry)
      ? justPlacedWrite(justPlaced)
      : write,
  );
  const accountedFor = withArchive ? accountedOrderIds(journal, marketSide, listed.orders) : new Set<string>();
  const attempts = writes.flatMap((write) => write.attempts);
  const placed = new Set(attempts.flatMap(({ items }) => items.flatMap(({ rowId }) => rowId ?? [])));
  const named = new Set(attempts.flatMap((attempt) => attempt.responseIds));
  for (const { orderIds } of writes)
    for (const id of orderIds) if (!placed.has(id) && !named.has(id)) accountedFor.add(id);
  const result = reconcile(attempts, toList(listed), {
    accountedFor,
    newestByClientId,
    requestLifetime: trading.requestLifetimeMs,
  });
  const byAttempt = new Map(writes.flatMap((write) => write.attempts.map(({ id }) => [id, write] as const)));
  return { orders: listed.orders, writes, byAttempt, result, justPlaced };
}

/**
 * Why the order that an answer named may not be this one: it has other terms, belongs to another write, or is not listed.
 * Undefined if nothing speaks against it.
 */
function contradiction(
  { journal }: TradingContext,
  writes: readonly OrderWrite[],
  listed: ListedOrders,
  { entry, orderId }: JustPlacedOrder,
): string | undefined {
  const { terms, reqTime } = entry.write;
  const another = 'which is a different order';
  if (writes.some((write) => write.orderIds.includes(orderId))) return another;
  const listedOrder = listed.orders.find(({ id }) => id === orderId);
  if (listedOrder === undefined) return listed.since <= reqTime ? 'which the exchange does not list' : undefined;
  const isOlder = listedOrder.time < reqTime - SLACK_MS;
  const isOfSettledWrite = () =>
    journal.archive
      .since(listedOrder.time - ARCHIVE_SLACK_MS, { id: orderId })
      .some((settled) => ordersMadeBy(settled).includes(orderId));
  return differences(listedOrder, terms).length > 0 || (isOlder && isOfSettledWrite()) ? another : undefined;
}

function toList({ orders, began, since }: ListedOrders): List {
  return { rows: orders.map(rowOf), began, since };
}

function justPlacedWrite({ entry, orderId }: JustPlacedOrder): OrderWrite {
  const write = toOrderWrite(entry, false);
  const attempts = write.attempts.map(
    (attempt): Attempt => ({
      ...attempt,
      response: 'decided',
      items: attempt.items.map((item) => ({ ...item, rowId: orderId, state: 'placed' })),
    }),
  );
  return { ...write, attempts, orderIds: [orderId] };
}

/**
 * The ids of orders that settled writes made, for all writes that are not older than these orders. The orders of a job are
 * read from the job's own file.
 * @param except the id of a job that was resumed: its earlier record does not account for its orders
 */
export function accountedOrderIds(
  journal: Journal,
  { market, side }: MarketSide,
  orders: readonly Order[],
  except?: string,
): Set<string> {
  const oldest = orders.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const known = new Set<string>();
  for (const settled of journal.archive.newestFirst({ market }, oldest - ARCHIVE_SLACK_MS)) {
    const { write } = settled;
    if (write.id === except) continue;
    for (const id of ordersMadeBy(settled)) known.add(id);
    if (!isKind(write, 'batch') || write.terms.side !== side) continue;
    for (const id of archivedJob(journal, write.id)?.orderIds ?? []) known.add(id);
  }
  return known;
}

/**
 * The oldest time that a list must reach: Infinity if the newest page is enough, undefined if no pending request can still make
 * an order. Late orders are on the newest page; a longer list is read only if something is overdue, and closes all of that at
 * once.
 */
function oldestNeeded(
  trading: TradingContext,
  marketSide: MarketSide,
  { reach, justPlaced, retainedId }: Pick<VerifyOptions, 'reach' | 'justPlaced' | 'retainedId'>,
): number | undefined {
  const overdueAfter = 2 * trading.requestLifetimeMs;
  // no request was sent before its write was recorded
  const isAllYoung = () =>
    trading.host.now() <= expiresAt(trading.journal.oldestSettledButUnexpired(marketSide), overdueAfter);
  if (justPlaced !== undefined && reach === 'recent' && isAllYoung()) return listMustReachTo(justPlaced.entry.write);
  const attempts = trading.journal
    .settledButUnexpired(marketSide)
    .filter((entry) => !entry.isRetained || entry.write.id === retainedId)
    .flatMap((entry) => toOrderWrite(entry, true).attempts);
  if (attempts.length === 0 && justPlaced === undefined) return undefined;
  const isOverdue = ({ reqTime }: Attempt) => trading.client.now() > expiresAt(reqTime, overdueAfter);
  const wanted = reach === 'all' || attempts.some(isOverdue) ? attempts.map(listMustReachTo) : [];
  return Math.min(...wanted, ...(justPlaced === undefined ? [] : [listMustReachTo(justPlaced.entry.write)]));
}

/** Reads the orders of a side back to a moment of the list's clock, in milliseconds since the Unix epoch. */
async function listOrders(
  trading: TradingContext,
  { market, side }: MarketSide,
  from: number,
  to: number,
): Promise<ListedOrders> {
  const read = () => trading.client.orders(market, side, { from: 1, to }, ({ time }) => time < from);
  const { value: pages, began } = await datedRead(trading, read);
  return listedFrom(pages, began);
}

/** Pages that were read from the first one on, as a list. */
export function listedFrom({ orders, more, failure }: OrderPages, began: number): ListedOrders {
  const oldest = orders.at(-1)?.time;
  const isWhole = !more && failure === null;
  const since = isWhole ? Number.NEGATIVE_INFINITY : (oldest ?? Number.POSITIVE_INFINITY) + 1;
  return { orders, began, since };
}

/** Whether to report duplicates of a write. Those of an unsettled write are reported by the process that settles it. */
function isSettledOrJustPlaced({ justPlaced }: ComparedSide, { entry, isSettled }: OrderWrite): boolean {
  return isSettled || entry.write.id === justPlaced?.entry.write.id;
}

function reportableDuplicates(compared: ComparedSide): readonly Duplicates[] {
  return compared.result.duplicates.filter(({ attempt }) => {
    const write = compared.byAttempt.get(attempt.id);
    return write !== undefined && isSettledOrJustPlaced(compared, write);
  });
}

function needsThoroughPass(compared: ComparedSide): boolean {
  const { needsLookup } = compared.result;
  return (
    reportableDuplicates(compared).length > 0 ||
    compared.writes.some((write) => isSettledOrJustPlaced(compared, write) && needsLookup.has(writeKey(write.entry)))
  );
}

/**
 * Reads far enough back to see every order that the suspected requests may have made, compares them with the journal and
 * the archive, and asks the exchange which orders carry their client ids.
 */
async function reconcileThoroughly(
  trading: TradingContext,
  marketSide: MarketSide,
  listed: ListedOrders,
  justPlaced: VerifyOptions['justPlaced'],
  maxPages: number,
): Promise<ComparedSide> {
  const options = { justPlaced, withArchive: true };
  let [list, compared] = [listed, reconcileSide(trading, marketSide, listed, options)];
  const from =
    Math.min(...reportableDuplicates(compared).map(({ attempt }) => attempt.reqTime)) -
    trading.requestLifetimeMs -
    SLACK_MS;
  if (list.since > from) {
    list = (await tryRead(() => listOrders(trading, marketSide, from, maxPages))) ?? list;
    compared = reconcileSide(trading, marketSide, list, options);
  }
  const { needsLookup } = compared.result;
  const own = compared.writes.filter(
    (write) => isSettledOrJustPlaced(compared, write) && needsLookup.has(writeKey(write.entry)),
  );
  if (own.length === 0) return compared;
  const newestByClientId = await newestOrderIds(trading, own);
  return reconcileSide(trading, marketSide, list, { ...options, newestByClientId });
}

/** The id of the newest order with the client id of each write, null if there is none. A lookup that failed is left out. */
export async function newestOrderIds(
  trading: TradingContext,
  writes: readonly OrderWrite[],
): Promise<ReadonlyMap<string, string | null>> {
  const found = await newestOrders(trading, writes);
  return new Map([...found].map(([name, order]) => [name, order?.id ?? null]));
}

async function newestOrders(
  { client }: TradingContext,
  writes: readonly OrderWrite[],
): Promise<ReadonlyMap<string, Order | null>> {
  const newest = new Map<string, Order | null>();
  for (const { entry } of writes) {
    const market = marketOf(entry.write);
    if (market === undefined) continue;
    const ask = async () => ({ order: await client.findOrder(market, { clientId: clientIdOf(entry.write) }) });
    const response = await tryRead(ask);
    if (response !== undefined) newest.set(writeKey(entry), response.order ?? null);
  }
  return newest;
}

function unreportedFindings(
  trading: TradingContext,
  marketSide: MarketSide,
  compared: ComparedSide,
): readonly Finding[] {
  const duplicates = reportableDuplicates(compared);
  if (duplicates.length === 0) return [];
  // another process may have reported some of them in the meantime, which the journal shows
  const known = accountedOrderIds(trading.journal, marketSide, compared.orders);
  for (const { orderIds } of unclosedWrites(trading.journal, marketSide)) for (const id of orderIds) known.add(id);
  return duplicates.flatMap((one) => findingOf(compared, one, known) ?? []);
}

interface Finding {
  readonly write: OrderWrite;
  readonly report: DuplicateOrders;
}

function findingOf(
  { byAttempt, orders }: ComparedSide,
  { attempt, item, rows, isProven }: Duplicates,
  known: ReadonlySet<string>,
): Finding | undefined {
  const write = byAttempt.get(attempt.id);
  const ids = rows.map(({ id }) => id).filter((id) => !known.has(id));
  if (write === undefined || ids.length === 0) return undefined;
  // the first order of a line may have become the line's own order in the meantime
  const orderId = item.rowId ?? rows.map(({ id }) => id).find((id) => known.has(id)) ?? null;
  const shown = orders.filter(({ id }) => ids.includes(id));
  const report = { ...namesOf(write), ...termsOf(write, item), orderId, ids, shown, isProven };
  const recordedOutcome = orderId === null ? absenceOf(write, item) : undefined;
  return { write, report: recordedOutcome === undefined ? report : { ...report, recordedOutcome } };
}

/** The names of a write in a report. */
function namesOf({ entry: { write } }: OrderWrite): Pick<DuplicateOrders, 'writeId' | 'clientId'> {
  return { writeId: write.id, ...(write.clientId === undefined ? {} : { clientId: write.clientId }) };
}

/** The recorded outcome of a write that made nothing; undefined for any other. */
function absenceOf({ entry, job }: OrderWrite, item: WantedItem): 'refused' | 'notSent' | undefined {
  const outcome = (job === undefined ? entry.settlement : job.results[lineOf(item)])?.outcome;
  return absentOutcome(outcome);
}

/**
 * Looks up an order that counts as refused or not sent, unless its record is too old. If the order exists after all, its outcome is
 * corrected and reported.
 */
export async function lookUpAbsentOrder(trading: TradingContext, absentOrder: RecordedWrite<'order'>): Promise<void> {
  const { id: writeId, time, terms } = absentOrder;
  const write = unclosedWrites(trading.journal, terms).find(
    ({ entry, isSettled }) => isSettled && entry.write.id === writeId && entry.write.time === time,
  );
  const [attempted] = write?.attempts.flatMap(({ items }) => items) ?? [];
  if (write === undefined || attempted?.state !== 'absent') return;
  const order = (await newestOrders(trading, [write])).get(attempted.id) ?? null;
  const recordedOutcome = absenceOf(write, attempted);
  if (order === null || recordedOutcome === undefined) return;
  const { id } = order;
  const found = { orderId: null, ids: [id], shown: [order], isProven: true, recordedOutcome };
  trading.reportDuplicateOrders([{ ...namesOf(write), ...termsOf(write, attempted), ...found }]);
  write.entry.noteFound([], id);
}

/** Records the findings, so that they are reported once and accounted for from then on. */
function noteDuplicates({ journal }: TradingContext, { justPlaced }: ComparedSide, found: readonly Finding[]): void {
  for (const write of new Set(found.map((one) => one.write))) {
    const reports = found.filter((one) => one.write === write).map(({ report }) => report);
    if (write.job !== undefined) addLateOrders(journal, write.job, reports);
    else if (write.entry.write.id !== justPlaced?.entry.write.id) {
      const [report] = reports;
      const [order = null] = report?.recordedOutcome === undefined ? [] : report.ids;
      write.entry.noteFound(
        reports.flatMap(({ ids }) => ids).filter((id) => id !== order),
        order,
      );
    }
  }
}

function closeWrites(trading: TradingContext, { writes, result }: ComparedSide): void {
  for (const { entry, job, isSettled, attempts } of writes) {
    if (!isSettled) continue;
    if (job?.entry.hasLateFindings) bringSummaryUpToDate(trading.journal, job.id);
    closeOrRetain(trading, entry, {
      lastReqTime: Math.max(entry.write.reqTime, ...attempts.map(({ reqTime }) => reqTime)),
      areClosed: attempts.every(({ id }) => result.closed.has(id)),
      isAbsent: attempts.some(({ items }) => items.some(({ state }) => state === 'absent')),
    });
  }
}

/** What is known of a settled write's requests. */
interface RequestsOfWrite {
  /** When the last of them was dated, by the exchange's clock in ms since the Unix epoch. */
  readonly lastReqTime: number;
  /** Whether they have expired, and a list that was read later showed everything that they made. */
  readonly areClosed: boolean;
  /** Whether an order or withdrawal of it does not exist. */
  readonly isAbsent: boolean;
}

/**
 * Closes a settled write whose requests are closed. If nothing of it is known to exist, or was found late, its record is kept for
 * one more day.
 */
export function closeOrRetain(
  { client, requestLifetimeMs }: TradingContext,
  entry: OrderEntry,
  { lastReqTime, areClosed, isAbsent }: RequestsOfWrite,
): void {
  const isPastRetention = client.now() > lastReqTime + requestLifetimeMs + RETENTION_MS;
  if (entry.isRetained) {
    if (isPastRetention) entry.close();
    return;
  }
  if (!areClosed) return;
  if ((isAbsent || entry.isUnexpected) && !isPastRetention) entry.retain();
  else entry.close();
}
