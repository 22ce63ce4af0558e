import * as v from 'valibot';
import { CANDLE_TYPES, type CandleType, type Ohlcv } from '../../domain/candle.js';
import type { Depth, Ticker, Trade } from '../../domain/market-data.js';
import { decimal, emptyableDecimal, instant, levels, maybe } from '../operations/fields.js';
import {
  candle,
  marketConfiguration,
  publicTrade,
  sortLevels,
  tickerFields,
  toCandle,
  toTicker,
  toTrade,
} from '../operations/market-data.js';
import { choice, optional, required } from '../operations/operation.js';
import { type ChannelDescription, describeChannel, joinedMarket, observedBy, withoutUnderscore } from './channel.js';

interface OfMarket {
  readonly market: string;
}

const ofMarket = { encode: ({ market }: OfMarket) => ({ market: withoutUnderscore(market) }) };

/** Observed with a further `turnover`. */
export const ticker = describeChannel(
  {
    template: '{market}_ticker',
    signed: false,
    parameters: { market: required(joinedMarket) },
    frame: v.object({ ticker: tickerFields, date: instant }),
    sources: { name: observedBy(14), parameters: observedBy(14), frame: observedBy(3) },
  },
  {
    ...ofMarket,
    decode: ({ ticker: fields, date }): Ticker & { readonly time: number } => ({ time: date, ...toTicker(fields) }),
  },
);

/** A whole book each time, 50 levels a side, asks in descending order as over HTTP. */
export const depth = describeChannel(
  {
    template: '{market}_depth',
    signed: false,
    parameters: { market: required(joinedMarket) },
    frame: v.object({ asks: levels, bids: levels, timestamp: instant }),
    sources: { name: observedBy(14), parameters: observedBy(14), frame: observedBy(3) },
  },
  {
    ...ofMarket,
    decode: ({ bids, asks, timestamp }): Depth => ({
      time: timestamp,
      bids: sortLevels(bids).reverse(),
      asks: sortLevels(asks),
    }),
  },
);

/** `listDown` holds the bids, `listUp` the asks, both best first. */
export const quickDepth = {
  template: '{market}_quick_depth',
  signed: false,
  parameters: { market: required(joinedMarket), length: optional(choice('5', '10', '20')) },
  frame: v.object({
    lastTime: instant,
    listDown: levels,
    listUp: levels,
    currentPrice: maybe(emptyableDecimal),
    high: maybe(emptyableDecimal),
    low: maybe(emptyableDecimal),
    rate: maybe(emptyableDecimal),
    dayNumber: maybe(decimal),
  }),
  sources: { name: observedBy(14), parameters: observedBy(3), frame: observedBy(3) },
} as const satisfies ChannelDescription;

/** New trades, oldest first. */
export const trades = describeChannel(
  {
    template: '{market}_trades',
    signed: false,
    parameters: { market: required(joinedMarket) },
    frame: v.object({ data: v.array(publicTrade) }),
    sources: { name: observedBy(14), parameters: observedBy(14), frame: observedBy(3) },
  },
  { ...ofMarket, decode: ({ data }): readonly Trade[] => data.map(toTrade) },
);

/** The document names the channel, and one client captured it. */
export const kline = describeChannel(
  {
    template: '{market}_kline_{type}',
    signed: false,
    parameters: { market: required(joinedMarket), type: required(choice(...CANDLE_TYPES)) },
    frame: v.object({ datas: v.object({ data: v.array(candle) }) }),
    sources: { name: observedBy(1), parameters: observedBy(1), frame: observedBy(1) },
  },
  {
    encode: ({ market, type }: OfMarket & { readonly type: CandleType }) => ({
      market: withoutUnderscore(market),
      type,
    }),
    /** Oldest first; the last one may still change. */
    decode: ({ datas }): readonly Ohlcv[] => datas.data.map(toCandle).sort((left, right) => left.time - right.time),
  },
);

/** The configuration of all markets, once. */
export const markets = {
  template: 'markets',
  signed: false,
  parameters: {},
  frame: v.object({ data: v.record(v.string(), marketConfiguration) }),
  sources: { name: observedBy(2), parameters: observedBy(2), frame: observedBy(2) },
} as const satisfies ChannelDescription;
