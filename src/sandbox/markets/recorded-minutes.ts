import { brotliDecompressSync } from 'node:zlib';
import packed from '../../../assets/btc-usdt-2023-03.bin' with { type: 'bytes' };

/** The number of recorded candles. */
export const RECORDED_MINUTES = 30_240;

/** One-minute candles as columns, in ticks and lots, oldest first. */
export interface Columns {
  readonly open: Int32Array;
  readonly high: Int32Array;
  readonly low: Int32Array;
  readonly close: Int32Array;
  readonly volume: Float64Array;
}

let recording: Columns | undefined;

/** The recorded minutes of btc_usdt, unpacked once: prices in 0.01 USDT, volumes in 0.000001 BTC. */
export function recordedMinutes(): Columns {
  recording ??= unpack(brotliDecompressSync(packed));
  return recording;
}

export function emptyColumns(length: number): Columns {
  const column = () => new Int32Array(length);
  return { open: column(), high: column(), low: column(), close: column(), volume: new Float64Array(length) };
}

/** assets/README.md has the format. */
function unpack(bytes: Uint8Array): Columns {
  const numbers = new Int32Array(Uint8Array.from(bytes).buffer);
  const column = (index: number) => numbers.subarray(index * RECORDED_MINUTES, (index + 1) * RECORDED_MINUTES);
  const [open, high, low, close, volume] = [column(0), column(1), column(2), column(3), column(4)];
  return { open, high, low, close, volume: Float64Array.from(volume) };
}
