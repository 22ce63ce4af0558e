import { deepStrictEqual, ok } from 'node:assert/strict';
import type { OrderType, Side } from '../../../src/domain/order.js';
import { type AccountOrder, stateOf } from '../../../src/sandbox/orders/order.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { Model } from './model.js';
import { OrderFixture } from './order-fixture.js';

export interface Placing {
  readonly account: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: number;
  readonly amount: number;
}

const COINS = ['usdt', 'btc'] as const;

/** The order service and the model, given the same actions. Each throws AssertionError if the two differ. */
export class ModelComparison {
  readonly real: OrderFixture;
  readonly model: Model;
  readonly counts = { placed: 0, refused: 0, cancelled: 0, trades: 0 };
  /** Time spent in the order service, in ms. */
  spent = 0;
  /** Orders that may be open, by the model's numbers. */
  readonly #orders = new Map<number, AccountOrder>();
  readonly #numbers = new Map<bigint, number>();
  #tradesSeen = 0;

  constructor(
    readonly accounts: readonly string[],
    usdt: bigint,
    lots: bigint,
  ) {
    this.real = new OrderFixture(accounts, usdt, lots);
    this.model = new Model(accounts, usdt, lots);
  }

  place({ account, side, type, price, amount }: Placing): void {
    const expected = this.model.place(account, side === 'buy', type, BigInt(price), BigInt(amount));
    const placed = this.#timed(() => this.real.place(account, side, type, price, amount));
    if (typeof expected !== 'number') {
      const reason = expected === 'crossing' ? 'wouldTrade' : 'insufficientBalance';
      ok(placed instanceof RequestRefused && placed.reason === reason, `${reason} expected, got ${String(placed)}`);
      this.counts.refused += 1;
      return;
    }
    if (placed instanceof RequestRefused) throw placed;
    this.counts.placed += 1;
    this.#orders.set(expected, placed);
    this.#numbers.set(placed.id, expected);
    this.#compareTrades(expected, placed);
  }

  /** Cancels the open order at a place of the model's list, if there is one. */
  cancel(pick: number): void {
    const chosen = this.model.resting[pick % Math.max(1, this.model.resting.length)];
    const order = this.#orders.get(chosen?.number ?? 0);
    if (chosen === undefined || order === undefined) return;
    this.model.cancel(chosen.number);
    this.#timed(() => this.real.cancel(order) ?? order);
    deepStrictEqual([order.open, order.remaining], [false, chosen.left]);
    this.counts.cancelled += 1;
  }

  deposit(account: string, coin: 'usdt' | 'btc', steps: bigint): void {
    this.model.deposit(account, coin, steps);
    this.real.credit(account, coin, steps);
  }

  /** Everything that both know: every resting order in the order in which it would trade, every balance, the sums. */
  check(): void {
    for (const side of ['buy', 'sell'] as const) {
      const rows = [...this.real.venue.book.levels(side)].flatMap(({ price, orders }) =>
        [...orders.values()].map((order) => [this.#numbers.get(order.id), order.account, price, order.remaining]),
      );
      const expected = this.model.side(side === 'buy');
      deepStrictEqual(
        rows,
        expected.map(({ number, account, price, left }) => [number, account, price, left]),
      );
    }
    for (const account of [...this.accounts, 'fees']) this.#checkMoney(account);
    for (const sum of this.real.ledger.sums().values()) ok(sum === 0n);
    this.#forget();
  }

  #checkMoney(account: string): void {
    const [owned, free] = [this.model.owned(account), this.model.free(account)];
    for (const coin of COINS) {
      deepStrictEqual(this.real.available(account, coin), free[coin]);
      deepStrictEqual(this.real.frozen(account, coin), owned[coin] - free[coin]);
    }
  }

  /** The trades of one order in sequence (parties, price, amount), and its remaining amount. */
  #compareTrades(number: number, order: AccountOrder): void {
    const expected = this.model.log.splice(0);
    const tape = this.real.trades;
    const trades = tape.between('btc_usdt', this.#tradesSeen + 1, tape.length('btc_usdt'));
    this.#tradesSeen += trades.length;
    this.counts.trades += trades.length;
    deepStrictEqual(
      trades.map(({ side, price, amount }) => `${number} ${side} ${price} ${amount}`),
      expected.map((line) => line.replace(/^\d+ (\d+) /, `$1 ${order.side} `)),
    );
    const left = this.model.resting.find((resting) => resting.number === number)?.left;
    const traded = trades.reduce((sum, { amount }) => sum + amount, 0n);
    deepStrictEqual([order.open, order.amount - order.remaining], [left !== undefined, traded]);
    const ended = traded === order.amount ? 'filled' : 'cancelled';
    deepStrictEqual(stateOf(order), left === undefined ? ended : 'open');
  }

  #forget(): void {
    this.real.forgetRows();
    for (const [number, order] of this.#orders) {
      if (order.open) continue;
      this.#orders.delete(number);
      this.#numbers.delete(order.id);
    }
  }

  #timed(work: () => AccountOrder): AccountOrder | RequestRefused {
    const start = performance.now();
    try {
      return work();
    } catch (error) {
      if (error instanceof RequestRefused) return error;
      throw error;
    } finally {
      this.spent += performance.now() - start;
    }
  }
}
