import { Decimal, formatAmount, grouped } from '../../../domain/decimal.js';
import { Failure, localTimeText } from '../../../errors.js';
import type { Host } from '../../../platform/host.js';
import type { ChildOrder } from '../children/child-order.js';
import { STALE_MS } from '../plan/algo-market.js';
import { isExit } from '../plan/children.js';
import { CLOCK_STANDS, type Decision, NOT_PROTECTED, sentence, stateOf } from '../plan/decide.js';
import type { AlgoNote } from '../plan/decision-input.js';
import { type AlgoTerms, exitSideOf } from '../plan/terms.js';
import { type TOLD_EVENTS, toldOf } from '../record/fact-events.js';
import type { SaidLine } from '../record/fact-record.js';
import { type AlgoFact, type AlgoFacts, type AlgoState, changedBetween } from '../record/facts.js';
import type { AlgoSnapshot } from '../record/snapshot.js';
import type { AlgoStore } from '../record/store.js';
import { noteText, subjectOf } from './note-text.js';

/** What happened to an algo order, for the user. */
export interface AlgoEvent {
  readonly id: string;
  readonly market: string;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly event: (typeof TOLD_EVENTS)[number];
  /** A sentence. */
  readonly text: string;
  /** The algo order with it. */
  readonly snapshot: AlgoSnapshot;
}

export interface AlgoVoiceOptions {
  readonly host: Pick<Host, 'monotonic'>;
  readonly store: Pick<AlgoStore, 'addLine' | 'notes'>;
  readonly market: { readonly now: () => number; readonly wasSeen: boolean };
  readonly report: (event: AlgoEvent) => void;
  /** The algo order as it is. */
  readonly snapshot: () => AlgoSnapshot;
}

/** What is said of one algo order: its state with the reason, events, and notes that are told once. */
export class AlgoVoice {
  readonly #options: AlgoVoiceOptions;
  readonly #terms: AlgoTerms;
  state: AlgoState = 'waiting';
  reason: string | null = null;
  unsentSince: number | null = null;
  /** The status that is on the disk. */
  #status = '';
  readonly #said = new Set<string>();
  /** What the user was told, oldest first. */
  readonly lines: SaidLine[];
  /** What has filled of each child, as it was told. */
  readonly #filled = new Map<string, string>();
  /** Since when the market is not seen, on the monotonic clock; undefined if it is. */
  #blind: { readonly since: number; isSaid: boolean } | undefined;

