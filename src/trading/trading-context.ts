import type { Order } from '../domain/order.js';
import type { Advice } from '../errors.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Host } from '../platform/host.js';
import type { TimeBudget } from '../platform/time-budget.js';
import type { KnownSides } from './history/known-side.js';
import type { Journal } from './journal/journal.js';
import type { KeptStore } from './pnl/kept-history.js';
import type { TotalsStore } from './pnl/kept-totals.js';
import type { DuplicateOrders, DuplicateWithdrawals } from './settling/duplicates.js';

/** What trading code works with: client, journal, time budget, and where progress and warnings go. */
export interface TradingContext {
  readonly host: Host;
  readonly client: Exchange;
  readonly journal: Journal;
  readonly budget: TimeBudget;
  /** For how long after its `reqTime` the exchange accepts a request, in milliseconds: the setting `reqTimeTolerance`. */
  readonly requestLifetimeMs: number;
  /** What was read of the account's bills, deposits and withdrawals; undefined if nothing is to be kept. */
  readonly keptHistory?: KeptStore | undefined;
  /** The profit and loss of the account's history; undefined if nothing is to be kept. */
  readonly keptTotals?: TotalsStore | undefined;
  /** What is known of the account's orders since their lists were last read; undefined if nothing is to be kept. */
  readonly knownSides?: KnownSides | undefined;
  /** Signals order changes pushed for a market; undefined without a stream. The caller closes it. */
  readonly orderPushes?: ((market: string) => Pushes | undefined) | undefined;
  /** Shows the wait until the returned function is called. */
  readonly showWait?: ((wait: OutcomeWait) => () => void) | undefined;
  /** Tells the user what is being looked up. */
  readonly reportProgress: (message: string) => void;
  /** Prints a warning. */
  readonly warn: (message: Advice) => void;
  /** Warns about duplicate orders. Once this returns, they count as reported. */
  readonly reportDuplicateOrders: (duplicates: readonly DuplicateOrders[]) => void;
  /** Warns about duplicate withdrawals. Once this returns, they count as reported. */
  readonly reportDuplicateWithdrawals: (duplicates: readonly DuplicateWithdrawals[]) => void;
}

/** The wait for the outcome of a write that got no answer. All times are in milliseconds. */
export interface OutcomeWait {
  /** The time until the command gives up. */
  readonly leftMs: () => number;
}

/** Order changes that the exchange pushes. A push may be lost, so nothing may depend on one. */
interface Pushes {
  /** Resolves with the next push, at once if one came since the last call, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
  /** The order as pushes have shown it last; undefined if none was about it. */
  order(id: string): Order | undefined;
  close(): void;
}
