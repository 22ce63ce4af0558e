import type { Ohlcv } from '../../domain/candle.js';

/**
 * A candle as it is drawn: numbers, for places on the screen only. If there are more candles than columns, neighbours are
 * drawn as one, with the time of the first.
 */
export interface DrawnCandle {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

export interface CandlePicture {
  readonly candles: readonly DrawnCandle[];
  /** How many candles of the data each drawn one stands for. */
  readonly merged: number;
  readonly low: number;
  readonly high: number;
  readonly maxVolume: number;
}

/** The candles to draw in a number of columns, and the range they need. There is at least one candle. */
export function candlePicture(candles: readonly Ohlcv[], columns: number): CandlePicture {
  const merged = Math.max(1, Math.ceil(candles.length / columns));
  const groups = Array.from({ length: Math.ceil(candles.length / merged) }, (_, index) =>
    joined(candles.slice(index * merged, (index + 1) * merged).map(toNumbers)),
  );
  const [low, high] = [Math.min(...groups.map((one) => one.low)), Math.max(...groups.map((one) => one.high))];
  // a market that did not move is drawn in the middle
  const margin = high > low ? 0 : Math.abs(high) / 1000 || 1;
  return {
    candles: groups,
    merged,
    low: low - margin,
    high: high + margin,
    maxVolume: Math.max(...groups.map(({ volume }) => volume)),
  };
}

function toNumbers({ time, open, high, low, close, volume }: Ohlcv): DrawnCandle {
  return {
    time,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
  };
}

function joined(group: readonly DrawnCandle[]): DrawnCandle {
  return group.reduce((whole, next) => ({
    time: whole.time,
    open: whole.open,
    high: Math.max(whole.high, next.high),
    low: Math.min(whole.low, next.low),
    close: next.close,
    volume: whole.volume + next.volume,
  }));
}

/** Whether the price rose or stayed. */
export function isUp({ open, close }: { readonly open: number; readonly close: number }): boolean {
  return close >= open;
}
