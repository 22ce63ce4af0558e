import { localTimeText, suggest, usage } from '../../../errors.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { TradingContext } from '../../trading-context.js';
import { localExpiry } from '../poll-until-found.js';

/** What the user found out on the exchange about a write. */
export interface ManualOutcome {
  readonly outcome: 'done' | 'notSent';
  /** The order or record that it made; null if the user names none. */
  readonly id: string | null;
}

/** Throws Failure `usage` until the request has expired: the order or withdrawal may appear in a moment. */
export function requireExpired(
  trading: TradingContext,
  id: string,
  request: { readonly reqTime: number },
  manual: ManualOutcome,
): void {
  const certain = localExpiry(trading, request);
  if (certain === null) return;
  throw usage(`The exchange may still execute ${id}, so it is too early to report its outcome.`, [
    `Report it after ${localTimeText(certain)}.`,
    suggest('Report it', 'resolve', id, '--as', manual.id === null ? manual.outcome : `placed=${manual.id}`),
  ]);
}

/** Makes this process the owner. Throws Failure `usage` if another process has claimed it meanwhile. */
export function requireClaimed(entry: Pick<JournalEntry, 'claim' | 'write'>): void {
  if (!entry.claim()) throw usage(`Another process is working on ${entry.write.id}.`);
}
