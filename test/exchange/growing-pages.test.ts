import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.js';
import { type GrowingList, pagesInOrder, Seen } from '../../src/exchange/growing-pages.js';

const SIZE = 5;

/** Before a request is handled: how many later requests come first, and how many rows are added at the head. */
interface Moment {
  readonly later: number;
  readonly arrivals: number;
}

/** A growing list of the numbers from `length` down to 1, whose requests overtake each other as given. */
function listOf(length: number, moments: readonly Moment[]) {
  const rows = Array.from({ length }, (_, index) => length - index);
  const asked: number[] = [];
  let served = 0;
  let most = 0;
  let open = 0;
  const list: GrowingList<number> = {
    id: String,
    isLast: (page) => page.length < SIZE,
    read: async (page) => {
      asked.push(page);
      open += 1;
      most = Math.max(most, open);
      const { later, arrivals } = moments[served] ?? { later: 1, arrivals: 0 };
      served += 1;
      for (let turn = 0; turn < later; turn += 1) await new Promise(setImmediate);
      for (let count = 0; count < arrivals; count += 1) rows.unshift((rows[0] ?? 0) + 1);
      open -= 1;
      return rows.slice((page - 1) * SIZE, page * SIZE);
    },
  };
  return { list, asked, together: () => most };
}

async function all(list: GrowingList<number>): Promise<number[]> {
  const seen = new Seen<number>(String, (row) => row);
  const rows: number[] = [];
  for await (const page of pagesInOrder(list)) rows.push(...seen.fresh(page));
  return rows;
}

describe('pagesInOrder of a list that grows while it is read', () => {
  const moment = fc.record({ later: fc.nat(6), arrivals: fc.constantFrom(0, 0, 0, 0, 0, 1, 2, SIZE - 1, SIZE + 2) });

  it('returns every row of the start once, newest first, in whatever order requests are answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(160), fc.array(moment, { minLength: 1, maxLength: 60 }), async (length, moments) => {
        const { list } = listOf(length, moments);
        const rows = await all(list);
        expect(rows.filter((row) => row <= length)).toEqual(Array.from({ length }, (_, index) => length - index));
        expect(rows).toEqual([...new Set(rows)].sort((left, right) => right - left));
      }),
      { numRuns: 1500 },
    );
  });

  it('reads a short list page by page and a long one four pages at a time', async () => {
    const few = listOf(4 * SIZE - 1, [{ later: 1, arrivals: 0 }]);
    await all(few.list);
    expect({ asked: few.asked, together: few.together() }).toEqual({ asked: [1, 2, 3, 4], together: 1 });
    const many = listOf(100 * SIZE, [{ later: 1, arrivals: 0 }]);
    await all(many.list);
    expect(many.together()).toBe(4);
    // 101 pages, one page back after each run of twelve, and the pages requested together with the last
    expect(many.asked.length).toBeLessThanOrEqual(101 + 9 + 3);
  });

  it('fails if the exchange ignores page numbers', async () => {
    const list = { ...listOf(SIZE, [{ later: 0, arrivals: 0 }]).list, read: async () => [5, 4, 3, 2, 1] };
    await expect(all(list)).rejects.toThrow(new Failure('partial', 'the exchange returned the same page again'));
  });
});

describe('Seen', () => {
  it('recognizes the rows of a list of any length, although it remembers few', () => {
    const seen = new Seen<number>(String, (row) => row);
    const rows = Array.from({ length: 50_000 }, (_, index) => 100_000 - index);
    for (let from = 0; from < rows.length; from += 50) {
      const page = rows.slice(from, from + 50);
      expect(seen.fresh(page)).toEqual(page);
    }
    expect(seen.fresh(rows.slice(-3_000, -2_500))).toEqual([]);
    expect(seen.fresh(rows.slice(0, 10))).toEqual([]);
    expect(seen.fresh([100_001, 50_000])).toEqual([50_000]);
  });

  it('recognizes rows of unknown age by their ids', () => {
    const seen = new Seen<string>(String, () => Number.NaN);
    expect(seen.fresh(['a', 'b'])).toEqual(['a', 'b']);
    expect(seen.fresh(['b', 'c', 'a', 'd'])).toEqual(['c', 'd']);
  });
});
