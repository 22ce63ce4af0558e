import { expect, it } from 'vitest';
import { CANDLE_MS, type Candle } from '../../../src/domain/candle.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Market } from '../../../src/domain/market.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import type { Fill } from '../../../src/trading/pnl/match-bills.js';
import { type KeptPrices, PastPrices } from '../../../src/trading/pnl/past-prices.js';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const ONE = Decimal.of('1');
const MARKETS = [{ market: 'zz_usdt', base: 'zz', quote: 'usdt' }] as unknown as readonly Market[];

function fill(time: number, coin: string): Fill {
  const market = { market: 'btc_usdt', base: 'btc', quote: 'usdt', side: 'buy' } as const;
  return { ...market, time, amount: ONE, value: ONE, fees: [{ coin, amount: ONE }], order: null, place: 0 };
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

/** Loads what these fills need in the quote coin of their market. */
async function loaded(now: number, fills: readonly Fill[], markets = MARKETS) {
  const { client, types } = exchangeAt(now);
  const prices = new PastPrices(client, markets);
  await prices.loadForTrades(fills, ({ quote }) => quote);
  const value = (coin: string, time: number) => prices.value(ONE, coin, 'usdt', time)?.toString();
  return { value, types };
}

it.for([
  [60_000, '1min'],
  [16 * 3_600_000, '1min'],
  [17 * 3_600_000, '1hour'],
  [41 * 86_400_000, '1hour'],
  [42 * 86_400_000, '1day'],
  [1_000 * 86_400_000, '1week'],
] as const)('a fee of %i ms ago is valued by a candle of %s', async ([age, type]) => {
  const time = NOW - age;
  const { value, types } = await loaded(NOW, [fill(time, 'zz')]);
  expect(types).toEqual([type]);
  expect([value('zz', time), value('zz', time - 60_000)]).toEqual(['1', undefined]);
});

it('each of several fees is valued by the shortest candle that reaches back to it', async () => {
  const old = NOW - 42 * 86_400_000;
  const { value, types } = await loaded(NOW, [fill(old, 'zz'), fill(old + 86_400_000, 'zz'), fill(NOW, 'zz')]);
  expect(types).toEqual(['1min', '1hour', '1day']);
  expect([value('zz', old), value('zz', old + 86_400_000), value('zz', NOW)]).toEqual(['1', '1', '1']);
});

it('candles are read only for fees in a third coin to which markets lead', async () => {
  const { value, types } = await loaded(NOW, [fill(NOW, 'btc'), fill(NOW, 'usdt'), fill(NOW, 'yy')]);
  expect([types, value('yy', NOW)]).toEqual([[], undefined]);
});

it('a coin without a market in the unit is valued over as few markets as possible, and divided once at the end', async () => {
  const all = ['aa_bb', 'cc_bb', 'cc_usdt'].map((market) => {
    const [base = '', quote = ''] = market.split('_');
    return { market, base, quote };
  }) as unknown as readonly Market[];
  const { client } = exchangeAt(NOW);
  const prices = new PastPrices(client, all);
  const old = NOW - 86_400_000;
  await prices.load([{ coin: 'aa', unit: 'usdt', time: old }, { coin: 'aa', unit: 'usdt', time: old + 3_600_000 }]);
  // each market closes at 1, and an hour later at 2: aa × 2 ÷ 2 × 2
  const value = (amount: string, time: number) => prices.value(Decimal.of(amount), 'aa', 'usdt', time)?.toString();
  expect([value('3', old), value('3', old + 3_600_000)]).toEqual(['3', '6']);
});

it('the price of a candle that is over is kept, and never read again', async () => {
  let kept: KeptPrices | undefined;
  const store = {
    read: () => kept,
    write: async (prices: KeptPrices) => {
      kept = prices;
    },
  };
  const [over, open] = [NOW - 3_600_000, NOW];
  const load = async (times: readonly number[]) => {
    const { client, types } = exchangeAt(NOW);
    const prices = new PastPrices(client, MARKETS, store);
    await prices.load(times.map((time) => ({ coin: 'zz', unit: 'usdt', time })));
    return { types, value: prices.value(ONE, 'zz', 'usdt', over)?.toString() };
  };
  const first = await load([over, open]);
  expect(first.types).toEqual(['1min']);
  expect(await load([over])).toEqual({ types: [], value: first.value });
  // that of the minute that is not over yet is read again
  expect((await load([open])).types).toEqual(['1min']);
});
