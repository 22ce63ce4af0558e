import type { CandleType, Ohlcv } from '../../../domain/candle.js';
import type { SandboxExchange } from '../../exchange/exchange.js';
import type { BookDepth, DayTicker } from '../../exchange/market-service.js';
import { type Json, number, numbers, RawJson } from '../bodies.js';
import { CANDLE_ROWS, DEPTH_LEVELS, MERGED_DEPTH_LEVELS } from '../interface-details.js';
import { marketOf, type Served, servePublic } from '../served-operation.js';

const markets = servePublic('markets', (_values, { exchange }) => marketConfigurations(exchange));

export function marketConfigurations(exchange: Pick<SandboxExchange, 'markets' | 'orders'>): Json {
  return Object.fromEntries(
    [...exchange.markets].map(([name, market]) => {
      const { priceScale, amountScale, minAmount, minNotional } = exchange.orders.rulesOf(market);
      return [name, { priceScale, amountScale, minAmount: number(minAmount), minSize: number(minNotional) }];
    }),
  );
}

/** Keyed without the underscore, as observed. */
const allTicker = servePublic('allTicker', (_values, { exchange }) =>
  Object.fromEntries(
    [...exchange.markets.keys()].map((market) => [
      market.replace('_', ''),
      tickerFields(exchange.market.ticker(market)),
    ]),
  ),
);

const ticker = servePublic('ticker', ({ market }, { exchange }) => {
  const now = exchange.market.ticker(marketOf(exchange, market).name);
  return { ticker: tickerFields(now), date: String(now.time) };
});

function tickerFields(now: DayTicker): Json {
  const { high, low, bid, ask, last, open, change, volume } = now;
  return { high, low, buy: bid, sell: ask, last, open, riseRate: change, vol: volume };
}

/** Asks in descending price and the time in seconds, both as observed. */
const depth = servePublic('depth', ({ market, size, merge }, { exchange }) => {
  const { name } = marketOf(exchange, market);
  const asked = size === undefined ? DEPTH_LEVELS : Number(size);
  const book =
    merge === undefined
      ? exchange.market.depth(name, { size: asked })
      : exchange.market.depth(name, { size: Math.min(asked, MERGED_DEPTH_LEVELS), merge });
  return { asks: asksText(book.asks), bids: bestFirst(book.bids), timestamp: seconds(book.time) };
});

/** Worst price first. */
export const asksText = kept((side) => levels(side, true));
/** Best price first, of either side. */
export const bestFirst = kept((side) => levels(side, false));

/** The exchange gives the same lists until the book changes, so their text can be cached. */
function kept(make: (side: BookDepth['asks']) => RawJson): (side: BookDepth['asks']) => RawJson {
  const made = new WeakMap<BookDepth['asks'], RawJson>();
  return (side) => {
    const text = made.get(side) ?? make(side);
    made.set(side, text);
    return text;
  };
}

/** One text for all levels: a hundred small values would be slower than the book itself. */
function levels(side: readonly (readonly [price: string, amount: string])[], reversed: boolean): RawJson {
  let text = '';
  for (const [price, amount] of side) {
    const level = `[${price},${amount}]`;
    if (text === '') text = level;
    else text = reversed ? `${level},${text}` : `${text},${level}`;
  }
  return new RawJson(`[${text}]`);
}

/** Oldest first and dated in seconds, as observed. */
const trades = servePublic('trades', ({ market, since }, { exchange, dialect }) =>
  exchange.market.trades(marketOf(exchange, market).name, since).map(({ id, time, side, price, amount }) => ({
    date: seconds(time),
    price: dialect === 'observed' ? price : number(price),
    amount: dialect === 'observed' ? amount : number(amount),
    tid: number(id),
    trade_type: side === 'buy' ? 'bid' : 'ask',
    type: side,
  })),
);

/** "Sell currency" is read as the base coin, "buy currency" as the quote coin. */
const kline = servePublic('kline', ({ market, type, since, size }, { exchange, klineSince }) => {
  const { name, base, quote } = marketOf(exchange, market);
  const rows = exchange.market.candles(name, type as CandleType, {
    // "only data after this timestamp"
    ...(since === undefined ? {} : { since: Number(since) + 1, which: klineSince }),
    size: size === undefined ? CANDLE_ROWS : Number(size),
  });
  return { data: rows.map(candleRow), moneyType: quote.toUpperCase(), symbol: base.toUpperCase() };
});

export function candleRow({ time, open, high, low, close, volume }: Ohlcv): Json {
  return numbers([String(time), open, high, low, close, volume]);
}

export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

export const MARKET_DATA: readonly Served[] = [markets, allTicker, ticker, depth, trades, kline];
