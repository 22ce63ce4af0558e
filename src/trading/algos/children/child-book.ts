import { Failure } from '../../../errors.js';
import type { OrderUpdate } from '../../../exchange/exchange.js';
import { TimeBudget } from '../../../platform/time-budget.js';
import type { DuplicateOrders } from '../../settling/duplicates.js';
import type { TradingContext } from '../../trading-context.js';
import { type Child, isExit } from '../plan/children.js';
import { type AlgoTerms, exitSideOf } from '../plan/terms.js';
import type { AlgoStore } from '../record/store.js';
import { ChildKeeper } from './child-keeper.js';
import type { ChildOrder } from './child-order.js';
import { readChild, readChildInList, settleChild } from './settle-child.js';

/** How often the orders of open children are read although no push says that they have changed, in milliseconds. */
const READ_MS = 15_000;
/** The same if no push is ever lost: only what it cannot show needs it. */
const READ_SURE_MS = 86_400_000;
/** How soon they are read again if a read failed, or a push showed more. */
const READ_AGAIN_MS = 1_000;
/** Between two tries to find out what became of a child: while a reached stop waits for it, and otherwise. */
const SETTLE_MS = { urgent: 2_000, usual: 5_000 };
/** How long one try lasts. */
const TRY_MS = 2_000;
/** An order that was shown, and is missing so often in a row, is missing. */
const MISSING_AFTER_READS = 3;

/** What a book of children tells those who use it. */
export interface ChildBookCallbacks {
  /** Something is known that was not known before. */
  readonly changed: () => void;
  /** The exchange has shown the order of a child. */
  readonly seen: (child: ChildOrder) => void;
  /** The exchange does not show the order of a child any more. */
  readonly missing: (child: ChildOrder) => void;
  readonly failed: (thrown: unknown) => void;
  /** Whether each change of an order is pushed for certain. */
  readonly isPushSure: boolean;
}

/**
 * The children of one algo order as the exchange shows them. It reads them, and finds out what became of those without an answer, beside
 * everything else: nobody waits for it. The first word of the exchange counts, whether that is an answer, a push, a list or the order itself.
 */
export class ChildBook {
  readonly #trading: TradingContext;
  readonly #terms: AlgoTerms;
  readonly #callbacks: ChildBookCallbacks;
  readonly orders: ChildOrder[];
  readonly #keeper: ChildKeeper;
  /** On the monotonic clock. */
  #readAt = 0;
  #settleAt = 0;
  #isReading = false;
  #isSettling = false;
  #missingReads = 0;
  /** When something of the account was changed by this algo order, on the monotonic clock: balances that were read before are of the past. */
  changedAt: number;

