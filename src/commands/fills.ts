import { flag, optional, toggle } from '../cli/definition.js';
import { fieldColumns } from '../cli/field-columns.js';
import * as shape from '../cli/shapes.js';
import { Decimal, formatAmount } from '../domain/decimal.js';
import type { Order, Side } from '../domain/order.js';
import { boundsByAnswer } from '../domain/time-range.js';
import { type Exchange, type OrderPages, type Pages, uncounted } from '../exchange/exchange.js';
import { sideColumn } from '../terminal/cells.js';
import type { Column } from '../terminal/table.js';
import { KnownClientIds } from '../trading/orders/known-client-ids.js';
import { marketName, moment, requireRange } from './inputs/parsers.js';
import { readOrderLists } from './listings/order-lists.js';
import { pagedListing, withTimePerPage } from './listings/paged-listing.js';
import { feeText } from './order/fills-so-far.js';
import { newestFirst, orderRow } from './order/order-row.js';
import { define } from './session/command.js';

type FillRow = ReturnType<typeof fillRow>;

const FILL = shape.object({
  orderId: shape.id('a row is an order with all that it has filled so far'),
  clientId: shape.nullable(shape.text('your own id; null if pit did not place it lately')),
  time: shape.time('of the order: the exchange reports no time of a fill'),
  market: shape.outsideText(''),
  side: shape.enumOf(['buy', 'sell'], ''),
  price: shape.decimal('the average, in the quote coin'),
  amount: shape.decimal('filled so far, in the base coin'),
  value: shape.decimal('in the quote coin'),
  fee: shape.nullable(shape.decimal('so far')),
  feeCoin: shape.nullable(shape.outsideText('as observed')),
});

export default define({
  summary: 'List what your orders have filled, newest first',
  arguments: { market: optional('the market (default: those in which pit placed orders lately)', marketName) },
  flags: {
    from: flag('--from <time>', 'list all orders from this time (default: the newest)', moment),
    to: flag('--to <time>', 'list orders before this time (default: now)', moment),
    all: toggle('--all', 'list all fills'),
  },
  examples: [
    'fills btc_usdt',
    'fills --from 7d',
    'fills btc_usdt --from 2026-11-01 --to 2026-12-01 --json',
    'fills --all --csv',
  ],
  output: shape.array(FILL),
  async run(context, { market, from, to, all }) {
    const trading = await context.session.trading();
    const client = withTimePerPage(context, trading.client);
    requireRange([from, to], ['--from', '--to'], context.host.now());
    const range = { bounds: boundsByAnswer(client, { from, to }), readsAllPages: all || from !== undefined };
    const { lists, unread } = await readOrderLists(context, trading, {
      market,
      sides: ['buy', 'sell'],
      toDo: 'to list its fills.',
      isFromNewest: true,
      read: (one, side) => FilledOrders.open(client, one, side, range),
    });
    const [first] = unread;
    if (first !== undefined) throw first.failure;
    const names = new KnownClientIds(() => trading.journal, market, context.host.monotonic);
    return pagedListing(context, {
      what: 'fills',
      pages: merged(lists),
      rowMaker: () => (order) => fillRow(order, names.of(order)),
      row: FILL,
      columns: COLUMNS(),
      empty: `No fills in ${market ?? 'any market in which pit placed orders'}.`,
      older: '--from TIME or --all',
      isPage: false,
    });
  },
});

interface Range {
  /** Asked for once orders were read. */
  readonly bounds: ReturnType<typeof boundsByAnswer>;
  /** Whether everything in it is read, instead of one page. */
  readonly readsAllPages: boolean;
}

/** The orders of one side of a market that have filled, newest first, page by page. */
class FilledOrders implements OrderPages {
  readonly #range: Range;

  /** Those that were read and not taken. */
  readonly waiting: Order[] = [];
  /** Whether there are older orders that are not read. */
  isCut = false;
  /** The first page, of orders that have filled or not. */
  orders: readonly Order[] = [];
  /** Whether it is not the last one. */
  more = false;
  readonly failure = null;
  readonly #pages: ReturnType<Exchange['orderPages']>;
  #isFirst = true;
  #isOver = false;

