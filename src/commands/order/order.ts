import { flag, optional, toggle, withCompletion } from '../../cli/definition.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { type Advice, Failure, suggest, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { amountText, evaluateOrder, parseAmount, parsePrice, priceText } from '../../trading/expressions.js';
import type { GuardName } from '../../trading/guards/limits.js';
import { SendGate } from '../../trading/journal/entry.js';
import type { RecordedOrderTerms } from '../../trading/journal/write.js';
import { placeOrder, refuseIdenticalOrder } from '../../trading/orders/place.js';
import { newClientId, termsText, validateOrder } from '../../trading/orders/terms.js';
import type { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import { type Context, define } from '../command.js';
import { overriddenBy, overrideFlag } from '../guard-overrides.js';
import { clientId, marketName, oneOf, PRICE_WORDS } from '../inputs.js';
import { mayBeDone, openWithConsent, type WriteContext } from '../write.js';
import { checkGiven, completeOrder, draftArgs, firstMissing, type GivenOrder, type OrderDraft } from './order-args.js';
import { orderResult, SENT_ORDER } from './order-result.js';
import { DRY_ORDER, dryOrder, orderPreviewText } from './preview.js';
import { marketSnapshot, type Orders, type PlannedOrders, sendOrders } from './send-orders.js';

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
  output: SENT_ORDER,
  dryRunOutput: DRY_ORDER,
  async run(context, { side, market, amount, at, account = 'spot', borrow, repay, id, override, ...flags }) {
    const parts = { side, market, amount, at, type: typeOf(flags) };
    const given: GivenOrder = { ...parts, account, borrow, repay, id, overridden: overriddenBy(override) };
    checkGiven(given);
    const draft = completeOrder(given);
    if (draft === undefined && !context.prompts.available) throw firstMissing(given);
    const write = await openWithConsent(context);
    if (draft !== undefined) return sendOrder(write, draft);
    const { askMissing } = await import('./guided/guided.js');
    return sendAsked(context, write, await askMissing(context, write.trading, given));
  },
});

