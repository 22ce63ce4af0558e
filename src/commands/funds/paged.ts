import type { Context } from '../../cli/context.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { grouped } from '../../terminal/numbers.js';

/** A list of so many rows is there before anybody wonders. */
const SHORT = 100;
/** From so many rows on it is worth not to grow. */
const LONG = 500;

type Reading = Pick<Context, 'budget' | 'globals'>;

/** A client for a long listing: unless the user has chosen the time, each page has all of it. */
export function patient({ budget, globals }: Reading, client: ExchangeClient): ExchangeClient {
  return globals.timeoutChosen ? client : client.renewing(budget);
}

/**
 * The pages of a long listing as they come, where a person at a terminal sees how far it is. How long the rows are looked
 * at draws nothing, unless the user has chosen the time.
 */
export async function* paged<Row>(
  { budget, globals, output, host }: Reading & Pick<Context, 'output' | 'host'>,
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
      if (before <= SHORT && count > SHORT) hide = output.live(() => `${grouped(String(count))} ${what} …`);
      if (before <= LONG && count > LONG) await host.keepSmall();
      yield rows;
      if (!globals.timeoutChosen) budget.renew();
    }
  } finally {
    hide();
    release();
  }
}
