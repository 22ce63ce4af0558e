import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Exchange } from '../../../src/exchange/exchange.js';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import type { DuplicateOrders, DuplicateWithdrawals } from '../../../src/trading/settling/duplicates.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';
import { KEYS } from '../../exchange/support.js';
import { adviceText } from '../../support/advice.js';
import { type FakeHost, fakeHost } from '../../support/fake-host.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';

export interface TestTrading<Client extends Exchange = Exchange> extends TradingContext {
  readonly host: FakeHost;
  readonly client: Client;
  /** The folder of its journal. */
  readonly state: string;
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

/** A trading context at an exchange or an address, with its own journal and a clock that advances only in sleeps. */
export function tradingOf(exchange?: ScriptedExchange, options?: TradingOptions): TestTrading<ScriptedExchange>;
export function tradingOf(url: string, options?: TradingOptions): TestTrading<ExchangeClient>;
export function tradingOf(
  at: ScriptedExchange | string = new ScriptedExchange(),
  options: TradingOptions = {},
): TestTrading<ScriptedExchange | ExchangeClient> {
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
  const progress: string[] = [];
  const warnings: string[] = [];
  const alarms: DuplicateOrders[] = [];
  const withdrawalAlarms: DuplicateWithdrawals[] = [];
  return {
    ...{ host, budget, state, progress, warnings, alarms, withdrawalAlarms },
    client: clientOf(at, host, budget),
    journal: new Journal(host, state, 'test'),
    requestLifetimeMs: tolerance,
    reportProgress: (text) => progress.push(text),
    warn: (text) => warnings.push(adviceText(text)),
    reportDuplicateOrders: (duplicates) => alarms.push(...duplicates),
    reportDuplicateWithdrawals: (duplicates) => withdrawalAlarms.push(...duplicates),
  };
}

function clientOf(at: ScriptedExchange | string, host: FakeHost, budget: TimeBudget) {
  if (typeof at === 'string')
    return new ExchangeClient({ host, hosts: { baseUrl: at, tradeUrl: at }, credentials: () => KEYS, budget });
  at.attach(host);
  return at;
}

/** A private folder, removed after the test. */
export function temporaryState(): string {
  const state = mkdtempSync(path.join(tmpdir(), 'pit-state-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  return state;
}
