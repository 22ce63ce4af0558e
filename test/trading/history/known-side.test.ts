import { expect, it } from 'vitest';
import { knownSides } from '../../../src/trading/history/known-side.js';

const SIDE = { market: 'btc_usdt', side: 'buy' } as const;

const sidesIn = (text: string) =>
  knownSides({ read: () => ({ value: text, ageMs: 0 }), write: async () => {} }, 'sandbox-1');

it.each([
  '',
  '{',
  '{}',
  'null',
  '[]',
  '{"readTo":"9","newest":[],"followed":[],"countBefore":0}',
  '{"readTo":9,"newest":[{"id":1,"time":2,"isClosed":true}],"followed":[],"countBefore":0}',
  '{"readTo":9,"newest":[],"followed":[{"closedAt":null}],"countBefore":0}',
])('knows nothing of a side whose file is not as it is written: %s', (text) => {
  expect(sidesIn(text).read(SIDE)).toBeUndefined();
});

it('reads what it writes', async () => {
  const known = { readTo: 9, newest: [{ id: '1', time: 2, isClosed: true }], followed: [], countBefore: 1 };
  expect(sidesIn(JSON.stringify(known)).read(SIDE)).toEqual(known);
});
