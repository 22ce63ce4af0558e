import { Decimal } from '../../protocol/decimal.js';
import type { Entry } from '../journal/entry.js';
import type { BatchLine, BatchTerms, JournalEvent } from '../journal/intent.js';
import type { Doubt } from './doubt.js';
import type { BatchFact, LineOutcome } from './facts.js';
import { lineKey } from './lines.js';

/** "At most 20 pairs." */
export const MOST_PAIRS = 20;

type LineFate =
  | { readonly outcome: 'placed'; readonly id: string }
  | { readonly outcome: 'refused' | 'notSent'; readonly reason: string; readonly code: number | null };

type FactOf<Kind extends BatchFact['kind']> = Extract<BatchFact, { kind: Kind }>;

/** A job as its record tells of it. */
export class Job {
  readonly doubts = new Map<number, Doubt>();
  readonly fates: (LineFate | undefined)[];
  /** The `reqTime` of the request with which each line left last; undefined for one that never did. */
  readonly sentAt: (number | undefined)[];
  /** Ids of orders that the job has met, each with how many it knew before. */
  readonly known = new Map<string, number>();
  /** Orders that are there besides, each with the line whose order it is a copy of. */
  readonly copies = new Map<string, number>();
  /** Lines whose orders are known only by their places in answers. */
  readonly byPlace = new Set<number>();
  /** Nobody else seems to use the account, so that only the network can have made them. */
  certain = true;
  #keys: readonly string[] | undefined;
  #requests = 0;
  #gaps = false;
  /** How many lines have which fate: counted along, because a progress bar asks after every answer. */
  readonly #tally = { placed: 0, refused: 0, notSent: 0 };
  readonly #endedInOrder: boolean;

  constructor(readonly entry: Entry<'orderMoreV2'>) {
    this.#endedInOrder = isEnd(entry.events);
    this.fates = Array.from({ length: this.terms.lines.length });
    this.sentAt = Array.from({ length: this.terms.lines.length });
    this.#learn(this.terms.baseline);
    for (const { fact, runner } of entry.events) {
      if (fact !== undefined) this.#apply(fact);
      // who takes it up gets no answer to what another process sent
      if (runner !== undefined) for (const doubt of this.doubts.values()) doubt.isOver = true;
    }
  }

  get id(): string {
    return this.entry.intent.id;
  }

  get terms(): BatchTerms {
    return this.entry.intent.terms;
  }

  /** The highest best bid that its sells were ever held against; undefined where none was. */
  get bid(): string | undefined {
    const seen = [this.entry.intent, ...this.entry.events].flatMap(({ bid }) => bid ?? []);
    return seen.sort((left, right) => Decimal.of(right).compare(Decimal.of(left)))[0];
  }

  /** How many requests have left, or may have. */
  get requests(): number {
    return this.#requests;
  }

  /** What each line is known by; worked out when it is first asked for, because an undisturbed job never does. */
  get keys(): readonly string[] {
    this.#keys ??= this.terms.lines.map(lineKey);
    return this.#keys;
  }

  /** The ids of all orders that the job made, as far as they are known. */
  get orders(): string[] {
    const placed = this.fates.flatMap((fate) => (fate?.outcome === 'placed' ? fate.id : []));
    return [...placed, ...this.copies.keys(), ...[...this.doubts.values()].flatMap(({ ids }) => [...ids])];
  }

  /** Whether its record was ended in order and nothing of it is missing: what it does not tell of did not leave. */
  get isWhole(): boolean {
    return !this.#gaps && this.#endedInOrder;
  }

