import { formatAmount, formatAverageLike, grouped } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { Failure, type Hint, suggest } from '../../errors.js';
import type { Output } from '../../terminal/output.js';
import { averageOfFills } from '../../trading/orders/terms.js';
import { byWrite, type DuplicateOrders, type DuplicateWithdrawals } from '../../trading/settling/duplicates.js';

/** After a placed order, if the exchange could not be asked again. */
export const NOT_CHECKED_FOR_DUPLICATES =
  'pit could not check whether the order was placed more than once. The next command in this market checks again.';

/** The failure of a command whose request was executed more than once. */
export function duplicateFailure(what: string, clientId: string, ...hint: readonly Hint[]): Failure {
  return new Failure('partial', `${what} more than once.`, { clientId, hint });
}

/** Warns of orders that were placed more than once, or although they were rejected, and says how to cancel them. */
export function warnOfDuplicates(output: Pick<Output, 'warn'>, duplicates: readonly DuplicateOrders[]): void {
  for (const group of byWrite(duplicates).values()) warnOfWrite(output, group);
}

function warnOfWrite(output: Pick<Output, 'warn'>, duplicates: readonly DuplicateOrders[]): void {
  const unexpected = duplicates.flatMap(unexpectedOrder);
  const isSingle = duplicates.length === 1 && isUnexpected(duplicates[0]);
  const them = duplicates.some(isNotSent) ? 'these orders' : 'the rejected orders';
  const others = duplicates.flatMap(({ ids }) => ids).filter((id) => !unexpected.includes(id));
  output.warn([
    `${headlineOf(duplicates)}. ${causeOf(duplicates)}`,
    ...cancelHints(duplicates, unexpected, isSingle ? 'it' : them),
    ...cancelHints(duplicates, others, 'the duplicates'),
  ]);
  for (const order of duplicates.flatMap(({ shown }) => shown)) if (isClosed(order)) output.warn(closedText(order));
}

/** An order of another state may still trade. */
function isClosed({ state }: Order): boolean {
  return state === 'filled' || state === 'cancelled';
}

function closedText(order: Order): string {
  const { id, market, side, price, filled, filledValue } = order;
  const [coins, average] = [splitMarket(market), averageOfFills(order)];
  if (average === null || coins === undefined) return `Order ${id} is already cancelled; nothing filled.`;
  const value = `${formatAmount(filledValue)} ${coins.quote}`;
  return `Order ${id} has already filled: ${formatAmount(filled)} ${coins.base} for ${value}, at ${formatAverageLike(average, side, price)} on average.`;
}

function causeOf(duplicates: readonly DuplicateOrders[]): string {
  if (!duplicates.every(({ isProven }) => isProven))
    return 'The network may have repeated a request, the exchange may have executed one late, or another program uses this key.';
  return duplicates.every(isNotSent)
    ? 'The exchange executed the request after its time limit.'
    : 'pit sent the request once: the network repeated it, or somebody who has its signed URL sent that again.';
}

function isNotSent({ recordedOutcome }: DuplicateOrders): boolean {
  return recordedOutcome === 'notSent';
}

/** The order of a request that counted as rejected or not sent. The user wanted it once, so a batch counts it as the order of its line. */
function unexpectedOrder({ line, orderId, ids }: DuplicateOrders): string[] {
  return orderId === null && (line !== undefined || ids.length === 1) ? ids.slice(0, 1) : [];
}

/** Ids in one command: a longer line would fill the screen. */
const MAX_IDS = 50;

/** Without the orders that a list has shown as filled or cancelled. */
export function withoutClosed(ids: readonly string[], duplicates: readonly DuplicateOrders[]): string[] {
  const closed = new Set(duplicates.flatMap(({ shown }) => shown.filter(isClosed).map(({ id }) => id)));
  return ids.filter((id) => !closed.has(id));
}

function cancelHints(duplicates: readonly DuplicateOrders[], ids: readonly string[], what: string): Hint[] {
  const [market = ''] = duplicates.map(({ terms }) => terms.market);
  const open = withoutClosed(ids, duplicates);
  const hints: Hint[] = [];
  for (let from = 0; from < open.length; from += MAX_IDS)
    hints.push(suggest(`To cancel ${what}`, 'cancel', market, ...open.slice(from, from + MAX_IDS)));
  return hints;
}

