import { flag, optional, toggle } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import { type Order, SIDES } from '../../domain/order.js';
import { boundsByAnswer } from '../../domain/time-range.js';
import { type Exchange, type OrderPages, type Pages, uncounted } from '../../exchange/exchange.js';
import { sideColumn } from '../../terminal/cells.js';
import type { Column } from '../../terminal/table.js';
import { orderHistory } from '../../trading/history/order-history.js';
import type { MarketSide } from '../../trading/journal/write.js';
import { KnownClientIds } from '../../trading/orders/known-client-ids.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { marketName, moment, requireRange } from '../inputs/parsers.js';
import { feeText } from '../order/fills-so-far.js';
import { newestFirst, orderRow } from '../order/order-row.js';
import { define } from '../session/command.js';
import { REFRESH, readOrderLists } from './order-lists.js';
import { pagedListing, withTimePerPage } from './paged-listing.js';

type FillRow = ReturnType<typeof fillRow>;

const FILL = shape.object({
  orderId: shape.id('a row is an order with all that it has filled so far'),
  clientId: shape.nullable(shape.text('your own id; null if pit did not place it lately')),
  time: shape.time('of the order: the exchange reports no time of a fill'),
  market: shape.outsideText(''),
  side: shape.enumOf(SIDES, ''),
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
    refresh: REFRESH,
  },
  examples: [
    'fills btc_usdt',
    'fills --from 7d',
    'fills btc_usdt --from 2026-11-01 --to 2026-12-01 --json',
    'fills --all --csv',
  ],
  output: shape.array(FILL),
  async run(context, { market, from, to, all, refresh }) {
    const trading = await context.session.trading();
    const client = withTimePerPage(context, trading.client);
    requireRange([from, to], ['--from', '--to'], context.host.now());
    const range = {
      bounds: boundsByAnswer(client, { from, to }),
      readsAllPages: all || from !== undefined,
      isWhole: refresh,
    };
    const { lists, unread } = await readOrderLists(context, trading, {
      market,
      sides: SIDES,
      toDo: 'to list its fills.',
      isFromNewest: true,
      read: (one, side) => openFilled(trading, { market: one, side }, client, range),
    });
    const [first] = unread;
    if (first !== undefined) throw first.failure;
    const names = new KnownClientIds(() => trading.journal, context.host.monotonic);
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
  /** Whether everything in it is listed, instead of one page. */
  readonly readsAllPages: boolean;
  /** Whether the list is read to its end, whatever is listed of it. */
  readonly isWhole: boolean | undefined;
}

/** The orders of one side of a market: the first page of the list, and those that have filled, newest first. */
interface FilledOrders extends OrderPages {
  /** Page by page. Returns whether older orders were not read. */
  readonly filled: AsyncGenerator<readonly Order[], boolean>;
}

/** Reads the first page. Throws what the read throws. */
async function openFilled(
  trading: TradingContext,
  side: MarketSide,
  lists: Exchange,
  { bounds, readsAllPages, isWhole }: Range,
): Promise<FilledOrders> {
  const isEnough = (rows: readonly Order[]) => {
    const oldest = rows.at(-1)?.time ?? Number.POSITIVE_INFINITY;
    const { from, to } = bounds();
    return readsAllPages ? oldest < from : oldest < to;
  };
  const isMeant = ({ time, filled }: Order) => {
    const { from, to } = bounds();
    return time >= from && time < to && Decimal.of(filled).sign > 0;
  };
  const pages = orderHistory(trading, side, isWhole ? { lists, isWhole } : { lists, isEnough });
  const first = await pages.next();
  async function* filled(): FilledOrders['filled'] {
    let [isCut, isListed] = [false, false];
    for (let next = first; !next.done; next = await pages.next()) {
      if (isListed) continue;
      const { rows, fresh, hasOlder } = next.value;
      yield fresh.filter(isMeant);
      isListed = isEnough(rows);
      isCut = hasOlder && !readsAllPages;
    }
    return isCut;
  }
  const { rows, hasOlder } = first.done ? { rows: [], hasOlder: false } : first.value;
  return { orders: rows, more: hasOlder, failure: null, filled: filled() };
}

/** The orders of all sources, newest first, in pieces: as many as are certain before the next page is read. */
async function* merged(lists: readonly FilledOrders[]): Pages<Order> {
  const sources = lists.map(({ filled }) => ({ filled, waiting: [] as Order[], isOver: false }));
  let isCut = false;
  const isReady = ({ waiting, isOver }: (typeof sources)[number]) => waiting.length > 0 || isOver;
  const fill = async (source: (typeof sources)[number]) => {
    while (!isReady(source)) {
      const { value, done } = await source.filled.next();
      if (done === true) {
        source.isOver = true;
        isCut ||= value;
      } else source.waiting = [...value];
    }
  };
  for (;;) {
    await Promise.all(sources.map(fill));
    const piece: Order[] = [];
    while (sources.every(isReady)) {
      const [newest] = sources.filter(({ waiting }) => waiting.length > 0).sort(byNextOrder);
      const order = newest?.waiting.shift();
      if (order === undefined) {
        yield piece;
        return uncounted(isCut);
      }
      piece.push(order);
    }
    yield piece;
  }
}

interface Waiting {
  readonly waiting: readonly Order[];
}

/** The one whose next order is newer comes first. */
function byNextOrder({ waiting: [one] }: Waiting, { waiting: [other] }: Waiting): number {
  return one === undefined || other === undefined ? 0 : newestFirst(one, other);
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
