import { suggest } from '../../errors.js';
import type { Output } from '../../terminal/output.js';
import { byWrite, type DuplicateOrders, type DuplicateWithdrawals } from '../../trading/duplicates.js';

/** Tells loudly of orders that the network made of requests that pit sent once. */
export function warnOfExtras(output: Output, extras: readonly DuplicateOrders[]): void {
  for (const group of byWrite(extras).values()) warnOfOne(output, group);
}

/** What was made of one write. */
function warnOfOne(output: Output, extras: readonly DuplicateOrders[]): void {
  const cause = areCertain(extras)
    ? 'Something on the way repeated the request, which pit sent once.'
    : 'Possibly something on the way repeated the request, which pit sent once; or another program uses this key.';
  output.warn(`${headlineOf(extras)}. ${cause}`);
  const refused = extras.flatMap(orderOfRefused);
  howToCancel(output, extras, refused, extras.length === 1 && isOnlyOne(extras[0]) ? 'it' : 'those that were refused');
  const more = extras.flatMap(({ ids }) => ids).filter((id) => !refused.includes(id));
  howToCancel(output, extras, more, 'what is too much');
}

/** The first order of what was refused was wanted once, and counts as a batch's line from now on. */
function orderOfRefused(extra: DuplicateOrders): string[] {
  const { line, order, ids } = extra;
  return order === null && (line !== undefined || ids.length === 1) ? ids.slice(0, 1) : [];
}

/** In one command, which has to be told in full: what is said is cut where it would fill a screen. */
const MOST_IDS = 50;

function howToCancel(output: Output, extras: readonly DuplicateOrders[], ids: readonly string[], those: string): void {
  const [market = ''] = extras.map(({ terms }) => terms.market);
  for (let from = 0; from < ids.length; from += MOST_IDS)
    output.warn(suggest(`To cancel ${those}`, 'cancel', market, ...ids.slice(from, from + MOST_IDS)));
}

function headlineOf(extras: readonly DuplicateOrders[]): string {
  const [first, ...others] = extras;
  if (first === undefined) return '';
  const { terms, line, order, ids, intent } = first;
  const { side, amount, market, price } = terms;
  if (others.length > 0) return `${extras.length} ${headlineOfMany(extras)}: to ${side} in ${market} (job ${intent})`;
  // no request carries the id of a job
  const what = `${side} ${amount} ${market} at ${price} (${line === undefined ? 'client id' : 'job'} ${intent})`;
  const all = [...(order === null ? [] : [order]), ...ids].join(' and ');
  return `${isOnlyOne(first) ? 'AN ORDER THAT WAS REFUSED IS THERE' : 'THE ORDER IS THERE MORE THAN ONCE'}: ${what} as ${all}`;
}

function headlineOfMany(extras: readonly DuplicateOrders[]): string {
  if (extras.every(isOnlyOne)) return 'ORDERS THAT WERE REFUSED ARE THERE';
  const more = 'ORDERS ARE THERE MORE THAN ONCE';
  return extras.some(isOnlyOne) ? `${more}, OR THOUGH THEY WERE REFUSED` : more;
}

/** The orders of a batch have no ids of the user's: where all of these were refused, they may have been placed from elsewhere. */
function areCertain(extras: readonly DuplicateOrders[]): boolean {
  const isToldApart = extras.some(({ line, order }) => line === undefined || order !== null);
  return isToldApart && extras.every(({ certain }) => certain);
}

/** A copy may have come after the refusal of the first. */
function isOnlyOne(extra: DuplicateOrders | undefined): boolean {
  return extra?.order === null && extra.ids.length === 1;
}

/** The same of withdrawals, of which none can be taken back from here. */
export function warnOfExtraWithdrawals(output: Output, extras: readonly DuplicateWithdrawals[]): void {
  for (const { terms, id, ids, intent } of extras) {
    const { amount, coin, address } = terms;
    const all = [...(id === null ? [] : [id]), ...ids].join(' and ');
    const isOnlyOne = id === null && ids.length === 1;
    const headline = isOnlyOne
      ? 'A WITHDRAWAL THAT WAS NOT TO BE THERE IS THERE'
      : 'THE WITHDRAWAL IS THERE MORE THAN ONCE';
    const cause = 'Something on the way may have repeated the request, which pit sent once; or it was made elsewhere.';
    output.warn(`${headline}: ${amount} ${coin} to ${address} (${intent}) as ${all}. ${cause}`);
    output.warn([
      "What is not meant may still be stopped on the exchange's website.",
      suggest('See it', 'withdrawals', coin),
    ]);
  }
}

/** Where an order was placed and no more could be asked. */
export const UNCHECKED =
  'Whether something on the way repeated the order could not be looked up; the next command in this market looks again.';
