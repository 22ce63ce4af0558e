import { requireConsent } from '../../cli/consent.js';
import { flag, optional, required, toggle, withCompletion } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { type OrderReference, referenceText } from '../../domain/order.js';
import { Failure, suggest, usage } from '../../errors.js';
import { notSentFailure, refusalFailure, WRONG_KEYS } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { CancelOutcome } from '../../trading/cancel/cancellation.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import type { Warning } from '../../trading/guards/guards.js';
import type { GuardName } from '../../trading/guards/limits.js';
import type { RecordedOrderTerms, ReplaceTerms } from '../../trading/journal/write.js';
import type { RecordOptions } from '../../trading/orders/place.js';
import type { Placement } from '../../trading/orders/settle-order.js';
import { newClientId, notionalText, remainderOf, termsText } from '../../trading/orders/terms.js';
import { type Changes, planReplacement, type ReplacePlan } from '../../trading/replace/plan.js';
import { type Replacement, replaceOrder } from '../../trading/replace/replace.js';
import { settleMarket } from '../../trading/settle.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { concernsMarket } from '../../trading/unknown-writes.js';
import { CANCELLED, cancelRow } from '../cancel/cancel-result.js';
import { type Context, define } from '../command.js';
import { dryRun, dryRunShape, NO_PREVIEW } from '../dry-run.js';
import { overriddenBy, overrideFlag } from '../guard-overrides.js';
import { knownClientId, marketName, oneOf, orderId, PRICE_WORDS } from '../inputs.js';
import { explainUnknownMarket } from '../known-market.js';
import { NOT_CHECKED_FOR_DUPLICATES } from '../session/duplicate-warnings.js';
import { warnOfUnknown } from '../unknown-writes.js';
import { assessOrders, confirmOrders, hasPreview, loadCheckInputs, PREVIEW_LEVELS } from './confirm.js';
import { fillsSoFar } from './fills-so-far.js';
import { accountText, ORDER_RESULT, orderResult, unknownWriteWarnings } from './order.js';
import { checkGiven, orderArgs, tooLittleText } from './order-args.js';
import {
  type AssessedOrder,
  orderPreviewData,
  orderPreviewText,
  type PreviewText,
  SINGLE_ORDER_PREVIEW_FIELDS,
} from './preview.js';

export default define({
  summary: 'Change the price or amount of an open order',
  arguments: { market: required('the market', marketName), order: optional('the order id', orderId) },
  flags: {
    id: flag('--id <client-id>', 'your own id of the order', knownClientId),
    at: flag(
      '--at <price>',
      'the new price: a number, or bid, ask or mid with an offset',
      withCompletion(PRICE_WORDS, parsePrice),
    ),
    amount: flag(
      '--amount <amount>',
      'the new total, including what has filled: in the base coin (0.5) or a value (100usdt); a share (50%) is of the balance with the order cancelled, on top of what has filled',
      parseAmount,
    ),
    account: flag(
      '--account <name>',
      "the order's account, which the exchange does not report: spot, isolated or cross (default: as pit placed it, otherwise spot)",
      oneOf('--account', 'spot', 'isolated', 'cross'),
    ),
    borrow: toggle('--borrow', 'borrow the shortfall (margin); kept for an order that pit placed'),
    repay: toggle('--repay', 'repay loans with the proceeds (margin); kept likewise'),
    override: overrideFlag,
  },
  examples: [
    'order replace btc_usdt 202611210000000001 --at bid+1tick',
    'order replace btc_usdt --id myorder1 --amount 0.5 --yes --json',
    'order replace btc_usdt 202611210000000001 --at 28000 --amount 100% --dry-run',
  ],
  output: shape.object({ ...ORDER_RESULT, replaced: shape.object(CANCELLED, 'the row of the cancellation') }),
  dryRunOutput: shape.array(
    shape.anyOf(dryRunShape(), dryRunShape(SINGLE_ORDER_PREVIEW_FIELDS)),
    'the cancellation and the order',
  ),
  async run(context, { market, order, id, at, amount, override, ...flags }) {
    if ((order === undefined) === (id === undefined))
      throw usage('Give exactly one of the order id and --id.', suggest('List the ids', 'orders', market));
    if (at === undefined && amount === undefined)
      throw usage('Nothing would change.', 'Give the new price with --at, the new amount with --amount, or both.');
    const { account = 'spot', borrow, repay } = flags;
    checkGiven({ account, borrow, repay, amount: undefined });
    requireConsent(context);
    const trading = await context.trading.open();
    const reference = id === undefined ? { id: order ?? '' } : { clientId: id };
    const changes = { at, amount, account: flags.account, borrow, repay };
    return sendReplacement(context, trading, { market, reference, changes, overridden: overriddenBy(override) });
  },
});

