import type { Context } from '../../cli/context.js';
import { grouped } from '../../domain/decimal.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';

/** A listing of more rows shows its progress. */
const PROGRESS_FROM = 100;
/** For more rows it pays to keep memory small. */
const SMALL_MEMORY_FROM = 500;

type Timing = Pick<Context, 'budget' | 'globals'>;

/** A client that gives each page the whole --timeout, unless the user set it. */
export function withTimePerPage({ budget, globals }: Timing, client: ExchangeClient): ExchangeClient {
  return globals.isTimeoutGiven ? client : client.restartingBudget(budget);
}

/**
 * Passes on the pages of a long listing, with progress on a terminal. Time that the consumer takes does not count, unless the
 * user set --timeout.
 */
export async function* withProgress<Row>(
  { budget, globals, output, host }: Timing & Pick<Context, 'output' | 'host'>,
  what: string,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let count = 0;
  let hide = () => {};
  const release = host.onInterrupt(() => hide());
  try {
    for await (const rows of pages) {
      const before = count;
      count += rows.length;
      if (before <= PROGRESS_FROM && count > PROGRESS_FROM)
        hide = output.live(() => `${grouped(String(count))} ${what} …`);
      if (before <= SMALL_MEMORY_FROM && count > SMALL_MEMORY_FROM) await host.limitMemory();
      yield rows;
      if (!globals.isTimeoutGiven) budget.restart();
    }
  } finally {
    hide();
    release();
  }
}
