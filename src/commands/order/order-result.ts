import * as shape from '../../cli/shapes.js';
import { formatAmount, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order, Side } from '../../domain/order.js';
import { Failure, suggest } from '../../errors.js';
import { notSentFailure, refusalFailure } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import type { RecordedOrderTerms, TypedRequest } from '../../trading/journal/write.js';
import { brokenRules } from '../../trading/orders/changed-rules.js';
import { averageOfFills, notionalText } from '../../trading/orders/terms.js';
import type { Unknown } from '../../trading/settling/find-order.js';
import type { Placement } from '../../trading/settling/settle-sent-order.js';
import { duplicateFailure, NOT_CHECKED_FOR_DUPLICATES, withoutClosed } from '../session/duplicate-warnings.js';
import { askAgain } from '../writes/unknown-writes.js';
import type { WriteContext } from '../writes/write.js';
import { feeText, fillsSoFar, STATE_AND_FILLS } from './fills-so-far.js';
import { ORDER_TERMS } from './order-row.js';
import { accountText, averageText } from './preview.js';

/** The outcome of an order that was sent. */
export const ORDER_RESULT = {
  outcome: shape.enumOf(['placed', 'notSent', 'refused', 'unknown'], ''),
  id: shape.nullable(shape.id('of the order')),
  clientId: shape.text('your own id, or the one that pit generated'),
  market: shape.outsideText(''),
  ...ORDER_TERMS,
  duplicates: shape.array(shape.id(''), 'duplicates that the network created from the same request'),
  ...STATE_AND_FILLS,
};

export const SENT_ORDER = shape.object(ORDER_RESULT);

export type OrderResult = shape.Infer<typeof SENT_ORDER>;

/** The same, of an order that may have existed already. */
export const SENT_OR_EXISTING_ORDER = shape.object({
  ...ORDER_RESULT,
  existing: shape.boolean('whether --once found it under its client id; then nothing was sent'),
});

/** An order that was sent. */
interface SentOrder {
  /** Names its record. */
  readonly id: string;
  readonly clientId: string;
  readonly terms: RecordedOrderTerms;
  readonly typed?: TypedRequest | undefined;
  /** Whether it was placed earlier, so that nothing was sent now. */
  readonly isExisting?: boolean;
}

/** The failure of an order that the exchange rejected. If it keeps other rules by now, they are the reason. */
export function rejectedOrder(
  { refusal, rules }: Extract<Placement, { outcome: 'refused' }>,
  terms: RecordedOrderTerms,
  marketRules: Market,
): Failure {
  const failure = refusalFailure(refusal, 'order');
  const broken = rules === undefined ? undefined : brokenRules(terms, marketRules, rules);
  if (broken === undefined) return failure;
  const { kind, message } = failure;
  return new Failure(kind, `${message}. ${broken.text}`, {
    hint: broken.advice,
    refusal: refusal.kind,
    code: refusal.code,
  });
}

/** The result of an order that is placed or whose outcome is unknown. Throws the failure of one that was not placed. */
export function orderResult(
  { output }: Pick<WriteContext, 'output'>,
  { id, clientId, terms, isExisting = false, typed }: SentOrder,
  placement: Placement,
  marketRules: Market,
): Answer<OrderResult> {
  if (placement.outcome === 'refused') {
    const { message, hints, kind, refusal, code } = rejectedOrder(placement, terms, marketRules);
    throw new Failure(kind, message, { clientId, hint: hints, refusal, code });
  }
  if (placement.outcome === 'notSent') throw notSentFailure('The order', placement, clientId);
  const isPlaced = placement.outcome === 'placed';
  const isUnnamed = typed?.hasClientId === false;
  const duplicates = isPlaced ? (placement.duplicates ?? []) : [];
  const listed = isPlaced ? placement.order : null;
  const { market, side, type, account, price, amount } = terms;
  const ownDuplicates = duplicates.flatMap(({ writeId, ids }) => (writeId === id ? ids : []));
  const data = {
    outcome: placement.outcome,
    id: placement.id,
    clientId,
    market,
    side,
    type,
    account,
    price,
    amount,
    notional: notionalText(terms),
    duplicates: ownDuplicates,
    ...fillsSoFar(listed),
  };
  const show = (screen: Screen) =>
    isPlaced
      ? placedText(screen, terms, placement, marketRules, isExisting)
      : unknownText(screen, data, terms, marketRules, isUnnamed);
  if (!isPlaced) return { data, show, failure: unknownFailure(clientId, market, placement, isUnnamed) };
  if (placement.duplicates === null) output.warn(NOT_CHECKED_FOR_DUPLICATES);
  if (ownDuplicates.length === 0) return { data, show };
  const open = withoutClosed(ownDuplicates, duplicates);
  const next =
    open.length === 0
      ? suggest('See your orders', 'orders', market, '--state', 'all')
      : suggest('Cancel the duplicates', 'cancel', market, ...open);
  return { data, show, failure: duplicateFailure('The order was placed', clientId, next) };
}

