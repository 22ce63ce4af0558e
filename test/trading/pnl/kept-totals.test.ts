import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Decimal } from '../../../src/domain/decimal.js';
import { type AccountTotals, type TotalsView, totalsStore } from '../../../src/trading/pnl/kept-totals.js';
import { METHODS } from '../../../src/trading/pnl/lots.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { profitAndLoss } from '../../../src/trading/pnl/profit-and-loss.js';
import { MemoryCache } from '../support/memory-cache.js';
import { drawnStory, tell } from './coin-stories.js';

const VIEW: TotalsView = { method: 'fifo', fees: 'apart', prices: 'here' };
const TOTALS: AccountTotals = { markets: [], coins: [], undated: [], due: [] };
const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

it('totals of an account are the same after they were kept', async () => {
  const pastValue = (amount: Decimal, coin: string) => (coin === 'zz' ? undefined : amount);
  let unknown = 0;
  await fc.assert(
    fc.asyncProperty(
      drawnStory,
      fc.constantFrom(...METHODS),
      fc.constantFrom('in', 'apart'),
      async (story, method, fees) => {
        const matched = matchBills(tell(story).history);
        const options = { window: ALWAYS, method, fees, pastValue, readAt: Number.POSITIVE_INFINITY };
        const { markets, ...rest } = profitAndLoss(matched, options);
        const totals = { markets: markets.map(({ lots: _, ...market }) => market), ...rest, due: matched.due };
        const store = totalsStore(new MemoryCache(), 'test', '1.0.0');
        await store.write('h1', { ...VIEW, method, fees }, totals);
        expect(store.read('h1', { ...VIEW, method, fees })).toEqual(totals);
        unknown += markets.filter(({ fees: paid }) => paid.some(({ value }) => value === null)).length;
      },
    ),
    { numRuns: 60 },
  );
  expect(unknown).toBeGreaterThan(0);
});

it('totals are not those of another history, view, account or version of pit', async () => {
  const cache = new MemoryCache();
  const store = totalsStore(cache, 'test', '1.0.0');
  await store.write('h1', VIEW, TOTALS);
  expect(store.read('h1', VIEW)).toEqual(TOTALS);
  expect(store.read('h2', VIEW)).toBeUndefined();
  for (const other of [{ method: 'lifo' }, { fees: 'in' }, { prices: 'elsewhere' }] as const)
    expect([other, store.read('h1', { ...VIEW, ...other })]).toEqual([other, undefined]);
  expect(totalsStore(cache, 'test', '1.0.1').read('h1', VIEW)).toBeUndefined();
  expect(totalsStore(cache, 'other', '1.0.0').read('h1', VIEW)).toBeUndefined();
});
