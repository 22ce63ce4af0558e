import { listing } from '../../cli/answers.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { type Order, type OrderReference, referenceText } from '../../domain/order.js';
import { unmarked } from '../../domain/quotation.js';
import { type Failure, type Hint, suggest } from '../../errors.js';
import { WRONG_KEYS } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Paint } from '../../terminal/palette.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import { ALREADY_CANCELLED, type CancelledAll } from '../../trading/cancel/cancel-all.js';
import type { CancelAttempt, CancelResult } from '../../trading/cancel/cancel-orders.js';
import { mayPlace, type UnknownWrite } from '../../trading/settling/unknown-writes.js';
import { answerOrThrow, NO_WRITES, outcomeFailure, outcomeText, type WriteCounts } from '../writes/outcome-failure.js';
import { leftOrders } from './open-text.js';

/** The outcome of a cancellation. */
export const CANCELLED = {
  outcome: shape.enumOf(['cancelled', 'refused', 'unknown'], ''),
  id: shape.nullable(shape.outsideText('of the order')),
  clientId: shape.nullable(shape.text('your own id, if you cancelled by it')),
  market: shape.outsideText(''),
  price: shape.nullable(shape.decimal('in the quote coin')),
  amount: shape.nullable(shape.decimal('in the base coin')),
  filled: shape.nullable(shape.decimal('before it was cancelled')),
  filledValue: shape.nullable(shape.decimal('in the quote coin')),
  code: shape.nullable(shape.integer("the exchange's return code")),
  message: shape.nullable(shape.outsideText("the exchange's message")),
};

export type Cancellations = Answer<readonly CancelResult[]>;

/** A cancellation's fields in the order of the contract. */
export function cancelRow(cancellation: CancelResult): CancelResult {
  const { outcome, id, clientId, market, price, amount, filled, filledValue, code, message } = cancellation;
  const own = message === null ? null : unmarked(message);
  return { outcome, id, clientId, market, price, amount, filled, filledValue, code, message: own };
}

/**
 * The outcome of the named orders: an answer if some were cancelled, or if an outcome is unknown.
 * Throws Failure if none was cancelled.
 * @param algos the algo orders at work that have placed orders which were not cancelled
 */
export function cancelAnswer(
  market: string,
  attempts: readonly CancelAttempt[],
  unknown: readonly UnknownWrite[],
  algos: readonly string[] = [],
): Cancellations {
  return answerOrThrow(cancelTable(attempts, 'No orders.'), failureOfNamed(market, attempts, unknown, algos));
}

/**
 * The outcome for all open orders of a market. It succeeds if none is left open, even if some filled before.
 * @param unknown earlier writes of the market with an unknown outcome
 */
export function cancelAllAnswer(market: string, done: CancelledAll, unknown: readonly UnknownWrite[]): Cancellations {
  const answer = cancelTable(done.attempts, `No open orders in ${market}.`);
  const total = totalText(done);
  const show = (screen: Screen) =>
    [answer.show(screen), ...(total === null ? [] : [wrapped(total, screen.width)])].join('\n');
  return answerOrThrow({ ...answer, show }, withUnknown(market, failureOfAll(market, done), unknown.filter(mayPlace)));
}

/** An earlier write may still leave an order open, whatever was cancelled. */
function withUnknown(
  market: string,
  failure: Failure | undefined,
  unknown: readonly UnknownWrite[],
): Failure | undefined {
  const [first] = unknown;
  if (first === undefined || (failure !== undefined && failure.kind !== 'partial')) return failure;
  const isOne = unknown.length === 1;
  const writes = isOne ? 'An earlier write has' : `${unknown.length} earlier writes have`;
  const text = `${writes} an unknown outcome, so orders may still be open or appear in ${market}.`;
  // naming a job would close it without sending its other lines
  const named = isOne && first.operation !== 'batch' ? [first.clientId] : [];
  return outcomeFailure({
    ...NO_WRITES,
    unknown: unknown.length,
    message: failure === undefined ? text : `${failure.message} ${text}`,
    clientId: first.clientId,
    again: [suggest('Find out', 'resolve', ...named), suggest('Then cancel what is open', 'cancel', market, '--all')],
  });
}