  constructor(
    trading: TradingContext,
    store: Pick<AlgoStore, 'addLine'>,
    terms: AlgoTerms,
    orders: readonly ChildOrder[],
    callbacks: ChildBookCallbacks,
  ) {
    [this.#trading, this.#terms, this.#callbacks] = [trading, terms, callbacks];
    this.#keeper = new ChildKeeper(terms.id, store, trading.journal.archive);
    this.orders = [...orders];
    this.changedAt = trading.host.monotonic();
  }

  /** As decisions see them. Of those that never were at the exchange, the newest of each role is enough. */
  get children(): Child[] {
    const last = new Map(this.orders.map((child) => [child.role, child]));
    const isNeeded = (child: ChildOrder) =>
      (child.sending !== 'refused' && child.sending !== 'notSent') || last.get(child.role) === child;
    return this.orders.filter(isNeeded).flatMap((child) => child.children);
  }

  of({ number }: Pick<Child, 'number'>): ChildOrder | undefined {
    return this.orders.find((child) => child.number === number);
  }

  /** Takes what was pushed: what it shows as final is, and the rest is read if it says more than what is known. */
  pushed(orders: readonly OrderUpdate[]): void {
    for (const child of this.orders) {
      const pushed = orders.find(({ id }) => id === child.orderId || child.duplicates.has(id));
      if (pushed === undefined) continue;
      const isOwn = pushed.id === child.orderId;
      const known = isOwn ? child.order : child.duplicates.get(pushed.id)?.order;
      if (known?.state === pushed.state && known.filled === pushed.filled) continue;
      this.readSoon();
      if (!isOwn || !mayTake(child, pushed)) continue;
      child.show(pushed, 'push');
      this.touched();
      this.#callbacks.seen(child);
    }
  }

  /** Takes orders that the network made twice, as somebody has found them. */
  duplicated(reports: readonly DuplicateOrders[]): void {
    for (const report of reports) {
      const child = this.orders.find(({ clientId }) => clientId === report.writeId);
      if (child === undefined) continue;
      child.addDuplicates(report);
      this.#keeper.keepDuplicates(child);
      this.#readAt = 0;
    }
  }

  readSoon(): void {
    this.#readAt = Math.min(this.#readAt, this.#trading.host.monotonic());
  }

  /** Somebody has just looked for what became of a child, in vain. */
  settleLater(isUrgent: boolean): void {
    this.#settleAt = this.#trading.host.monotonic() + (isUrgent ? SETTLE_MS.urgent : SETTLE_MS.usual);
  }

  touched(): void {
    this.changedAt = this.#trading.host.monotonic();
    this.#missingReads = 0;
  }

  /** Whether orders are read or looked for, so that something may change at any time. */
  get isUnsettled(): boolean {
    const isReadDue = !this.#callbacks.isPushSure || this.#isReading || this.#readAt <= this.#trading.host.monotonic();
    return this.#needsSettling || (this.#needsRead && isReadDue);
  }

  /** When {@link work} has something to do, on the monotonic clock; infinity if nothing is due. */
  get dueAt(): number {
    return Math.min(
      this.#needsRead && !this.#isReading ? this.#readAt : Number.POSITIVE_INFINITY,
      this.#needsSettling && !this.#isSettling ? this.#settleAt : Number.POSITIVE_INFINITY,
    );
  }

  /**
   * Begins what is due, and returns at once.
   * @param isUrgent whether a stop that is reached waits for it
   */
  work(isUrgent: boolean): Promise<void>[] {
    const now = this.#trading.host.monotonic();
    const begun: Promise<void>[] = [];
    if (this.#needsSettling && !this.#isSettling && now >= this.#settleAt) begun.push(this.#settle(isUrgent));
    if (this.#needsRead && !this.#isReading && now >= this.#readAt) begun.push(this.#read(isUrgent));
    return begun;
  }

  get #needsRead(): boolean {
    return this.orders.some(({ unfinishedIds }) => unfinishedIds.length > 0);
  }

  get #needsSettling(): boolean {
    return this.orders.some(({ isUnsettled }) => isUnsettled);
  }

  async #settle(isUrgent: boolean): Promise<void> {
    const { host } = this.#trading;
    this.#isSettling = true;
    try {
      for (const child of this.orders) {
        if (!child.isUnsettled) continue;
        this.#trading.budget.restart();
        const trading = { ...this.#trading, budget: new TimeBudget(TRY_MS, host.monotonic, true) };
        if (await settleChild(trading, this.#terms.market.market, child)) {
          this.touched();
          // a duplicate that a list has shown is read at once
          this.#readAt = 0;
        }
        this.seen(child);
      }
    } catch (error) {
      if (!(error instanceof Failure)) this.#callbacks.failed(error);
    } finally {
      this.#isSettling = false;
      this.settleLater(isUrgent);
      this.#callbacks.changed();
    }
  }

  async #read(isUrgent: boolean): Promise<void> {
    const { host } = this.#trading;
    this.#isReading = true;
    this.#readAt = host.monotonic() + (this.#callbacks.isPushSure ? READ_SURE_MS : READ_MS);
    try {
      // one that cannot be read does not delay the others
      await Promise.all(
        this.orders.map((child) => (child.unfinishedIds.length > 0 ? this.read(child, isUrgent) : null)),
      );
    } catch (error) {
      this.#callbacks.failed(error);
    } finally {
      this.#isReading = false;
      this.#callbacks.changed();
    }
  }

  /** Reads the order of a child. @param isUrgent whether its list is read if it cannot be */
  async read(child: ChildOrder, isUrgent: boolean): Promise<void> {
    const { host, budget } = this.#trading;
    const { order: before } = child;
    try {
      budget.restart();
      await readChild(this.#trading, this.#terms.market.market, child);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#readAt = Math.min(this.#readAt, host.monotonic() + READ_AGAIN_MS);
      if (!isUrgent || child.end !== null || !(await this.#readInList(child))) return;
    }
    if (child.sending === 'missing') return this.#missing(child);
    if (before?.state !== child.order?.state || before?.filled !== child.order?.filled) this.touched();
    this.seen(child);
  }

  async #readInList(child: ChildOrder): Promise<boolean> {
    const { market } = this.#terms.market;
    const side = isExit(child) ? exitSideOf(this.#terms) : this.#terms.side;
    try {
      await readChildInList(this.#trading, { market, side }, child);
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return false;
    }
  }

  /** The exchange does not show an order that it has shown, or whose id it gave. */
  #missing(child: ChildOrder): void {
    this.#missingReads += 1;
    if (this.#missingReads >= MISSING_AFTER_READS) this.#callbacks.missing(child);
    else {
      child.sending = 'placed';
      this.#readAt = this.#trading.host.monotonic() + READ_AGAIN_MS;
    }
  }

  /** The exchange has shown the order of a child. */
  seen(child: ChildOrder): void {
    this.#callbacks.seen(child);
    this.#keeper.keepDuplicates(child);
    if (child.isEndConfirmed) this.#keeper.keepEnd(child);
  }
}

/** Whether a push shows all that decisions need: what an entry has bought is known only with its fee. */
function mayTake(child: ChildOrder, pushed: OrderUpdate): boolean {
  return child.sending === 'placed' && (isExit(child) || pushed.fee !== null);
}
