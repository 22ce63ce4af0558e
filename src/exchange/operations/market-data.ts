import * as v from 'valibot';
import { CANDLE_TYPES, type CandleType, type Ohlcv } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Depth, Level, Ticker, Trade } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';
import {
  emptyableDecimal,
  emptyableUnsigned,
  entry,
  group,
  id,
  instant,
  integer,
  keyed,
  maybe,
  optionalText,
  Unreadable,
  unsignedDecimal,
} from './fields.js';
import {
  amount,
  choice,
  klineData,
  long,
  market,
  marketData,
  optional,
  required,
  WHOLE_LIST_BYTES,
  wholeNumber,
  withCodec,
} from './operation.js';

export const marketConfiguration = v.object({
  priceScale: integer,
  amountScale: integer,
  minAmount: unsignedDecimal,
  minSize: unsignedDecimal,
});

export const tickerFields = group({
  high: maybe(emptyableUnsigned),
  low: maybe(emptyableUnsigned),
  buy: maybe(emptyableUnsigned),
  sell: maybe(emptyableUnsigned),
  last: maybe(emptyableUnsigned),
  open: maybe(emptyableUnsigned),
  riseRate: maybe(emptyableDecimal),
  vol: maybe(emptyableUnsigned),
});

const level = v.tuple([unsignedDecimal, unsignedDecimal]);

function sideOf(order: 'ask' | 'bid' | null): Side | null {
  if (order === null) return null;
  return order === 'ask' ? 'sell' : 'buy';
}

/** One of the two fields with the side is enough. */
export const publicTrade = v.pipe(
  v.object({
    date: instant,
    price: unsignedDecimal,
    amount: unsignedDecimal,
    tid: id,
    trade_type: maybe(v.picklist(['ask', 'bid'])),
    type: maybe(v.picklist(['buy', 'sell'])),
  }),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const { trade_type } = dataset.value;
    const type = dataset.value.type ?? sideOf(trade_type);
    if (type !== null) return { ...dataset.value, type };
    addIssue({ message: 'a trade has neither "type" nor "trade_type"' });
    return NEVER;
  }),
);

/** [time in ms, open, high, low, close, volume] */
export const candle = v.tuple([
  instant,
  unsignedDecimal,
  unsignedDecimal,
  unsignedDecimal,
  unsignedDecimal,
  unsignedDecimal,
]);

/** A ticker, from the fields that `ticker`, `allTicker` and the streams share. Nothing has changed without a last price. */
export function toTicker({
  buy,
  sell,
  last,
  open,
  high,
  low,
  riseRate,
  vol,
}: v.InferOutput<typeof tickerFields>): Ticker {
  const price = pricedOrNull(last);
  return {
    bid: pricedOrNull(buy),
    ask: pricedOrNull(sell),
    last: price,
    open: pricedOrNull(open),
    high: pricedOrNull(high),
    low: pricedOrNull(low),
    change: price === null ? null : riseRate,
    volume: vol,
  };
}

/** Exchanges were observed to send zero as a price of a market that has not traded. */
function pricedOrNull(price: string | null): string | null {
  return price !== null && /[1-9]/.test(price) ? price : null;
}

/** A public trade, from a row of `trades` or of a push. */
export function toTrade({ tid, date, type, trade_type, price, amount }: v.InferOutput<typeof publicTrade>): Trade {
  return { id: tid, time: date, side: type, orderSide: sideOf(trade_type), price, amount };
}

/** A candle, from a row of `kline` or of a push. The time is in milliseconds since the Unix epoch. */
export function toCandle([time, open, high, low, close, volume]: v.InferOutput<typeof candle>): Ohlcv {
  return { time, open, high, low, close, volume };
}

function toLevels(levels: readonly v.InferOutput<typeof level>[]): Level[] {
  return sortLevels(levels.map(([price, amount]) => ({ price, amount })));
}

/** Sorts levels in place, lowest price first. They come in this order or the reverse, so there is hardly anything to do. */
export function sortLevels(levels: Level[]): Level[] {
  const first = levels[0];
  const last = levels.at(-1);
  if (first !== undefined && last !== undefined && comparePrices(first.price, last.price) > 0) levels.reverse();
  let before = first;
  for (const level of levels) {
    if (before !== undefined && comparePrices(before.price, level.price) > 0)
      return levels.sort((left, right) => comparePrices(left.price, right.price));
    before = level;
  }
  return levels;
}

