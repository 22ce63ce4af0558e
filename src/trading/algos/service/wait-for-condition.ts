import { Failure } from '../../../errors.js';
import { TimeBudget } from '../../../platform/time-budget.js';
import { findAlerts } from '../../alerts/find-alerts.js';
import type { MetCondition } from '../market/market-sight.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { AlgoServiceOptions } from './algo-account.js';

/** The time for one request, and the pause before another try, in milliseconds. */
const TRY_MS = 30_000;

/** Calls back each time that a condition of an entry holds; one of several is enough. */
export async function waitForCondition(
  { host, account, parseCondition }: Pick<AlgoServiceOptions, 'host' | 'account' | 'parseCondition'>,
  { market: { market }, when }: AlgoTerms,
  met: (condition: MetCondition) => void,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const conditions = when.map(parseCondition);
  const budget = new TimeBudget(TRY_MS, host.monotonic);
  while (!signal.aborted) {
    try {
      const client = await account.signedExchange(budget);
      const follow = (channels: Parameters<typeof account.stream>[0]) =>
        account.stream(channels, { signal, reads: 'polls' });
      const source = { market, conditions, isRepeated: false, client, budget, follow, sleep: host.sleep, warn };
      for await (const { condition, late } of findAlerts(source)) met({ condition: condition.text, late });
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn(`The conditions of an entry in ${market} cannot be followed: ${error.message}`);
      budget.restart();
      await host.sleep(TRY_MS, signal);
    }
  }
}
