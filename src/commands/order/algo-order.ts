import { shownOf } from '../../cli/fact-list.js';
import { type BestPrices, bestPrices } from '../../domain/book.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { guardAlgo } from '../../trading/algos/plan/algo-guards.js';
import { checkTerms, type TermsMarket } from '../../trading/algos/plan/check-terms.js';
import { most } from '../../trading/algos/plan/children.js';
import { kindOfEntry, namedPriceOf } from '../../trading/algos/plan/entries/entry-kinds.js';
import { fits, limitAt, stopPrice } from '../../trading/algos/plan/prices.js';
import { type AlgoTerms, type Exits, hasStop } from '../../trading/algos/plan/terms.js';
import { compareTrail, trailBreach } from '../../trading/algos/plan/trail-distance.js';
import { stopLevel } from '../../trading/algos/plan/trigger.js';
import {
  type AmountExpression,
  amountTerms,
  evaluateAmount,
  evaluatePriceInBook,
  type PriceExpression,
} from '../../trading/expressions.js';
import type { Breach } from '../../trading/guards/guards.js';
import type { GuardName } from '../../trading/guards/limits.js';
import { NO_ESTIMATES } from '../../trading/prepared/prepared-write.js';
import { MarketSnapshot, orThrow, spentCoin } from '../../trading/preview/market-snapshot.js';
import { estimateFee } from '../../trading/preview/preview.js';
import { algoService } from '../algo/algo-service.js';
import type { AlgoDocument } from '../algo/view/algo-fields.js';
import { algoAnswer } from '../algo/view/algo-row.js';
import { wordsOf } from '../algo/view/entry-words.js';
import { algoSentences, algoText } from '../algo/view/sentences.js';
import type { Agent } from '../session/agent.js';
import type { Context } from '../session/command.js';
import type { DryRequest, DryRun } from '../writes/dry-run.js';
import { blockedBy, confirmGuarded, limitsOf, notOverridden } from '../writes/guard-overrides.js';
import { openWithConsent, runWrite, type WriteContext, type WriteSteps } from '../writes/write.js';
import { type AlgoDraft, type EntryValues, entryNameOf, entryOf } from './algo-args.js';
import { ALGO_FACTS, dryAlgo, type PlannedAlgo } from './algo-preview.js';
import { algoForAgent } from './for-agent.js';

/** Previews an algo order, asks, and creates it. Throws Failure if it was not created. */
export async function placeAlgo(command: Context, draft: AlgoDraft): Promise<Answer<AlgoDocument | DryRun>> {
  return placeAlgoIn(command, await openWithConsent(command), draft);
}

/** The same where the user is asked and told in another way. */
export function placeAlgoIn(
  command: Context,
  context: WriteContext,
  draft: AlgoDraft,
): Promise<Answer<AlgoDocument | DryRun>> {
  return runWrite(context, creation(command, context, draft));
}

function creation(
  command: Context,
  context: WriteContext,
  draft: AlgoDraft,
): WriteSteps<PlannedAlgo, AlgoDocument, DryRequest> {
  const { trading, agent } = context;
  const { overridden } = draft;
  let isCreated = false;
  return {
    plan: async (confirmed) => {
      const planned = await (confirmed === undefined ? planAlgo(context, draft) : inMarketNow(context, confirmed));
      if (agent !== undefined) showAgent(agent, planned);
      return planned;
    },
    preview: (planned) => shownOf(ALGO_FACTS, planned),
    dryRun: dryAlgo,
    ask: async (planned) => {
      const { terms, breaches } = planned;
      return confirmGuarded(context, `Create this algo order: ${algoText(terms)}?`, breaches, overridden);
    },
    compare: async (confirmed, current) => {
      const isNew = confirmed.breaches.length === 0 && notOverridden(current.breaches, overridden).length > 0;
      return { plan: current, ...(isNew ? { reason: 'The spread is wider than the trail by now.' } : {}) };
    },
    run: async ({ terms, market }) => {
      const prepared =
        agent === undefined || agent.id === null
          ? undefined
          : { id: agent.id, requireRoom: async () => agent.limits.requireRoomForAlgo(trading, terms, market) };
      const service = await algoService(command);
      const created = await service.create((name) => ({ ...terms, id: name }), market, prepared);
      isCreated = true;
      const { id: made, unwatchedBecause } = created;
      const view = await service.show(made);
      const answer = algoAnswer(view, context.trading.client.now());
      if (unwatchedBecause === null) return answer;
      const { message, hints } = unwatchedBecause;
      const failure = new Failure(
        'partial',
        `NOT WATCHED: algo order ${made} exists, and no process of pit acts for it. ${message}`,
        {
          hint: [...hints, suggest('Or give it up', 'algo', 'cancel', made)],
        },
      );
      return { ...answer, failure };
    },
    left: () =>
      isCreated
        ? { advice: ['The algo order was created.', suggest('See it', 'algo', 'list')] }
        : { advice: ['The algo order may have been created.', suggest('Find out', 'algo', 'list')] },
  };
}

