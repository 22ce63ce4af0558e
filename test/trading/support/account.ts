import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { toleranceMemory } from '../../../src/commands/session/context.js';
import { Cache } from '../../../src/config/cache.js';
import { Profiles } from '../../../src/config/profiles.js';
import { Budget } from '../../../src/exchange/budget.js';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import type { TradingAccount } from '../../../src/trading/account.js';
import type { DuplicateOrders, DuplicateWithdrawals } from '../../../src/trading/duplicates.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import { KEYS } from '../../exchange/support.js';
import { adviceText } from '../../support/advice.js';
import { type FakeHost, fakeHost } from '../../support/fake-host.js';

export interface TestAccount extends TradingAccount {
  readonly host: FakeHost;
  /** The words that a waiting person would have read. */
  readonly told: readonly string[];
  /** What was warned of. */
  readonly warnings: readonly string[];
  /** What was told of orders that are there more than once. */
  readonly alarms: readonly DuplicateOrders[];
  /** The same of withdrawals. */
  readonly withdrawalAlarms: readonly DuplicateWithdrawals[];
}

export interface AccountOptions {
  readonly budgetMs?: number;
  /** Whether the user has said how long it may take. */
  readonly isChosen?: boolean;
  /** In ms, as if it had been found out before. */
  readonly tolerance?: number;
  /** The folder of an earlier account, to go on with its journal. */
  readonly state?: string;
  /** How long ago the earlier one began, in ms. */
  readonly elapsedMs?: number;
}

/** An account at one host, with a journal of its own and a clock that moves only where it waits. */
export function accountOf(url: string, options: AccountOptions = {}): TestAccount & { readonly state: string } {
  const { budgetMs = 60_000, isChosen = false, tolerance, state = temporaryState(), elapsedMs = 0 } = options;
  const host = fakeHost();
  void host.sleep(elapsedMs);
  const budget = new Budget(budgetMs, host.monotonic, isChosen);
  const hosts = { baseUrl: url, tradeUrl: url };
  const told: string[] = [];
  const warnings: string[] = [];
  const alarms: DuplicateOrders[] = [];
  const withdrawalAlarms: DuplicateWithdrawals[] = [];
  // a tolerance that is known is the profile's; one that is found out goes to the cache, as for a host of the environment
  const settings: Record<string, string> = tolerance === undefined ? {} : { reqTimeTolerance: `${tolerance / 1_000}s` };
  const connection = { profile: 'test', settings, hostFromEnvironment: tolerance === undefined, tradeUrl: url };
  const cache = new Cache(path.join(state, 'cache'), host.now);
  return {
    ...{ host, budget, state, told, warnings, alarms, withdrawalAlarms },
    client: new ExchangeClient({ host, hosts, credentials: () => KEYS, budget }),
    journal: new Journal(host, state, 'test'),
    tolerance: toleranceMemory(connection, new Profiles(path.join(state, 'config')), cache),
    tell: (words) => told.push(words),
    warn: (words) => warnings.push(adviceText(words)),
    reportDuplicateOrders: (duplicates) => alarms.push(...duplicates),
    reportDuplicateWithdrawals: (duplicates) => withdrawalAlarms.push(...duplicates),
  };
}

/** A folder of the user's alone, removed after the test. */
export function temporaryState(): string {
  const state = mkdtempSync(path.join(tmpdir(), 'pit-state-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  return state;
}
