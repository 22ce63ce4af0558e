import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import { MINUTE } from '../markets/candles.js';
import type { SandboxMarket } from '../markets/market.js';

/** In bytes; two years of minutes. All rows are in memory while they are read. */
export const LONGEST_RECORDING = 64 * 2 ** 20;

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

/** A trade to be replayed, in ticks and lots, with the taker's side. With an amount of 0 only the candle shows its price. */
export interface Print {
  readonly time: number;
  readonly side: Side;
  readonly price: bigint;
  readonly amount: bigint;
}

/** The recorded rows of a market, oldest first. */
export type Recording =
  | { readonly kind: 'candles'; readonly rows: readonly RecordedCandle[] }
  | { readonly kind: 'trades'; readonly rows: readonly Print[] };

/** When a recording begins, and when its last row ends: ms since the Unix epoch. */
export function spanOf({ kind, rows }: Recording): { from: number; to: number } {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('an empty recording');
  return { from: first.time, to: kind === 'candles' ? last.time + (last as RecordedCandle).length : last.time };
}

/**
 * The trades that make up a candle, evenly over its time: open, one extreme, the other, close. A rising candle has its low first.
 * The volume is spread evenly in whole lots, remaining lots going to the later trades. Repeated prices are one trade. A price
 * for which no lot is left becomes a print without an amount.
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

/** Thrown for a file that cannot be replayed. The message names the line and the rule. */
export class BadRecording extends Error {
  override readonly name = 'BadRecording';
}

/**
 * Reads a recording of a market: comma-separated rows, with or without a header. The number of columns determines the format:
 * - 6: open time, open, high, low, close, volume
 * - 12: the same six, then close time, quote volume and other columns, which are ignored
 * - 5: time, trade id, the taker's side (`buy`, `sell`), price, amount
 *
 * Times are milliseconds since the Unix epoch, or microseconds if they have 16 digits. Rows are sorted by time; candles may be
 * missing. Throws {@link BadRecording}.
 */
export function readRecording(text: string, market: SandboxMarket): Recording {
  const lines = text.split(/\r?\n/);
  const rows = lines.flatMap((line, index) => (isData(line, index) ? [new Line(line, index + 1, market)] : []));
  const [first] = rows;
  if (first === undefined) throw new BadRecording('the file has no rows');
  const columns = first.columns.length;
  for (const row of rows) row.demand(row.columns.length === columns, `${columns} columns, as the rows before`);
  if (columns === 5) return { kind: 'trades', rows: inOrder(rows, (row) => row.trade(), true) };
  if (columns !== 6 && columns !== 12) {
    first.demand(false, '5 columns (trades), or 6 or 12 (candles)');
  }
  const length = shortest(rows.map((row) => row.time()));
  return { kind: 'candles', rows: inOrder(rows, (row) => row.candle(length), false) };
}

function isData(line: string, index: number): boolean {
  return line.trim() !== '' && !(index === 0 && /^\s*"?[A-Za-z_]/.test(line.replace('\u{feff}', '')));
}

/** The shortest distance between two rows is the length of a candle; longer ones are gaps. */
function shortest(times: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < times.length; index += 1) {
    least = Math.min(least, (times[index] ?? 0) - (times[index - 1] ?? 0));
  }
  return least > 0 && Number.isFinite(least) ? least : MINUTE;
}

function inOrder<Row extends { readonly time: number }>(
  lines: readonly Line[],
  read: (line: Line) => Row,
  together: boolean,
): Row[] {
  let last = Number.NEGATIVE_INFINITY;
  return lines.map((line) => {
    const row = read(line);
    line.demand(together ? row.time >= last : row.time > last, 'a time after that of the row before');
    last = row.time;
    return row;
  });
}

class Line {
  readonly #number: number;
  readonly #market: SandboxMarket;

  readonly columns: readonly string[];

  constructor(line: string, number: number, market: SandboxMarket) {
    this.#number = number;
    this.#market = market;

    this.columns = line.split(',').map((column) => column.trim().replace(/^"(.*)"$/, '$1'));
  }

  /** ms since the Unix epoch. */
  time(): number {
    const text = this.#column(0);
    this.demand(/^\d{12,13}$|^\d{16}$/.test(text), 'a time in milliseconds or microseconds');
    return Number(text.length === 16 ? text.slice(0, 13) : text);
  }

  candle(length: number): RecordedCandle {
    const [time, open, high, low, close] = [
      this.time(),
      this.#price(1),
      this.#price(2),
      this.#price(3),
      this.#price(4),
    ];
    this.demand(time % MINUTE === 0 && length % MINUTE === 0, 'candles of whole minutes');
    this.demand(low <= open && low <= close && high >= open && high >= close, 'a low and a high around open and close');
    return { time, length, open, high, low, close, volume: this.#amount(5) };
  }

  trade(): Print {
    const side = this.#column(2).toLowerCase();
    this.demand(side === 'buy' || side === 'sell', 'a side that is buy or sell');
    const amount = this.#amount(4);
    this.demand(amount > 0n, 'an amount above zero');
    return { time: this.time(), side: side === 'buy' ? 'buy' : 'sell', price: this.#price(3), amount };
  }

  demand(holds: boolean, rule: string): void {
    if (!holds)
      throw new BadRecording(`line ${this.#number} does not have ${rule}: ${this.columns.join(',').slice(0, 80)}`);
  }

  #price(index: number): bigint {
    const { priceScale, name } = this.#market;
    const ticks = this.#units(index, priceScale, `a price with at most ${priceScale} decimals, as ${name} has`);
    this.demand(ticks > 0n, 'prices above zero');
    return ticks;
  }

  #amount(index: number): bigint {
    const { amountScale, name } = this.#market;
    return this.#units(index, amountScale, `an amount with at most ${amountScale} decimals, as ${name} has`);
  }

  #units(index: number, scale: number, rule: string): bigint {
    const text = this.#column(index);
    const value = /^\d{1,15}(\.\d{0,20})?(e[+-]?\d{1,2})?$/i.test(text) ? Decimal.parse(text) : undefined;
    this.demand(value !== undefined && value.significantScale <= scale, rule);
    return value?.rescaled(scale, 'down').units ?? 0n;
  }

  #column(index: number): string {
    return this.columns[index] ?? '';
  }
}
