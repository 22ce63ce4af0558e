import * as v from 'valibot';
import { decimal, id, instant, integer, quietDecimal, text } from './fields.js';
import { klineData, marketData } from './operation.js';
import { amount, choice, long, market, optional, required, wholeNumber } from './parameters.js';

export const CANDLE_TYPES = [
  '1min',
  '3min',
  '5min',
  '15min',
  '30min',
  '1hour',
  '2hour',
  '4hour',
  '6hour',
  '12hour',
  '1day',
  '3day',
  '1week',
] as const;

export type CandleType = (typeof CANDLE_TYPES)[number];

const marketConfiguration = v.object({
  priceScale: integer,
  amountScale: integer,
  minAmount: decimal,
  minSize: decimal,
});

const tickerFields = v.object({
  high: quietDecimal,
  low: quietDecimal,
  buy: quietDecimal,
  sell: quietDecimal,
  last: quietDecimal,
  open: quietDecimal,
  riseRate: quietDecimal,
  vol: quietDecimal,
});

const level = v.tuple([decimal, decimal]);

const publicTrade = v.object({
  date: instant,
  price: decimal,
  amount: decimal,
  tid: id,
  trade_type: v.picklist(['ask', 'bid']),
  type: v.picklist(['buy', 'sell']),
});

/** [time in ms, open, high, low, close, volume] */
const candle = v.tuple([instant, decimal, decimal, decimal, decimal, decimal]);

export const markets = marketData({}, v.record(v.string(), marketConfiguration));

export const allTicker = marketData({}, v.record(v.string(), tickerFields));

export const ticker = marketData({ market: required(market) }, v.object({ ticker: tickerFields, date: instant }));

export const depth = marketData(
  { market: required(market), size: optional(wholeNumber(1n, 50n)), merge: optional(amount) },
  v.object({ asks: v.array(level), bids: v.array(level), timestamp: instant }),
);

export const trades = marketData({ market: required(market), since: optional(long) }, v.array(publicTrade));

export const kline = klineData(
  {
    market: required(market),
    type: required(choice(...CANDLE_TYPES)),
    since: optional(long),
    size: optional(wholeNumber(1n, 1000n)),
  },
  v.object({ data: v.array(candle), moneyType: text, symbol: text }),
);
