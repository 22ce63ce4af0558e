import { aggregate, type History, type MarketCandle, MINUTE, type StoredCandleType } from '../markets/candles.js';
import type { SandboxMarket } from '../markets/market.js';
import { type Columns, emptyColumns, RECORDED_MINUTES, recordedMinutes } from '../markets/recorded-minutes.js';
import { combinedMove, factorOf, type Move, ownMove, recordedMove } from './price-path.js';
import { random } from './random.js';

/** Prices in the quote coin as numbers, before they are rounded to ticks. */
type Shape = Readonly<Record<'open' | 'high' | 'low' | 'close', Float64Array>>;

/**
 * The candles of a market before trading began, up to `end` (ms, exclusive). Those of btc_usdt are recorded, the others derived
 * from them and the seed, so none are stored. Before the recording, it is repeated: backwards, forwards, and so on, so that
 * prices go on where they were.
 *
 * @param length how far it reaches back, in ms (default: as far as the recording)
 */
export function prehistory(
  market: SandboxMarket,
  seed: number,
  end: number,
  length = RECORDED_MINUTES * MINUTE,
): History {
  const make = () => (market.name === 'btc_usdt' ? recordedMinutes() : synthesised(market, seed));
  return new ColumnHistory(end, Math.floor(length / MINUTE), make);
}

/** A history that is made when it is first read. */
class ColumnHistory implements History {
  readonly #length: number;
  readonly #make: () => Columns;

  readonly start: number;
  readonly #levels = new Map<StoredCandleType, MarketCandle[]>();
  #made: Columns | undefined;

  constructor(
    readonly end: number,
    length: number,
    make: () => Columns,
  ) {
    this.#length = length;
    this.#make = make;

    this.start = end - length * MINUTE;
  }

  candles(level: StoredCandleType, from: number, to: number): MarketCandle[] {
    if (level === '1min') return this.#minutes(from, to);
    const candles = this.#levels.get(level) ?? aggregate(this.#minutes(this.start, this.end), level);
    this.#levels.set(level, candles);
    return candles.filter(({ time }) => time >= from && time < to);
  }

  #minutes(from: number, to: number): MarketCandle[] {
    const first = Math.max(0, Math.ceil((from - this.start) / MINUTE));
    const last = Math.min(this.#length, Math.ceil((to - this.start) / MINUTE));
    return Array.from({ length: Math.max(0, last - first) }, (_, index) => this.#minute(first + index));
  }

  #minute(index: number): MarketCandle {
    this.#made ??= this.#make();
    const { high, low, volume } = this.#made;
    const [times, minute] = divided(this.#length - 1 - index, RECORDED_MINUTES);
    const isBackwards = times % 2 === 1;
    const recorded = isBackwards ? minute : RECORDED_MINUTES - 1 - minute;
    const [open, close] = isBackwards ? [this.#made.close, this.#made.open] : [this.#made.open, this.#made.close];
    const at = (column: Int32Array | Float64Array) => BigInt(column[recorded] ?? 0);
    const time = this.start + index * MINUTE;
    return { time, open: at(open), high: at(high), low: at(low), close: at(close), volume: at(volume) };
  }
}

function divided(count: number, by: number): [quotient: number, remainder: number] {
  return [Math.floor(count / by), count % by];
}

/** Made once for each seed: another exchange in this process, such as an imported one, has the same. */
const made = new Map<string, Columns>();

function synthesised(market: SandboxMarket, seed: number): Columns {
  const name = `${market.name}/${seed}`;
  const columns = made.get(name) ?? synthesise(market, seed);
  // the one used last comes last
  made.delete(name);
  made.set(name, columns);
  const [oldest] = made.keys();
  if (made.size > MAX_MADE && oldest !== undefined) made.delete(oldest);
  return columns;
}

/** Room for the markets of two seeds. */
const MAX_MADE = 14;

/** A history like the recording that ends at the coin's genesis price and is consistent with the other markets. */
function synthesise(market: SandboxMarket, seed: number): Columns {
  const base = shapeOf(market.base, seed);
  const shape = market.quote === 'usdt' ? base : crossed(base, shapeOf(market.quote, seed));
  const columns = emptyColumns(shape.close.length);
  const ticks = 10 ** market.priceScale;
  for (let minute = 0; minute < shape.close.length; minute += 1) {
    for (const part of ['open', 'high', 'low', 'close'] as const) {
      columns[part][minute] = Math.round((shape[part][minute] ?? 0) * ticks);
    }
  }
  fillVolume(columns.volume, market, seed);
  return columns;
}

function shapeOf(coin: string, seed: number): Shape {
  const { factor, index } = factorOf(coin);
  const length = recordedMinutes().close.length;
  const shape = emptyShape(length);
  let level = 0;
  for (let minute = 0; minute < length; minute += 1) {
    const btc: Move = recordedMove(Math.max(1, minute));
    const move = combinedMove(factor, btc, ownMove(seed, 100 + index, minute));
    for (const part of ['open', 'high', 'low', 'close'] as const) shape[part][minute] = level + move[part];
    level += move.close;
  }
  for (const column of Object.values(shape)) {
    for (let minute = 0; minute < length; minute += 1) {
      column[minute] = factor.price * Math.exp((column[minute] ?? 0) - level);
    }
  }
  return shape;
}

/** The price of one coin in another. Their extremes do not coincide, so the ratio's are limited. */
function crossed(base: Shape, quote: Shape): Shape {
  const shape = emptyShape(base.close.length);
  for (let minute = 0; minute < base.close.length; minute += 1) {
    const ratio = (part: keyof Shape) => (base[part][minute] ?? 0) / (quote[part][minute] ?? 1);
    const [open, close] = [ratio('open'), ratio('close')];
    shape.open[minute] = open;
    shape.close[minute] = close;
    shape.high[minute] = Math.max(open, close, ratio('high'));
    shape.low[minute] = Math.min(open, close, ratio('low'));
  }
  return shape;
}

function emptyShape(length: number): Shape {
  const column = () => new Float64Array(length);
  return { open: column(), high: column(), low: column(), close: column() };
}

function fillVolume(volume: Float64Array, market: SandboxMarket, seed: number): void {
  const { factor, index } = factorOf(market.base);
  const scale = (volumeFactor(market) * 10 ** market.amountScale) / 1e6;
  const recorded = recordedMinutes().volume;
  for (let minute = 0; minute < volume.length; minute += 1) {
    const spread = 0.4 + 1.2 * random(seed, 200 + index, minute);
    volume[minute] = Math.round(((recorded[minute] ?? 0) * spread * scale) / factor.price);
  }
}

/** The USDT value that a market trades for each BTC traded in btc_usdt. */
export function volumeFactor(market: SandboxMarket): number {
  const btc = factorOf('btc').factor.price;
  return factorOf(market.base).factor.turnover * btc * (market.quote === 'usdt' ? 1 : 0.15);
}
