import type { BestPrices } from '../../domain/book.js';
import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { compareIds, type Trade } from '../../domain/market-data.js';
import { Failure } from '../../errors.js';
import type { OrderUpdate } from '../../exchange/exchange.js';
import { backoffMs } from '../../platform/backoff.js';
import { settleCancellationsOf } from '../cancel/cancellation.js';
import type { GuardLimits } from '../guards/limits.js';
import { ignoringDiskErrors } from '../journal/files.js';
import { referenceOf } from '../preview/market-view.js';
import type { DuplicateOrders } from '../settling/duplicates.js';
import type { TradingContext } from '../trading-context.js';
import type { AccountFunds } from './account-funds.js';
import { type AlgoMarket, type SeenPrices, STALE_MS } from './algo-market.js';
import { type ChildOrder, readChild, settleChild } from './child-order.js';
import { type Child, type ChildRole, isExit } from './children.js';
import { type Decision, decide, pauseFact, sentence, stateOf } from './decide.js';
import type { AlgoNote } from './decision-input.js';
import { shortText } from './exits.js';
import { type AlgoFact, type AlgoFacts, type AlgoState, isHeldBack, type PauseCause, withFact } from './facts.js';
import { nextStep, type Step } from './next-step.js';
import { bandAround } from './prices.js';
import { isQuiet, type QuietRange, quietRange } from './quiet-range.js';
import { ChildSender, type SentChild } from './sender.js';
import { type AlgoSnapshot, snapshotOf } from './snapshot.js';
import type { AlgoStore, SaidLine } from './store.js';
import { type AlgoTerms, exitSideOf, hasStop } from './terms.js';
import { seenAfter } from './trigger.js';
import type { Gap, Traded, WatchedMarket } from './watched-market.js';

/** What happened to an algo order, for the user. */
export interface AlgoEvent {
  readonly id: string;
  readonly market: string;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly event:
    | Exclude<AlgoFact['fact'], 'began' | 'best'>
    | 'placed'
    | 'filled'
    | 'childCancelled'
    | 'rejected'
    | 'blind'
    | 'seen'
    | 'unprotected'
    | 'note';
  /** A sentence. */
  readonly text: string;
  /** The algo order with it. */
  readonly snapshot: AlgoSnapshot;
}

/** A condition of an entry that holds. */
export interface MetCondition {
  readonly condition: string;
  readonly late: boolean;
}

export interface RunningAlgoOptions {
  readonly store: AlgoStore;
  readonly terms: AlgoTerms;
  readonly market: WatchedMarket;
  readonly funds: AccountFunds;
  /** With a time of its own for each step. */
  readonly trading: TradingContext;
  readonly limits: () => Promise<GuardLimits>;
  /** The limits as they were read last; undefined before. */
  readonly knownLimits: () => GuardLimits | undefined;
  readonly report: (event: AlgoEvent) => void;
  /** Called when it has done what it can for now. */
  readonly worked: () => void;
  /** What is only for a log. */
  readonly warn: (message: string) => void;
  readonly failed: (thrown: unknown) => void;
}

/** After something that may pass, in milliseconds. */
const RETRY_MS = { first: 500, longest: 15_000 };
/** How often the orders of open children are read although no push says that they have changed. */
const READ_MS = 15_000;
/** How soon they are read again if a push showed more than the read. */
const READ_AGAIN_MS = 1_000;
/** A child whose outcome is not known after so long is said to be unknown, while the sender looks for it. In milliseconds. */
const UNANSWERED_MS = 2_000;
/** Between two tries to find out what became of a child. */
const SETTLE_MS = 5_000;
/** An order that was shown, and is missing so often in a row, is missing. */
const MISSING_AFTER_READS = 3;

/** A time in which the market was not seen, and what candles show of it. */
interface SeenGap {
  readonly gap: Gap;
  /** Undefined: what trades show. */
  readonly traded: Traded | undefined;
}

/** One algo order at work: looks at what is, decides, and takes one step at a time. */
export class RunningAlgo {
  readonly #options: RunningAlgoOptions;
  readonly terms: AlgoTerms;

