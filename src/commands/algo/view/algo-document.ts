import { Decimal, formatPrice } from '../../../domain/decimal.js';
import { isoTime } from '../../../terminal/time.js';
import { type Child, excessOf, positionOf, positive } from '../../../trading/algos/plan/children.js';
import { kindOfEntry, namedPriceOf } from '../../../trading/algos/plan/entries/entry-kinds.js';
import { type AlgoTerms, exitSideOf, kindOf, mapExitPrices, NO_PARTS } from '../../../trading/algos/plan/terms.js';
import { stopLevel } from '../../../trading/algos/plan/trigger.js';
import { type AlgoFacts, type AlgoState, unprotectedSince } from '../../../trading/algos/record/facts.js';
import { duplicateIds } from '../../../trading/algos/record/snapshot.js';
import { type LegSummary, summaryOf } from '../../../trading/algos/record/summary.js';
import type { AlgoView } from '../../../trading/algos/service/algo-views.js';
import { changedRulesText } from '../../../trading/orders/changed-rules.js';
import { orderRow } from '../../order/order-row.js';
import type { AlgoDocument, AlgoEventRow } from './algo-shapes.js';

/** The terms of an algo order that does not exist yet, for programs. */
export function algoTermsRow(terms: AlgoTerms) {
  const { market, side, amount } = terms;
  return {
    market: market.market,
    side,
    amount: amount.trimmed().toString(),
    kind: kindOf(terms),
    entry: entryRow(terms),
    exit: exitRow(terms, { trailBest: null }, null),
  };
}

/** An algo order as it is printed. */
export function algoDocument(view: AlgoView, now: number): AlgoDocument {
  const { terms, facts, children, orders, state, reason, isWatched } = view;
  const rows = orders.flatMap(({ order, clientId, role }) =>
    order === null ? [] : [{ ...orderRow(order, clientId), role }],
  );
  const current = { state, reason, watched: isWatched, now };
  const row = algoRow(terms, facts, children, current, rows);
  return {
    ...row,
    unprotected: unprotectedRow(view),
    excess: excessRow(view),
    duplicates: duplicateIds(view),
    events: eventsOf(view),
  };
}

function unprotectedRow({ facts, unsentSince, reason, isWatched }: AlgoView): AlgoDocument['unprotected'] {
  const since = unprotectedSince(facts, unsentSince);
  if (since === null) return null;
  const unknown = isWatched ? 'Its stop is not known to be sent.' : 'No process of pit acts for it.';
  return { since: isoTime(since), reason: reason ?? unknown };
}

/** Both legs count: an exit may sell too much as well as an entry may buy too much. */
function excessRow(view: AlgoView): AlgoDocument['excess'] {
  const { terms, children } = view;
  const orders = duplicateIds(view);
  const amount = Decimal.sum(LEGS.map((role) => excessOf(terms, children, { role })));
  return orders.length === 0 || amount.sign === 0 ? null : { amount: amount.trimmed().toString(), orders };
}

/** A role of each leg. */
const LEGS = ['entry', 'stop'] as const;

/** Of several pauses and resumptions, the last. */
function eventsOf({ facts, said, terms }: AlgoView): AlgoEventRow[] {
  const { began, entryTriggered, exitTriggered, paused, resumed, rules, cancelled, ended } = facts;
  const priced = (price: Decimal, source: string) => `${formatPrice(price, terms.market)} (${source})`;
  const rows: (readonly [number, AlgoEventRow['event'], string])[] = [
    [began.time, 'began', 'It began.'],
    ...said.map((line) => [line.time, 'note', line.said] as const),
  ];
  if (rules !== null) rows.push([rules.time, 'note', changedRulesText(began.terms.market, rules.market)]);
  if (entryTriggered !== null) {
    const { time, price, source } = entryTriggered;
    rows.push([time, 'conditionMet', `Its condition was met at ${priced(price, source)}.`]);
  }
  if (exitTriggered !== null) {
    const { time, price, source } = exitTriggered;
    rows.push([time, 'triggered', `Its stop was reached at ${priced(price, source)}.`]);
  }
  if (paused !== null) rows.push([paused.time, 'paused', `It was paused: ${paused.reason}.`]);
  if (resumed !== null) rows.push([resumed.time, 'resumed', 'It was resumed.']);
  if (cancelled !== null) rows.push([cancelled.time, 'cancelled', `It was cancelled: ${cancelled.reason}.`]);
  if (ended !== null) rows.push([ended.time, 'ended', `It ended as ${ended.outcome}: ${ended.reason}.`]);
  return rows
    .sort(([one], [other]) => one - other)
    .map(([time, event, text]) => ({ time: isoTime(time), event, text }));
}

