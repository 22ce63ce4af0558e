import { requireConsent } from '../../cli/consent.js';
import { flag, optional, toggle, withCompletion } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { formatAmount, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { AccountType, Order, OrderType, Side } from '../../domain/order.js';
import { Failure, suggest, usage } from '../../errors.js';
import { wireField } from '../../exchange/description.js';
import { type Exchange, notSentFailure, refusalFailure } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import { zonedTime } from '../../terminal/time.js';
import { amountText, evaluateOrder, parseAmount, parsePrice, priceText } from '../../trading/expressions.js';
import type { Warning } from '../../trading/guards/guards.js';
import type { GuardName } from '../../trading/guards/limits.js';
import { SendGate } from '../../trading/journal/entry.js';
import type { RecordedOrderTerms } from '../../trading/journal/write.js';
import { placeOrder, type RecordOptions, refuseIdenticalOrder } from '../../trading/orders/place.js';
import type { Placement, Unknown } from '../../trading/orders/settle-order.js';
import { averageOfFills, newClientId, notionalText, termsText, validateOrder } from '../../trading/orders/terms.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { concernsMarket, unknownWrites } from '../../trading/unknown-writes.js';
import { type Context, define } from '../command.js';
import { dryRun, dryRunShape } from '../dry-run.js';
import { overriddenBy, overrideFlag } from '../guard-overrides.js';
import { clientId, marketName, oneOf, PRICE_WORDS } from '../inputs.js';
import { duplicateFailure, NOT_CHECKED_FOR_DUPLICATES, withoutClosed } from '../session/duplicate-warnings.js';
import { assessOrders, confirmOrders, hasPreview, loadCheckInputs } from './confirm.js';
import { feeText, fillsSoFar, STATE_AND_FILLS } from './fills-so-far.js';
import { checkGiven, completeOrder, draftArgs, firstMissing, type GivenOrder, type OrderDraft } from './order-args.js';
import {
  type AssessedOrder,
  averageText,
  orderPreviewData,
  orderPreviewText,
  SINGLE_ORDER_PREVIEW_FIELDS,
} from './preview.js';

/** The outcome of an order that was sent. */
export const ORDER_RESULT: shape.Fields = {
  outcome: shape.enumOf(['placed', 'notSent', 'refused', 'unknown'], ''),
  id: shape.nullable(shape.id('of the order', wireField.PLACED_ORDER.id)),
  clientId: shape.text('your own id, or the one that pit generated'),
  market: shape.text(''),
  side: shape.enumOf(['buy', 'sell'], ''),
  type: shape.enumOf(['limit', 'postOnly', 'ioc'], ''),
  account: shape.enumOf(['spot', 'isolated', 'cross'], ''),
  price: shape.decimal('in the quote coin'),
  amount: shape.decimal('in the base coin'),
  notional: shape.decimal('price times amount, in the quote coin'),
  duplicates: shape.array(shape.id(''), 'duplicates that the network created from the same request'),
  ...STATE_AND_FILLS,
};

export default define({
  summary: 'Place an order; on a terminal, ask for missing parts',
  arguments: {
    side: optional('buy or sell', oneOf('The side', 'buy', 'sell')),
    market: optional('the market', marketName),
    amount: optional('in the base coin (0.5), a share of the balance (50%) or a value (100usdt)', parseAmount),
  },
  flags: {
    at: flag(
      '--at <price>',
      'a number, or bid, ask or mid with an offset: bid+2ticks, mid-0.5%',
      withCompletion(PRICE_WORDS, parsePrice),
    ),
    postOnly: toggle('--post-only', 'only rest in the book; rejected if it would fill at once'),
    ioc: toggle('--ioc', 'fill what can be filled at once, cancel the rest'),
    account: flag(
      '--account <name>',
      'spot, isolated or cross (default: spot)',
      oneOf('--account', 'spot', 'isolated', 'cross'),
    ),
    borrow: toggle('--borrow', 'borrow the shortfall (margin)'),
    repay: toggle('--repay', 'repay loans with the proceeds (margin)'),
    id: flag('--id <client-id>', 'your own id for the order, 4 to 36 letters or digits', clientId),
    override: overrideFlag,
  },
  examples: [
    'order',
    'order buy btc_usdt 0.01 --at ask',
    'order sell btc_usdt 0.01 --at ask+10 --post-only',
    'order buy eth_usdt 50% --at mid-0.5% --dry-run',
    'order sell btc_usdt 2 --at bid-15% --override price-band --yes',
  ],
  output: shape.object(ORDER_RESULT),
  dryRunOutput: dryRunShape(SINGLE_ORDER_PREVIEW_FIELDS),
  async run(context, { side, market, amount, at, account = 'spot', borrow, repay, id, override, ...flags }) {
    const parts = { side, market, amount, at, type: typeOf(flags) };
    const given: GivenOrder = { ...parts, account, borrow, repay, id, overridden: overriddenBy(override) };
    checkGiven(given);
    const draft = completeOrder(given);
    if (draft === undefined && !context.prompts.available) throw firstMissing(given);
    requireConsent(context);
    const trading = await context.trading.open();
    if (draft !== undefined) return previewAndPlace(context, trading, draft);
    const { askMissing } = await import('./guided/guided.js');
    return placeAsked(context, trading, await askMissing(context, trading, given));
  },
});

/** Places an order whose parts were asked for, and shows its command, unless the outcome is unknown. */
async function placeAsked(context: Context, trading: TradingContext, request: OrderDraft): Promise<Answer> {
  const { output, globals } = context;
  let { overridden } = request;
  const showCommand = () =>
    output.note(suggest('The same in one line', ...draftArgs({ ...request, overridden }, globals)));
  try {
    const answer = await previewAndPlace(context, trading, request, {
      alwaysPreview: true,
      onConfirmed: (lifted) => {
        overridden = lifted;
      },
    });
    if (answer.failure === undefined) showCommand();
    return answer;
  } catch (error) {
    if (error instanceof Failure && !isOutcomeUnknown(error)) showCommand();
    throw error;
  }
}

/** Whether this order, or an identical one, may be live: then nothing may invite the user to place it again. */
function isOutcomeUnknown({ kind, clientId }: Failure): boolean {
  return kind === 'unknown' || (kind === 'usage' && clientId !== null);
}

/** Throws Failure `usage`. */
function typeOf({ postOnly, ioc }: { postOnly: boolean; ioc: boolean }): OrderType | undefined {
  if (postOnly && ioc)
    throw usage('--post-only and --ioc exclude each other.', 'Give one of them, or neither for a limit order.');
  if (postOnly) return 'postOnly';
  return ioc ? 'ioc' : undefined;
}

/** The options of an order that comes from the guided questions. */
interface PlaceOptions {
  /** Shows the preview even with `--yes`. */
  readonly alwaysPreview: boolean;
  /** Called once the order is confirmed, with the guards that were overridden: by a flag, or by typing their names. */
  readonly onConfirmed: (overridden: readonly GuardName[]) => void;
}

/** Previews an order, asks, and places it. With `--dry-run`, it only previews it. */
export async function previewAndPlace(
  context: Context,
  trading: TradingContext,
  draft: OrderDraft,
  { alwaysPreview, onConfirmed }: PlaceOptions = { alwaysPreview: false, onConfirmed: () => {} },
): Promise<Answer> {
  const { overridden } = draft;
  const withPreview = alwaysPreview || hasPreview(context);
  const confirmed = await confirmOrders<AssessedOrder>(context, trading, {
    prepare: (earlier) => prepareOrder(context, trading, draft, withPreview, earlier),
    overridden,
    question: ({ order }, isAgain) => `Place ${isAgain ? 'the changed' : 'this'} order: ${termsText(order)}?`,
    text: (assessed, preview) => orderPreviewText(assessed, preview, { account: accountText(assessed.order) }),
    dryRun: (assessed, preview, show) => {
      const { order } = assessed;
      const data = orderPreviewData(assessed, preview, overridden);
      return dryRun(trading.client, { kind: 'order', terms: order, clientId: order.clientId }, data, show);
    },
  });
  if (confirmed.answer !== undefined) return confirmed.answer;
  const { assessed, recordOptions } = confirmed;
  onConfirmed([...new Set([...overridden, ...assessed.breaches.map(({ guard }) => guard)])]);
  return placeConfirmed(context, trading, assessed, recordOptions);
}

/**
 * Evaluates an order's expressions and checks it. After the market is known, all reads start together.
 *
 * @param earlier the previous result, when called again after a reply
 * @throws Failure `usage` for an order that breaks a rule, and whatever kept a needed answer from being read
 */
async function prepareOrder(
  context: Context,
  trading: TradingContext,
  draft: OrderDraft,
  withPreview: boolean,
  earlier: AssessedOrder | undefined,
): Promise<AssessedOrder> {
  const { session, host } = context;
  const { side, type, at, borrow, repay, id, overridden } = draft;
  const market = await (await session.exchange.markets()).find(draft.market);
  const snapshot = earlier?.inputs.snapshot.refreshed();
  const needs = { side, type, account: draft.account, overridden, withPreview, snapshot };
  const inputs = await loadCheckInputs(context, trading, market, needs);
  if (at.kind === 'relative') inputs.snapshot.prefetch('book');
  if (draft.account === 'spot' && draft.amount.kind === 'share') inputs.snapshot.prefetch('balances');
  const skipIdCheck = id === undefined || earlier !== undefined;
  const [{ price, amount }] = await Promise.all([
    evaluateOrder(inputs.snapshot, market, draft),
    skipIdCheck ? undefined : requireNewId(trading.client, draft.market, id),
  ]);
  validateOrder(market, price, amount);
  const terms = {
    market: draft.market,
    side,
    type,
    account: draft.account,
    borrow,
    repay,
    price: price.toString(),
    amount: amount.toString(),
    expressions: { price: priceText(at), amount: amountText(draft.amount) },
  };
  // before the question; `placeOrder` checks it in any case
  if (withPreview) refuseIdenticalOrder(trading, terms);
  const plan = { market, side, type, account: draft.account, orders: [terms] };
  const guardsNeedBook = inputs.guardsNeedBook || at.kind === 'relative';
  const assessed = await assessOrders(trading, plan, { ...inputs, guardsNeedBook });
  const writeId = earlier?.order.writeId ?? newClientId(host);
  return {
    ...assessed,
    warnings: [...unknownWriteWarnings(context, trading, terms.market), ...assessed.warnings],
    order: { ...terms, writeId, clientId: id ?? writeId, notional: notionalText(terms) },
  };
}

/**
 * A warning for each earlier write of the market whose outcome is unknown.
 * @param exceptJob the job that goes on, which its own result reports
 */
export function unknownWriteWarnings(
  { output }: Context,
  trading: TradingContext,
  market: string,
  exceptJob?: string,
): readonly Warning[] {
  const unsettled = trading.journal.unsettled();
  // a record that cannot be read stops the order in `requireReadable`
  if (unsettled.entries.length === 0) return [];
  return unknownWrites(trading.journal, unsettled)
    .filter((write) => write.id !== exceptJob && concernsMarket(write, market))
    .map(({ advice }) => ({ about: 'unknown write', text: output.textOf(advice) }));
}

/**
 * The exchange accepts a client id twice and then shows only the newest order with it, so the outcome of this order could
 * not be distinguished from the earlier one's. Throws Failure `usage`.
 */
async function requireNewId(client: Exchange, market: string, id: string): Promise<void> {
  const earlier = await client.findOrder(market, { clientId: id });
  if (earlier === undefined) return;
  throw usage(`The client id ${id} is taken by order ${earlier.id}.`, [
    'Choose another --id.',
    suggest('See that order', 'order', 'show', market, earlier.id),
  ]);
}

async function placeConfirmed(
  { output, host }: Context,
  trading: TradingContext,
  { order, plan }: AssessedOrder,
  options: RecordOptions,
): Promise<Answer> {
  const gate = new SendGate();
  const { writeId: id, clientId, notional: _, ...terms } = order;
  const chosen = clientId === id ? {} : { clientId };
  const removeHandler = host.onInterrupt(() => {
    if (gate.cancel()) output.note('The order was not sent.');
    else
      output.warn([
        'The order may have been placed; pit stopped before it knew.',
        suggest('Find out', 'resolve', clientId),
      ]);
  });
  const placement = await placeOrder(trading, terms, { id, ...chosen, gate, ...options }).finally(removeHandler);
  if (placement.outcome === 'placed' && placement.duplicates === null) output.warn(NOT_CHECKED_FOR_DUPLICATES);
  return orderResult(order, placement, plan.market);
}

const ACCOUNT_TEXT: Readonly<Record<AccountType, string>> = {
  spot: 'spot',
  isolated: 'isolated margin',
  cross: 'cross margin',
};

/** The account of an order and its loans, for people. */
export function accountText({
  account,
  borrow,
  repay,
}: Pick<RecordedOrderTerms, 'account' | 'borrow' | 'repay'>): string {
  return `${ACCOUNT_TEXT[account]}${borrow ? ', borrowing' : ''}${repay ? ', repaying' : ''}`;
}

/** The result of an order that is placed or whose outcome is unknown. Throws the failure of one that was not placed. */
export function orderResult(order: AssessedOrder['order'], placement: Placement, marketRules: Market): Answer {
  const { writeId: id, clientId } = order;
  if (placement.outcome === 'refused') {
    const { message, hints, kind, refusal, code } = refusalFailure(placement.refusal, 'order');
    throw new Failure(kind, message, {
      clientId,
      hint: hints,
      refusal,
      code,
    });
  }
  if (placement.outcome === 'notSent') throw notSentFailure('The order', placement, clientId);
  const isPlaced = placement.outcome === 'placed';
  const duplicates = isPlaced ? (placement.duplicates ?? []) : [];
  const listed = isPlaced ? placement.order : null;
  const { market, side, type, account, price, amount, notional } = order;
  const ownDuplicates = duplicates.flatMap(({ writeId, ids }) => (writeId === id ? ids : []));
  const data = {
    outcome: placement.outcome,
    id: isPlaced ? placement.id : null,
    clientId,
    market,
    side,
    type,
    account,
    price,
    amount,
    notional,
    duplicates: ownDuplicates,
    ...fillsSoFar(listed),
  };
  const show = (screen: Screen) =>
    isPlaced ? placedText(screen, order, placement, marketRules) : unknownText(screen, order, marketRules);
  if (!isPlaced) return { data, show, failure: unknownFailure(order, placement) };
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

function unknownText({ paint }: Screen, order: AssessedOrder['order'], market: Market): string {
  return `${paint.warn('Unknown')}  ${resultTermsText(order, market)}  ${accountText(order)}  client id ${order.clientId}`;
}

/** The order, and what it did at once as far as the exchange shows it. */
function placedText(
  { paint }: Screen,
  order: AssessedOrder['order'],
  { id, order: listed }: Extract<Placement, { outcome: 'placed' }>,
  market: Market,
): string {
  const what = `${paintSide(resultTermsText(order, market), order.side, paint)}  ${accountText(order)}  id ${id}`;
  if (listed?.state === 'cancelled' && averageOfFills(listed) === null)
    return `${paint.warn('Nothing was filled:')} the exchange cancelled  ${what}`;
  const fills = listed === null ? undefined : fillsText(listed, order.side, market);
  return `${paint.good('Placed')}  ${what}${fills === undefined ? '' : `\n${fills}`}`;
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
  { clientId, market }: AssessedOrder['order'],
  { reason, mismatch, certainAt }: Unknown,
): Failure {
  const when = certainAt === null ? '' : ` The outcome will be certain after ${zonedTime(certainAt)}.`;
  const show =
    mismatch === undefined
      ? []
      : [suggest('See the order with this client id', 'order', 'show', market, '--id', clientId)];
  return new Failure('unknown', `It is unknown whether the order was placed: ${reason}.${when}`, {
    clientId,
    hint: ['Do not place it again before you know.', suggest('Find out', 'resolve', clientId), ...show],
  });
}
