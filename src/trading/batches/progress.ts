import type { RefusalKind } from '../../domain/refusal.js';
import type { BatchEvent, LineOutcome } from './batch-event.js';
import type { PendingRequest } from './pending-request.js';

type LineResult =
  | { readonly outcome: 'placed'; readonly id: string }
  | {
      readonly outcome: 'refused' | 'notSent';
      readonly reason: string;
      readonly refusal?: RefusalKind | undefined;
      readonly code: number | null;
    };

type BatchEventOf<Kind extends BatchEvent['kind']> = Extract<BatchEvent, { kind: Kind }>;

/** The outcomes of a job's lines, computed from its events in order. */
export class Progress {
  readonly pendingRequests = new Map<number, PendingRequest>();
  readonly results: (LineResult | undefined)[];
  /** The `reqTime` of each line's last request; undefined for a line that was never sent. */
  readonly sentAt: (number | undefined)[];
  /** Ids of orders that the job has met, each with how many it knew before. */
  readonly knownIds = new Map<string, number>();
  /** Duplicate orders, each with the line whose order it duplicates. */
  readonly duplicates = new Map<string, number>();
  /** Lines whose orders are known only by their positions in answers. */
  readonly placedByPosition = new Set<number>();
  #requests = 0;
  #lacksRequests = false;
  /** The number of lines by outcome, updated with each event, because a progress bar asks after every answer. */
  readonly #tally = { placed: 0, refused: 0, notSent: 0 };

  /** @param count of the job's lines */
  protected constructor(count: number) {
    this.results = Array.from({ length: count });
    this.sentAt = Array.from({ length: count });
  }

  /** How many requests were sent, or may have been. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether an event mentions a request that is not recorded as sent. */
  get lacksRequests(): boolean {
    return this.#lacksRequests;
  }

  counts(): Readonly<Record<LineOutcome, number>> {
    const { placed, refused } = this.#tally;
    const unknown = [...this.pendingRequests.values()].reduce((sum, { lines }) => sum + lines.size, 0);
    return { placed, refused, unknown, notSent: this.results.length - placed - refused - unknown };
  }

  /** Adds ids of orders that are on the exchange. */
  protected addKnownIds(ids: readonly string[]): void {
    for (const id of ids) if (!this.knownIds.has(id)) this.knownIds.set(id, this.knownIds.size);
  }

  /** Takes in what happened. */
  protected apply(event: BatchEvent): void {
    if (event.kind === 'sending') this.#sending(event);
    else if (event.kind === 'found') this.#found(event);
    else if (event.kind === 'duplicated') this.#duplicated(event);
    else this.#happened(event);
  }

  #sending({ requests, reqTime }: BatchEventOf<'sending'>): void {
    for (const [request, sent] of requests) {
      if (request !== this.#requests + 1) this.#lacksRequests = true;
      this.#requests = Math.max(this.#requests, request);
      for (const line of sent) {
        this.#decide(line, undefined);
        this.sentAt[line] = reqTime;
      }
      const about = { request, reqTime, sent, knownBefore: this.knownIds.size, lines: new Set(sent) };
      const orders = { unassignedIds: new Set<string>(), responseIds: new Set<string>(), areOrdersListed: false };
      this.pendingRequests.set(request, {
        ...about,
        ...orders,
        response: 'lost',
        reason: 'no answer',
        isOver: false,
      });
    }
  }

  #happened(event: BatchEventOf<'answered' | 'refused' | 'lost' | 'notSent' | 'closed'>): void {
    const pending = this.pendingRequests.get(event.request);
    // an answered request was sent: its line is damaged, and the lists must show which orders it made
    if (pending !== undefined) pending.isOver = true;
    if (pending === undefined) this.#lacksRequests = true;
    else if (event.kind === 'answered') this.#answered(pending, event);
    else if (event.kind === 'refused') {
      pending.response = { kind: event.refusal, code: event.code };
      pending.reason = event.message;
    } else if (event.kind === 'notSent') this.#close(pending);
    else if (event.kind === 'closed') this.#close(pending, event);
  }

  /**
   * An answer that accepts everything has as many ids, presumably in the order of the pairs: the lists confirm this at the
   * end. With fewer ids, each may be any line's.
   */
  #answered(pending: PendingRequest, { ids, message }: BatchEventOf<'answered'>): void {
    // a stale answer of another request: it says nothing about this one
    if (ids.some((id) => this.knownIds.has(id))) return;
    const fresh = [...new Set(ids)];
    this.addKnownIds(fresh);
    if (fresh.length === pending.sent.length && ids.length === fresh.length) {
      for (const [index, line] of pending.sent.entries()) {
        this.#place(line, ids[index] ?? '');
        this.placedByPosition.add(line);
      }
      return;
    }
    pending.response = 'partial';
    pending.reason = message ?? 'the exchange accepted others of the same request, and gave no reason';
    for (const id of fresh) {
      pending.unassignedIds.add(id);
      pending.responseIds.add(id);
    }
  }

  #found({ orders }: BatchEventOf<'found'>): void {
    this.addKnownIds(orders.map(([, id]) => id));
    for (const [line, id] of orders) {
      this.#place(line, id);
      this.placedByPosition.delete(line);
    }
  }

  #duplicated({ orders }: BatchEventOf<'duplicated'>): void {
    this.addKnownIds(orders.map(([, id]) => id));
    for (const [line, id] of orders) this.duplicates.set(id, line);
  }

  #place(line: number, id: string): void {
    this.#decide(line, { outcome: 'placed', id });
    for (const pending of this.pendingRequests.values()) {
      pending.unassignedIds.delete(id);
      if (pending.lines.delete(line) && pending.lines.size === 0) this.pendingRequests.delete(pending.request);
    }
  }

  #close({ request, lines }: PendingRequest, closed?: BatchEventOf<'closed'>): void {
    const settled = closed && {
      outcome: closed.outcome,
      reason: closed.reason,
      refusal: closed.refusal,
      code: closed.code,
    };
    for (const line of lines) this.#decide(line, settled);
    this.pendingRequests.delete(request);
  }

  #decide(line: number, settled: LineResult | undefined): void {
    const before = this.results[line];
    if (before !== undefined) this.#tally[before.outcome] -= 1;
    if (settled !== undefined) this.#tally[settled.outcome] += 1;
    this.results[line] = settled;
  }
}
