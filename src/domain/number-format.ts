import { Decimal } from './decimal.js';
import type { Market } from './market.js';
import type { Side } from './order.js';

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

/** A price with the market's decimals: `28,100.50`. One between two ticks keeps all it has, as the middle of a book may. */
export function formatPrice(price: Decimal | string, { priceScale }: Scale): string {
  return withDecimals(decimalOf(price), priceScale);
}

/** How many decimals an average may have beyond the market's. */
const AVERAGE_EXTRA = 2;

/** An average price, which need not lie on a tick: `28,065.3414`. */
export function formatAverage(average: Decimal | string, { priceScale }: Scale, rounding: 'up' | 'down'): string {
  return withDecimals(decimalOf(average).rescaled(priceScale + AVERAGE_EXTRA, rounding), priceScale);
}

/** The same with the decimals of an order's own price, for who does not know the market. Rounded against the user. */
export function averageNear(average: string, side: Side, price: string): string {
  return formatAverage(average, { priceScale: Decimal.of(price).scale }, side === 'buy' ? 'up' : 'down');
}

/** An amount of a coin, or a value in one, with all its digits and no zeros at their end: `14,050.25`. */
export function formatAmount(amount: Decimal | string): string {
  return grouped(decimalOf(amount).trimmed().toString());
}

const PERCENT_DECIMALS = 2;

/** Per cent, rounded away from zero: what is above a limit never reads as within it. `5.001` is `5.01%`. */
export function formatPercent(percent: Decimal): string {
  return `${withDecimals(percent.rescaled(PERCENT_DECIMALS, 'up'), PERCENT_DECIMALS)}%`;
}

/** A limit in per cent that the user set, with all its digits: `10.00%`, `2.125%`. */
export function formatPercentLimit(percent: Decimal): string {
  return `${withDecimals(percent, PERCENT_DECIMALS)}%`;
}

function withDecimals(value: Decimal, least: number): string {
  return grouped(value.rescaled(Math.max(least, value.significantScale), 'down').toString());
}

function decimalOf(value: Decimal | string): Decimal {
  return typeof value === 'string' ? Decimal.of(value) : value;
}