  facts: AlgoFacts;
  readonly children: ChildOrder[];
  readonly #sender: ChildSender;
  #isBusy = false;
  #isWoken = false;
  #isStopped = false;
  #isOver = false;
  #state: AlgoState = 'waiting';
  #reason: string | null = null;
  #note = '';
  readonly #said = new Set<string>();
  readonly #saidLines: SaidLine[];
  /** What the market has shown since the last `best` fact. */
  #prices: SeenPrices | null = null;
  /** The newest trade that is in them. */
  #newestTrade: string | null = null;
  readonly #gaps: SeenGap[] = [];
  /** The one that is decided about now. */
  #gap: SeenGap | undefined;
  #met: MetCondition | null = null;
  /** Until when the exchange takes nothing, by its clock. */
  #limitedUntil: number | null = null;
  /** On the monotonic clock. */
  #retryAt = 0;
  #failures = 0;
  #until: number | null = null;
  /** While it waits: which books change nothing. */
  #quiet: QuietRange | null = null;
  /** Since when the market is not seen, on the monotonic clock; undefined if it is. */
  #blind: { readonly since: number; isSaid: boolean } | undefined;
  /** When something to protect was first seen, on the monotonic and on the exchange's clock; undefined before. */
  #position: { readonly at: number; readonly time: number } | undefined;
  #readAt = 0;
  #settleAt = 0;
  #changedAt = 0;
  #missingReads = 0;
  #filled = new Map<string, string>();
  #working: Promise<void> = Promise.resolve();

  constructor(
    options: RunningAlgoOptions,
    facts: AlgoFacts,
    children: readonly ChildOrder[],
    said: readonly SaidLine[],
  ) {
    this.#options = options;
    this.terms = options.terms;

    this.facts = facts;
    this.children = [...children];
    this.#saidLines = [...said];
    for (const line of said) this.#said.add(line.said);
    for (const child of children) if (child.order !== null) this.#filled.set(child.clientId, child.order.filled);
    this.#sender = new ChildSender(options, this.terms);
    this.#changedAt = options.trading.host.monotonic();
    if (this.needsTrades) options.market.needsTrades = true;
  }

