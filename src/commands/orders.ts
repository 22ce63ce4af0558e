import { listing } from '../cli/answers.js';
import type { Context } from '../cli/context.js';
import { define, flag, optional, toggle } from '../cli/definition.js';
import * as shape from '../cli/shapes.js';
import type { Order, Side } from '../domain/order.js';
import { Failure, usage } from '../errors.js';
import { datedRead } from '../exchange/exchange-clock.js';
import { type OrderPages, PAGE_SIZE, readOrderPages } from '../exchange/growing-pages.js';
import type { Answer } from '../terminal/answer.js';
import { progressBar } from '../terminal/progress.js';
import { listedFrom, verifyMarket } from '../trading/orders/verify-orders.js';
import type { TradingContext } from '../trading/trading-context.js';
import { concernsMarketOrAny } from '../trading/unknown-writes.js';
import { withTimePerPage } from './funds/long-listing.js';
import { marketName, oneOf, wholeNumber } from './inputs.js';
import { explainUnknownMarket } from './known-market.js';
import { newestFirst, ORDER, orderColumns, orderRow } from './order/order-row.js';
import { journalMarketsText, unlessUnlisted } from './several-markets.js';
import { warnOfUnknown } from './unknown-writes.js';
import { requireWatchable, WATCH, watch } from './watch/watch.js';

type Wanted = 'open' | 'filled' | 'cancelled' | 'all';

