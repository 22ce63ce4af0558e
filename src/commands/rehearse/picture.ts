import { Decimal } from '../../domain/decimal.js';
import { coinText } from '../../sandbox/markets/market.js';
import type { CandleEvent, TradeEvent } from '../../sandbox/replay/tape-event.js';
import { candleSvg } from '../../terminal/charts/index.js';
import type { AccountRecord } from './account-record.js';

/** More are joined. */
const MOST_CANDLES = 600;
/** How long a drawn candle is at least, in milliseconds, if the tape has none. Each is a multiple of the one before. */
const LENGTHS_MS = [1_000, 5_000, 15_000, 60_000];

interface PicturedCandle {
  readonly time: number;
  readonly open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  volume: Decimal;
  /** What the account was worth at its end, and what it would have been without a trade, in units of the coin of all values. */
  value: bigint | undefined;
  held: bigint | undefined;
}

/** The candles of the first market of a tape, and what the account was worth, in memory that does not grow with the tape. */
export class MarketPicture {
  #market: string | undefined;
  #lengthMs = 0;
  #candles: PicturedCandle[] = [];

  add(event: CandleEvent | TradeEvent, record: AccountRecord): void {
    const { market, time, price, amount } = event;
    this.#market ??= market;
    if (market !== this.#market) return;
    const [traded, volume] = [Decimal.of(price), Decimal.of(amount)];
    if (this.#lengthMs === 0) this.#lengthMs = event.kind === 'candle' ? event.length : (LENGTHS_MS[0] ?? 0);
    const begin = Math.floor(time / this.#lengthMs) * this.#lengthMs;
    const last = this.#candles.at(-1);
    const now = { close: traded, volume, value: record.value, held: record.heldValue };
    if (last?.time === begin) join(last, { high: traded, low: traded, ...now });
    else this.#candles.push({ time: begin, open: traded, high: traded, low: traded, ...now });
    if (this.#candles.length > MOST_CANDLES) this.#joinNeighbours();
  }

  /** The drawing, with the fills of its market. Undefined if nothing was traded. */
  draw(record: AccountRecord): string | undefined {
    if (this.#candles.length === 0) return undefined;
    const candles = this.#candles.map(({ time, open, high, low, close, volume }) => ({
      ...{ time, open: open.toString(), high: high.toString(), low: low.toString() },
      ...{ close: close.toString(), volume: volume.toString() },
    }));
    const fills = record.fills.filter(({ market }) => market === this.#market);
    return candleSvg(candles, `Rehearsal in ${this.#market}`, {
      marks: fills.map(({ time, price, side }) => ({ time, price: Number(price), isUp: side === 'buy' })),
      line: {
        name: `value in ${record.unit}; dashed: held instead`,
        values: this.#candles.map(({ value }) => textOrNull(record, value)),
        compared: this.#candles.map(({ held }) => textOrNull(record, held)),
      },
    });
  }

  #joinNeighbours(): void {
    this.#lengthMs = LENGTHS_MS.find((length) => length > this.#lengthMs) ?? this.#lengthMs * 2;
    const joined: PicturedCandle[] = [];
    for (const candle of this.#candles) {
      const time = Math.floor(candle.time / this.#lengthMs) * this.#lengthMs;
      const last = joined.at(-1);
      if (last?.time === time) join(last, candle);
      else joined.push({ ...candle, time });
    }
    this.#candles = joined;
  }
}

function textOrNull({ unit }: AccountRecord, value: bigint | undefined): string | null {
  return value === undefined ? null : coinText(unit, value);
}

function join(
  candle: PicturedCandle,
  { high, low, close, volume, value, held }: Omit<PicturedCandle, 'time' | 'open'>,
): void {
  if (high.compare(candle.high) > 0) candle.high = high;
  if (low.compare(candle.low) < 0) candle.low = low;
  candle.close = close;
  candle.volume = candle.volume.plus(volume);
  candle.value = value;
  candle.held = held;
}
