import { expect, it } from 'vitest';
import { CANDLE_MS, type Candle } from '../../../src/domain/candle.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Market } from '../../../src/domain/market.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import type { Fill } from '../../../src/trading/pnl/match-bills.js';
import { readPastPrices } from '../../../src/trading/pnl/past-prices.js';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const ONE = Decimal.of('1');
const MARKETS = [{ market: 'zz_usdt', base: 'zz', quote: 'usdt' }] as unknown as readonly Market[];

function fill(time: number, coin: string): Fill {
  const market = { market: 'btc_usdt', base: 'btc', quote: 'usdt', side: 'buy' } as const;
  return { ...market, time, amount: ONE, value: ONE, fees: [{ coin, amount: ONE }] };
}

/** An exchange whose candles all close at their own number, and the types that were asked for. */
function exchangeAt(now: number) {
  const types: string[] = [];
  const client: Partial<Exchange> = {
    marketNow: () => now,
    candles: async ({ type, since }) => {
      types.push(type);
      const start = since?.(now) ?? 0;
      const candles = [1, 2].map((close, index): Candle => {
        const price = String(close);
        const time = start + (index + 1) * CANDLE_MS[type];
        return { time, open: price, high: price, low: price, close: price, volume: '1', closed: true };
      });
      return { candles, failure: null };
    },
  };
  return { client: client as Exchange, types };
}

it.for([
  [60_000, '1min'],
  [16 * 3_600_000, '1min'],
  [17 * 3_600_000, '1hour'],
  [41 * 86_400_000, '1hour'],
  [42 * 86_400_000, '1day'],
  [1_000 * 86_400_000, '1week'],
] as const)('a fee of %i ms ago is valued by a candle of %s', async ([age, type]) => {
  const { client, types } = exchangeAt(NOW);
  const time = NOW - age;
  const priceAt = await readPastPrices(client, MARKETS, [fill(time, 'zz'), fill(NOW, 'zz')]);
  expect(types).toEqual([type]);
  expect([priceAt('zz', 'usdt', time)?.toString(), priceAt('zz', 'usdt', time - 1)]).toEqual(['1', undefined]);
  expect(priceAt('zz', 'usdt', time + CANDLE_MS[type])?.toString()).toBe('2');
});

it('candles are read only for fees in a third coin that has a market', async () => {
  const { client, types } = exchangeAt(NOW);
  const priceAt = await readPastPrices(client, MARKETS, [fill(NOW, 'btc'), fill(NOW, 'usdt'), fill(NOW, 'yy')]);
  expect([types, priceAt('yy', 'usdt', NOW)]).toEqual([[], undefined]);
});
