import { Decimal } from '../../../domain/decimal.js';
import type { Cancellation, Order, OrderType } from '../../../domain/order.js';
import type { Refusal } from '../../../domain/refusal.js';
import type { Settlement } from '../../journal/write.js';
import type { DuplicateOrders } from '../../settling/duplicates.js';
import type { Child, ChildEnd, ChildRole } from '../plan/children.js';
import { KeptValue } from '../plan/kept-value.js';
import type { NewChildLine } from '../record/child-lines.js';
import { childName } from '../record/child-name.js';

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
  /** What {@link children} gave last. */
  readonly #shown = new KeptValue<readonly Child[]>();
  /** What has shown it as final, while no read has: it is read once more, for its fee and for what filled at the last moment. */
  #finalBy: 'answer' | 'push' | null = null;

  constructor({ child, type, price, amount, time }: NewChildLine) {
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

  /** Whether what became of sending it, or whether the network made it twice, is still to be found out. */
  get isUnsettled(): boolean {
    return this.sending === 'unknown' || this.sending === 'missing' || this.needsList;
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
    if (this.duplicates.size > 0) return this.#show();
    const state = [
      ...[this.sending, this.order, this.refusal, this.cancelRefused],
      ...[this.isCancelUnknown, this.isCancelledHere, this.needsList, this.#end],
    ];
    return this.#shown.of(state, () => this.#show());
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
