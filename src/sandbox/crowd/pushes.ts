import type { Codec, Table } from '../store-table.js';

/** A price that somebody wants to see: the way there from one time to another (ms), in ticks, and how it goes on. */
interface PriceMove {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly target: number;
  /** What the path is multiplied by since the target was reached; null before. */
  readonly factor: number | null;
}

export const priceMoveCodec: Codec<PriceMove> = {
  encode: ({ from, to, start, target, factor }) => [from, to, start, target, factor],
  decode: (row) => {
    const [from, to, start, target, factor] = row as [number, number, number, number, number | null];
    return { from, to, start, target, factor };
  },
};

/** Markets whose fair prices were pushed away from the path. They follow the path again from where they were pushed to. */
export class PriceMoves {
  private readonly byMarket = new Map<string, PriceMove>();

  constructor(private readonly table: Table<PriceMove>) {
    for (const [market, push] of table.entries({ start: '', end: '\u{7f}' })) this.byMarket.set(market, push);
  }

  /** Leads a market from a fair price to another, both in ticks, between two times. */
  add(market: string, push: Omit<PriceMove, 'factor'>): void {
    this.keep(market, { ...push, factor: null });
  }

  /** The fair price in ticks where the path has `path`; times go up from call to call. */
  fair(market: string, time: number, path: number): number {
    const push = this.byMarket.get(market);
    if (push === undefined) return path;
    if (push.factor !== null) return path * push.factor;
    if (time < push.to) return between(push, time);
    this.keep(market, { ...push, factor: push.target / path });
    return push.target;
  }

  private keep(market: string, push: PriceMove): void {
    this.byMarket.set(market, push);
    this.table.put(market, push);
  }
}

/** By the same share in each step. */
function between({ from, to, start, target }: PriceMove, time: number): number {
  const share = Math.max(0, time - from) / Math.max(1, to - from);
  return start * (target / start) ** share;
}
