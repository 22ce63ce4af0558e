import type { OrderRecord } from '../../protocol/operations/trading.js';
import type { OrderTerms } from '../journal/intent.js';
import { areCopies, fits } from '../order/terms.js';

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
}

/** Orders that are there besides the one that was wanted. */
export interface Extra {
  readonly intent: string;
  readonly terms: OrderTerms;
  readonly order: string | null;
  readonly ids: readonly string[];
  /** Nobody else seems to use the account, so that only the network can have made them. */
  readonly certain: boolean;
}

export interface Evidence {
  /** What the exchange lists of one side of a market, as far back as any of the orders below. */
  readonly records: readonly OrderRecord[];
  /** Ids of orders that are accounted for. */
  readonly known: ReadonlySet<string>;
  /** Settled orders whose request may have been carried out again. */
  readonly settled: readonly Wanted[];
  /** Orders of which it is not known yet whether and as what they are there: what fits may be theirs. */
  readonly open: readonly Wanted[];
  /** How far the moments of two executions of one request may be apart, in milliseconds. */
  readonly span: number;
}

/**
 * Holds the exchange's list against the journal. Asking for a client id would not do: of two orders with the same one the
 * exchange shows the newest only.
 */
export function extraOrders({ records, known, settled, open, span }: Evidence): Extra[] {
  const own = new Map(records.map((record) => [record.id, record]));
  const timeOf = (wanted: Wanted) => madeAt(wanted, own);
  const isLike = (record: OrderRecord, { order, terms }: Wanted) => {
    const original = own.get(order ?? '');
    return fits(record, terms) || (original !== undefined && areCopies(record, original));
  };
  const claims = (record: OrderRecord, wanted: Wanted) =>
    isLike(record, wanted) && Math.abs(record.trade_date - timeOf(wanted)) <= span;
  const strange = records.filter(({ id }) => !known.has(id));
  const unexplained = strange.filter((record) => ![...settled, ...open].some((wanted) => claims(record, wanted)));
  const earliest = Math.min(...settled.map(timeOf)) - span;
  const certain = !unexplained.some(({ trade_date: time }) => time >= earliest);
  const extras = new Map<Wanted, string[]>();
  for (const record of withoutOpen(strange, open, claims)) {
    const gap = (wanted: Wanted) => Math.abs(record.trade_date - timeOf(wanted));
    const [nearest] = settled.filter((wanted) => claims(record, wanted)).sort((one, other) => gap(one) - gap(other));
    if (nearest !== undefined) extras.set(nearest, [...(extras.get(nearest) ?? []), record.id]);
  }
  return [...extras].map(([{ intent, terms, order }, ids]) => ({ intent, terms, order, ids, certain }));
}

/**
 * When an order came to be, in ms since the Unix epoch: by the list, which the exchange need not date by the clock that it
 * judges requests by, or where that does not show it, when it was asked for.
 */
export function madeAt(
  { order, reqTime }: Pick<Wanted, 'order' | 'reqTime'>,
  listed: ReadonlyMap<string, Pick<OrderRecord, 'trade_date'>>,
): number {
  return listed.get(order ?? '')?.trade_date ?? reqTime;
}

/** Each open order may turn out to be one of those that fit it, the one that is nearest in time for all that is known. */
function withoutOpen(
  records: readonly OrderRecord[],
  open: readonly Wanted[],
  claims: (record: OrderRecord, wanted: Wanted) => boolean,
): OrderRecord[] {
  const left = new Set(records);
  for (const wanted of open) {
    const gap = ({ trade_date: time }: OrderRecord) => Math.abs(time - wanted.reqTime);
    const [nearest] = [...left].filter((record) => claims(record, wanted)).sort((one, other) => gap(one) - gap(other));
    if (nearest !== undefined) left.delete(nearest);
  }
  return [...left];
}