/**
 * The terms as the result of a command shows them: `+ BUY` as in tables, and the price with the decimals of the
 * market.
 */
function resultTermsText({ side, amount, price }: RecordedOrderTerms, market: Market): string {
  return `${sideText(side)} ${formatAmount(amount)} ${market.market} at ${formatPrice(price, market)}`;
}

function unknownText(
  { paint }: Screen,
  { id, clientId }: { readonly id: string | null; readonly clientId: string },
  terms: RecordedOrderTerms,
  market: Market,
  isUnnamed: boolean,
): string {
  const ids = `${id === null ? '' : `id ${id}  `}${isUnnamed ? 'record' : 'client id'} ${clientId}`;
  return `${paint.warn('Unknown')}  ${resultTermsText(terms, market)}  ${accountText(terms)}  ${ids}`;
}

/** The order, and what it did at once as far as the exchange shows it. */
function placedText(
  { paint }: Screen,
  terms: RecordedOrderTerms,
  { id, order: listed }: Extract<Placement, { outcome: 'placed' }>,
  market: Market,
  isExisting: boolean,
): string {
  const what = `${paintSide(resultTermsText(terms, market), terms.side, paint)}  ${accountText(terms)}  id ${id}`;
  if (listed?.state === 'cancelled' && averageOfFills(listed) === null)
    return isExisting
      ? `${paint.warn('Placed earlier')}  ${what}\nCancelled  nothing has filled`
      : `${paint.warn('Nothing was filled:')} the exchange cancelled  ${what}`;
  const fills = listed === null ? undefined : fillsText(listed, terms.side, market);
  return `${paint.good(isExisting ? 'Placed earlier' : 'Placed')}  ${what}${fills === undefined ? '' : `\n${fills}`}`;
}

/** `Filled  0.4 of 1 btc at 28,010.5 usdt on average, fee 0.0008 btc; the rest is open`; undefined if there is nothing to say. */
function fillsText(listed: Order, side: Side, market: Market): string | undefined {
  const { state } = listed;
  const average = averageOfFills(listed);
  if (average === null) return state === 'open' ? 'Open    nothing has filled yet' : undefined;
  const [filled, amount] = [listed.filled, listed.amount].map(formatAmount);
  const part = filled === amount ? `all ${amount}` : `${filled} of ${amount}`;
  const fee = feeText(listed);
  const paid = fee === null ? '' : `, fee ${fee}`;
  const rest = state === 'open' || state === 'cancelled' ? `; the rest is ${state}` : '';
  return `Filled  ${part} ${market.base} at ${averageText(average, side, market)} ${market.quote} on average${paid}${rest}`;
}

function unknownFailure(
  clientId: string,
  market: string,
  { reason, id, mismatch, localExpiry }: Unknown,
  isUnnamed: boolean,
): Failure {
  const show = [
    ...(mismatch === undefined
      ? []
      : isUnnamed
        ? [suggest('See the orders', 'orders', market, '--state', 'all')]
        : [suggest('See the order with this client id', 'order', 'show', market, '--id', clientId)]),
    ...(id === null ? [] : [suggest('See the order that its answer named', 'order', 'show', market, id)]),
  ];
  return new Failure('unknown', `It is unknown whether the order was placed: ${reason}.`, {
    clientId,
    hint: ['Do not place it again before you know.', askAgain('Find out', localExpiry, clientId), ...show],
  });
}
