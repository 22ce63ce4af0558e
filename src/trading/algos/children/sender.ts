import { Failure, usage } from '../../../errors.js';
import { haltText } from '../../../exchange/exchange.js';
import { TimeBudget } from '../../../platform/time-budget.js';
import { AgentLimits } from '../../guards/agent-limits.js';
import { type GuardLimits, requireDayNotional, requireOrderNotional } from '../../guards/limits.js';
import { SendGate } from '../../journal/entry.js';
import type { RecordedOrderTerms, RecordedWrite } from '../../journal/write.js';
import { placeOrder } from '../../orders/place.js';
import type { BookView } from '../../preview/market-view.js';
import type { Placement } from '../../settling/settle-sent-order.js';
import type { TradingContext } from '../../trading-context.js';
import type { WatchedMarket } from '../market/watched-market.js';
import { isExit, type NewChild } from '../plan/children.js';
import { mayPlace } from '../plan/may-place.js';
import { type AlgoTerms, exitSideOf } from '../plan/terms.js';
import { childId } from '../record/child-name.js';
import { isHeldBack } from '../record/facts.js';
import type { AlgoStore } from '../record/store.js';
import { ChildOrder } from './child-order.js';
import { type Guarded, guardChild } from './guard-child.js';
import { held, heldBy, type Later, later, type SentChild, type Stopped } from './sent-child.js';

/** What sends the children of an algo order. */
export interface SenderContext {
  readonly trading: TradingContext;
  readonly store: Pick<AlgoStore, 'addLine' | 'read'>;
  /** Its clock is that of the decisions. */
  readonly market: Pick<WatchedMarket, 'now'>;
  /** The limits as they are now. Throws Failure `usage` if the profile has other hosts or keys by now, and `credentials`. */
  readonly limits: () => Promise<GuardLimits>;
}

/** How long the outcome of an order without an answer is waited for, in milliseconds: after that, others find it out. */
const PLACE_MS = 2_000;

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
    const side = this.#sideOf(wanted);
    const asked = { wanted, side, terms, agent: this.#agentOf(wanted) };
    const guarded = await guardChild(trading, asked, this.#context.limits, readBook);
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
      return unsentBecause(error, child, limit !== undefined);
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
}

/** What follows for a child that has not left because of a failure. @param isLimit whether a limit is exceeded */
function unsentBecause(failure: Failure, child: ChildOrder, isLimit: boolean): SentChild {
  if (failure === NOT_WANTED.failure) return NOT_WANTED;
  if (isLimit) return heldBy('guard', failure);
  if (failure.kind === 'credentials') return heldBy('account', failure);
  return { kind: 'later', child, failure };
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
