import type { JournalEntry } from '../journal/entry.js';
import type { ClosedAs } from '../journal/list-marks.js';
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

/** How a settled write is closed whose requests are over: one that made nothing is watched for a day. Undefined for any other. */
export function closingOf(
  { client, requestLifetimeMs }: TradingContext,
  { isClosed }: Pick<JournalEntry, 'isClosed'>,
  { lastReqTime, areOver, isAbsent }: RequestsOfWrite,
): ClosedAs | undefined {
  const isDayOver = client.now() > lastReqTime + requestLifetimeMs + KEPT_MS;
  const mayClose = isClosed ? isDayOver : areOver;
  if (!mayClose) return undefined;
  return isAbsent && !isDayOver ? 'watched' : 'over';
}
