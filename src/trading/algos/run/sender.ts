import { Failure, usage } from '../../../errors.js';
import { haltText } from '../../../exchange/exchange.js';
import { TimeBudget } from '../../../platform/time-budget.js';
import { type CancelAttempt, cancelOrders } from '../../cancel/cancel-orders.js';
import { AgentLimits } from '../../guards/agent-limits.js';
import { guardOrders } from '../../guards/guards.js';
import { type GuardLimits, requireDayNotional, requireOrderNotional } from '../../guards/limits.js';
import { SendGate } from '../../journal/entry.js';
import type { RecordedOrderTerms, RecordedWrite } from '../../journal/write.js';
import { placeOrder } from '../../orders/place.js';
import type { BookView } from '../../preview/market-view.js';
import type { Placement } from '../../settling/settle-sent-order.js';
import type { TradingContext } from '../../trading-context.js';
import { type Child, isExit, type NewChild } from '../plan/children.js';
import { mayPlace } from '../plan/may-place.js';
import { type AlgoTerms, exitSideOf } from '../plan/terms.js';
import { childId } from '../record/child-name.js';
import { type AlgoFacts, isHeldBack, type PauseCause } from '../record/facts.js';
import type { AlgoStore } from '../record/store.js';
import { ChildOrder } from './child-order.js';
import type { WatchedMarket } from './watched-market.js';

/** What sends the children of an algo order. */
export interface SenderContext {
  readonly trading: TradingContext;
  readonly store: Pick<AlgoStore, 'addLine' | 'read'>;
  /** Its clock is that of the decisions. */
  readonly market: Pick<WatchedMarket, 'now'>;
  /** The limits as they are now. Throws Failure `usage` if the profile has other hosts or keys by now, and `credentials`. */
  readonly limits: () => Promise<GuardLimits>;
}

/** How long the outcome of an order or a cancellation without an answer is waited for, in milliseconds: after that, others find it out. */
const PLACE_MS = 2_000;
const CANCEL_MS = 2_000;

/** The facts, as they are on disk, that forbid a child. */
interface Stopped {
  readonly kind: 'stopped';
  readonly facts: AlgoFacts;
}

/** What became of a child that was to leave. */
export type SentChild =
  | { readonly kind: 'sent'; readonly child: ChildOrder; readonly placement: Placement }
  /** It did not leave: by now the record has a fact that forbids it, which another process may have added. */
  | Stopped
  /** It did not leave: something that only the user can change held it back. */
  | { readonly kind: 'held'; readonly cause: PauseCause; readonly reason: string }
  /** It did not leave, and may a moment later. `child` is there if it has a record. */
  | Later
  /** It did not leave: what was decided has changed since. */
  | { readonly kind: 'unwanted' };

interface Later {
  readonly kind: 'later';
  readonly child: ChildOrder | null;
  readonly failure: Failure;
}

/** What the guards have read. */
interface Guarded {
  readonly limits: GuardLimits;
  readonly bestBid: string | undefined;
}

const NOT_WANTED: Extract<SentChild, { kind: 'unwanted' }> & { readonly failure: Failure } = {
  kind: 'unwanted',
  failure: new Failure('refused', 'Not sent: it is not wanted any more.'),
};

/**
 * The one place that sends the children of algo orders. A child leaves only if, with it, what has filled, is open or unknown stays
 * within what the algo order may trade, and only after the guards, the limits, the latch of `pit halt` and the facts on disk were asked
 * about it: the last two once it has its permit, so that who waits for the permits that are held knows that nothing else leaves. Its client
 * id is made of the algo order's and its number, and a number is used once: so whatever dies when, no child is sent twice.
 */
export class ChildSender {
  readonly #context: SenderContext;
  readonly #currentTerms: () => AlgoTerms;
  readonly #gates = new Set<SendGate>();
  /** The limits of the agent that made the algo order. */
  readonly #agent: AgentLimits | undefined;

  /** @param currentTerms with the rules that the market has now */
  constructor(context: SenderContext, currentTerms: () => AlgoTerms) {
    this.#context = context;
    this.#currentTerms = currentTerms;
    const { agent } = currentTerms();
    this.#agent = agent === undefined ? undefined : new AgentLimits(agent);
  }

