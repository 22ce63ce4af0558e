import type { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import { filledOf } from '../../trading/algos/plan/children.js';
import { namedPriceOf } from '../../trading/algos/plan/entries/entry-kinds.js';
import { isTakeCancelled } from '../../trading/algos/plan/exits.js';
import { type AlgoKind, exitSideOf, hasStop, kindOf } from '../../trading/algos/plan/terms.js';
import { stopLevel } from '../../trading/algos/plan/trigger.js';
import type { AlgoSnapshot } from '../../trading/algos/record/snapshot.js';

/** A price at which an algo order acts, or rests. */
export interface AlgoLine {
  readonly id: string;
  readonly what: 'entry' | 'take' | 'stop' | 'trail';
  readonly side: Side;
  readonly price: Decimal;
}

/** An algo order of the market, as the screen shows it. */
export interface ShownAlgo {
  readonly id: string;
  readonly kind: AlgoKind;
  readonly side: Side;
  readonly amount: Decimal;
  readonly state: string;
  readonly isWatched: boolean;
  /** Whether it has a stop, which nobody sends while it is not watched. */
  readonly hasStop: boolean;
  readonly lines: readonly AlgoLine[];
  /** The ids of its orders. */
  readonly orders: readonly string[];
}

/** What the screen shows of an algo order. */
export function shownAlgo(view: AlgoSnapshot & { readonly isWatched: boolean }): ShownAlgo {
  const { id, terms, state, isWatched } = view;
  const orders = view.orders.flatMap(({ orderId }) => orderId ?? []);
  const { side, amount } = terms;
  return {
    id,
    kind: kindOf(terms),
    side,
    amount,
    state,
    isWatched,
    hasStop: hasStop(terms),
    lines: linesOf(view),
    orders,
  };
}

/** The most important first. A leg that has acted has no line any more: its orders are in the book. */
function linesOf({ id, terms, facts, children }: AlgoSnapshot): AlgoLine[] {
  const { entry, exits, side } = terms;
  const price = namedPriceOf(entry);
  const exitSide = exitSideOf(terms);
  const isTriggered = facts.exitTriggered !== null;
  const isEntered = filledOf(children.filter(({ role }) => role === 'entry')).compare(terms.amount) >= 0;
  const level = isTriggered ? null : stopLevel(terms, facts.trailBest?.price ?? null);
  return [
    ...(level === null
      ? []
      : [{ id, what: exits?.trail == null ? ('stop' as const) : ('trail' as const), side: exitSide, price: level }]),
    ...(exits?.take == null || isTriggered || isTakeCancelled({ children })
      ? []
      : [{ id, what: 'take' as const, side: exitSide, price: exits.take }]),
    ...(price === null || isTriggered || isEntered ? [] : [{ id, what: 'entry' as const, side, price }]),
  ];
}
