import { Decimal, formatAmount } from '../../../domain/decimal.js';
import { percentText } from '../../../trading/algos/plan/check-terms.js';
import type { TrailDistance } from '../../../trading/algos/plan/terms.js';

const ONE = Decimal.of('1');

/** `2%`, `300`, `50 ticks`. */
export function distanceText({ unit, value }: TrailDistance): string {
  if (unit === 'share') return percentText(value);
  return unit === 'price' ? formatAmount(value) : `${value} ${value.equals(ONE) ? 'tick' : 'ticks'}`;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
] as const;

/** `2h`, `90s`, as a flag takes it. */
export function durationText(ms: number): string {
  const [length, unit] = UNITS.find(([one]) => ms >= one && ms % one === 0) ?? [1, 'ms'];
  return `${ms / length}${unit}`;
}

/** That a slippage ends at the price band, if it does. */
export function bandText(slippage: Decimal, priceBand: Decimal | null | undefined): string {
  if (priceBand === undefined) return ' and never beyond the price band';
  const isWithin = priceBand === null || slippage.compare(priceBand) <= 0;
  return isWithin ? '' : `, but not beyond the price band of ${percentText(priceBand)}`;
}
