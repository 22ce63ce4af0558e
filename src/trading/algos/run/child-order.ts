import { Decimal } from '../../../domain/decimal.js';
import type { Cancellation, Order, OrderType } from '../../../domain/order.js';
import type { Refusal } from '../../../domain/refusal.js';
import { Failure, tryRead } from '../../../errors.js';
import { readOrderHistory } from '../../history/order-history.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { Journal } from '../../journal/journal.js';
import { isKind, type MarketSide, type Settlement } from '../../journal/write.js';
import type { DuplicateOrders } from '../../settling/duplicates.js';
import { findOrderOutcome } from '../../settling/find-order.js';
import { readOrderList } from '../../settling/order-list.js';
import { reconcileOrders } from '../../settling/reconcile-orders.js';
import { settleOrder } from '../../settling/settle-order.js';
import type { TradingContext } from '../../trading-context.js';
import type { Child, ChildEnd, ChildRole } from '../plan/children.js';
import { childName } from '../record/child-name.js';
import type { CancellationLine, ChildLine, FactRecord } from '../record/store.js';

/** The order of a child that the network made twice. */
interface DuplicateOrder {
  readonly order: Order | null;
  readonly isProven: boolean;
  /** Whether the exchange was asked where the client id leads: it can prove nothing more. */
  readonly isCompared: boolean;
}

/**
 * What became of sending it. `recorded`: it is being sent. `unknown`: no answer came, and nothing has shown the outcome yet.
 * `missing`: it was placed, and the exchange does not show it any more.
 */
type Sending = 'recorded' | 'unknown' | 'placed' | 'missing' | 'refused' | 'notSent';

/** A child with the order that it became, as the journal and the exchange show it. */
export class ChildOrder {
  readonly role: ChildRole;
  readonly number: number;
  readonly clientId: string;
  readonly type: OrderType;
  readonly price: string;
  readonly amount: string;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly time: number;

  sending: Sending = 'recorded';
  /** As the answer named it, or what was read later; null if neither did. */
  orderId: string | null = null;
  /** As the exchange showed it last. */
  order: Order | null = null;
  refusal: Refusal | null = null;
  /** When the exchange last rejected its cancellation, or did not answer it, and it was open all the same. */
  cancelRefused: number | null = null;
  /** Whether a cancellation of it got no answer that decides it. */
  isCancelUnknown = false;
  /** Whether this algo order has cancelled it, or may have. What was final before its cancellation was cancelled by others. */
  isCancelledHere = false;
  /** Whether a list is still to be read: only that shows whether the network made it twice. Until then nothing follows from it. */
  needsList = false;
  readonly duplicates = new Map<string, DuplicateOrder>();
  /** How much of it an earlier process has told the user has filled. */
  toldFill = '0';
  #end: ChildEnd | null = null;
  /** What {@link children} gave last, and what it was made of. */
  #shown: readonly Child[] = [];
  #shownState: readonly unknown[] = [];
  /** What has shown it as final, while no read has: it is read once more, for its fee and for what filled at the last moment. */
  #finalBy: 'answer' | 'push' | null = null;

  constructor({ child, type, price, amount, time }: ChildLine) {
    const name = childName(child);
    if (name === undefined) throw new Error(`${child} is no child`);
    this.clientId = child;
    this.role = name.role;
    this.number = name.number;
    [this.type, this.price, this.amount, this.time] = [type, price, amount, time];
  }

