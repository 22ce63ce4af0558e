import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { findDuplicates } from '../support/duplicates.js';
import { NOT_FOUND, query, record } from '../support/exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;
const TOLERANCE_MS = 61_000;

function terms(price: string): RecordedOrderTerms {
  return {
    ...{ ...BUYS, type: 'limit', account: 'spot' },
    ...{ price, amount: '0.01', borrow: false, repay: false },
  };
}

/** A sequence of pauses, each followed by an order, which the network may repeat later, or by a check for duplicates. */
const events = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 0, max: 45_000 }),
    price: fc.constantFrom('30000', '30001', undefined),
    repeatAfterMs: fc.option(fc.integer({ min: 1, max: TOLERANCE_MS - 1_000 }), { freq: 3 }),
  }),
  { minLength: 2, maxLength: 12 },
);

type Events = typeof events extends fc.Arbitrary<infer Value> ? Value : never;

/** An exchange that lists newest first, ten a page; a duplicate is listed from its time on. */
class Book {
  readonly duplicates = new Set<string>();
  #orders: { readonly id: string; readonly clientId: string; readonly price: string; readonly time: number }[] = [];
  #last = 0;

  constructor(readonly now: () => number) {}

  place(clientId: string, price: string, repeatAfterMs: number | null): string {
    const id = this.#add(clientId, price, this.now());
    if (repeatAfterMs !== null) this.duplicates.add(this.#add(clientId, price, this.now() + repeatAfterMs));
    return id;
  }

  page(index: number): string {
    const records = this.#records().slice(10 * (index - 1), 10 * index);
    return records.length === 0 ? NOT_FOUND : `[${records.join(',')}]`;
  }

  newest(clientId: string): string {
    const [newest = NOT_FOUND] = this.#records((order) => order.clientId === clientId);
    return newest;
  }

  #records(isMeant: (order: { readonly clientId: string }) => boolean = () => true): string[] {
    const listed = this.#orders.filter((order) => order.time <= this.now() && isMeant(order));
    const newestFirst = listed.sort((one, other) => other.time - one.time);
    return newestFirst.map(({ id, price, time }) => record({ id, price: Number(price), time }));
  }

  #add(clientId: string, price: string, time: number): string {
    this.#last += 1;
    const id = `${this.#last}`;
    this.#orders.push({ id, clientId, price, time });
    return id;
  }
}

async function served() {
  let repeatAfterMs: number | null = null;
  let book: Book | undefined;
  const server = await serveFaults({
    answer: ({ target }) => {
      const { price = '', pageNumber, clientId = '' } = query(target);
      if (target.startsWith('/api/getOrders?')) return respond(book?.page(Number(pageNumber)) ?? '');
      if (target.startsWith('/api/getOrder?')) return respond(book?.newest(clientId) ?? '');
      return respond(`{"code":"1000","message":"","id":"${book?.place(clientId, price, repeatAfterMs)}"}`);
    },
  });
  return {
    async run(trading: TestTrading, sequence: Events): Promise<Book> {
      book = new Book(trading.host.now);
      for (const [index, { pauseMs, price, repeatAfterMs: after }] of sequence.entries()) {
        await trading.host.sleep(pauseMs);
        repeatAfterMs = after;
        if (price === undefined) await findDuplicates(trading, BUYS);
        else await placeOrder(trading, terms(price), { id: `mine${1_000 + index}` });
      }
      await trading.host.sleep(2 * TOLERANCE_MS);
      await findDuplicates(trading, BUYS);
      return book;
    },
    url: server.url,
  };
}

it('each duplicate is reported once and no intended order is, whatever is placed, repeated and checked', async () => {
  const { url, run } = await served();
  await fc.assert(
    fc.asyncProperty(events, async (sequence) => {
      const trading = tradingOf(url, { tolerance: TOLERANCE_MS, budgetMs: 3_600_000 });
      const { duplicates } = await run(trading, sequence);
      const reported = trading.alarms.flatMap(({ ids }) => ids);
      expect(reported.toSorted()).toEqual([...duplicates].toSorted());
      // each carries the client id of its order, and is newer
      expect(trading.alarms.filter(({ isProven }) => !isProven)).toEqual([]);
      // the journal keeps what was reported, and no order as its own duplicate
      for (const { id, duplicates: kept } of trading.journal.archive.since(0)) {
        expect(kept).not.toContain(id);
        expect(kept.filter((one) => !duplicates.has(one))).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
});
