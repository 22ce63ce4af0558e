import { Decimal } from '../domain/decimal.js';
import type { Side } from '../domain/order.js';
import type { Paint } from './palette.js';
import type { Column } from './table.js';

const NUMBER = /^([+-]?)(\d+)((?:\.\d*)?)$/;

/** With its sign written out: `+1.25`, `-0.40`; zero has none. */
export function signed(decimal: string): string {
  const [, sign, whole, fraction] = NUMBER.exec(decimal) ?? [];
  if (whole === undefined) return decimal;
  const magnitude = `${whole}${fraction}`;
  if (!/[1-9]/.test(magnitude)) return magnitude;
  return `${sign === '-' ? '-' : '+'}${magnitude}`;
}

/** What an order does to the base coin, by sign and word: `+ BUY`, `- SELL`. */
export function sideText(side: Side): string {
  return side === 'buy' ? '+ BUY' : '- SELL';
}

/** A text that belongs to a side, in that side's colour. */
export function paintSide(text: string, side: Side, paint: Paint): string {
  return side === 'buy' ? paint.bid(text) : paint.ask(text);
}

/** A column that distinguishes buys from sells. */
export function sideColumn<Row>(side: (row: Row) => Side, options: { importance?: number } = {}): Column<Row> {
  return {
    title: 'side',
    value: (row) => sideText(side(row)),
    paint: (text, row, paint) => paintSide(text, side(row), paint),
    ...options,
  };
}

/** A change in percent: `+1.25%`. */
export function changeText(percent: string): string {
  return `${signed(percent)}%`;
}

/** A text that begins with zero, perhaps because it was rounded. */
const SHOWN_ZERO = /^\s*[+-]?0(?:\.0+)?(?![\d.,])/;

/** A text that belongs to a change, in the colour of its direction; no colour for none, and for one that is rounded to zero. */
export function paintChange(text: string, percent: string | null, paint: Paint): string {
  const sign = percent === null || SHOWN_ZERO.test(text) ? 0 : (Decimal.parse(percent)?.sign ?? 0);
  return sign === 0 ? text : sign > 0 ? paint.up(text) : paint.down(text);
}

/** A column of changes in percent, null if there is none. */
export function changeColumn<Row>(
  percent: (row: Row) => string | null,
  options: { title?: string; importance?: number } = {},
): Column<Row> {
  return {
    title: 'change',
    value: (row) => {
      const change = percent(row);
      return change === null ? null : changeText(change);
    },
    align: 'decimal',
    paint: (text, row, paint) => paintChange(text, percent(row), paint),
    ...options,
  };
}