export default define({
  summary: 'List orders, newest first (default: open)',
  arguments: { market: optional('the market (default: those in which pit placed orders lately)', marketName) },
  flags: {
    side: flag('--side <side>', 'only buys or only sells', oneOf('--side', 'buy', 'sell')),
    state: flag(
      '--state <state>',
      'open, filled, cancelled or all (default: open)',
      oneOf('--state', 'open', 'filled', 'cancelled', 'all'),
    ),
    page: flag(
      '--page <n>',
      `page n of the orders of a side, ${PAGE_SIZE} each, before --state is applied`,
      wholeNumber('--page', 1, 1_000_000),
    ),
    all: toggle('--all', 'read every page; open orders are always searched on every page'),
    allMarkets: toggle('--all-markets', 'read every market of the exchange'),
    watch: WATCH,
  },
  examples: [
    'orders btc_usdt',
    'orders btc_usdt --state all --all --json',
    'orders btc_usdt --side buy --page 2 --state all',
    'orders --all-markets',
    'orders --watch',
  ],
  output: shape.array(shape.object(ORDER)),
  async run(context, { market, side, state = 'open', page, all, allMarkets, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    if (market !== undefined && allMarkets)
      throw usage('--all-markets and a market exclude each other.', 'Give one of them.');
    if (page !== undefined && market === undefined)
      throw usage('--page needs a market.', 'The exchange lists each market separately.');
    if (page !== undefined && all) throw usage('--page and --all exclude each other.', 'Give one of them.');
    if (page !== undefined && side === undefined)
      throw usage('--page needs --side.', 'The exchange lists buys and sells on separate pages.');
    const trading = await context.trading.open();
    const sides: readonly Side[] = side === undefined ? ['buy', 'sell'] : [side];
    const extent =
      page !== undefined
        ? { from: page, to: page }
        : { from: 1, to: all || state === 'open' ? Number.POSITIVE_INFINITY : 1 };
    const client = allMarkets ? withTimePerPage(context, trading.client) : trading.client;
    const readMarket = async (one: string): Promise<readonly OrderPages[]> => {
      const pages = (each: Side) => readOrderPages(client, one, each, extent);
      const { value: found, began } = await datedRead(trading, () =>
        explainUnknownMarket(context, one, () => Promise.all(sides.map(pages))),
      );
      // a list that begins further back lacks the newest orders
      const isFromNewest = page === undefined || page === 1;
      const newestPages = isFromNewest ? sides.map((each, index) => [each, found[index]] as const) : [];
      await verifyMarket(
        trading,
        one,
        Object.fromEntries(newestPages.map(([each, list]) => [each, list && listedFrom(list, began)])),
      );
      return found;
    };
    const where = market ?? (allMarkets ? 'any market' : 'any market in which pit placed orders');
    const shown = { where, state, isSeveral: market === undefined };
    const read = async () => {
      const reading =
        market === undefined
          ? await readMarkets(context, await marketsOf(context, trading, allMarkets), readMarket)
          : { markets: [market], lists: await readMarket(market), failure: null };
      if (market === undefined && !allMarkets)
        context.output.note(journalMarketsText(reading.markets, 'to list its orders, or use --all-markets.'));
      await warnOfUnknown(context, (write) => concernsMarketOrAny(write, market));
      return answerOf(context, reading, shown, page !== undefined);
    };
    if (!isWatched) return read();
    // the channel begins with the open orders of the journal's markets
    if (state !== 'open' || page !== undefined || allMarkets) return watch(context, read);
    const channel = { kind: 'orders', market } as const;
    return watch(context, read, {
      channels: [channel],
      answer: (value) =>
        listed(
          value(channel).filter((order) => sides.includes(order.side)),
          shown,
        ),
    });
  },
});

async function marketsOf({ session }: Context, { journal }: TradingContext, all: boolean): Promise<readonly string[]> {
  return all ? (await (await session.markets()).all()).map(({ market }) => market) : journal.markets();
}

interface Reading {
  /** Those that were read. */
  readonly markets: readonly string[];
  readonly lists: readonly OrderPages[];
  /** Why some markets are missing. */
  readonly failure: Failure | null;
}

/** Markets read at once: each waits for its answers, and all keep the limits together. */
const TOGETHER = 4;
/** Fewer are read before anybody could read of them. */
const WORTH_SHOWING = 5;

/**
 * Reads many markets, with progress on a terminal. A market that cannot be read must not hide the others. Throws Failure if
 * none can be read, and `credentials`.
 */
async function readMarkets(
  context: Context,
  names: readonly string[],
  read: (market: string) => Promise<readonly OrderPages[]>,
): Promise<Reading> {
  const { output, host } = context;
  const done = new Map<string, readonly OrderPages[] | Failure | undefined>();
  const hide =
    names.length < WORTH_SHOWING
      ? () => {}
      : output.live(
          (room) => `Markets: ${progressBar(output.errorScreen, { done: done.size, total: names.length }, room - 9)}`,
        );
  const forget = host.onInterrupt(hide);
  const rest = names.values();
  // all workers draw from one iterator
  const worker = async () => {
    for (const name of rest) done.set(name, await unlessUnlisted(context, read(name)).catch(unlessForAll));
  };
  try {
    await Promise.all(Array.from({ length: Math.min(TOGETHER, names.length) }, worker));
  } finally {
    hide();
    forget();
  }
  const markets = names.filter((name) => Array.isArray(done.get(name)));
  const lists = markets.flatMap((name) => (done.get(name) as readonly OrderPages[]) ?? []);
  const unread = names.flatMap((name) => {
    const failure = done.get(name);
    return failure instanceof Failure ? { name, failure } : [];
  });
  const [first] = unread;
  if (first === undefined) return { markets, lists, failure: null };
  if (markets.length === 0) throw first.failure;
  const which = unread.length <= 5 ? unread.map(({ name }) => name).join(', ') : `${unread.length} markets`;
  const text = `The orders of ${which} could not be read: ${first.failure.message}`;
  return { markets, lists, failure: new Failure('partial', text, { hint: first.failure.hints }) };
}

/** A failure of one market; one of the keys is a failure of all. */
function unlessForAll(error: unknown): Failure {
  if (error instanceof Failure && error.kind !== 'credentials') return error;
  throw error;
}

interface Shown {
  readonly where: string;
  readonly state: Wanted;
  readonly isSeveral: boolean;
}

function listed(orders: readonly Order[], { where, state, isSeveral }: Shown): Answer {
  const rows = orders
    .map((order) => orderRow(order, null))
    .filter((row) => state === 'all' || row.state === state)
    .sort(newestFirst);
  return listing({
    rows,
    fields: FIELDS,
    columns: orderColumns(isSeveral),
    empty: `No ${state === 'all' ? '' : `${state} `}orders in ${where}.`,
  });
}

function answerOf({ output }: Context, { lists, failure }: Reading, shown: Shown, isPage: boolean): Answer {
  const result = listed(
    lists.flatMap(({ orders }) => orders),
    shown,
  );
  if (failure !== null) return { ...result, failure };
  const cut = lists.find((list) => list.failure !== null)?.failure;
  if (cut === null || cut === undefined) {
    if (!isPage && lists.some((list) => list.more)) output.note('There are older orders; --all reads them too.');
    return result;
  }
  const hint = 'Older orders are missing; use --timeout to allow more time.';
  return { ...result, failure: new Failure('partial', `Not every page could be read: ${cut.message}`, { hint }) };
}

const FIELDS = [
  'id',
  'clientId',
  'market',
  'side',
  'type',
  'account',
  'price',
  'amount',
  'filled',
  'remaining',
  'filledValue',
  'averagePrice',
  'fee',
  'feeCoin',
  'feeDiscount',
  'time',
  'state',
  'status',
] as const;