function headlineOf(duplicates: readonly DuplicateOrders[]): string {
  const [first, ...others] = duplicates;
  if (first === undefined) return '';
  const { terms, line, orderId, ids, writeId, clientId = writeId } = first;
  const { side, amount, market, price } = terms;
  if (others.length > 0)
    return `${duplicates.length} ${manyHeadline(duplicates)}: ${side} in ${market} (job ${writeId})`;
  // no request carries the id of a job
  const what = `${side} ${formatAmount(amount)} ${market} at ${grouped(price)} (${line === undefined ? 'client id' : 'job'} ${clientId})`;
  const all = [...(orderId === null ? [] : [orderId]), ...ids].join(' and ');
  return `${isUnexpected(first) ? unexpectedHeadline(first) : 'THE ORDER WAS PLACED MORE THAN ONCE'}: ${what} as ${all}`;
}

function unexpectedHeadline(duplicate: DuplicateOrders): string {
  const state = { live: 'IS LIVE', filled: 'HAS FILLED', closed: 'WAS PLACED' }[stateOf([duplicate])];
  return `${isNotSent(duplicate) ? 'AN ORDER THAT COUNTED AS NOT SENT' : 'A REJECTED ORDER'} ${state}`;
}

function manyHeadline(duplicates: readonly DuplicateOrders[]): string {
  const unexpected = duplicates.filter(isUnexpected);
  if (unexpected.length < duplicates.length) {
    const rejected = unexpected.some(isNotSent) ? 'ORDERS THAT COUNTED AS NOT SENT' : 'REJECTED ORDERS';
    return unexpected.length === 0
      ? 'ORDERS WERE PLACED MORE THAN ONCE'
      : `DUPLICATE ORDERS AND ${rejected} ARE ON THE EXCHANGE`;
  }
  const state = { live: 'ARE LIVE', filled: 'HAVE FILLED', closed: 'WERE PLACED' }[stateOf(duplicates)];
  if (duplicates.every(isNotSent)) return `ORDERS THAT COUNTED AS NOT SENT ${state}`;
  return `${duplicates.some(isNotSent) ? 'ORDERS THAT COUNTED AS NOT SENT OR REJECTED' : 'REJECTED ORDERS'} ${state}`;
}

/** What has become of the orders. One that no list has shown may still be open, so it counts as live. */
function stateOf(duplicates: readonly DuplicateOrders[]): 'live' | 'filled' | 'closed' {
  const shown = duplicates.flatMap((duplicate) => duplicate.shown);
  const isAnyOpen = shown.length < duplicates.flatMap(({ ids }) => ids).length || !shown.every(isClosed);
  if (isAnyOpen) return 'live';
  return shown.every(({ state }) => state === 'filled') ? 'filled' : 'closed';
}

/** Whether an order that counted as rejected or not sent exists once. */
function isUnexpected(duplicate: DuplicateOrders | undefined): boolean {
  return duplicate?.orderId === null && duplicate.ids.length === 1;
}

/** Warns of withdrawals that were made more than once, or although they failed. pit cannot cancel them. */
export function warnOfDuplicateWithdrawals(
  output: Pick<Output, 'warn'>,
  duplicates: readonly DuplicateWithdrawals[],
): void {
  for (const { terms, id, ids, writeId, recordedOutcome } of duplicates) {
    const { amount, coin, address } = terms;
    const all = [...(id === null ? [] : [id]), ...ids].join(' and ');
    const isOne = id === null && ids.length === 1;
    const unexpected =
      recordedOutcome === 'notSent' ? 'A WITHDRAWAL THAT COUNTED AS NOT SENT EXISTS' : 'UNEXPECTED WITHDRAWAL FOUND';
    const headline = isOne ? unexpected : 'THE WITHDRAWAL WAS MADE MORE THAN ONCE';
    const cause =
      'The network may have repeated a request, the exchange may have executed one late, or it was made elsewhere.';
    output.warn([
      `${headline}: ${amount} ${coin} to ${address} (${writeId}) as ${all}. ${cause}`,
      "You may still be able to stop it on the exchange's website.",
      suggest('See it', 'withdrawals', coin),
    ]);
  }
}
