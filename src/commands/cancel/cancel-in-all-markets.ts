import { confirm } from '../../cli/consent.js';
import { factsOf, shownOf } from '../../cli/fact-list.js';
import { counted, grouped } from '../../domain/decimal.js';
import { Failure, suggest, tryRead, withoutPeriod } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { table } from '../../terminal/table.js';
import { lossesOf } from '../../trading/algos/service/losses.js';
import type { CancelAttempt, CancelResult } from '../../trading/cancel/cancel-orders.js';
import { type OwnOrders, ordersToCancel } from '../../trading/history/open-orders.js';
import { concernsMarketOrAny, mayPlace, type UnknownWrite } from '../../trading/settling/unknown-writes.js';
import { algosAtWork, warnOfLostOrders } from '../algo/lost-orders.js';
import type { Context } from '../session/command.js';
import { type DryRun, dryRequest } from '../writes/dry-run.js';
import { answerOrThrow } from '../writes/outcome-failure.js';
import { NO_PREVIEW } from '../writes/preview-facts.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';
import { openWithConsent, runWrite } from '../writes/write.js';
import {
  byReason,
  type MarketOrders,
  type MarketOutcome,
  type MarketsToCancel,
  marketsToCancel,
  openInAllMarkets,
  stillOpenFailure,
  unlistedText,
} from './all-markets.js';
import { type Cancellations, cancelTable } from './cancel-result.js';
import { Cancelling } from './cancelling.js';
import { openText } from './open-text.js';

/** A market with open orders. */
interface OpenMarket {
  readonly market: string;
  readonly own: OwnOrders;
}

interface Plan {
  readonly warnings: readonly { readonly text: string }[];
  /** The markets whose orders are cancelled. */
  readonly names: readonly string[];
  /** Those that were read; empty if nothing is asked: then orders are cancelled while they are read. */
  readonly open: readonly OpenMarket[];
  /** Why the list of markets could not be read: orders of others are not cancelled. */
  readonly unlisted: Failure | undefined;
  /** The markets whose orders could not be read: they are not cancelled. */
  readonly unread: readonly UnreadMarket[];
}

interface UnreadMarket {
  readonly market: string;
  readonly failure: Failure;
}

const AGAIN = suggest('Cancel what is left', 'cancel', '--all', '--all-markets');
const AGAIN_DRY = suggest('Try again', 'cancel', '--all', '--all-markets', '--dry-run');

/**
 * Cancels every open order in every market, after asking once with the count of each market. A market that cannot be read or
 * cleared does not stop the others. Throws Failure `declined` if it is not confirmed.
 * @param isWhole reads the lists whole, whatever is known of them
 */
export async function cancelInAllMarkets(
  context: Context,
  isWhole: boolean,
): Promise<Answer<readonly CancelResult[] | readonly DryRun[]>> {
  const write = await openWithConsent(context);
  const { trading } = write;
  const cancelling = new Cancelling(context);
  const asks = write.isPreviewed;
  // their orders may still be open
  const warnOfEarlier = () => warnOfUnknown(context, (one) => concernsMarketOrAny(one, undefined));
  return runWrite(write, {
    passesHalt: true,
    plan: async (): Promise<Plan> => {
      if (!asks) return unreadPlan(await marketsToCancel(context, trading));
      const plan = planOf(await openInAllMarkets(context, trading, isWhole));
      if (context.globals.dryRun) await warnOfEarlier();
      const losses = plan.open.flatMap(({ market, own }) => lossesOf(trading, market, ordersToCancel(own)));
      return { ...plan, warnings: [...plan.warnings, ...losses] };
    },
    preview: (plan) => shownOf(FACTS, plan),
    dryRun: (plan) => {
      requireSomethingRead(plan);
      const preview = { ...NO_PREVIEW, warnings: plan.warnings.map(({ text }) => text) };
      return plan.open.flatMap(({ market, own }) =>
        ordersToCancel(own).map(({ id }) => dryRequest(write, { kind: 'cancel', market, order: { id } }, preview)),
      );
    },
    ask: async ({ open }) => {
      if (open.length === 0) return;
      const counts = open.map(({ market, own }) => `${market}: ${grouped(String(ordersToCancel(own).length))}`);
      await confirm(write, `Cancel ${counted(countOf(open), 'order')} (${counts.join(', ')})?`);
    },
    run: async (plan, signal) => {
      const { names, open } = plan;
      const algosBefore = algosAtWork(context);
      const byMarket = new Map(open.map(({ market, own }) => [market, own]));
      const targets = names.map((market) => ({ market, shown: byMarket.get(market) }));
      const outcomes = await cancelling.run(trading, targets, signal, isWhole);
      const attempts = outcomes.flatMap((one) => one.attempts);
      await tryRead(async () => warnOfLostOrders({ output: context.output, trading }, attempts, algosBefore));
      return resultOf(plan, outcomes, await warnOfEarlier());
    },
    left: ({ open }) => {
      // orders are counted only for the question
      const total = asks ? ` of ${grouped(String(countOf(open)))}` : '';
      const answered = `Answered cancellations: ${grouped(String(cancelling.answeredOrders))}${total}.`;
      return { advice: [`Orders may still be open. ${answered}`, AGAIN] };
    },
    soFar: () => cancelTable(cancelling.attempts, 'No cancellation was answered.'),
  });
}

