import type { Advice } from '../errors.js';
import type { TimeBudget } from '../exchange/budget.js';
import type { ExchangeClient } from '../exchange/exchange-client.js';
import type { Host } from '../platform/host.js';
import type { DuplicateOrders, DuplicateWithdrawals } from './duplicates.js';
import type { Journal } from './journal/journal.js';

/** An account at an exchange, with what is needed to write there and to find the outcome of a write. */
export interface TradingAccount {
  readonly host: Host;
  readonly client: ExchangeClient;
  readonly journal: Journal;
  readonly budget: TimeBudget;
  readonly requestLifetime: RequestLifetimeStore;
  /**
   * Tells when the exchange pushes a change of an order of the market; undefined if it has no stream. Whoever asks closes it.
   */
  readonly orderPushes?: ((market: string) => Pushes | undefined) | undefined;
  /** Shows that the outcome of a write is being waited for, until the returned function is called. */
  readonly showWait?: ((wait: OutcomeWait) => () => void) | undefined;
  /** Receives progress messages for the user: what is being looked up. */
  readonly reportProgress: (words: string) => void;
  /** Warns about facts that differ from the request. */
  readonly warn: (words: Advice) => void;
  /** Warns about duplicate orders. Once this returns, they count as reported. */
  readonly reportDuplicateOrders: (duplicates: readonly DuplicateOrders[]) => void;
  /** The same for withdrawals. */
  readonly reportDuplicateWithdrawals: (duplicates: readonly DuplicateWithdrawals[]) => void;
}

/** The wait for the outcome of a write that got no answer. All times are in milliseconds. */
export interface OutcomeWait {
  /** Until the request can no longer be executed; undefined while that is not known. */
  readonly expiresInMs: () => number | undefined;
  /** Until the command gives up. */
  readonly leftMs: () => number;
}

/** Changes that the exchange pushes. Nothing may depend on them. */
interface Pushes {
  /** Resolves at the next one, at once if one came since the last call, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** How long after its `reqTime` the exchange takes a request, kept between commands. */
export interface RequestLifetimeStore {
  /** Milliseconds; undefined while it is not known. */
  readonly known: number | undefined;
  save(milliseconds: number): Promise<void>;
  /** The exchange has shown that this is no longer true. */
  clear(): Promise<void>;
}
