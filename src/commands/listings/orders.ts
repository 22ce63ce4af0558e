import { listing } from '../../cli/answers.js';
import { flag, optional, toggle } from '../../cli/definition.js';
import { commandLine } from '../../cli/hints.js';
import * as shape from '../../cli/shapes.js';
import { counted } from '../../domain/decimal.js';
import { type Order, SIDES, type Side } from '../../domain/order.js';
import { quotedName } from '../../domain/quotation.js';
import { Failure } from '../../errors.js';
import { FACTS } from '../../exchange/description.js';
import type { OrderPages } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import { openAlgos } from '../../trading/algos/record/algo-folder.js';
import { readOpenOfSide, type SideOrders } from '../../trading/history/open-orders.js';
import { readOrderHistory } from '../../trading/history/order-history.js';
import { KnownClientIds } from '../../trading/orders/known-client-ids.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { marketName, oneOf, wholeNumber } from '../inputs/parsers.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import { newestFirst, ORDER, type OrderRow, orderColumns, orderRow } from '../order/order-row.js';
import { type Context, define } from '../session/command.js';
import { type OrderLists, REFRESH, readOrderLists } from './order-lists.js';
import { warnOfOlder, withPageCount, withTimePerPage } from './paged-listing.js';

/** The most ids in a message. */
const SHOWN_IDS = 5;

type Wanted = 'open' | 'filled' | 'cancelled' | 'all';