  /** Orders that were known before this many are older than anything that is looked for. */
  get horizon(): number {
    if (this.#gaps) return this.terms.baseline.length;
    return Math.min(this.known.size, ...[...this.doubts.values()].map(({ knownBefore }) => knownBefore));
  }

  /** The lines of which it is not known what became of them. */
  get doubtful(): ReadonlySet<number> {
    return new Set([...this.doubts.values()].flatMap(({ lines }) => [...lines]));
  }

  /** What became of each line. */
  outcomes(): LineOutcome[] {
    const { doubtful } = this;
    return this.fates.map((fate, line) => fate?.outcome ?? (doubtful.has(line) ? 'unknown' : 'notSent'));
  }

  /** The lines that are not on the exchange and may be sent, in their order. */
  unsent(): number[] {
    const { doubtful } = this;
    const isFree = (line: number) => (this.fates[line]?.outcome ?? 'notSent') === 'notSent' && !doubtful.has(line);
    return this.fates.flatMap((_, line) => (isFree(line) ? line : []));
  }

  /** The lines that are to be sent now, or once it is known that they are not there. */
  get pending(): BatchLine[] {
    return this.terms.lines.filter((_, line) => (this.fates[line]?.outcome ?? 'notSent') === 'notSent');
  }

  /** What the lines are known by of which nobody knows what became: those of a request that waits for its answer are not. */
  doubtfulKeys(): ReadonlySet<string> {
    const doubtful = [...this.doubts.values()].filter(({ isOver }) => isOver || this.entry.mayBeLeft);
    return new Set(doubtful.flatMap(({ lines }) => [...lines].map((line) => this.keys[line] ?? '')));
  }

  counts(): Readonly<Record<LineOutcome, number>> {
    const { placed, refused } = this.#tally;
    const unknown = [...this.doubts.values()].reduce((sum, { lines }) => sum + lines.size, 0);
    return { placed, refused, unknown, notSent: this.fates.length - placed - refused - unknown };
  }

  /** Numbers new requests and writes down, durably, that they are about to leave. Throws Failure `usage`. */
  async leaving(portions: readonly (readonly number[])[], reqTime: number): Promise<Doubt[]> {
    const requests = portions.map((lines, index) => [this.#requests + 1 + index, lines] as const);
    const fact = { kind: 'leaving', requests, reqTime } as const;
    const [first, last] = [this.#requests + 1, this.#requests + portions.length];
    await this.entry.require(first === last ? `request ${first} leaves` : `requests ${first} to ${last} leave`, {
      fact,
    });
    this.#apply(fact);
    return requests.flatMap(([request]) => this.doubts.get(request) ?? []);
  }

  /** Takes in what happened, and writes it down. */
  tell(event: string, fact: BatchFact): void {
    this.entry.note(event, { fact });
    this.#apply(fact);
  }

  #learn(ids: readonly string[]): void {
    for (const id of ids) if (!this.known.has(id)) this.known.set(id, this.known.size);
  }

  #apply(fact: BatchFact): void {
    if (fact.kind === 'leaving') this.#leaving(fact);
    else if (fact.kind === 'found') this.#found(fact);
    else if (fact.kind === 'copied') this.#copied(fact);
    else this.#happened(fact);
  }

  #leaving({ requests, reqTime }: FactOf<'leaving'>): void {
    for (const [request, sent] of requests) {
      if (request !== this.#requests + 1) this.#gaps = true;
      this.#requests = Math.max(this.#requests, request);
      for (const line of sent) {
        this.#decide(line, undefined);
        this.sentAt[line] = reqTime;
      }
      const about = { reqTime, knownBefore: this.known.size, lines: new Set(sent), ids: new Set<string>() };
      this.doubts.set(request, { request, sent, ...about, answer: 'lost', reason: 'no answer came', isOver: false });
    }
  }

  #happened(fact: FactOf<'answered' | 'refused' | 'lost' | 'stayed' | 'closed'>): void {
    const doubt = this.doubts.get(fact.request);
    // what is answered had left: the line that tells so is damaged, and which orders those are the lists must show
    if (doubt !== undefined) doubt.isOver = true;
    if (doubt === undefined) this.#gaps = true;
    else if (fact.kind === 'answered') this.#answered(doubt, fact);
    else if (fact.kind === 'refused') {
      doubt.answer = { code: fact.code };
      doubt.reason = fact.message;
    } else if (fact.kind === 'stayed') this.#close(doubt);
    else if (fact.kind === 'closed') this.#close(doubt, fact);
  }

  /**
   * What accepted everything answers with as many ids, in the order of the pairs for all that is known: the lists show at the
   * end whether it is so. Of fewer, each may be any line's.
   */
  #answered(doubt: Doubt, { ids, message }: FactOf<'answered'>): void {
    const unknown = [...new Set(ids)].filter((id) => !this.known.has(id));
    this.#learn(ids);
    if (unknown.length === doubt.sent.length && ids.length === unknown.length) {
      for (const [index, line] of doubt.sent.entries()) {
        this.#place(line, ids[index] ?? '');
        this.byPlace.add(line);
      }
      return;
    }
    doubt.answer = 'short';
    doubt.reason = message ?? 'the exchange accepted others of the same request, and gave no reason';
    for (const id of unknown) doubt.ids.add(id);
  }

  #found({ orders }: FactOf<'found'>): void {
    this.#learn(orders.map(([, id]) => id));
    for (const [line, id] of orders) {
      this.#place(line, id);
      this.byPlace.delete(line);
    }
  }

  #copied({ orders, certain }: FactOf<'copied'>): void {
    this.#learn(orders.map(([, id]) => id));
    for (const [line, id] of orders) this.copies.set(id, line);
    this.certain &&= certain;
  }

  #place(line: number, id: string): void {
    this.#decide(line, { outcome: 'placed', id });
    for (const doubt of this.doubts.values()) {
      doubt.ids.delete(id);
      if (doubt.lines.delete(line) && doubt.lines.size === 0) this.doubts.delete(doubt.request);
    }
  }

  #close({ request, lines }: Doubt, closed?: FactOf<'closed'>): void {
    const fate = closed && { outcome: closed.outcome, reason: closed.reason, code: closed.code };
    for (const line of lines) this.#decide(line, fate);
    this.doubts.delete(request);
  }

  #decide(line: number, fate: LineFate | undefined): void {
    const before = this.fates[line];
    if (before !== undefined) this.#tally[before.outcome] -= 1;
    if (fate !== undefined) this.#tally[fate.outcome] += 1;
    this.fates[line] = fate;
  }
}

/**
 * Whether it has only been recorded, or the process that was at it last gave up in order; the one that takes it up then
 * adds a line of its own.
 */
function isEnd(events: readonly JournalEvent[]): boolean {
  if (events.length === 1) return true;
  const end = events.findLastIndex(({ left }) => left === true);
  const later = events.slice(end + 1);
  return end !== -1 && later.length <= 1 && later.every(({ runner }) => runner !== undefined);
}
