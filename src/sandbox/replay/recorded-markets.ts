import type { Side } from '../../domain/order.js';
import { emptyRecordedBook, opposite, type RecordedBook, type RecordedChanges } from '../engine/book.js';
import { type MarketRules, SandboxMarket } from '../markets/market.js';
import type { OrderService, TradedMarket } from '../orders/order-service.js';
import type { MarketSimulator } from '../simulator/market-simulator.js';
import {
  EventConverter,
  type MarketUpdate,
  marketOf,
  type RecordedDepth,
  type RecordedPast,
  type RecordedTrade,
  unknownMarket,
} from './market-update.js';
import type { TapeEvent } from './tape-event.js';

/** What the exchange keeps of a market that follows a recording. Plain data, a part of its state. */
export interface Recording {
  readonly book: RecordedBook;
  /** Whether the recording has had trades: from then on its candles are not replayed. */
  hasTrades: boolean;
  /** Whether it has had candles of the past, which include the trades of the past. */
  hasPast: boolean;
  /** When the newest candle ended that was over when it was recorded, in milliseconds since the Unix epoch: it has all trades of its time. */
  pastUntil?: number;
  /** The length of its shortest candles so far, in ms. */
  length: number;
  /** The candle or minute whose volume orders may fill: when it begins, in milliseconds since the Unix epoch. */
  period?: number;
  /** The amount of a usual trade in lots, for a book that is made up. */
  usual: bigint;
}

/** Levels a side of a book that is made up, and how far apart they are, as a share of the price. */
const MADE_UP_LEVELS = 10n;
const MADE_UP_SHARE = 20_000n;
/** The usual amount follows the newest one by this share. */
const USUAL_SHARE = 16n;

/**
 * The markets that follow a recording. What happens in them is what was recorded, and what customers do: simulated traders are gone.
 * With depth, the book is the recorded one; without, levels are made up around the last price.
 */
export class RecordedMarkets {
  readonly #recordings: Map<string, Recording>;
  readonly #venues: ReadonlyMap<string, TradedMarket>;
  readonly #orders: OrderService;
  readonly #simulator: MarketSimulator;
  readonly #addMarket: (market: SandboxMarket) => void;
  readonly #converter = new EventConverter();

  /**
   * @param recordings by market, a part of the exchange's state
   * @param addMarket adds a market by the rules of a tape, unless there is one of its name
   */
  constructor(
    recordings: Map<string, Recording>,
    venues: ReadonlyMap<string, TradedMarket>,
    orders: OrderService,
    simulator: MarketSimulator,
    addMarket: (market: SandboxMarket) => void,
  ) {
    this.#recordings = recordings;
    this.#venues = venues;
    this.#orders = orders;
    this.#simulator = simulator;
    this.#addMarket = addMarket;
    for (const [market, recording] of recordings) {
      const venue = venues.get(market);
      if (venue === undefined) continue;
      venue.book.follow(recording.book);
      const last = venue.trades.last?.price;
      if (!recording.book.hasQueue && last !== undefined) this.#makeUpBook(venue, recording, last);
    }
  }

  has(market: string): boolean {
    return this.#recordings.has(market);
  }

  /**
   * Lets an event of a tape happen now: it moves nothing but its market. Throws Failure `usage` with its line for a market whose
   * rules are unknown, and for numbers that the market cannot have.
   */
  take(event: TapeEvent): void {
    if (event.kind === 'gap') return;
    if (event.kind === 'config') this.#addMarket(marketOf(event));
    else this.apply(event.market, this.#converter.convert(event, this.marketOf(event)));
  }

  /** Adds a market by rules that no tape has, unless there is one of its name. */
  addMarket(rules: MarketRules): void {
    this.#addMarket(new SandboxMarket(rules));
  }

  /** The rules of the market of an event. Throws Failure `usage` with its line if they are unknown. */
  marketOf(event: TapeEvent): SandboxMarket {
    return this.#venues.get(event.market)?.market ?? unknownMarket(event);
  }

  /** Lets what a tape does to a market happen. */
  apply(name: string, update: MarketUpdate): void {
    const venue = this.#venues.get(name);
    if (venue === undefined) throw new RangeError(`no such market: ${name}`);
    const recording = this.#recordings.get(name) ?? this.#begin(venue);
    if (update.kind === 'depth') this.#applyDepth(venue, recording, update);
    else if (update.kind === 'past') this.#showPast(venue, recording, update);
    else this.#applyTrade(venue, recording, update);
  }

  #begin(venue: TradedMarket): Recording {
    this.#simulator.leave(venue.market.name);
    const recording = {
      book: emptyRecordedBook(),
      hasTrades: false,
      hasPast: false,
      length: Number.MAX_SAFE_INTEGER,
      usual: 0n,
    };
    this.#recordings.set(venue.market.name, recording);
    venue.book.follow(recording.book);
    return recording;
  }