  private constructor(exchange: Exchange, market: string, side: Side, range: Range) {
    this.#range = range;

    this.#pages = exchange.orderPages(market, side, (orders) => this.#isEnough(orders));
  }

  /** Reads until an order has filled. Throws what the read throws. */
  static async open(client: Exchange, market: string, side: Side, range: Range): Promise<FilledOrders> {
    const filled = new FilledOrders(client, market, side, range);
    await filled.fill();
    return filled;
  }

  /** Whether orders are waiting, or none can come. */
  get isReady(): boolean {
    return this.waiting.length > 0 || this.#isOver;
  }

  /** Reads until orders are waiting or there are no more. */
  async fill(): Promise<void> {
    while (!this.isReady) {
      const { value, done } = await this.#pages.next();
      if (done === true) {
        this.#isOver = true;
        return;
      }
      const { rows, fresh, hasOlder } = value;
      if (this.#isFirst) [this.orders, this.more, this.#isFirst] = [rows, hasOlder, false];
      this.waiting.push(...fresh.filter((order) => this.#isMeant(order)));
      this.#isOver = !hasOlder || this.#isEnough(rows);
      this.isCut = hasOlder && this.#isOver && !this.#range.readsAllPages;
    }
  }

  #isMeant({ time, filled }: Order): boolean {
    const { from, to } = this.#range.bounds();
    return time >= from && time < to && Decimal.of(filled).sign > 0;
  }

  /** Whether no order after this page is wanted. */
  #isEnough(rows: readonly Order[]): boolean {
    const oldest = rows.at(-1)?.time ?? Number.POSITIVE_INFINITY;
    const { from, to } = this.#range.bounds();
    return this.#range.readsAllPages ? oldest < from : oldest < to;
  }
}

/** The orders of all sources, newest first, in pieces: as many as are certain before the next page is read. */
async function* merged(sources: readonly FilledOrders[]): Pages<Order> {
  for (;;) {
    await Promise.all(sources.map((source) => source.fill()));
    const piece: Order[] = [];
    while (sources.every(({ isReady }) => isReady)) {
      const next = sources
        .filter(({ waiting }) => waiting.length > 0)
        .reduce<FilledOrders | undefined>(newer, undefined);
      const order = next?.waiting.shift();
      if (order === undefined) {
        yield piece;
        return uncounted(sources.some(({ isCut }) => isCut));
      }
      piece.push(order);
    }
    yield piece;
  }
}

/** The one whose next order is newer. */
function newer(best: FilledOrders | undefined, other: FilledOrders): FilledOrders {
  const [one, two] = [best?.waiting[0], other.waiting[0]];
  return best === undefined || (one !== undefined && two !== undefined && newestFirst(two, one) < 0) ? other : best;
}

function fillRow(order: Order, clientId: string | null) {
  const { id, time, market, side, averagePrice, filled, filledValue, fee, feeCoin } = orderRow(order, clientId);
  // only orders that have filled are here
  const price = averagePrice ?? order.price;
  return { orderId: id, clientId, time, market, side, price, amount: filled, value: filledValue, fee, feeCoin };
}

const column = fieldColumns<FillRow>(FILL);

const COLUMNS = (): readonly Column<FillRow>[] => [
  column('time', { importance: 5 }),
  column('market', { importance: 8, paint: (text, _, paint) => paint.strong(text) }),
  sideColumn((row: FillRow) => row.side, { importance: 8 }),
  column('price', { title: 'average', importance: 9 }),
  column('amount', { title: 'filled', value: ({ amount }) => formatAmount(amount), importance: 9 }),
  column('value', { value: ({ value }) => formatAmount(value), importance: 6 }),
  column('fee', { value: feeText, align: 'right', importance: 4 }),
  column('orderId', { title: 'order', importance: 3, paint: (text, _, paint) => paint.faint(text) }),
];
