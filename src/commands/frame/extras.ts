import type { Output } from '../../terminal/output.js';
import type { TradingAccount } from '../../trading/account.js';
import type { Extra } from '../../trading/duplicates/extra-orders.js';
import { findExtras } from '../../trading/duplicates/watch.js';
import { quietly } from '../../trading/quietly.js';
import type { Context } from './context.js';

/** Tells loudly of orders that the network made of requests that pit sent once. */
export function warnOfExtras(output: Output, extras: readonly Extra[]): void {
  for (const intent of new Set(extras.map((extra) => extra.intent)))
    warnOfOne(
      output,
      extras.filter((extra) => extra.intent === intent),
    );
}

/** What was made of one write: of a batch, several orders may be there again. */
function warnOfOne(output: Output, extras: readonly Extra[]): void {
  const [first] = extras;
  if (first === undefined) return;
  const { terms, order, intent } = first;
  const { side, amount, market, price } = terms;
  const ids = extras.flatMap((extra) => extra.ids);
  const single = `THE ORDER IS THERE MORE THAN ONCE: ${side} ${amount} ${market} at ${price} (client id ${intent})`;
  const several = `${extras.length} ORDERS ARE THERE MORE THAN ONCE: to ${side} in ${market} (job ${intent})`;
  const all = [...(order === null ? [] : [order]), ...ids].join(' and ');
  const what = extras.length === 1 ? `${single} as ${all}` : several;
  const cause = extras.every(({ certain }) => certain)
    ? 'Something on the way repeated the request, which pit sent once.'
    : 'Possibly something on the way repeated the request, which pit sent once; or another program uses this key.';
  output.warn(`${what}. ${cause}`);
  output.warn(`To cancel what is too much: pit cancel ${market} ${ids.join(' ')}`);
}

/**
 * Looks whether something on the way repeated a request of this market after it was placed, and tells. Where nothing can
 * have been, nothing is asked; where it cannot be found out now, a later command will.
 */
export async function watchMarket({ output }: Context, account: TradingAccount, market: string): Promise<void> {
  for (const side of ['buy', 'sell'] as const) {
    const extras = await quietly(() => findExtras(account, { market, side }));
    warnOfExtras(output, extras ?? []);
  }
}
