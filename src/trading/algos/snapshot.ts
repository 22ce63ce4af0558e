import type { Order } from '../../domain/order.js';
import type { ChildOrder } from './child-order.js';
import type { Child, ChildRole } from './children.js';
import { settlingReason, stateOf } from './decide.js';
import type { AlgoFacts, AlgoState } from './facts.js';
import type { SaidLine } from './store.js';
import type { AlgoTerms } from './terms.js';

/** The order of a child, as lists show it. */
export interface AlgoChildOrder {
  readonly clientId: string;
  readonly role: ChildRole;
  /** As the exchange showed it last; null if it did not. */
  readonly order: Order | null;
  readonly outcome: 'placed' | 'refused' | 'notSent' | 'unknown';
  /** As that of a child. */
  readonly duplicate: Child['duplicate'];
}

/** An algo order as it is known at one moment. */
export interface AlgoSnapshot {
  readonly id: string;
  readonly terms: AlgoTerms;
  readonly facts: AlgoFacts;
  readonly state: AlgoState;
  /** Why it waits, is paused or ended; null if there is nothing to say. */
  readonly reason: string | null;
  readonly children: readonly Child[];
  readonly orders: readonly AlgoChildOrder[];
  /** What the user was told, oldest first. */
  readonly said: readonly SaidLine[];
}

export function snapshotOf(
  facts: AlgoFacts,
  orders: readonly ChildOrder[],
  said: readonly SaidLine[],
  now: { readonly state: AlgoState; readonly reason: string | null } | undefined,
): AlgoSnapshot {
  const { terms } = facts.began;
  const children = orders.flatMap((child) => child.children);
  const { ended, cancelled, paused } = facts;
  const { state, reason } = now ?? {
    state: stateOf({ terms, facts, children }),
    reason: (ended ?? cancelled ?? paused)?.reason ?? settlingReason(children),
  };
  return { id: terms.id, terms, facts, state, reason, children, orders: orders.flatMap(childOrdersOf), said };
}

/** The order of a child, and the duplicates that the network made. */
function childOrdersOf({ clientId, role, order, sending, duplicates }: ChildOrder): AlgoChildOrder[] {
  const isKnown = sending === 'placed' || sending === 'refused' || sending === 'notSent';
  const own = { clientId, role, order, outcome: isKnown ? sending : 'unknown', duplicate: null } as const;
  const others = [...duplicates.values()].map(
    (one): AlgoChildOrder => ({
      ...{ clientId, role, order: one.order, outcome: 'placed' },
      duplicate: one.isProven ? 'proven' : 'unproven',
    }),
  );
  return [own, ...others];
}
