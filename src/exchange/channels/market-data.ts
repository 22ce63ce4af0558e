import * as v from 'valibot';
import { CANDLE_TYPES, type Candle, type CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { compareIds, type Depth, type Level, type Ticker, type Trade } from '../../domain/market-data.js';
import { markClosed, readCandles } from '../lists/candles.js';
import { contradictionOfTrades } from '../lists/contradictions.js';
import { emptyableDecimal, emptyableUnsigned, instant, levels, maybe, unsignedDecimal } from '../operations/fields.js';
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
import {
  type ChannelDescription,
  describeChannel,
  joinedMarket,
  observedBy,
  type Reading,
  type Snapshot,
  withoutUnderscore,
} from './channel.js';
import { isLess, isSameNumber, RowState, WholeState } from './newest.js';

interface OfMarket {
  readonly market: string;
}

const ofMarket = {
  parts: ['market'],
  encode: ({ market }: OfMarket) => ({ market: withoutUnderscore(market) }),
} as const;

/** Market data change all the time. */
const POLL_MS = 2_000;
/** "One request per second" of candles by all processes. */
const CANDLE_POLL_MS = 10_000;

type TimedTicker = Ticker & { readonly time: number | null };

const PRICES = ['bid', 'ask', 'last'] as const;

/** Observed with a further `turnover`. */
const ticker = describeChannel(
  {
    template: '{market}_ticker',
    signed: false,
    parameters: { market: required(joinedMarket) },
    frame: v.object({ ticker: tickerFields, date: maybe(instant) }),
    sources: { name: observedBy(14), parameters: observedBy(14), frame: observedBy(3) },
  },
  {
    ...ofMarket,
    word: 'ticker',
    decode: ({ ticker: fields, date }): TimedTicker => ({ time: date, ...toTicker(fields) }),
    timeOf: ({ time }) => time,
    isWhole: true,
    isHistory: false,
    isOrdered: true,
    // the numbers of the day change without a trade, as the day moves on
    newest: () =>
      new WholeState<TimedTicker>((one, other) => PRICES.every((price) => isSameNumber(one[price], other[price]))),
    snapshot: async ({ market }: OfMarket, { client }: Reading<TimedTicker>) => whole(await client.ticker({ market })),
    pollMs: POLL_MS,
  },
);

/** As many levels as are pushed. */
const LEVELS = 50;

/** A whole book each time, 50 levels a side, asks in descending order as over HTTP. */
const depth = describeChannel(
  {
    template: '{market}_depth',
    signed: false,
    parameters: { market: required(joinedMarket) },
    frame: v.object({ asks: levels, bids: levels, timestamp: maybe(instant) }),
    sources: { name: observedBy(14), parameters: observedBy(14), frame: observedBy(3) },
  },
  {
    ...ofMarket,
    word: 'depth',
    decode: ({ bids, asks, timestamp }): Depth => ({
      time: timestamp,
      bids: sortLevels(bids).reverse(),
      asks: sortLevels(asks),
    }),
    timeOf: ({ time }) => time,
    isWhole: true,
    isHistory: false,
    isOrdered: true,
    newest: () =>
      new WholeState<Depth>((one, other) => isSameSide(one.bids, other.bids) && isSameSide(one.asks, other.asks)),
    snapshot: async ({ market }: OfMarket, { client }: Reading<Depth>) =>
      whole(await client.depth({ market, size: LEVELS })),
    pollMs: POLL_MS,
  },
);

function whole<Data>(data: Data): Snapshot<Data> {
  return { data, scope: 'snapshot', unrecoverable: null };
}

/** Whether two sides of a book are the same as far as both reach: HTTP and pushes may hold a different number of levels. */
function isSameSide(one: readonly Level[], other: readonly Level[]): boolean {
  if ((one.length === 0) !== (other.length === 0)) return false;
  const both = Math.min(one.length, other.length);
  return one.slice(0, both).every(({ price, amount }, index) => {
    const level = other[index];
    return level !== undefined && isSameNumber(price, level.price) && isSameNumber(amount, level.amount);
  });
}

/** `listDown` holds the bids, `listUp` the asks, both best first. */
const quickDepth = {
  template: '{market}_quick_depth',
  signed: false,
  parameters: { market: required(joinedMarket), length: optional(choice('5', '10', '20')) },
  frame: v.object({
    lastTime: instant,
    listDown: levels,
    listUp: levels,
    currentPrice: maybe(emptyableUnsigned),
    high: maybe(emptyableUnsigned),
    low: maybe(emptyableUnsigned),
    rate: maybe(emptyableDecimal),
    dayNumber: maybe(unsignedDecimal),
  }),
  sources: { name: observedBy(14), parameters: observedBy(3), frame: observedBy(3) },
} as const satisfies ChannelDescription;

/** New trades, oldest first. */
const trades = describeChannel(
  {
    template: '{market}_trades',
    signed: false,
    parameters: { market: required(joinedMarket) },
    frame: v.object({ data: v.array(publicTrade) }),
    sources: { name: observedBy(14), parameters: observedBy(14), frame: observedBy(3) },
  },
  {
    ...ofMarket,
    word: 'trades',
    decode: ({ data }): readonly Trade[] => data.map(toTrade),
    contradiction: (data, { market }) => contradictionOfTrades(market, data),
    timeOf: (data) => data.at(-1)?.time ?? null,
    isWhole: false,
    isHistory: true,
    isOrdered: true,
    newest: () =>
      new RowState<Trade>({
        key: ({ id }) => id,
        isOld: () => true,
        // one that was dropped is not missing
        isMissing: ({ id }, known, first) =>
          known === undefined && (first === undefined || compareIds(id, first.id) > 0),
        remains: () => true,
        most: 1_000,
        compare: (left, right) => compareIds(left.id, right.id),
      }),
    snapshot: readTrades,
    pollMs: POLL_MS,
  },
);

/** "50 after the trade with the id": fewer are the last ones. */
const TRADES_PAGE = 50;
/** 10,000 trades; a longer gap is not filled. */
const MAX_TRADE_PAGES = 200;

async function readTrades(
  { market }: OfMarket,
  { client, base }: Reading<readonly Trade[]>,
): Promise<Snapshot<readonly Trade[]>> {
  const newestKnown = base?.at(-1);
  if (newestKnown === undefined) return { data: await client.trades(market), scope: 'snapshot', unrecoverable: null };
  let last = newestKnown.id;
  const data: Trade[] = [];
  for (let page = 1; page <= MAX_TRADE_PAGES; page += 1) {
    const rows = await client.trades(market, last);
    data.push(...rows);
    const [newest] = rows.map(({ id }) => id).sort((left, right) => compareIds(right, left));
    const isLast = rows.length < TRADES_PAGE || newest === undefined || compareIds(newest, last) <= 0;
    if (isLast) return { data, scope: 'delta', unrecoverable: null };
    last = newest;
  }
  const unrecoverable = `more than ${MAX_TRADE_PAGES * TRADES_PAGE} trades were missed`;
  return { data, scope: 'delta', unrecoverable };
}

/** The document names the channel, and one client captured it. */
const kline = describeChannel(
  {
    template: '{market}_kline_{type}',
    signed: false,
    parameters: { market: required(joinedMarket), type: required(choice(...CANDLE_TYPES)) },
    frame: v.object({ datas: v.object({ data: v.array(candle) }) }),
    sources: { name: observedBy(1), parameters: observedBy(1), frame: observedBy(1) },
  },
  {
    word: 'kline',
    parts: ['market', 'type'],
    encode: ({ market, type }: CandlesOfMarket) => ({ market: withoutUnderscore(market), type }),
    /** Oldest first; the last one may still change. */
    decode: ({ datas }, { type }): readonly Candle[] =>
      markClosed(
        datas.data.map(toCandle).sort((left, right) => left.time - right.time),
        type,
        null,
      ),
    timeOf: () => null,
    isWhole: false,
    isHistory: true,
    isOrdered: true,
    newest: () =>
      new RowState<Candle>({
        key: ({ time }) => time,
        isOld: isOldCandle,
        // candles without a trade need not be sent
        isMissing: ({ time, volume }, known, first) =>
          known === undefined
            ? first !== undefined && time > first.time && Decimal.of(volume).sign !== 0
            : isLess(known.volume, volume),
        remains: () => true,
        most: 1_000,
        compare: (left, right) => left.time - right.time,
      }),
    snapshot: readLatestCandles,
    pollMs: CANDLE_POLL_MS,
  },
);

interface CandlesOfMarket extends OfMarket {
  readonly type: CandleType;
}

/** The volume of a candle only grows, so a row with less is older: a part of a candle never replaces the whole one. */
function isOldCandle(row: Candle, known: Candle): boolean {
  return isLess(row.volume, known.volume) || (known.closed && !row.closed && !isLess(known.volume, row.volume));
}

/** How many candles a channel begins with. */
const FIRST_CANDLES = 100;

/** From the last candle that was complete, which may have changed since. */
async function readLatestCandles(
  { market, type }: CandlesOfMarket,
  { client, base }: Reading<readonly Candle[]>,
): Promise<Snapshot<readonly Candle[]>> {
  const last = base?.at(-1);
  const extent = last === undefined ? { size: FIRST_CANDLES } : { since: () => last.time };
  const { candles, failure } = await readCandles(client, { market, type, ...extent });
  return { data: candles, scope: last === undefined ? 'snapshot' : 'delta', unrecoverable: failure?.message ?? null };
}

/** The configuration of all markets, once. */
const markets = {
  template: 'markets',
  signed: false,
  parameters: {},
  frame: v.object({ data: v.record(v.string(), marketConfiguration) }),
  sources: { name: observedBy(2), parameters: observedBy(2), frame: observedBy(2) },
} as const satisfies ChannelDescription;

export const MARKET_CHANNELS = { ticker, depth, quickDepth, trades, kline, markets } as const;
