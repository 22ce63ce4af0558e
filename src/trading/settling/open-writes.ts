import type { Order } from '../../domain/order.js';
import { Job } from '../batches/job.js';
import { lineTerms } from '../batches/lines.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import { listShowing, type MarketSide, type RecordedOrderTerms, type RecordedWrite } from '../journal/write.js';
import { termsKey } from '../orders/terms.js';
import type { Attempt, Row, WantedItem } from './reconcile.js';

/** An entry whose orders a list shows. */
export type OrderEntry = JournalEntry & { readonly write: RecordedWrite<'order' | 'batch'> };

/** A single order. Its client id shows which row is its own, so a lookup decides its outcome, and no list. */
export interface SingleOrder {
  readonly entry: JournalEntry<'order'>;
  readonly matchKey: string;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** While its outcome is unknown: the order that its answer named. */
  readonly namedId?: string | undefined;
  /** The order that it is, once it is placed. */
  readonly rowId: string | null;
  /** `absent`: it counts as refused or not sent, but a late execution may still make it. */
  readonly state: 'unknown' | 'placed' | 'absent';
}

/** A write of the journal that is not closed, in the form that is compared with a list of orders. */
export interface OpenWrite {
  readonly entry: OrderEntry;
  readonly job: Job | undefined;
  /** Whether its outcome is decided; its requests may still be executed again. */
  readonly isSettled: boolean;
  /** Whether it is a job that this command works on. */
  readonly isOwnJob?: true;
  readonly attempts: readonly Attempt[];
  /** Undefined for a job. */
  readonly order?: SingleOrder;
  /** The ids of orders that are known to be its duplicates. */
  readonly duplicateIds: readonly string[];
}

/** An order of the exchange's list, as the reconciler compares it. */
export function rowOf({ id, price, amount, time }: Order): Row {
  return { id, matchKey: termsKey(price, amount), time };
}

/**
 * The writes of one side of a market that are not closed: those with an unknown outcome, and those whose requests may still
 * be executed again. A write that another process settles during the read is included once.
 * @param mine the write that this command works on, as it is in memory: on a full disk the record may be incomplete
 */
export function openWrites(
  journal: Journal,
  { market, side }: MarketSide,
  mine?: JournalEntry<'order'> | Job,
): OpenWrite[] {
  const isHere = (entry: JournalEntry): entry is OrderEntry => {
    const list = listShowing(entry.write);
    return list !== undefined && 'market' in list && list.market === market && list.side === side;
  };
  const unsettled = journal.unsettledEntries().filter(isHere);
  const settled = journal.settledEntries({ market, side }) as OrderEntry[];
  const settledIds = new Set(settled.map(({ write }) => write.id));
  // a process was killed after it had archived one of these, and before it had deleted the record
  const left = new Set(unsettled.flatMap(({ write }) => (journal.isUnsettled(write.id) ? write.id : [])));
  const ownId = mine instanceof Job ? mine.id : mine?.write.id;
  const unsettledWrite = (entry: OrderEntry) => {
    if (entry.write.id !== ownId) return toOpenWrite(entry, false);
    return mine instanceof Job
      ? { ...toOpenJob(mine, false), isOwnJob: true as const }
      : toOpenWrite(mine as OrderEntry, true);
  };
  return [
    ...unsettled.filter(({ write }) => left.has(write.id) || !settledIds.has(write.id)).map(unsettledWrite),
    ...settled.filter(({ write }) => !left.has(write.id)).map((entry) => toOpenWrite(entry, true)),
  ];
}

/** Converts a write: a single order has one attempt once it is settled, a job has one for each of its requests. */
export function toOpenWrite(write: OrderEntry, isSettled: boolean): OpenWrite {
  if (write.isKind('batch')) return toOpenJob(new Job(write), isSettled);
  const entry = write as JournalEntry<'order'>;
  const { id, reqTime, terms } = entry.write;
  const settlement = isSettled ? entry.settlement : undefined;
  const order = { entry, matchKey: termsKey(terms.price, terms.amount), reqTime };
  const open = { entry: write, job: undefined, isSettled, duplicateIds: settlement?.duplicates ?? [] };
  if (settlement === undefined)
    return { ...open, attempts: [], order: { ...order, namedId: entry.namedId, rowId: null, state: 'unknown' } };
  const { id: rowId, checkedTo } = settlement;
  const items: WantedItem[] = rowId === null ? [] : [{ id, matchKey: order.matchKey, rowId, state: 'placed' }];
  const attempt: Attempt = { id, writeId: id, items, response: 'decided', responseIds: [], reqTime, checkedTo };
  return { ...open, attempts: [attempt], order: { ...order, rowId, state: rowId === null ? 'absent' : 'placed' } };
}

/** A job has an attempt for each request with a line whose outcome is open, and one for all other lines that were sent together. */
function toOpenJob(job: Job, isSettled: boolean): OpenWrite {
  const writeId = job.id;
  const hasBaseline = job.terms.baseline !== undefined;
  const itemOf = (line: number, isPending: boolean): WantedItem => {
    const { [line]: now } = job.lines;
    const placed = now?.state === 'placed' ? now : undefined;
    return {
      id: lineId(job, line),
      matchKey: job.keys[line] ?? '',
      rowId: placed?.id ?? null,
      isByPosition: placed?.isByPosition,
      state: isPending ? 'pending' : placed === undefined ? 'absent' : 'placed',
    };
  };
  const open = job.openRequests.map(({ number, lines, response, responseIds, reqTime, knownBefore }): Attempt => {
    return {
      id: `${writeId} request ${number}`,
      writeId,
      items: lines.map((line) => itemOf(line, true)),
      response: typeof response === 'string' ? response : response.isTemporary ? 'refusedForTiming' : 'refused',
      responseIds,
      reqTime,
      ...(hasBaseline ? { isOlderRow: (id: string) => job.wasKnown(id, knownBefore) } : {}),
    };
  });
  const decided = [...job.decidedRequests].map(([name, { reqTime, lines, isLost }]): Attempt => {
    return {
      id: `${writeId} ${name}`,
      writeId,
      items: lines.map((line) => itemOf(line, false)),
      response: isLost ? 'lost' : 'decided',
      responseIds: [],
      reqTime,
      checkedTo: isSettled ? job.checkedTo : undefined,
    };
  });
  const unrecorded: Attempt = {
    id: `${writeId} unrecorded`,
    writeId,
    items: job.maybeUnrecorded.map((line) => itemOf(line, true)),
    response: 'lost',
    responseIds: [],
    reqTime: job.entry.write.reqTime,
    ...(hasBaseline ? { isOlderRow: (id: string) => job.wasKnown(id, job.knownFirst) } : {}),
  };
  const attempts = [...open, ...decided, ...(unrecorded.items.length === 0 ? [] : [unrecorded])];
  return { entry: job.entry as OrderEntry, job, isSettled, attempts, duplicateIds: [...job.duplicates.keys()] };
}

/** The id of the wanted item of a job's line. */
export function lineId(job: Job, line: number): string {
  return `${job.id} line ${line}`;
}

/** The terms of a wanted item of a write, and which line of a job it is. */
export function termsOf({ entry, job }: OpenWrite, item: WantedItem): { terms: RecordedOrderTerms; line?: number } {
  if (job === undefined) return { terms: entry.write.terms as RecordedOrderTerms };
  const line = lineOf(item);
  return { terms: lineTerms(job, line), line };
}

/** The line number of a job's item. */
export function lineOf({ id }: WantedItem): number {
  return Number(id.slice(id.lastIndexOf(' ') + 1));
}