function planOf({ markets, failure: unlisted }: Awaited<ReturnType<typeof openInAllMarkets>>): Plan {
  const unread = markets.flatMap(({ market, own }) => {
    const failure = own instanceof Failure ? own : own.failure;
    return failure === null ? [] : [{ market, failure }];
  });
  const open = markets.flatMap(({ market, own }: MarketOrders) =>
    own instanceof Failure || ordersToCancel(own).length === 0 ? [] : [{ market, own }],
  );
  return {
    names: open.map(({ market }) => market),
    open,
    unlisted,
    unread,
    warnings: reasonsOf(unlisted, unread).map((text) => ({ text: `Not read, so not cancelled: ${text}` })),
  };
}

/** Throws why nothing could be read, if no order was found: then none may be open, or any. */
function requireSomethingRead({ open, unlisted, unread }: Plan): void {
  const failure = unlisted ?? unread[0]?.failure;
  if (open.length > 0 || failure === undefined) return;
  const why = reasonsOf(unlisted, unread).join('; ');
  throw new Failure(failure.kind, `No open orders were found, but there may be some: ${withoutPeriod(why)}.`, {
    hint: AGAIN_DRY,
  });
}

/** Without a question, nothing has to be known first. */
function unreadPlan({ names, failure: unlisted }: MarketsToCancel): Plan {
  const warnings = reasonsOf(unlisted, []).map((text) => ({ text }));
  return { names, open: [], unlisted, unread: [], warnings };
}

function reasonsOf(unlisted: Failure | undefined, unread: readonly UnreadMarket[]): readonly string[] {
  const ofList = unlisted === undefined ? [] : [unlistedText(unlisted)];
  return [...ofList, ...byReason(unread)];
}

function countOf(open: readonly OpenMarket[]): number {
  return open.reduce((sum, { own }) => sum + ordersToCancel(own).length, 0);
}

const FACTS = { markets: factsOf<Plan>()({ above: openMarketsTable }) };

function openMarketsTable({ open, unlisted, unread }: Plan, screen: Screen): string {
  if (open.length === 0)
    return unlisted === undefined && unread.length === 0
      ? 'No open orders in any market.'
      : 'No open orders were found, but there may be some.';
  return table(
    screen,
    [
      { title: 'market', value: ({ market }) => market, importance: 9 },
      {
        title: 'orders',
        value: ({ own }) => grouped(String(ordersToCancel(own).length)),
        align: 'right',
        importance: 8,
      },
      { title: 'buys', value: ({ market, own }) => openText(market, 'buy', own.open.buy), importance: 5 },
      { title: 'sells', value: ({ market, own }) => openText(market, 'sell', own.open.sell), importance: 5 },
    ],
    open,
  );
}

function resultOf(
  { unlisted, unread }: Plan,
  outcomes: readonly MarketOutcome[],
  earlier: readonly UnknownWrite[],
): Cancellations {
  const attempts: readonly CancelAttempt[] = outcomes.flatMap((one) => one.attempts);
  const notTried = unread.map((one) => ({ ...one, attempts: [], stillOpen: [] }));
  const failure = stillOpenFailure([...outcomes, ...notTried], unlisted, AGAIN, earlier.filter(mayPlace));
  const none = failure === undefined ? 'No open orders in any market.' : 'No order was cancelled.';
  return answerOrThrow(cancelTable(attempts, none), failure);
}
