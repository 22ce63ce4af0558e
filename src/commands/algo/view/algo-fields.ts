import { factsOf, fieldsOf, type JsonOf, valuesOf } from '../../../cli/fact-list.js';
import * as shape from '../../../cli/shapes.js';
import { Decimal } from '../../../domain/decimal.js';
import { SIDES } from '../../../domain/order.js';
import { isoTime } from '../../../terminal/time.js';
import { CHILD_ROLES, positionOf, positive, totalExcessOf } from '../../../trading/algos/plan/children.js';
import { ENTRY_NAMES, kindOfEntry, namedPriceOf } from '../../../trading/algos/plan/entries/entry-kinds.js';
import { NO_PARTS } from '../../../trading/algos/plan/entries/entry-terms.js';
import { type AlgoKind, type AlgoTerms, exitSideOf, kindOf } from '../../../trading/algos/plan/terms.js';
import { stopLevel } from '../../../trading/algos/plan/trigger.js';
import { KEPT_EVENTS, keptEvents } from '../../../trading/algos/record/fact-events.js';
import { ALGO_STATES, type FactOf, unprotectedSince } from '../../../trading/algos/record/facts.js';
import { duplicateIds } from '../../../trading/algos/record/snapshot.js';
import { type AlgoSummary, type LegSummary, summaryOf } from '../../../trading/algos/record/summary.js';
import type { AlgoView } from '../../../trading/algos/service/algo-views.js';
import { ORDER, orderRow } from '../../order/order-row.js';
import { ENTRY_PARTS } from './entry-words.js';

/** Terms, and what their exits have come to. */
interface ShownTerms {
  readonly terms: AlgoTerms;
  readonly trailBest: Decimal | null;
  /** Null without exits, and before the algo order exists. */
  readonly exit: LegSummary | null;
}

/** An algo order, with what follows from its children. */
interface ShownAlgo extends ShownTerms {
  readonly view: AlgoView;
  readonly summary: AlgoSummary;
  /** Of the entry, or of the exits without one. */
  readonly main: LegSummary | null;
  readonly filled: Decimal;
  /** What the entry has built and no exit has ended; null without both. */
  readonly position: Decimal | null;
  readonly trigger: FactOf<'triggered'> | null;
}

const terms = factsOf<ShownTerms>();

const EXIT = {
  exit: terms({
    json: {
      side: [shape.enumOf(SIDES, ''), (of) => exitSideOf(of.terms)],
      take: [shape.nullable(shape.decimal('the take-profit')), (of) => textOrNull(of.terms.exits?.take)],
      stop: [shape.nullable(shape.decimal('')), (of) => textOrNull(of.terms.exits?.stop)],
      limit: [
        shape.nullable(shape.decimal('of the order that a reached stop sends')),
        (of) => textOrNull(of.terms.exits?.limit),
      ],
      trail: [
        shape.nullable(
          shape.object({
            unit: shape.enumOf(['share', 'price', 'ticks'], ''),
            value: shape.decimal('a share of 0.02 is 2%'),
          }),
        ),
        ({ terms: { exits } }) => (exits?.trail ? { ...exits.trail, value: textOf(exits.trail.value) } : null),
      ],
      best: [shape.nullable(shape.decimal('the best price that the trail has seen')), (of) => textOrNull(of.trailBest)],
      level: [
        shape.nullable(shape.decimal('where the stop or the trail acts now')),
        (of) => textOrNull(stopLevel(of.terms, of.trailBest)),
      ],
      filled: [shape.decimal('in the base coin'), (of) => textOf(of.exit?.filled ?? Decimal.zero)],
      averagePrice: [shape.nullable(shape.decimal('')), (of) => textOrNull(of.exit?.averagePrice)],
      slippage: [
        shape.nullable(
          shape.decimal('how much worse the average is than the trigger, as a share of it; below zero if better'),
        ),
        (of) => textOrNull(of.exit?.slippage),
      ],
    },
  }),
};

