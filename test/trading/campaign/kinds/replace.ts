import {
  type Action,
  type Breach,
  type Evidence,
  type Fixture,
  type Judgement,
  type Kind,
  type ReportedOutcome,
  sentTwice,
} from '../action.js';
import type { Draw } from '../draw.js';
import { documentOf, wasKilled } from '../program.js';
import { cancelKey, isCancelledLater, placed } from './cancel.js';
import { judgeOrder, type Output, orderKey } from './order.js';
import { isOf, repriced, type Terms, uniqueTerms } from './terms.js';

interface ReplaceAction extends Action {
  /** The id of the order to replace. */
  readonly order: string;
  /** The new order. */
  readonly terms: Terms;
}

/** `pit order replace`: gives a resting order another price. Two writes, the second once the first is certain. */
export const replace: Kind<ReplaceAction> = {
  name: 'replace',
  weight: 2,

  async plan(number: number, draw: Draw, fixture: Fixture): Promise<ReplaceAction> {
    const old = uniqueTerms(number, draw, fixture, true);
    const { market, side } = old;
    const terms = repriced(old);
    const order = await placed(old, `target${number}x${Math.floor(draw() * 1e6)}`, fixture);
    const words = ['order', 'replace', market, order, '--at', terms.price, '--yes'];
    const keys = [cancelKey(order, market), orderKey(terms)];
    return { number, kind: 'replace', market, side, words, keys, timeout: 0, clientId: undefined, order, terms };
  },

  /** Its writes have the keys of the other kinds. */
  keyOf: () => undefined,

  ordersOf: ({ terms }) => [terms],

  judge(action, evidence): Judgement {
    const output = documentOf<Output>(evidence.run);
    const reported = outcomeOf(evidence, output);
    const isOpen = [0, 3].includes(evidence.orders.find(({ id }) => id === action.order)?.status ?? 1);
    const [cancels, orders] = action.keys.map((key) => evidence.writes.filter((write) => write.key === key));
    const judged = judgeOrder(action.terms, { reported, output }, { ...evidence, writes: orders ?? [] });
    const isThere = evidence.orders.some((one) => isOf(action.terms, one));
    const cancelling = { ...evidence, writes: cancels ?? [] };
    const isLate = reported === 'refused' && !isOpen && !isThere && isCancelledLater(cancelling, [action.order]);
    const breaches = [
      ...sentTwice(action, evidence),
      ...judged.breaches,
      ...(isThere && isOpen ? (['sent twice by pit'] as const) : []),
      // an execution after the last read could neither be reported nor recorded
      ...(isLate ? [] : [...cancelledAsSaid(evidence, isOpen), ...cancelledAsSettled(action, evidence, isOpen)]),
    ];
    return { ...judged, isLate: judged.isLate || isLate, breaches };
  },
};

/** Exit 9 means that the order is cancelled and the new one was not placed or refused. */
function outcomeOf({ run }: Evidence, output: Output | undefined): ReportedOutcome {
  const { code } = run;
  if (wasKilled(run)) return 'killed';
  if ((code === 0 || code === 9) && output?.outcome === 'placed') return 'placed';
  if (code === 6) return 'unknown';
  if (code === 9) return output?.outcome === 'refused' ? 'refused' : 'notSent';
  if (output !== undefined) return 'failed';
  if (code === 3 || code === 4 || code === 7) return 'refused';
  return code === 2 || code === 5 ? 'notSent' : 'failed';
}

/** The old order: closed if pit reported it as replaced or cancelled, otherwise unchanged. */
function cancelledAsSaid({ run }: Evidence, isOpen: boolean): Breach[] {
  if (run.code === 0 || run.code === 9) return isOpen ? ['reported as done, but not done'] : [];
  return [2, 3, 5, 7].includes(run.code ?? -1) && !isOpen ? ['reported as not done, but done'] : [];
}

/** A record that ended before the new order was sent shows whether the old one is cancelled. */
function cancelledAsSettled({ order }: ReplaceAction, { resolved }: Evidence, isOpen: boolean): Breach[] {
  const rows = resolved.filter(({ operation, target }) => operation === 'replace' && target === order);
  const isWrong = rows.some(({ outcome }) => (outcome === 'cancelled') === isOpen);
  return isWrong ? ['settled wrongly'] : [];
}
