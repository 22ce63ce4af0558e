import { confirm } from '../../cli/consent.js';
import { flag, optional, several, toggle } from '../../cli/definition.js';
import { factsOf, shownOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { type OrderReference, referenceText, SIDES, type Side } from '../../domain/order.js';
import { type Hint, type Interruption, suggest, tryRead } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import { type Loss, lossesOf } from '../../trading/algos/service/losses.js';
import type { CancelledAll } from '../../trading/cancel/cancel-all.js';
import type { CancelAttempt, CancelResult } from '../../trading/cancel/cancel-orders.js';
import { type OwnOrders, ordersToCancel, readOpenOrders } from '../../trading/history/open-orders.js';
import { ordersMadeBy } from '../../trading/journal/write.js';
import { algosAtWork, algosOfUncancelled, warnOfLostOrders } from '../algo/lost-orders.js';
import { explainUnknownMarket, refuseUnknownMarket } from '../inputs/known-market.js';
import { knownClientId, marketName, orderReference } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import { type DryRequest, type DryRun, dryRequest, dryRunShape } from '../writes/dry-run.js';
import { previewJson } from '../writes/preview-facts.js';
import { warnOfUnknownIn } from '../writes/unknown-writes.js';
import { openWithConsent, openWrite, runWrite, type WriteContext, type WriteSteps } from '../writes/write.js';
import { cancelInAllMarkets } from './cancel-in-all-markets.js';
import { CANCELLED, cancelAgain, cancelAllAnswer, cancelAnswer, cancelTable } from './cancel-result.js';
import { Cancelling } from './cancelling.js';
import { openText } from './open-text.js';

const DRY_CANCELLATIONS = shape.array(dryRunShape());

export default define({
  summary: 'Cancel orders by id, or all of them',
  arguments: {
    market: optional('the market; none with --all-markets', marketName),
    ids: several('the order ids, or your own ids of them', orderReference),
  },
  flags: {
    id: flag('--id <client-id>', 'your own id of the order', knownClientId, { needs: ['market'] }),
    all: toggle('--all', 'every open order of the market, until none is left; asks for confirmation', {
      needs: [['market', '--all-markets']],
    }),
    allMarkets: toggle('--all-markets', 'in every market of the exchange; asks once', {
      needs: ['--all'],
      excludes: ['market'],
    }),
    refresh: toggle('--refresh', 'read every page, whatever pit knows of the orders', { needs: ['--all'] }),
  },
  oneOf: ['ids', '--id', '--all'],
  examples: [
    'cancel btc_usdt 202611210000000001',
    'cancel btc_usdt --id myorder1 --json',
    'cancel btc_usdt --all',
    'cancel btc_usdt --all --yes --json',
    'cancel --all --all-markets',
  ],
  output: shape.array(shape.object(CANCELLED)),
  dryRunOutput: DRY_CANCELLATIONS,
  async run(context, { market, ids, id, all, allMarkets, refresh }) {
    if (allMarkets) return cancelInAllMarkets(context, refresh);
    if (market === undefined) throw new Error('the flags need a market');
    if (all) return cancelEverything(await openWithConsent(context), market, refresh);
    const named = [...new Map(ids.map((one) => [JSON.stringify(one), one])).values()];
    return cancelNamed(await openWrite(context), market, id === undefined ? named : [{ clientId: id }]);
  },
});

/** Cancels named orders, without asking. Throws Failure if none of them was cancelled. */
export function cancelNamed(
  context: WriteContext,
  market: string,
  orders: readonly OrderReference[],
): Promise<Answer<readonly CancelResult[] | readonly DryRun[]>> {
  // what it does is on the command line
  return runWrite({ ...context, isPreviewed: context.globals.dryRun }, cancellation(context, market, orders));
}

function cancellation(
  context: WriteContext,
  market: string,
  orders: readonly OrderReference[],
): WriteSteps<typeof NO_WARNINGS, readonly CancelResult[], DryRequest[]> {
  const { trading } = context;
  const cancelling = new Cancelling(context, orders.length);
  return {
    passesHalt: true,
    plan: async () => {
      await refuseUnknownMarket(context, market);
      return NO_WARNINGS;
    },
    preview: () => shownOf(NAMED_FACTS, { market, orders }),
    dryRun: () => dryCancellations(context, market, orders),
    run: async (_, signal) => {
      const algosBefore = algosAtWork(context);
      const { attempts } = await cancelling.inMarket(trading, { market, named: orders }, signal);
      // the orders are cancelled even if the journal cannot be read, which the next line says
      await tryRead(async () => warnOfDuplicates(context, market, attempts));
      await tryRead(async () => warnOfLostOrders(context, attempts, algosBefore));
      const algos = (await tryRead(async () => algosOfUncancelled(context, attempts))) ?? [];
      const unknown = await warnOfUnknownIn(context, market);
      return explainUnknownMarket(context, market, async () => cancelAnswer(market, attempts, unknown, algos));
    },
    left: () => interruption(cancelling, cancelAgain(market, orders)),
    soFar: () => cancelledSoFar(cancelling),
  };
}

/** Orders of a market that a command names, or that were found. */
interface NamedOrders {
  readonly market: string;
  readonly orders: readonly OrderReference[];
}

/** What a cancellation of these orders says in a dry run. */
const NAMED_FACTS = { orders: factsOf<NamedOrders>()({ above: wouldCancel }) };

const NO_WARNINGS: { readonly warnings: readonly never[] } = { warnings: [] };

/** Cancels every open order of a market, after asking. @param isWhole reads the lists whole, whatever is known of them */
export function cancelEverything(
  context: WriteContext,
  market: string,
  isWhole = false,
): Promise<Answer<readonly CancelResult[] | readonly DryRun[]>> {
  const { trading, globals, budget } = context;
  let cancelling = new Cancelling(context);
  return runWrite(context, {
    passesHalt: true,
    plan: async (): Promise<OpenOrders> => {
      const lists = budget.isUserSet ? trading.client : trading.client.restartingBudget(budget);
      const own = await explainUnknownMarket(context, market, () =>
        readOpenOrders(trading, market, { lists, isWhole }),
      );
      if (globals.dryRun) await warnOfUnknownIn(context, market);
      const open = ordersToCancel(own);
      return { market, warnings: lossesOf(trading, market, open), own, orders: open.map(({ id }) => ({ id })) };
    },
    preview: (plan) => shownOf(globals.dryRun ? { ...NAMED_FACTS, ...OPEN_FACTS } : OPEN_FACTS, plan),
    dryRun: ({ orders, warnings }) => dryCancellations(context, market, orders, warnings),
    ask: async ({ own: { open }, orders }) => {
      if (orders.length === 0) return;
      const these = orders.length === 1 ? 'this order' : `these ${orders.length} orders`;
      const sides = SIDES.filter((side) => open[side].length > 0);
      const what = sides.map((side) => `${side}s: ${openText(market, side, open[side])}`).join('; ');
      await confirm(context, `Cancel ${these} of ${market} (${what})?`);
    },
    run: async ({ own, orders }, signal) => {
      const algosBefore = algosAtWork(context);
      cancelling = new Cancelling(context, orders.length);
      const target = { market, shown: own };
      const done: CancelledAll =
        orders.length === 0
          ? { attempts: [], stillOpen: [], failure: own.failure, orders: own.byId }
          : await explainUnknownMarket(context, market, () => cancelling.inMarket(trading, target, signal, isWhole));
      await tryRead(async () => warnOfLostOrders(context, done.attempts, algosBefore));
      const unknown = await warnOfUnknownIn(context, market);
      return explainUnknownMarket(context, market, async () => cancelAllAnswer(market, done, unknown));
    },
    left: () => interruption(cancelling, suggest('Cancel what is left', 'cancel', market, '--all')),
    soFar: () => cancelledSoFar(cancelling),
  });
}

/** The open orders of a market. */
interface OpenOrders {
  readonly market: string;
  /** What algo orders would lose with them. */
  readonly warnings: readonly Loss[];
  readonly own: OwnOrders;
  readonly orders: readonly { readonly id: string }[];
}

const fact = factsOf<OpenOrders>();

/** What the cancellation of all orders of a market says before it is sent. */
const OPEN_FACTS = {
  market: fact({ label: 'market', text: ({ market }) => market }),
  buys: openOrdersFact('buy'),
  sells: openOrdersFact('sell'),
  unread: fact({
    label: 'not read',
    text: ({ own: { failure } }) => (failure === null ? undefined : `older orders: ${failure.message}`),
  }),
};

/** The open orders of a side. */
function openOrdersFact(side: Side) {
  return fact({
    label: sideText(side),
    text: ({ market, own }) => openText(market, side, own.open[side]),
    paint: (text, paint) => paintSide(text, side, paint),
  });
}

/** Warns of orders that were reported as duplicates of a cancelled one and that no command has cancelled yet. */
function warnOfDuplicates({ output, trading }: WriteContext, market: string, attempts: readonly CancelAttempt[]): void {
  const { archive } = trading.journal;
  // the disk may have refused a line in the archive
  const cancelledHere = attempts.flatMap(({ result: { id, outcome } }) =>
    outcome === 'cancelled' && id !== null ? id : [],
  );
  const isCancelled = (id: string) => cancelledHere.includes(id) || archive.wasCancelled(id);
  for (const id of cancelledHere) {
    const made = archive.since(0, { id }).map(ordersMadeBy);
    const others = made.find((ids) => ids.includes(id))?.filter((other) => !isCancelled(other)) ?? [];
    if (others.length === 0) continue;
    output.warn([
      `${id} was reported as placed more than once. Not cancelled: ${others.join(', ')}.`,
      suggest('Cancel what is open', 'cancel', market, ...others),
    ]);
  }
}

/** The cancellations that would be sent, as programs read them. */
function dryCancellations(
  context: WriteContext,
  market: string,
  orders: readonly OrderReference[],
  losses: readonly Loss[] = [],
): DryRequest[] {
  return orders.map((order) => {
    const warnings = losses.filter((loss) => loss.order === null || ('id' in order && loss.order === order.id));
    return dryRequest(context, { kind: 'cancel', market, order }, previewJson({}, { warnings }));
  });
}

function wouldCancel({ market, orders }: NamedOrders): string {
  if (orders.length === 0) return `No open orders in ${market}.`;
  return orders.map((order) => `Would cancel ${referenceText(order)} in ${market}.`).join('\n');
}

/** What a signal leaves of cancellations in one market. @param again what the user can do about the others */
function interruption(cancelling: Cancelling, again: string | Hint): Interruption {
  return { advice: [cancelling.progressText, again] };
}

/** What became of each order that was answered; undefined if none was. */
function cancelledSoFar({ attempts }: Cancelling): Answer | undefined {
  return attempts.length === 0 ? undefined : cancelTable(attempts, '');
}
