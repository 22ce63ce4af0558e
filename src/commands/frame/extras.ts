import type { Output } from '../../terminal/output.js';
import type { TradingAccount } from '../../trading/account.js';
import type { Extra } from '../../trading/duplicates/extra-orders.js';
import { findExtras } from '../../trading/duplicates/watch.js';
import { quietly } from '../../trading/quietly.js';
import type { Context } from './context.js';

/** Tells loudly of orders that the network made of requests that pit sent once. */
export function warnOfExtras(output: Output, extras: readonly Extra[]): void {
  for (const { terms, order, ids, certain, intent } of extras) {
    const { side, amount, market, price } = terms;
    const what = `${side} ${amount} ${market} at ${price}`;
    const all = [...(order === null ? [] : [order]), ...ids].join(' and ');
    const cause = certain
      ? 'Something on the way repeated the request, which pit sent once.'
      : 'Possibly something on the way repeated the request, which pit sent once; or another program uses this key.';
    // a copy may have come after the refusal of the first
    const isOnlyOne = order === null && ids.length === 1;
    const headline = isOnlyOne ? 'AN ORDER THAT WAS REFUSED IS THERE' : 'THE ORDER IS THERE MORE THAN ONCE';
    output.warn(`${headline}: ${what} (client id ${intent}) as ${all}. ${cause}`);
    output.warn(`To cancel ${isOnlyOne ? 'it' : 'what is too much'}: pit cancel ${market} ${ids.join(' ')}`);
  }
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
