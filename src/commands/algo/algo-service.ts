import { TimeBudget } from '../../platform/time-budget.js';
import { AlgoStore } from '../../trading/algos/record/store.js';
import { AlgoService } from '../../trading/algos/service/algo-service.js';
import { parseCondition } from '../alert/parse-condition.js';
import type { Context } from '../session/command.js';
import { startWatcher } from './watcher-process.js';

/** The time for one step of an algo order, in milliseconds. What waits for an outcome takes longer. */
const STEP_MS = 30_000;

/** The algo orders of the account in use. Throws Failure `credentials` without keys. */
export async function algoService(context: Context): Promise<AlgoService> {
  const { host, session, output, link } = context;
  const journal = await session.journal();
  const store = new AlgoStore(host, host.directories.state, journal.folder);
  return new AlgoService({
    host,
    account: session,
    store,
    journal,
    open: () => session.trading({ budget: new TimeBudget(STEP_MS, host.monotonic), output }),
    startWatcher: () => startWatcher(context, store),
    parseCondition,
    warn: (message) => output.warn(message),
    isAlone: link?.isAlone === true,
  });
}
