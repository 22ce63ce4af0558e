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
  type Resolved,
  sentTwice,
} from '../action.js';
import { between, chosen, type Draw } from '../draw.js';
import type { Listed } from '../exchange.js';
import { isPrompt } from '../network.js';
import { documentOf } from '../program.js';
import { falseReports, type PlacementOutput, reportedOutcome } from './placing.js';
import { isOf, plain, type Terms, uniqueTerms } from './terms.js';

interface OrderAction extends Action {
  readonly terms: Terms;
}

/** What `pit order --json` prints. */
export interface Output extends PlacementOutput {
  readonly clientId: string;
  readonly duplicates: readonly string[];
}

/** `pit order`: one order with unique terms. */
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

  ordersOf: ({ terms }) => [terms],

  judge(action, evidence): Judgement {
    const output = documentOf<Output>(evidence.run);
    const judged = judgeOrder(action.terms, { reported: reportedOutcome(evidence, output), output }, evidence);
    return { ...judged, breaches: [...sentTwice(action, evidence), ...judged.breaches] };
  },
};

/** The outcome that pit reported for an order, and its output. */
export interface OrderReport {
  readonly reported: ReportedOutcome;
  readonly output: Output | undefined;
}

/** Compares the reported outcome of an order with the exchange; `evidence` contains only its own writes. */
export function judgeOrder(terms: Terms, { reported, output }: OrderReport, evidence: Evidence): Judgement {
  const orders = evidence.orders.filter((one) => isOf(terms, one));
  const extra = Math.max(0, orders.length - 1);
  const isLate = reported === 'refused' && orders.length > 0 && isDoneLater(orders, evidence);
  const breaches = [
    ...(isLate ? reportedLater(orders, evidence) : falseReports(reported, output, orders)),
    ...settledRightly(reported, output, orders, evidence),
    ...(extra === 0 ? [] : flagged(orders, reported, output, evidence)),
    ...falseAlarms(orders, reported, output, evidence),
  ];
  const prompt = mustFlag(reported, evidence) ? extra : 0;
  return { reported, duplicates: extra, prompt, flagged: output?.duplicates.length ?? 0, isLate, breaches };
}

export function orderKey({ market, side, price, amount }: Terms): string {
  return `order ${side} ${amount} ${market} at ${price}`;
}

/** An unknown write must be settled in the end as the exchange has it; a killed one may lack a record if it was never sent. */
function settledRightly(
  reported: ReportedOutcome,
  output: Output | undefined,
  orders: readonly Listed[],
  evidence: Evidence,
): Breach[] {
  if (reported !== 'unknown' && reported !== 'killed') return [];
  const clientId = clientIdOf(output, evidence);
  const row = evidence.resolved.find((one) => one.clientId === clientId);
  if (row === undefined) {
    if (reported === 'unknown') return ['not settled'];
    return orders.length > 0 ? ['lost silently'] : [];
  }
  if (row.outcome === 'unknown') return ['not settled'];
  const isRight = row.outcome === 'placed' ? orders.some(({ id }) => id === row.id) : orders.length === 0;
  return isRight ? [] : ['settled wrongly'];
}

function clientIdOf(output: Output | undefined, { writes }: Evidence): string | undefined {
  return output?.clientId ?? writes[0]?.parameters.customerOrderId;
}

/** Whether all duplicates existed before pit got a reply, and its list was undisturbed and not reported as failed. */
function mustFlag(reported: ReportedOutcome, { writes, listings, run }: Evidence): boolean {
  const [write] = writes;
  if (reported !== 'placed' || write === undefined || !isPrompt(write)) return false;
  if (/could not (be looked up|check)/.test(run.stderr)) return false;
  const since = write.replied ?? 0;
  const reads = listings.filter(({ time }) => time >= since && time <= run.ended);
  return reads.every(({ treatment, executions }) => treatment === 'pass' && isUndisturbed(executions));
}

/** Whether a fault of the exchange itself spoilt an answer. */
function isUndisturbed(executions: Passing['executions']): boolean {
  return executions.every(({ answer = '' }) => answer.startsWith('[') && answer.endsWith(']'));
}

function flagged(
  orders: readonly Listed[],
  reported: ReportedOutcome,
  output: Output | undefined,
  evidence: Evidence,
): Breach[] {
  const own = [output?.id ?? '', ...(output?.duplicates ?? [])];
  const isIn = (ids: readonly string[]) => orders.every(({ id }) => ids.includes(id));
  if (mustFlag(reported, evidence) && !isIn(own))
    return ['duplicated by the network before the check, and not flagged'];
  const clientId = clientIdOf(output, evidence);
  // after a kill, pit resolve shows it when asked for this write
  const isReported = ({ isArchived }: Resolved) => isArchived === undefined || reported === 'killed';
  const rows = evidence.resolved.filter((row) => row.clientId === clientId && isReported(row));
  const warned = evidence.warned.filter((warning) => warning.clientId === clientId);
  const all = [
    ...own,
    ...rows.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]),
    ...warned.flatMap(({ named }) => named),
  ];
  // if a later command settled the order, that one reported the first of them
  const missing = orders.filter(({ id }) => !all.includes(id));
  return missing.length === 0 ? [] : ['duplicated by the network, and never reported'];
}

function isDoneLater(orders: readonly Listed[], evidence: Evidence): boolean {
  const seen = lastSeen(evidence, [clientIdOf(undefined, evidence)]);
  return orders.every(({ time }) => time >= seen);
}

/** The next command in the market must report that the order exists after all. */
function reportedLater(orders: readonly Listed[], evidence: Evidence): Breach[] {
  const clientId = clientIdOf(undefined, evidence);
  const warned = evidence.warned.filter((warning) => warning.clientId === clientId).flatMap(({ ids }) => ids);
  return orders.every(({ id }) => warned.includes(id)) ? [] : ['done after a refusal, and never reported'];
}

function falseAlarms(
  orders: readonly Listed[],
  reported: ReportedOutcome,
  output: Output | undefined,
  evidence: Evidence,
): Breach[] {
  const clientId = clientIdOf(output, evidence);
  const warned = evidence.warned.filter((warning) => warning.clientId === clientId).flatMap(({ ids }) => ids);
  const rows = evidence.resolved.filter((row) => row.clientId === clientId);
  const alarms = [...(output?.duplicates ?? []), ...warned, ...rows.flatMap(({ duplicates }) => duplicates)];
  const least = reported === 'refused' ? 1 : 2;
  const isFalse = alarms.some((id) => orders.length < least || !orders.some((one) => one.id === id));
  return isFalse ? ['reported as duplicated, but is not'] : [];
}
