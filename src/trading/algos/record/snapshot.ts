import type { Order } from '../../../domain/order.js';
import type { ChildOrder } from '../children/child-order.js';
import type { Child, ChildRole } from '../plan/children.js';
import { sentence, settlingReason, stateOf, stateReason, unsentSinceOf } from '../plan/decide.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { SaidLine } from './fact-record.js';
import type { AlgoFacts, AlgoState } from './facts.js';

/** The order of a child, as lists show it. */
export interface AlgoChildOrder {
  readonly clientId: string;
  readonly role: ChildRole;
  /** The exchange's id; null if no answer named it. */
  readonly orderId: string | null;
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
  /** Since when its stop is reached and not known to be sent, by the exchange's clock; null if it is, undefined if that is not known. */
  readonly unsentSince: number | null | undefined;
  readonly children: readonly Child[];
  readonly orders: readonly AlgoChildOrder[];
  /** What the user was told, oldest first. */
  readonly said: readonly SaidLine[];
}

export function snapshotOf(
  facts: AlgoFacts,
  orders: readonly ChildOrder[],
  said: readonly SaidLine[],
  now: (Pick<AlgoSnapshot, 'state' | 'reason'> & { readonly unsentSince?: number | null }) | undefined,
): AlgoSnapshot {
  const { terms } = facts.began;
  const children = orders.flatMap((child) => child.children);
  const known = { terms, facts, children };
  const { state, reason, unsentSince } = now ?? stateWithoutWatcher(known);
  return {
    id: terms.id,
    terms,
    facts,
    state,
    reason,
    unsentSince,
    children,
    orders: orders.flatMap(childOrdersOf),
    said,
  };
}

/** The orders that the network made twice; null for one that was not seen yet. */
export function duplicatesIn({ orders }: Pick<AlgoSnapshot, 'orders'>): (Order | null)[] {
  return orders.flatMap(({ order, duplicate }) => (duplicate === null ? [] : [order]));
}

/** The ids of those that were seen. */
export function duplicateIds(snapshot: Pick<AlgoSnapshot, 'orders'>): string[] {
  return duplicatesIn(snapshot).flatMap((order) => order?.id ?? []);
}

/** What facts and children show, if no process says more. */
function stateWithoutWatcher(known: {
  readonly terms: AlgoTerms;
  readonly facts: AlgoFacts;
  readonly children: readonly Child[];
}): Pick<AlgoSnapshot, 'state' | 'reason' | 'unsentSince'> {
  const { ended, cancelled, paused } = known.facts;
  const state = stateOf(known);
  const unsentSince = unsentSinceOf(known);
  // nothing shows that any process is about to send it
  const isHeld = state === 'triggered' && unsentSince !== null;
  const clause =
    settlingReason(known.children) ?? (isHeld ? 'its stop is not known to be sent' : stateReason(known, state));
  const reason = (ended ?? cancelled ?? paused)?.reason ?? (clause === null ? null : sentence(clause));
  return { state, reason, unsentSince };
}

/** The order of a child, and the duplicates that the network made. */
function childOrdersOf({ clientId, role, orderId, order, sending, duplicates }: ChildOrder): AlgoChildOrder[] {
  const isKnown = sending === 'placed' || sending === 'refused' || sending === 'notSent';
  const own = { clientId, role, orderId, order, outcome: isKnown ? sending : 'unknown', duplicate: null } as const;
  const others = [...duplicates].map(
    ([id, one]): AlgoChildOrder => ({
      ...{ clientId, role, orderId: id, order: one.order, outcome: 'placed' },
      duplicate: one.isProven ? 'proven' : 'unproven',
    }),
  );
  return [own, ...others];
}
