import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import type { BatchLine, BatchTerms, JournalEvent } from '../journal/write.js';
import type { BatchEvent, LineOutcome } from './batch-event.js';
import { lineKey } from './lines.js';
import type { PendingRequest } from './pending-request.js';
import { Progress } from './progress.js';

/** "At most 20 pairs." */
export const MAX_PAIRS = 20;

/** A job as its record describes it. */
export class Job extends Progress {
  /** Orders of its side as the exchange's lists showed them last, by id; only those that this command has read. */
  readonly listed = new Map<string, Order>();
  #keys: readonly string[] | undefined;
  readonly #endedInOrder: boolean;

  constructor(readonly entry: JournalEntry<'batch'>) {
    super(entry.write.terms.lines.length);
    this.#endedInOrder = isEnd(entry.events);
    this.addKnownIds(this.terms.baseline);
    for (const { batchEvent, newOwner } of entry.events) {
      if (batchEvent !== undefined) this.apply(batchEvent);
      // a new owner gets no answer to what another process sent
      if (newOwner !== undefined) for (const request of this.pendingRequests.values()) request.isOver = true;
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

  /** The key of each line; computed on first use, since most jobs never need it. */
  get keys(): readonly string[] {
    this.#keys ??= this.terms.lines.map(lineKey);
    return this.#keys;
  }

  /** The ids of all orders that the job made, as far as they are known. */
  get orderIds(): string[] {
    const placed = this.results.flatMap((settled) => (settled?.outcome === 'placed' ? settled.id : []));
    return [
      ...placed,
      ...this.duplicates.keys(),
      ...[...this.pendingRequests.values()].flatMap(({ unassignedIds }) => [...unassignedIds]),
    ];
  }

  /** When the list was read that its orders were last compared with, by the exchange's clock; undefined if none was. */
  get checkedTo(): number | undefined {
    return this.entry.events.findLast(({ settled }) => settled !== undefined)?.settled?.checkedTo;
  }

  /** Whether its record was released in order and is complete: a request that it does not mention was not sent. */
  get isRecordComplete(): boolean {
    return !this.lacksRequests && this.#endedInOrder;
  }

  /** How many orders were known before the oldest pending request: those are not read again. */
  get knownBefore(): number {
    if (this.lacksRequests) return this.terms.baseline.length;
    return Math.min(this.knownIds.size, ...[...this.pendingRequests.values()].map(({ knownBefore }) => knownBefore));
  }

  /** The lines whose outcome is unknown. */
  get uncertainLines(): ReadonlySet<number> {
    return new Set([...this.pendingRequests.values()].flatMap(({ lines }) => [...lines]));
  }

  /** Lines of requests without an answer that count as not sent: the exchange may still execute one, long after it expired. */
  get expiredLines(): ReadonlySet<number> {
    const isLost = (line: number) => {
      const result = this.results[line];
      return result?.outcome === 'notSent' && result.code === null;
    };
    return new Set([...this.results.keys()].filter(isLost));
  }

  /** The outcome of each line. */
  outcomes(): LineOutcome[] {
    const { uncertainLines } = this;
    return this.results.map((settled, line) => settled?.outcome ?? (uncertainLines.has(line) ? 'unknown' : 'notSent'));
  }

  /** The lines that are not on the exchange and may be sent, in their order. */
  unsent(): number[] {
    const { uncertainLines } = this;
    const isFree = (line: number) =>
      (this.results[line]?.outcome ?? 'notSent') === 'notSent' && !uncertainLines.has(line);
    return this.results.flatMap((_, line) => (isFree(line) ? line : []));
  }

  /** The lines to send now, or once it is known that they are not on the exchange. */
  get pending(): BatchLine[] {
    return this.terms.lines.filter((_, line) => (this.results[line]?.outcome ?? 'notSent') === 'notSent');
  }

  /** Keys of lines whose outcome is unknown and whose answer no process waits for. */
  uncertainKeys(): ReadonlySet<string> {
    const uncertainLines = [...this.pendingRequests.values()].filter(({ isOver }) => isOver || !this.entry.isUnderWay);
    return new Set(uncertainLines.flatMap(({ lines }) => [...lines].map((line) => this.keys[line] ?? '')));
  }

  /** Takes in what a list showed. */
  addListed(orders: readonly Order[]): void {
    for (const order of orders) this.listed.set(order.id, order);
  }

  /** Numbers new requests and records, durably, that they are about to be sent. Throws Failure `usage` if that fails. */
  async leaving(portions: readonly (readonly number[])[], reqTime: number): Promise<PendingRequest[]> {
    const requests = portions.map((lines, index) => [this.requests + 1 + index, lines] as const);
    const batchEvent = { kind: 'sending', requests, reqTime } as const;
    const [first, last] = [this.requests + 1, this.requests + portions.length];
    await this.entry.noteDurably(first === last ? `request ${first} leaves` : `requests ${first} to ${last} leave`, {
      batchEvent,
    });
    this.apply(batchEvent);
    return requests.flatMap(([request]) => this.pendingRequests.get(request) ?? []);
  }

  /** Takes in what happened, and writes it down. */
  record(event: string, batchEvent: BatchEvent): void {
    this.entry.note(event, { batchEvent });
    this.apply(batchEvent);
  }

  /** The same for a settled job, as {@link JournalEntry.noteLate}. */
  recordLate(event: string, batchEvent: BatchEvent): boolean {
    const isThere = this.entry.noteLate(event, batchEvent);
    if (isThere) this.apply(batchEvent);
    return isThere;
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
