import { flag, optional, toggle, withCompletion } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { ACCOUNT_TYPES, SIDES } from '../../domain/order.js';
import { Failure, failureOnly, suggest, usage } from '../../errors.js';
import { CLIENT_ID_PARAMETER } from '../../exchange/description.js';
import type { Answer } from '../../terminal/answer.js';
import { amountText, evaluateOrder, parseAmount, parsePrice, priceText } from '../../trading/expressions.js';
import type { Warning } from '../../trading/guards/guards.js';
import type { GuardName } from '../../trading/guards/limits.js';
import { SendGate } from '../../trading/journal/entry.js';
import type { RecordedOrderTerms, TypedRequest } from '../../trading/journal/write.js';
import { differenceFrom, findExistingOrder } from '../../trading/orders/existing-order.js';
import { placeOrder, refuseIdenticalOrder } from '../../trading/orders/place.js';
import { newClientId, termsText, validateOrder } from '../../trading/orders/terms.js';
import type { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import type { Placement } from '../../trading/settling/settle-sent-order.js';
import { ALGO } from '../algo/view/algo-fields.js';
import { clientId, marketName, oneOf, PRICE_WORDS } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import type { DryRequest, DryRun } from '../writes/dry-run.js';
import { overriddenBy, overrideFlag } from '../writes/guard-overrides.js';
import { mayBeDone, openWithConsent, runWrite, type WriteContext } from '../writes/write.js';
import { ALGO_FLAGS, ALGO_ROOTS, type AlgoFlags, asksForAlgo, checkAlgo, TYPE_FLAGS } from './algo-args.js';
import { DRY_ALGO } from './algo-preview.js';
import { awaitOrder } from './await-order.js';
import { orderForAgent } from './for-agent.js';
import { guardedOrders, marketSnapshot, type PlannedOrders } from './guarded-orders.js';
import {
  checkGiven,
  completeOrder,
  draftArgs,
  firstMissing,
  type GivenOrder,
  ORDER_WAITS,
  type OrderDraft,
  type OrderWait,
} from './order-args.js';
import { type OrderResult, orderResult, SENT_OR_EXISTING_ORDER } from './order-result.js';
import { DRY_ORDER, dryOrder, ORDER_FACTS } from './preview.js';

export default define({
  summary: 'Place an order; on a terminal, ask for missing parts',
  arguments: {
    side: optional('buy or sell', oneOf('The side', ...SIDES)),
    market: optional('the market', marketName),
    amount: optional('in the base coin (0.5), a share of the balance (50%) or a value (100usdt)', parseAmount),
  },
  flags: {
    at: flag(
      '--at <price>',
      'a number, or bid, ask or mid with an offset: bid+2ticks, mid-0.5%',
      withCompletion(PRICE_WORDS, parsePrice),
    ),
    ...TYPE_FLAGS,
    account: flag('--account <name>', 'spot, isolated or cross (default: spot)', oneOf('--account', ...ACCOUNT_TYPES)),
    borrow: toggle('--borrow', 'borrow the shortfall (margin)'),
    repay: toggle('--repay', 'repay loans with the proceeds (margin)'),
    // pit names algo orders and their children, and shows them by pit algo
    id: flag('--id <client-id>', 'your own id for the order, 4 to 36 letters or digits', clientId, {
      excludes: ALGO_ROOTS,
    }),
    once: toggle('--once', 'if the same order exists under --id already, print it and send nothing', {
      needs: ['--id'],
    }),
    wait: flag(
      '--wait <state>',
      'wait until the order is filled or closed (filled or cancelled), for as long as --timeout',
      oneOf('--wait', ...ORDER_WAITS),
      { excludes: ALGO_ROOTS },
    ),
    override: overrideFlag,
    ...ALGO_FLAGS,
  },
  examples: [
    'order',
    'order buy btc_usdt 0.01 --at ask',
    'order sell btc_usdt 0.01 --at ask+10 --post-only',
    'order buy eth_usdt 50% --at mid-0.5% --dry-run',
    'order sell btc_usdt 2 --at bid-15% --override price-band --yes',
    'order sell btc_usdt 0.01 --at bid-0.5% --ioc --wait filled --yes',
    'order buy btc_usdt 0.01 --at 27000 --id entry1 --once --yes',
    'order sell btc_usdt 0.01 --stop 27000',
    'order sell btc_usdt 0.01 --take 31000 --trail 2%',
    'order buy btc_usdt 0.01 --at bid-1% --take 31000 --stop 26000',
    'order buy btc_usdt 1 --over 2h --passive',
    'order buy btc_usdt 2 --at bid-1% --show 0.1',
    "order buy btc_usdt 0.01 --chase --when 'close:15min>28000'",
  ],
  output: shape.anyOf(SENT_OR_EXISTING_ORDER, shape.object(ALGO, 'an algo order, with one of its flags')),
  dryRunOutput: shape.anyOf(DRY_ORDER, DRY_ALGO),
  async run(
    context,
    { side, market, amount, at, account = 'spot', borrow, repay, id, once, wait, override, ...flags },
  ) {
    const parts = { side, market, amount, at, type: typeOf(flags) };
    const given: GivenOrder = { ...parts, account, borrow, repay, id, once, wait, overridden: overriddenBy(override) };
    if (asksForAlgo(flags)) return runAlgo(context, given, flags);
    checkGiven(given);
    const draft = completeOrder(given);
    if (draft === undefined && !context.prompts.available) throw firstMissing(given, context.globals);
    const write = await openWithConsent(context);
    if (draft !== undefined) return sendAndAwait(context, write, draft);
    const { askMissing } = await import('./guided/guided.js');
    return sendAsked(context, write, await askMissing(context, write.trading, given));
  },
});

type SentOrExisting = shape.Infer<typeof SENT_OR_EXISTING_ORDER>;

/** An algo order: its parts are never asked for. */
async function runAlgo(context: Context, given: GivenOrder, flags: AlgoFlags) {
  checkAlgo(given, flags);
  const { side, market, amount, at, type = 'limit' } = given;
  if (side === undefined || market === undefined || amount === undefined)
    throw usage(
      'An algo order needs a side, a market and an amount.',
      'Write them before the flags, for instance: sell btc_usdt 0.1',
    );
  const { placeAlgo } = await import('./algo-order.js');
  return placeAlgo(context, { ...flags, side, market, amount, at, type, overridden: given.overridden });
}

/** Sends an order whose parts were asked for. Shows its command, unless the outcome is unknown. */
async function sendAsked(
  command: Context,
  context: WriteContext,
  draft: OrderDraft,
): Promise<Answer<SentOrExisting | DryRun>> {
  const { output, globals } = command;
  let { overridden } = draft;
  const showCommand = () =>
    output.note(suggest('The same in one line', ...draftArgs({ ...draft, overridden }, globals)));
  try {
    const answer = await sendAndAwait(command, { ...context, isPreviewed: true }, draft, (lifted) => {
      overridden = lifted;
    });
    if (answer.failure === undefined) showCommand();
    return answer;
  } catch (error) {
    if (error instanceof Failure && !mayBeLive(error)) showCommand();
    throw error;
  }
}

/** How often an order is looked for again if other processes take its client id at the same moment. */
const MOST_ATTEMPTS = 5;

/** Sends an order, unless `--once` finds it, and waits for the state that `--wait` names. Throws Failure as {@link sendOrder}. */
async function sendAndAwait(
  command: Context,
  context: WriteContext,
  draft: OrderDraft,
  onConfirmed?: Callbacks['onConfirmed'],
): Promise<Answer<SentOrExisting | DryRun>> {
  const { id, once = false, wait } = draft;
  const whenPlaced =
    wait === undefined ? undefined : (placed: Placed) => awaitState(command, context, draft.market, placed, wait);
  for (let attempt = 1; ; attempt += 1) {
    const existing = once && id !== undefined ? await existingAnswer(context, draft, id, whenPlaced) : undefined;
    if (existing !== undefined) return existing;
    try {
      const answer = await sendOrder(context, draft, { onConfirmed, whenPlaced });
      const { data } = answer;
      return 'dryRun' in data ? { ...answer, data } : withExisting({ ...answer, data }, false);
    } catch (error) {
      const isTaken = error instanceof Failure && error.kind === 'usage' && error.clientId === id;
      if (!once || !isTaken || attempt === MOST_ATTEMPTS) throw error;
      await context.host.sleep(context.host.random() * 1_000);
    }
  }
}

function withExisting<Data>(answer: Answer<Data>, existing: boolean) {
  return { ...answer, data: { ...answer.data, existing } };
}

/**
 * The answer if an order has this client id; undefined if none has, and with `--dry-run`, which warns of it. Throws Failure `usage`
 * for an order with other terms, and in a dry run for one whose outcome is unknown.
 */
async function existingAnswer(
  context: WriteContext,
  draft: OrderDraft,
  id: string,
  whenPlaced: Callbacks['whenPlaced'],
): Promise<Answer<SentOrExisting> | undefined> {
  const markets = await context.session.markets();
  const market = await markets.find(draft.market);
  const existing = await findExistingOrder(context.trading, draft.market, id);
  if (existing === undefined) return undefined;
  const { dryRun } = context.globals;
  if (existing.outcome === 'unknown') {
    const { write } = existing;
    if (dryRun)
      throw new Failure(
        'usage',
        `It is unknown whether an order with the client id ${id} was placed: nothing would be sent.`,
        { clientId: id, hint: suggest('Find out', 'resolve', id) },
      );
    const sent = { id: write.id, clientId: id, terms: write.terms };
    return withExisting(orderResult(context, sent, existing, await markets.find(write.terms.market)), false);
  }
  const difference = differenceFrom(draft, existing);
  if (difference !== undefined)
    throw new Failure('usage', `Order ${existing.id} has the client id ${id} already, and ${difference}.`, {
      clientId: id,
      order: existing.id,
      hint: [
        'Nothing was sent. Choose another --id for another order.',
        suggest('See that order', 'order', 'show', existing.write?.terms.market ?? draft.market, existing.id),
      ],
    });
  if (dryRun) {
    context.output.warn(`Order ${existing.id} has the client id ${id} already: it would be printed, and nothing sent.`);
    return undefined;
  }
  const placed: Placed = { outcome: 'placed', id: existing.id, duplicates: [], order: existing.order };
  const { placement, failure } = (await whenPlaced?.(placed)) ?? { placement: placed };
  const { side, type, account, borrow, repay } = draft;
  // an order that is the same has a price and an amount: pit's own record, or what the exchange shows
  const { price = '', amount = '' } = existing.write?.terms ?? existing.order ?? {};
  const terms = { market: market.market, side, type, account, borrow, repay, price, amount };
  const sent = { id: existing.write?.id ?? id, clientId: id, terms, isExisting: true };
  const answer = withExisting(orderResult(context, sent, placement, market), true);
  const data = { ...answer.data, duplicates: existing.duplicates };
  return { ...answer, data, ...(failure === undefined ? {} : { failure }) };
}

/** Waits for a state of an order that is placed. That it could not be read is the failure of the result: the order stays placed. */
async function awaitState(
  command: Context,
  { trading }: WriteContext,
  market: string,
  placed: Placed,
  wait: OrderWait,
): Promise<Waited> {
  const { id } = placed;
  if (!command.globals.isTimeoutGiven) command.budget.restart();
  try {
    const read = () => trading.client.getOrder(market, { id });
    const { found, failure } = await awaitOrder(command, trading, market, read, wait, true);
    return { placement: { ...placed, order: found }, failure };
  } catch (error) {
    const { message: why } = failureOnly(error);
    const message = `Order ${id} was placed, but whether it is ${wait} could not be read: ${why}`;
    const hint = suggest('Wait for it', 'order', 'show', market, id, '--wait', wait);
    return { placement: placed, failure: new Failure('partial', message, { hint }) };
  }
}

/** Whether this order, or an identical one, may be live: then nothing may invite the user to place it again. */
function mayBeLive({ kind, clientId }: Failure): boolean {
  return kind === 'unknown' || (kind === 'usage' && clientId !== null);
}

function typeOf({ postOnly, ioc }: { postOnly: boolean; ioc: boolean }): GivenOrder['type'] {
  if (postOnly) return 'postOnly';
  return ioc ? 'ioc' : undefined;
}

/** An order with its expressions evaluated. */
interface PlannedOrder extends PlannedOrders {
  readonly clientId: string;
  readonly terms: RecordedOrderTerms;
  readonly typed?: TypedRequest | undefined;
}

/** The warning of an order that `pit api` sends without a client id. */
const UNNAMED: Warning = {
  about: 'client id',
  text: `It is sent without a client id. If no answer comes, only the list of orders may show it: add ${CLIENT_ID_PARAMETER}=YOURID.`,
};

/**
 * Previews an order, asks, and places it. With `--dry-run`, it only previews it. Throws Failure if it was not placed.
 */
export function sendOrder(
  context: WriteContext,
  draft: OrderDraft,
  callbacks: Callbacks = {},
): Promise<Answer<OrderResult | DryRun>> {
  return runWrite(context, placing(context, draft, callbacks));
}

interface Callbacks {
  /** Called with the guards that were overridden: by a flag, or by typing their names. */
  readonly onConfirmed?: ((overridden: readonly GuardName[]) => void) | undefined;
  /** Waits for what is to become of an order that was placed. */
  readonly whenPlaced?: ((placed: Placed) => Promise<Waited>) | undefined;
}

type Placed = Extract<Placement, { outcome: 'placed' }>;

/** An order after the wait for its state. */
interface Waited {
  readonly placement: Placement;
  /** Given if the state was not reached, or could not be read. */
  readonly failure?: Failure | undefined;
}

function placing(context: WriteContext, draft: OrderDraft, { onConfirmed, whenPlaced }: Callbacks) {
  const { overridden, id: clientId } = draft;
  const gate = new SendGate();
  let placedId: string | undefined;
  return guardedOrders<PlannedOrder, OrderResult, DryRequest>(context, {
    overridden,
    plan: (confirmed) => planOrder(context, draft, confirmed),
    question: ({ terms }, isAgain) => `Place ${isAgain ? 'the changed' : 'this'} order: ${termsText(terms)}?`,
    facts: ORDER_FACTS,
    dryRun: (order) => dryOrder(context, order),
    forAgent: ({ terms }) => orderForAgent(terms),
    run: async (order, options) => {
      const { id, terms, typed } = order;
      onConfirmed?.(options.overridden ?? []);
      const placement = await placeOrder(context.trading, terms, { id, clientId, gate, typed, ...options });
      const result = (waited: Placement) => orderResult(context, order, waited, order.plan.market);
      // a duplicate is reported at once: it may be filled meanwhile
      if (placement.outcome !== 'placed' || whenPlaced === undefined || (placement.duplicates ?? []).length > 0)
        return result(placement);
      placedId = placement.id;
      const { placement: waited, failure } = await whenPlaced(placement);
      const answer = result(waited);
      return answer.failure === undefined && failure !== undefined ? { ...answer, failure } : answer;
    },
    left: ({ clientId: id, terms: { market } }) => {
      if (placedId !== undefined) {
        const show = suggest('See what became of it', 'order', 'show', market, placedId);
        return { advice: [`Order ${placedId} was placed; pit stopped waiting for it.`, show], clientId: id };
      }
      return gate.cancel() ? null : mayBeDone('The order may have been placed; pit stopped before it knew.', id);
    },
  });
}

/**
 * Evaluates an order in the current market.
 * @throws Failure `usage` for an order that breaks a rule, and whatever kept a needed answer from being read
 */
async function planOrder(context: WriteContext, draft: OrderDraft, earlier?: PlannedOrder): Promise<PlannedOrder> {
  const { side, type, account, at, borrow, repay } = draft;
  const market = await (await context.session.markets()).find(draft.market);
  const snapshot = marketSnapshot(context, market, draft, earlier?.snapshot);
  if (earlier === undefined && draft.id !== undefined && draft.once !== true)
    await requireNewId(context, draft.market, draft.id);
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
  const id = context.agent?.id ?? earlier?.id ?? newClientId(context.host);
  const planned = plannedOrder(context, id, terms, { market, snapshot, given: draft.amount });
  const { typed } = draft;
  const notices = typed?.hasClientId === false ? [UNNAMED] : [];
  return { ...planned, clientId: draft.id ?? id, typed, notices };
}

/** Throws Failure `usage` for an order that breaks a rule of its market. */
function plannedOrder(
  context: WriteContext,
  id: string,
  terms: RecordedOrderTerms,
  {
    market,
    snapshot,
    given,
  }: { readonly market: Market; readonly snapshot: MarketSnapshot; readonly given?: OrderDraft['amount'] },
): PlannedOrder {
  const { side, type, account, borrow } = terms;
  validateOrder(market, Decimal.of(terms.price), Decimal.of(terms.amount), given);
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
  throw new Failure('usage', `The client id ${id} is taken by order ${earlier.id}.`, {
    clientId: id,
    order: earlier.id,
    hint: ['Choose another --id, or add --once.', suggest('See that order', 'order', 'show', market, earlier.id)],
  });
}
