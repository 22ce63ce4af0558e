import type { Order } from '../../domain/order.js';
import { type Advice, Failure, suggest, usage } from '../../errors.js';
import { countAlgo } from '../../trading/algos/record/agent-algos.js';
import { encodeFact } from '../../trading/algos/record/fact-line.js';
import { lossesOf } from '../../trading/algos/service/losses.js';
import { amountText, priceText } from '../../trading/expressions.js';
import { readOpenOrders } from '../../trading/history/open-orders.js';
import type { BatchTerms } from '../../trading/journal/write.js';
import { PreparedStore } from '../../trading/prepared/prepared-store.js';
import type {
  AlgoChange,
  Estimates,
  OrderToCancel,
  PreparedTerms,
  PreparedWrite,
} from '../../trading/prepared/prepared-write.js';
import { spentCoin } from '../../trading/preview/market-snapshot.js';
import type { ReplaceChanges } from '../../trading/replace/plan.js';
import { algoSentences } from '../algo/sentences.js';
import { explainUnknownMarket } from '../inputs/known-market.js';
import { type AlgoDraft, algoDraftArgs } from '../order/algo-args.js';
import { planAlgo } from '../order/algo-order.js';
import { planLadder } from '../order/batch.js';
import type { LadderInput } from '../order/batch-input.js';
import { checkOrders } from '../order/guarded-orders.js';
import { planOrder } from '../order/order.js';
import { draftArgs, type OrderDraft } from '../order/order-args.js';
import { previewData } from '../order/preview.js';
import { planReplace } from '../order/replace.js';
import { blockedBy } from '../writes/guard-overrides.js';
import { requireNotHalted, type WriteContext } from '../writes/write.js';
import { changeText, changeWarnings, requireChangeable } from './algo-changes.js';
import { placedBefore, refuseUnreported } from './unreported.js';

/** A write that an agent asks for. */
export type PrepareRequest =
  | { readonly kind: 'order'; readonly draft: OrderDraft }
  | {
      readonly kind: 'ladder';
      readonly where: Pick<BatchTerms, 'market' | 'side' | 'account'>;
      readonly input: LadderInput;
    }
  | { readonly kind: 'replace'; readonly market: string; readonly order: string; readonly changes: ReplaceChanges }
  | { readonly kind: 'cancel'; readonly market: string; readonly orders: readonly string[] | 'all' }
  | { readonly kind: 'algo'; readonly draft: AlgoDraft }
  | { readonly kind: AlgoChange['kind']; readonly market: string; readonly ids: readonly string[] };

/** A request, resolved and checked. */
interface Checked {
  readonly write: PreparedTerms;
  readonly estimates: Estimates;
}

/**
 * Resolves and checks a write as its command does in a dry run, and keeps it for its commit. Sends nothing.
 * @param context one with a preview
 * @throws Failure `usage` for what the command line would refuse, for a guard that blocks, while the account is halted, and if an equal
 *   write was committed whose outcome was not reported; whatever kept a needed answer from being read
 */
export async function prepareWrite(context: WriteContext, request: PrepareRequest): Promise<PreparedWrite> {
  const { trading, host, session, agentLimits } = context;
  if (!PASSES_HALT.has(request.kind)) await requireNotHalted(context);
  const { write, estimates } = await check(context, request);
  const store = new PreparedStore(host);
  refuseUnreported(trading, store, write);
  const before = placedBefore(trading, store, write);
  const warnings = [...estimates.warnings, ...(before === undefined ? [] : [before])];
  const { profile } = await session.connection();
  const limits = agentLimits?.given ?? {};
  return store.keep({
    write,
    estimates: { ...estimates, warnings },
    profile,
    account: trading.journal.folder,
    limits,
  });
}

/** They place nothing. */
const PASSES_HALT: ReadonlySet<PrepareRequest['kind']> = new Set(['cancel', 'algoCancel', 'algoPause']);

async function check(context: WriteContext, request: PrepareRequest): Promise<Checked> {
  switch (request.kind) {
    case 'order':
      return checkOrder(context, request.draft);
    case 'ladder':
      return checkLadder(context, request);
    case 'replace':
      return checkReplacement(context, request);
    case 'cancel':
      return checkCancellation(context, request);
    case 'algo':
      return checkAlgoOrder(context, request.draft);
    case 'algoCancel':
    case 'algoPause':
    case 'algoResume':
      return checkChange(context, request);
  }
}

async function checkAlgoOrder(context: WriteContext, draft: AlgoDraft): Promise<Checked> {
  const { terms, market, spendable, warnings, breaches } = await planAlgo(context, draft);
  const guards = breaches.map(({ guard }) => guard);
  if (breaches.length > 0) throw blockedBy(breaches, inTerminal(algoDraftArgs(draft, guards)));
  const { bid, ask } = market;
  const began = encodeFact({ fact: 'began', time: 0, terms, bid, ask });
  const notional = countAlgo(terms, market).largest.trimmed().toString();
  const { onlyPitKnows } = algoSentences(terms, market);
  return {
    write: { kind: 'algo', terms: { market: terms.market.market, began, notional } },
    estimates: {
      ...NO_ESTIMATES,
      spentCoin: spentCoin(terms.market, terms.side),
      balanceBefore: spendable instanceof Failure ? null : spendable.toString(),
      warnings: [...warnings.map(({ text }) => text), `Only pit knows ${onlyPitKnows}.`],
    },
  };
}

