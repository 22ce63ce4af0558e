import type { Side } from '../engine/order.js';

/** A recorded candle: `length` ms long, prices in ticks and volume in lots. */
export interface RecordedCandle {
  readonly time: number;
  readonly length: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
}

/** A trade as it is to happen: the taker's side, ticks and lots. Without a lot it is only noted in the candle. */
export interface Print {
  readonly time: number;
  readonly side: Side;
  readonly price: bigint;
  readonly amount: bigint;
}

/** What a file recorded of a market, oldest first. */
export type Recording =
  | { readonly kind: 'candles'; readonly rows: readonly RecordedCandle[] }
  | { readonly kind: 'trades'; readonly rows: readonly Print[] };

/** When a recording begins, and when its last row is over: ms since the Unix epoch. */
export function spanOf({ kind, rows }: Recording): { from: number; to: number } {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('an empty recording');
  return { from: first.time, to: kind === 'candles' ? last.time + (last as RecordedCandle).length : last.time };
}

/**
 * The trades that make up a candle: open, the nearer extreme, the other extreme, close, evenly over its time. A rising
 * candle goes over its low first. The volume is spread evenly and to the lot; what cannot be shared goes to the later ones.
 * Prices that follow each other unchanged are one trade. A price for which no lot is left is a print without an amount.
 */
export function printsOf({ time, length, open, high, low, close, volume }: RecordedCandle): Print[] {
  const extremes = close >= open ? [low, high] : [high, low];
  const prices = [open, ...extremes, close].filter((price, index, all) => index === 0 || price !== all[index - 1]);
  const count = BigInt(prices.length);
  const [share, rest] = [volume / count, volume % count];
  return prices.map((price, index) => ({
    time: time + Math.floor((index * length) / prices.length),
    side: price >= (prices[index - 1] ?? price) ? 'buy' : 'sell',
    price,
    amount: share + (BigInt(index) >= count - rest ? 1n : 0n),
  }));
}