  get id(): string {
    return this.terms.id;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get state(): AlgoState {
    return this.#state;
  }

  get snapshot(): AlgoSnapshot {
    const { ended } = this.facts;
    const now = ended === null ? { state: this.#state, reason: this.#reason } : undefined;
    return snapshotOf(this.facts, this.children, this.#saidLines, now);
  }

  get needsTrades(): boolean {
    return this.terms.trigger === 'last' || this.terms.exits?.trail != null;
  }

  /** Whether its conditions are still waited for. */
  get waitsForCondition(): boolean {
    const { ended, cancelled, entryTriggered } = this.facts;
    return this.terms.when.length > 0 && ended === null && cancelled === null && entryTriggered === null;
  }

  /** Something has changed: it decides again. */
  readonly changed = (): void => {
    this.#quiet = null;
    this.#isWoken = true;
    if (this.#isBusy || this.#isStopped || this.#isOver) return;
    this.#isBusy = true;
    this.#working = this.#work();
  };

  isUnmovedBy(best: BestPrices): boolean {
    return this.#quiet !== null && isQuiet(this.#quiet, this.terms, best);
  }

  traded(trades: readonly Trade[]): void {
    // what traded before there was something to protect does not count
    const since = this.#position?.time ?? Number.POSITIVE_INFINITY;
    const newest = this.#newestTrade ?? this.facts.best?.tradeId ?? null;
    const fresh = trades.filter(({ id }) => newest === null || compareIds(id, newest) > 0);
    this.#newestTrade = fresh.reduce((last, { id }) => (last === null || compareIds(id, last) > 0 ? id : last), newest);
    if (this.terms.trigger !== 'last') return;
    for (const { price } of fresh.filter((trade) => trade.time >= since)) {
      const value = Decimal.of(price);
      const { high, low } = this.#prices ?? { high: value, low: value };
      this.#prices = { high: extreme([high, value], 'high'), low: extreme([low, value], 'low') };
    }
  }

  /** An order of a child is to be read if what was pushed says more than what is known. */
  orders(orders: readonly OrderUpdate[]): void {
    const { monotonic } = this.#options.trading.host;
    for (const child of this.children) {
      const pushed = orders.find(({ id }) => id === child.orderId || child.duplicates.has(id));
      if (pushed === undefined) continue;
      const known = pushed.id === child.orderId ? child.order : child.duplicates.get(pushed.id)?.order;
      if (known?.state !== pushed.state || known.filled !== pushed.filled) this.#readAt = monotonic();
    }
  }

  gapEnded(gap: Gap): void {
    this.#gaps.push({ gap, traded: undefined });
    this.changed();
  }

  gapRead(gap: Gap, traded: Traded): void {
    this.#gaps.push({ gap, traded });
  }

  meet(met: MetCondition): void {
    this.#met = met;
    this.changed();
  }

  /** Takes orders that the network made twice, as somebody has found them. */
  duplicated(reports: readonly DuplicateOrders[]): void {
    for (const report of reports) {
      const child = this.children.find(({ clientId }) => clientId === report.writeId);
      if (child === undefined) continue;
      child.addDuplicates(report);
      this.#keepDuplicates(child);
      this.#readAt = 0;
    }
    this.changed();
  }

  /** Takes the facts as they are on disk: another process may have added one. */
  reload(facts: AlgoFacts): void {
    const { paused, resumed, cancelled } = this.facts;
    this.facts = facts;
    if (facts.cancelled !== null && cancelled === null)
      this.#tell('cancelled', `It is being cancelled: ${facts.cancelled.reason}.`);
    else if (facts.paused !== null && facts.paused.time !== paused?.time)
      this.#tell('paused', `It is paused: ${facts.paused.reason}.${this.#protectionText()}`);
    else if (facts.resumed !== null && facts.resumed.time !== resumed?.time) this.#tell('resumed', 'It continues.');
    [this.#retryAt, this.#failures] = [0, 0];
    // what was noted before a fact of the user counts no more
    this.#note = '';
    this.changed();
  }

  /** In how many milliseconds {@link tick} has something to do; infinity if only what comes changes something. */
  get dueInMs(): number {
    if (this.#isOver) return 0;
    const now = this.#options.trading.host.monotonic();
    const until = this.#until === null ? [] : [this.#until - this.#options.market.now()];
    const times = [
      ...(this.#needsRead ? [this.#readAt] : []),
      ...(this.#needsSettling ? [this.#settleAt] : []),
      ...(this.#retryAt > now ? [this.#retryAt] : []),
    ];
    return Math.max(0, Math.min(...until, ...times.map((time) => time - now)));
  }

  /** Called often. */
  tick(): void {
    const { host } = this.#options.trading;
    const isBlindUnsaid = this.#blind?.isSaid === false && host.monotonic() - this.#blind.since >= STALE_MS;
    const isDue =
      isBlindUnsaid ||
      (this.#until !== null && this.#options.market.now() >= this.#until) ||
      (this.#needsRead && host.monotonic() >= this.#readAt) ||
      (this.#needsSettling && host.monotonic() >= this.#settleAt) ||
      (this.#retryAt > 0 && host.monotonic() >= this.#retryAt);
    if (isDue) this.changed();
  }

  /** Pauses it, unless it is paused. @param role that of the child which is held back; null: everything is */
  pause(cause: PauseCause, reason: string, role: ChildRole | null = null): void {
    if (isHeldBack(this.facts, role ?? 'stop') || this.facts.ended !== null) return;
    if (this.#add(pauseFact(this.terms, this.#options.market.now(), { cause, reason, role })))
      this.#tell('paused', `It is paused: ${reason}.${this.#protectionText()}`);
  }

  /** Nothing leaves any more; resolves when what was under way is done or the wait is over. */
  async stop(waitMs: number): Promise<void> {
    this.#isStopped = true;
    this.#sender.stop();
    const { host } = this.#options.trading;
    await Promise.race([this.#working, host.sleep(waitMs)]);
  }

  async #work(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isStopped && !this.#isOver) {
        this.#isWoken = false;
        await this.#readWhatIsDue();
        while (!this.#isStopped && (await this.#step()));
      }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) this.#options.failed(thrown);
      else this.#later(thrown);
    } finally {
      this.#isBusy = false;
      if (this.#isWoken && !this.#isStopped && !this.#isOver) this.changed();
      else this.#options.worked();
    }
  }

  /** Decides, and takes one step. Returns whether another one may follow at once. */
  async #step(): Promise<boolean> {
    const { market: watched } = this.#options;
    const children = this.children.flatMap((child) => child.children);
    if (watched.isFresh) this.#gap ??= this.#gaps.shift();
    this.#seePosition(children);
    const market = this.#see(this.#gap);
    const decision = decide(this.terms, this.facts, market, children);
    this.#show(decision);
    const step = nextStep(decision, children, market.now);
    this.#prices = seenAfter(this.terms, this.facts, market);
    // what follows from a fact that the gap has brought is of the gap as well
    if (step.step !== 'fact') this.#gap = undefined;
    if (step.step === 'wait') this.#quiet = this.#quietRange(market, children);
    return (await this.#take(step)) || (this.#gaps.length > 0 && watched.isFresh);
  }

  /** Orders that are read or looked for may show something at any time. */
  #quietRange(market: AlgoMarket, children: readonly Child[]): QuietRange | null {
    if (this.#needsRead || this.#needsSettling || this.#isWoken || this.#gaps.length > 0) return null;
    return quietRange({ terms: this.terms, facts: this.facts, market: { ...market, seen: this.#prices }, children });
  }

  async #take(step: Step): Promise<boolean> {
    const { host } = this.#options.trading;
    this.#until = step.step === 'wait' ? step.until : null;
    switch (step.step) {
      case 'fact':
        if (host.monotonic() < this.#retryAt || !this.#add(step.fact)) return false;
        this.#tellFact(step.fact);
        return true;
      case 'end':
        this.#isOver = true;
        return false;
      case 'wait':
        return false;
      case 'cancel':
        if (host.monotonic() < this.#retryAt) return false;
        await this.#cancel(step.child);
        return true;
      case 'place':
        if (host.monotonic() < this.#retryAt) return false;
        return this.#place(step);
    }
  }

  async #place({ number, child: wanted }: Extract<Step, { step: 'place' }>): Promise<boolean> {
    const { trading, market } = this.#options;
    trading.budget.restart();
    const answered = new AbortController();
    const named = (child: ChildOrder) => {
      this.children.push(child);
      void trading.host.sleep(UNANSWERED_MS, answered.signal).then(() => {
        if (!answered.signal.aborted && !this.#isStopped) this.#sayUnanswered(child);
      });
    };
    let sent: SentChild;
    try {
      sent = await this.#sender.place(number, wanted, this.children, () => market.readBookView(), named);
    } finally {
      answered.abort();
    }
    this.#touched();
    const next = this.#sent(sent, wanted.role);
    // whether what the list has shown beside it is its duplicate
    if (sent.kind === 'sent' && sent.child.duplicates.size > 0) await this.#read(sent.child);
    return next;
  }

  /** The sender is still looking for what became of it. */
  #sayUnanswered({ role, amount, price }: ChildOrder): void {
    const what = `${this.#sideOf({ role })} ${formatAmount(amount)} ${this.terms.market.base} at ${grouped(price)}`;
    this.#state = 'settling';
    this.#reason = `It is not known yet whether the ${role} order was placed (${what})`;
    this.#keepNote();
    this.#tell('note', `${this.#reason}. pit keeps asking the exchange.`);
  }

  #sent(sent: SentChild, role: ChildRole): boolean {
    if (sent.kind === 'held') {
      this.pause(sent.cause, sent.reason, sent.cause === 'halt' ? null : role);
      return true;
    }
    if (sent.kind === 'later') {
      const isUnrecorded = sent.child !== null && isExit(sent.child) && sent.failure.kind === 'usage';
      // the disk is full: there is room for the order of a stop
      if (isUnrecorded && this.#options.store.freeReserve()) return true;
      this.#later(sent.failure, isUnrecorded ? 'NOT PROTECTED: ' : '');
      return false;
    }
    const { child, placement } = sent;
    const what = `${this.#sideOf(child)} ${formatAmount(child.amount)} ${this.terms.market.base} at ${grouped(child.price)}`;
    const { market } = this.#options;
    if (placement.outcome === 'placed') {
      [this.#failures, this.#retryAt] = [0, 0];
      this.#tell('placed', `Placed the ${child.role} order: ${what} (order ${placement.id}).`);
      this.#seen(child);
      return true;
    }
    if (placement.outcome === 'refused') {
      const { kind, message } = placement.refusal;
      this.#tell('rejected', `The exchange rejected the ${child.role} order (${what}): ${message}.`);
      if (kind === 'insufficientFunds') this.#options.funds.request();
      if (kind === 'tooFrequent' || kind === 'busy' || kind === 'locked' || kind === 'inTrouble') this.#limit();
      return true;
    }
    if (placement.outcome === 'notSent') {
      if (placement.halted === true) this.pause('halt', placement.reason);
      else if (placement.failure === 'limited') this.#limit();
      else this.#later(new Failure(placement.failure, `The ${child.role} order was not sent: ${placement.reason}.`));
      return placement.halted === true;
    }
    this.#settleAt = this.#options.trading.host.monotonic() + SETTLE_MS;
    this.#tell(
      'note',
      `It is not known yet whether the ${child.role} order was placed (${what}): ${placement.reason}.`,
    );
    market.tick();
    return true;
  }

  async #cancel(of: Child): Promise<void> {
    const { trading } = this.#options;
    const child = this.children.find(({ number }) => number === of.number);
    if (child === undefined) return;
    trading.budget.restart();
    const failure = await this.#sender.cancel(child, of);
    this.#touched();
    if (failure !== undefined) return this.#later(failure);
    await this.#read(child);
    if (child.end !== null && of.duplicate === null)
      this.#tell('childCancelled', `Cancelled the ${child.role} order at ${grouped(child.price)}.`);
  }

  get #needsRead(): boolean {
    return this.children.some(({ unfinishedIds }) => unfinishedIds.length > 0);
  }

  get #needsSettling(): boolean {
    return this.children.some(isUnsettled);
  }

  /** Reads the orders that may have changed, and finds out what became of children whose outcome is unknown. */
  async #readWhatIsDue(): Promise<void> {
    const { host } = this.#options.trading;
    if (this.#needsSettling && host.monotonic() >= this.#settleAt) await this.#settle();
    if (!this.#needsRead || host.monotonic() < this.#readAt) return;
    this.#readAt = host.monotonic() + READ_MS;
    for (const child of this.children) if (child.unfinishedIds.length > 0) await this.#read(child);
  }

  async #settle(): Promise<void> {
    const { trading, market } = this.#options;
    this.#settleAt = trading.host.monotonic() + SETTLE_MS;
    for (const child of this.children) {
      if (!isUnsettled(child)) continue;
      trading.budget.restart();
      const isKnown = await settleChild(trading, market.name, child);
      if (isKnown) {
        this.#touched();
        // a duplicate that a list has shown is read at once
        this.#readAt = 0;
      }
      this.#seen(child);
    }
  }

  async #read(child: ChildOrder): Promise<void> {
    const { trading, market } = this.#options;
    const before = child.order;
    try {
      trading.budget.restart();
      await readChild(trading, market.name, child);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#readAt = trading.host.monotonic() + READ_AGAIN_MS;
      return;
    }
    const pushed = market.ownOrder(child.orderId);
    const isBehind = pushed !== undefined && child.order !== null && pushed.filled !== child.order.filled;
    if (isBehind) this.#readAt = trading.host.monotonic() + READ_AGAIN_MS;
    if (child.sending === 'missing') return this.#missing(child);
    if (before?.state !== child.order?.state || before?.filled !== child.order?.filled) this.#touched();
    this.#seen(child);
  }

  /** The exchange does not show an order that it has shown, or whose id it gave. */
  #missing(child: ChildOrder): void {
    this.#missingReads += 1;
    if (this.#missingReads < MISSING_AFTER_READS) {
      child.sending = 'placed';
      this.#readAt = this.#options.trading.host.monotonic() + READ_AGAIN_MS;
      return;
    }
    this.pause('missing', `the exchange does not show order ${child.orderId} any more`, child.role);
  }

  /** Something of the account has changed by this algo order: balances that were read before are of the past. */
  #touched(): void {
    this.#changedAt = this.#options.trading.host.monotonic();
    this.#missingReads = 0;
  }

  /** The exchange has shown the order of a child. */
  #seen(child: ChildOrder): void {
    this.#tellFills(child);
    this.#keepClosed(child);
  }

  #keepClosed(child: ChildOrder): void {
    this.#keepDuplicates(child);
    const { end, clientId, order } = child;
    if (end === null || this.#said.has(`closed ${clientId}`)) return;
    this.#said.add(`closed ${clientId}`);
    if (order !== null) settleCancellationsOf(this.#options.trading, order);
    try {
      this.#options.store.addLine(this.id, { closed: clientId, end, order });
    } catch (error) {
      // the exchange shows it
      if (!(error instanceof Failure)) throw error;
    }
    const { archive } = this.#options.trading.journal;
    const { filled = '0' } = order ?? {};
    // what it left counts for the limit of the day when it is placed again; until then it counts in full
    if (filled !== child.amount) ignoringDiskErrors(() => archive.countFilled(clientId, filled));
  }

  /** The journal forgets them, and the list of what has ended counts them too. */
  #keepDuplicates({ clientId, duplicates }: ChildOrder): void {
    for (const [id, { order, isProven }] of duplicates) {
      if (order === null) continue;
      const shown = `duplicate ${id} ${order.state} ${order.filled} ${isProven}`;
      if (this.#said.has(shown)) continue;
      this.#said.add(shown);
      try {
        this.#options.store.addLine(this.id, { duplicateOf: clientId, order, isProven });
      } catch (error) {
        // the exchange shows it
        if (!(error instanceof Failure)) throw error;
      }
    }
  }

  /** From its first fill on, prices that are read anew are of a time in which there was something to protect. */
  #seePosition(children: readonly Child[]): void {
    const isThere = this.terms.entry === null || children.some((child) => !isExit(child) && child.filled.sign > 0);
    if (!isThere || this.#position !== undefined) return;
    const { market, trading } = this.#options;
    this.#position = {
      at: trading.host.monotonic(),
      time: this.terms.entry === null ? this.facts.began.time : market.now(),
    };
    if (this.terms.exits?.trail != null) market.refresh();
  }

  /** What a decision is made from. */
  #see(gap: SeenGap | undefined): AlgoMarket {
    const { market, funds, trading } = this.#options;
    const book = market.book();
    const last = market.lastTrades();
    const isSell = exitSideOf(this.terms) === 'sell';
    const spent = exitSideOf(this.terms) === 'sell' ? this.terms.market.base : this.terms.market.quote;
    const balance = funds.balanceSince(spent, this.#changedAt);
    const lockedUntil = this.#limitedUntil;
    return {
      now: market.now(),
      staleAfterMs: market.staleAfterMs,
      book,
      last:
        last === null
          ? null
          : { price: extreme(last.prices, isSell ? 'low' : 'high'), tradeId: this.#newestTrade, ageMs: last.ageMs },
      positionAgeMs: this.#position === undefined ? null : trading.host.monotonic() - this.#position.at,
      seen: this.#prices,
      gap: gap === undefined ? null : this.#gapOf(gap),
      met: this.#met,
      band: this.#band(),
      available: balance?.available ?? null,
      balance: balance?.total ?? null,
      fundsChanged: funds.changed,
      limitedUntil: lockedUntil !== null && lockedUntil > trading.client.now() ? lockedUntil : null,
    };
  }

  #gapOf({ gap, traded }: SeenGap): AlgoMarket['gap'] {
    const { market } = this.#options;
    const { time } = this.facts.began;
    // candles show what was before it began, too
    const known = gap.from < time ? market.tradedIn({ ...gap, from: time }) : (traded ?? market.tradedIn(gap));
    return { ...gap, high: known?.high ?? null, low: known?.low ?? null };
  }

  #band(): AlgoMarket['band'] {
    const share = this.#options.knownLimits()?.priceBand ?? null;
    const view = this.#options.market.bookView();
    const reference = share === null || view === undefined ? null : referenceOf(view, this.terms.side);
    if (share === null || reference === null) return null;
    return bandAround(reference.price, share, this.terms.market);
  }

  /** Says what the decision says, once. */
  #show({ state, reason, notes }: Decision): void {
    if (state === 'blind') this.#sayBlind();
    else if (this.#blind !== undefined && state !== 'settling') {
      if (this.#blind.isSaid) this.#tell('seen', `Data for ${this.terms.market.market} is current again.`);
      this.#blind = undefined;
    }
    // a market that is not seen yet has not been lost
    const isStarting = state === 'blind' && this.#blind?.isSaid !== true;
    const { terms, facts } = this;
    const children = this.children.flatMap((child) => child.children);
    [this.#state, this.#reason] = [isStarting ? stateOf({ terms, facts, children }) : state, reason];
    for (const note of notes) this.#say(note);
    // nothing is rejected while what is left rests, so that only a balance shows that they are back
    if (notes.some(({ note }) => note === 'gone' || note === 'short')) this.#options.funds.keepCurrent();
    this.#keepNote();
    if (reason?.startsWith('NOT PROTECTED') === true && !this.#said.has(reason)) {
      this.#said.add(reason);
      const { market } = this.terms.market;
      const ids = this.children.flatMap(({ duplicates }) =>
        [...duplicates].flatMap(([id, { order, isProven }]) => (isProven || order?.state !== 'open' ? [] : id)),
      );
      this.#tell('unprotected', `${reason}. If it is not yours, cancel it: pit cancel ${market} ${ids.join(' ')}`);
    }
  }

  /** Says it at once, or at the start once the market could not be seen for long enough. */
  #sayBlind(): void {
    const { host } = this.#options.trading;
    this.#blind ??= { since: host.monotonic(), isSaid: false };
    const isOver = this.#options.market.wasSeen || host.monotonic() - this.#blind.since >= STALE_MS;
    if (this.#blind.isSaid || !isOver) return;
    this.#blind.isSaid = true;
    const { market } = this.terms.market;
    this.#tell('blind', `No current data for ${market}: no stop triggers until it returns.`);
  }

  #keepNote(): void {
    const resumed = this.facts.resumed?.time ?? null;
    const note = `${resumed} ${this.#state} ${this.#reason}`;
    if (note === this.#note) return;
    this.#note = note;
    const since = this.#options.market.now();
    this.#options.store.note(this.id, { state: this.#state, reason: this.#reason, since, resumed });
  }

  #say(note: AlgoNote): void {
    const text = noteText(note, this.terms);
    const subject = this.#subjectOf(note) ?? text;
    if (this.#said.has(subject) || this.#said.has(text)) return;
    this.#said.add(subject).add(text);
    const line = { said: text, time: this.#options.market.now() };
    this.#saidLines.push(line);
    try {
      this.#options.store.addLine(this.id, line);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
    this.#tell(note.note === 'unprotected' ? 'unprotected' : 'note', text);
  }

  /** What a note is about whose numbers change although nothing new has happened. */
  #subjectOf(note: AlgoNote): string | null {
    // candles may show more of a gap than trades did
    if (note.note === 'missed') return `missed ${note.level} in the gap since ${this.#gap?.gap.from}`;
    // each fill leaves fewer coins
    return note.note === 'short' ? 'short' : null;
  }

  #tell(event: AlgoEvent['event'], text: string): void {
    const { market } = this.terms.market;
    this.#options.report({
      id: this.id,
      market,
      time: this.#options.market.now(),
      event,
      text,
      snapshot: this.snapshot,
    });
  }

  #tellFact(fact: AlgoFact): void {
    if (fact.fact === 'triggered')
      this.#tell(
        'triggered',
        `Triggered at ${grouped(fact.price.toString())} (${fact.source})${fact.late ? ', found late' : ''}.`,
      );
    if (fact.fact === 'paused') this.#tell('paused', `It is paused: ${fact.reason}.${this.#protectionText()}`);
    if (fact.fact === 'ended') this.#tell('ended', `It has ended (${fact.outcome}): ${fact.reason}.`);
    if (fact.fact === 'best') this.#prices = null;
  }

  #protectionText(): string {
    if (!hasStop(this.terms)) return '';
    return isHeldBack(this.facts, 'stop') ? ' NOT PROTECTED: no stop is sent meanwhile.' : ' The stop goes on.';
  }

  #tellFills(child: ChildOrder): void {
    const filled = child.order?.filled ?? '0';
    const before = this.#filled.get(child.clientId) ?? '0';
    if (Decimal.of(filled).compare(Decimal.of(before)) <= 0) return;
    this.#filled.set(child.clientId, filled);
    const of = `${formatAmount(filled)} of ${formatAmount(child.amount)} ${this.terms.market.base}`;
    this.#tell('filled', `The ${child.role} order has filled ${of} (order ${child.orderId}).`);
  }

  /** Writes a fact. Returns false if the disk does not take it: nothing may follow from it. */
  #add(fact: AlgoFact): boolean {
    const { store } = this.#options;
    try {
      store.add(this.id, fact);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // the disk is full: there is room for what a stop has to record
      if (fact.fact === 'triggered' && store.freeReserve()) return this.#add(fact);
      this.#later(error, 'NOT PROTECTED: ');
      return false;
    }
    this.facts = withFact(this.facts, fact);
    return true;
  }

  /** Something did not work that may work later. It is said once. */
  #later({ message }: Failure, before = ''): void {
    const { host } = this.#options.trading;
    this.#retryAt = host.monotonic() + backoffMs(this.#failures, RETRY_MS);
    this.#failures += 1;
    const text = `${before}${message}`;
    if (this.#reason !== text) this.#tell('note', `${text} pit tries again.`);
    this.#reason = text;
    this.#keepNote();
  }

  #limit(): void {
    const { client, host } = this.#options.trading;
    const locked = client.lockedUntil;
    const pause = backoffMs(this.#failures, { first: 1_000, longest: 30_000 });
    this.#failures += 1;
    this.#limitedUntil = locked === undefined ? client.now() + pause : client.now() + Math.max(0, locked - host.now());
    this.#until = this.#limitedUntil;
  }

  #sideOf(child: Pick<ChildOrder, 'role'>): string {
    return isExit(child) ? exitSideOf(this.terms) : this.terms.side;
  }
}

function isUnsettled({ sending, needsList }: ChildOrder): boolean {
  return sending === 'unknown' || sending === 'missing' || needsList;
}

function extreme(prices: readonly Decimal[], which: 'high' | 'low'): Decimal {
  return prices.reduce((found, price) => {
    const order = price.compare(found);
    return (which === 'high' ? order > 0 : order < 0) ? price : found;
  });
}

/** A note as a sentence. */
function noteText(note: AlgoNote, terms: AlgoTerms): string {
  const { market } = terms;
  const price = (value: Decimal) => grouped(value.trimmed().toString());
  const amount = (value: Decimal) => `${formatAmount(value.trimmed().toString())} ${market.base}`;
  switch (note.note) {
    case 'missed':
      return `The stop at ${price(note.level)} was reached (${price(note.price)}) while pit did not see the market, and left again: nothing was sold or bought.`;
    case 'reachedWhilePaused':
      return `The stop at ${price(note.level)} is reached, and the algo order is paused: NOT PROTECTED.`;
    case 'cancelledByOthers': {
      const { role, number, price: at, cancelRefused } = note.child;
      const order = `${role} order ${number} at ${price(at)}`;
      const what =
        cancelRefused === null
          ? `The ${order} was cancelled elsewhere.`
          : `The ${order} was final before it could be cancelled: it was cancelled elsewhere, or the network repeated the request.`;
      return `${what} It is not placed again.`;
    }
    case 'unprotected':
      return `${amount(note.amount)} has no exit: it is below the minimum of an order.`;
    case 'gone':
      return `${amount(note.amount)} of the position is gone from the account: the exits shrink.`;
    case 'short':
      return `${sentence(shortText(terms, note.coins, note.amount))}.`;
    case 'excess':
      return `THE NETWORK MADE AN ORDER TWICE: ${amount(note.amount)} more than asked has filled or may fill.`;
  }
}
