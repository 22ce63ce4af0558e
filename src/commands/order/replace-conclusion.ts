import { Failure, suggest } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import type { Answer } from '../../terminal/answer.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import type { CancelFate } from '../../trading/cancel/fate.js';
import type { OrderTerms, ReplaceTerms } from '../../trading/journal/intent.js';
import type { Placement } from '../../trading/orders/place.js';
import { remainderOf } from '../../trading/orders/remainder.js';
import { notionalText } from '../../trading/orders/terms.js';
import type { Replacement } from '../../trading/replace/replace.js';
import { rowOf } from '../cancel/rows.js';
import { conclude as concludeOrder } from './conclusion.js';
import { leftWords, placingLine } from './placing-line.js';

/**
 * What became of a replacement: an answer, with a failure where only a part of it was done or is known.
 * Throws Failure where the order is as it was, or filled before it could be replaced.
 */
export function conclude(terms: ReplaceTerms, clientId: string, done: Replacement): Answer {
  const told = { terms, clientId, cancel: done.cancel };
  if (done.kind === 'kept') return kept(told);
  if (done.kind === 'filled') throw filled(told);
  if (done.kind === 'unplaced') return unplaced(told, done.rest, done.why);
  return sent(told, done.terms, done.placement);
}

interface Told {
  readonly terms: ReplaceTerms;
  readonly clientId: string;
  readonly cancel: CancelFate;
}

function sent(told: Told, order: OrderTerms, placement: Placement): Answer {
  const { clientId } = told;
  if (placement.outcome === 'refused') return unplaced(told, order, refusal(placement.refusal, 'order'), 'refused');
  if (placement.outcome === 'notSent') {
    return unplaced(told, order, new Failure(placement.failure, `The order was not sent: ${placement.reason}.`));
  }
  const answer = concludeOrder({ ...order, clientId, notional: notionalText(order) }, placement);
  return {
    ...answer,
    data: { ...(answer.data as object), replaced: replacedRow(told) },
    show: (screen) => `${cancelledLine(screen, told)}\n${answer.show(screen)}`,
  };
}

/** The order is where it was, or nobody knows: nothing was placed. */
function kept(told: Told): Answer {
  const { clientId, cancel, terms } = told;
  const message = `${cancel.message ?? 'the exchange gave no reason'}`;
  if (cancel.outcome !== 'unknown') {
    const words = `The order was not cancelled, and nothing was placed: ${message}.`;
    throw new Failure(cancel.failure ?? 'refused', words, {
      hint: suggest('See what became of it', 'order', 'show', terms.market, ...referenceOf(terms)),
      ...(cancel.code === null ? {} : { code: cancel.code }),
      clientId,
    });
  }
  const words = `It is not known whether the order was cancelled: ${message}. Nothing was placed in its place.`;
  const failure = new Failure('unknown', words, {
    clientId,
    hint: suggest('Find out what became of it', 'resolve', clientId),
  });
  const order = remainderOf(terms.wanted, cancel.filled ?? '0');
  return {
    data: notPlaced(told, order, 'notSent'),
    show: ({ paint }) => paint.warn(`Unknown  cancel ${idOf(terms)}`),
    failure,
  };
}

function filled({ cancel, clientId, terms }: Told): Failure {
  const words = `The order filled before it could be replaced: ${cancel.filled} for ${cancel.filledValue}. Nothing was placed.`;
  return new Failure('refused', words, {
    clientId,
    hint: suggest('See it', 'order', 'show', terms.market, ...referenceOf(terms)),
  });
}

/** The order is cancelled, and there is none in its place. */
function unplaced(
  told: Told,
  order: OrderTerms | null,
  why: Failure,
  outcome: 'notSent' | 'refused' = 'notSent',
): Answer {
  const words = `The order is cancelled${filledWords(told)}, and nothing was placed in its place: ${why.message}`;
  const { clientId, terms } = told;
  const left = order ?? remainderOf(terms.wanted, told.cancel.filled ?? '0');
  const hint = order === null ? leftWords(left) : suggest('To place what is left', ...placingLine(order));
  const failure = new Failure('partial', words, { hint, clientId, ...(why.code === null ? {} : { code: why.code }) });
  const data = notPlaced(told, left, outcome);
  return { data, show: (screen) => cancelledLine(screen, told), failure };
}

function notPlaced(told: Told, order: OrderTerms, outcome: 'notSent' | 'refused') {
  const { market, side, type, account, price, amount } = order;
  const names = { outcome, id: null, clientId: told.clientId };
  const notional = notionalText(order);
  return {
    ...names,
    market,
    side,
    type,
    account,
    price,
    amount,
    notional,
    duplicates: [],
    replaced: replacedRow(told),
  };
}

/** The row that `pit cancel` would have given. */
function replacedRow({ terms, cancel }: Told) {
  const { outcome, ...rest } = cancel;
  const names = { id: idOf(terms), clientId: null, market: terms.market };
  return rowOf({ ...rest, ...names, outcome: outcome === 'notSent' ? 'refused' : outcome });
}

function cancelledLine({ paint }: Screen, told: Told): string {
  return `${paint.good('Cancelled')}  ${idOf(told.terms)}${filledWords(told)}`;
}

function filledWords({ cancel: { filled: amount, amount: total } }: Told): string {
  return amount === null || total === null ? '' : ` with ${grouped(amount)} of ${grouped(total)} filled`;
}

/** The order as a command line names it. */
function referenceOf({ order }: ReplaceTerms): string[] {
  return 'id' in order ? [order.id] : ['--id', order.clientId];
}

function idOf({ order }: ReplaceTerms): string {
  return 'id' in order ? order.id : order.clientId;
}
