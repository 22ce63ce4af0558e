import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AccountBill, BillBook } from '../../../src/sandbox/accounts/bills.js';
import { Ledger } from '../../../src/sandbox/accounts/ledger.js';
import { FIRST, Sequences } from '../../../src/sandbox/orders/sequences.js';
import { Store } from '../../../src/sandbox/store/store.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';
import { StoreInMemory } from '../support/memory.js';

/** Rows in memory that count how often they are read. */
class CountingRows {
  readonly rows = new Map<string, unknown>();
  reads = 0;

  get(key: string): unknown {
    this.reads += 1;
    return this.rows.get(key);
  }

  /** Downwards, as the end of a list is found. */
  *getRange({ start, end }: { start: string; end: string }): Generator<{ key: string; value: unknown }> {
    const keys = [...this.rows.keys()].filter((key) => key >= end && key < start).sort();
    for (const key of keys.reverse()) {
      this.reads += 1;
      yield { key, value: this.rows.get(key) };
    }
  }

  put(key: string, value: unknown): void {
    this.rows.set(key, value);
  }
}

const COINS = ['btc', 'usdt', 'eth'];

/** One bill a second for one account. */
function filled(count: number): ReadonlyMap<string, CountingRows> {
  const disk = new Map(['bills', 'coinBills'].map((name) => [name, new CountingRows()]));
  const store = new StoreInMemory((name) => disk.get(name));
  const ledger = new Ledger();
  const book = new BillBook(store, ledger, new Sequences({ ...FIRST }));
  for (let index = 0; index < count; index += 1) {
    const coin = COINS[index % 3] ?? '';
    ledger.credit('1', coin, 1n);
    book.post('1', coin, 1n, 'deposit');
    book.write(index * 1_000);
  }
  store.writeRows();
  return disk;
}

test('finds any page of 100,000 bills with a few reads', () => {
  const disk = filled(100_000);
  const ask = (query: Parameters<BillBook['page']>[1]): [number[], number] => {
    const book = new BillBook(new StoreInMemory((name) => disk.get(name)), new Ledger(), new Sequences({ ...FIRST }));
    const rows = [...disk.values()];
    for (const table of rows) table.reads = 0;
    const bills = book.page('1', query);
    return [bills.map(({ time }) => time / 1_000), rows.reduce((sum, { reads }) => sum + reads, 0)];
  };
  const down = (from: number, step: number, count: number) =>
    Array.from({ length: count }, (_, at) => from - at * step);
  const queries = [
    [{ page: 1, pageSize: 50 }, down(99_999, 1, 50)],
    [{ page: 2_000, pageSize: 50 }, down(49, 1, 50)],
    [{ page: 2_001, pageSize: 50 }, []],
    [{ coin: 'usdt', page: 1, pageSize: 50 }, down(99_997, 3, 50)],
    [{ coin: 'usdt', page: 600, pageSize: 50 }, down(99_997 - 599 * 150, 3, 50)],
    [{ from: 40_000_000, until: 40_005_001, page: 1, pageSize: 50 }, down(40_005, 1, 6)],
    [{ coin: 'btc', from: 40_000_000, until: 40_006_000, page: 1, pageSize: 50 }, [40_005, 40_002]],
    [{ until: 60_000_000, page: 1_000, pageSize: 50 }, down(10_049, 1, 50)],
    [{ coin: 'doge', page: 1, pageSize: 50 }, []],
    [{ from: 200_000_000, page: 1, pageSize: 50 }, []],
  ] as const;
  for (const [query, expected] of queries) {
    const [times, reads] = ask(query);
    expect(times).toEqual(expected);
    expect(reads, JSON.stringify(query)).toBeLessThan(200);
  }
});

const step = fc.record({
  account: fc.constantFrom('1', '2', '1~cross'),
  coin: fc.constantFrom(...COINS),
  later: fc.integer({ min: -2, max: 3 }),
});
const asked = fc.record({
  account: fc.constantFrom('1', '2', '1~cross'),
  coin: fc.option(fc.constantFrom(...COINS), { nil: undefined }),
  from: fc.option(fc.integer({ min: -2, max: 60 }), { nil: undefined }),
  until: fc.option(fc.integer({ min: -2, max: 60 }), { nil: undefined }),
  page: fc.integer({ min: 1, max: 4 }),
  pageSize: fc.integer({ min: 1, max: 7 }),
});

test('pages of bills equal those of a filtered list, also after clock changes and a restart', async () => {
  const runs = fc.asyncProperty(
    fc.array(step, { maxLength: 60 }),
    fc.array(asked, { maxLength: 12 }),
    async (steps, queries) => {
      const directory = temporaryDirectory();
      let store = Store.open(directory);
      const ledger = new Ledger();
      const sequences = new Sequences({ ...FIRST });
      let book = new BillBook(store, ledger, sequences);
      const kept: Pick<AccountBill, 'account' | 'coin' | 'time' | 'balance'>[] = [];
      let now = 10;
      for (const [index, { account, coin, later }] of steps.entries()) {
        now += later;
        ledger.credit(account, coin, 5n);
        book.post(account, coin, 5n, 'deposit');
        book.write(now);
        const before = kept.filter((bill) => bill.account === account);
        const own = before.filter((bill) => bill.coin === coin).length;
        const time = Math.max(now, before.at(-1)?.time ?? now);
        kept.push({ account, coin, time, balance: 5n * BigInt(own + 1) });
        if (index === 30) {
          await store.close();
          store = Store.open(directory);
          book = new BillBook(store, ledger, sequences);
        }
      }
      for (const { account, coin, from = -100, until = 1_000, page, pageSize } of queries) {
        const all = kept.filter((bill) => bill.account === account && (coin ?? bill.coin) === bill.coin);
        const within = all.filter(({ time }) => time >= from && time < until).reverse();
        const expected = within.slice((page - 1) * pageSize, page * pageSize);
        expect(book.page(account, { coin, from, until, page, pageSize })).toMatchObject(expected);
        expect(book.page(account, { coin, from, until, page, pageSize })).toHaveLength(expected.length);
      }
      await store.close();
    },
  );
  await fc.assert(runs, { numRuns: 40 });
});
