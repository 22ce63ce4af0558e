import * as v from 'valibot';
import { ORDER_TYPES, type Order, SIDES } from '../../../domain/order.js';
import { CHILD_ENDS, type ChildEnd } from '../plan/children.js';
import { integer, numeric, time } from '../plan/line-schemas.js';
import { parentOf } from './child-name.js';

const ORDER = v.object({
  id: v.string(),
  clientId: v.nullable(v.string()),
  market: v.string(),
  side: v.picklist(SIDES),
  type: v.picklist([...ORDER_TYPES, 'other']),
  price: numeric,
  amount: numeric,
  filled: numeric,
  filledValue: numeric,
  fee: v.nullable(numeric),
  feeCoin: v.nullable(v.string()),
  feeDiscount: v.boolean(),
  time,
  state: v.picklist(['open', 'filled', 'cancelled', 'other']),
  status: integer,
}) satisfies v.GenericSchema<unknown, Order>;

/**
 * A child, before it is sent. The journal has it too and decides what became of it, but forgets it after some weeks. Its time is in
 * milliseconds since the Unix epoch, by the exchange's clock.
 */
const CHILD = v.object({
  child: v.string(),
  type: v.picklist(ORDER_TYPES),
  price: numeric,
  amount: numeric,
  time,
});

/**
 * A cancellation of the order of a child: a line before the request leaves, and one more if it has cancelled nothing: what was final
 * before was cancelled by others.
 */
const CANCELLATION = v.object({ cancelling: v.string(), isInVain: v.boolean() });

/** The order of a child as the exchange showed it when it was closed: the exchange may forget it too. */
const CLOSED = v.object({
  closed: v.string(),
  end: v.picklist(CHILD_ENDS),
  order: v.nullable(ORDER),
});

/** An order that the network made twice, as the exchange showed it last. */
const DUPLICATE = v.object({ duplicateOf: v.string(), order: ORDER, isProven: v.boolean() });

/** How much of a child the user was told has filled, so that the next process does not tell it again. */
const TOLD_FILL = v.object({ toldFillOf: v.string(), filled: numeric });

/** The lines about children, by the part that names the child. */
export const CHILD_LINES = {
  child: CHILD,
  cancelling: CANCELLATION,
  closed: CLOSED,
  duplicateOf: DUPLICATE,
  toldFillOf: TOLD_FILL,
};

export type NewChildLine = v.InferOutput<typeof CHILD>;

/** What the record of an algo order says of a child. */
export type ChildLine = v.InferOutput<(typeof CHILD_LINES)[keyof typeof CHILD_LINES]>;

/** A child as the record of its algo order has it. */
export interface RecordedChild {
  readonly clientId: string;
  /** As it was sent; undefined if only the journal knows it, because its line was cut off. */
  readonly sent: NewChildLine | undefined;
  /** Whether one of the cancellations by its algo order may have cancelled it. */
  readonly isCancelledHere: boolean;
  /** How it was closed; undefined if it was not. */
  readonly closed: { readonly end: ChildEnd; readonly order: Order | null } | undefined;
  /** The orders that the network made twice, by their ids. */
  readonly duplicates: ReadonlyMap<string, { readonly order: Order; readonly isProven: boolean }>;
  /** How much of it the user was told has filled. */
  readonly toldFill: string | undefined;
}

/** The client id of the child that a line is about. */
function childOf(line: ChildLine): string {
  if ('child' in line) return line.child;
  if ('cancelling' in line) return line.cancelling;
  if ('closed' in line) return line.closed;
  return 'duplicateOf' in line ? line.duplicateOf : line.toldFillOf;
}

/** Whether a line is about a child of this algo order. */
export function isOfAlgo(line: ChildLine, algo: string): boolean {
  return parentOf(childOf(line)) === algo;
}

/** What the lines about children come to, in the order in which they were written. */
export function recordedChildren(lines: readonly ChildLine[]): RecordedChild[] {
  const byChild = new Map<string, ChildLine[]>();
  for (const line of lines) byChild.set(childOf(line), [...(byChild.get(childOf(line)) ?? []), line]);
  return [...byChild].map(([clientId, own]) => {
    const cancellations = own.filter((line) => 'cancelling' in line);
    const inVain = cancellations.filter(({ isInVain }) => isInVain).length;
    const duplicates = new Map<string, { readonly order: Order; readonly isProven: boolean }>();
    for (const { order, isProven } of own.filter((line) => 'duplicateOf' in line)) {
      // what was proven once stays so
      const wasProven = duplicates.get(order.id)?.isProven === true;
      duplicates.set(order.id, { order, isProven: isProven || wasProven });
    }
    return {
      clientId,
      sent: own.findLast((line) => 'child' in line),
      isCancelledHere: cancellations.length - inVain > inVain,
      closed: own.findLast((line) => 'closed' in line),
      duplicates,
      toldFill: own.findLast((line) => 'toldFillOf' in line)?.filled,
    };
  });
}
