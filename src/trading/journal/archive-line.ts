import { valueInLine } from './files.js';
import type { DayNotional } from './notional.js';
import { type CancelledOrder, isRecordedWrite, orderCancelledBy, type Settled } from './write.js';

/** A settled write in a day's file. */
export interface SettledLine {
  /** The time at which it was written, by this machine's clock. */
  readonly at: number;
  /** Comes before the write, so that a day is summed without parsing every write of it. */
  readonly day?: DayNotional | undefined;
  readonly settled: Settled;
}

/** An order that pit saw cancelled, in a day's file. */
export interface CancelledLine {
  readonly at: number;
  readonly cancelled: CancelledOrder;
}

export type ArchiveLine = SettledLine | CancelledLine;

/** What a line of the archive holds; undefined for one that is empty or damaged. */
export function archiveLineIn(text: string): ArchiveLine | undefined {
  const value = valueInLine(text);
  if (value === undefined) return undefined;
  if (isSettledLine(value)) return value;
  const { at, cancelled = cancelledByRecord(value) } = value as Partial<CancelledLine>;
  return typeof at === 'number' && isCancelledOrder(cancelled) ? { at, cancelled } : undefined;
}

/** Whether a line says that an order was cancelled, or replaced. */
export function isOfCancelled(line: ArchiveLine, id: string): boolean {
  if ('cancelled' in line) return line.cancelled.id === id;
  return orderCancelledBy(line.settled).some((order) => 'id' in order && order.id === id);
}

function isSettledLine(value: object): value is SettledLine {
  const { write, outcome, duplicates, events } = (value as Partial<SettledLine>).settled ?? {};
  return isRecordedWrite(write) && typeof outcome === 'string' && Array.isArray(duplicates) && Array.isArray(events);
}

function isCancelledOrder(value: Partial<CancelledOrder> | undefined): value is CancelledOrder {
  return typeof value?.market === 'string' && typeof value.id === 'string';
}

/** The order of a line of pit 0.2, which recorded cancellations as writes; undefined if its order was not cancelled. */
function cancelledByRecord(value: object): Partial<CancelledOrder> | undefined {
  const { write, outcome, id } = (value as { readonly settled?: OldSettled }).settled ?? {};
  if (write?.operation !== 'cancel' || outcome !== 'cancelled') return undefined;
  return { market: write.terms?.market, id } as Partial<CancelledOrder>;
}

interface OldSettled {
  readonly write?: { readonly operation?: unknown; readonly terms?: { readonly market?: unknown } };
  readonly outcome?: unknown;
  readonly id?: unknown;
}