function checkChange(
  { trading, agentLimits }: WriteContext,
  request: Extract<PrepareRequest, { kind: AlgoChange['kind'] }>,
): Checked {
  const { kind, market, ids } = request;
  const terms = requireChangeable(trading, request, agentLimits);
  const write = { kind, terms: { market, ids, text: changeText(request, terms) } };
  return { write, estimates: { ...NO_ESTIMATES, warnings: changeWarnings(request, terms) } };
}

async function checkOrder(context: WriteContext, draft: OrderDraft): Promise<Checked> {
  const argv = draftArgs(draft, { dryRun: false, yes: false });
  const order = await checkOrders(context, await planOrder(context, draft), inTerminal(argv));
  return { write: { kind: 'order', terms: order.terms }, estimates: estimatesOf(order) };
}

async function checkLadder(
  context: WriteContext,
  { where, input }: Extract<PrepareRequest, { kind: 'ladder' }>,
): Promise<Checked> {
  const { ladder, amount, weight } = input;
  const prices = `${priceText(ladder.from)}:${priceText(ladder.to)}:${ladder.count}`;
  const amounts = ['--amount', amountText(amount), '--weight', weight, '--account', where.account];
  const argv = ['order', 'batch', where.side, where.market, '--ladder', prices, ...amounts];
  const { planned, plan } = await planLadder(context, where, input);
  const batch = await checkOrders(context, planned, inTerminal(argv));
  const { unused } = batch;
  const { warnings, ...costs } = estimatesOf(batch);
  const left = unused === undefined ? [] : [`Rounding down to whole lots leaves ${unused} unused.`];
  return { write: { kind: 'ladder', terms: plan }, estimates: { ...costs, warnings: [...warnings, ...left] } };
}

async function checkReplacement(
  context: WriteContext,
  { market, order, changes }: Extract<PrepareRequest, { kind: 'replace' }>,
): Promise<Checked> {
  const { at, amount, account, borrow, repay } = changes;
  const argv = [
    ...['order', 'replace', market, order],
    ...(at === undefined ? [] : ['--at', priceText(at)]),
    ...(amount === undefined ? [] : ['--amount', amountText(amount)]),
  ];
  const planned = await planReplace(context, { market, reference: { id: order }, changes });
  const replacement = await checkOrders(context, planned, inTerminal(argv));
  const { order: replaced, terms } = replacement.replaces;
  return {
    write: { kind: 'replace', terms, given: { account, borrow, repay }, replaced: asShown(replaced) },
    estimates: estimatesOf(replacement),
  };
}

async function checkCancellation(
  context: WriteContext,
  { market, orders }: Extract<PrepareRequest, { kind: 'cancel' }>,
): Promise<Checked> {
  const { open } = await explainUnknownMarket(context, market, () => readOpenOrders(context.trading, market));
  const all = [...open.buy, ...open.sell];
  const wanted =
    orders === 'all' ? all : orders.flatMap((id) => all.find((order) => order.id === id) ?? missing(market, id));
  if (wanted.length === 0) throw usage(`There are no open orders in ${market}.`, 'Nothing has to be cancelled.');
  const warnings = lossesOf(context.trading, market, wanted).map(({ text }) => text);
  return {
    write: { kind: 'cancel', terms: { market, orders: wanted.map(asShown) } },
    estimates: { ...NO_ESTIMATES, warnings },
  };
}

function missing(market: string, id: string): never {
  throw usage(`Order ${id} is not open in ${market}.`, suggest('See what became of it', 'order', 'show', market, id));
}

/** What a user can do about a guard: an agent can do nothing. */
function inTerminal(argv: readonly string[]): Advice {
  return ['An agent cannot override a guard.', suggest('The user can, in a terminal', ...argv)];
}

const NO_ESTIMATES: Estimates = {
  fee: null,
  feeCoin: null,
  spentCoin: null,
  balanceBefore: null,
  balanceAfter: null,
  warnings: [],
};

function estimatesOf(previewed: Parameters<typeof previewData>[0]): Estimates {
  const sums = { price: null, amount: null, notional: null };
  const { fee, feeCoin, spentCoin, balanceBefore, balanceAfter, warnings } = previewData(previewed, [], {
    sums,
    order: {},
  });
  return { fee, feeCoin, spentCoin, balanceBefore, balanceAfter, warnings };
}

function asShown({ id, side, price, amount, filled }: Order): OrderToCancel {
  return { id, side, price, amount, filled };
}
