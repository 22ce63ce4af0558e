import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Order } from '../../../src/sandbox/desk/order.js';
import type { Side } from '../../../src/sandbox/engine/order.js';
import { Refusal } from '../../../src/sandbox/refusals.js';
import { BareDesk } from '../support/desk.js';
import { Model } from '../support/model.js';

interface Placing {
  account: string;
  side: Side;
  type: 'limit' | 'postOnly' | 'ioc';
  price: number;
  amount: number;
}

const ACCOUNTS = ['ann', 'ben', 'cas', 'dee'];
const USDT = 20_000n;
const LOTS = 200n;

const placing: fc.Arbitrary<Placing> = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  side: fc.constantFrom<Side>('buy', 'sell'),
  type: fc.constantFrom('limit' as const, 'limit' as const, 'postOnly' as const, 'ioc' as const),
  price: fc.integer({ min: 90, max: 110 }),
  amount: fc.integer({ min: 1, max: 40 }),
});
const cancelling = fc.record({ cancel: fc.nat({ max: 1_000 }) });
const doing = fc.oneof({ weight: 3, arbitrary: placing }, { weight: 1, arbitrary: cancelling });

/** Both exchanges, given the same orders, with the real orders by the model's numbers. */
class Twins {
  readonly real = new BareDesk(ACCOUNTS, USDT, LOTS);
  readonly model = new Model(ACCOUNTS, USDT, LOTS);
  readonly orders: Order[] = [];

  do(action: Placing | { cancel: number }): void {
    if ('cancel' in action) this.cancel(action.cancel);
    else this.place(action);
  }

  private place({ account, side, type, price, amount }: Placing): void {
    const expected = this.model.place(account, side === 'buy', type, BigInt(price), BigInt(amount));
    if (typeof expected !== 'number') {
      const reason = expected === 'crossing' ? 'wouldTrade' : 'insufficientBalance';
      expect(() => this.real.place(account, side, type, price, amount)).toThrow(expect.objectContaining({ reason }));
      return;
    }
    this.orders.push(this.real.place(account, side, type, price, amount));
    expect(this.orders.length).toBe(expected);
  }

  private cancel(pick: number): void {
    const order = this.orders[pick % Math.max(1, this.orders.length)];
    if (order === undefined) return;
    this.model.cancel(this.orders.indexOf(order) + 1);
    this.real.cancel(order);
  }

  check(): void {
    expect(this.sides()).toEqual(
      [true, false].map((buy) => this.model.side(buy).map(({ number, left }) => [number, left])),
    );
    for (const account of [...ACCOUNTS, 'fees']) this.checkMoney(account);
    for (const sum of this.real.ledger.sums().values()) expect(sum).toBe(0n);
    const { book } = this.real.venue;
    const [bid, ask] = [book.best('buy')?.price ?? 0n, book.best('sell')?.price ?? 1_000n];
    expect(bid < ask).toBe(true);
  }

  trades(): string[] {
    return [...this.real.trades.range({ start: '', end: '~' })].map(
      ({ price, amount, side }) => `${side} ${price} ${amount}`,
    );
  }

  private checkMoney(account: string): void {
    const [owned, free] = [this.model.owned(account), this.model.free(account)];
    for (const coin of ['usdt', 'btc'] as const) {
      expect(this.real.ledger.available(account, coin)).toBe(free[coin]);
      expect(this.real.ledger.frozen(account, coin)).toBe(owned[coin] - free[coin]);
    }
  }

  /** What rests, in the order in which it would trade. */
  private sides(): [number, bigint][][] {
    return (['buy', 'sell'] as const).map((side) =>
      [...this.real.venue.book.levels(side)].flatMap(({ orders }) =>
        [...orders.values()].map((order): [number, bigint] => [this.orders.indexOf(order) + 1, order.remaining]),
      ),
    );
  }
}

test('10,000 random orders and cancels do what an independent, simpler model does, after each of them', () => {
  const runs = fc.property(fc.array(doing, { minLength: 250, maxLength: 250, size: 'max' }), (actions) => {
    const twins = new Twins();
    for (const action of actions) {
      twins.do(action);
      twins.check();
    }
    const expected = twins.model.log.map((line) => line.split(' ').slice(2).join(' '));
    expect(twins.trades().map((line) => line.split(' ').slice(1).join(' '))).toEqual(expected);
  });
  fc.assert(runs, { numRuns: 40 });
});

test('a refusal is a Refusal, with the code of the field notes', () => {
  const place = () => new BareDesk(['ann'], 10n, 0n).place('ann', 'buy', 'limit', 100, 1);
  expect(place).toThrow(Refusal);
  expect(place).toThrow(expect.objectContaining({ code: 2009 }));
});
