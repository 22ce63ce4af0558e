import { confirm } from '../../cli/consent.js';
import { counted, grouped } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { Failure, suggest, tryRead } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { table } from '../../terminal/table.js';
import { wrapped } from '../../terminal/text.js';
import { type CancelAttempt, type CancelledAll, cancelAll } from '../../trading/cancel/cancel-orders.js';
import type { OwnOrders } from '../../trading/orders/open-orders.js';
import { closeMarket } from '../../trading/settling/close-lists.js';
import { algosAtWork, warnOfLostOrders } from '../algo/lost-orders.js';
import type { Context } from '../session/command.js';
import { carryOut, dryRequest, exchangeText, openWithConsent } from '../writes/write.js';
import { byReason, CancelRun, inEachMarket, type MarketOrders, openInAllMarkets } from './all-markets.js';
import { cancelTable } from './cancel-result.js';
import { openText } from './open-text.js';

/** A market with open orders. */
interface OpenMarket {
  readonly market: string;
  readonly own: OwnOrders;
}

interface Plan {
  readonly warnings: readonly { readonly text: string }[];
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

/** What became of the orders of a market. */
type Emptied = { readonly market: string } & Pick<CancelledAll, 'attempts' | 'stillOpen' | 'failure'>;

const AGAIN = suggest('Cancel what is left', 'cancel', '--all', '--all-markets');

/**
 * Cancels every open order in every market, after asking once with the count of each market. A market that cannot be read or
 * emptied does not stop the others. Throws Failure `declined` if it is not confirmed.
 */
export async function cancelInAllMarkets(context: Context): Promise<Answer> {
  const write = await openWithConsent(context);
  const { trading } = write;
  const run = new CancelRun(context, trading);
  let algosBefore: ReadonlySet<string> = new Set();
  const printed = () => cancelTable(run.attempts, 'No open orders.');
  return carryOut<Plan, readonly Emptied[]>(write, {
    passesHalt: true,
    prepare: async () => planOf(await openInAllMarkets(context, trading)),
    preview: async (plan) => {
      const exchange = await exchangeText(write);
      return (screen) => planText(screen, plan, exchange);
    },
    dryRun: ({ open }) =>
      open.flatMap(({ market, own }) =>
        ordersOf(own).map(({ id }) => dryRequest(write, { kind: 'cancel', market, order: { id } })),
      ),
    confirm: async ({ open }) => {
      if (open.length === 0) return;
      const counts = open.map(({ market, own }) => `${market}: ${grouped(String(ordersOf(own).length))}`);
      await confirm(write, `Cancel ${counted(countOf(open), 'order')} (${counts.join(', ')})?`);
    },
    send: ({ open }) => {
      algosBefore = algosAtWork(context);
      const byMarket = new Map(open.map(({ market, own }) => [market, own]));
      const cancelOne = async (market: string): Promise<Emptied> => {
        const own = byMarket.get(market) as OwnOrders;
        try {
          const done = await cancelAll(trading, market, own, run.options());
          run.finished(done.attempts);
          await closeMarket(trading, market);
          return { market, ...done };
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          return { market, attempts: [], stillOpen: ordersOf(own).map(({ id }) => id), failure: error };
        }
      };
      return run.during(() => inEachMarket(context, [...byMarket.keys()], cancelOne, run.label));
    },
    stop: () => run.stop(),
    interrupted: ({ open }) => ({
      advice: [
        `Orders may still be open: ${run.attempts.length} of ${counted(countOf(open), 'cancellation')} were answered.`,
        suggest('Find the outcome of the others', 'resolve'),
        AGAIN,
      ],
    }),
    printSoFar: () => context.output.answer(printed()),
    result: async (plan, emptied) => {
      await tryRead(async () =>
        warnOfLostOrders(
          { output: context.output, trading },
          emptied.flatMap((one) => one.attempts),
          algosBefore,
        ),
      );
      return resultOf(plan, emptied);
    },
  });
}

function planOf({ markets, failure: unlisted }: Awaited<ReturnType<typeof openInAllMarkets>>): Plan {
  const unread = markets.flatMap(({ market, own }) => {
    const failure = own instanceof Failure ? own : own.failure;
    return failure === null ? [] : [{ market, failure }];
  });
  return {
    open: markets.flatMap(({ market, own }: MarketOrders) =>
      own instanceof Failure || ordersOf(own).length === 0 ? [] : [{ market, own }],
    ),
    unlisted,
    unread,
    warnings: reasonsOf(unlisted, unread).map((text) => ({ text: `Not read, so not cancelled: ${text}` })),
  };
}

function reasonsOf(unlisted: Failure | undefined, unread: readonly UnreadMarket[]): readonly string[] {
  const ofList = unlisted === undefined ? [] : [`the list of markets could not be read: ${unlisted.message}`];
  return [...ofList, ...byReason(unread)];
}

function ordersOf({ open }: OwnOrders): readonly Order[] {
  return [...open.buy, ...open.sell];
}

function countOf(open: readonly OpenMarket[]): number {
  return open.reduce((sum, { own }) => sum + ordersOf(own).length, 0);
}

function planText(screen: Screen, { open, warnings }: Plan, exchange: string): string {
  const text =
    open.length === 0
      ? 'No open orders in any market.'
      : table(
          screen,
          [
            { title: 'market', value: ({ market }) => market, importance: 9 },
            {
              title: 'orders',
              value: ({ own }) => grouped(String(ordersOf(own).length)),
              align: 'right',
              importance: 8,
            },
            { title: 'buys', value: ({ market, own }) => openText(market, 'buy', own.open.buy), importance: 5 },
            { title: 'sells', value: ({ market, own }) => openText(market, 'sell', own.open.sell), importance: 5 },
          ],
          open,
        );
  const notes = [...warnings.map(({ text: warning }) => warning), `Exchange: ${exchange}.`];
  return [text, ...notes.map((note) => wrapped(note, screen.width))].join('\n');
}

/** Any unknown 6; anything left, or not read, 9. */
function resultOf({ unlisted, unread }: Plan, emptied: readonly Emptied[]): Answer {
  const attempts: readonly CancelAttempt[] = emptied.flatMap((one) => one.attempts);
  const answer = cancelTable(attempts, 'No open orders in any market.');
  const unknown = attempts.filter(({ failure }) => failure === 'unknown');
  const problems = [
    ...(unknown.length === 0 ? [] : [`${counted(unknown.length, 'cancellation')} without a known outcome`]),
    ...emptied.flatMap(({ market, stillOpen }) =>
      stillOpen.length === 0 ? [] : [`${grouped(String(stillOpen.length))} still open in ${market}`],
    ),
    ...reasonsOf(unlisted, [
      ...emptied.flatMap(({ market, failure }) => (failure === null ? [] : [{ market, failure }])),
      ...unread,
    ]),
  ];
  if (problems.length === 0) return answer;
  const hint = [...(unknown.length === 0 ? [] : [suggest('Find out', 'resolve')]), AGAIN];
  const message = `Orders may still be open: ${problems.join('; ').replace(/\.$/, '')}.`;
  return { ...answer, failure: new Failure(unknown.length > 0 ? 'unknown' : 'partial', message, { hint }) };
}
