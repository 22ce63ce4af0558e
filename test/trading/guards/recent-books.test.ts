import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { RecentBooks } from '../../../src/trading/guards/recent-books.js';
import type { BookView } from '../../../src/trading/preview/market-view.js';

const MARKET = 'http://127.0.0.1:1 btc_usdt';
const clock = { now: 0, monotonic: 0 };
let books: RecentBooks;
let reads = 0;

beforeEach(() => {
  [clock.now, clock.monotonic, reads] = [1_000_000, 5_000, 0];
  books = new RecentBooks({ now: () => clock.now, monotonic: () => clock.monotonic });
});

/** Passes time on both clocks, in milliseconds. */
function pass(milliseconds: number): void {
  clock.now += milliseconds;
  clock.monotonic += milliseconds;
}

/** Asks for the book of a market, whose request takes a while. Returns the number of the request that read it. */
async function bookNumber(market = MARKET, requestMs = 0): Promise<string> {
  const book = await books.of(market, async () => {
    reads += 1;
    pass(requestMs);
    return { bids: [{ price: String(reads), amount: '1' }], asks: [], last: null } satisfies BookView;
  });
  return book instanceof Failure ? book.message : (book.bids[0]?.price ?? '');
}

describe('the book that guards share', () => {
  it('is read once for all orders of one second', async () => {
    expect(await bookNumber()).toBe('1');
    pass(1_000);
    expect(await bookNumber()).toBe('1');
    pass(1);
    expect(await bookNumber()).toBe('2');
  });

  it('ages from the moment when its request began', async () => {
    await bookNumber(MARKET, 1_001);
    expect(await bookNumber()).toBe('2');
  });

  it('grows no younger when the clock is set back, or when one of the clocks stands still', async () => {
    await bookNumber();
    clock.now -= 1;
    expect(await bookNumber()).toBe('2');
    clock.now += 1_001;
    expect(await bookNumber()).toBe('3');
    clock.monotonic += 1_001;
    expect(await bookNumber()).toBe('4');
  });

  it('belongs to one market', async () => {
    await bookNumber();
    expect(await bookNumber('http://127.0.0.1:1 eth_usdt')).toBe('2');
  });

  it('is read again after it was dropped', async () => {
    await bookNumber();
    books.forget();
    expect(await bookNumber()).toBe('2');
  });

  it('is not there if it could not be read: the next order asks again', async () => {
    const failure = new Failure('unreachable', 'no answer');
    expect(await books.of(MARKET, async () => failure)).toBe(failure);
    expect(await bookNumber()).toBe('1');
  });
});
