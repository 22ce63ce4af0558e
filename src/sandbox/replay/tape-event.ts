import { CANDLE_MS } from '../../domain/candle.js';
import type { Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';
import { type Failure, usage } from '../../errors.js';
import type { MarketRules } from '../markets/market.js';
import type { FileCandle, PricePart } from './candle-prices.js';

/** What all events have. Prices and amounts are decimal texts above zero, unless noted otherwise. */
interface Event {
  /** When it happens in the replay, in milliseconds since the Unix epoch. It never goes back from event to event. */
  readonly time: number;
  /** Empty for a gap that concerns no single market. */
  readonly market: string;
  readonly file: string;
  /** The line, or row of a Parquet file, counted from 1. */
  readonly line: number;
}

/** The rules of a market, before its first event. */
export interface ConfigEvent extends Event {
  readonly kind: 'config';
  readonly rules: MarketRules;
}

/** A public trade. */
export interface TradeEvent extends Event {
  readonly kind: 'trade';
  /** Null if the file has no ids that grow. */
  readonly id: string | null;
  /** When it was executed by the exchange's clock, in milliseconds since the Unix epoch: often whole seconds, and earlier than `time`. */
  readonly date: number;
  /** Of the taker. */
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
  /** Whether it was executed before the tape begins: it is shown, and fills nothing. */
  readonly isPast: boolean;
}

/** A price that a candle shows. A candle is several of them: its open, its extremes and its close. */
export interface CandleEvent extends Event {
  readonly kind: 'candle';
  /** When the price was reached, estimated from the candle, in milliseconds since the Unix epoch. */
  readonly date: number;
  /** When its candle closes, or `time` while the candle is open: ms since the Unix epoch. */
  readonly until: number;
  /** Of the candle, in milliseconds. */
  readonly length: number;
  readonly side: Side;
  readonly price: string;
  /** Its share of the volume; zero only shows the price. */
  readonly amount: string;
  /**
   * What orders may fill from here on. Of a candle that is over: its whole volume at its first price, and zero at the others. If the part
   * that is read begins within the candle, what is left of its volume. Of a candle that was open when the recording began: its volume until
   * then. Absent: the amount.
   */
  readonly volume?: string;
  /** The candle, if it is over. Its parts have the same one. */
  readonly whole?: FileCandle;
  /** Whether its candle is one of a file that was over before, and goes on in this one. */
  readonly goesOn?: boolean;
  /** What it is instead if the candle reached its low before its high, if that is decided while it is replayed. */
  readonly lowFirst?: PricePart;
}

/** A candle, or the part of one, from before the tape begins. It is listed with the other candles, and fills no order. */
export interface PastEvent extends Event {
  readonly kind: 'past';
  /** When it begins, in milliseconds since the Unix epoch. */
  readonly date: number;
  readonly length: number;
  /** Whether nothing more can be in it. */
  readonly isOver: boolean;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** A whole book, as far as it was recorded, best first. */
export interface DepthEvent extends Event {
  readonly kind: 'depth';
  /** By the exchange's clock, in milliseconds since the Unix epoch: often whole seconds. */
  readonly date: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** A period that the recording does not cover. */
export interface TapeGap extends Event {
  readonly kind: 'gap';
  /** Such as `trades:btc_usdt`; empty for the end of a file. */
  readonly channel: string;
  /** In milliseconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export type TapeEvent = ConfigEvent | TradeEvent | CandleEvent | PastEvent | DepthEvent | TapeGap;

/** When the candle or minute of an event begins, in milliseconds since the Unix epoch. */
export function beginningOf(event: CandleEvent | TradeEvent): number {
  if (event.kind === 'candle' && event.whole !== undefined) return event.whole.time;
  const length = event.kind === 'candle' ? event.length : CANDLE_MS['1min'];
  return Math.floor(event.date / length) * length;
}

/** Whether an event only shows what happened before the tape begins. */
export function isPast(event: TapeEvent): boolean {
  return event.kind === 'past' || (event.kind === 'trade' && event.isPast);
}

/** The failure for a fault in a file: `tape.ndjson: line 12 has …`. */
export function badLine({ file, line }: Pick<Event, 'file' | 'line'>, problem: string, hint?: string): Failure {
  return usage(`${file}: line ${line} ${problem}.`, hint ?? 'Correct the line, or leave it out.');
}