  constructor(
    options: AlgoVoiceOptions,
    terms: AlgoTerms,
    lines: readonly SaidLine[],
    children: readonly ChildOrder[],
  ) {
    [this.#options, this.#terms, this.lines] = [options, terms, [...lines]];
    for (const { said } of lines) this.#said.add(said);
    for (const { clientId, toldFill } of children) this.#filled.set(clientId, toldFill);
  }

  /** When {@link show} has more to say if nothing happens, on the monotonic clock; infinity if nothing. */
  get dueAt(): number {
    return this.#blind?.isSaid === false ? this.#blind.since + STALE_MS : Number.POSITIVE_INFINITY;
  }

  /**
   * Says what the decision says, once.
   * @param trouble what keeps it from acting beside that; null for nothing
   */
  show(decision: Decision, facts: AlgoFacts, children: readonly ChildOrder[], trouble: string | null): void {
    const { state, notes, unsentSince, isStopHeld } = decision;
    if (state === 'blind') this.#sayBlind(decision.reason);
    else if (this.#blind !== undefined && state !== 'settling') {
      if (this.#blind.isSaid) this.tell('seen', `Data for ${this.#terms.market.market} is current again.`);
      this.#blind = undefined;
    }
    const known = { terms: this.#terms, facts, children: children.flatMap((child) => child.children) };
    // a market that is not seen yet has not been lost
    const isStarting = state === 'blind' && this.#blind?.isSaid !== true;
    const danger = isStopHeld || (unsentSince !== null && trouble !== null);
    this.state = isStarting ? stateOf(known) : state;
    this.reason = trouble === null ? decision.reason : danger ? unprotected(trouble) : trouble;
    this.unsentSince = unsentSince;
    for (const note of notes) this.#note(note);
    if (danger) this.keepStatus(facts);
    if (danger && unsentSince !== null) this.#sayUnprotected(unsentSince, children);
    if (state === 'settling' && !danger && decision.reason !== null)
      this.once(`settling ${decision.reason}`, `${decision.reason}. pit keeps asking the exchange.`);
  }

  #sayUnprotected(since: number, children: readonly ChildOrder[]): void {
    const reason = this.reason ?? '';
    if (this.#said.has(reason)) return;
    this.#said.add(reason);
    const ids = children.flatMap(({ duplicates }) =>
      [...duplicates].flatMap(([id, { order, isProven }]) => (isProven || order?.state !== 'open' ? [] : id)),
    );
    const hint = ` If it is not yours, cancel it: pit cancel ${this.#terms.market.market} ${ids.join(' ')}`;
    const when = `The stop is reached since ${localTimeText(since)} and not sent.`;
    const why = reason.endsWith('.') ? reason : `${reason}.`;
    this.tell('unprotected', `${why} ${when}${ids.length === 0 ? '' : hint}`);
  }

  /** Says it at once, or at the start once the market could not be seen for long enough. */
  #sayBlind(reason: string | null): void {
    const { host, market } = this.#options;
    this.#blind ??= { since: host.monotonic(), isSaid: false };
    const isClock = reason === sentence(CLOCK_STANDS);
    const isOver = (market.wasSeen && !isClock) || host.monotonic() - this.#blind.since >= STALE_MS;
    if (this.#blind.isSaid || !isOver) return;
    this.#blind.isSaid = true;
    const name = this.#terms.market.market;
    this.tell(
      'blind',
      isClock
        ? `${reason}. No stop triggers until it goes on.`
        : `No current data for ${name}: no stop triggers until it returns.`,
    );
  }

  /** Keeps the state where every command finds it. It takes longer than a decision, so no order that leaves waits for it. */
  keepStatus(facts: AlgoFacts): void {
    const { state, reason, unsentSince } = this;
    const resumed = facts.resumed?.time ?? null;
    const status = `${resumed} ${state} ${reason} ${unsentSince}`;
    if (status === this.#status) return;
    this.#status = status;
    this.#writeStatus(facts);
  }

  /** Keeps beside it until when the market was seen, for the next process. @param seen by the exchange's clock */
  keepSeen(facts: AlgoFacts, seen: number): void {
    this.#writeStatus(facts, { seen });
  }

  #writeStatus(facts: AlgoFacts, seen: { readonly seen?: number } = {}): void {
    const { state, reason, unsentSince } = this;
    const { market, store } = this.#options;
    const resumed = facts.resumed?.time ?? null;
    store.notes.write(this.#terms.id, { state, reason, since: market.now(), resumed, unsentSince, ...seen });
  }

  #note(note: AlgoNote): void {
    const text = noteText(note, this.#terms);
    const subject = subjectOf(note) ?? text;
    if (this.#said.has(subject) || this.#said.has(text)) return;
    this.#said.add(subject).add(text);
    const line = { said: text, time: this.#options.market.now() };
    this.lines.push(line);
    this.#keep(line);
    this.tell(note.note === 'unprotected' ? 'unprotected' : 'note', text);
  }

  /** Keeps on the disk what was told. If the disk does not take it, the next process tells it again. */
  #keep(line: Parameters<AlgoStore['addLine']>[1]): void {
    try {
      this.#options.store.addLine(this.#terms.id, line);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }

  /** Tells a note once while this process lives. */
  once(subject: string, text: string, event: AlgoEvent['event'] = 'note'): void {
    if (this.#said.has(subject)) return;
    this.#said.add(subject);
    this.tell(event, text);
  }

  /** What was told once may be told again. */
  forget(subject: string): void {
    this.#said.delete(subject);
  }

  tell(event: AlgoEvent['event'], text: string): void {
    const { market, id } = this.#terms;
    const { report, snapshot, market: watched } = this.#options;
    report({ id, market: market.market, time: watched.now(), event, text, snapshot: snapshot() });
  }

  /** @param facts with it */
  tellFact(fact: AlgoFact, facts: AlgoFacts): void {
    const told = toldOf(fact, facts);
    if (told !== undefined) this.tell(told.event, told.text);
  }

  /** Tells what another process has added. */
  tellChange(facts: AlgoFacts, before: AlgoFacts): void {
    const fact = changedBetween(before, facts);
    if (fact !== undefined) this.tellFact(fact, facts);
  }

  tellFills(child: ChildOrder): void {
    const filled = child.order?.filled ?? '0';
    const before = this.#filled.get(child.clientId) ?? '0';
    if (Decimal.of(filled).compare(Decimal.of(before)) <= 0) return;
    this.#filled.set(child.clientId, filled);
    const of = `${formatAmount(filled)} of ${formatAmount(child.amount)} ${this.#terms.market.base}`;
    this.tell('filled', `The ${child.role} order has filled ${of} (order ${child.orderId}).`);
    // after it was told: if this process dies before, the next one tells it
    this.#keep({ toldFillOf: child.clientId, filled });
  }

  priceText({ price }: Pick<ChildOrder, 'price'>): string {
    return grouped(price);
  }

  /** `sell 0.1 btc at 97.02`. */
  orderText(child: Pick<ChildOrder, 'role' | 'amount' | 'price'>): string {
    const side = isExit(child) ? exitSideOf(this.#terms) : this.#terms.side;
    return `${side} ${formatAmount(child.amount)} ${this.#terms.market.base} at ${grouped(child.price)}`;
  }
}

/** What keeps a reached stop from leaving, with the warning that it may have already. */
function unprotected(trouble: string): string {
  return trouble.startsWith(NOT_PROTECTED) ? trouble : `${NOT_PROTECTED}: ${trouble}`;
}
