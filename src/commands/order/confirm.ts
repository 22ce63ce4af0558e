import type { Market } from '../../domain/market.js';
import type { AccountType, OrderType } from '../../domain/order.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { ageText } from '../../terminal/time.js';
import { guardOrders, needsBook } from '../../trading/guards/guards.js';
import { type GuardName, guardLimits } from '../../trading/guards/limits.js';
import type { RecordedOrderTerms } from '../../trading/journal/write.js';
import type { RecordOptions } from '../../trading/orders/place.js';
import { PREVIEW_VALID_MS, reasonToAskAgain } from '../../trading/preview/ask-again.js';
import { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import { type OrderPlan, type PreviewData, previewOrders } from '../../trading/preview/preview.js';
import type { TradingContext } from '../../trading/trading-context.js';
import type { Context } from '../command.js';
import { confirmGuarded, notOverridden, recordOptionsOf } from '../guard-overrides.js';
import { type AssessedOrders, type MarketCheckInputs, type PreviewText, previewTable } from './preview.js';

/** The properties of the orders that decide what must be read to check and preview them. */
interface PreviewNeeds {
  readonly side: RecordedOrderTerms['side'];
  readonly type: OrderType;
  readonly account: AccountType;
  readonly overridden: readonly GuardName[];
  readonly withPreview?: boolean;
  /** Levels of the book to read for a preview: one if the preview needs the best prices alone. */
  readonly levels?: number;
  /** The snapshot to use, if there is one already. */
  readonly snapshot?: MarketSnapshot | undefined;
}

/** The most levels that the interface returns. */
export const PREVIEW_LEVELS = 50;

/** Reads the limits and starts the reads that the checks will need. */
export async function loadCheckInputs(
  context: Context,
  trading: TradingContext,
  { market, quote }: Market,
  { side, type, overridden, withPreview = hasPreview(context), levels = PREVIEW_LEVELS, ...needs }: PreviewNeeds,
): Promise<MarketCheckInputs> {
  const limits = guardLimits((await context.session.profile.connection()).settings);
  const guardsNeedBook = needsBook({ side, type, quote }, limits, overridden);
  const { snapshot = new MarketSnapshot(trading.client, { market, side }, withPreview ? levels : 1) } = needs;
  if (withPreview) snapshot.prefetch('book', 'orders', ...(needs.account === 'spot' ? (['balances'] as const) : []));
  else if (guardsNeedBook) snapshot.prefetch('book');
  return { snapshot, limits, guardsNeedBook, withPreview };
}

/** Whether the command shows a preview: it does so before it asks, and in a dry run. */
export function hasPreview({ globals }: Pick<Context, 'globals'>): boolean {
  return globals.dryRun || !globals.yes;
}

/** Runs the guards, and computes the preview if one is shown. */
export async function assessOrders(
  trading: TradingContext,
  plan: OrderPlan,
  inputs: MarketCheckInputs,
): Promise<AssessedOrders> {
  const { snapshot, limits, guardsNeedBook, withPreview } = inputs;
  if (withPreview) return { plan, inputs, ...(await previewOrders(trading, plan, snapshot, limits)) };
  const book = guardsNeedBook ? await snapshot.book() : undefined;
  return { plan, inputs, preview: null, ...guardOrders(trading, plan, book, limits) };
}

/** How orders are prepared, shown and confirmed. */
interface Confirmation<Assessed extends AssessedOrders> {
  /**
   * Evaluates the user's expressions in the current market and checks the result. Called again after each reply, with the
   * previous result.
   */
  readonly prepare: (previous: Assessed | undefined) => Promise<Assessed>;
  readonly overridden: readonly GuardName[];
  /** The question. `isAgain` is true if the terms have changed since it was last asked, so that it names the new ones. */
  readonly question: (assessed: Assessed, isAgain: boolean) => string;
  /** The parts of the preview that only this kind of order has. */
  readonly text: (assessed: Assessed, preview: PreviewData, screen: Screen) => PreviewText;
  /** The answer of `--dry-run`. */
  readonly dryRun: (assessed: Assessed, preview: PreviewData, show: (screen: Screen) => string) => Answer;
}

/** A dry run's result, or the confirmed orders and what to record with them. */
type Confirmed<Assessed> =
  | { readonly answer: Answer }
  | { readonly answer: undefined; readonly assessed: Assessed; readonly recordOptions: RecordOptions };

/**
 * Shows a preview (or only its warnings), asks, and checks the confirmed orders again, because the market may have moved
 * meanwhile. If a guard now blocks them, or an old preview is no longer true, shows a new preview and asks again. With
 * `--yes` and no blocking guard, nothing is read twice.
 *
 * @throws Failure as `prepare` and {@link confirmGuarded}
 */
export async function confirmOrders<Assessed extends AssessedOrders>(
  context: Context,
  trading: TradingContext,
  confirmation: Confirmation<Assessed>,
): Promise<Confirmed<Assessed>> {
  const removeHandler = context.host.onInterrupt(() => context.output.note('Nothing was sent.'));
  return askUntilConfirmed(context, trading, confirmation).finally(removeHandler);
}

async function askUntilConfirmed<Assessed extends AssessedOrders>(
  context: Context,
  trading: TradingContext,
  { prepare, overridden, question, text, dryRun }: Confirmation<Assessed>,
): Promise<Confirmed<Assessed>> {
  const { globals, output, host } = context;
  // the orders are sent as the user confirmed them, not as they evaluate now; the guards' report is the one after the reply
  const asConfirmed = async (assessed: Assessed, { plan, ...report }: AssessedOrders): Promise<Confirmed<Assessed>> => {
    const recordOptions = await recordOptionsOf(context, trading, plan.market.quote, report, overridden);
    return { answer: undefined, assessed, recordOptions };
  };
  let readAt = host.monotonic();
  let assessed = await prepare(undefined);
  let isAgain = false;
  for (;;) {
    const { preview, breaches, warnings, plan } = assessed;
    if (preview === null) for (const warning of warnings) output.warn(warning.text);
    else {
      const details = text.bind(undefined, assessed, preview);
      const show = await previewTable(context, trading, { ...assessed, preview }, overridden, details);
      if (globals.dryRun) return { answer: dryRun(assessed, preview, show) };
      output.preview(show);
    }
    const bookReadAt = readAt;
    await confirmGuarded(context, question(assessed, isAgain), breaches, overridden, () =>
      bookAgeText(host.monotonic() - bookReadAt),
    );
    if (globals.yes && notOverridden(breaches, overridden).length === 0) return asConfirmed(assessed, assessed);
    readAt = host.monotonic();
    const current = await prepare(assessed);
    const afterReply = await assessOrders(trading, plan, current.inputs);
    const reason = reasonToAskAgain({ shown: assessed, afterReply, current, ageMs: readAt - bookReadAt });
    if (reason === undefined) return asConfirmed(assessed, afterReply);
    output.warn(`Not sent yet. ${reason}`);
    [assessed, isAgain] = [current, true];
  }
}

/** The age of the book, for the line below the question; empty while the preview is fresh. */
function bookAgeText(ageMs: number): string {
  return ageMs <= PREVIEW_VALID_MS
    ? ''
    : `The book was read ${ageText(ageMs, 1_000)} ago; pit reads it again after your reply.`;
}
