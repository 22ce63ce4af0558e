import type { Market } from '../../../domain/market.js';
import { Failure } from '../../../errors.js';
import type { GuardLimits } from '../../guards/limits.js';
import type { TradingContext } from '../../trading-context.js';
import { ChildCanceller } from '../children/canceller.js';
import type { ChildBook } from '../children/child-book.js';
import type { ChildOrder } from '../children/child-order.js';
import { ChildSender } from '../children/sender.js';
import type { SentChild } from '../children/sent-child.js';
import type { AccountFunds } from '../market/account-funds.js';
import type { MarketSight } from '../market/market-sight.js';
import type { WatchedMarket } from '../market/watched-market.js';
import { type Child, type ChildRole, isExit, type NewChild } from '../plan/children.js';
import { currentTerms } from '../plan/current-terms.js';
import type { UnderWay } from '../plan/next-step.js';
import type { AlgoTerms } from '../plan/terms.js';
import { type AlgoFacts, isHeldBack, type PauseCause } from '../record/facts.js';
import type { AlgoStore } from '../record/store.js';
import type { AlgoVoice } from './algo-voice.js';
import { RequestLeg } from './request-leg.js';

export interface AlgoRequestsOptions {
  readonly store: AlgoStore;
  readonly terms: AlgoTerms;
  readonly market: WatchedMarket;
  readonly funds: AccountFunds;
  readonly trading: TradingContext;
  readonly limits: () => Promise<GuardLimits>;
}

/** The other parts of the algo order. */
export interface AlgoParts {
  readonly book: ChildBook;
  readonly voice: AlgoVoice;
  readonly sight: MarketSight;
  readonly facts: () => AlgoFacts;
  readonly pause: (cause: PauseCause, reason: string, role?: ChildRole | null) => void;
  /** Takes the facts as they are on disk. */
  readonly reload: (facts: AlgoFacts) => void;
  /** The rules of the market were read again, after the order of this number was sent. */
  readonly rulesRead: (market: Market, number: number) => void;
  /** Something is known that was not known before. */
  readonly changed: () => void;
}

/** The orders and cancellations that one algo order sends. They run beside the loop: each leg has one order on its way at a time. */
export class AlgoRequests implements UnderWay {
  readonly #options: AlgoRequestsOptions;
  readonly #parts: AlgoParts;
  readonly #sender: ChildSender;
  readonly #canceller: ChildCanceller;
  readonly #legs: { readonly entry: RequestLeg; readonly exits: RequestLeg };