  get #terms(): AlgoTerms {
    return this.#currentTerms();
  }

  /**
   * Sends a child, and finds out what became of it within {@link PLACE_MS}.
   * @param children all that the algo order has placed: the other leg may add to them meanwhile
   * @param readBook the book that the guards compare it with
   * @param isWanted asked at the last moment: while the guards were asked, a stop may have been reached
   * @param onNamed called with the child before anything leaves
   */
  async place(
    wanted: NewChild,
    children: readonly ChildOrder[],
    readBook: () => Promise<BookView | Failure>,
    isWanted: () => boolean,
    onNamed: (child: ChildOrder) => void,
  ): Promise<SentChild> {
    const { trading } = this.#context;
    const terms = this.#terms;
    const halt = await trading.client.halt();
    if (halt !== undefined) return held('halt', `the account is ${haltText(halt)}`);
    const guarded = await this.#guard(wanted, readBook);
    if ('kind' in guarded) return guarded;
    const placed = children.flatMap((child) => child.children);
    // from here on until it is named, nothing else happens
    if (!isWanted()) return NOT_WANTED;
    if (!mayPlace(terms, placed, wanted))
      return held(
        'guard',
        `this order would exceed ${terms.amount.trimmed()} ${terms.market.base}; this is a bug in pit, please report it`,
      );
    const number = Math.max(0, ...children.map((child) => child.number)) + 1;
    return this.#send(childId({ parent: terms.id, role: wanted.role, number }), wanted, guarded, isWanted, onNamed);
  }

  /** Sends a child that the guards allow. Until `onNamed` it does nothing asynchronous. */
  async #send(
    id: string,
    wanted: NewChild,
    { limits, bestBid }: Guarded,
    isWanted: () => boolean,
    onNamed: (child: ChildOrder) => void,
  ): Promise<SentChild> {
    const { trading, store, market: clock } = this.#context;
    const { id: algo, market } = this.#terms;
    const order = this.#orderOf(wanted);
    const { type, price, amount } = order;
    const line = { child: id, type, price, amount, time: clock.now() };
    const child = new ChildOrder(line);
    // a record of this name may be there although the line is not: after a power failure
    if (trading.journal.findUnsettled(id) !== undefined) {
      child.sending = 'unknown';
      onNamed(child);
      return { kind: 'later', child, failure: new Failure('unknown', `What became of ${id} is not known yet.`) };
    }
    let limit: Failure | undefined;
    const requireWithinLimits = async (write: RecordedWrite) => {
      try {
        requireOrderNotional([order], market.quote, limits, bestBid);
        requireDayNotional(trading, market.quote, limits);
        await this.#agentOf(wanted)?.requireRoom(trading, write);
        if (!isWanted()) throw NOT_WANTED.failure;
      } catch (error) {
        // what could not be counted may be counted a moment later
        if (error instanceof Failure && error.kind === 'usage') limit = error;
        throw error;
      }
    };
    let forbidding: Stopped | Later | undefined;
    const gate = new SendGate(() => {
      forbidding = this.#forbidding(wanted);
      return forbidding === undefined;
    });
    this.#gates.add(gate);
    try {
      store.addLine(algo, line);
      onNamed(child);
      const budget = new TimeBudget(PLACE_MS, trading.host.monotonic, true);
      const placement = await placeOrder({ ...trading, budget }, order, {
        ...{ id, bestBid, requireWithinLimits, gate },
        isUrgent: wanted.role === 'stop',
      });
      take(child, placement);
      if (forbidding !== undefined) return forbidding;
      return { kind: 'sent', child, placement };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // nothing was sent, and nothing will be under this number
      child.sending = 'notSent';
      if (error === NOT_WANTED.failure) return NOT_WANTED;
      if (limit !== undefined || error.kind === 'credentials')
        return held(limit === undefined ? 'account' : 'guard', withoutEnd(error.message));
      return { kind: 'later', child, failure: error };
    } finally {
      this.#gates.delete(gate);
    }
  }

  #orderOf(wanted: NewChild): RecordedOrderTerms {
    const { market, account, borrow, repay } = this.#terms;
    return {
      market: market.market,
      side: this.#sideOf(wanted),
      type: wanted.type,
      account,
      price: wanted.price.trimmed().toString(),
      amount: wanted.amount.trimmed().toString(),
      borrow,
      repay,
    };
  }

  /**
   * Cancels the order of a child, and finds out what became of that within {@link CANCEL_MS}.
   * @param onAnswer called when the exchange's answer has shown that the order is final
   */
  async cancel(child: ChildOrder, of: Child, onAnswer: () => void): Promise<Failure | undefined> {
    const { trading } = this.#context;
    const { market } = this.#terms;
    const id = child.idOf(of);
    if (id === null) return undefined;
    const wasCancelledHere = child.isCancelledHere;
    // until the answer is known
    if (id === child.orderId) child.isCancelledHere = true;
    const isNoted = id === child.orderId && this.#noteCancellation(child, false);
    const wasInVain = () => {
      child.isCancelledHere = wasCancelledHere;
      if (isNoted) this.#noteCancellation(child, true);
    };
    try {
      // unlike an order, a cancellation may be repeated: nothing waits until its request has expired
      const budget = new TimeBudget(CANCEL_MS, trading.host.monotonic, true);
      const onResponse = ({ accepted }: CancelAttempt) => {
        if (id !== child.orderId || accepted === undefined) return;
        child.showCancelled(accepted);
        if (child.end !== null) onAnswer();
      };
      const [attempt] = await cancelOrders({ ...trading, budget }, market.market, [{ id }], onResponse);
      if (attempt === undefined) return undefined;
      const { result, wasRejected } = attempt;
      const isRejected = wasRejected || result.outcome === 'refused';
      if (isRejected) child.cancelRefused = trading.client.now();
      if (id !== child.orderId) return undefined;
      // a push, or the answer, may have shown it
      child.isCancelUnknown = result.outcome === 'unknown' && child.end === null;
      // what was final already may have been cancelled by others: then it is not placed again
      if (isRejected) wasInVain();
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // it throws only if nothing was sent
      wasInVain();
      return error;
    }
  }

  /** Returns false if the disk does not take it: the child is cancelled all the same. */
  #noteCancellation({ clientId: cancelling }: ChildOrder, isInVain: boolean): boolean {
    try {
      this.#context.store.addLine(this.#terms.id, { cancelling, isInVain });
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return false;
    }
  }

  /** From now on nothing leaves that has not left. */
  stop(): void {
    for (const gate of this.#gates) gate.cancel();
  }

  /**
   * The agent whose limits a child has to keep. A sell that ends a position does not: as a whole, the algo order was counted when it was made,
   * and a stop that is held back because the price has risen protects nobody. The limits of the profile hold for it too.
   */
  #agentOf(wanted: NewChild): AgentLimits | undefined {
    return isExit(wanted) && this.#sideOf(wanted) === 'sell' ? undefined : this.#agent;
  }

  #sideOf({ role }: NewChild) {
    return role === 'entry' ? this.#terms.side : exitSideOf(this.#terms);
  }

  /** What the record says now that forbids a child; undefined if nothing does. */
  #forbidding({ role }: NewChild): Stopped | Later | undefined {
    const { store } = this.#context;
    const { id } = this.#terms;
    try {
      const { facts, problem = 'its record is gone' } = store.read(id) ?? {};
      if (facts === undefined) return later(usage(`NOT PROTECTED: nothing is sent for ${id}: ${problem}.`));
      const isForbidden = facts.cancelled !== null || facts.ended !== null || isHeldBack(facts, role);
      return isForbidden ? { kind: 'stopped', facts } : undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return later(error);
    }
  }

  async #guard(wanted: NewChild, readBook: () => Promise<BookView | Failure>): Promise<Guarded | SentChild> {
    const { trading, limits: readLimits } = this.#context;
    let limits: GuardLimits;
    const agent = this.#agentOf(wanted);
    try {
      limits = await readLimits();
      agent?.requireAllowed({ market: this.#terms.market.market, borrows: this.#terms.borrow });
      if (agent !== undefined) limits = agent.within(limits);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return held('account', withoutEnd(error.message));
    }
    const { market } = this.#terms;
    const orders = [{ price: wanted.price.trimmed().toString(), amount: wanted.amount.trimmed().toString() }];
    const plan = { market, side: this.#sideOf(wanted), type: wanted.type, orders };
    const { breaches, bestBid } = guardOrders(trading, plan, await readBook(), limits);
    const [unchecked] = breaches.flatMap(({ failure }) => failure ?? []);
    if (unchecked !== undefined) return { kind: 'later', child: null, failure: unchecked };
    const [breach] = breaches;
    // the best price has moved since it was decided: the next decision takes the new one
    if (breach?.guard === 'post-only')
      return { kind: 'later', child: null, failure: new Failure('refused', `Not sent: ${breach.message}.`) };
    return breach === undefined ? { limits, bestBid } : held('guard', `${breach.guard}: ${breach.message}`);
  }
}

function held(cause: PauseCause, reason: string): SentChild {
  return { kind: 'held', cause, reason };
}

function later(failure: Failure): Later {
  return { kind: 'later', child: null, failure };
}

/** Notes in a child what was found out about it. */
function take(child: ChildOrder, placement: Placement): void {
  if (placement.outcome === 'placed') {
    child.sending = 'placed';
    child.orderId = placement.id;
    child.needsList = placement.duplicates === null;
    if (placement.order !== null) child.show(placement.order);
    const own = placement.duplicates?.filter(({ writeId }) => writeId === child.clientId) ?? [];
    for (const { ids, shown, isProven } of own)
      for (const id of ids) child.addDuplicate(id, shown.find((order) => order.id === id) ?? null, isProven);
  } else {
    child.sending = placement.outcome;
    if (placement.outcome === 'refused') child.refusal = placement.refusal;
  }
}

function withoutEnd(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