const column = fieldColumns<CancelResult>(shape.object(CANCELLED));

/** The outcomes of cancellations, in any markets. */
export function cancelTable(attempts: readonly CancelAttempt[], empty: string): Cancellations {
  const amount = (value: string | null) => (value === null ? null : formatAmount(value));
  const isOneMarket = new Set(attempts.map(({ result }) => result.market)).size < 2;
  return listing<CancelResult>({
    rows: attempts.map(({ result }) => cancelRow(result)),
    row: shape.object(CANCELLED),
    columns: [
      column('outcome', { importance: 9, paint: paintOutcome }),
      ...(isOneMarket ? [] : [column('market', { importance: 7 })]),
      { title: 'order', value: ({ id, clientId }) => clientId ?? id, importance: 8 },
      column('price', { importance: 5 }),
      column('amount', { value: (row) => amount(row.amount), importance: 5 }),
      column('filled', { value: ({ filled }) => amount(filled), importance: 6 }),
      column('message', { importance: 3 }),
    ],
    empty,
  });
}

function paintOutcome(text: string, { outcome }: CancelResult, paint: Paint): string {
  if (outcome === 'cancelled') return paint.good(text);
  return outcome === 'refused' ? paint.bad(text) : paint.warn(text);
}

function failureOfNamed(
  market: string,
  attempts: readonly CancelAttempt[],
  earlier: readonly UnknownWrite[],
  algos: readonly string[],
): Failure | undefined {
  const unknown = attempts.filter(({ failure }) => failure === 'unknown');
  const failed = attempts.filter(({ failure }) => failure !== null);
  const done = attempts.length - failed.length;
  const counts = { done, unknown: unknown.length, refused: failed.length - unknown.length, left: 0 };
  if (unknown.length > 0) return unknownFailure(counts, unknown, cancelAgain(market, unknown.map(referenceOf)));
  const [first] = failed;
  if (first === undefined) return undefined;
  const total = attempts.length;
  const { outcome, message, code, id, clientId, amount } = first.result;
  // the order itself may not be placed yet
  const isUnplaced = clientId !== null && earlier.some((write) => write.clientId === clientId);
  const reference = clientId === null ? [id ?? ''] : ['--id', clientId];
  const placedBy = algos.length === 1 ? `Algo order ${algos[0]}` : `Algo orders ${algos.join(', ')}`;
  const placed = total === 1 ? 'it' : 'some of these orders';
  const them = algos.length === 1 ? 'that' : 'them';
  const again = [
    ...(algos.length === 0
      ? []
      : [suggest(`${placedBy} placed ${placed} and may place more. To end ${them}`, 'algo', 'cancel', ...algos)]),
    ...(isUnplaced ? [suggest('It is unknown whether it was placed. Find out', 'resolve', clientId)] : []),
    total > 1
      ? suggest('See the orders there are', 'orders', market)
      : amount === null
        ? suggest('See your orders', 'orders', market, '--state', 'all')
        : suggest('See the order', 'order', 'show', market, ...reference),
  ];
  return outcomeFailure({
    ...counts,
    message: outcomeText('cancelled', counts, message),
    why: first.failure,
    again: outcome === 'refused' && first.failure === 'credentials' ? WRONG_KEYS : again,
    code,
    clientId,
  });
}

/** How many orders had each outcome, what the cancelled ones held, and what is still open; null if nothing was open. */
function totalText(done: CancelledAll): string | null {
  const { attempts, orders } = done;
  if (attempts.length === 0) return null;
  const isByOthers = ({ message }: CancelResult) => message === ALREADY_CANCELLED;
  const endOf = (result: CancelResult) => (isByOthers(result) ? 'already cancelled' : result.outcome);
  const counts = (['cancelled', 'already cancelled', 'refused', 'unknown'] as const).flatMap((end) => {
    const count = attempts.filter(({ result }) => endOf(result) === end).length;
    return count === 0 ? [] : `${grouped(String(count))} ${end}`;
  });
  const cancelled = attempts.flatMap(({ result }) => (endOf(result) === 'cancelled' ? result : []));
  // the outcome is as new as the list, or newer
  const released = heldText(cancelled.map((result) => ({ ...orders.get(result.id ?? ''), ...result })));
  const left = leftOrders(done);
  const held = heldText(left.ids.map((id) => orders.get(id) ?? {}));
  return [
    `Total: ${counts.join(', ')}.`,
    ...(released === null ? [] : [`Released ${released}.`]),
    ...(left.ids.length === 0 ? [] : [`${left.ids.length} ${left.state}${held === null ? '' : ` with ${held}`}.`]),
  ].join(' ');
}

