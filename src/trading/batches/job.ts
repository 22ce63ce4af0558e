import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import type { Refusal, RefusalKind } from '../../domain/refusal.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import type { BatchLine, BatchTerms, JournalEvent } from '../journal/write.js';
import { termsKey } from '../orders/terms.js';
import { SLACK_MS } from '../settling/reconcile.js';
import type { BatchEvent, LineOutcome } from './batch-event.js';
import { lineKey } from './lines.js';

/** "At most 20 pairs." */
export const MAX_PAIRS = 20;

/** The state of one line. Its `reqTime` is that of its last request; absent if none left. */
export type LineState =
  /** It is not on the exchange, and may be sent. `isLost`: its request got no answer, and may be executed even now. */
  | {
      readonly state: 'unsent';
      readonly reason: string | null;
      readonly code: number | null;
      readonly isLost: boolean;
      readonly reqTime?: number;
    }
  /** It was sent, or may have been, and nothing shows what came of it. `namedId`: the order that its answer named in its place. */
  | { readonly state: 'sent'; readonly request: number; readonly reqTime: number; readonly namedId?: string }
  /** `isByPosition`: only its position in the answer says that this is its order. */
  | { readonly state: 'placed'; readonly id: string; readonly isByPosition: boolean; readonly reqTime: number }
  | {
      readonly state: 'refused';
      readonly reason: string;
      readonly refusal?: RefusalKind | undefined;
      readonly code: number | null;
      readonly reqTime: number;
    };

/** Why the outcome of a line is open whose answer named an order. */
const NOT_SHOWN = 'the exchange does not show the order that its answer named';

/** Refused for the time of the request, not for its orders, so they will be sent again. */
const REFUSED_FOR_TIMING: ReadonlySet<RefusalKind> = new Set(['tooFrequent', 'locked', 'expired']);

/** A request with lines whose outcome is open. */
export interface OpenRequest {
  readonly number: number;
  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  readonly reqTime: number;
  /** How many orders the job knew when it was sent: those are older than the ones it made. */
  readonly knownBefore: number;
  /** The lines that it carried. */
  readonly sent: readonly number[];
  /** Those whose outcome is open. */
  readonly lines: readonly number[];
  /**
   * `lost` also if no answer was recorded. `named`: accepted in part, and the answer does not say which. Temporarily refused:
   * for its time, not for its orders. They are not sent again at once: if the network repeated the request, that was the answer
   * to one duplicate, and another may be executed for as long as the exchange accepts its `reqTime`.
   */
  readonly response: 'lost' | 'named' | (Pick<Refusal, 'kind' | 'code'> & { readonly isTemporary: boolean });
  /** The orders that its answer named and no line has yet. */
  readonly responseIds: readonly string[];
  readonly reason: string;
  /** No process waits for its answer any more: it came, or it will not come. */
  readonly isOver: boolean;
}

type EventOf<Kind extends BatchEvent['kind']> = Extract<BatchEvent, { kind: Kind }>;
type EventOfRequest = EventOf<'answered' | 'refused' | 'lost' | 'notSent' | 'closed'>;

const UNSENT: LineState = { state: 'unsent', reason: null, code: null, isLost: false };

/**
 * A job: lines with a state each, which follow from the events of its record in order.
 *
 *     unsent -> sent -> placed | refused
 *        ^       |
 *        +-------+   it did not leave, or its request has expired and the exchange does not have it
 *
 * A resumed job sends what is unsent, after it was found out what is sent. A refused or unsent line becomes placed if its
 * order appears after all.
 */
export class Job {
  readonly lines: LineState[];
  /** Duplicate orders, each with the line whose order it duplicates. */
  readonly duplicates = new Map<string, number>();
  /** Orders of its side as the exchange's lists showed them last, by id; only those that this command has read. */
  readonly listed = new Map<string, Order>();
  readonly #open = new Map<number, Omit<OpenRequest, 'lines'>>();
  /** Requests whose answer named an order for each line. */
  readonly #answeredInFull: Omit<OpenRequest, 'lines'>[] = [];
  /** Ids of orders that the job has met, each with how many it knew before. */
  readonly #knownIds = new Map<string, number>();
  #requests = 0;
  #isRecordComplete: boolean;
  #keys: readonly string[] | undefined;

  constructor(readonly entry: JournalEntry<'batch'>) {
    this.lines = entry.write.terms.lines.map(() => UNSENT);
    this.#isRecordComplete = isEnd(entry.events);
    this.#addKnownIds(this.terms.baseline ?? []);
    for (const { batchEvent, newOwner } of entry.events) {
      if (batchEvent !== undefined) this.#apply(batchEvent);
      // a new owner gets no answer to what another process sent
      if (newOwner !== undefined) for (const { number } of this.openRequests) this.#change(number, { isOver: true });
    }
  }

