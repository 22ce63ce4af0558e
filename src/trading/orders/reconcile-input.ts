import type { Order } from '../../domain/order.js';
import { Job } from '../batches/job.js';
import { lineTerms } from '../batches/lines.js';
import { isTemporaryRefusal } from '../batches/pending-request.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import { isKind, listShowing, type MarketSide, type RecordedOrderTerms, writeKey } from '../journal/write.js';
import type { Attempt, Row, WantedItem } from '../reconcile.js';
import { keyOf } from './terms.js';

/** The part of a journal entry that reconciling needs. */
export type OrderEntry = Pick<
  JournalEntry,
  'write' | 'events' | 'settlement' | 'isRetained' | 'isUnexpected' | 'close' | 'retain' | 'noteFound'
>;

/** A write of the journal in the form that is compared with a list of orders. */
export interface OrderWrite {
  readonly entry: OrderEntry;
  readonly job: Job | undefined;
  /** Whether its outcome is decided; its requests may still be executed again. */
  readonly isSettled: boolean;
  readonly attempts: readonly Attempt[];
  /** The ids of orders that are known to be its own, duplicates included. */
  readonly orderIds: readonly string[];
}

/** An order of the exchange's list, as the reconciler compares it. */
export function rowOf({ id, price, amount, time }: Order): Row {
  return { id, matchKey: keyOf(price, amount), time };
}

/**
 * The writes of one side of a market that are not closed: those with an unknown outcome, and those whose requests may still
 * be executed again. A write that another process settles during the read is included once.
 */
export function unclosedWrites(journal: Journal, { market, side }: MarketSide): OrderWrite[] {
  const isHere = ({ write }: JournalEntry) => {
    const list = listShowing(write);
    return list !== undefined && 'market' in list && list.market === market && list.side === side;
  };
  const unsettled = journal.unsettledEntries().filter(isHere);
  const settled = journal.settledButUnexpired({ market, side });
  const ids = new Set(settled.map(writeKey));
  return [
    ...unsettled.filter((entry) => !ids.has(writeKey(entry))).map((entry) => toOrderWrite(entry, false)),
    ...settled.map((entry) => toOrderWrite(entry, true)),
  ];
}

/**
 * Converts a journal entry. A job has an attempt for each of its requests. The item of a single order has the key of its write
 * as its id, so the results of `reconcile` for it are found under `writeKey`.
 */
export function toOrderWrite(entry: OrderEntry, isSettled: boolean): OrderWrite {
  if (isKind(entry.write, 'batch')) return toJobWrite(new Job(entry as JournalEntry<'batch'>), isSettled);
  const settlement = isSettled ? entry.settlement : undefined;
  const orderId = settlement?.outcome === 'placed' ? settlement.id : null;
  const state = settlement === undefined ? 'pending' : orderId === null ? 'absent' : 'placed';
  const { price, amount } = entry.write.terms as RecordedOrderTerms;
  const item: WantedItem = { id: writeKey(entry), matchKey: keyOf(price, amount), rowId: orderId, state };
  const { reqTime } = entry.write;
  const attempt: Attempt = {
    id: item.id,
    writeKey: item.id,
    items: [item],
    response: state === 'pending' ? 'lost' : 'decided',
    responseIds: [],
    reqTime,
    checkedTo: settlement?.checkedTo,
    hasClientId: true,
  };
  const orderIds = [...(orderId === null ? [] : [orderId]), ...(settlement?.duplicates ?? [])];
  return { entry, job: undefined, isSettled, attempts: [attempt], orderIds };
}

/**
 * Converts a job: an attempt for each request with a pending line, and one for all settled lines that were sent together.
 * @param unexpectedLines lines that should not have been sent, for a record that may be incomplete
 */
export function toJobWrite(job: Job, isSettled: boolean, unexpectedLines: readonly number[] = []): OrderWrite {
  const key = writeKey(job.entry);
  const itemOf = (line: number, order: string | null, state: WantedItem['state']): WantedItem => {
    return { id: lineId(job, line), matchKey: job.keys[line] ?? '', rowId: order, state };
  };
  // the job numbers the orders in the order in which it learns of them, so those it knew when it sent a request come first
  const wasKnownWhenSent = (knownCount: number) => (id: string) =>
    (job.knownIds.get(id) ?? Number.POSITIVE_INFINITY) < knownCount;
  const pending = [...job.pendingRequests.values()].map((request): Attempt => {
    const { response } = request;
    const kind = typeof response === 'string' ? response : isTemporaryRefusal(request) ? 'refusedForTiming' : 'refused';
    return {
      id: `${key} request ${request.request}`,
      writeKey: key,
      items: [...request.lines].map((line) => itemOf(line, null, 'pending')),
      response: kind,
      responseIds: [...request.responseIds],
      reqTime: request.reqTime,
      isOlderRow: wasKnownWhenSent(request.knownBefore),
    };
  });
  const checkedTo = isSettled ? job.checkedTo : undefined;
  const expired = job.expiredLines;
  const attemptsOf = (lines: readonly number[], response: 'decided' | 'lost'): Attempt[] => {
    const sent = new Map<number, WantedItem[]>();
    for (const line of lines) {
      const [outcome, reqTime] = [job.results[line], job.sentAt[line]];
      if (outcome === undefined || reqTime === undefined) continue;
      const order = outcome.outcome === 'placed' ? outcome.id : null;
      const item = itemOf(line, order, order === null ? 'absent' : 'placed');
      sent.set(reqTime, [...(sent.get(reqTime) ?? []), item]);
    }
    return [...sent].map(([reqTime, items]): Attempt => {
      return {
        id: `${key} ${response} ${reqTime}`,
        writeKey: key,
        items,
        response,
        responseIds: [],
        reqTime,
        checkedTo,
      };
    });
  };
  const answered = [...job.results.keys()].filter((line) => !expired.has(line));
  const decided = [...attemptsOf(answered, 'decided'), ...attemptsOf([...expired], 'lost')];
  const unexpected: Attempt = {
    id: `${key} unexpected lines`,
    writeKey: key,
    items: unexpectedLines.map((line) => itemOf(line, null, 'pending')),
    response: 'lost',
    responseIds: [],
    reqTime: job.entry.write.reqTime,
    isOlderRow: wasKnownWhenSent(job.terms.baseline.length),
  };
  const attempts = [...pending, ...decided, ...(unexpectedLines.length === 0 ? [] : [unexpected])];
  return { entry: job.entry, job, isSettled, attempts, orderIds: job.orderIds };
}

/** The id of the wanted item of a job's line. */
export function lineId(job: Job, line: number): string {
  return `${writeKey(job.entry)} line ${line}`;
}

/** The terms of a wanted item of a write, and which line of a job it is. */
export function termsOf({ entry, job }: OrderWrite, item: WantedItem): { terms: RecordedOrderTerms; line?: number } {
  if (job === undefined) return { terms: entry.write.terms as RecordedOrderTerms };
  const line = lineOf(item);
  return { terms: lineTerms(job, line), line };
}

/** The line number of a job's item. */
export function lineOf({ id }: WantedItem): number {
  return Number(id.slice(id.lastIndexOf(' ') + 1));
}