  #applyDepth(venue: TradedMarket, { book }: Recording, depth: RecordedDepth): void {
    const isWhole = depth.isWhole || !book.hasQueue;
    venue.book.startQueue();
    const changes = isWhole
      ? { buy: withGone(depth.buy, book.buy.lots), sell: withGone(depth.sell, book.sell.lots) }
      : depth;
    this.#orders.recordBook(venue, changes, depth);
  }

  #showPast({ trades }: TradedMarket, recording: Recording, { date, length, isOver, ...candle }: RecordedPast): void {
    if (!isFinest(recording, length)) return;
    recording.hasPast = true;
    if (isOver) recording.pastUntil = Math.max(date + length, recording.pastUntil ?? 0);
    const { open, high, low, close, volume } = candle;
    trades.candles.replace({ time: date, open, high, low, close, volume });
  }

  #applyTrade(venue: TradedMarket, recording: Recording, trade: RecordedTrade): void {
    if (trade.isPast) {
      this.#orders.showTrade(venue, trade, !recording.hasPast);
      return;
    }
    if (trade.kind === 'trade') recording.hasTrades = true;
    // candles have the same trades in them, and longer ones those of shorter ones
    else if (recording.hasTrades || !isFinest(recording, trade.length)) return;
    allowVolume(venue, recording, trade);
    // a trade may be pushed after the candle that has it was read
    this.#orders.passTrade(venue, trade, trade.date >= (recording.pastUntil ?? 0));
    if (recording.book.hasQueue) return;
    recording.usual = usualOf(recording.usual, trade.amount === 0n ? trade.volume : trade.amount);
    this.#makeUpBook(venue, recording, trade.price);
  }

  #makeUpBook(venue: TradedMarket, { book, usual }: Recording, price: bigint): void {
    const changes = () => {
      const { buy, sell } = madeUpBook(price, usual, venue.book, book.left);
      return { buy: withGone(buy, book.buy.lots), sell: withGone(sell, book.sell.lots) };
    };
    const best = (side: Side) => madeUpPrices(price, side, venue.book).next().value?.[0];
    venue.book.recordLater({ changes, best });
    this.#orders.bookChanged(venue);
  }
}

/** Whether the recording has had no shorter candles of the market. */
function isFinest(recording: Recording, length: number): boolean {
  recording.length = Math.min(recording.length, length);
  return recording.length === length;
}

/** A change that also takes away the levels that it does not name. */
function withGone(change: RecordedChanges['buy'], known: ReadonlyMap<bigint, bigint>): RecordedChanges['buy'] {
  if (known.size === 0) return change;
  const { levels, worst } = change;
  const named = new Set(levels.map(([price]) => price));
  const gone = [...known.keys()].filter((price) => !named.has(price)).map((price) => [price, 0n] as const);
  return { levels: [...gone, ...levels], worst };
}

function usualOf(usual: bigint, amount: bigint): bigint {
  return usual === 0n ? amount : usual + (amount - usual) / USUAL_SHARE;
}

/** Lets orders fill what was traded in the candle, or so far in the minute of a trade, less what they have filled of it. */
function allowVolume({ book }: TradedMarket, recording: Recording, { begin, volume }: RecordedTrade): void {
  if (recording.book.hasQueue) return;
  if (recording.period !== begin) {
    recording.period = begin;
    book.allow(volume);
  } else recording.book.left = (recording.book.left ?? 0n) + volume;
}

/**
 * The prices of the levels that are made up on a side, best first, each with its place on the side, counted from 1. Those that a resting
 * order reaches are left out: it fills by what was traded.
 */
function* madeUpPrices(
  price: bigint,
  side: Side,
  book: TradedMarket['book'],
): Generator<[price: bigint, place: bigint], undefined> {
  const step = price / MADE_UP_SHARE + 1n;
  const resting = book.bestQueued(opposite(side));
  const isReached = (at: bigint) => resting !== undefined && (side === 'buy' ? at >= resting : at <= resting);
  for (let place = 1n; place <= MADE_UP_LEVELS; place += 1n) {
    const at = side === 'buy' ? price - step * place : price + step * place;
    if (at <= 0n) return;
    if (!isReached(at)) yield [at, place];
  }
}

/**
 * Levels around a price, so that orders find a counterparty. They have at most `most` lots on each side, and at least one, which shows
 * the price.
 */
function madeUpBook(
  price: bigint,
  usual: bigint,
  book: TradedMarket['book'],
  most: bigint | undefined,
): RecordedChanges {
  const side = (name: Side) => {
    const levels: [bigint, bigint][] = [];
    let left = most === undefined || most > 0n ? most : 1n;
    for (const [at, place] of madeUpPrices(price, name, book)) {
      if (left === 0n) break;
      const lots = (usual + 1n) * place;
      const shown = left === undefined || lots < left ? lots : left;
      levels.push([at, shown]);
      if (left !== undefined) left -= shown;
    }
    return { levels, worst: null };
  };
  return { buy: side('buy'), sell: side('sell') };
}