interface ReplaceRequest {
  readonly market: string;
  readonly reference: OrderReference;
  readonly changes: Changes;
  readonly overridden: readonly GuardName[];
}

/** A replacement that was checked, ready to be sent. */
interface AssessedReplacement extends AssessedOrder {
  readonly replacement: ReplacePlan;
}

/** Previews a replacement, asks, and does it; for `--dry-run` only the preview. */
export async function sendReplacement(
  context: Context,
  trading: TradingContext,
  request: ReplaceRequest,
): Promise<Answer> {
  const { client } = trading;
  const { overridden } = request;
  const confirmed = await confirmOrders<AssessedReplacement>(context, trading, {
    prepare: (earlier) => prepareReplacement(context, trading, request, earlier),
    overridden,
    question: ({ order, replacement }) => `Cancel order ${replacement.order.id} and ${termsText(order)} instead?`,
    text: (assessed, preview, screen) => {
      const { replacement } = assessed;
      return replacementPreviewText(
        screen,
        replacement,
        orderPreviewText(assessed, preview, ownText(screen, replacement)),
      );
    },
    dryRun: (assessed, preview, show) => {
      const { order, replacement } = assessed;
      const { terms, placed } = replacement;
      const cancel = dryRun(client, { kind: 'cancel', market: terms.market, order: terms.order }, NO_PREVIEW, () => '');
      const data = orderPreviewData(assessed, preview, overridden);
      const place = dryRun(client, { kind: 'order', terms: placed, clientId: order.clientId }, data, show);
      return { data: [cancel.data, place.data], show: place.show };
    },
  });
  if (confirmed.answer !== undefined) return confirmed.answer;
  const { assessed, recordOptions } = confirmed;
  return replace(context, trading, assessed.replacement, assessed.order.clientId, recordOptions);
}

/**
 * Works out a replacement and checks it.
 * @param earlier what this returned before, to be read again
 * @throws Failure as {@link planReplacement}
 */
async function prepareReplacement(
  context: Context,
  trading: TradingContext,
  { market: name, reference, changes, overridden }: ReplaceRequest,
  earlier: AssessedReplacement | undefined,
): Promise<AssessedReplacement> {
  const market = await (await context.session.exchange.markets()).find(name);
  const levels = hasPreview(context) ? PREVIEW_LEVELS : undefined;
  // by its id, as a client id names the newest order that has it
  const order = earlier === undefined ? reference : earlier.replacement.terms.order;
  const replacement = await explainUnknownMarket(context, name, () =>
    planReplacement(trading, market, order, changes, { levels, earlier: earlier?.inputs.snapshot }),
  ).catch(async (error: unknown) => {
    // an earlier replacement may have cancelled it, and its new order may be open
    if (error instanceof Failure && error.kind === 'refused')
      await warnOfUnknown(context, (write) => concernsMarket(write, name));
    throw error;
  });
  const { placed, snapshot } = replacement;
  const inputs = await loadCheckInputs(context, trading, market, { ...placed, overridden, snapshot });
  const plan = { market, side: placed.side, type: placed.type, account: placed.account, orders: [placed] };
  const assessed = await assessOrders(trading, plan, inputs);
  const clientId = earlier?.order.clientId ?? newClientId(context.host);
  return {
    ...assessed,
    warnings: [
      ...unknownWriteWarnings(context, trading, market.market),
      ...accountWarnings(replacement),
      ...assessed.warnings,
    ],
    order: { ...placed, writeId: clientId, clientId, notional: notionalText(placed) },
    replacement,
  };
}

/** A wrong account would move the order, for instance from margin to spot. */
function accountWarnings({ order, accountSource }: ReplacePlan): readonly Warning[] {
  if (accountSource !== 'assumed') return [];
  const text = `The account of order ${order.id} is unknown, because the exchange does not report it. The new order will be on spot; for another account, use pit order replace with --account.`;
  return [{ about: 'account', text }];
}

/** The preview of the new order, after what is cancelled. */
function replacementPreviewText(
  screen: Screen,
  { terms: { wanted }, order, market }: ReplacePlan,
  text: PreviewText,
): PreviewText {
  const open = formatAmount(Decimal.of(order.amount).minus(Decimal.of(order.filled)));
  const total = changeText(screen, formatAmount(order.amount), formatAmount(wanted.amount));
  return {
    ...text,
    head: [
      ['cancels', `${order.id} (${open} ${market.base} open)`],
      ['total', `${total} ${market.base}, ${formatAmount(order.filled)} of it filled`],
    ],
  };
}

