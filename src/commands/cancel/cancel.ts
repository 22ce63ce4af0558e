import { confirm, requireConsent } from '../../cli/consent.js';
import { flag, required, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { isSameReference, type Order, type OrderReference, referenceText, type Side } from '../../domain/order.js';
import { suggest, tryRead, usage } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import { progressBar } from '../../terminal/progress.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { type CancelAttempt, cancelAll, cancelOrders } from '../../trading/cancel/cancel-orders.js';
import { orderCancelledBy, ordersMadeBy } from '../../trading/journal/write.js';
import { type OwnOrders, readOpenOrders } from '../../trading/orders/open-orders.js';
import { settleMarket } from '../../trading/settle.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { concernsMarket, type UnknownWrite } from '../../trading/unknown-writes.js';
import { type Context, define } from '../command.js';
import { dryRun, dryRunShape, exchangeText, NO_PREVIEW } from '../dry-run.js';
import { knownClientId, marketName, orderId } from '../inputs.js';
import { explainUnknownMarket, refuseUnknownMarket } from '../known-market.js';
import { warnOfUnknown } from '../unknown-writes.js';
import { CANCELLED, cancelAllAnswer, cancelAnswer } from './cancel-result.js';

export default define({
  summary: 'Cancel orders by id, or all in a market',
  arguments: { market: required('the market', marketName), ids: several('the order ids', orderId) },
  flags: {
    id: flag('--id <client-id>', 'your own id of the order', knownClientId),
    all: toggle('--all', 'every open order of the market, until none is left; asks for confirmation'),
  },
  examples: [
    'cancel btc_usdt 202611210000000001',
    'cancel btc_usdt --id myorder1 --json',
    'cancel btc_usdt --all',
    'cancel btc_usdt --all --yes --json',
  ],
  output: shape.array(shape.object(CANCELLED)),
  dryRunOutput: shape.array(dryRunShape()),
  async run(context, { market, ids, id, all }) {
    const named = [...new Set(ids)].map((one) => ({ id: one }));
    const ways = [named.length > 0, id !== undefined, all];
    if (ways.filter((way) => way).length !== 1)
      throw usage('Give either order ids, or --id, or --all.', [
        suggest('List the ids', 'orders', market),
        suggest('Cancel every open order', 'cancel', market, '--all'),
      ]);
    if (all) return cancelEverything(context, market);
    const trading = await context.trading.open();
    return cancelNamed(context, trading, market, id === undefined ? named : [{ clientId: id }]);
  },
});

/** Cancels named orders, without asking. Throws Failure if none of them was cancelled. */
export async function cancelNamed(
  context: Context,
  trading: TradingContext,
  market: string,
  orders: readonly OrderReference[],
): Promise<Answer> {
  await refuseUnknownMarket(context, market);
  if (context.globals.dryRun) return dryCancel(trading.client, market, orders);
  const { answered, end } = showProgress(context, market, orders.length);
  try {
    const attempts = await cancelOrders(trading, market, orders, answered);
    await settleMarket(trading, market);
    // the orders are cancelled even if the journal cannot be read, which the next line says
    await tryRead(async () => warnOfDuplicates(context, trading, market, attempts));
    const unknown = await warnOfOthers(context, market, attempts);
    return await explainUnknownMarket(context, market, async () => cancelAnswer(market, attempts, unknown));
  } finally {
    end();
  }
}

/** Cancels every open order of a market, after asking. */
export async function cancelEverything(context: Context, market: string): Promise<Answer> {
  requireConsent(context);
  const trading = await context.trading.open();
  const first = await explainUnknownMarket(context, market, () => readOpenOrders(trading.client, market));
  const { open, failure } = first;
  const ids = [...open.buy, ...open.sell].map(({ id }) => ({ id }));
  const exchange = await exchangeText(context, trading.client);
  const preview = (screen: Screen) => openOrdersTable(screen, market, first, exchange);
  if (context.globals.dryRun) {
    await warnOfOthers(context, market, []);
    return dryCancel(trading.client, market, ids, preview);
  }
  if (ids.length === 0) {
    const done = { attempts: [], stillOpen: [], failure, orders: first.byId };
    return cancelAllAnswer(market, done, await warnOfOthers(context, market, []));
  }
  if (!context.globals.yes) context.output.preview(preview);
  const orders = ids.length === 1 ? 'this order' : `these ${ids.length} orders`;
  const sides = (['buy', 'sell'] as const).filter((side) => open[side].length > 0);
  const what = sides.map((side) => `${side}s: ${openText(market, side, open[side])}`).join('; ');
  await confirm(context, `Cancel ${orders} of ${market} (${what})?`);
  const { answered, end } = showProgress(context, market, ids.length, true);
  try {
    const done = await cancelAll(trading, market, first, answered);
    await settleMarket(trading, market);
    const unknown = await warnOfOthers(context, market, done.attempts);
    return await explainUnknownMarket(context, market, async () => cancelAllAnswer(market, done, unknown));
  } finally {
    end();
  }
}

/**
 * Warns of earlier writes in the market whose outcome is unknown, because their orders may still be open. Leaves out the
 * cancellations of this command, which the answer lists, and those of orders that are closed.
 */
function warnOfOthers(
  context: Context,
  market: string,
  attempts: readonly CancelAttempt[],
): Promise<readonly UnknownWrite[]> {
  const recordIds = new Set(attempts.map(({ recordId }) => recordId));
  const closed = attempts.flatMap(({ result: { outcome, id, clientId } }) =>
    outcome === 'cancelled' ? [...(id === null ? [] : [{ id }]), ...(clientId === null ? [] : [{ clientId }])] : [],
  );
  return warnOfUnknown(context, (write) => {
    const { id, operation, cancels } = write;
    const isOver = operation === 'cancel' && closed.some((order) => cancels && isSameReference(order, cancels));
    return concernsMarket(write, market) && !recordIds.has(id) && !isOver;
  });
}

/** Warns of orders that were reported as duplicates of a cancelled one and that no command has cancelled yet. */
function warnOfDuplicates(
  { output }: Context,
  { journal: { archive } }: TradingContext,
  market: string,
  attempts: readonly CancelAttempt[],
): void {
  for (const { result } of attempts) {
    const { id } = result;
    if (id === null || result.outcome !== 'cancelled') continue;
    const made = archive.since(0, { id }).map(ordersMadeBy);
    const others =
      made.find((ids) => ids.includes(id))?.filter((other) => !isCancelled(other, attempts, archive)) ?? [];
    if (others.length === 0) continue;
    output.warn([
      `${id} was reported as placed more than once. Not cancelled: ${others.join(', ')}.`,
      suggest('Cancel what is open', 'cancel', market, ...others),
    ]);
  }
}

function isCancelled(
  id: string,
  attempts: readonly CancelAttempt[],
  archive: TradingContext['journal']['archive'],
): boolean {
  const isThis = (order: OrderReference) => isSameReference(order, { id });
  return (
    attempts.some(({ result }) => result.id === id && result.outcome === 'cancelled') ||
    archive.since(0, { id }).some((settled) => orderCancelledBy(settled).some(isThis))
  );
}

/** The cancellations that would be sent, each as a dry run. */
function dryCancel(
  client: Exchange,
  market: string,
  orders: readonly OrderReference[],
  preview: (screen: Screen) => string = () => '',
): Answer {
  const runs = orders.map((order) => dryRun(client, { kind: 'cancel', market, order }, NO_PREVIEW, () => '').data);
  const lines = orders.map((order) => `Would cancel ${referenceText(order)} in ${market}.`);
  const shown = ({ paint }: Screen) =>
    lines.length === 0
      ? [paint.faint(`No open orders in ${market}: nothing would be sent.`)]
      : [...lines, paint.faint('Dry run: nothing was sent.')];
  return { data: runs, show: (screen) => [preview(screen), ...shown(screen)].filter((line) => line !== '').join('\n') };
}

function openOrdersTable(screen: Screen, market: string, { open, failure }: OwnOrders, exchange: string): string {
  const side = (of: Side): Entry => [
    sideText(of),
    openText(market, of, open[of]),
    (text, paint) => paintSide(text, of, paint),
  ];
  return record(screen, [
    ['market', market],
    side('buy'),
    side('sell'),
    ...(failure === null ? [] : [['not read', `older orders: ${failure.message}`] as Entry]),
    ['exchange', exchange],
  ]);
}

/** How many orders of a side are open, and what they are worth. */
export function openText(market: string, side: Side, open: readonly Order[]): string {
  if (open.length === 0) return 'none open';
  const { base = '', quote = '' } = splitMarket(market) ?? {};
  const sizes = open.map(({ amount, filled }) => Decimal.of(amount).minus(Decimal.of(filled)));
  const values = open.map(({ price }, index) => Decimal.of(price).times(sizes[index] ?? Decimal.zero));
  const worth = `${totalText(values)} ${quote}`;
  return `${open.length} open, ${side === 'buy' ? `for ${worth}` : `${totalText(sizes)} ${base}, for ${worth}`}`;
}

function totalText(values: readonly Decimal[]): string {
  return grouped(Decimal.sum(values).trimmed().toString());
}

/** Fewer are over before anybody could read of them. */
const WORTH_SHOWING = 10;
const REDRAW_MS = 200;

interface Progress {
  /** Called for each answer, with the number of answers and of requests so far; by default one more of the same. */
  readonly answered: (answers?: number, requests?: number) => void;
  readonly end: () => void;
}

/** Shows the progress of cancellations, and reports it if a signal ends them. */
function showProgress({ host, output }: Context, market: string, count: number, isAll = false): Progress {
  let [done, total] = [0, count];
  const hide =
    total < WORTH_SHOWING
      ? () => {}
      : output.live(
          (room) => {
            const label = `Cancelling in ${market}: `;
            return `${label}${progressBar(output.errorScreen, { done, total }, room - label.length)}`;
          },
          undefined,
          REDRAW_MS,
        );
  const forget = host.onInterrupt(() => {
    hide();
    output.warn([
      `${done} of ${total} answers had arrived.`,
      suggest('Find the outcome of the other cancellations', 'resolve'),
      ...(isAll ? [suggest('Cancel what is left', 'cancel', market, '--all')] : []),
    ]);
  });
  return {
    answered: (answers = done + 1, requests = total) => {
      [done, total] = [answers, requests];
    },
    end: () => {
      hide();
      forget();
    },
  };
}