  constructor(options: AlgoRequestsOptions, parts: AlgoParts) {
    [this.#options, this.#parts] = [options, parts];
    const { host } = options.trading;
    this.#sender = new ChildSender(options, () => currentTerms(parts.facts()));
    this.#canceller = new ChildCanceller(options);
    this.#legs = { entry: new RequestLeg(host), exits: new RequestLeg(host) };
  }

  readonly isBusy = (child: Pick<Child, 'role'>): boolean => this.#legOf(child).isBusy;

  readonly isCancelling = (child: Child): boolean => this.#legOf(child).isCancelling(child);

  /** What keeps a leg from going on now; null if nothing does. What protects comes first. */
  get trouble(): string | null {
    return this.#legs.exits.trouble ?? this.#legs.entry.trouble;
  }

  /** When a leg may go on that waits, on the monotonic clock; infinity if none waits. */
  get dueAt(): number {
    return Math.min(this.#legs.exits.dueAt, this.#legs.entry.dueAt);
  }

  /** What is due is looked at now. */
  woke(): void {
    for (const leg of [this.#legs.entry, this.#legs.exits]) leg.woke();
  }

  /** What failed is tried again at once. */
  tryAgain(): void {
    for (const leg of [this.#legs.entry, this.#legs.exits]) leg.succeeded();
  }

  /** From now on nothing leaves that has not left. */
  stop(): void {
    this.#sender.stop();
  }

  async place(wanted: NewChild): Promise<void> {
    const { trading, market } = this.#options;
    const leg = this.#legOf(wanted);
    leg.isPlacing = true;
    try {
      trading.budget.restart();
      const isWanted = () => this.#isWanted(wanted.role);
      const named = (child: ChildOrder) => void this.#parts.book.orders.push(child);
      const sent = await this.#sender.place(
        wanted,
        this.#parts.book.orders,
        () => market.readBookView(),
        isWanted,
        named,
      );
      this.#parts.book.touched();
      this.#sent(sent, wanted.role);
      // whether what the list has shown beside it is its duplicate
      if (sent.kind === 'sent' && sent.child.duplicates.size > 0) await this.#parts.book.read(sent.child, false);
    } finally {
      leg.isPlacing = false;
    }
  }

  /** Reads the rules of the market again, because an order was rejected that may have broken them. */
  async readRules(role: ChildRole): Promise<void> {
    const { trading } = this.#options;
    const leg = this.#legOf({ role });
    leg.isPlacing = true;
    try {
      trading.budget.restart();
      const newest = Math.max(...this.#parts.book.orders.map(({ number }) => number));
      const rules = await trading.client.markets.findAgain(this.#options.terms.market.market);
      leg.succeeded();
      this.#parts.rulesRead(rules, newest);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#later(leg, `The rules of the market could not be read: ${error.message}`);
    } finally {
      leg.isPlacing = false;
    }
  }

  /** Whether a child of a role is wanted still: a stop may have been reached while the guards were asked, or the user may have come. */
  #isWanted(role: ChildRole): boolean {
    const { cancelled, ended, exitTriggered } = this.#parts.facts();
    if (cancelled !== null || ended !== null || isHeldBack(this.#parts.facts(), role)) return false;
    return role === 'stop' || exitTriggered === null;
  }

  #sent(sent: SentChild, role: ChildRole): void {
    const leg = this.#legOf({ role });
    if (sent.kind === 'unwanted') return;
    if (sent.kind === 'stopped') this.#parts.reload(sent.facts);
    else if (sent.kind === 'held') this.#parts.pause(sent.cause, sent.reason, sent.cause === 'halt' ? null : role);
    else if (sent.kind === 'later') {
      // the disk is full: there is room for the order of a stop
      const isUnrecorded = sent.child !== null && isExit({ role }) && sent.failure.kind === 'usage';
      if (isUnrecorded && this.#options.store.reserve.free()) return;
      this.#later(leg, sent.failure.message, isUnrecorded);
    } else this.#answered(leg, role, sent);
  }

  #answered(leg: RequestLeg, role: ChildRole, { child, placement }: Extract<SentChild, { kind: 'sent' }>): void {
    const what = this.#parts.voice.orderText(child);
    if (placement.outcome === 'placed') {
      leg.succeeded();
      this.#parts.voice.forget(`rejected ${role}`);
      this.#parts.voice.tell('placed', `Placed the ${role} order: ${what} (order ${placement.id}).`);
      this.#parts.book.seen(child);
    } else if (placement.outcome === 'refused') {
      const { kind, message } = placement.refusal;
      // what follows from a rejection follows from the rules as they are now
      if (placement.rules !== undefined) this.#parts.rulesRead(placement.rules, child.number);
      leg.succeeded();
      const isAway = kind === 'busy' || kind === 'inTrouble';
      const text = `The exchange rejected the ${role} order (${what}): ${message}.`;
      // it is asked again and again
      if (isAway) this.#parts.voice.once(`rejected ${role}`, text, 'rejected');
      else this.#parts.voice.tell('rejected', text);
      if (kind === 'insufficientFunds') this.#options.funds.request();
      if (kind === 'tooFrequent' || kind === 'locked') this.#limit(leg);
    } else if (placement.outcome === 'notSent') {
      if (placement.halted === true) this.#parts.pause('halt', placement.reason);
      else if (placement.failure === 'limited') this.#limit(leg);
      else this.#later(leg, `The ${role} order was not sent: ${placement.reason}.`);
    } else {
      this.#parts.book.settleLater(this.#parts.facts().exitTriggered !== null);
      const text = `It is not known yet whether the ${role} order was placed (${what}): ${placement.reason}.`;
      this.#parts.voice.once(`unknown ${child.clientId}`, text);
    }
  }

  async cancel(of: Child): Promise<void> {
    const child = this.#parts.book.of(of);
    if (child === undefined) return;
    const leg = this.#legOf(of);
    const tell = () => {
      // one that filled first was not cancelled
      if (of.duplicate !== null || child.end === null || child.end === 'filled') return;
      this.#parts.voice.once(
        `cancelled ${child.clientId}`,
        `Cancelled the ${child.role} order at ${this.#parts.voice.priceText(child)}.`,
        'childCancelled',
      );
    };
    leg.cancelling(of, true);
    try {
      this.#options.trading.budget.restart();
      // the leg goes on with the first word that shows it as final
      const answered = () => {
        this.#parts.book.touched();
        tell();
        this.#parts.changed();
      };
      const failure = await this.#canceller.cancel(child, of, answered);
      this.#parts.book.touched();
      if (failure !== undefined) {
        this.#later(leg, failure.message);
        return;
      }
      await this.#parts.book.read(child, this.#parts.facts().exitTriggered !== null);
      tell();
    } finally {
      leg.cancelling(of, false);
    }
  }

  /** Something did not work that may work later. It is said once. */
  #later(leg: RequestLeg, text: string, isUnprotected = false): void {
    const said = `${isUnprotected ? 'NOT PROTECTED: ' : ''}${text}`;
    if (leg.failed(said, this.#parts.facts().exitTriggered !== null))
      this.#parts.voice.tell('note', `${said} pit tries again.`);
  }

  #limit(leg: RequestLeg): void {
    const { client, host } = this.#options.trading;
    const locked = client.lockedUntil;
    const pauseMs = locked === undefined ? leg.limitMs() : Math.max(0, locked - host.now());
    this.#parts.sight.limit(this.#options.market.now() + pauseMs);
  }

  #legOf(child: Pick<Child, 'role'>): RequestLeg {
    return isExit(child) ? this.#legs.exits : this.#legs.entry;
  }
}
