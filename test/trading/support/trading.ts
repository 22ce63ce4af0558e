import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import type { DuplicateOrders, DuplicateWithdrawals } from '../../../src/trading/settling/duplicates.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';
import { KEYS } from '../../exchange/support.js';
import { adviceText } from '../../support/advice.js';
import { type FakeHost, fakeHost } from '../../support/fake-host.js';

export interface TestTrading extends TradingContext {
  readonly host: FakeHost;
  readonly client: ExchangeClient;
  /** The progress messages. */
  readonly progress: readonly string[];
  /** The warnings. */
  readonly warnings: readonly string[];
  /** The reported duplicate orders. */
  readonly alarms: readonly DuplicateOrders[];
  /** The reported duplicate withdrawals. */
  readonly withdrawalAlarms: readonly DuplicateWithdrawals[];
}

export interface TradingOptions {
  readonly budgetMs?: number;
  /** Whether the user set the time budget (default: if it is given). */
  readonly isChosen?: boolean;
  /** How long the exchange accepts a request, as it is set, in ms (default: a minute). */
  readonly tolerance?: number;
  /** The folder of an earlier context, to continue with its journal. */
  readonly state?: string;
  /** How long ago the earlier one began, in ms. */
  readonly elapsedMs?: number;
}

/** A trading context at one host, with its own journal and a clock that advances only in sleeps. */
export function tradingOf(url: string, options: TradingOptions = {}): TestTrading & { readonly state: string } {
  const {
    budgetMs = 60_000,
    isChosen = options.budgetMs !== undefined,
    tolerance = 60_000,
    state = temporaryState(),
    elapsedMs = 0,
  } = options;
  const host = fakeHost();
  void host.sleep(elapsedMs);
  const budget = new TimeBudget(budgetMs, host.monotonic, isChosen);
  const hosts = { baseUrl: url, tradeUrl: url };
  const progress: string[] = [];
  const warnings: string[] = [];
  const alarms: DuplicateOrders[] = [];
  const withdrawalAlarms: DuplicateWithdrawals[] = [];
  return {
    ...{ host, budget, state, progress, warnings, alarms, withdrawalAlarms },
    client: new ExchangeClient({ host, hosts, credentials: () => KEYS, budget }),
    journal: new Journal(host, state, 'test'),
    requestLifetimeMs: tolerance,
    reportProgress: (text) => progress.push(text),
    warn: (text) => warnings.push(adviceText(text)),
    reportDuplicateOrders: (duplicates) => alarms.push(...duplicates),
    reportDuplicateWithdrawals: (duplicates) => withdrawalAlarms.push(...duplicates),
  };
}

/** A private folder, removed after the test. */
export function temporaryState(): string {
  const state = mkdtempSync(path.join(tmpdir(), 'pit-state-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  return state;
}
