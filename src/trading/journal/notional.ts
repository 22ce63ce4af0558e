import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { notionalForGuards, remainderOf } from '../orders/terms.js';
import { isKind, marketOf, type RecordedWrite, type Settled } from './write.js';

/** What the orders of a settled write count for the limit of a day. */
export interface DayNotional {
  /** The id of the write. */
  readonly id: string;
  /** Its UTC day is the day, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly quote: string;
  /** In the quote coin, duplicates included. */
  readonly notional: string;
}

/** What a settled write counts for the limit of its day; undefined if it has no market. */
export function dayNotionalOf(settled: Settled): DayNotional | undefined {
  const { write } = settled;
  const quote = quoteOf(write);
  if (quote === undefined) return undefined;
  return { id: write.id, time: dateOf(settled), quote, notional: settled.notional ?? notionalOfOrder(settled) };
}

/** What an order counts that was closed when it had filled so much: what it left may be placed again. In its quote coin. */
export function notionalOfFilled({ terms, bestBid }: RecordedWrite<'order'>, filled: string): Decimal {
  return notionalForGuards({ ...terms, amount: filled }, bestBid);
}

function notionalOfOrder({ write, outcome, duplicates }: Settled): string {
  const orders = duplicates.length + (outcome === 'placed' ? 1 : 0);
  return notionalOfWrite(write)
    .times(Decimal.of(String(orders)))
    .toString();
}

/** The most that a single write places, in its quote coin; zero for one that places no order. */
export function notionalOfWrite(write: RecordedWrite): Decimal {
  if (isKind(write, 'order')) return notionalForGuards(write.terms, write.bestBid);
  // once its order is cancelled, a replacement is an order
  return isKind(write, 'replace') ? notionalOfReplacement(write) : Decimal.zero;
}

/** The most that a replacement will place. What the cancelled order filled counts with that order. */
function notionalOfReplacement({ terms: { wanted, filled = '0' }, bestBid }: RecordedWrite<'replace'>): Decimal {
  return notionalForGuards(remainderOf(wanted, filled), bestBid);
}

/** The coin in which the orders of a write are worth something; undefined if it has no market. */
export function quoteOf(write: RecordedWrite): string | undefined {
  return splitMarket(marketOf(write) ?? '')?.quote;
}

/** An order counts on the day it was sent. A job may take days, and counts as a whole on the day it ended. */
export function dateOf({ write, events }: Pick<Settled, 'write' | 'events'>): number {
  return isKind(write, 'batch') ? (events.at(-1)?.time ?? write.time) : write.time;
}
