import {
  type Action,
  type Breach,
  doubled,
  type Evidence,
  type Fixture,
  type Judgement,
  type Kind,
  type Said,
} from '../action.js';
import type { Draw } from '../draw.js';
import { documentOf, wasKilled } from '../program.js';
import { cancelKey, isCancelledLater, placed } from './cancel.js';
import { judgeOrder, type Output, orderKey } from './order.js';
import { isOf, repriced, type Terms, uniqueTerms } from './terms.js';

interface ReplaceAction extends Action {
  /** The id of the order that is to be replaced. */
  readonly order: string;
  /** The order in its place. */
  readonly terms: Terms;
}

/** `pit order replace`: an order that rests is to get another price. Two writes, the second after the first is sure. */
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

  /** Its writes are known as those of the other kinds. */
  keyOf: () => undefined,

  judge(action, evidence): Judgement {
    const told = documentOf<Output>(evidence.run);
    const said = saidBy(evidence, told);
    const isOpen = [0, 3].includes(evidence.orders.find(({ id }) => id === action.order)?.status ?? 1);
    const [cancels, orders] = action.keys.map((key) => evidence.writes.filter((write) => write.key === key));
    const judged = judgeOrder(action.terms, { said, told }, { ...evidence, writes: orders ?? [] });
    const isThere = evidence.orders.some((one) => isOf(action.terms, one));
    const cancelling = { ...evidence, writes: cancels ?? [] };
    const isLate = said === 'refused' && !isOpen && !isThere && isCancelledLater(cancelling, [action.order]);
    const breaches = [
      ...doubled(action, evidence),
      ...judged.breaches,
      ...(isThere && isOpen ? (['doubled by pit'] as const) : []),
      // what a copy did after the last look was neither to be said nor to be recorded
      ...(isLate ? [] : [...cancelledAsSaid(evidence, isOpen), ...cancelledAsSettled(action, evidence, isOpen)]),
    ];
    return { ...judged, isLate: judged.isLate || isLate, breaches };
  },
};

/** Exit 9 says that the order is cancelled and nothing was placed, or refused in its place. */
function saidBy({ run }: Evidence, told: Output | undefined): Said {
  const { code } = run;
  if (wasKilled(run)) return 'killed';
  if ((code === 0 || code === 9) && told?.outcome === 'placed') return 'placed';
  if (code === 6) return 'unknown';
  if (code === 9) return told?.outcome === 'refused' ? 'refused' : 'notSent';
  if (told !== undefined) return 'failed';
  if (code === 3 || code === 7) return 'refused';
  return code === 2 || code === 5 ? 'notSent' : 'failed';
}

/** The order before: closed where pit says that it was replaced or cancelled, and else as it was. */
function cancelledAsSaid({ run }: Evidence, isOpen: boolean): Breach[] {
  if (run.code === 0 || run.code === 9) return isOpen ? ['said to be done, and was not'] : [];
  return [2, 3, 5, 7].includes(run.code ?? -1) && !isOpen ? ['said not to be done, and was'] : [];
}

/** A record that ended before the order in its place was sent tells whether the order before is cancelled. */
function cancelledAsSettled({ order }: ReplaceAction, { resolved }: Evidence, isOpen: boolean): Breach[] {
  const rows = resolved.filter(({ operation, target }) => operation === 'replace' && target === order);
  const isWrong = rows.some(({ outcome }) => (outcome === 'cancelled') === isOpen);
  return isWrong ? ['settled wrongly'] : [];
}
