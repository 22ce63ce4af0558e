import type { CandleType, Ohlcv } from '../../domain/candle.js';
import type { ChannelName } from '../../exchange/channels/index.js';
import type { MARKET_CHANNELS } from '../../exchange/channels/market-data.js';
import { topics } from '../exchange/changes.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import type { PublicTrade } from '../exchange/market-service.js';
import { type Json, number, toJsonText } from '../server/bodies.js';
import { DEPTH_LEVELS, STREAMS } from '../server/interface-details.js';
import { asksText, bestFirst, candleRow, marketConfigurations, seconds } from '../server/operations/market-data.js';
import { type FeedTerms, ServedFeed, StateFeed } from './feed.js';
import { Message } from './message.js';

interface MarketFeedOptions {
  readonly exchange: SandboxExchange;
  readonly market: string;
  readonly channel: string;
}

/** What a client narrows a channel to. */
interface FeedRequest {
  readonly type: CandleType;
  /** Levels of each side. */
  readonly length: number;
}

type MarketChannelName = Exclude<keyof typeof MARKET_CHANNELS, 'markets'>;

/** How each described channel of a market is served. */
export const MARKET_FEEDS: Readonly<
  Record<MarketChannelName, (of: MarketFeedOptions, request: FeedRequest) => ServedFeed>
> = {
  ticker: tickerFeed,
  depth: depthFeed,
  quickDepth: quickDepthFeed,
  trades: (of) => new TradesFeed(of),
  kline: (of, { type }) => new KlineFeed(of, type),
};

/** The terms of a feed of a market, without signature. Time alone changes what shows candles. */
function termsOf(
  { market, channel }: MarketFeedOptions,
  kind: MarketChannelName,
  shown: readonly ('book' | 'trades' | 'candles')[],
): FeedTerms {
  return { channel, kind, topics: shown.map((name) => topics[name](market)), pace: 'market' };
}

export function isMarketChannel(name: ChannelName): name is MarketChannelName {
  return name in MARKET_FEEDS;
}

function tickerFeed(of: MarketFeedOptions): ServedFeed {
  const { exchange, market, channel } = of;
  const render = () => {
    const { time, high, low, bid, ask, last, open, change, volume, turnover } = exchange.market.ticker(market);
    const fields = { high, vol: volume, last, low, buy: bid, sell: ask, turnover, open, riseRate: change };
    const comparable = toJsonText(fields);
    return { comparable, text: `{"date":"${time}","ticker":${comparable},"dataType":"ticker","channel":"${channel}"}` };
  };
  return new StateFeed(termsOf(of, 'ticker', ['book', 'trades', 'candles']), render);
}

/** The whole book each time, both sides in descending price as over HTTP. */
function depthFeed(of: MarketFeedOptions): ServedFeed {
  const { exchange, market, channel } = of;
  const render = () => {
    const { time, asks, bids } = exchange.market.depth(market, { size: DEPTH_LEVELS });
    const comparable = `{"asks":${asksText(asks).text},"dataType":"depth","bids":${bestFirst(bids).text},"channel":"${channel}"`;
    return { comparable, text: `${comparable},"timestamp":${seconds(time)}}` };
  };
  return new StateFeed(termsOf(of, 'depth', ['book']), render);
}

/** The best levels with the numbers of the day: `listDown` are the bids, `listUp` the asks, both best first. */
function quickDepthFeed(of: MarketFeedOptions, { length }: FeedRequest): ServedFeed {
  const { exchange, market, channel } = of;
  const render = () => {
    const { time, asks, bids } = exchange.market.depth(market, { size: length });
    const { last, high, low, volume } = exchange.market.ticker(market);
    const name = market.replace('_', '');
    const { side = 'buy' } = exchange.market.trades(market).at(-1) ?? {};
    const comparable = toJsonText({
      dataType: 'quickDepth',
      channel,
      currentPrice: number(last),
      listDown: bestFirst(bids),
      market: name,
      listUp: bestFirst(asks),
      high: number(high),
      rate: STREAMS.quickDepthRate,
      low: number(low),
      currentIsBuy: side === 'buy',
      dayNumber: number(volume),
      totalBtc: number(volume),
      showMarket: name,
    });
    return { comparable, text: `{"lastTime":${time},${comparable.slice(1)}` };
  };
  return new StateFeed(termsOf(of, 'quickDepth', ['book', 'trades', 'candles']), render);
}