  get id(): string {
    return this.entry.write.id;
  }

  get terms(): BatchTerms {
    return this.entry.write.terms;
  }

  /** The highest best bid that its sells were ever checked against; undefined if there was none. */
  get bestBid(): string | undefined {
    const seen = [this.entry.write, ...this.entry.events].flatMap(({ bestBid }) => bestBid ?? []);
    return seen.sort((left, right) => Decimal.of(right).compare(Decimal.of(left)))[0];
  }

  /** The guards that the user has overridden for its orders. */
  get overridden(): readonly string[] {
    const { terms, entry } = this;
    return [...new Set([terms, ...entry.events].flatMap(({ overridden = [] }) => overridden))];
  }

  /** The key of each line; computed on first use, since most jobs never need it. */
  get keys(): readonly string[] {
    this.#keys ??= this.terms.lines.map(lineKey);
    return this.#keys;
  }

  /** The ids of all orders that the job made, as far as they are known. */
  get orderIds(): string[] {
    const placed = this.lines.flatMap((line) => (line.state === 'placed' ? line.id : []));
    const named = this.openRequests.flatMap(({ responseIds }) => responseIds);
    return [...placed, ...this.duplicates.keys(), ...named];
  }

  /** When the list was read that its orders were last compared with, by the exchange's clock; undefined if none was. */
  get checkedTo(): number | undefined {
    return this.entry.events.findLast(({ settled }) => settled !== undefined)?.settled?.checkedTo;
  }

  /** How many requests were sent, or may have been. */
  get requests(): number {
    return this.#requests;
  }

