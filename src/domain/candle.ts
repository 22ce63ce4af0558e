export const CANDLE_TYPES = [
  '1min',
  '3min',
  '5min',
  '15min',
  '30min',
  '1hour',
  '2hour',
  '4hour',
  '6hour',
  '12hour',
  '1day',
  '3day',
  '1week',
] as const;

export type CandleType = (typeof CANDLE_TYPES)[number];

/** What was traded from a time on. Prices and volume are decimal texts. */
export interface Ohlcv {
  /** Opening time in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

export interface Candle extends Ohlcv {
  /** Whether it is proven to be over. */
  readonly closed: boolean;
}

const MINUTE_MS = 60_000;

/** How long a candle of each type lasts, in milliseconds. */
export const CANDLE_MS: Readonly<Record<CandleType, number>> = {
  '1min': MINUTE_MS,
  '3min': 3 * MINUTE_MS,
  '5min': 5 * MINUTE_MS,
  '15min': 15 * MINUTE_MS,
  '30min': 30 * MINUTE_MS,
  '1hour': 60 * MINUTE_MS,
  '2hour': 120 * MINUTE_MS,
  '4hour': 240 * MINUTE_MS,
  '6hour': 360 * MINUTE_MS,
  '12hour': 720 * MINUTE_MS,
  '1day': 1440 * MINUTE_MS,
  '3day': 3 * 1440 * MINUTE_MS,
  '1week': 7 * 1440 * MINUTE_MS,
};