/** Sends an order whose parts were asked for, previewed even with `--yes`. Shows its command, unless the outcome is unknown. */
async function sendAsked({ output, globals }: Context, context: WriteContext, draft: OrderDraft): Promise<Answer> {
  let { overridden } = draft;
  const showCommand = () =>
    output.note(suggest('The same in one line', ...draftArgs({ ...draft, overridden }, globals)));
  try {
    const answer = await sendOrder({ ...context, isPreviewed: true }, draft, (lifted) => {
      overridden = lifted;
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
function typeOf({ postOnly, ioc }: { postOnly: boolean; ioc: boolean }): GivenOrder['type'] {
  if (postOnly && ioc)
    throw usage('--post-only and --ioc exclude each other.', 'Give one of them, or neither for a limit order.');
  if (postOnly) return 'postOnly';
  return ioc ? 'ioc' : undefined;
}

/** An order with its expressions evaluated. */
interface PlannedOrder extends PlannedOrders {
  readonly clientId: string;
  readonly terms: RecordedOrderTerms;
}

/**
 * Previews an order, asks, and places it. With `--dry-run`, it only previews it. Throws Failure if it was not placed.
 * @param onConfirmed called with the guards that were overridden: by a flag, or by typing their names
 */
export function sendOrder(
  context: WriteContext,
  draft: OrderDraft,
  onConfirmed?: (overridden: readonly GuardName[]) => void,
): Promise<Answer> {
  const { overridden, id } = draft;
  const prepare = (earlier: PlannedOrder | undefined) => planOrder(context, draft, earlier);
  return sendPlanned(context, { overridden, prepare, clientId: id, onConfirmed });
}

/**
 * The same for an order that was prepared: it is sent on exactly these terms, or not at all. No guard can be overridden.
 * @param id names its record, and is its client id
 */
export function sendPreparedOrder(
  context: WriteContext,
  id: string,
  terms: RecordedOrderTerms,
  ifBlocked: Advice,
): Promise<Answer> {
  const prepare = async (earlier: PlannedOrder | undefined): Promise<PlannedOrder> => {
    const market = await (await context.session.exchange.markets()).find(terms.market);
    const snapshot = marketSnapshot(context, market, terms, earlier?.snapshot);
    return plannedOrder(context, id, terms, { market, snapshot });
  };
  return sendPlanned(context, { overridden: [], ifBlocked, prepare });
}

/** How an order is planned and sent. */
interface Sending extends Pick<Orders<PlannedOrder, unknown>, 'overridden' | 'ifBlocked' | 'prepare'> {
  /** The client id that the user chose. */
  readonly clientId?: string | undefined;
  readonly onConfirmed?: ((overridden: readonly GuardName[]) => void) | undefined;
}

function sendPlanned(context: WriteContext, { clientId, onConfirmed, ...how }: Sending): Promise<Answer> {
  const gate = new SendGate();
  return sendOrders(context, {
    ...how,
    question: ({ terms }, isAgain) => `Place ${isAgain ? 'the changed' : 'this'} order: ${termsText(terms)}?`,
    preview: (order) => orderPreviewText(order),
    dryRun: (order) => dryOrder(context, order, how.overridden),
    send: ({ id, terms }, options) => {
      onConfirmed?.(options.overridden ?? []);
      return placeOrder(context.trading, terms, { id, clientId, gate, ...options });
    },
    interrupted: ({ clientId: id }) =>
      gate.cancel() ? null : mayBeDone('The order may have been placed; pit stopped before it knew.', id),
    result: (order, placement) => orderResult(context, order, placement, order.plan.market),
  });
}

/**
 * Evaluates an order in the current market.
 * @throws Failure `usage` for an order that breaks a rule, and whatever kept a needed answer from being read
 */
export async function planOrder(
  context: WriteContext,
  draft: OrderDraft,
  earlier?: PlannedOrder,
): Promise<PlannedOrder> {
  const { side, type, account, at, borrow, repay } = draft;
  const market = await (await context.session.exchange.markets()).find(draft.market);
  const snapshot = marketSnapshot(context, market, draft, earlier?.snapshot);
  if (earlier === undefined && draft.id !== undefined) await requireNewId(context, draft.market, draft.id);
  const { price, amount } = await evaluateOrder(snapshot, market, draft);
  const terms: RecordedOrderTerms = {
    market: draft.market,
    side,
    type,
    account,
    borrow,
    repay,
    price: price.toString(),
    amount: amount.toString(),
    expressions: { price: priceText(at), amount: amountText(draft.amount) },
  };
  const id = earlier?.id ?? newClientId(context.host);
  return { ...plannedOrder(context, id, terms, { market, snapshot }), clientId: draft.id ?? id };
}

/** Throws Failure `usage` for an order that breaks a rule of its market. */
function plannedOrder(
  context: WriteContext,
  id: string,
  terms: RecordedOrderTerms,
  { market, snapshot }: { readonly market: Market; readonly snapshot: MarketSnapshot },
): PlannedOrder {
  const { side, type, account, borrow } = terms;
  validateOrder(market, Decimal.of(terms.price), Decimal.of(terms.amount));
  // before the question; `placeOrder` checks it in any case
  if (context.isPreviewed) refuseIdenticalOrder(context.trading, terms);
  return { id, clientId: id, terms, plan: { market, side, type, account, borrow, orders: [terms] }, snapshot };
}

/**
 * The exchange accepts a client id twice and then shows only the newest order with it, so the outcome of this order could
 * not be distinguished from the earlier one's. Throws Failure `usage`.
 */
async function requireNewId({ trading }: WriteContext, market: string, id: string): Promise<void> {
  const earlier = await trading.client.findOrder(market, { clientId: id });
  if (earlier === undefined) return;
  throw usage(`The client id ${id} is taken by order ${earlier.id}.`, [
    'Choose another --id.',
    suggest('See that order', 'order', 'show', market, earlier.id),
  ]);
}