const ACCOUNT_SOURCES = { journal: "the old order's, by the journal", flag: 'as given', assumed: 'assumed' } as const;

function ownText(screen: Screen, { terms: { wanted }, order, market, placed, accountSource }: ReplacePlan) {
  return {
    amount: `${formatAmount(placed.amount)} ${market.base}, less what fills before the cancellation`,
    price: `${changeText(screen, formatPrice(order.price, market), formatPrice(wanted.price, market))} ${market.quote}`,
    account: `${accountText(placed)} (${ACCOUNT_SOURCES[accountSource]})`,
  };
}

function changeText({ symbols }: Screen, old: string, now: string): string {
  return old === now ? now : `${old} ${symbols ? '→' : '->'} ${now}`;
}

async function replace(
  { host, output }: Context,
  trading: TradingContext,
  plan: ReplacePlan,
  id: string,
  recordOptions: RecordOptions,
): Promise<Answer> {
  const removeHandler = host.onInterrupt(() =>
    output.warn([
      'The order may be cancelled, and its replacement may have been sent.',
      suggest('Find out', 'resolve', id),
    ]),
  );
  const replaceAndSettle = async () => {
    const replaced = await replaceOrder(trading, plan, id, recordOptions);
    // that may take seconds, and until it is over nothing of what was done is reported
    return { replaced, found: await settleMarket(trading, plan.terms.market) };
  };
  const { replaced, found } = await replaceAndSettle().finally(removeHandler);
  const done = withDuplicates(
    replaced,
    found.filter(({ writeId }) => writeId === id),
  );
  if (done.kind === 'sent' && done.placement.outcome === 'placed' && done.placement.duplicates === null)
    output.warn(NOT_CHECKED_FOR_DUPLICATES);
  return replacedAnswer(plan, id, done);
}

/** Adds the duplicates that were found after those of the order itself. If none were found, a failed search stays failed. */
function withDuplicates(done: Replacement, duplicates: Awaited<ReturnType<typeof settleMarket>>): Replacement {
  if (done.kind !== 'sent' || done.placement.outcome !== 'placed' || duplicates.length === 0) return done;
  return {
    ...done,
    placement: { ...done.placement, duplicates: [...(done.placement.duplicates ?? []), ...duplicates] },
  };
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
  { terms, market }: Pick<ReplacePlan, 'terms' | 'market'>,
  clientId: string,
  done: Replacement,
): Answer {
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
  return sent(ended, done.terms, done.placement, market);
}

function sent(ended: Ended, order: RecordedOrderTerms, placement: Placement, market: Market): Answer {
  const { clientId } = ended;
  if (placement.outcome === 'refused')
    return unplaced(ended, order, refusalFailure(placement.refusal, 'order'), 'refused');
  if (placement.outcome === 'notSent') return unplaced(ended, order, notSentFailure('The order', placement, clientId));
  const answer = orderResult(
    { ...order, writeId: clientId, clientId, notional: notionalText(order) },
    placement,
    market,
  );
  return {
    ...answer,
    data: { ...(answer.data as object), replaced: replacedRow(ended) },
    show: (screen) => `${cancelledLine(screen, ended)}\n${answer.show(screen)}`,
  };
}

/** The order is unchanged, or its state is unknown: nothing was placed. */
function notCancelled(ended: Ended): Answer {
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
): Answer {
  const { clientId, terms, cancel } = ended;
  const rest = order ?? remainderOf(terms.wanted, cancel.filled ?? '0');
  const hint = order === null ? tooLittleText(rest) : suggest('To place the rest', ...orderArgs(order));
  const text = `The order is cancelled${filledText(ended)}, and no new order was placed: ${why.message}`;
  const failure = new Failure('partial', text, { hint, clientId, refusal: why.refusal, code: why.code });
  return { data: notPlaced(ended, rest, outcome), show: (screen) => cancelledLine(screen, ended), failure };
}

function notPlaced(ended: Ended, order: RecordedOrderTerms, outcome: 'notSent' | 'refused') {
  const { market, side, type, account, price, amount } = order;
  return {
    ...{ outcome, id: null, clientId: ended.clientId, market, side, type, account, price, amount },
    ...{ notional: notionalText(order), duplicates: [], ...fillsSoFar(null), replaced: replacedRow(ended) },
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
