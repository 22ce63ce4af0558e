import * as shape from '../../../cli/shapes.js';
import { CHILD_ROLES } from '../../../trading/algos/plan/children.js';
import { ENTRY_NAMES } from '../../../trading/algos/plan/entries/entry-kinds.js';
import type { AlgoKind } from '../../../trading/algos/plan/terms.js';
import { ALGO_STATES } from '../../../trading/algos/record/facts.js';
import type { AlgoEvent } from '../../../trading/algos/run/algo-voice.js';
import { ORDER } from '../../order/order-row.js';
import { ENTRY_PARTS } from './entry-words.js';

const KEPT_EVENTS = ['began', 'conditionMet', 'triggered', 'paused', 'resumed', 'cancelled', 'ended', 'note'] as const;

const ALGO_EVENT = shape.object({
  time: shape.time(''),
  event: shape.enumOf(KEPT_EVENTS, ''),
  text: shape.text('a sentence'),
});

/** Something that became of an algo order, beside its orders. */
export type AlgoEventRow = shape.Infer<typeof ALGO_EVENT>;

export const ALGO_EVENTS = shape.array(ALGO_EVENT, 'what became of it, oldest first');

const ENTRY = shape.nullable(
  shape.object(
    {
      kind: shape.enumOf(ENTRY_NAMES, ''),
      price: shape.nullable(shape.decimal('of its orders, or the limit of slices and of a chase')),
      ...ENTRY_PARTS,
      when: shape.array(shape.text(''), 'the conditions that it waits for'),
    },
    'what builds a position',
  ),
);

const EXIT = shape.nullable(
  shape.object(
    {
      side: shape.enumOf(['buy', 'sell'], ''),
      take: shape.nullable(shape.decimal('the take-profit')),
      stop: shape.nullable(shape.decimal('')),
      limit: shape.nullable(shape.decimal('of the order that a reached stop sends')),
      trail: shape.nullable(
        shape.object({
          unit: shape.enumOf(['share', 'price', 'ticks'], ''),
          value: shape.decimal('a share of 0.02 is 2%'),
        }),
      ),
      best: shape.nullable(shape.decimal('the best price that the trail has seen')),
      level: shape.nullable(shape.decimal('where the stop or the trail acts now')),
      filled: shape.decimal('in the base coin'),
      averagePrice: shape.nullable(shape.decimal('')),
      slippage: shape.nullable(
        shape.decimal('how much worse the average is than the trigger, as a share of it; below zero if better'),
      ),
    },
    'what ends it',
  ),
);

const KINDS: readonly AlgoKind[] = [
  ...(['stop', 'stopLimit', 'trail', 'oco', 'bracket'] as const),
  ...ENTRY_NAMES.filter((name) => name !== 'limit'),
  'when',
];

/** The terms of an algo order, as its dry run prints them. */
export const TERMS_FIELDS = {
  market: shape.text(''),
  side: shape.enumOf(['buy', 'sell'], 'of the entry, or of the exits without one'),
  amount: shape.decimal('in the base coin'),
  kind: shape.enumOf(KINDS, ''),
  entry: ENTRY,
  exit: EXIT,
};

export const ALGO_STATE = shape.enumOf(ALGO_STATES, '');
export const ALGO_REASON = shape.nullable(shape.text('why it waits, is paused or has ended'));

export const ALGO = {
  id: shape.text('of the algo order'),
  ...TERMS_FIELDS,
  state: ALGO_STATE,
  watched: shape.boolean('whether a process of pit acts for it; false once it has ended'),
  agent: shape.boolean('whether an agent made it'),
  trigger: shape.nullable(
    shape.object({
      time: shape.time(''),
      price: shape.decimal(''),
      source: shape.text('book, last or the condition'),
      late: shape.boolean('found after pit could not see the market'),
    }),
  ),
  filled: shape.decimal('of the entry, or of the exits without one, in the base coin'),
  averagePrice: shape.nullable(shape.decimal('of what has filled')),
  fees: shape.nullable(
    shape.array(
      shape.object({ coin: shape.text(''), amount: shape.decimal('') }),
      'null if the exchange does not show one',
    ),
  ),
  remaining: shape.decimal('amount less what has filled'),
  children: shape.array(
    shape.object({ ...ORDER, role: shape.enumOf(CHILD_ROLES, 'what it is for') }),
    'the orders that it has placed',
  ),
  duplicates: shape.array(
    shape.id(''),
    'those orders that the network made twice: what they fill is more than was asked for',
  ),
  started: shape.time(''),
  ended: shape.nullable(shape.time('')),
  reason: ALGO_REASON,
  unprotected: shape.nullable(
    shape.object(
      { since: shape.time(''), reason: shape.text("in the exchange's words if it refused the stop") },
      'its stop is paused, or reached and not known to be sent; null if it is protected',
    ),
  ),
  excess: shape.nullable(
    shape.object(
      {
        amount: shape.decimal('filled, or still open, beyond what was asked for, in the base coin'),
        orders: shape.array(shape.id(''), 'that the network made twice'),
      },
      'null if nothing is beyond it',
    ),
  ),
  position: shape.nullable(shape.decimal('what the entry has built and no exit has ended')),
  slippage: shape.nullable(
    shape.decimal(
      'how much worse the average is than the price at the trigger or start, as a share of it; below zero if better',
    ),
  ),
  durationMs: shape.integer('until the end, or now'),
  events: ALGO_EVENTS,
};

export type AlgoDocument = shape.InferFields<typeof ALGO>;

const EVENTS: Readonly<Record<AlgoEvent['event'], true>> = {
  triggered: true,
  placed: true,
  filled: true,
  childCancelled: true,
  rejected: true,
  unprotected: true,
  blind: true,
  seen: true,
  note: true,
  paused: true,
  resumed: true,
  cancelled: true,
  ended: true,
};

/** An event of the runner, for programs and for people. */
export const EVENT = {
  id: shape.text('of the algo order'),
  market: shape.text(''),
  time: shape.time("by the exchange's clock"),
  event: shape.enumOf(Object.keys(EVENTS), ''),
  text: shape.text('the event in a sentence'),
  algo: shape.object(ALGO),
};
