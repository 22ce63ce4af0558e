import { Decimal } from '../domain/decimal.js';
import type { Screen } from './screen.js';

/** From one eighth of a cell to a full one. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/** A bar for each amount, the largest one of the given width, the others in proportion; nothing for zero. */
export function bars(screen: Screen, amounts: readonly string[], width: number): string[] {
  const values = amounts.map((amount) => Decimal.of(amount));
  const largest = values.reduce((most, value) => (value.compare(most) > 0 ? value : most), Decimal.zero);
  if (largest.sign === 0) return amounts.map(() => '');
  const steps = screen.symbols ? EIGHTHS : ['#'];
  const all = Decimal.fromUnits(BigInt(width * steps.length), 0);
  return values.map((value) => {
    if (value.sign <= 0) return '';
    // Away from zero, so that the smallest amount still shows; a count of steps is small enough for a number.
    return bar(Number(value.times(all).dividedBy(largest, 0, 'up').units), steps);
  });
}

function bar(length: number, steps: readonly string[]): string {
  const whole = Math.floor(length / steps.length);
  const rest = length % steps.length;
  return (steps.at(-1) ?? '').repeat(whole) + (rest === 0 ? '' : steps[rest - 1]);
}