type AlgoRow = Omit<AlgoDocument, 'unprotected' | 'excess' | 'duplicates' | 'events'>;

/**
 * What follows from the terms, the facts and the children alone.
 * @param current its state and the reason; the time by the exchange's clock
 * @internal for its tests
 */
export function algoRow(
  terms: AlgoTerms,
  facts: AlgoFacts,
  children: readonly Child[],
  current: {
    readonly state: AlgoState;
    readonly reason: string | null;
    readonly watched: boolean;
    readonly now: number;
  },
  rows: AlgoDocument['children'],
): AlgoRow {
  const summary = summaryOf(terms, facts, children, current.now);
  const main = summary.entry ?? summary.exit;
  const filled = main?.filled ?? Decimal.zero;
  const trigger = facts.exitTriggered ?? facts.entryTriggered;
  const hasPosition = terms.entry !== null && terms.exits !== null;
  const position = positive(positionOf(terms, children).minus(summary.exit?.filled ?? Decimal.zero));
  return {
    id: terms.id,
    market: terms.market.market,
    side: terms.side,
    amount: terms.amount.trimmed().toString(),
    kind: kindOf(terms),
    state: current.state,
    watched: current.watched,
    agent: terms.agent !== undefined,
    entry: entryRow(terms),
    exit: exitRow(terms, facts, summary.exit),
    trigger:
      trigger === null
        ? null
        : {
            time: isoTime(trigger.time),
            price: trigger.price.trimmed().toString(),
            source: trigger.source,
            late: trigger.late,
          },
    filled: filled.trimmed().toString(),
    averagePrice: textOrNull(main?.averagePrice),
    fees: summary.fees?.map(({ coin, amount }) => ({ coin, amount: amount.trimmed().toString() })) ?? null,
    remaining: positive(terms.amount.minus(filled)).trimmed().toString(),
    children: rows,
    started: isoTime(facts.began.time),
    ended: facts.ended === null ? null : isoTime(facts.ended.time),
    reason: current.reason,
    position: hasPosition ? position.trimmed().toString() : null,
    slippage: textOrNull(main?.slippage),
    durationMs: summary.durationMs,
  };
}

function entryRow({ entry, when }: AlgoTerms): AlgoDocument['entry'] {
  if (entry === null) return null;
  const { kind } = entry;
  const parts = kindOfEntry(entry).parts(entry);
  return { kind, price: textOrNull(namedPriceOf(entry)), ...NO_PARTS, ...parts, when };
}

function exitRow(
  terms: AlgoTerms,
  { trailBest }: Pick<AlgoFacts, 'trailBest'>,
  summary: LegSummary | null,
): AlgoDocument['exit'] {
  const { exits } = terms;
  if (exits === null) return null;
  const { trail } = exits;
  return {
    side: exitSideOf(terms),
    ...mapExitPrices((name) => textOrNull(exits[name])),
    trail: trail === null ? null : { unit: trail.unit, value: trail.value.trimmed().toString() },
    best: textOrNull(trailBest?.price),
    level: textOrNull(stopLevel(terms, trailBest?.price ?? null)),
    filled: (summary?.filled ?? Decimal.zero).trimmed().toString(),
    averagePrice: textOrNull(summary?.averagePrice),
    slippage: textOrNull(summary?.slippage),
  };
}

function textOrNull(value: Decimal | null | undefined): string | null {
  return value == null ? null : value.trimmed().toString();
}
