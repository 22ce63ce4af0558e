import type { MarketRules } from '../../sandbox/markets/market.js';

/** What is said of a market whose rules are guessed. */
export function guessedText({
  name,
  priceScale,
  amountScale,
}: Pick<MarketRules, 'name' | 'priceScale' | 'amountScale'>): string {
  return `The rules of ${name} are unknown: as in the tape, its prices have ${decimalsText(priceScale)}, and its amounts ${decimalsText(amountScale)}. There is no minimum.`;
}

function decimalsText(count: number): string {
  return count === 1 ? '1 decimal' : `${count} decimals`;
}
