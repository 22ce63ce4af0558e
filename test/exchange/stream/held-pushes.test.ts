import { describe, expect, it } from 'vitest';
import { HeldPushes } from '../../../src/exchange/stream/held-pushes.js';

describe('held pushes', () => {
  it('are taken once, in their order', () => {
    const held = new HeldPushes();
    for (const data of [1, 2, 3]) held.add({ data, raw: '' });
    expect(held.take().map(({ data }) => data)).toEqual([1, 2, 3]);
    expect(held.take()).toEqual([]);
  });

  it.each([
    ['a thousand', 1_000, ''],
    ['those of a mebibyte', 512, 'x'.repeat(2_048)],
  ])('have to be taken if there are more than %s, and then as many may be held again', (_, most, raw) => {
    const held = new HeldPushes();
    for (const round of [1, 2]) {
      const added = Array.from({ length: most + 1 }, (_each, data) => held.add({ data, raw }));
      expect([round, added.lastIndexOf(true), added.indexOf(false)]).toEqual([round, most - 1, most]);
      expect(held.take()).toHaveLength(most + 1);
    }
  });
});
