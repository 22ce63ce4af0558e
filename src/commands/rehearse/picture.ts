import { Decimal } from '../../domain/decimal.js';
import { coinText } from '../../sandbox/markets/market.js';
import type { CandleEvent, TradeEvent } from '../../sandbox/replay/tape-event.js';
import { candleSvg } from '../../terminal/charts/index.js';
import type { AccountRecord } from './account-record.js';

/** More are joined in pairs. */
const MOST_CANDLES = 600;
const SHORTEST_MS = 60_000;

interface PicturedCandle {
  readonly time: number;
  readonly open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  volume: Decimal;
  /** What the account was worth at its end, in units of the coin of all values. */
  value: bigint | undefined;
}

/** The candles of the first market of a tape, and what the account was worth, in memory that does not grow with the tape. */
export class MarketPicture {
  #market: string | undefined;
  #lengthMs = SHORTEST_MS;
  #candles: PicturedCandle[] = [];

  add({ market, time, price, amount }: CandleEvent | TradeEvent, record: AccountRecord): void {
    this.#market ??= market;
    if (market !== this.#market) return;
    const [traded, volume] = [Decimal.of(price), Decimal.of(amount)];
    const begin = Math.floor(time / this.#lengthMs) * this.#lengthMs;
    const last = this.#candles.at(-1);
    const value = record.value;
    if (last?.time === begin) join(last, { high: traded, low: traded, close: traded, volume, value });
    else this.#candles.push({ time: begin, open: traded, high: traded, low: traded, close: traded, volume, value });
    if (this.#candles.length > MOST_CANDLES) this.#joinPairs();
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
        name: `value in ${record.unit}`,
        values: this.#candles.map(({ value }) => (value === undefined ? null : coinText(record.unit, value))),
      },
    });
  }

  #joinPairs(): void {
    this.#lengthMs *= 2;
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

function join(
  candle: PicturedCandle,
  { high, low, close, volume, value }: Omit<PicturedCandle, 'time' | 'open'>,
): void {
  if (high.compare(candle.high) > 0) candle.high = high;
  if (low.compare(candle.low) < 0) candle.low = low;
  candle.close = close;
  candle.volume = candle.volume.plus(volume);
  candle.value = value;
}
