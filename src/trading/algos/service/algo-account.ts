import type { Advice, Failure } from '../../../errors.js';
import type { Channel, Exchange, ExchangeStream, WantedSince } from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';
import type { TimeBudget } from '../../../platform/time-budget.js';
import type { Condition } from '../../alerts/condition.js';
import type { guardLimits } from '../../guards/limits.js';
import type { Journal } from '../../journal/journal.js';
import type { TradingContext } from '../../trading-context.js';
import type { AlgoStore } from '../record/store.js';

/** The account that algo orders trade for. Each part is opened when it is first needed. */
export interface AlgoAccount {
  exchange(): Promise<Exchange>;
  /** The exchange for signed calls. @param budget if they have a time of their own */
  signedExchange(budget?: TimeBudget): Promise<Exchange>;
  /** With the time of the command. */
  trading(): Promise<TradingContext>;
  /** The settings as they are now. Throws Failure `usage` if the profile has other hosts or keys by now. */
  currentSettings(): Promise<Parameters<typeof guardLimits>[0]>;
  /** Follows channels, over HTTP while there is no stream. */
  stream(
    channels: readonly Channel[],
    choices: {
      readonly signal: AbortSignal;
      readonly reads: 'polls';
      readonly wantedSince?: WantedSince;
    },
  ): Promise<ExchangeStream>;
}

export interface AlgoServiceOptions {
  readonly host: Host;
  readonly account: AlgoAccount;
  readonly store: AlgoStore;
  readonly journal: Journal;
  /** Makes what trading works with, with a time of its own. */
  readonly open: () => Promise<TradingContext>;
  /** Makes a process that watches. Returns why there is none; null if there is one. */
  readonly startWatcher: () => Promise<Failure | null>;
  /** The condition of a text in the terms of an algo order. */
  readonly parseCondition: (text: string) => Condition;
  readonly warn: (message: Advice) => void;
  /** Whether the exchange and all that changes anything is in this process, on one clock. */
  readonly isAlone: boolean;
}
