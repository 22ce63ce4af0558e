import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.js';
import { type GrowingList, pagesInOrder, TakenRows } from '../../src/exchange/lists/growing-pages.js';

const SIZE = 5;

/** A growing list of the numbers from `length` down to 1. @param arrivals how many rows are added at the head before each request is handled */
function listOf(length: number, arrivals: readonly number[]) {
  const rows = Array.from({ length }, (_, index) => length - index);
  const asked: number[] = [];
  const list: GrowingList<number> = {
    identity: String,
    isUnique: true,
    time: (row) => row,
    isLast: (page) => page.length < SIZE,
    read: async (page) => {
      const added = arrivals[asked.length] ?? 0;
      asked.push(page);
      for (let count = 0; count < added; count += 1) rows.unshift((rows[0] ?? 0) + 1);
      return rows.slice((page - 1) * SIZE, page * SIZE);
    },
  };
  return { list, asked };
}

async function all<Row>(list: GrowingList<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { fresh } of pagesInOrder(list)) rows.push(...fresh);
  return rows;
}

describe('pagesInOrder of a list that grows while it is read', () => {
  const arrivals = fc.constantFrom(0, 0, 0, 0, 0, 1, 2, SIZE - 1, SIZE + 2);

  it('returns every row of the start once, newest first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(160), fc.array(arrivals, { maxLength: 60 }), async (length, added) => {
        const { list } = listOf(length, added);
        const rows = await all(list);
        expect(rows.filter((row) => row <= length)).toEqual(Array.from({ length }, (_, index) => length - index));
        expect(rows).toEqual([...new Set(rows)].sort((left, right) => right - left));
      }),
      { numRuns: 1500 },
    );
  });

  it('reads each page once, one after the other', async () => {
    const { list, asked } = listOf(4 * SIZE - 1, []);
    await all(list);
    expect(asked).toEqual([1, 2, 3, 4]);
  });

  it('fails if the exchange ignores page numbers', async () => {
    const list = { ...listOf(SIZE, []).list, read: async () => [5, 4, 3, 2, 1] };
    await expect(all(list)).rejects.toThrow(new Failure('partial', 'the exchange returned the same page again'));
  });
});

/** Rows that may be equal in everything: letters. Before the given reads, rows are added at the head. */
function lettersOf(text: string, added: Readonly<Record<number, string>> = {}) {
  let rows = [...text];
  const asked: number[] = [];
  const list: GrowingList<string> = {
    identity: (row) => row,
    isUnique: false,
    time: () => Number.NaN,
    isLast: (page) => page.length < SIZE,
    read: async (page) => {
      rows = [...(added[asked.length] ?? ''), ...rows];
      asked.push(page);
      return rows.slice((page - 1) * SIZE, page * SIZE);
    },
  };
  return { list, asked };
}

describe('pagesInOrder of rows that may be equal in everything', () => {
  it('returns equal rows of one page as often as the page has them', async () => {
    const { list, asked } = lettersOf('abbbcdde');
    expect((await all(list)).join('')).toBe('abbbcdde');
    expect(asked).toEqual([1, 2]);
  });

  it('returns equal rows on both sides of the edge between two pages, which the page before shows when it is read again', async () => {
    const { list, asked } = lettersOf('abcdeefgh');
    expect((await all(list)).join('')).toBe('abcdeefgh');
    expect(asked).toEqual([1, 2, 1]);
  });

  it.each([
    ['one row is added', 'z', 'abcdefgh'],
    ['two rows are added', 'yz', 'abcdefgh'],
    ['more than a page of rows is added', 'tuvwxyz', 'abcdefgh'],
    ['a row is added whose push makes a page begin with two equal rows', 'z', 'abcddefg'],
  ])('returns a row once that was pushed to the next page while %s', async (_, head, text) => {
    const { list } = lettersOf(text, { 1: head });
    expect((await all(list)).filter((row) => text.includes(row)).join('')).toBe(text);
  });

  it('counts as few rows as the pages prove if rows are added just where rows are equal', async () => {
    // ab|cdd|d: that a row was added shows on the first page, how many d there are does not
    const { list } = lettersOf('abcdddef', { 1: 'z' });
    expect((await all(list)).join('')).toBe('abcddef');
  });

  it('goes on from the rows of another list, whose last ones may be the first here', async () => {
    const first = lettersOf('abc');
    const taken = new TakenRows(first.list);
    const rows: string[] = [];
    for (const { list } of [first, lettersOf('cd')])
      for await (const { fresh } of pagesInOrder(list, taken)) rows.push(...fresh);
    expect(rows.join('')).toBe('abcd');
  });
});

describe('TakenRows', () => {
  it('recognizes the rows of a list of any length, although it remembers few', () => {
    const taken = new TakenRows<number>({ identity: String, time: (row) => row });
    const rows = Array.from({ length: 50_000 }, (_, index) => 100_000 - index);
    for (let from = 0; from < rows.length; from += 50) {
      const page = rows.slice(from, from + 50);
      expect(taken.fresh(page, true)).toEqual(page);
    }
    expect(taken.fresh(rows.slice(-3_000, -2_500), true)).toEqual([]);
    expect(taken.fresh(rows.slice(0, 10), true)).toEqual([]);
    expect(taken.fresh([100_001, 50_000], true)).toEqual([50_000]);
  });

  it('recognizes rows of unknown age', () => {
    const taken = new TakenRows<string>({ identity: String, time: () => Number.NaN });
    expect(taken.fresh(['a', 'b'], false)).toEqual(['a', 'b']);
    expect(taken.fresh(['b', 'c', 'a', 'd'], true)).toEqual(['c', 'd']);
  });

  it('takes no row twice from a page that did not move since one that was pushed back as a whole', () => {
    const taken = new TakenRows<string>({ identity: String, time: () => Number.NaN });
    taken.fresh(['a', 'b', 'c'], false);
    expect(taken.fresh(['a', 'b'], true)).toEqual([]);
    expect(taken.fresh(['c', 'd'], false)).toEqual(['d']);
  });
});
