import { brotliDecompressSync } from 'node:zlib';
import { MINUTES, PACKED } from './data/btc-usdt-2023-03.js';

/** One-minute candles as columns, in ticks and lots, oldest first. */
export interface Columns {
  readonly open: Int32Array;
  readonly high: Int32Array;
  readonly low: Int32Array;
  readonly close: Int32Array;
  readonly volume: Float64Array;
}

let recording: Columns | undefined;

/** The recorded minutes of btc_usdt, unpacked once: prices in 0.01 USDT, volumes in 0.000001 BTC. data/README.md has the format. */
export function recordedMinutes(): Columns {
  recording ??= unpack(brotliDecompressSync(Buffer.from(PACKED, 'base64')));
  return recording;
}

export function emptyColumns(length: number): Columns {
  const column = () => new Int32Array(length);
  return { open: column(), high: column(), low: column(), close: column(), volume: new Float64Array(length) };
}

function unpack(bytes: Uint8Array): Columns {
  const numbers = varints(bytes);
  const part = (column: number) => numbers.subarray(column * MINUTES, (column + 1) * MINUTES);
  const [fromPrevious, body, above, below, volume] = [part(0), part(1), part(2), part(3), part(4)];
  const columns = emptyColumns(MINUTES);
  let previous = 0;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const open = previous + unzigzag(fromPrevious[minute] ?? 0);
    const close = open + unzigzag(body[minute] ?? 0);
    columns.open[minute] = open;
    columns.close[minute] = close;
    columns.high[minute] = Math.max(open, close) + (above[minute] ?? 0);
    columns.low[minute] = Math.min(open, close) - (below[minute] ?? 0);
    columns.volume[minute] = volume[minute] ?? 0;
    previous = close;
  }
  return columns;
}

function varints(bytes: Uint8Array): Float64Array {
  const numbers = new Float64Array(MINUTES * 5);
  let index = 0;
  let factor = 1;
  for (const byte of bytes) {
    numbers[index] = (numbers[index] ?? 0) + (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) {
      index += 1;
      factor = 1;
    }
  }
  return numbers;
}

function unzigzag(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}
