import { grouped } from '../../terminal/numbers.js';
import type { Context } from './context.js';

/** From so many rows on it is worth not to grow. */
const LONG = 500;
/** A list of so many rows is there before anybody wonders. */
const SHORT = 100;

/**
 * The pages of a long listing as they come. Before each the whole time is there again, unless the user has set one, so that
 * no listing is cut while it gets further; and a person at a terminal sees how far it is.
 */
export async function* paged<Row>(
  { budget, output, host }: Pick<Context, 'budget' | 'output' | 'host'>,
  what: string,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  const release = host.onInterrupt(() => output.endProgress());
  let count = 0;
  try {
    for await (const rows of pages) {
      if (count <= LONG && count + rows.length > LONG) host.keepSmall();
      count += rows.length;
      if (count > SHORT) output.progress(`${grouped(String(count))} ${what} …`);
      yield rows;
      // who takes the rows may take their time
      budget.renew();
    }
  } finally {
    output.endProgress();
    release();
  }
}
