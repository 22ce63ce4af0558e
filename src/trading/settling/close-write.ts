import type { JournalEntry } from '../journal/entry.js';
import type { TradingContext } from '../trading-context.js';

/** An order that was refused, or never arrived, is recognized for a day if it appears after all. */
const KEPT_MS = 86_400_000;

/** The requests of a settled write. */
interface RequestsOfWrite {
  /** When the last of them was dated, by the exchange's clock in ms since the Unix epoch. */
  readonly lastReqTime: number;
  /** Whether they are over: they have expired, and a list that was read later showed everything that they made. */
  readonly areOver: boolean;
  /** Whether an order or withdrawal of it does not exist. */
  readonly isAbsent: boolean;
}

/** Closes a settled write whose requests are over. If nothing of it exists, or was found late, its record is kept for a day. */
export function closeIfOver(
  { client, requestLifetimeMs }: TradingContext,
  entry: Pick<JournalEntry, 'isClosed' | 'isUnexpected' | 'close'>,
  { lastReqTime, areOver, isAbsent }: RequestsOfWrite,
): void {
  const isDayOver = client.now() > lastReqTime + requestLifetimeMs + KEPT_MS;
  const mayClose = entry.isClosed ? isDayOver : areOver;
  if (mayClose) entry.close({ isKept: (isAbsent || entry.isUnexpected) && !isDayOver });
}
