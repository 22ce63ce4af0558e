import { factsOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { referenceText } from '../../domain/order.js';
import { Failure, suggest } from '../../errors.js';
import { notSentFailure, WRONG_KEYS } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { CancelOutcome } from '../../trading/cancel/cancellation.js';
import type { RecordedOrderTerms, ReplaceTerms } from '../../trading/journal/write.js';
import { brokenRules } from '../../trading/orders/changed-rules.js';
import { notionalText, remainderOf } from '../../trading/orders/terms.js';
import type { ReplacePlan } from '../../trading/replace/plan.js';
import type { ReplaceOutcome } from '../../trading/replace/replace.js';
import type { Placement } from '../../trading/settling/settle-sent-order.js';
import { CANCELLED, cancelRow } from '../cancel/cancel-result.js';
import { type DryRequest, dryRequest, dryRunShape } from '../writes/dry-run.js';
import type { WriteContext } from '../writes/write.js';
import { fillsSoFar } from './fills-so-far.js';
import type { PlannedOrders, Previewed } from './guarded-orders.js';
import { orderArgs, tooLittleText } from './order-args.js';
import { ORDER_RESULT, orderResult, rejectedOrder } from './order-result.js';
import { accountText, DRY_ORDER, dryOrder, ORDER_FACTS } from './preview.js';

/** A replacement that was worked out, and what it places if nothing more fills. */
export interface PlannedReplacement extends PlannedOrders {
  /** The same as the id of the record. */
  readonly clientId: string;
  readonly terms: RecordedOrderTerms;
  readonly replaces: ReplacePlan;
}

/** The outcome of a replacement. */
export const REPLACED = shape.object({
  ...ORDER_RESULT,
  replaced: shape.object(CANCELLED, 'the row of the cancellation'),
});

type ReplaceAnswer = Answer<shape.Infer<typeof REPLACED>>;

export const DRY_REPLACEMENT = shape.array(shape.anyOf(dryRunShape(), DRY_ORDER), 'the cancellation and the order');

/** The two requests of a replacement, as programs read them. */
export function dryReplacement(context: WriteContext, replacement: Previewed<PlannedReplacement>): DryRequest[] {
  const { market, order } = replacement.replaces.terms;
  return [dryRequest(context, { kind: 'cancel', market, order }), dryOrder(context, replacement)];
}

const fact = factsOf<Previewed<PlannedReplacement>>();

/** What is known of a replacement before it is sent: what is cancelled, and the new order. */
export const REPLACEMENT_FACTS = {
  cancels: fact({
    label: 'cancels',
    text: ({ replaces: { order, market } }) => {
      const open = formatAmount(Decimal.of(order.amount).minus(Decimal.of(order.filled)));
      return `${order.id} (${open} ${market.base} open)`;
    },
  }),
  total: fact({
    label: 'total',
    text: ({ replaces: { order, market, terms } }, screen) => {
      const total = changeText(screen, formatAmount(order.amount), formatAmount(terms.wanted.amount));
      return `${total} ${market.base}, ${formatAmount(order.filled)} of it filled`;
    },
  }),
  ...ORDER_FACTS,
  amount: fact({
    label: 'amount',
    text: ({ replaces: { placed, market } }) =>
      `${formatAmount(placed.amount)} ${market.base}, less what fills before the cancellation`,
  }),
  price: fact({
    label: 'price',
    text: ({ replaces: { order, market, terms } }, screen) => {
      const price = changeText(screen, formatPrice(order.price, market), formatPrice(terms.wanted.price, market));
      return `${price} ${market.quote}`;
    },
  }),
  account: fact({
    label: 'account',
    text: ({ replaces: { placed, accountSource } }) => `${accountText(placed)} (${ACCOUNT_SOURCES[accountSource]})`,
  }),
};

const ACCOUNT_SOURCES = { journal: "the old order's, by the journal", flag: 'as given', assumed: 'assumed' } as const;

function changeText({ symbols }: Screen, old: string, now: string): string {
  return old === now ? now : `${old} ${symbols ? '→' : '->'} ${now}`;
}

/** A replacement that has ended, and the outcome of the old order. */
interface Ended {
  readonly terms: ReplaceTerms;
  readonly clientId: string;
  readonly cancel: CancelOutcome;
}

/**
 * The outcome of a replacement: an answer, with a failure if only a part of it was done or is known.
 * @throws Failure if the order is unchanged, or filled before it could be replaced
 */
export function replacedAnswer(
  context: Pick<WriteContext, 'output'>,
  { terms, market }: Pick<ReplacePlan, 'terms' | 'market'>,
  clientId: string,
  done: ReplaceOutcome,
): ReplaceAnswer {
  const ended = { terms, clientId, cancel: done.cancel };
  if (done.kind === 'kept') return notCancelled(ended);
  if (done.kind === 'filled') {
    const { filled, filledValue } = done.cancel;
    const [amount, value] = [filled ?? '0', filledValue ?? '0'].map(formatAmount);
    const message = `The order filled before it could be replaced: ${amount} ${market.base} for ${value} ${market.quote}. Nothing was placed.`;
    throw new Failure('refused', message, {
      clientId,
      hint: suggest('See it', 'order', 'show', terms.market, ...referenceWords(terms)),
    });
  }
  if (done.kind === 'unplaced') return unplaced(ended, done.rest, done.why);
  return sent(context, ended, done.terms, done.placement, market);
}

function sent(
  context: Pick<WriteContext, 'output'>,
  ended: Ended,
  order: RecordedOrderTerms,
  placement: Placement,
  market: Market,
): ReplaceAnswer {
  const { clientId } = ended;
  if (placement.outcome === 'refused') {
    const { rules } = placement;
    const fitting = rules === undefined ? undefined : brokenRules(order, market, rules)?.fitting;
    const why = rejectedOrder(placement, order, market);
    return unplaced(ended, order, why, 'refused', { ...order, ...fitting });
  }
  if (placement.outcome === 'notSent') return unplaced(ended, order, notSentFailure('The order', placement, clientId));
  const answer = orderResult(context, { id: clientId, clientId, terms: order }, placement, market);
  if (ended.cancel.wasRejected) context.output.warn(CANCELLED_BEFORE);
  return {
    ...answer,
    data: { ...answer.data, replaced: replacedRow(ended) },
    show: (screen) => `${cancelledLine(screen, ended)}\n${answer.show(screen)}`,
  };
}

const CANCELLED_BEFORE =
  'The exchange had cancelled the old order already when it answered: the network repeated the cancellation, or somebody else cancelled the order.';

/** The order is unchanged, or its state is unknown: nothing was placed. */
function notCancelled(ended: Ended): ReplaceAnswer {
  const { clientId, cancel, terms } = ended;
  const message = `${cancel.message ?? 'the exchange gave no reason'}`;
  if (cancel.outcome !== 'unknown') {
    const text = `The order was not cancelled, and nothing was placed: ${message}.`;
    throw new Failure(cancel.failure ?? 'refused', text, {
      hint:
        cancel.outcome === 'refused' && cancel.failure === 'credentials'
          ? WRONG_KEYS
          : suggest('See the order', 'order', 'show', terms.market, ...referenceWords(terms)),
      code: cancel.code,
      clientId,
    });
  }
  const text = `It is unknown whether the order was cancelled: ${message}. No new order was placed.`;
  return {
    data: notPlaced(ended, remainderOf(terms.wanted, cancel.filled ?? '0'), 'notSent'),
    show: ({ paint }) => paint.warn(`Unknown  cancel ${referenceText(terms.order)}`),
    failure: new Failure('unknown', text, {
      clientId,
      hint: suggest('Find its outcome', 'resolve', clientId),
    }),
  };
}

/** The order is cancelled, and none was placed. */
function unplaced(
  ended: Ended,
  order: RecordedOrderTerms | null,
  why: Failure,
  outcome: 'notSent' | 'refused' = 'notSent',
  next = order,
): ReplaceAnswer {
  const { clientId, terms, cancel } = ended;
  const rest = order ?? remainderOf(terms.wanted, cancel.filled ?? '0');
  const hint = next === null ? tooLittleText(rest) : suggest('To place the rest', ...orderArgs(next));
  const text = `The order is cancelled${filledText(ended)}, and no new order was placed: ${why.message}`;
  const failure = new Failure('partial', text, { hint, clientId, refusal: why.refusal, code: why.code });
  return { data: notPlaced(ended, rest, outcome), show: (screen) => cancelledLine(screen, ended), failure };
}

function notPlaced(ended: Ended, order: RecordedOrderTerms, outcome: 'notSent' | 'refused') {
  const { market, side, type, account, price, amount } = order;
  return {
    outcome,
    id: null,
    clientId: ended.clientId,
    market,
    side,
    type,
    account,
    price,
    amount,
    notional: notionalText(order),
    duplicates: [],
    ...fillsSoFar(null),
    replaced: replacedRow(ended),
  };
}

/** The row that `pit cancel` would have given. */
function replacedRow({ terms, cancel }: Ended) {
  const { outcome, ...rest } = cancel;
  const names = { id: referenceText(terms.order), clientId: null, market: terms.market };
  return cancelRow({ ...rest, ...names, outcome: outcome === 'notSent' ? 'refused' : outcome });
}

function cancelledLine({ paint }: Screen, ended: Ended): string {
  return `${paint.good('Cancelled')}  ${referenceText(ended.terms.order)}${filledText(ended)}`;
}

function filledText({ cancel: { filled, amount } }: Ended): string {
  return filled === null || amount === null ? '' : ` with ${formatAmount(filled)} of ${formatAmount(amount)} filled`;
}

/** The order as a command line names it. */
function referenceWords({ order }: ReplaceTerms): string[] {
  return 'id' in order ? [order.id] : ['--id', order.clientId];
}
