import { expect, test } from 'vitest';
import type { OrderType, Side } from '../../../src/domain/order.js';
import { type BookOrder, OrderBook } from '../../../src/sandbox/engine/book.js';

/** A book whose orders are numbered as they come, with events in words and its levels as text. */
class DrawnBook {
  readonly book = new OrderBook<BookOrder>();
  #count = 0n;

  submit(side: Side, price: number, amount: number, execution: OrderType = 'limit'): string {
    this.#count += 1n;
    const order = { id: this.#count, side, price: BigInt(price), remaining: BigInt(amount) };
    const events = this.book.submit(order, execution).map((event) => {
      if (event.kind === 'traded')
        return `${event.taker.id} takes ${event.amount} of ${event.maker.id} at ${event.price}`;
      return `${event.order.id} ${event.kind} with ${event.order.remaining}`;
    });
    return events.join('; ');
  }

  draw(): string {
    const row = (side: Side) =>
      [...this.book.levels(side)].map(
        ({ price, orders }) =>
          `${price}: ${[...orders.values()].map(({ id, remaining }) => `#${id} ${remaining}`).join(' ')}`,
      );
    return [...row('sell').reverse(), '--', ...row('buy')].join(' | ');
  }
}

test('orders trade by price, then time, at the price of the resting order', () => {
  const book = new DrawnBook();
  expect(book.submit('sell', 102, 5)).toBe('1 rested with 5');
  expect(book.submit('sell', 101, 3)).toBe('2 rested with 3');
  expect(book.submit('sell', 101, 4)).toBe('3 rested with 4');
  expect(book.submit('buy', 99, 9)).toBe('4 rested with 9');
  expect(book.draw()).toBe('102: #1 5 | 101: #2 3 #3 4 | -- | 99: #4 9');

  expect(book.submit('buy', 101, 5)).toBe('5 takes 3 of 2 at 101; 5 takes 2 of 3 at 101');
  expect(book.draw()).toBe('102: #1 5 | 101: #3 2 | -- | 99: #4 9');

  expect(book.submit('buy', 105, 9)).toBe('6 takes 2 of 3 at 101; 6 takes 5 of 1 at 102; 6 rested with 2');
  expect(book.draw()).toBe('-- | 105: #6 2 | 99: #4 9');

  expect(book.submit('sell', 98, 4)).toBe('7 takes 2 of 6 at 105; 7 takes 2 of 4 at 99');
  expect(book.draw()).toBe('-- | 99: #4 7');
});

test('an IOC order trades what it can and drops the rest', () => {
  const book = new DrawnBook();
  book.submit('sell', 101, 3);
  book.submit('sell', 103, 3);
  expect(book.submit('buy', 102, 5, 'ioc')).toBe('3 takes 3 of 1 at 101; 3 cancelled with 2');
  expect(book.submit('buy', 102, 5, 'ioc')).toBe('4 cancelled with 5');
  expect(book.submit('buy', 103, 1, 'ioc')).toBe('5 takes 1 of 2 at 103');
  expect(book.draw()).toBe('103: #2 2 | --');
});

test('an order crosses the book from the best price of the other side on, so that a PostOnly order is refused there', () => {
  const { book } = new DrawnBook();
  expect(book.crosses('buy', 1_000n)).toBe(false);
  book.submit({ id: 1n, side: 'sell', price: 101n, remaining: 3n }, 'limit');
  book.submit({ id: 2n, side: 'buy', price: 99n, remaining: 3n }, 'limit');
  expect([100n, 101n, 102n].map((price) => book.crosses('buy', price))).toEqual([false, true, true]);
  expect([100n, 99n, 98n].map((price) => book.crosses('sell', price))).toEqual([false, true, true]);
});

test('a cancelled order leaves the queue and the others keep their places', () => {
  const book = new DrawnBook();
  for (const amount of [1, 2, 3]) book.submit('buy', 100, amount);
  const [, second] = book.book.best('buy')?.orders.values() ?? [];
  if (second === undefined) throw new Error('nothing rests');
  expect(book.book.cancel(second)).toBe(true);
  expect(book.book.cancel(second)).toBe(false);
  expect(book.draw()).toBe('-- | 100: #1 1 #3 3');
  expect(book.book.best('buy')?.amount).toBe(4n);
  expect(book.submit('sell', 100, 2)).toBe('4 takes 1 of 1 at 100; 4 takes 1 of 3 at 100');
});

test('an order that does not rest cannot be cancelled, also in an empty book', () => {
  const { book } = new DrawnBook();
  const order = { id: 1n, side: 'buy', price: 100n, remaining: 1n } as const;
  expect(book.cancel(order)).toBe(false);
  book.submit({ ...order, id: 2n, price: 101n }, 'limit');
  expect(book.cancel(order)).toBe(false);
  expect(book.best('buy')?.amount).toBe(1n);
});

test('a stored order rests again with what remained of it, and the book has changed', () => {
  const book = new DrawnBook();
  const { revision } = book.book;
  book.book.restore({ id: 7n, side: 'sell', price: 101n, remaining: 2n });
  expect(book.book.revision).toBe(revision + 1);
  expect(book.draw()).toBe('101: #7 2 | --');
  expect(book.submit('buy', 101, 1)).toBe('1 takes 1 of 7 at 101');
});

test('prices that differ beyond the precision of a double stay different', () => {
  const book = new DrawnBook();
  const huge = 9_007_199_254_740_993n;
  for (const [index, price] of [huge, huge - 1n].entries()) {
    book.book.submit({ id: BigInt(index + 1), side: 'buy', price, remaining: 1n }, 'limit');
  }
  expect(book.draw()).toBe(`-- | ${huge}: #1 1 | ${huge - 1n}: #2 1`);
});