export default define({
  summary: 'List orders, newest first (default: open)',
  arguments: { market: optional('the market (default: those in which pit placed orders lately)', marketName) },
  flags: {
    side: flag('--side <side>', 'only buys or only sells', oneOf('--side', ...SIDES)),
    state: flag(
      '--state <state>',
      'open, filled, cancelled or all (default: open)',
      oneOf('--state', 'open', 'filled', 'cancelled', 'all'),
    ),
    page: flag(
      '--page <n>',
      `page n of the orders of a side, ${FACTS.ordersPerPage} each, before --state is applied`,
      wholeNumber('--page', 1, 1_000_000),
      { needs: ['market', '--side'], excludes: ['--all'] },
    ),
    all: toggle('--all', 'list every page; open orders are found on every page'),
    allMarkets: toggle('--all-markets', 'read every market of the exchange', { excludes: ['market'] }),
    refresh: REFRESH,
    watch: watchFlag(),
  },
  examples: [
    'orders btc_usdt',
    'orders btc_usdt --state all --all --json',
    'orders btc_usdt --side buy --page 2 --state all',
    'orders --all-markets',
    'orders --watch',
  ],
  output: shape.array(shape.object(ORDER)),
  async run(context, { market, side, state = 'open', page, all, allMarkets, refresh, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    const trading = await context.session.trading();
    const sides: readonly Side[] = side === undefined ? SIDES : [side];
    const isOpenList = state === 'open' && page === undefined;
    const extent = { from: page ?? 1, to: page ?? 1 };
    const client = allMarkets || isOpenList ? withTimePerPage(context, trading.client) : trading.client;
    const known = { lists: client, isWhole: refresh };
    const readList = (one: string, each: Side): Promise<OrderPages | SideOrders> => {
      const its = { market: one, side: each };
      if (isOpenList)
        return withPageCount(
          context,
          (onPage) =>
            readOpenOfSide(trading, its, {
              ...known,
              onPage: (orders) => {
                newest.take(orders);
                onPage();
              },
            }),
          () => newest.show(),
        );
      return all ? readOrderHistory(trading, its, known) : client.orders(one, each, extent);
    };
    const where = market ?? (allMarkets ? 'any market' : 'any market in which pit placed orders');
    const names = new KnownClientIds(() => trading.journal, context.host.monotonic);
    const shown = { where, state, isSeveral: market === undefined, names };
    const newest = new NewestOrders(context, shown, isWatched);
    const read = async () => {
      const found = await readOrderLists<OrderPages | SideOrders>(context, trading, {
        market,
        allMarkets,
        sides,
        toDo: 'to list its orders, or use --all-markets.',
        read: readList,
        isFromNewest: page === undefined || page === 1,
      });
      return answerOf(context, found, shown, page !== undefined);
    };
    if (!isWatched)
      return state === 'open' ? withAlgoOrders(context, trading, await newest.without(await read())) : read();
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

type OrderList = Answer<readonly OrderRow[]>;

interface Shown {
  readonly where: string;
  readonly state: Wanted;
  readonly isSeveral: boolean;
  readonly names: KnownClientIds;
}

/** The open orders of the newest pages: a person sees them while older pages are still read. */
class NewestOrders {
  readonly #context: Context;
  readonly #shown: Shown;
  readonly #isUnwanted: boolean;
  readonly #open = new Map<string, Order>();
  /** What was shown, as JSON; undefined for nothing. */
  #answered: string | undefined;
  #printed: Promise<void> = Promise.resolve();

  constructor(context: Context, shown: Shown, isWatched: boolean) {
    [this.#context, this.#shown, this.#isUnwanted] = [context, shown, isWatched || !context.output.canDraw];
  }

  take(orders: readonly Order[]): void {
    for (const order of orders) if (order.state === 'open') this.#open.set(order.id, order);
  }

  /** Prints what is known, once. */
  show(): void {
    if (this.#isUnwanted || this.#answered !== undefined) return;
    const answer = listed([...this.#open.values()], this.#shown, false);
    this.#answered = toJson(answer.data);
    const { output } = this.#context;
    this.#printed = output.answer(answer).then(() => output.note('Older orders are still being read.'));
    // it is awaited at the end
    this.#printed.catch(() => {});
  }

  /** The answer, without the orders if they are those that were shown. */
  async without(answer: OrderList): Promise<OrderList> {
    await this.#printed;
    if (this.#answered === undefined || answer.failure !== undefined || toJson(answer.data) !== this.#answered)
      return answer;
    return { ...answer, show: () => 'There are no others.' };
  }
}

function listed(orders: readonly Order[], { where, state, isSeveral, names }: Shown, isAll = true): OrderList {
  const which = `${state === 'all' ? '' : `${state} `}orders in ${where}`;
  const rows = orders
    .map((order) => orderRow(order, names.of(order)))
    .filter((row) => state === 'all' || row.state === state)
    .sort(newestFirst);
  return listing({
    rows,
    row: shape.object(ORDER),
    columns: orderColumns(
      isSeveral,
      rows.some(({ algo }) => algo !== null),
    ),
    empty: isAll ? `No ${which}.` : `No ${which} were read, but there may be some.`,
  });
}

/** Tells people of the account's algo orders below the table: a stop that waits is no order of the exchange. */
function withAlgoOrders({ host }: Context, { journal }: TradingContext, answer: OrderList): OrderList {
  const own = openAlgos(host.directories.state).find(({ account }) => account === journal.folder);
  const count = own?.ids.length ?? 0;
  if (count === 0) return answer;
  const list = commandLine(host.arguments, ['algo', 'list']);
  const text = `${counted(count, 'algo order')} ${count === 1 ? 'is' : 'are'} at work as well: ${list}`;
  return { ...answer, show: (screen) => `${answer.show(screen)}\n${screen.paint.faint(text)}` };
}

function answerOf(
  context: Context,
  { lists, unread }: OrderLists<OrderPages | SideOrders>,
  shown: Shown,
  isPage: boolean,
): OrderList {
  const result = listed(
    lists.flatMap((list) => ('open' in list ? list.open : list.orders)),
    shown,
    unread.length === 0 && lists.every(({ failure }) => failure === null),
  );
  const [first] = unread;
  if (first !== undefined) {
    const which =
      unread.length <= 5 ? unread.map(({ market }) => quotedName(market)).join(', ') : `${unread.length} markets`;
    const text = `The orders of ${which} could not be read: ${first.failure.message}`;
    return { ...result, failure: new Failure('partial', text, { hint: first.failure.hints }) };
  }
  const cut = lists.find(({ failure }) => failure !== null)?.failure;
  if (cut === null || cut === undefined) {
    if (!isPage && lists.some((list) => !('open' in list) && list.more)) warnOfOlder(context, 'orders', '--all');
    return result;
  }
  const unconfirmed = lists.flatMap((list) => ('open' in list ? list.unconfirmed : []));
  const ids = unconfirmed.slice(0, SHOWN_IDS).map(({ id }) => id);
  if (unconfirmed.length > SHOWN_IDS) ids.push('…');
  const wereOpen = `Open when they were read last, and unknown now: ${counted(unconfirmed.length, 'order')}, ${ids.join(', ')}.`;
  const hint = [
    ...(unconfirmed.length === 0 ? [] : [wereOpen]),
    'Older orders are missing; use --timeout to allow more time.',
  ];
  return { ...result, failure: new Failure('partial', `Not every order could be read: ${cut.message}`, { hint }) };
}
