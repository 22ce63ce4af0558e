import type { Output } from '../../terminal/output.js';
import type { Extra } from '../../trading/duplicates/extra-orders.js';

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

/** Where an order was placed and no more could be asked. */
export const UNCHECKED =
  'Whether something on the way repeated the order could not be looked up; the next command in this market looks again.';
