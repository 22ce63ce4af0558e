import type { Passing } from '../../../support/proxy.js';
import {
  type Action,
  type Breach,
  doubled,
  type Evidence,
  type Fixture,
  type Judgement,
  type Kind,
  lastSeen,
  type Resolved,
  type Said,
} from '../action.js';
import { between, chosen, type Draw } from '../draw.js';
import type { Listed } from '../exchange.js';
import { isPrompt } from '../network.js';
import { documentOf } from '../program.js';
import { lies, type PlacementOutput, saidOfPlacing } from './placing.js';
import { isOf, plain, type Terms, uniqueTerms } from './terms.js';

interface OrderAction extends Action {
  readonly terms: Terms;
}

/** What `pit order --json` prints. */
export interface Output extends PlacementOutput {
  readonly clientId: string;
  readonly duplicates: readonly string[];
}

/** `pit order`: one order, on terms that no other has. */
export const order: Kind<OrderAction> = {
  name: 'order',
  weight: 7,

  async plan(number: number, draw: Draw, fixture: Fixture): Promise<OrderAction> {
    const type = chosen(draw, ['', '', '', '', '--post-only', '--ioc', 'near', 'near']);
    const terms = uniqueTerms(number, draw, fixture, type !== 'near' && type !== '--ioc');
    const clientId = draw() < fixture.ownIds ? `action${number}x${Math.floor(between(draw, 1e6, 1e7))}` : undefined;
    const { market, side, price, amount } = terms;
    const flags = [...(type.startsWith('--') ? [type] : []), ...(clientId === undefined ? [] : ['--id', clientId])];
    const words = ['order', side, market, amount, '--at', price, '--yes', ...flags];
    return { number, kind: 'order', market, side, words, keys: [orderKey(terms)], timeout: 0, clientId, terms };
  },

  keyOf({ operation, parameters: { currency = '', tradeType, price = '', amount = '' } }: Passing) {
    if (operation !== 'order') return undefined;
    const side = tradeType === '1' ? 'buy' : 'sell';
    return orderKey({ market: currency, side, price: plain(price), amount: plain(amount) });
  },

  judge(action, evidence): Judgement {
    const told = documentOf<Output>(evidence.run);
    const judged = judgeOrder(action.terms, { said: saidOfPlacing(evidence, told), told }, evidence);
    return { ...judged, breaches: [...doubled(action, evidence), ...judged.breaches] };
  },
};

/** What pit said of an order, and what it printed of it. */
export interface Word {
  readonly said: Said;
  readonly told: Output | undefined;
}

/** Holds what pit said of an order against what the exchange has of its terms; `evidence` has no writes but its own. */
export function judgeOrder(terms: Terms, { said, told }: Word, evidence: Evidence): Judgement {
  const orders = evidence.orders.filter((one) => isOf(terms, one));
  const extra = Math.max(0, orders.length - 1);
  const isLate = said === 'refused' && orders.length > 0 && isDoneLater(orders, evidence);
  const breaches = [
    ...(isLate ? toldLater(orders, evidence) : lies(said, told, orders)),
    ...settledRightly(said, told, orders, evidence),
    ...(extra === 0 ? [] : flagged(orders, said, told, evidence)),
    ...falseAlarms(orders, said, told, evidence),
  ];
  const prompt = mustFlag(said, evidence) ? extra : 0;
  return { said, duplicates: extra, prompt, flagged: told?.duplicates.length ?? 0, isLate, breaches };
}

export function orderKey({ market, side, price, amount }: Terms): string {
  return `order ${side} ${amount} ${market} at ${price}`;
}

