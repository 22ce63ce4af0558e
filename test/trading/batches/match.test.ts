import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Doubt } from '../../../src/trading/batches/doubt.js';
import { match } from '../../../src/trading/batches/match.js';

function doubt(request: number, lines: readonly number[], ids: readonly string[] = []): Doubt {
  const about = { request, reqTime: 0, knownBefore: 0, sent: lines, lines: new Set(lines), ids: new Set(ids) };
  const orders = { named: new Set(ids), isShown: true };
  return { ...about, ...orders, answer: ids.length > 0 ? 'short' : 'lost', reason: '', isOver: true };
}

function sighting(id: string, key: string) {
  return { id, key, time: 0 };
}

it('an id that an answer named belongs to a line of that request, though another fits as well', () => {
  const keys = ['a', 'a', 'b'];
  const doubts = [doubt(1, [0]), doubt(2, [1, 2], ['7'])];
  expect(match([sighting('7', 'a')], doubts, [], (line) => keys[line] ?? '')).toEqual({ found: [[1, '7']], left: [] });
  const both = match([sighting('7', 'a'), sighting('8', 'a')], doubts, [], (line) => keys[line] ?? '');
  expect(both.found).toEqual([
    [1, '7'],
    [0, '8'],
  ]);
});

it('each order is one line at most, each line one order at most, and nothing that fits is left', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const drawn = fc.record({
    keys: fc.array(key, { minLength: 1, maxLength: 30 }),
    there: fc.array(key, { maxLength: 40 }),
    cut: fc.nat(30),
    named: fc.nat(5),
  });
  fc.assert(
    fc.property(drawn, ({ keys, there, cut, named }) => {
      const lines = keys.map((_, line) => line);
      const ids = there.map((_, index) => `${index}`);
      const doubts = [doubt(1, lines.slice(0, cut), ids.slice(0, named)), doubt(2, lines.slice(cut))];
      const { found, left } = match(
        there.map((one, index) => sighting(`${index}`, one)),
        doubts,
        [],
        (line) => keys[line] ?? '',
      );
      expect(new Set(found.map(([line]) => line)).size).toBe(found.length);
      expect(new Set(found.map(([, id]) => id)).size).toBe(found.length);
      expect(found.every(([line, id]) => keys[line] === there[Number(id)])).toBe(true);
      expect([...found.map(([, id]) => id), ...left.map(({ id }) => id)].sort()).toEqual([...ids].sort());
      const count = (list: readonly string[], one: string) => list.filter((other) => other === one).length;
      for (const one of ['a', 'b', 'c'])
        expect(found.filter(([line]) => keys[line] === one)).toHaveLength(
          Math.min(count(keys, one), count(there, one)),
        );
    }),
  );
});