const KINDS: readonly AlgoKind[] = [
  ...(['stop', 'stopLimit', 'trail', 'oco', 'bracket'] as const),
  ...ENTRY_NAMES.filter((name) => name !== 'limit'),
  'when',
];

const ENTRY = shape.object(
  {
    kind: shape.enumOf(ENTRY_NAMES, ''),
    price: shape.nullable(shape.decimal('of its orders, or the limit of slices and of a chase')),
    ...ENTRY_PARTS,
    when: shape.array(shape.text(''), 'the conditions that it waits for'),
  },
  'what builds a position',
);

function entryRow({ entry, when }: AlgoTerms): shape.Infer<typeof ENTRY> | null {
  if (entry === null) return null;
  const parts = kindOfEntry(entry).parts(entry);
  return { kind: entry.kind, price: textOrNull(namedPriceOf(entry)), ...NO_PARTS, ...parts, when };
}

/** The terms of an algo order for programs, which a dry run prints too. */
const TERMS = {
  terms: terms({
    json: {
      market: [shape.text(''), (of) => of.terms.market.market],
      side: [shape.enumOf(SIDES, 'of the entry, or of the exits without one'), (of) => of.terms.side],
      amount: [shape.decimal('in the base coin'), (of) => textOf(of.terms.amount)],
      kind: [shape.enumOf(KINDS, ''), (of) => kindOf(of.terms)],
      entry: [shape.nullable(ENTRY), (of) => entryRow(of.terms)],
      exit: [
        shape.nullable(shape.object(fieldsOf(EXIT), 'what ends it')),
        (of) => (of.terms.exits === null ? null : valuesOf(EXIT, of)),
      ],
    },
  }),
};

const algo = factsOf<ShownAlgo>();

/** An algo order for programs: each field once, in the order of JSON and CSV. */
const FIELDS = {
  id: algo({ json: { id: [shape.text('of the algo order'), ({ view }) => view.id] } }),
  ...TERMS,
  work: algo({
    json: {
      state: [shape.enumOf(ALGO_STATES, ''), ({ view }) => view.state],
      watched: [
        shape.boolean('whether a process of pit acts for it; false once it has ended'),
        ({ view }) => view.isWatched,
      ],
      agent: [shape.boolean('whether an agent made it'), (of) => of.terms.agent !== undefined],
      trigger: [
        shape.nullable(
          shape.object({
            time: shape.time(''),
            price: shape.decimal(''),
            source: shape.text('book, last or the condition'),
            late: shape.boolean('found after pit could not see the market'),
          }),
        ),
        ({ trigger }) => {
          if (trigger === null) return null;
          const { time, price, source, late } = trigger;
          return { time: isoTime(time), price: textOf(price), source, late };
        },
      ],
      filled: [
        shape.decimal('of the entry, or of the exits without one, in the base coin'),
        ({ filled }) => textOf(filled),
      ],
      averagePrice: [shape.nullable(shape.decimal('of what has filled')), ({ main }) => textOrNull(main?.averagePrice)],
      fees: [
        shape.nullable(
          shape.array(
            shape.object({ coin: shape.text(''), amount: shape.decimal('') }),
            'null if the exchange does not show one',
          ),
        ),
        ({ summary }) => summary.fees?.map(({ coin, amount }) => ({ coin, amount: textOf(amount) })) ?? null,
      ],
      remaining: [
        shape.decimal('amount less what has filled'),
        (of) => textOf(positive(of.terms.amount.minus(of.filled))),
      ],
      children: [
        shape.array(
          shape.object({ ...ORDER, role: shape.enumOf(CHILD_ROLES, 'what it is for') }),
          'the orders that it has placed',
        ),
        ({ view }) =>
          view.orders.flatMap(({ order, clientId, role }) =>
            order === null ? [] : [{ ...orderRow(order, clientId), role }],
          ),
      ],
      duplicates: [
        shape.array(
          shape.id(''),
          'those orders that the network made twice: what they fill is more than was asked for',
        ),
        ({ view }) => duplicateIds(view),
      ],
      started: [shape.time(''), ({ view }) => isoTime(view.facts.began.time)],
      ended: [shape.nullable(shape.time('')), ({ view: { facts } }) => facts.ended && isoTime(facts.ended.time)],
      reason: [shape.nullable(shape.text('why it waits, is paused or has ended')), ({ view }) => view.reason],
      unprotected: [
        shape.nullable(
          shape.object(
            { since: shape.time(''), reason: shape.text("in the exchange's words if it refused the stop") },
            'its stop is paused, or reached and not known to be sent; null if it is protected',
          ),
        ),
        ({ view }) => unprotectedRow(view),
      ],
      excess: [
        shape.nullable(
          shape.object(
            {
              amount: shape.decimal('filled, or still open, beyond what was asked for, in the base coin'),
              orders: shape.array(shape.id(''), 'that the network made twice'),
            },
            'null if nothing is beyond it',
          ),
        ),
        ({ view }) => excessRow(view),
      ],
      position: [
        shape.nullable(shape.decimal('what the entry has built and no exit has ended')),
        ({ position }) => textOrNull(position),
      ],
      slippage: [
        shape.nullable(
          shape.decimal(
            'how much worse the average is than the price at the trigger or start, as a share of it; below zero if better',
          ),
        ),
        ({ main }) => textOrNull(main?.slippage),
      ],
      durationMs: [shape.integer('until the end, or now'), ({ summary }) => summary.durationMs],
      events: [
        shape.array(
          shape.object({
            time: shape.time(''),
            event: shape.enumOf(KEPT_EVENTS, ''),
            text: shape.text('a sentence'),
          }),
          'what became of it, oldest first',
        ),
        ({ view }) =>
          keptEvents(view.facts, view.said).map(({ time, event, text }) => ({ time: isoTime(time), event, text })),
      ],
    },
  }),
};

