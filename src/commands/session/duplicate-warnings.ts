import { Failure, type Hint, suggest } from '../../errors.js';
import type { Output } from '../../terminal/output.js';
import { byWrite, type DuplicateOrders, type DuplicateWithdrawals } from '../../trading/duplicates.js';

/** After a placed order, if the exchange could not be asked again. */
export const UNCHECKED =
  'pit could not check whether the network repeated the order. The next command in this market checks again.';

/** How a command ends whose request the network has repeated: it did more than was asked. */
export function doneTwice(what: string, clientId: string, ...hint: readonly Hint[]): Failure {
  return new Failure('partial', `${what} more than once.`, { clientId, hint });
}

/** Warns of orders that were placed more than once, or although they were rejected, and says how to cancel them. */
export function warnOfDuplicates(output: Output, duplicates: readonly DuplicateOrders[]): void {
  for (const group of byWrite(duplicates).values()) warnOfWrite(output, group);
}

function warnOfWrite(output: Output, duplicates: readonly DuplicateOrders[]): void {
  output.warn(`${headlineOf(duplicates)}. ${causeOf(duplicates)}`);
  const unexpected = duplicates.flatMap(unexpectedOrder);
  const isSingle = duplicates.length === 1 && isUnexpected(duplicates[0]);
  const them = duplicates.some(isNotSent) ? 'these orders' : 'the rejected orders';
  suggestCancel(output, duplicates, unexpected, isSingle ? 'it' : them);
  const others = duplicates.flatMap(({ ids }) => ids).filter((id) => !unexpected.includes(id));
  suggestCancel(output, duplicates, others, 'the duplicates');
}

function causeOf(duplicates: readonly DuplicateOrders[]): string {
  if (!duplicates.every(({ isProven }) => isProven))
    return 'The network may have repeated a request, the exchange may have executed one late, or another program uses this key.';
  return duplicates.every(isNotSent)
    ? 'The exchange executed the request after its time limit.'
    : 'pit sent the request once; the network repeated it.';
}

function isNotSent({ absent }: DuplicateOrders): boolean {
  return absent === 'notSent';
}

/** The order of a request that counted as rejected or not sent. The user wanted it once, so a batch counts it as the order of its line. */
function unexpectedOrder({ line, order, ids }: DuplicateOrders): string[] {
  return order === null && (line !== undefined || ids.length === 1) ? ids.slice(0, 1) : [];
}

/** Ids in one command: a longer line would fill the screen. */
const MAX_IDS = 50;

function suggestCancel(
  output: Output,
  duplicates: readonly DuplicateOrders[],
  ids: readonly string[],
  what: string,
): void {
  const [market = ''] = duplicates.map(({ terms }) => terms.market);
  for (let from = 0; from < ids.length; from += MAX_IDS)
    output.warn(suggest(`To cancel ${what}`, 'cancel', market, ...ids.slice(from, from + MAX_IDS)));
}

function headlineOf(duplicates: readonly DuplicateOrders[]): string {
  const [first, ...others] = duplicates;
  if (first === undefined) return '';
  const { terms, line, order, ids, writeId } = first;
  const { side, amount, market, price } = terms;
  if (others.length > 0)
    return `${duplicates.length} ${manyHeadline(duplicates)}: ${side} in ${market} (job ${writeId})`;
  // no request carries the id of a job
  const what = `${side} ${amount} ${market} at ${price} (${line === undefined ? 'client id' : 'job'} ${writeId})`;
  const all = [...(order === null ? [] : [order]), ...ids].join(' and ');
  return `${isUnexpected(first) ? unexpectedHeadline(first) : 'THE ORDER WAS PLACED MORE THAN ONCE'}: ${what} as ${all}`;
}

function unexpectedHeadline(duplicate: DuplicateOrders): string {
  return isNotSent(duplicate) ? 'AN ORDER THAT COUNTED AS NOT SENT IS LIVE' : 'A REJECTED ORDER IS LIVE';
}

function manyHeadline(duplicates: readonly DuplicateOrders[]): string {
  if (duplicates.every(isUnexpected))
    return duplicates.every(isNotSent) ? 'ORDERS THAT COUNTED AS NOT SENT ARE LIVE' : 'REJECTED ORDERS ARE LIVE';
  const headline = 'ORDERS WERE PLACED MORE THAN ONCE';
  return duplicates.some(isUnexpected) ? `${headline}, OR ALTHOUGH REJECTED` : headline;
}

/** Whether an order that counted as rejected or not sent exists once. */
function isUnexpected(duplicate: DuplicateOrders | undefined): boolean {
  return duplicate?.order === null && duplicate.ids.length === 1;
}

/** Warns of withdrawals that were made more than once, or although they failed. pit cannot cancel them. */
export function warnOfDuplicateWithdrawals(output: Output, duplicates: readonly DuplicateWithdrawals[]): void {
  for (const { terms, id, ids, writeId } of duplicates) {
    const { amount, coin, address } = terms;
    const all = [...(id === null ? [] : [id]), ...ids].join(' and ');
    const isUnexpected = id === null && ids.length === 1;
    const headline = isUnexpected ? 'UNEXPECTED WITHDRAWAL FOUND' : 'THE WITHDRAWAL WAS MADE MORE THAN ONCE';
    const cause =
      'The network may have repeated a request, the exchange may have executed one late, or it was made elsewhere.';
    output.warn(`${headline}: ${amount} ${coin} to ${address} (${writeId}) as ${all}. ${cause}`);
    output.warn([
      "You may still be able to stop it on the exchange's website.",
      suggest('See it', 'withdrawals', coin),
    ]);
  }
}
