import { expect, it } from 'vitest';
import { DECIMAL, useWorldPerTest } from '../pit-home.js';
import type { Batch } from './batch-home.js';

interface Fills {
  readonly state: string | null;
  readonly filled: string | null;
  readonly filledValue: string | null;
  readonly averagePrice: string | null;
}

type BatchFills = Omit<Batch, 'orders'> & Fills & { readonly orders: readonly Fills[] };

const pit = useWorldPerTest();

it('a batch says what filled at once, of each order and in total, without another request', async () => {
  const line = 'order batch buy btc_usdt --ladder ask-1%:ask+0.5%:3 --amount 0.03 --yes';
  const result = await pit.json<BatchFills>(line);
  // the newest order before, and the page that shows whether it was executed once
  const operations = ['markets', 'depth', 'getOrders', 'orderMoreV2', 'getOrders'];
  expect(pit.world.network.requests.map(({ operation }) => operation)).toEqual(operations);
  const [resting, , crossing] = result.orders;
  expect([resting?.state, resting?.filled, resting?.averagePrice]).toEqual(['open', '0.000000', null]);
  expect([crossing?.state, crossing?.filled]).toEqual(['filled', '0.010000']);
  expect(result).toMatchObject({ filled: '0.01', feeCoin: 'btc', averagePrice: DECIMAL, fee: DECIMAL });
  expect(Number(result.filledValue)).toBe(Number(crossing?.filledValue));
  expect(await pit.done(line)).toMatch(
    /\nfilled {2}0\.01 btc for [\d,.]+ usdt, at 2\d,\d{3}\.\d{2,4} on average, fee 0\.0000\d+ btc\n$/,
  );
});

it('a long batch gives a total only of what it has read', async () => {
  const result = await pit.json<BatchFills>('order batch buy btc_usdt --ladder ask-2%:ask+0.5%:45 --amount 0.45 --yes');
  expect([result.filled, result.filledValue, result.averagePrice]).toEqual([null, null, null]);
  expect(result.orders.filter(({ state }) => state !== null)).toHaveLength(25);
});
