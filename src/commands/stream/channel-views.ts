import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import type { Channel, ChannelData, ChannelKind, ChannelOf, OrderUpdate } from '../../exchange/exchange.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, table } from '../../terminal/table.js';
import { isoTime } from '../../terminal/time.js';
import { BALANCE, BALANCE_COLUMNS, balanceOf } from '../account/balance.js';
import { CANDLE, candleColumns, candleRow } from '../kline/kline.js';
import { BOOK_ROW, bookRows, DEPTH, showBook } from '../market/depth.js';
import { TICKER, TICKER_COLUMNS, tickerRow } from '../market/ticker.js';
import { TRADE, tradeColumns, tradeRow } from '../market/trades.js';
import { ORDER, orderColumns, orderRow } from '../order/order-row.js';

/** How a kind of channel is shown to programs and people. */
interface ChannelView<Kind extends ChannelKind> {
  /** A row, for a table or CSV. */
  readonly row: shape.Shape;
  readonly rows: (data: ChannelData[Kind], channel: ChannelOf<Kind>) => object[];
  /** What the command of the same name prints with `--json`, if that is not its rows. */
  readonly document?: {
    readonly shape: shape.Shape;
    readonly of: (data: ChannelData[Kind], channel: ChannelOf<Kind>) => object;
  };
  /** How many rows its table has. */
  readonly size: (data: ChannelData[Kind]) => number;
  readonly show: (screen: Screen, data: ChannelData[Kind], channel: ChannelOf<Kind>, rows: number) => string;
}

const { algo, ...orderFields } = ORDER;

const STREAMED_ORDER = {
  ...orderFields,
  lastTrade: shape.nullable(
    shape.object({
      id: shape.id('of the trade'),
      time: shape.nullable(shape.time('')),
      price: shape.decimal('in the quote coin'),
      amount: shape.decimal('in the base coin'),
    }),
  ),
  algo: algo ?? shape.anything,
};

function streamedOrder({ lastTrade, ...order }: OrderUpdate) {
  const trade = lastTrade && { ...lastTrade, time: lastTrade.time === null ? null : isoTime(lastTrade.time) };
  return { ...orderRow(order), lastTrade: trade };
}

const MAX_LEVELS = 20;
/** The lines of a book that are no levels. */
const AROUND_LEVELS = 2;

const BALANCES: ChannelView<'balances' | 'crossBalances'> = {
  row: shape.object(BALANCE),
  rows: (coins) => coins.map(balanceOf),
  size: (coins) => held(coins).length,
  show: (screen, coins, _, rows) => tableOr(screen, BALANCE_COLUMNS, held(coins).slice(0, rows), 'No balances.'),
};

const VIEWS: { readonly [Kind in ChannelKind]: ChannelView<Kind> } = {
  ticker: {
    row: shape.object(TICKER),
    rows: (ticker, { market }) => [tickerRow(market, ticker)],
    size: () => 1,
    show: (screen, ticker, { market }) => table(screen, TICKER_COLUMNS, [tickerRow(market, ticker)]),
  },
  depth: {
    row: BOOK_ROW,
    rows: bookRows,
    document: {
      shape: shape.object(DEPTH),
      of: ({ time, bids, asks }, { market }) => ({ market, time: time === null ? null : isoTime(time), bids, asks }),
    },
    size: ({ bids, asks }) => 2 * Math.min(MAX_LEVELS, Math.max(bids.length, asks.length)) + AROUND_LEVELS,
    show: (screen, { time, bids, asks }, { market }, rows) => {
      const levels = Math.min(MAX_LEVELS, Math.max(1, Math.floor((rows - AROUND_LEVELS) / 2)));
      const book = { market, ...coinsOf(market), time, bids: bids.slice(0, levels), asks: asks.slice(0, levels) };
      return showBook(screen, book);
    },
  },
  trades: {
    row: TRADE,
    rows: (trades, { market }) => trades.map((trade) => tradeRow(market, trade)),
    size: (trades) => trades.length,
    show: (screen, trades, { market }, rows) => {
      const { base, quote } = coinsOf(market);
      const newest = newestFirst(trades, rows).map((trade) => tradeRow(market, trade));
      return tableOr(screen, tradeColumns(base, quote), newest, 'No trades yet.');
    },
  },
  kline: {
    row: CANDLE,
    rows: (candles) => candles.map(candleRow),
    size: (candles) => candles.length,
    show: (screen, candles, { market }, rows) => {
      const newest = newestFirst(candles, rows).map(candleRow);
      return tableOr(screen, candleColumns(coinsOf(market).base), newest, 'No candles yet.');
    },
  },
  orders: {
    row: shape.object(STREAMED_ORDER),
    rows: (orders) => orders.map(streamedOrder),
    size: (orders) => orders.length,
    show: (screen, orders, _, rows) => {
      const first = orders.slice(0, rows).map((order) => orderRow(order));
      return tableOr(screen, orderColumns(), first, 'No open orders.');
    },
  },
  balances: BALANCES,
  crossBalances: BALANCES,
};

/** The view of a channel whose kind is not known in advance. */
interface AnyView {
  readonly row: shape.Shape;
  readonly rows: (data: unknown, channel: Channel) => object[];
  readonly document?: { readonly shape: shape.Shape; readonly of: (data: unknown, channel: Channel) => object };
  readonly size: (data: unknown) => number;
  readonly show: (screen: Screen, data: unknown, channel: Channel, rows: number) => string;
}

/** How a kind of channel is shown. */
export function viewOf(kind: ChannelKind): AnyView {
  // a view is called with the data of its own channels only
  return VIEWS[kind] as unknown as AnyView;
}

/** What the documents of all channels hold as data, and the rows of all. */
export const DOCUMENTS: readonly shape.Shape[] = distinct(
  Object.values(VIEWS).map(({ row, document }) => document?.shape ?? shape.array(row)),
);
export const ROWS: readonly shape.Shape[] = Object.values(VIEWS).map(({ row }) => row);

function distinct(shapes: readonly shape.Shape[]): shape.Shape[] {
  return [...new Map(shapes.map((one) => [JSON.stringify(one), one])).values()];
}

function held(coins: ChannelData['balances']) {
  return coins.map(balanceOf).filter(({ total }) => Decimal.of(total).sign !== 0);
}

function newestFirst<Row>(rows: readonly Row[], count: number): Row[] {
  return rows.slice(-count).reverse();
}

function tableOr<Row extends object>(
  screen: Screen,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  empty: string,
): string {
  return rows.length === 0 ? screen.paint.faint(empty) : table(screen, columns, rows);
}

function coinsOf(market: string): { readonly base: string; readonly quote: string } {
  return splitMarket(market) ?? { base: market, quote: '' };
}
