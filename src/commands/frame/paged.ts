import { grouped } from '../../terminal/numbers.js';
import type { Context } from './context.js';

/** A list of so many rows is there before anybody wonders. */
const SHORT = 100;
/** From so many rows on it is worth not to grow. */
const LONG = 500;

/**
 * The pages of a long listing as they come. Before each the whole time is there again, unless the user has chosen one, so
 * that no listing is cut while it gets further; and a person at a terminal sees how far it is.
 */
export async function* paged<Row>(
  { budget, globals, output, host }: Pick<Context, 'budget' | 'globals' | 'output' | 'host'>,
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
      // who takes the rows may take their time
      if (!globals.timeoutChosen) budget.renew();
    }
  } finally {
    hide();
    release();
  }
}
