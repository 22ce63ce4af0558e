import type { CandleSeries } from '../candles-series.js';
import type { Side } from '../engine/order.js';
import { type Codec, type Table, under } from '../store-table.js';

/** A trade as the public sees it: ticks and lots, the taker's side. */
export interface Trade {
  readonly id: bigint;
  readonly time: number;
  readonly side: Side;
  readonly price: bigint;
  readonly amount: bigint;
}

/** The most trades that are shown at once: the interface's 50. */
export const SHOWN = 50;

export const tradeCodec: Codec<Trade> = {
  encode: ({ time, side, price, amount }) => [time, side, String(price), String(amount)],
  decode: (row, key) => {
    const [time, side, price, amount] = row as [number, Side, string, string];
    const id = BigInt(key.slice(key.indexOf('/') + 1));
    return { id, time, side, price: BigInt(price), amount: BigInt(amount) };
  },
};

/** The trades of one market: the latest in memory, all of them on disk, and their candles. */
export class Tape {
  private readonly latest: Trade[];

  constructor(
    private readonly market: string,
    private readonly table: Table<Trade>,
    readonly candles: CandleSeries,
  ) {
    this.latest = take(table.range({ ...under(`${market}/`), reverse: true }), SHOWN).reverse();
  }

  get last(): Trade | undefined {
    return this.latest.at(-1);
  }

  record(trade: Trade): void {
    this.latest.push(trade);
    if (this.latest.length > SHOWN) this.latest.shift();
    this.table.put(this.key(trade.id), trade);
    this.candles.record(trade.time, trade.price, trade.amount);
  }

  /** At most 50 trades, oldest first: those that follow an id, or the latest. */
  after(id?: bigint): readonly Trade[] {
    if (id === undefined) return [...this.latest];
    const oldest = this.latest[0];
    if (oldest === undefined || id >= oldest.id) return this.latest.filter((trade) => trade.id > id);
    return take(this.table.range({ start: this.key(id + 1n), end: under(`${this.market}/`).end }), SHOWN);
  }

  private key(id: bigint): string {
    return `${this.market}/${id.toString().padStart(20, '0')}`;
  }
}

function take<Value>(values: Iterable<Value>, count: number): Value[] {
  const taken: Value[] = [];
  for (const value of values) {
    taken.push(value);
    if (taken.length === count) break;
  }
  return taken;
}