  /** The requests with a line that is `sent`. */
  get openRequests(): readonly OpenRequest[] {
    return [...this.#open.values()].map((request) => ({ ...request, lines: this.#openLines(request) }));
  }

  /** The lines whose outcome is known and that were sent together, by a name. */
  get decidedRequests(): ReadonlyMap<string, { reqTime: number; isLost: boolean; lines: readonly number[] }> {
    const decided = new Map<string, { reqTime: number; isLost: boolean; lines: number[] }>();
    for (const [line, now] of this.lines.entries()) {
      if (now.state === 'sent' || now.reqTime === undefined) continue;
      const isLost = now.state === 'unsent' && now.isLost;
      const name = `${isLost ? 'lost' : 'decided'} ${now.reqTime}`;
      const group = decided.get(name);
      if (group === undefined) decided.set(name, { reqTime: now.reqTime, isLost, lines: [line] });
      else group.lines.push(line);
    }
    return decided;
  }

  /** Whether any line is not sent because its request got no answer: the exchange may still execute it. */
  get hasLostLines(): boolean {
    return this.lines.some((line) => line.state === 'unsent' && line.isLost);
  }

  /**
   * Lines that may have been sent without a record: its owner died, or a part of the record is damaged. None once a list was
   * compared with them.
   */
  get maybeUnrecorded(): readonly number[] {
    return this.#isRecordComplete ? [] : this.unsent();
  }

  /** From now on the record counts as complete: a list has shown what it lacks. */
  markComplete(): void {
    this.#isRecordComplete = true;
  }

  /** How many orders were known before the first request. */
  get knownFirst(): number {
    return this.terms.baseline?.length ?? 0;
  }

  /** How many orders were known before the oldest open request: those are not read again. */
  get knownBefore(): number {
    if (!this.#isRecordComplete) return this.knownFirst;
    return Math.min(this.#knownIds.size, ...[...this.#open.values()].map(({ knownBefore }) => knownBefore));
  }

  /** Whether an order was there before the first request. Without a list of that moment, its time decides. */
  isOlder({ id, time }: Pick<Order, 'id' | 'time'>, knownBefore: number): boolean {
    if (this.terms.baseline === undefined) return time < this.entry.write.reqTime - SLACK_MS;
    return this.wasKnown(id, knownBefore);
  }

  /** Whether an order is one of the first `count` that the job has met. */
  wasKnown(id: string, count: number): boolean {
    return (this.#knownIds.get(id) ?? Number.POSITIVE_INFINITY) < count;
  }

  /** Whether listed orders of the job are what their lines want, and show whether positions in answers can be relied on. */
  areInPlace(orders: readonly Order[]): boolean {
    const byId = new Map(orders.map((order) => [order.id, order]));
    let isAnyShown = false;
    let isAnyByPosition = false;
    for (const [line, now] of this.lines.entries()) {
      if (now.state !== 'placed') continue;
      const order = byId.get(now.id);
      if (order !== undefined && termsKey(order.price, order.amount) !== this.keys[line]) return false;
      isAnyByPosition ||= now.isByPosition;
      isAnyShown ||= now.isByPosition && order !== undefined;
    }
    return isAnyShown || !isAnyByPosition;
  }

  /**
   * The orders that only their place in an answer gives to their lines, and that no list and no lookup has shown there, each with its
   * line.
   */
  unconfirmed(): (readonly [line: number, id: string])[] {
    const { checkedTo = Number.NEGATIVE_INFINITY } = this;
    return this.lines.flatMap((now, line) => {
      if (now.state !== 'placed' || !now.isByPosition || now.reqTime <= checkedTo) return [];
      const order = this.listed.get(now.id);
      return order !== undefined && termsKey(order.price, order.amount) === this.keys[line]
        ? []
        : [[line, now.id] as const];
    });
  }

  /** The outcome of each line. */
  outcomes(): LineOutcome[] {
    return this.lines.map(({ state }) => (state === 'sent' ? 'unknown' : state === 'unsent' ? 'notSent' : state));
  }

  counts(): Readonly<Record<LineOutcome, number>> {
    const counts = { placed: 0, refused: 0, unknown: 0, notSent: 0 };
    for (const outcome of this.outcomes()) counts[outcome] += 1;
    return counts;
  }

  /** The lines that are not on the exchange and may be sent, in their order. */
  unsent(): number[] {
    return this.lines.flatMap(({ state }, line) => (state === 'unsent' ? line : []));
  }

  /** The lines to send now, or once it is known that they are not on the exchange. */
  get pending(): BatchLine[] {
    return this.terms.lines.filter(
      (_, line) => this.lines[line]?.state === 'unsent' || this.lines[line]?.state === 'sent',
    );
  }

  /** Keys of lines whose outcome is unknown and whose answer no process waits for. */
  uncertainKeys(): ReadonlySet<string> {
    const uncertain = this.openRequests.filter(({ isOver }) => isOver || !this.entry.isUnderWay);
    return new Set(uncertain.flatMap(({ lines }) => lines.map((line) => this.keys[line] ?? '')));
  }

  /** Takes in what a list showed. */
  addListed(orders: readonly Order[]): void {
    for (const order of orders) this.listed.set(order.id, order);
  }

  /** Numbers new requests and records, durably, that they are about to be sent. Throws Failure `usage` if that fails. */
  async leaving(portions: readonly (readonly number[])[], reqTime: number): Promise<readonly OpenRequest[]> {
    const requests = portions.map((lines, index) => [this.#requests + 1 + index, lines] as const);
    const batchEvent = { kind: 'sending', requests, reqTime } as const;
    const first = this.#requests + 1;
    const last = this.#requests + portions.length;
    await this.entry.noteDurably(first === last ? `request ${first} leaves` : `requests ${first} to ${last} leave`, {
      batchEvent,
    });
    this.#apply(batchEvent);
    return this.openRequests.filter(({ number }) => number >= first);
  }

  /** Takes in what happened, and writes it down. */
  record(event: string, batchEvent: BatchEvent): void {
    this.entry.note(event, { batchEvent });
    this.#apply(batchEvent);
  }

  /** The same for a settled job, as {@link JournalEntry.noteLate}. */
  recordLate(event: string, batchEvent: BatchEvent): boolean {
    const isThere = this.entry.noteLate(event, batchEvent);
    if (isThere) this.#apply(batchEvent);
    return isThere;
  }

  #apply(event: BatchEvent): void {
    if (event.kind === 'sending') this.#sending(event);
    else if (event.kind === 'found') this.#found(event);
    else if (event.kind === 'duplicated') this.#duplicated(event);
    else if (event.kind === 'unconfirmed') this.#unconfirmed(event);
    else this.#happened(event);
  }

  #sending({ requests, reqTime }: EventOf<'sending'>): void {
    for (const [number, sent] of requests) {
      if (number !== this.#requests + 1) this.#isRecordComplete = false;
      this.#requests = Math.max(this.#requests, number);
      for (const line of sent) this.lines[line] = { state: 'sent', request: number, reqTime };
      this.#open.set(number, {
        number,
        reqTime,
        sent,
        knownBefore: this.#knownIds.size,
        response: 'lost',
        responseIds: [],
        reason: 'no answer',
        isOver: false,
      });
    }
  }

  #happened(event: EventOfRequest): void {
    const request = this.#open.get(event.request);
    if (request === undefined) {
      // the line about its leaving is damaged, and the lists must show which orders it made
      this.#isRecordComplete = false;
      return;
    }
    this.#change(request.number, { isOver: true });
    if (event.kind === 'answered') this.#answered(request, event);
    else if (event.kind === 'refused') {
      const { refusal: kind, code, message: reason } = event;
      this.#change(request.number, { response: { kind, code, isTemporary: REFUSED_FOR_TIMING.has(kind) }, reason });
    } else if (event.kind === 'notSent') this.#end(request, () => UNSENT);
    else if (event.kind === 'closed') this.#closed(request, event);
  }

  /**
   * An answer that accepts everything has as many ids, presumably in the order of the pairs: the lists confirm this at the
   * end. With fewer ids, each may be any line's.
   */
  #answered(request: Omit<OpenRequest, 'lines'>, { ids, message }: EventOf<'answered'>): void {
    // a stale answer of another request: it says nothing about this one
    if (ids.some((id) => this.#knownIds.has(id))) return;
    const fresh = [...new Set(ids)];
    this.#addKnownIds(fresh);
    const { number, sent, reqTime } = request;
    if (fresh.length === sent.length && ids.length === fresh.length) {
      for (const [index, line] of sent.entries())
        this.lines[line] = { state: 'placed', id: ids[index] ?? '', isByPosition: true, reqTime };
      this.#answeredInFull.push(request);
      this.#open.delete(number);
      return;
    }
    const reason = message ?? 'the exchange accepted others of the same request, and gave no reason';
    this.#change(number, { response: 'named', responseIds: fresh, reason });
  }

  #closed(request: Omit<OpenRequest, 'lines'>, { outcome, reason, refusal, code }: EventOf<'closed'>): void {
    const { reqTime } = request;
    if (outcome === 'refused') this.#end(request, () => ({ state: 'refused', reason, refusal, code, reqTime }));
    else this.#end(request, () => ({ state: 'unsent', reason, code, isLost: code === null, reqTime }));
  }

  #found({ orders }: EventOf<'found'>): void {
    this.#addKnownIds(orders.map(([, id]) => id));
    for (const [line, id] of orders) {
      const reqTime = this.lines[line]?.reqTime ?? this.entry.write.reqTime;
      this.lines[line] = { state: 'placed', id, isByPosition: false, reqTime };
    }
    const found = new Set(orders.map(([, id]) => id));
    for (const request of [...this.#open.values()]) {
      const { number, responseIds } = request;
      this.#change(number, { responseIds: responseIds.filter((id) => !found.has(id)) });
      if (this.#openLines(request).length === 0) this.#open.delete(number);
    }
  }

  #unconfirmed({ orders }: EventOf<'unconfirmed'>): void {
    for (const request of this.#answeredInFull) {
      const { number, sent, reqTime } = request;
      const open = orders.filter(([line]) => sent.includes(line));
      if (open.length === 0) continue;
      for (const [line, namedId] of open) this.lines[line] = { state: 'sent', request: number, reqTime, namedId };
      const responseIds = open.map(([, id]) => id);
      this.#open.set(number, { ...request, response: 'named', responseIds, reason: NOT_SHOWN, isOver: true });
    }
  }

  #duplicated({ orders }: EventOf<'duplicated'>): void {
    this.#addKnownIds(orders.map(([, id]) => id));
    for (const [line, id] of orders) this.duplicates.set(id, line);
  }

  #openLines({ number, sent }: Pick<OpenRequest, 'number' | 'sent'>): number[] {
    return sent.filter((line) => {
      const now = this.lines[line];
      return now?.state === 'sent' && now.request === number;
    });
  }