/** What was confirmed is created, or nothing: the market may have reached a stop meanwhile, which throws Failure. */
async function inMarketNow(context: WriteContext, confirmed: PlannedAlgo): Promise<PlannedAlgo> {
  const { terms } = confirmed;
  const market = await readMarket(context, snapshotOf(context, terms), terms);
  checkTerms(terms, market);
  const breach = trailBreach(terms, market);
  return { ...confirmed, market, breaches: breach === null ? [] : [breach] };
}

/**
 * Shows an agent what an algo order comes to. Throws Failure `usage` for one that is only prepared if a guard blocks it, and for one that
 * must not be created.
 */
function showAgent(agent: Agent, { evaluated, terms, market, spendable, warnings, breaches }: PlannedAlgo): void {
  if (agent.id === null && breaches.length > 0) throw blockedBy(breaches, agent.ifBlocked);
  const { onlyPitKnows } = algoSentences(terms, market);
  const estimates = {
    ...NO_ESTIMATES,
    spentCoin: spentCoin(terms.market, terms.side),
    balanceBefore: spendable instanceof Failure ? null : spendable.toString(),
    warnings: [...warnings.map(({ text }) => text), `Only pit knows ${onlyPitKnows}.`],
  };
  agent.workedOut({ write: algoForAgent(evaluated, terms, market), estimates });
}

/** The default of `--slippage`. */
const DEFAULT_SLIPPAGE = Decimal.of('0.01');

/** Evaluates the expressions in the market as it is, and checks everything that can be checked now. Throws Failure: nothing was created. */
async function planAlgo(context: WriteContext, draft: AlgoDraft): Promise<PlannedAlgo> {
  const { trading } = context;
  const { profile } = await context.session.connection();
  const rules = await (await context.session.markets()).find(draft.market);
  const { side } = draft;
  const snapshot = new MarketSnapshot(trading.client, { market: rules.market, side }, SNAPSHOT_LEVELS);
  const { at, take, stop, limit, show } = await evaluateLevels(draft, snapshot, rules);
  const entry = entryOf(draft, { at, show });
  const exits: Exits | null =
    take === null && stop === null && draft.trail === undefined
      ? null
      : { take, stop, limit, trail: draft.trail ?? null };
  const best = bestPrices(await orThrow(snapshot.book()));
  const reference = referencePrice({ entry, exits, side }, best);
  if (reference === null)
    throw new Failure('refused', `The book of ${rules.market} has no ${side === 'buy' ? 'asks' : 'bids'}.`, {
      hint: 'Try again when it has some.',
    });
  const unsized: AlgoTerms = {
    profile,
    owner: trading.journal.folder,
    // it gets one when it is created
    id: '',
    market: rules,
    account: 'spot',
    borrow: false,
    repay: false,
    side,
    amount: Decimal.zero,
    entry,
    when: draft.when.map(({ text }) => text),
    exits,
    slippage: draft.slippage ?? DEFAULT_SLIPPAGE,
    trigger: draft.trigger ?? 'book',
    forMs: draft.for ?? null,
    exec: draft.exec ?? null,
    notify: draft.notify,
    // they stay with it
    ...(context.agent === undefined ? {} : { agent: context.agent.limits.given }),
  };
  const terms = { ...unsized, amount: await amountOf(context, snapshot, draft, unsized, { best, reference }) };
  await requireConditionMarkets(context, draft);
  const evaluated = {
    ...draft,
    amount: baseAmount(terms.amount),
    ...{ at: numberOf(at), take: numberOf(take), stop: numberOf(stop), limit: numberOf(limit) },
    show: show === null ? undefined : baseAmount(show),
  };
  return { ...(await checked(context, snapshot, terms, reference)), evaluated, overridden: draft.overridden };
}

/** The values of a draft's expressions, without its amount; null for those that are not given. */
interface Levels extends EntryValues, Pick<Exits, 'take' | 'stop' | 'limit'> {}

