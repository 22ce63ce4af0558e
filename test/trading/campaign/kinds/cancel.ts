import type { Passing } from '../../../support/proxy.js';
import {
  type Action,
  type Breach,
  type Evidence,
  type Fixture,
  type Judgement,
  type Kind,
  lastSeen,
  type ReportedOutcome,
  sentTwice,
} from '../action.js';
import { between, chosen, type Draw } from '../draw.js';
import { documentOf, wasKilled } from '../program.js';
import { type Terms, uniqueTerms } from './terms.js';

/** The target of a cancellation: a resting order, one that was cancelled before, or none. */
type Target = 'resting' | 'cancelled' | 'none';

interface CancelAction extends Action {
  readonly target: Target;
  /** The id of the order; an unused one if there is none. */
  readonly order: string;
}

/** A row of `pit cancel --json`. */
interface Output {
  readonly outcome: string;
}

/** `pit cancel`: one order that was placed without the network. */
export const cancel: Kind<CancelAction> = {
  name: 'cancel',
  weight: 3,

  async plan(number: number, draw: Draw, fixture: Fixture): Promise<CancelAction> {
    const terms = uniqueTerms(number, draw, fixture, true);
    const { market, side } = terms;
    const target = chosen<Target>(draw, [...Array(8).fill('resting'), 'cancelled', 'none']);
    const customerOrderId = `target${number}x${Math.floor(between(draw, 1e6, 1e7))}`;
    const order = target === 'none' ? `2026${number}` : await placed(terms, customerOrderId, fixture);
    if (target === 'cancelled') await fixture.exchange.ask('cancelOrder', { currency: market, id: order });
    const named = draw() < 0.3 ? ['--id', customerOrderId] : [order];
    const words = ['cancel', market, ...named];
    const keys = [cancelKey(named.at(-1), market)];
    return { number, kind: 'cancel', market, side, words, keys, timeout: 0, clientId: undefined, target, order };
  },

  keyOf({ operation, parameters: { currency, id, customerOrderId } }: Passing) {
    return operation === 'cancelOrder' ? cancelKey(id ?? customerOrderId, currency) : undefined;
  },

  judge(action, evidence): Judgement {
    const reported = outcomeOf(evidence);
    const isOpen = [0, 3].includes(evidence.orders.find(({ id }) => id === action.order)?.status ?? 1);
    // no other client cancels an order far from the market
    const isOurs = action.target === 'resting' && !isOpen;
    const isLate = reported === 'refused' && isOurs && isCancelledLater(evidence, [action.order, action.words.at(-1)]);
    const breaches = [
      ...sentTwice(action, evidence),
      ...(isLate ? [] : truthful(reported, isOpen, isOurs)),
      ...keptRightly(action, isOpen, evidence),
    ];
    return { reported, duplicates: 0, prompt: 0, flagged: 0, isLate, breaches };
  },
};

export function cancelKey(order: string | undefined, market: string | undefined): string {
  return `cancel ${order} ${market}`;
}

/** Places an order without the network as a target; returns its id. */
export function placed(
  { market, side, price, amount }: Terms,
  customerOrderId: string,
  { exchange }: Fixture,
): Promise<string> {
  const tradeType = side === 'buy' ? '1' : '0';
  return exchange.place({ amount, currency: market, customerOrderId, price, tradeType });
}

function outcomeOf({ run }: Evidence): ReportedOutcome {
  const { code } = run;
  if (wasKilled(run)) return 'killed';
  const [output] = documentOf<readonly Output[]>(run) ?? [];
  if (code === 0 && output?.outcome === 'cancelled') return 'cancelled';
  if (code === 6 && output?.outcome === 'unknown') return 'unknown';
  if (output !== undefined) return 'failed';
  if (code === 3 || code === 4 || code === 7) return 'refused';
  return code === 2 || code === 5 ? 'notSent' : 'failed';
}

/** Whether a repetition cancelled the order after pit had last seen it open. */
export function isCancelledLater(evidence: Evidence, names: readonly (string | undefined)[]): boolean {
  const executions = evidence.writes.flatMap((write) => write.executions);
  const isLater = ({ ended = 0 }: { readonly ended?: number | undefined }) => ended >= lastSeen(evidence, names);
  const done = executions.filter(({ answer = '' }) => answer.startsWith('{"code":1000'));
  if (done.length > 0) return done.every(isLater);
  // the exchange may have cancelled it and answered with something else: a page, half of an answer, or, after two executions at
  // once, that the order is already closed
  const unsaid = executions.filter(
    ({ answer = '' }) => !answer.startsWith('{"code":') || answer.includes('"code":3001'),
  );
  return unsaid.length > 0 && unsaid.every(isLater);
}

function truthful(reported: ReportedOutcome, isOpen: boolean, isOurs: boolean): Breach[] {
  if (reported === 'cancelled' && isOpen) return ['reported as done, but not done'];
  if ((reported === 'refused' || reported === 'notSent') && isOurs) return ['reported as not done, but done'];
  return reported === 'failed' && isOurs ? ['lost silently'] : [];
}

/** The journal says of an order only that it was seen cancelled, and `pit resolve` nothing: the order itself shows the outcome. */
function keptRightly({ order }: CancelAction, isOpen: boolean, { resolved }: Evidence): Breach[] {
  const rows = resolved.filter(({ operation, id }) => operation === 'cancelOrder' && id === order);
  const isWrong = rows.some(({ isArchived }) => isArchived !== true || isOpen);
  return isWrong ? ['settled wrongly'] : [];
}
