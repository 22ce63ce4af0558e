import type { Codec, Table } from '../store/table.js';

/** The orders of an account in a market are to be cancelled at a time, in ms since the Unix epoch. */
interface TimedCancel {
  readonly account: string;
  readonly market: string;
  readonly time: number;
}

export const timeCodec: Codec<number> = { encode: (time) => time, decode: Number };

/** The running timers of cancelAllOrdersAfter: one per account and market, few, all in memory and on disk. */
export class TimedCancels {
  private readonly timers = new Map<string, TimedCancel>();
  private earliest: TimedCancel | undefined;

  constructor(private readonly table: Table<number>) {
    for (const [key, time] of table.entries({ start: '', end: '\u{7f}' })) {
      const [account = '', market = ''] = key.split('/');
      this.timers.set(key, { account, market, time });
    }
    this.findEarliest();
  }

  /** Starts the timer of an account and market, or starts it again: "a further call refreshes the timer". */
  set(timer: TimedCancel): void {
    const key = keyOf(timer);
    this.timers.set(key, timer);
    this.table.put(key, timer.time);
    this.findEarliest();
  }

  /** When the first timer ends; infinity when none runs. */
  get next(): number {
    return this.earliest?.time ?? Number.POSITIVE_INFINITY;
  }

  /** Takes out the timer that ends first, if it ends by `now`. */
  takeDue(now: number): TimedCancel | undefined {
    const due = this.earliest;
    if (due === undefined || due.time > now) return undefined;
    this.timers.delete(keyOf(due));
    this.table.delete(keyOf(due));
    this.findEarliest();
    return due;
  }

  private findEarliest(): void {
    this.earliest = undefined;
    for (const timer of this.timers.values()) {
      if (this.earliest === undefined || timer.time < this.earliest.time) this.earliest = timer;
    }
  }
}

function keyOf({ account, market }: Omit<TimedCancel, 'time'>): string {
  return `${account}/${market}`;
}
