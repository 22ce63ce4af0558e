import { kindOf } from './kind.js';
import type { Market } from './market.js';
import type { Side } from './order.js';

/** How to round: `down` is towards zero, `up` is away from zero. */
type Rounding = 'down' | 'up';

const PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?0*\d{1,2}))?$/;

/** As nearly all numbers are written. */
const PLAIN = /^\d+(?:\.\d+)?$/;
const LONGEST_PLAIN = 40;

const POWERS = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

/** Most sums and products need one, and a BigInt takes long to raise. */
function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

/**
 * An exact decimal number: a BigInt of units of 10^-scale. Immutable.
 *
 * The scale is kept as written (`1.50` has scale 2), so that text comes out as it went in.
 */
export class Decimal {
  static readonly zero = new Decimal(0n, 0);

  private constructor(
    readonly units: bigint,
    readonly scale: number,
  ) {}

  /** `units` × 10^-`scale`; a scale below 0 is not a number of decimals. */
  static fromUnits(units: bigint, scale: number): Decimal {
    if (!Number.isInteger(scale) || scale < 0) throw new RangeError(`not a scale: ${scale}`);
    return new Decimal(units, scale);
  }

  /** Reads `1`, `-0.50`, `.5`, `1e-8`; undefined for anything else, more than 1,000 characters and exponents beyond 99 included. */
  static parse(text: string): Decimal | undefined {
    if (text.length <= LONGEST_PLAIN && PLAIN.test(text)) return Decimal.#ofPlain(text);
    const match = text.length <= 1000 ? PATTERN.exec(text) : null;
    if (match === null) return undefined;
    const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
    const digits = whole + fraction;
    if (digits === '') return undefined;
    const magnitude = BigInt(digits);
    const scale = fraction.length - Number(exponent);
    const units = scale < 0 ? magnitude * powerOfTen(-scale) : magnitude;
    return new Decimal(sign === '-' ? -units : units, Math.max(scale, 0));
  }

  static #ofPlain(text: string): Decimal {
    const point = text.indexOf('.');
    if (point === -1) return new Decimal(BigInt(text), 0);
    return new Decimal(BigInt(text.slice(0, point) + text.slice(point + 1)), text.length - point - 1);
  }

  /** Like {@link parse}, for text that is known to be a number. Throws RangeError otherwise. */
  static of(text: string): Decimal {
    const value = Decimal.parse(text);
    if (value === undefined) throw new RangeError(`not a decimal number: ${text}`);
    return value;
  }

  /** The sum; zero for none. */
  static sum(values: readonly Decimal[]): Decimal {
    return values.reduce((total, value) => total.plus(value), Decimal.zero);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.#unitsAt(scale) + other.#unitsAt(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(other.negated());
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.units * other.units, this.scale + other.scale);
  }

  /** The quotient with `scale` decimals. Throws RangeError on division by zero. */
  dividedBy(other: Decimal, scale: number, rounding: Rounding): Decimal {
    return new Decimal(
      divide(this.units * powerOfTen(scale + other.scale), other.units * powerOfTen(this.scale), rounding),
      scale,
    );
  }

  negated(): Decimal {
    return new Decimal(-this.units, this.scale);
  }

  /** Below 0, 0 or above 0, as this is less than, equal to or greater than the other. */
  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale);
    const difference = this.#unitsAt(scale) - other.#unitsAt(scale);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  /** Whether the value is the same, whatever the scale. */
  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  get sign(): number {
    return this.units < 0n ? -1 : this.units > 0n ? 1 : 0;
  }

  /** The same value, or the nearest in the given direction, with exactly `scale` decimals. */
  rescaled(scale: number, rounding: Rounding): Decimal {
    if (scale >= this.scale) return new Decimal(this.#unitsAt(scale), scale);
    return new Decimal(divide(this.units, powerOfTen(this.scale - scale), rounding), scale);
  }

  /** How many decimals the value needs: trailing zeros do not count. */
  get significantScale(): number {
    let { units, scale } = this;
    while (scale > 0 && units % 10n === 0n) {
      units /= 10n;
      scale -= 1;
    }
    return scale;
  }

  /** The value without trailing zeros after the point: `1.50` is `1.5`, `2.00` is `2`. */
  trimmed(): Decimal {
    return this.rescaled(this.significantScale, 'down');
  }

  /** Plain digits, never an exponent, with all of the scale's decimals. */
  toString(): string {
    const magnitude = (this.units < 0n ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const cut = magnitude.length - this.scale;
    const text = this.scale === 0 ? magnitude : `${magnitude.slice(0, cut)}.${magnitude.slice(cut)}`;
    return this.units < 0n ? `-${text}` : text;
  }

  #unitsAt(scale: number): bigint {
    return scale === this.scale ? this.units : this.units * powerOfTen(scale - this.scale);
  }
}

function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const quotient = dividend / divisor;
  if (rounding === 'down' || dividend % divisor === 0n) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

/**
 * A decimal number without a sign, in plain digits. People may write an exponent, or group it as pit shows it: `28,128.65`. What is
 * read keeps the zeros at its end.
 */
export const DECIMAL = kindOf(decimalPattern(30), 'must be a decimal number', (text) => {
  const plain = plainNumber(text);
  return DECIMAL.isExact(plain) ? Decimal.of(plain).toString() : undefined;
});

