import type { Context } from '../../cli/context.js';
import type { Market } from '../../domain/market.js';
import type { AccountType, OrderType } from '../../domain/order.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { TradingAccount } from '../../trading/account.js';
import { guardOrders, needMarket } from '../../trading/guards/guards.js';
import { type GuardLimits, type GuardName, guardLimits } from '../../trading/guards/limits.js';
import type { OrderTerms } from '../../trading/journal/intent.js';
import type { GuardedSend } from '../../trading/orders/place.js';
import { FRESH_MS, type Reading, reasonToAskAgain } from '../../trading/preview/ask-again.js';
import { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import { type PlannedOrders, type PreviewFacts, previewOrders } from '../../trading/preview/preview.js';
import { blocking, confirmGuarded, guardedSendOf } from '../guarding.js';
import { type PreviewText, previewTable } from './preview.js';

/** What is needed to check orders before they are sent: the exchange's answers, and the limits. */
export interface OrderContext {
  readonly snapshot: MarketSnapshot;
  readonly limits: GuardLimits;
  /** Whether the guards need the market even without a preview. */
  readonly needsMarket: boolean;
  /** Whether a preview is shown. */
  readonly isShown: boolean;
}

interface Asked {
  readonly side: OrderTerms['side'];
  readonly type: OrderType;
  readonly account: AccountType;
  readonly overridden: readonly GuardName[];
  readonly isShown?: boolean;
  /** Levels of the book to read for a preview: one if the preview needs the best prices alone. */
  readonly levels?: number;
  /** Given if it exists already. */
  readonly snapshot?: MarketSnapshot | undefined;
}

/** As many as the interface gives. */
export const PREVIEW_LEVELS = 50;

/** Reads the limits, and starts every request that checking the orders will need. */
export async function orderContext(
  context: Context,
  account: TradingAccount,
  { market, quote }: Market,
  { side, type, overridden, isShown = hasPreview(context), levels = PREVIEW_LEVELS, ...asked }: Asked,
): Promise<OrderContext> {
  const limits = guardLimits((await context.session.connection()).settings);
  const needsMarket = needMarket({ side, type, quote }, limits, overridden);
  const { snapshot = new MarketSnapshot(account.client, { market, side }, isShown ? levels : 1) } = asked;
  if (isShown || needsMarket) snapshot.market();
  if (isShown && asked.account === 'spot') snapshot.balances();
  if (isShown) snapshot.orders();
  return { snapshot, limits, needsMarket, isShown };
}

/** Whether the command shows a preview: it asks, or is a dry run. */
export function hasPreview({ globals }: Pick<Context, 'globals'>): boolean {
  return globals.dryRun || !globals.yes;
}

/** Checked orders with the data used for the check. `facts` is null if no preview is shown. */
export interface CheckedOrders extends Reading {
  readonly needed: OrderContext;
}

/** What orders would do and which guards hold them: everything for a preview, otherwise only what the guards need. */
export async function checkOrders(
  account: TradingAccount,
  plan: PlannedOrders,
  needed: OrderContext,
): Promise<CheckedOrders> {
  const { snapshot, limits, needsMarket, isShown } = needed;
  if (isShown) return { plan, needed, ...(await previewOrders(account, plan, snapshot, limits)) };
  const seen = needsMarket ? await snapshot.market() : undefined;
  return { plan, needed, facts: null, ...guardOrders(account, plan, seen, limits) };
}

/** How orders become ready to be sent, and what is shown of them. */
interface Confirmation<Ready extends CheckedOrders> {
  /**
   * Resolves the user's words against the current market and checks the result. Called again after each answer, with the
   * previous result.
   */
  readonly prepare: (earlier: Ready | undefined) => Promise<Ready>;
  readonly overridden: readonly GuardName[];
  readonly question: (ready: Ready) => string;
  /** What the preview says of these orders in particular. */
  readonly text: (ready: Ready, facts: PreviewFacts, screen: Screen) => PreviewText;
  /** The answer of `--dry-run`. */
  readonly dryRun: (ready: Ready, facts: PreviewFacts, show: (screen: Screen) => string) => Answer;
}

/** The answer of a dry run, or what was confirmed and what the guards need when it is sent. */
type Confirmed<Ready> =
  | { readonly answer: Answer }
  | { readonly answer: undefined; readonly ready: Ready; readonly guardedSend: GuardedSend };

/**
 * Shows a preview (or only its warnings), asks, and checks the confirmed orders again, because the market may have moved
 * meanwhile. If a guard now blocks them, or an old preview is no longer true, shows a new preview and asks again. With
 * `--yes` nothing is read twice.
 *
 * @throws Failure as `prepare` and {@link confirmGuarded}
 */
export async function confirmOrders<Ready extends CheckedOrders>(
  context: Context,
  account: TradingAccount,
  { prepare, overridden, question, text, dryRun }: Confirmation<Ready>,
): Promise<Confirmed<Ready>> {
  const { globals, output, host } = context;
  const send = async (ready: Ready, { plan, ...checked }: CheckedOrders): Promise<Confirmed<Ready>> => {
    const guardedSend = await guardedSendOf(context, account, plan.market.quote, checked, overridden);
    return { answer: undefined, ready, guardedSend };
  };
  let readAt = host.monotonic();
  let ready = await prepare(undefined);
  for (;;) {
    const { facts, breaches, warnings, plan } = ready;
    if (facts === null) for (const warning of warnings) output.warn(warning.text);
    else {
      const own = text.bind(undefined, ready, facts);
      const show = await previewTable(context, account, { ...ready, facts }, overridden, own);
      if (globals.dryRun) return { answer: dryRun(ready, facts, show) };
      output.preview(show);
    }
    const shownFrom = readAt;
    await confirmGuarded(context, question(ready), breaches, overridden, () => ageText(host.monotonic() - shownFrom));
    if (globals.yes && blocking(breaches, overridden).length === 0) return send(ready, ready);
    readAt = host.monotonic();
    const now = await prepare(ready);
    const again = await checkOrders(account, plan, now.needed);
    const reason = reasonToAskAgain({ shown: ready, again, now, ageMs: readAt - shownFrom });
    if (reason === undefined) return send(ready, again);
    output.warn(`Not sent yet. ${reason}`);
    ready = now;
  }
}

/** Empty while the preview is fresh. */
function ageText(ageMs: number): string {
  return ageMs <= FRESH_MS ? '' : `The book was read ${Math.round(ageMs / 1_000)} s ago; your answer reads it again.`;
}
