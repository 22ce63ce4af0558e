import { Failure } from '../../../errors.js';
import { TimeBudget } from '../../../platform/time-budget.js';
import { type CancelAttempt, cancelOrders } from '../../cancel/cancel-orders.js';
import type { TradingContext } from '../../trading-context.js';
import type { Child } from '../plan/children.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { AlgoStore } from '../record/store.js';
import type { ChildOrder } from './child-order.js';

/** How long the outcome of a cancellation without an answer is waited for, in milliseconds: after that, others find it out. */
const CANCEL_MS = 2_000;

/** What cancels the children of an algo order. */
interface CancellerContext {
  readonly trading: TradingContext;
  readonly store: Pick<AlgoStore, 'addLine'>;
  readonly terms: AlgoTerms;
}

/** Cancels the orders of the children of an algo order. */
export class ChildCanceller {
  readonly #context: CancellerContext;

  constructor(context: CancellerContext) {
    this.#context = context;
  }

  /**
   * Cancels the order of a child, and finds out what became of that within {@link CANCEL_MS}.
   * @param onAnswer called when the exchange's answer has shown that the order is final
   */
  async cancel(child: ChildOrder, of: Child, onAnswer: () => void): Promise<Failure | undefined> {
    const { trading, terms } = this.#context;
    const { market } = terms.market;
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
      const [attempt] = await cancelOrders({ ...trading, budget }, market, [{ id }], onResponse);
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
      this.#context.store.addLine(this.#context.terms.id, { cancelling, isInVain });
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return false;
    }
  }
}