export const TERMS_FIELDS = fieldsOf(TERMS);

/** The terms of an algo order that does not exist yet, for programs. */
export function algoTermsRow(terms: AlgoTerms) {
  return valuesOf(TERMS, { terms, trailBest: null, exit: null });
}

export const ALGO = fieldsOf(FIELDS);

/** What programs read of an algo order. */
export type AlgoDocument = JsonOf<typeof FIELDS>;

/** @param now by the exchange's clock, in milliseconds since the Unix epoch */
export function algoDocument(view: AlgoView, now: number): AlgoDocument {
  return valuesOf(FIELDS, shownAlgo(view, now));
}

function shownAlgo(view: AlgoView, now: number): ShownAlgo {
  const { terms, facts, children } = view;
  const summary = summaryOf(terms, facts, children, now);
  const main = summary.entry ?? summary.exit;
  const hasPosition = terms.entry !== null && terms.exits !== null;
  return {
    ...{ view, terms, summary, main, exit: summary.exit, trailBest: facts.trailBest?.price ?? null },
    filled: main?.filled ?? Decimal.zero,
    position: hasPosition ? positive(positionOf(terms, children).minus(summary.exit?.filled ?? Decimal.zero)) : null,
    trigger: facts.exitTriggered ?? facts.entryTriggered,
  };
}

function unprotectedRow({ facts, unsentSince, reason, isWatched }: AlgoView) {
  const since = unprotectedSince(facts, unsentSince);
  if (since === null) return null;
  const unknown = isWatched ? 'Its stop is not known to be sent.' : 'No process of pit acts for it.';
  return { since: isoTime(since), reason: reason ?? unknown };
}

function excessRow(view: AlgoView) {
  const { terms, children } = view;
  const orders = duplicateIds(view);
  const amount = totalExcessOf(terms, children);
  return orders.length === 0 || amount.sign === 0 ? null : { amount: textOf(amount), orders };
}

function textOf(value: Decimal): string {
  return value.trimmed().toString();
}

function textOrNull(value: Decimal | null | undefined): string | null {
  return value == null ? null : textOf(value);
}