/** Of numbers with as many digits before and after the point, the text that comes first is the smaller one. */
function comparePrices(left: string, right: string): number {
  const point = left.indexOf('.');
  const isAlike = left.length === right.length && (point === -1 ? !right.includes('.') : right.charAt(point) === '.');
  if (isAlike && !left.startsWith('-') && !right.startsWith('-')) return left < right ? -1 : left > right ? 1 : 0;
  return Decimal.of(left).compare(Decimal.of(right));
}

const markets = withCodec(marketData({}, keyed(entry(marketConfiguration)), WHOLE_LIST_BYTES), {
  about: 'The rules of every market: decimals, and the smallest order in base and in quote coin.',
  read: 'readMarkets',
  encode: (_: object) => ({}),
  decode: (configuration) => configuration,
});

const allTicker = withCodec(marketData({}, keyed(entry(tickerFields)), WHOLE_LIST_BYTES), {
  about: 'The ticker of every market.',
  notShown: 'how a market is named in the keys',
  encode: (_: object) => ({}),
  decode: (tickers) =>
    new Map(
      Object.entries(tickers).flatMap(([market, fields]): [string, Ticker][] =>
        fields instanceof Unreadable ? [] : [[market, toTicker(fields)]],
      ),
    ),
});

const ticker = withCodec(
  marketData({ market: required(market) }, v.object({ ticker: tickerFields, date: maybe(instant) })),
  {
    about: 'Prices and volume of a market in the last 24 hours.',
    read: 'ticker',
    encode: (request: { readonly market: string }) => request,
    decode: ({ ticker: fields, date }) => ({ time: date, ...toTicker(fields) }),
  },
);

interface DepthRequest {
  readonly market: string;
  /** Levels a side. */
  readonly size: number;
  readonly merge?: string | undefined;
}

/** Asks were observed in descending order. */
const depth = withCodec(
  marketData(
    { market: required(market), size: optional(wholeNumber(1n, 50n)), merge: optional(amount) },
    v.object({ asks: v.array(level), bids: v.array(level), timestamp: maybe(instant) }),
  ),
  {
    about: 'The order book. Merged, it has 5 levels a side.',
    notShown: 'the default of `size`, the order of the levels, and the unit of `timestamp`',
    read: 'depth',
    encode: ({ size, ...rest }: DepthRequest) => ({ ...rest, size: String(size) }),
    decode: ({ bids, asks, timestamp }, { size }): Depth => ({
      time: timestamp,
      bids: toLevels(bids).reverse().slice(0, size),
      asks: toLevels(asks).slice(0, size),
    }),
  },
);

const trades = withCodec(marketData({ market: required(market), since: optional(long) }, v.array(publicTrade)), {
  about: 'Recent trades; with `since`, the 50 after that trade.',
  notShown: 'how many come without `since`, their order, and the unit of `date`',
  encode: (request: { readonly market: string; readonly since?: string | undefined }) => request,
  decode: (rows) => rows.map(toTrade),
});

interface CandleRequest {
  readonly market: string;
  readonly type: CandleType;
  /** Opening time of the first candle, inclusive: milliseconds since the Unix epoch; undefined for the newest ones. */
  readonly from?: number;
  readonly size: number;
}

/** The exchange's own `since` is exclusive. Candles come oldest first. */
const kline = withCodec(
  klineData(
    {
      market: required(market),
      type: required(choice(...CANDLE_TYPES)),
      since: optional(long),
      size: optional(wholeNumber(1n, 1000n)),
    },
    v.object({ data: v.array(candle), moneyType: optionalText, symbol: optionalText }),
  ),
  {
    about: 'Candles: time in milliseconds, open, high, low, close, volume. At most the latest 1,000.',
    notShown: 'the default of `type`, and how to reach older candles',
    encode: ({ market, type, from, size }: CandleRequest) => ({
      market,
      type: type as string,
      ...(from === undefined ? {} : { since: String(Math.max(from - 1, 0)) }),
      size: String(size),
    }),
    decode: ({ data, moneyType, symbol }, { from = 0 }) => ({
      candles: data
        .map(toCandle)
        .filter(({ time }) => time >= from)
        .sort((left, right) => left.time - right.time),
      named: { base: symbol, quote: moneyType },
    }),
  },
);

/** Each by its name in the interface. */
export const marketDataOperations = { markets, allTicker, ticker, depth, trades, kline };