type Facts = { readonly [Name in 'market' | 'side' | 'price' | 'amount' | 'filled']?: Order[Name] | null };

/** What is left of these orders: the base coin of sells and the value of buys; null if that of one is unknown, or nothing. */
function heldText(orders: readonly Facts[]): string | null {
  const sums = new Map<string, Decimal>();
  for (const { market, side, price, amount, filled } of orders) {
    const names = market ? splitMarket(market) : undefined;
    if (!(names && side && price && amount && filled)) return null;
    const rest = Decimal.of(amount).minus(Decimal.of(filled));
    const [coin, held] = side === 'sell' ? [names.base, rest] : [names.quote, rest.times(Decimal.of(price))];
    sums.set(coin, (sums.get(coin) ?? Decimal.zero).plus(held));
  }
  const texts = [...sums].flatMap(([coin, sum]) => (sum.sign === 0 ? [] : `${formatAmount(sum)} ${coin}`));
  return texts.length === 0 ? null : texts.join(' and ');
}

function failureOfAll(market: string, { attempts, stillOpen, failure }: CancelledAll): Failure | undefined {
  const unknown = attempts.filter((attempt) => attempt.failure === 'unknown');
  const done = attempts.filter((attempt) => attempt.failure === null).length;
  if (unknown.length > 0) {
    const refused = attempts.length - done - unknown.length;
    const again = suggest('Cancelling again does no harm', 'cancel', market, '--all');
    return unknownFailure({ done, unknown: unknown.length, refused, left: 0 }, unknown, again);
  }
  const again = [suggest('See what is open', 'orders', market), suggest('To continue', 'cancel', market, '--all')];
  if (failure !== null) {
    const message = `It is unknown whether open orders are left: ${failure.message}`;
    return outcomeFailure({ ...NO_WRITES, done, left: 1, why: attempts[0]?.failure, message, again });
  }
  const isOpen = new Set<string | null>(stillOpen);
  const first = attempts.find(({ result }) => isOpen.has(result.id));
  const closed = attempts.filter(({ result }) => !isOpen.has(result.id)).length;
  const { message = null, code = null } = first === undefined || first.failure === null ? {} : first.result;
  const count = stillOpen.length === 1 ? '1 order is' : `${stillOpen.length} orders are`;
  return outcomeFailure({
    ...NO_WRITES,
    done: closed,
    left: stillOpen.length,
    why: first?.failure,
    message: `${count} still open${message === null ? '' : `: ${message}`}.`,
    again,
    code,
  });
}

/** More orders make no command line that is read. */
const MOST_NAMED = 10;

/** The same cancellation again, which does no harm. */
export function cancelAgain(market: string, orders: readonly OrderReference[]): string | Hint {
  const [first] = orders;
  if (orders.length > MOST_NAMED) return 'Cancelling them again does no harm.';
  const isByClientId = orders.length === 1 && first !== undefined && 'clientId' in first;
  const names = [...(isByClientId ? ['--id'] : []), ...orders.map(referenceText)];
  return suggest('Cancelling again does no harm', 'cancel', market, ...names);
}

/** What the user can do about cancellations whose outcome is unknown: the same command again. */
function unknownFailure(
  counts: WriteCounts,
  unknown: readonly CancelAttempt[],
  again: string | Hint,
): Failure | undefined {
  const { message = null, clientId = null } = unknown[0]?.result ?? {};
  return outcomeFailure({
    ...counts,
    message: outcomeText('cancelled', counts, message),
    again: [again],
    clientId,
  });
}

function referenceOf({ result: { id, clientId } }: CancelAttempt): OrderReference {
  return clientId === null ? { id: id ?? '' } : { clientId };
}