  /** How it was closed; null while anything may come of it. */
  get end(): ChildEnd | null {
    if (this.#end !== null) return this.#end;
    if (this.sending === 'refused') return 'rejected';
    if (this.sending === 'notSent') return 'notSent';
    if (this.sending !== 'placed' || this.order === null) return null;
    const { state } = this.order;
    if (state === 'filled') return 'filled';
    if (state !== 'cancelled') return null;
    // a post-only order that would fill at once is rejected, never cancelled
    return this.type === 'ioc' || this.isCancelledHere ? 'cancelled' : 'cancelledByOthers';
  }

  /**
   * Takes what the exchange shows of the order, in a read or in a push: the first that shows it as final counts. What has ended stays so, and
   * what is filled stays filled, whatever is behind.
   */
  show(order: Order, by: 'read' | 'push' = 'read'): void {
    const { order: before } = this;
    const isFinal = before !== null && before.state !== 'open';
    // an answer is the least of the proofs: an order that is read as open after it is open, and is cancelled again
    const isOpenAgain = isFinal && order.state === 'open' && by === 'read' && this.#finalBy === 'answer';
    const isBehind = before !== null && Decimal.of(order.filled).compare(Decimal.of(before.filled)) < 0;
    if (isFinal && order.state === 'open' && !isOpenAgain) return;
    const { state } = order;
    [this.sending, this.orderId] = ['placed', order.id];
    this.order = isBehind ? { ...before, state } : { ...order, clientId: before?.clientId ?? order.clientId };
    if (state !== 'open') this.isCancelUnknown = false;
    this.#finalBy = state === 'open' || by === 'read' ? null : (this.#finalBy ?? by);
  }

  /**
   * Takes the answer to its cancellation, if it names the amounts of this order: then it is final, and no more has filled. An answer without them
   * shows nothing.
   */
  showCancelled({ price, amount, filled, filledValue }: Cancellation): void {
    const { order } = this;
    const isSame = (one: string | null, other: string) => one !== null && Decimal.of(one).equals(Decimal.of(other));
    if (order?.state !== 'open' || filled === null || !isSame(price, order.price) || !isSame(amount, order.amount))
      return;
    const isLess = Decimal.of(filled).compare(Decimal.of(order.filled)) < 0;
    const fills = isLess ? {} : { filled, filledValue: filledValue ?? order.filledValue };
    this.order = { ...order, ...fills, state: isSame(filled, order.amount) ? 'filled' : 'cancelled' };
    [this.isCancelUnknown, this.#finalBy] = [false, 'answer'];
  }

  /** Whether a read has shown how it ended, or a list, or its record. */
  get isEndConfirmed(): boolean {
    return this.#finalBy === null;
  }

  /** Takes what its record said when it was closed. */
  showClosed(end: ChildEnd, order: Order | null): void {
    this.#end = end;
    this.order = order;
    // it is told before that is recorded
    this.toldFill = order?.filled ?? '0';
    this.orderId = order?.id ?? null;
    this.sending = end === 'rejected' ? 'refused' : end === 'notSent' ? 'notSent' : 'placed';
  }

  /** Takes what the journal knows of its outcome. */
  settled({ outcome, id, duplicates }: Settlement): void {
    if (outcome === 'placed') [this.sending, this.orderId] = ['placed', id];
    else if (outcome === 'refused' || outcome === 'notSent') this.sending = outcome;
    for (const duplicate of duplicates) this.addDuplicate(duplicate, null, false);
  }

  addDuplicate(id: string, order: Order | null, isProven: boolean, isCompared = isProven): void {
    if (id === this.orderId) return;
    const known = this.duplicates.get(id);
    this.duplicates.set(id, {
      order: order ?? known?.order ?? null,
      isProven: isProven || known?.isProven === true,
      isCompared: isCompared || known?.isCompared === true,
    });
  }

  /** Takes what a list has shown beside its order. */
  addDuplicates({ ids, shown, isProven, recordedOutcome }: DuplicateOrders): void {
    for (const id of ids) {
      const order = shown.find((one) => one.id === id) ?? null;
      // it counted as refused or not sent, and is there after all
      if (recordedOutcome !== undefined && order !== null && this.orderId === null) this.show(order);
      else this.addDuplicate(id, order, isProven);
    }
  }

  /** The ids of its order and its duplicates that are still to be read. */
  get unfinishedIds(): readonly string[] {
    const isUnread = this.end === null || this.#finalBy !== null;
    const own = this.sending === 'placed' && isUnread && this.orderId !== null ? [this.orderId] : [];
    const others = [...this.duplicates].filter(
      ([, { order, isCompared }]) => order === null || order.state === 'open' || !isCompared,
    );
    return [...own, ...others.map(([id]) => id)];
  }

  /** As decisions see it, with its duplicates. Each look asks for it, and seldom anything has changed. */
  get children(): readonly Child[] {
    const state = [
      ...[this.sending, this.order, this.refusal, this.cancelRefused],
      ...[this.isCancelUnknown, this.isCancelledHere, this.needsList, this.#end],
    ];
    const isSame = this.duplicates.size === 0 && state.every((value, index) => value === this.#shownState[index]);
    if (!isSame) [this.#shown, this.#shownState] = [this.#show(), this.duplicates.size === 0 ? state : []];
    return this.#shown;
  }

  #show(): readonly Child[] {
    const { role, number, type, price, amount, time, order, cancelRefused } = this;
    const end = this.needsList ? null : this.end;
    const common = { role, number, type, price: Decimal.of(price), amount: Decimal.of(amount), time, cancelRefused };
    const isUndecided = this.isCancelUnknown || this.needsList;
    const isOpen = end === null && this.sending === 'placed' && order !== null && !isUndecided;
    const state = end !== null ? 'closed' : isOpen ? 'open' : this.sending === 'recorded' ? 'recorded' : 'unknown';
    const { refusal } = this;
    const own = { ...common, state, end, ...fillsOf(order), refusal, duplicate: null } as const;
    const others = [...this.duplicates.values()].map((one): Child => {
      const isClosed = one.order !== null && one.order.state !== 'open';
      const ended = one.order?.state === 'filled' ? 'filled' : 'cancelled';
      return {
        ...common,
        state: isClosed ? 'closed' : one.order === null ? 'unknown' : 'open',
        end: isClosed ? ended : null,
        ...fillsOf(one.order),
        refusal: null,
        duplicate: one.isProven ? 'proven' : 'unproven',
      };
    });
    return [own, ...others];
  }

  /** The id of the order that a child of a decision is. */
  idOf(child: Child): string | null {
    if (child.duplicate === null) return this.orderId;
    const isProven = child.duplicate === 'proven';
    const open = [...this.duplicates].find(([, one]) => one.order?.state === 'open' && one.isProven === isProven);
    return open?.[0] ?? null;
  }
}

function fillsOf(order: Order | null): Pick<Child, 'filled' | 'filledValue' | 'fees'> {
  if (order === null) return { filled: Decimal.zero, filledValue: Decimal.zero, fees: [] };
  const filled = Decimal.of(order.filled);
  const { fee, feeCoin } = order;
  const fees = fee === null || feeCoin === null ? null : [{ coin: feeCoin, amount: Decimal.of(fee) }];
  return { filled, filledValue: Decimal.of(order.filledValue), fees: filled.sign === 0 ? [] : fees };
}

/** The journal is read so much further back than an algo order began, because clocks differ. In milliseconds. */
const CLOCK_SLACK_MS = 86_400_000;

/** What the journal has of the children of some algo orders. It is read once for all of them. */
export class ChildrenInJournal {
  readonly #journal: Journal;
  readonly #lines = new Map<string, ChildLine>();
  readonly #settlements = new Map<string, Settlement>();
  readonly entries = new Map<string, JournalEntry<'order'>>();

  /**
   * @param since when the first of the algo orders began, in milliseconds since the Unix epoch
   * @throws Failure `usage` if the journal cannot be read
   */
  constructor(journal: Journal, since: number) {
    this.#journal = journal;
    // the unsettled first: what is settled meanwhile is in both
    for (const entry of journal.unsettledEntries()) {
      if (!entry.isKind('order') || childName(entry.write.id) === undefined) continue;
      this.entries.set(entry.write.id, entry);
      const { reqTime, terms } = entry.write;
      this.#lines.set(entry.write.id, { ...terms, child: entry.write.id, time: reqTime });
    }
    for (const { write, ...settlement } of journal.archive.newestFirst({}, since - CLOCK_SLACK_MS)) {
      if (!isKind(write, 'order') || childName(write.id) === undefined) continue;
      this.entries.delete(write.id);
      this.#settlements.set(write.id, settlement);
      this.#lines.set(write.id, { ...write.terms, child: write.id, time: write.reqTime });
    }
  }

  /** The children of an algo order, oldest first: those that its record names, and those that the journal has. */
  of({ id, children, cancellations, closed, duplicates, toldFills }: FactRecord): ChildOrder[] {
    const lines = new Map(children.map((line) => [line.child, line]));
    for (const [child, line] of this.#lines) if (childName(child)?.parent === id) lines.set(child, line);
    const found = [...lines.values()].map((line) => this.#childOf(line));
    for (const child of found) child.isCancelledHere = mayHaveCancelled(child.clientId, cancellations);
    for (const { closed: child, end, order } of closed)
      found.find(({ clientId }) => clientId === child)?.showClosed(end, order);
    for (const { duplicateOf, order, isProven } of duplicates)
      found.find(({ clientId }) => clientId === duplicateOf)?.addDuplicate(order.id, order, isProven);
    for (const { toldFillOf, filled } of toldFills) {
      const child = found.find(({ clientId }) => clientId === toldFillOf);
      if (child !== undefined) child.toldFill = filled;
    }
    return found.sort((one, other) => one.number - other.number);
  }

  /**
   * The children, for a process that continues an algo order. The process before it may have died between an answer and the list that
   * shows duplicates, so a child whose record is not closed needs a list. One that died while it put a record away has left it among the
   * unsettled, where it keeps identical orders from being sent: it is settled again.
   */
  toContinue(record: FactRecord): ChildOrder[] {
    const children = this.of(record);
    const unclosed = new Set(this.#journal.unclosedEntries().map(({ write }) => write.id));
    for (const child of children) {
      if (this.#journal.findUnsettled(child.clientId)?.isUnderWay === false) child.sending = 'unknown';
      child.needsList = child.sending === 'placed' && unclosed.has(child.clientId);
    }
    return children;
  }

  #childOf(line: ChildLine): ChildOrder {
    const child = new ChildOrder(line);
    const settlement = this.#settlements.get(line.child);
    if (settlement !== undefined) child.settled(settlement);
    else child.sending = 'unknown';
    return child;
  }
}

/** Whether one of the cancellations of a child may have cancelled it. */
function mayHaveCancelled(child: string, lines: readonly CancellationLine[]): boolean {
  const own = lines.filter(({ cancelling }) => cancelling === child);
  const inVain = own.filter(({ isInVain }) => isInVain).length;
  return own.length - inVain > inVain;
}

/** The journal forgets what is older, in milliseconds: then only the exchange knows it. */
const FORGOTTEN_MS = 13 * 86_400_000;

/**
 * Finds out what became of a child whose outcome is unknown, and whether the network made it twice, within the time budget.
 * @returns whether both are known now
 */
export async function settleChild(trading: TradingContext, market: string, child: ChildOrder): Promise<boolean> {
  const isKnown = (child.sending === 'placed' && child.needsList) || (await findOutcome(trading, market, child));
  if (child.needsList) child.needsList = !(await compareWithList(trading, market, child));
  return isKnown && !child.needsList;
}

/** Reads the order of a child in the list of its side, for an exchange that does not show single orders now. Throws Failure if that fails. */
export async function readChildInList(trading: TradingContext, side: MarketSide, child: ChildOrder): Promise<void> {
  const isChild = ({ id }: Order) => id === child.orderId;
  const isEnough = (orders: readonly Order[]) => orders.some((order) => isChild(order) || order.time < child.time);
  const { orders } = await readOrderHistory(trading, side, { isEnough });
  const order = orders.find(isChild);
  if (order !== undefined) child.show(order);
}

async function findOutcome(trading: TradingContext, market: string, child: ChildOrder): Promise<boolean> {
  const { journal, client } = trading;
  const entry = journal.findUnsettled(child.clientId);
  if (entry !== undefined) {
    if (!entry.isKind('order') || !(entry.isOwn || entry.claim())) return false;
    const found = await findOrderOutcome(trading, entry);
    settleOrder(entry, found);
    if (found.outcome === 'placed') {
      child.show(found.order);
      child.needsList = true;
    } else if (found.outcome !== 'unknown') child.sending = found.outcome;
    if (found.outcome === 'refused') child.refusal = found.refusal;
    return found.outcome !== 'unknown';
  }
  const settled = journal.archive.find(child.clientId);
  if (settled !== undefined) {
    child.settled(settled);
    child.needsList = child.sending === 'placed';
    return child.sending !== 'unknown';
  }
  const order = await tryRead(async () => (await client.findOrder(market, { clientId: child.clientId })) ?? null);
  if (order === undefined) return false;
  if (order !== null) child.show(order);
  // it was named before it was recorded, so without a record it was never sent
  else if (client.now() - child.time < FORGOTTEN_MS) child.sending = 'notSent';
  return order !== null || child.sending === 'notSent';
}

/** Compares a placed child with a list that goes back to its request. Returns whether that was read. */
async function compareWithList(trading: TradingContext, market: string, child: ChildOrder): Promise<boolean> {
  const { journal } = trading;
  try {
    // the list that closed it has shown all that its requests made
    const entry = journal.unclosedEntries(market).find(({ write }) => write.id === child.clientId);
    if (entry?.isKind('order')) {
      const list = await readOrderList(trading, entry.write.terms, entry.write.reqTime);
      for (const report of (await reconcileOrders(trading, list)).duplicates)
        if (report.writeId === child.clientId) child.addDuplicates(report);
    }
    // another process may have recorded some
    const settled = journal.archive.find(child.clientId);
    if (settled !== undefined) child.settled(settled);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // it was read, and the duplicates of other orders are left to a command whose output somebody sees
    return error.kind === 'partial';
  }
}

/** Reads the orders of a child that may have changed. Throws Failure if the exchange cannot be read. */
export async function readChild({ client }: TradingContext, market: string, child: ChildOrder): Promise<void> {
  for (const id of child.unfinishedIds) {
    // what an answer or a push shows meanwhile is newer
    const wasFinal = child.end !== null;
    const order = await orUndefinedIfGone(() => client.getOrder(market, { id }));
    if (id !== child.orderId) {
      const isProven = child.duplicates.get(id)?.isProven || (await isOneOfPair(client, market, child));
      if (order !== undefined) child.addDuplicate(id, order, isProven, true);
      else child.duplicates.delete(id);
    } else if (order === undefined) child.sending = 'missing';
    else if (order.state !== 'open' || wasFinal || child.end === null) {
      child.show(order);
      // it may be cancelled again: that is harmless even if the first request still arrives
      if (order.state === 'open' && child.isCancelUnknown) {
        child.isCancelUnknown = false;
        child.cancelRefused = client.now();
      }
    }
  }
}

/**
 * Whether the client id of a child leads to its order or to a duplicate of it. The exchange shows only the newest order with a client
 * id. The settler took the other one for its duplicate, by the same terms within the time of the same request: it is the twin.
 */
async function isOneOfPair(
  client: TradingContext['client'],
  market: string,
  { clientId, orderId, duplicates }: ChildOrder,
): Promise<boolean> {
  const newest = (await client.findOrder(market, { clientId }))?.id;
  return newest !== undefined && (newest === orderId || duplicates.has(newest));
}

async function orUndefinedIfGone(read: () => Promise<Order>): Promise<Order | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.refusal === 'notFound') return undefined;
    throw error;
  }
}
