import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cursorOf, limitOf, pageNewestFirst, pageOfRows, positionOf } from '../../../src/commands/mcp/row-pages.js';

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

it('a cursor says where its own tool continues', () => {
  const position = { page: 3, time: 1_767_614_400_000, skip: 2 };
  expect(positionOf('bills', { cursor: cursorOf('bills', position) })).toEqual(position);
  expect(positionOf('bills', {})).toBeUndefined();
});

it.each([
  'fills.1.0.2',
  'bills.1.0',
  'bills.1.0.2.5',
  'bills.1.0.2x',
  'xbills.1.0.2',
  'bills.-1.0.2',
  '',
  'bills.12345678.0.2',
])('the text %s is no cursor of another tool', (cursor) => {
  const given = { cursor: Buffer.from(cursor).toString('base64url') };
  expect(() => positionOf('bills', given)).toThrow('The cursor is not one of bills.');
});

it.each([
  [undefined, 50],
  ['1', 1],
  ['200', 200],
])('the limit %s gives up to %i rows', (limit, rows) => {
  expect(limitOf({ limit })).toBe(rows);
});

it.each(['0', '201', '-1', '1.5', 'ten', '1000', ''])('the limit %s is refused', (limit) => {
  expect(() => limitOf({ limit })).toThrow(`limit must be a whole number from 1 to 200, not ${limit}.`);
});

it('rows without an order of time continue at their number, and an answer without rows stays whole', () => {
  const result = { data: [1, 2, 3], warnings: [], error: null };
  const first = pageOfRows('markets', { limit: '2' }, result);
  expect(first).toEqual({ ...result, data: [1, 2], nextCursor: cursorOf('markets', { page: 1, time: 0, skip: 2 }) });
  const cursor = first.nextCursor ?? '';
  expect(pageOfRows('markets', { limit: '2', cursor }, result)).toEqual({ ...result, data: [3], nextCursor: null });
  expect(pageOfRows('markets', { limit: '3' }, result).nextCursor).toBeNull();
  const whole = { ...result, data: { a: 1 } };
  expect(pageOfRows('markets', { limit: '2' }, whole)).toBe(whole);
});
