import type { Advice } from '../errors.js';
import type { Budget } from '../exchange/budget.js';
import type { ExchangeClient } from '../exchange/exchange-client.js';
import type { Host } from '../platform/host.js';
import type { DuplicateOrders, DuplicateWithdrawals } from './duplicates.js';
import type { Journal } from './journal/journal.js';

/** An account at an exchange, with what it takes to write there and to know what became of it. */
export interface TradingAccount {
  readonly host: Host;
  readonly client: ExchangeClient;
  readonly journal: Journal;
  readonly budget: Budget;
  readonly tolerance: ToleranceMemory;
  /** Takes words for a person who waits: what is being found out. */
  readonly tell: (words: string) => void;
  /** Warns of what is otherwise than it was asked for. */
  readonly warn: (words: Advice) => void;
  /** Tells loudly of orders that are there more than once. When this returns they count as told. */
  readonly reportDuplicateOrders: (duplicates: readonly DuplicateOrders[]) => void;
  /** The same for withdrawals. */
  readonly reportDuplicateWithdrawals: (duplicates: readonly DuplicateWithdrawals[]) => void;
}

/** How long after its `reqTime` the exchange takes a request, kept between commands. */
export interface ToleranceMemory {
  /** Milliseconds; undefined while it is not known. */
  readonly known: number | undefined;
  keep(milliseconds: number): Promise<void>;
  /** The exchange has shown that it is not so any more. */
  forget(): Promise<void>;
}
