import type { Order } from '../../domain/order.js';
import type { OrderTerms } from '../journal/intent.js';
import { areCopies, fits } from '../orders/terms.js';

/** An order of the journal, that is known to be on the exchange or may be. */
export interface Wanted {
  readonly intent: string;
  readonly terms: OrderTerms;
  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  readonly reqTime: number;
  /** The id under which the exchange has it; null where it has none, or none is known. */
  readonly order: string | null;
  /** Within how many milliseconds of leaving its request was answered, or it was settled. */
  readonly took: number;
  /** Of a job, which of its lines it is, counted from 0. */
  readonly line?: number;
}

/** Orders that are there besides the one that was wanted. */
export interface Extra {
  readonly intent: string;
  readonly terms: OrderTerms;
  /** As of what was wanted. */
  readonly line?: number;
  readonly order: string | null;
  /** The oldest first. */
  readonly ids: readonly string[];
  /** Nobody else seems to use the account, so that only the network can have made them. */
  readonly certain: boolean;
}

/** What was made of each write: of a job several orders may be there again. */
export function byWrite(extras: readonly Extra[]): ReadonlyMap<string, readonly Extra[]> {
  const groups = new Map<string, Extra[]>();
  for (const extra of extras) groups.set(extra.intent, [...(groups.get(extra.intent) ?? []), extra]);
  return groups;
}

/** What is left of it where some of these orders are accounted for by now: the first of a line is the line's order then. */
export function withoutKnown(found: readonly Extra[], known: ReadonlySet<string>): Extra[] {
  return found
    .map((extra) => {
      const order = extra.order ?? extra.ids.find((id) => known.has(id)) ?? null;
      return { ...extra, order, ids: extra.ids.filter((id) => !known.has(id)) };
    })
    .filter(({ ids }) => ids.length > 0);
}

export interface Evidence {
  /** What the exchange lists of one side of a market, as far back as any of the orders below. */
  readonly records: readonly Order[];
  /** Ids of orders that are accounted for. */
  readonly known: ReadonlySet<string>;
  /** Settled orders whose request may have been carried out again. */
  readonly settled: readonly Wanted[];
  /** Orders of which it is not known yet whether and as what they are there: what fits may be theirs. */
  readonly open: readonly Wanted[];
  /** How far the moments of two executions of one request may be apart, in milliseconds. */
  readonly span: number;
}

/** With its moment, in ms since the Unix epoch. */
interface Listed {
  readonly record: Order;
  readonly time: number;
}

/**
 * Holds the exchange's list against the journal. Asking for a client id would not do: of two orders with the same one the
 * exchange shows the newest only.
 */
export function extraOrders({ records, known, settled, open, span }: Evidence): Extra[] {
  const own = new Map(records.map((record) => [record.id, record]));
  const timeOf = (wanted: Wanted) => madeAt(wanted, own);
  const isLike = (record: Order, { order, terms }: Wanted) => {
    const original = own.get(order ?? '');
    return fits(record, terms) || (original !== undefined && areCopies(record, original));
  };
  const claims = ({ record, time }: Listed, wanted: Wanted) =>
    isLike(record, wanted) && Math.abs(time - timeOf(wanted)) <= span;
  const strange = records.filter(({ id }) => !known.has(id)).map((record): Listed => ({ record, time: record.time }));
  const unexplained = strange.filter((one) => ![...settled, ...open].some((wanted) => claims(one, wanted)));
  const earliest = Math.min(...settled.map(timeOf)) - span;
  const certain = !unexplained.some(({ time }) => time >= earliest);
  const extras = new Map<Wanted, string[]>();
  // of lines of one job that agree, those that have no order yet
  const isFree = (wanted: Wanted) => wanted.order === null && !extras.has(wanted);
  for (const row of withoutOpen(strange, open, claims).toReversed()) {
    const gap = (wanted: Wanted) => Math.abs(row.time - timeOf(wanted));
    const near = settled.filter((wanted) => claims(row, wanted)).sort((one, other) => gap(one) - gap(other));
    const wanted = near.find((one) => one.intent === near[0]?.intent && isFree(one)) ?? near[0];
    if (wanted !== undefined) extras.set(wanted, [...(extras.get(wanted) ?? []), row.record.id]);
  }
  return [...extras].map(([{ reqTime, took, ...wanted }, ids]) => ({ ...wanted, ids, certain }));
}

/**
 * When an order came to be, in ms since the Unix epoch: by the list, which the exchange need not date by the clock that it
 * judges requests by, or where that does not show it, when it was asked for.
 */
export function madeAt(
  { order, reqTime }: Pick<Wanted, 'order' | 'reqTime'>,
  listed: ReadonlyMap<string, Pick<Order, 'time'>>,
): number {
  return listed.get(order ?? '')?.time ?? reqTime;
}

/** Each open order may turn out to be one of those that fit it, the one that is nearest in time for all that is known. */
export function withoutOpen<Row extends { readonly time: number }>(
  rows: readonly Row[],
  open: readonly Wanted[],
  claims: (row: Row, wanted: Wanted) => boolean,
): Row[] {
  const left = new Set(rows);
  for (const wanted of open) {
    const gap = ({ time }: Row) => Math.abs(time - wanted.reqTime);
    const [nearest] = [...left].filter((row) => claims(row, wanted)).sort((one, other) => gap(one) - gap(other));
    if (nearest !== undefined) left.delete(nearest);
  }
  return [...left];
}