  #end(request: Omit<OpenRequest, 'lines'>, stateOf: () => LineState): void {
    for (const line of this.#openLines(request)) this.lines[line] = stateOf();
    this.#open.delete(request.number);
  }

  #change(number: number, changes: Partial<Omit<OpenRequest, 'lines'>>): void {
    const request = this.#open.get(number);
    if (request !== undefined) this.#open.set(number, { ...request, ...changes });
  }

  /** Adds ids of orders that are on the exchange. */
  #addKnownIds(ids: readonly string[]): void {
    for (const id of ids) if (!this.#knownIds.has(id)) this.#knownIds.set(id, this.#knownIds.size);
  }
}

/** A job that is settled and not resumed, as long as its record is kept. */
export function archivedJob(journal: Journal, id: string): Job | undefined {
  const entry = journal.findSettledJob(id);
  return entry === undefined ? undefined : new Job(entry);
}

/** Whether it has only been recorded, or its last owner released it in order; the next owner then adds a line of its own. */
function isEnd(events: readonly JournalEvent[]): boolean {
  if (events.length === 1) return true;
  const end = events.findLastIndex(({ isReleased }) => isReleased === true);
  const later = events.slice(end + 1).filter(({ isLate }) => isLate !== true);
  return end !== -1 && later.length <= 1 && later.every(({ newOwner }) => newOwner !== undefined);
}