async function evaluateLevels(draft: AlgoDraft, snapshot: MarketSnapshot, market: Market): Promise<Levels> {
  const { side } = draft;
  const exitSide = entryNameOf(draft) !== null ? (side === 'buy' ? 'sell' : 'buy') : side;
  const priced = async (expression: PriceExpression | undefined, of: typeof side) =>
    expression === undefined ? null : evaluatePriceInBook(expression, snapshot, market, of);
  const at = await priced(draft.at, side);
  const take = await priced(draft.take, exitSide);
  // rounded so that it protects earlier, not later
  const stop = await priced(draft.stop, exitSide);
  const limit = await priced(draft.limit, exitSide);
  const show =
    draft.show === undefined || at === null ? null : await amountAt(snapshot, draft.show, { market, side }, at);
  return { at, take, stop, limit, show };
}

function numberOf(price: Decimal | null): PriceExpression | undefined {
  return price === null ? undefined : { kind: 'number', price };
}

function baseAmount(amount: Decimal): AmountExpression {
  return { kind: 'base', amount };
}

/** A share of the balance is what pays for each order that may be sent; a value counts at the price that the order names. */
async function amountOf(
  context: WriteContext,
  snapshot: MarketSnapshot,
  { amount }: AlgoDraft,
  terms: AlgoTerms,
  { best, reference }: { readonly best: BestPrices; readonly reference: Decimal },
): Promise<Decimal> {
  const { market, side } = terms;
  if (amount.kind !== 'share') return amountAt(snapshot, amount, terms, reference);
  const { priceBand } = await limitsOf(context);
  return amountAt(snapshot, amount, { market, side }, fundedPrice(terms, best, reference, priceBand));
}

/** What an amount comes to at a price. */
async function amountAt(
  snapshot: MarketSnapshot,
  amount: AmountExpression,
  { market, side }: Pick<AlgoTerms, 'market' | 'side'>,
  price: Decimal,
): Promise<Decimal> {
  const available = amount.kind === 'share' ? await orThrow(snapshot.spendable(market, side)) : Decimal.zero;
  return evaluateAmount(amount, amountTerms(market, side, price), available);
}

/** Checks terms against the current market. Throws Failure `usage`; nothing has been created by then. */
async function checked(
  context: WriteContext,
  snapshot: MarketSnapshot,
  terms: AlgoTerms,
  reference: Decimal,
): Promise<Omit<PlannedAlgo, 'evaluated' | 'overridden'>> {
  const market = await readMarket(context, snapshot, terms);
  checkTerms(terms, market);
  context.agent?.limits.requireAllowedAlgo(terms, market);
  const limits = await limitsOf(context);
  const { priceBand } = limits;
  const last = terms.entry === null ? '' : wordsOf(terms.entry).last;
  const held = guardAlgo(context.trading, terms, market, await orThrow(snapshot.book()), limits, last);
  refuseCertain(held.certain);
  const spendable = await snapshot.spendable(terms.market, terms.side);
  const lacks = balanceWarnings(terms, spendable, fundedPrice(terms, market, reference, priceBand));
  const trail = await compareTrail(context.trading, terms, market);
  const breaches = trail.breach === null ? [] : [trail.breach];
  const warnings = [...[...held.warnings, ...trail.warnings].map((text) => ({ text })), ...lacks];
  return { terms, market, spendable, priceBand, warnings, breaches };
}

const INSTEAD = {
  'price-band': 'Use a price within the band',
  'order-notional': 'Use less',
  'day-notional': 'Use less',
  'post-only': 'Use another price',
  'trail-distance': 'Use a wider trail',
} as const satisfies Readonly<Record<GuardName, string>>;

/** Throws Failure `usage` for a guard that would stop one of its orders. */
function refuseCertain([first]: readonly Breach[]): void {
  if (first === undefined) return;
  const instead = INSTEAD[first.guard];
  throw blockedBy(
    [first],
    `Guards hold for each of its orders, and none can be overridden. ${instead}, or change the limit of the profile.`,
  );
}

/** The price at which its amount is counted; null if nothing names one. */
function referencePrice({ entry, exits, side }: Pick<AlgoTerms, 'entry' | 'exits' | 'side'>, { bid, ask }: BestPrices) {
  const named = entry === null ? (exits?.take ?? exits?.stop) : namedPriceOf(entry);
  return named ?? (side === 'buy' ? ask : bid);
}

/**
 * The price that decides how many coins are needed: for a buy, the highest price of its orders that is known.
 * @param reference as {@link referencePrice} has it
 */