/** What was unknown must be settled in the end, as the exchange has it; what was killed may have no record where it was never sent. */
function settledRightly(said: Said, told: Output | undefined, orders: readonly Listed[], evidence: Evidence): Breach[] {
  if (said !== 'unknown' && said !== 'killed') return [];
  const clientId = clientIdOf(told, evidence);
  const row = evidence.resolved.find((one) => one.clientId === clientId);
  if (row === undefined) {
    if (said === 'unknown') return ['not settled'];
    return orders.length > 0 ? ['lost silently'] : [];
  }
  if (row.outcome === 'unknown') return ['not settled'];
  const isRight = row.outcome === 'placed' ? orders.some(({ id }) => id === row.id) : orders.length === 0;
  return isRight ? [] : ['settled wrongly'];
}

function clientIdOf(told: Output | undefined, { writes }: Evidence): string | undefined {
  return told?.clientId ?? writes[0]?.parameters.customerOrderId;
}

/** Whether all copies were there before pit heard anything, and its look at the list was neither disturbed nor told to be missing. */
function mustFlag(said: Said, { writes, listings, run }: Evidence): boolean {
  const [write] = writes;
  if (said !== 'placed' || write === undefined || !isPrompt(write)) return false;
  if (/could not (be looked up|check)/.test(run.stderr)) return false;
  const since = write.replied ?? 0;
  const reads = listings.filter(({ time }) => time >= since && time <= run.ended);
  return reads.every(({ treatment, executions }) => treatment === 'pass' && isUndisturbed(executions));
}

/** The exchange may have been told to answer badly itself. */
function isUndisturbed(executions: Passing['executions']): boolean {
  return executions.every(({ answer = '' }) => answer.startsWith('[') && answer.endsWith(']'));
}

function flagged(orders: readonly Listed[], said: Said, told: Output | undefined, evidence: Evidence): Breach[] {
  const own = [told?.id ?? '', ...(told?.duplicates ?? [])];
  const isIn = (ids: readonly string[]) => orders.every(({ id }) => ids.includes(id));
  if (mustFlag(said, evidence) && !isIn(own)) return ['doubled by the network before the check, and not flagged'];
  const clientId = clientIdOf(told, evidence);
  // to somebody whose command was killed, pit resolve shows it when asked for that one
  const isTold = ({ isArchived }: Resolved) => isArchived === undefined || said === 'killed';
  const rows = evidence.resolved.filter((row) => row.clientId === clientId && isTold(row));
  const warned = evidence.warned.filter((warning) => warning.clientId === clientId);
  const all = [
    ...own,
    ...rows.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]),
    ...warned.flatMap(({ named }) => named),
  ];
  // where the order was settled by a later command, that one named the first of them
  const missing = orders.filter(({ id }) => !all.includes(id));
  return missing.length === 0 ? [] : ['doubled by the network, and never told'];
}

function isDoneLater(orders: readonly Listed[], evidence: Evidence): boolean {
  const seen = lastSeen(evidence, [clientIdOf(undefined, evidence)]);
  return orders.every(({ time }) => time >= seen);
}

/** The next command in the market tells that there is an order after all. */
function toldLater(orders: readonly Listed[], evidence: Evidence): Breach[] {
  const clientId = clientIdOf(undefined, evidence);
  const warned = evidence.warned.filter((warning) => warning.clientId === clientId).flatMap(({ ids }) => ids);
  return orders.every(({ id }) => warned.includes(id)) ? [] : ['done after it was refused, and never told'];
}

function falseAlarms(orders: readonly Listed[], said: Said, told: Output | undefined, evidence: Evidence): Breach[] {
  const clientId = clientIdOf(told, evidence);
  const warned = evidence.warned.filter((warning) => warning.clientId === clientId).flatMap(({ ids }) => ids);
  const rows = evidence.resolved.filter((row) => row.clientId === clientId);
  const alarms = [...(told?.duplicates ?? []), ...warned, ...rows.flatMap(({ duplicates }) => duplicates)];
  const least = said === 'refused' ? 1 : 2;
  const isFalse = alarms.some((id) => orders.length < least || !orders.some((one) => one.id === id));
  return isFalse ? ['told to be doubled, and was not'] : [];
}