/** Plain digits, at most so many before and after the point. */
export function decimalPattern(digits: number): string {
  return `\\d{1,${digits}}(?:\\.\\d{1,${digits}})?`;
}

/** A decimal number with a unit: `0.5`, `50%`, `100usdt`. No coin's name that begins with a digit can follow a number. */
const WITH_UNIT = new RegExp(`^(${DECIMAL.pattern})(%|[A-Za-z][A-Za-z0-9]{0,19})?$`);

/**
 * Splits a number and its unit, which is `%`, a coin in lower case, or empty. Undefined for anything else, also for an exponent that
 * is out of bounds, which would otherwise name a coin.
 */
export function splitUnit(text: string): { readonly digits: string; readonly unit: string } | undefined {
  const [, digits, unit = ''] = WITH_UNIT.exec(plainNumber(text)) ?? [];
  return digits === undefined || /^e\d+$/i.test(unit) ? undefined : { digits, unit: unit.toLowerCase() };
}
/** A number with an exponent, alone or in a word like `bid+1e-05` or `1e2usdt`. */
const SCIENTIFIC = /(?<![\w.,])(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})[eE][+-]?\d+(?![\d.])/;

/**
 * A word with its number in plain digits: `28,128.65` is `28128.65`, `8.329e-05` is `0.00008329`, `1e2usdt` is `100usdt`.
 * Everything else is left alone: `1,500`, since much of the world reads it as 1.5, and an exponent that makes more than 30
 * digits before or after the point.
 */
export function plainNumber(word: string): string {
  return ungrouped(word).replace(SCIENTIFIC, (number) => {
    const digits = Decimal.parse(number)?.trimmed().toString() ?? '';
    return DECIMAL.isExact(digits) ? digits : number;
  });
}

/** Removes the commas of a number that is grouped as tables show it, if they can be nothing else: `28,128.65`, `1,250,000`. */
function ungrouped(word: string): string {
  return /^[1-9]\d{0,2}((,\d{3})+\.\d|(,\d{3}){2,}(?![\d,.]))/.test(word) ? word.replaceAll(',', '') : word;
}

/** Matches a number with separators, which may be ambiguous: `0,5`. */
const SEPARATED = /^[\d.,' ]*\d[,' ][\d.,' ]*\d/;

/** How to write the number of a word that is not understood; undefined if the way it is written is not what is wrong. */
export function numberAdvice(word: string): string | undefined {
  const plain = plainNumber(word);
  if (SCIENTIFIC.test(plain)) return 'With its exponent, the number has more than 30 digits before or after the point.';
  return SEPARATED.test(plain) ? 'Write the number with a point and without separators, as in 28063.5.' : undefined;
}

// Numbers as people read them, in previews, messages and results. JSON and CSV never pass through here: they are exact.

const NUMBER = /^([+-]?)(\d+)((?:\.\d*)?)$/;

/** Thousands separators in the whole part: `23140.48` is `23,140.48`. Anything but a plain number is returned unchanged. */
export function grouped(decimal: string): string {
  const [, sign, whole, fraction] = NUMBER.exec(decimal) ?? [];
  if (whole === undefined) return decimal;
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${fraction}`;
}

/** `1 order`, `1,200 orders`. */
export function counted(count: number, thing: string): string {
  return `${grouped(String(count))} ${thing}${count === 1 ? '' : 's'}`;
}

type Scale = Pick<Market, 'priceScale'>;

/** A price with the market's decimals: `28,100.50`. A price between two ticks keeps all its decimals. */
export function formatPrice(price: Decimal | string, { priceScale }: Scale): string {
  return withDecimals(decimalOf(price), priceScale);
}

/** How many decimals an average may have beyond the market's. */
const AVERAGE_EXTRA = 2;

/** An average price, which need not lie on a tick: `28,065.3414`. */
export function formatAverage(average: Decimal | string, { priceScale }: Scale, rounding: 'up' | 'down'): string {
  return withDecimals(decimalOf(average).rescaled(priceScale + AVERAGE_EXTRA, rounding), priceScale);
}

/** An average with the decimals of an order's own price, if the market is not at hand. It is rounded against the user. */
export function formatAverageLike(average: string, side: Side, price: string): string {
  return formatAverage(average, { priceScale: Decimal.of(price).scale }, side === 'buy' ? 'up' : 'down');
}

/** An amount of a coin, or a value in a coin, with all its digits and without trailing zeros: `14,050.25`. */
export function formatAmount(amount: Decimal | string): string {
  return grouped(decimalOf(amount).trimmed().toString());
}

const PERCENT_DECIMALS = 2;

/** A percentage, rounded away from zero, so that a value above a limit never reads as within it. `5.001` is `5.01%`. */
export function formatPercent(percent: Decimal): string {
  return `${withDecimals(percent.rescaled(PERCENT_DECIMALS, 'up'), PERCENT_DECIMALS)}%`;
}

/** A limit in percent as the user set it, with all its digits: `10.00%`, `2.125%`. */
export function formatPercentLimit(percent: Decimal): string {
  return `${withDecimals(percent, PERCENT_DECIMALS)}%`;
}

function withDecimals(value: Decimal, least: number): string {
  return grouped(value.rescaled(Math.max(least, value.significantScale), 'down').toString());
}

function decimalOf(value: Decimal | string): Decimal {
  return typeof value === 'string' ? Decimal.of(value) : value;
}
