import { type Facts, shownOf, valuesOf } from '../../cli/fact-list.js';
import type { Market } from '../../domain/market.js';
import type { AccountType, Side } from '../../domain/order.js';
import type { Answer } from '../../terminal/answer.js';
import { ageText } from '../../terminal/time.js';
import { guardOrders, needsBook, type Warning } from '../../trading/guards/guards.js';
import type { GuardName } from '../../trading/guards/limits.js';
import { type Estimates, NO_ESTIMATES, type WorkedOut } from '../../trading/prepared/prepared-write.js';
import { type Assessment, PREVIEW_VALID_MS, reasonToAskAgain } from '../../trading/preview/ask-again.js';
import { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import { type OrderPlan, previewOrders } from '../../trading/preview/preview.js';
import { concernsMarket, unknownWrites, unknownWritesAdvice } from '../../trading/settling/unknown-writes.js';
import type { Agent } from '../session/agent.js';
import { blockedBy, confirmGuarded, limitsOf, type SendOptions, sendOptionsOf } from '../writes/guard-overrides.js';
import type { Requests, WriteContext, WriteSteps } from '../writes/write.js';
import { COST_FACTS, type PreviewedOrders } from './preview.js';

/** Orders with their expressions evaluated, which follow the rules of the market. */
export interface PlannedOrders {
  /** Names their record: the client id, or the job. */
  readonly id: string;
  readonly plan: OrderPlan;
  /** What they were evaluated in. */
  readonly snapshot: MarketSnapshot;
  /** Warnings besides those of the guards and the preview. */
  readonly notices?: readonly Warning[];
}

/** Planned orders with the results of the guards and, if one is shown, of the preview. */
type Assessed<Planned> = Planned & Assessment & Pick<PreviewedOrders, 'overridden'>;

/** The same with a preview. */
export type Previewed<Planned> = Planned & PreviewedOrders;

/** Orders as a write. */
export type GuardedWrite<Planned, Data, Dry extends Requests> = WriteSteps<Assessed<Planned>, Data, Dry>;

/** Orders that are sent together, step by step as in {@link WriteSteps}. */
interface Orders<Planned extends PlannedOrders, Data, Dry extends Requests>
  extends Pick<GuardedWrite<Planned, Data, Dry>, 'left' | 'soFar'> {
  /** The guards that the command line overrides. */
  readonly overridden: readonly GuardName[];
  /**
   * Evaluates the user's expressions in the current market and checks the result.
   * @param confirmed what the user has confirmed, once there is a reply
   */
  readonly plan: (confirmed: Planned | undefined) => Promise<Planned>;
  readonly question: (planned: Planned, isAgain: boolean) => string;
  readonly facts: Facts<Previewed<Planned>>;
  readonly dryRun: (previewed: Previewed<Planned>) => Dry;
  readonly forAgent: (planned: Planned) => WorkedOut;
  readonly run: (planned: Planned, options: SendOptions, signal: AbortSignal) => Promise<Answer<Data>>;
}

/**
 * Orders as a write with guards. After the reply they are checked again in the current market: if a guard blocks one, or the
 * preview has become wrong, a new preview is shown and confirmed. With `--yes`, nothing is read twice.
 */
export function guardedOrders<Planned extends PlannedOrders, Data, Dry extends Requests>(
  context: WriteContext,
  { overridden, left, soFar, ...orders }: Orders<Planned, Data, Dry>,
): GuardedWrite<Planned, Data, Dry> {
  return {
    plan: async (confirmed) => {
      const assessed = await assess(context, await orders.plan(confirmed), overridden);
      if (context.agent !== undefined) showAgent(context.agent, orders.forAgent(assessed), assessed);
      return assessed;
    },
    preview: (assessed) => shownOf(orders.facts, withPreview(assessed)),
    dryRun: (assessed) => orders.dryRun(withPreview(assessed)),
    ask: async (assessed, { isAgain, ageMs }) => {
      const { breaches } = assessed;
      const below = () => bookAgeText(ageMs());
      return confirmGuarded(context, orders.question(assessed, isAgain), breaches, overridden, below);
    },
    compare: async (confirmed, current, ageMs) => {
      // orders are sent as they were confirmed, not as they evaluate now
      const afterReply = await assess(context, { ...confirmed, snapshot: current.snapshot }, overridden);
      const reason = reasonToAskAgain({ shown: confirmed, afterReply, current, ageMs });
      return reason === undefined ? { plan: afterReply } : { plan: current, reason };
    },
    run: async (confirmed, signal) => {
      const options = sendOptionsOf(context, confirmed.plan.market.quote, confirmed, overridden);
      return orders.run(confirmed, { ...options, overridden: guardsLifted(confirmed, overridden) }, signal);
    },
    left,
    soFar,
  };
}

/**
 * Shows an agent what a write comes to. Throws Failure `usage` for a write that is only prepared if a guard blocks it, and for one that
 * must not be sent.
 */
function showAgent(agent: Agent, write: WorkedOut, assessed: Assessed<unknown>): void {
  const { breaches, preview, warnings: found } = assessed;
  if (agent.id === null && breaches.length > 0) throw blockedBy(breaches, agent.ifBlocked);
  const { fee, available } = COST_FACTS;
  // of this type, so that no fact takes another name than the estimate that it is
  const costs: Omit<Estimates, 'warnings'> =
    preview === null ? NO_ESTIMATES : valuesOf({ fee, available }, { ...assessed, preview });
  agent.workedOut({ write, estimates: { ...costs, warnings: found.map(({ text }) => text) } });
}

/** Runs the guards, and computes the preview if one is shown. */
async function assess<Planned extends PlannedOrders>(
  context: WriteContext,
  planned: Planned,
  overridden: readonly GuardName[],
): Promise<Assessed<Planned>> {
  const { trading, isPreviewed, agent } = context;
  const { plan, snapshot, notices = [] } = planned;
  agent?.limits.requireAllowed({ market: plan.market.market, borrows: plan.borrow === true });
  const limits = await limitsOf(context);
  const readBook = async () => {
    if (snapshot.isBookRead) return snapshot.book();
    if (!needsBook({ ...plan, quote: plan.market.quote }, limits, overridden)) return undefined;
    return snapshot.book();
  };
  const assessment = isPreviewed
    ? await previewOrders(trading, plan, snapshot, limits)
    : { preview: null, ...guardOrders(trading, plan, await readBook(), limits) };
  const warnings = [...unknownWriteWarnings(context, planned), ...notices, ...assessment.warnings];
  return { ...planned, ...assessment, warnings, overridden };
}

/** A warning of the earlier writes of the market whose outcome is unknown. */
function unknownWriteWarnings(
  { output, trading: { journal } }: WriteContext,
  { id, plan: { market } }: PlannedOrders,
): readonly Warning[] {
  const unsettled = journal.unsettled();
  // a record that cannot be read stops the order in `requireReadable`
  if (unsettled.entries.length === 0) return [];
  const ofMarket = unknownWrites(journal, unsettled).filter(
    (write) => write.id !== id && concernsMarket(write, market.market),
  );
  const advice = unknownWritesAdvice(ofMarket);
  return advice === undefined ? [] : [{ about: 'unknown write', text: output.textOf(advice) }];
}

function withPreview<Planned>(assessed: Assessed<Planned>): Previewed<Planned> {
  const { preview } = assessed;
  if (preview === null) throw new Error('There is no preview to show.');
  return { ...assessed, preview };
}

function guardsLifted({ breaches }: Assessment, overridden: readonly GuardName[]): readonly GuardName[] {
  return [...new Set([...overridden, ...breaches.map(({ guard }) => guard)])];
}

/** The most levels that the interface returns. */
export const PREVIEW_LEVELS = 50;

/**
 * Starts to read what orders are evaluated in and, if a preview is shown, what that needs.
 * @param levels how many levels of the book a preview needs
 */
export function marketSnapshot(
  { trading, isPreviewed }: WriteContext,
  { market }: Market,
  {
    side,
    account,
    levels = PREVIEW_LEVELS,
  }: { readonly side: Side; readonly account: AccountType; readonly levels?: number },
  earlier: MarketSnapshot | undefined,
): MarketSnapshot {
  const snapshot =
    earlier?.refreshed() ?? new MarketSnapshot(trading.client, { market, side }, isPreviewed ? levels : 1);
  if (isPreviewed) snapshot.prefetch('book', 'orders', ...(account === 'spot' ? (['balances'] as const) : []));
  return snapshot;
}

/** The age of the book, for the line below the question; empty while the preview is fresh. */
function bookAgeText(ageMs: number): string {
  return ageMs <= PREVIEW_VALID_MS
    ? ''
    : `The book was read ${ageText(ageMs, 1_000)} ago; pit reads it again after your reply.`;
}
