import { CANDLE_MS, type Ohlcv } from '../../../src/domain/candle.js';
import { recordedMinutes } from '../../../src/sandbox/markets/recorded-minutes.js';

/** When the recording of btc_usdt begins. */
const START = Date.UTC(2023, 2, 1);
const HOUR = 60;

/** The recorded hours of btc_usdt from 1 to 21 March 2023: the crash of the 10th and the recovery after it. */
export function recordedHours(): Ohlcv[] {
  const { open, high, low, close, volume } = recordedMinutes();
  return Array.from({ length: open.length / HOUR }, (_, hour) => {
    const minutes = [hour * HOUR, (hour + 1) * HOUR] as const;
    return {
      time: START + hour * CANDLE_MS['1hour'],
      open: cents(open[minutes[0]]),
      high: cents(Math.max(...high.subarray(...minutes))),
      low: cents(Math.min(...low.subarray(...minutes))),
      close: cents(close[minutes[1] - 1]),
      volume: String(volume.subarray(...minutes).reduce((sum, part) => sum + part, 0) / 1e6),
    };
  });
}

function cents(ticks = 0): string {
  return (ticks / 100).toFixed(2);
}
