import { CANDLE_MS, type CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { MARKET } from '../../domain/market.js';
import type { Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';
import { type Failure, quoted } from '../../errors.js';
import type { FileCandle } from './candle-prices.js';
import { badLine } from './tape-event.js';

/** Digits before and after the point. */
const DECIMAL = /^\d{1,15}(?:\.\d{1,18})?$/;
const ABOVE_ZERO = /^(?=[0.]*[1-9])\d{1,15}(?:\.\d{1,18})?$/;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ID = /^\d{1,19}$/;
const LONGEST_MARKET = 41;
/** More decimals than any coin has. */
const MOST_DECIMALS = 18;
/** More levels than any exchange sends. */
const MOST_LEVELS = 5_000;

export type Fields = Readonly<Record<string, unknown>>;

/** Reads the fields of one file, line by line. Each method throws Failure `usage` with the line for what has another form. */
export class TapeFields {
  readonly file: string;
  /** Counted from 1. */
  line = 0;

  constructor(file: string) {
    this.file = file;
  }

  document(text: string): Fields {
    let document: unknown;
    try {
      // every number of money is in quotes: one that is not is refused below
      document = JSON.parse(text);
    } catch {
      throw this.fault('is not JSON');
    }
    if (!isObject(document)) throw this.fault('is no document of a tape');
    return document;
  }

  rows({ data }: Fields): readonly Fields[] {
    if (!Array.isArray(data) || !data.every(isObject)) throw this.fault('has no list of data');
    return data;
  }

  market(name: unknown): string {
    if (typeof name === 'string' && name.length <= LONGEST_MARKET && MARKET.isExact(name)) return name;
    throw this.fault(`has an invalid market: ${shown(name)}`);
  }

  candleType(type: unknown): CandleType {
    if (typeof type === 'string' && Object.hasOwn(CANDLE_MS, type)) return type as CandleType;
    throw this.fault(`has an unknown type of candles: ${shown(type)}`);
  }

  side(side: unknown): Side {
    if (side === 'buy' || side === 'sell') return side;
    throw this.fault(`has an invalid side: ${shown(side)}`);
  }

  id(id: unknown): string {
    if (typeof id === 'string' && ID.test(id)) return id;
    throw this.fault(`has an invalid id: ${shown(id)}`);
  }

  /** In milliseconds since the Unix epoch. */
  time(text: unknown, name: string): number {
    const time = typeof text === 'string' && ISO.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time) || time < 0 || new Date(time).toISOString() !== text)
      throw this.fault(`has an invalid ${name}: ${shown(text)}`);
    return time;
  }

  scale(fields: Fields, name: string): number {
    const scale = fields[name];
    if (typeof scale === 'number' && Number.isInteger(scale) && scale >= 0 && scale <= MOST_DECIMALS) return scale;
    throw this.fault(`has an invalid ${name}: ${shown(scale)}`);
  }

  /** Decimal text above zero; or zero, if that is allowed. */
  decimal(fields: Fields, name: string, canBeZero = false): string {
    const text = fields[name];
    if (typeof text === 'string' && ABOVE_ZERO.test(text)) return text;
    if (typeof text !== 'string' || !DECIMAL.test(text)) throw this.fault(`has an invalid ${name}: ${shown(text)}`);
    if (!canBeZero) throw this.fault(`has zero as its ${name}`);
    return text;
  }

  /** A side of a book. @param order -1 if its prices fall, 1 if they rise */
  levels(given: unknown, name: string, order: number): readonly Level[] {
    if (!Array.isArray(given)) throw this.fault(`has no ${name}`);
    if (given.length > MOST_LEVELS) throw this.fault(`has more than ${MOST_LEVELS} ${name}`);
    let last: string | undefined;
    for (const level of given as unknown[]) {
      if (!isObject(level)) throw this.fault(`has ${name} without price and amount`);
      const price = this.decimal(level, 'price');
      this.decimal(level, 'amount');
      if (last !== undefined && compareTexts(price, last) * order <= 0)
        throw this.fault(`has ${name} that are not in the order of their prices: ${price} after ${last}`);
      last = price;
    }
    return given as Level[];
  }

  candle(fields: Fields): FileCandle {
    const time = this.time(fields.time, 'time');
    const part = (name: string) => Decimal.of(this.decimal(fields, name));
    const [open, high, low, close] = [part('open'), part('high'), part('low'), part('close')];
    const volume = Decimal.of(this.decimal(fields, 'volume', true));
    const isAround = [open, close].every((price) => low.compare(price) <= 0 && high.compare(price) >= 0);
    if (!isAround) throw this.fault('does not have a low and a high around open and close');
    if (time % CANDLE_MS['1min'] !== 0) throw this.fault('is no candle of whole minutes');
    return { time, open, high, low, close, volume };
  }

  /** The failure for the line. */
  fault(problem: string, hint?: string): Failure {
    return badLine(this, problem, hint);
  }
}

/** Compares decimal texts without a sign: negative if the left one is less. */
export function compareTexts(left: string, right: string): number {
  if (left.length === right.length && left.indexOf('.') === right.indexOf('.'))
    return left < right ? -1 : left > right ? 1 : 0;
  return Decimal.of(left).compare(Decimal.of(right));
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in quotes, cut to a length that a message can have. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
  return quoted(text.slice(0, 60));
}
