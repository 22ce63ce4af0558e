import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';

/** A candle as a file has it. */
export interface FileCandle {
  /** When it begins, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  readonly volume: Decimal;
}

/** The prices that a candle shows and an earlier state of it did not. @param isHighFirst the order of a new high and a new low */
export function changedPath(before: FileCandle, { high, low, close }: FileCandle, isHighFirst: boolean): Decimal[] {
  const extremes = [...(high.compare(before.high) > 0 ? [high] : []), ...(low.compare(before.low) < 0 ? [low] : [])];
  if (extremes.length === 0 && close.equals(before.close)) return [];
  return [...(isHighFirst ? extremes : extremes.toReversed()), close];
}

export function withoutRepeats(prices: readonly Decimal[]): Decimal[] {
  return prices.filter((price, index) => index === 0 || !price.equals(prices[index - 1] ?? Decimal.zero));
}

/** A price of a candle with its part of the volume. */
export interface PricePart {
  readonly price: string;
  readonly amount: string;
  readonly side: Side;
}

/**
 * Spreads a volume over prices, in whole units of its last decimal or of the market's amounts, whichever are smaller; the later prices get
 * what is left.
 * @param amountScale decimals of the market's amounts
 */
export function shares(
  prices: readonly Decimal[],
  volume: Decimal,
  before: Decimal | undefined,
  amountScale: number,
): PricePart[] {
  const scale = Math.max(volume.scale, amountScale);
  const units = volume.sign > 0 ? volume.rescaled(scale, 'down').units : 0n;
  const count = BigInt(prices.length);
  const [share, rest] = [units / count, Number(units % count)];
  const [less, more] = [share, share + 1n].map((amount) => Decimal.fromUnits(amount, scale).toString());
  return prices.map((price, index) => {
    const earlier = index === 0 ? (before ?? price) : (prices[index - 1] ?? price);
    return {
      price: price.toString(),
      amount: (index >= prices.length - rest ? more : less) ?? '0',
      side: price.compare(earlier) >= 0 ? 'buy' : 'sell',
    };
  });
}
