import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pageNewestFirst } from '../../../src/commands/mcp/row-pages.js';

interface Row {
  readonly id: number;
  readonly time: string | null;
}

const rowAt = (time: number | null, id: number): Row => ({
  id,
  time: time === null ? null : new Date(time).toISOString(),
});

function page(rows: readonly Row[], limit: number, cursor: string | undefined, hasPages: boolean) {
  const result = { data: rows, warnings: [], error: null };
  const answer = pageNewestFirst('bills', { limit: String(limit), cursor }, result, { hasPages });
  return { rows: answer.data as readonly Row[], cursor: answer.nextCursor ?? undefined };
}

it('a list continues after the last row that was given, however many newer rows come meanwhile', () => {
  const times = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 3 }), (unsorted, limit, newer) => {
      let rows = unsorted.toSorted((left, right) => right - left).map((time, id) => rowAt(time, id));
      const original = rows;
      const found: Row[] = [];
      let cursor: string | undefined;
      do {
        const next = page(rows, limit, cursor, false);
        found.push(...next.rows);
        cursor = next.cursor;
        rows = [...Array.from({ length: newer }, (_, index) => rowAt(1_000 + found.length, 1_000 + index)), ...rows];
      } while (cursor !== undefined);
      expect(found).toEqual(original);
    }),
  );
});

it('the pages of the exchange are read one after the other, until one is empty', () => {
  const first = [rowAt(9, 1), rowAt(8, 2), rowAt(8, 3)];
  const one = page(first, 2, undefined, true);
  expect(one.rows.map(({ id }) => id)).toEqual([1, 2]);
  const two = page(first, 2, one.cursor, true);
  expect(two.rows.map(({ id }) => id)).toEqual([3]);
  const three = page([rowAt(8, 4), rowAt(7, 5)], 2, two.cursor, true);
  expect(three.rows.map(({ id }) => id)).toEqual([4, 5]);
  expect(page([], 2, three.cursor, true)).toEqual({ rows: [], cursor: undefined });
});

it('rows without a time are given in their order', () => {
  const rows = [rowAt(null, 1), rowAt(null, 2), rowAt(null, 3)];
  const first = page(rows, 2, undefined, false);
  expect([...first.rows, ...page(rows, 2, first.cursor, false).rows]).toEqual(rows);
});