function fundedPrice(terms: AlgoTerms, best: BestPrices, reference: Decimal, priceBand: Decimal | null): Decimal {
  const { entry, exits, side } = terms;
  const { ask } = best;
  if (side === 'sell' || ask === null) return reference;
  if (entry !== null)
    return namedPriceOf(entry) === null && kindOfEntry(entry).typeOf(entry) === 'ioc'
      ? limitAt(terms, side, ask, best, priceBand)
      : reference;
  const level = stopLevel(terms, ask);
  const sent = level === null ? null : stopPrice(terms, level, best, priceBand);
  const take = exits?.take ?? null;
  return sent === null || take === null ? (sent ?? take ?? reference) : most(sent, take);
}

const SNAPSHOT_LEVELS = 50;

function snapshotOf({ trading }: WriteContext, { market, side }: AlgoTerms): MarketSnapshot {
  return new MarketSnapshot(trading.client, { market: market.market, side }, SNAPSHOT_LEVELS);
}

/** Throws Failure `usage` for a condition on a market that the exchange does not list. */
async function requireConditionMarkets({ session }: WriteContext, { when }: AlgoDraft): Promise<void> {
  const markets = await session.markets();
  for (const { market } of when) if (market !== undefined) await markets.find(market);
}

async function readMarket(context: WriteContext, snapshot: MarketSnapshot, terms: AlgoTerms): Promise<TermsMarket> {
  const { client } = context.trading;
  const best = bestPrices(await orThrow(snapshot.book()));
  const last = terms.trigger === 'last' ? ((await client.ticker({ market: terms.market.market })).last ?? null) : null;
  return { ...best, last: last === null ? null : Decimal.of(last), feeShare: await feeShare(snapshot, terms) };
}

/** The share of a buy that its fee takes of the base coin; null if earlier orders show none. */
async function feeShare(snapshot: MarketSnapshot, { entry, side, exits, market }: AlgoTerms): Promise<Decimal | null> {
  if (entry === null || exits === null || side === 'sell') return null;
  const orders = await snapshot.orders();
  const estimate = orders instanceof Failure ? null : estimateFee(orders, side, Decimal.of('1'));
  if (estimate === null) return null;
  return estimate.coin === market.base ? estimate.fee : Decimal.zero;
}

/** Says what happens if the account does not have what its orders need. */
function balanceWarnings(
  terms: AlgoTerms,
  spendable: Decimal | Failure,
  price: Decimal,
): readonly { readonly text: string }[] {
  if (spendable instanceof Failure) return [{ text: `The balance could not be read: ${spendable.message}` }];
  const { side, market, amount } = terms;
  const needs = side === 'sell' ? amount : amount.times(price).trimmed();
  const coin = spentCoin(market, side);
  if (needs.compare(spendable) <= 0) {
    // the price that reaches the stop may already be past it
    const isTight =
      side === 'buy' && isPricedWhenReached(terms) && needs.times(ONE.plus(terms.slippage)).compare(spendable) > 0;
    if (!isTight) return [];
    const needed = `This needs up to ${formatAmount(needs)} of ${formatAmount(spendable)} ${coin}`;
    return [{ text: `${needed}: if the price jumps past the stop, it buys less and ends as partial.` }];
  }
  const there = spendable.sign === 0 ? `no ${coin}` : `only ${formatAmount(spendable)} ${coin}`;
  const what = `This needs ${formatAmount(needs)} ${coin} but ${there} is available`;
  return [{ text: `${what}: without more, ${withoutMore(terms, spendable, price)}.` }];
}

const ONE = Decimal.of('1');

/** Whether the price of what it buys or sells is that which reaches its stop, with the slippage. */
function isPricedWhenReached({ entry, exits }: AlgoTerms): boolean {
  return entry === null && exits !== null && exits.limit === null && hasStop({ exits });
}

/** What an algo order does that lacks coins: an entry waits for them, exits trade what they are enough for. */
function withoutMore({ entry, side, market }: AlgoTerms, spendable: Decimal, price: Decimal): string {
  if (entry !== null) return wordsOf(entry).lacking;
  const scale = market.amountScale;
  const enough = side === 'buy' ? spendable.dividedBy(price, scale, 'down') : spendable;
  const amount = enough.rescaled(scale, 'down');
  if (!fits(market, price, amount))
    return `it ${side}s nothing, waits if other orders lock the coins, and otherwise ends as failed`;
  const what = side === 'buy' ? 'what that pays for' : `${formatAmount(amount.trimmed())} ${market.base}`;
  return `it ${side}s only ${what}, waits for the rest if other orders lock the coins, and otherwise ends as partial`;
}