/** New trades, oldest first; at first the latest. */
class TradesFeed extends ServedFeed {
  readonly #of: MarketFeedOptions;

  #last: string | undefined;

  constructor(of: MarketFeedOptions) {
    super(termsOf(of, 'trades', ['trades']));
    this.#of = of;
  }

  initialMessages(): readonly Message[] {
    const { exchange, market } = this.#of;
    const latest = exchange.market.trades(market);
    this.#last = latest.at(-1)?.id;
    return [this.#message(latest)];
  }

  updates(): readonly Message[] {
    const fresh = this.#fresh();
    this.#last = fresh.at(-1)?.id ?? this.#last;
    return fresh.length === 0 ? [] : [this.#message(fresh)];
  }

  /** Those after the last one; the latest only, if there are very many, as when hours are replayed at once. */
  #fresh(): PublicTrade[] {
    const { exchange, market } = this.#of;
    const fresh = exchange.market.trades(market, this.#last);
    for (let page = 1, size = fresh.length; size === TRADES_PAGE; page += 1) {
      if (page === STREAMS.tradePages) return exchange.market.trades(market);
      const more = exchange.market.trades(market, fresh.at(-1)?.id);
      fresh.push(...more);
      size = more.length;
    }
    return fresh;
  }

  #message(trades: PublicTrade[]): Message {
    const data = trades.map(
      ({ id, time, side, price, amount }): Json => ({
        date: seconds(time),
        amount,
        price,
        trade_type: side === 'buy' ? 'bid' : 'ask',
        type: side,
        tid: number(id),
      }),
    );
    return new Message(toJsonText({ data, dataType: 'trades', channel: this.terms.channel }));
  }
}

/** As many as the exchange gives at once. */
const TRADES_PAGE = 50;

/** The rows that changed, oldest first; at first the latest. */
class KlineFeed extends ServedFeed {
  readonly #of: MarketFeedOptions;
  readonly #type: CandleType;

  #since = 0;
  #shown = '';

  constructor(of: MarketFeedOptions, type: CandleType) {
    super(termsOf(of, 'kline', ['trades', 'candles']));
    this.#of = of;
    this.#type = type;
  }

  initialMessages(): readonly Message[] {
    const rows = this.#rows(0, STREAMS.openingCandles);
    this.#remember(rows.at(-1)?.time ?? 0);
    return [this.#message(rows)];
  }

  updates(): readonly Message[] {
    const rows = this.#rows(this.#since, STREAMS.openingCandles);
    const message = this.#message(rows);
    if (message.text === this.#shown) return [];
    this.#remember(rows.at(-1)?.time ?? 0);
    return [message];
  }

  /** The last row may still change: it is sent again when it has. */
  #remember(last: number): void {
    this.#since = last;
    this.#shown = this.#message(this.#rows(last, 1)).text;
  }

  #rows(since: number, size: number): Ohlcv[] {
    return this.#of.exchange.market.candles(this.#of.market, this.#type, { since, size });
  }

  #message(rows: Ohlcv[]): Message {
    return new Message(toJsonText({ datas: { data: rows.map(candleRow) }, channel: this.terms.channel, isSuc: true }));
  }
}

/** Markets never change, so their channel is answered once and has no feed. The form is chosen. */
export function marketsMessage(exchange: SandboxExchange): Message {
  return new Message(
    toJsonText({
      code: 1000,
      data: marketConfigurations(exchange),
      dataType: 'markets',
      channel: 'markets',
      success: true,
    }),
  );
}
