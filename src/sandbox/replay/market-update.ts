import { Decimal } from '../../domain/decimal.js';
import type { Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';
import type { RecordedChange } from '../engine/book.js';
import type { MarketCandle } from '../markets/candles.js';
import { SandboxMarket } from '../markets/market.js';
import {
  badLine,
  beginningOf,
  type CandleEvent,
  type ConfigEvent,
  type DepthEvent,
  type PastEvent,
  type TapeEvent,
  type TradeEvent,
} from './tape-event.js';
import { compareTexts } from './tape-fields.js';

/** A recorded trade, or a price that a candle shows, in ticks and lots. Times are ms since the Unix epoch. */
export interface RecordedTrade {
  readonly kind: 'trade' | 'candle';
  readonly time: number;
  readonly date: number;
  readonly id: bigint | null;
  readonly side: Side;
  readonly price: bigint;
  /** Zero only shows the price. */
  readonly amount: bigint;
  /** What was traded from here on, as far as this says: of a whole candle, all with its first price. */
  readonly volume: bigint;
  /** When its candle or minute begins. */
  readonly begin: number;
  /** Whether it was executed before the recording: it is shown, and fills nothing. */
  readonly isPast: boolean;
  /** Of the candle that shows it, in ms; 0 for a trade. */
  readonly length: number;
}

/** A candle of the past, in ticks and lots, with its length in ms. */
export interface RecordedPast extends Pick<MarketCandle, 'open' | 'high' | 'low' | 'close' | 'volume'> {
  readonly kind: 'past';
  readonly time: number;
  readonly date: number;
  readonly length: number;
  readonly isOver: boolean;
}

/** How a recorded book changes, in ticks and lots. Times are ms since the Unix epoch. */
export interface RecordedDepth extends Readonly<Record<Side, RecordedChange>> {
  readonly kind: 'depth';
  readonly time: number;
  readonly date: number;
  /** Whether levels that it does not name are gone. */
  readonly isWhole: boolean;
}

/** What a tape does to a market. */
export type MarketUpdate = RecordedTrade | RecordedPast | RecordedDepth;

/** What moves a market. */
export type MarketEvent = TradeEvent | CandleEvent | PastEvent | DepthEvent;

/** A market by the rules of a tape. Throws Failure `usage` if the sandbox cannot have it. */
export function marketOf(event: ConfigEvent): SandboxMarket {
  try {
    return new SandboxMarket(event.rules);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badLine(event, `has a market that the sandbox cannot have, ${event.market}: ${error.message}`);
  }
}

/** Throws the Failure for an event of a market whose rules are neither in the tape nor in the sandbox. */
export function unknownMarket(event: TapeEvent): never {
  throw badLine(
    event,
    `is of ${event.market}, a market whose rules are unknown`,
    'A tape of pit stream --out begins with the rules of its markets. Give one that has this market, too.',
  );
}

/** Converts the events of markets to ticks and lots, and whole books to what changed in them. */
export class EventConverter {
  /** The amount that was converted last: the prices of a candle share its volume, so most come again at once. */
  #amount = { text: '', scale: 0, lots: 0n };
  /** The newest book of each market. */
  readonly #books = new Map<string, Pick<DepthEvent, 'bids' | 'asks'>>();

  /** Throws Failure `usage` with the line for numbers that the market cannot have. */
  convert(event: MarketEvent, market: SandboxMarket): MarketUpdate {
    const { time, date } = event;
    if (event.kind === 'depth') return this.#depth(event, market);
    if (event.kind === 'past') {
      const { kind, length, isOver } = event;
      const price = (text: string) => ticksOf(event, text, market);
      const [open, high, low, close] = [price(event.open), price(event.high), price(event.low), price(event.close)];
      return { kind, time, date, length, isOver, open, high, low, close, volume: lotsOf(event, event.volume, market) };
    }
    const { kind, side } = event;
    const id = kind === 'trade' && event.id !== null ? BigInt(event.id) : null;
    const [isPast, length] = kind === 'trade' ? [event.isPast, 0] : [false, event.length];
    const price = ticksOf(event, event.price, market);
    const amount = this.#lotsOf(event, event.amount, market);
    const shown = kind === 'candle' ? event.volume : undefined;
    const volume = shown === undefined ? amount : shown === '0' ? 0n : lotsOf(event, shown, market);
    return { kind, time, date, id, side, isPast, length, price, amount, volume, begin: beginningOf(event) };
  }

  #lotsOf(event: MarketEvent, text: string, market: SandboxMarket): bigint {
    const known = this.#amount;
    if (known.text === text && known.scale === market.amountScale) return known.lots;
    const lots = lotsOf(event, text, market);
    this.#amount = { text, scale: market.amountScale, lots };
    return lots;
  }

  #depth(event: DepthEvent, market: SandboxMarket): RecordedDepth {
    const before = this.#books.get(market.name);
    this.#books.set(market.name, event);
    const side = (name: 'bids' | 'asks'): RecordedChange => {
      const last = event[name].at(-1);
      const { gone, changed } = difference(before?.[name] ?? [], event[name], name === 'bids' ? -1 : 1);
      return {
        levels: [
          ...gone.map(({ price }) => [ticksOf(event, price, market), 0n] as const),
          ...changed.map(
            ({ price, amount }) => [ticksOf(event, price, market), lotsOf(event, amount, market)] as const,
          ),
        ],
        worst: last === undefined ? null : ticksOf(event, last.price, market),
      };
    };
    const { time, date } = event;
    return { kind: 'depth', time, date, isWhole: before === undefined, buy: side('bids'), sell: side('asks') };
  }
}

/**
 * The levels of a side that are gone, and those that are new or have another amount. Both books are in the order of their prices.
 * @param order -1 if the prices fall, 1 if they rise
 */
function difference(before: readonly Level[], after: readonly Level[], order: number) {
  const [gone, changed]: [Level[], Level[]] = [[], []];
  let index = 0;
  for (const level of after) {
    let known = before[index];
    for (; known !== undefined && compareTexts(known.price, level.price) * order < 0; known = before[index]) {
      gone.push(known);
      index += 1;
    }
    const isThere = known !== undefined && compareTexts(known.price, level.price) === 0;
    if (isThere) index += 1;
    if (!isThere || known?.amount !== level.amount) changed.push(level);
  }
  gone.push(...before.slice(index));
  return { gone, changed };
}

/** A price in ticks. Throws Failure `usage` with the line if it has more decimals than the market. */
function ticksOf(event: MarketEvent, text: string, { priceScale, name }: SandboxMarket): bigint {
  const price = Decimal.of(text);
  if (price.scale > priceScale && price.significantScale > priceScale)
    throw badLine(event, `has a price with more than the ${priceScale} decimals of ${name}: ${text}`);
  return price.rescaled(priceScale, 'down').units;
}

/** An amount in lots. Throws Failure `usage` with the line if it has more decimals than the market. */
function lotsOf(event: MarketEvent, text: string, { amountScale, name }: SandboxMarket): bigint {
  const amount = Decimal.of(text);
  if (amount.scale > amountScale && amount.significantScale > amountScale)
    throw badLine(event, `has an amount with more than the ${amountScale} decimals of ${name}: ${text}`);
  return amount.rescaled(amountScale, 'down').units;
}
