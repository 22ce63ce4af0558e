/** The last numbers that were assigned. */
export interface Sequence {
  order: bigint;
  trade: bigint;
  bill: bigint;
}

export const FIRST: Readonly<Sequence> = { order: 0n, trade: 1_000_000_000n, bill: 1_000_000_000n };

const DAY = 86_400_000;

/** Increasing ids of orders, trades and bills. */
export class Sequences {
  readonly #last: Sequence;

  #day = { number: Number.NaN, first: 0n };

  /** The last numbers are a part of the exchange's state. */
  constructor(last: Sequence) {
    this.#last = last;
  }

  /**
   * An order id of 18 digits, more than a double holds, like the interface's: the UTC date, the ms of the day, and two digits
   * that distinguish the orders of one ms. If those are used up, the ids run ahead of the clock. Deposits and withdrawals
   * take their ids from here too.
   */
  order(time: number): bigint {
    const fromTime = this.#firstOfDay(time) + BigInt(time % DAY) * 100n;
    this.#last.order = fromTime > this.#last.order ? fromTime : this.#last.order + 1n;
    return this.#last.order;
  }

  /** The lowest id of the day, computed once a day. */
  #firstOfDay(time: number): bigint {
    const day = Math.floor(time / DAY);
    if (day !== this.#day.number) {
      const date = new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
      this.#day = { number: day, first: BigInt(date) * 10_000_000_000n };
    }
    return this.#day.first;
  }

  trade(): bigint {
    this.#last.trade += 1n;
    return this.#last.trade;
  }

  bill(): bigint {
    this.#last.bill += 1n;
    return this.#last.bill;
  }

  /** The number of trades so far. */
  get trades(): number {
    return Number(this.#last.trade - FIRST.trade);
  }
}
