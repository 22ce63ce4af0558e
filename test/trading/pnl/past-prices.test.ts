import { expect, it } from 'vitest';
import { CANDLE_MS, type Candle, type CandleType } from '../../../src/domain/candle.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Market } from '../../../src/domain/market.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import type { Fill } from '../../../src/trading/pnl/matching/match-bills.js';
import { type KeptPrices, PastPrices } from '../../../src/trading/pnl/past-prices.js';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const ONE = Decimal.of('1');
const MARKETS = [{ market: 'zz_usdt', base: 'zz', quote: 'usdt' }] as unknown as readonly Market[];

function fill(time: number, coin: string): Fill {
  const market = { market: 'btc_usdt', base: 'btc', quote: 'usdt', side: 'buy' } as const;
  const fees = [{ coin, amount: ONE, time, bills: [] }];
  return { ...market, time, amount: ONE, value: ONE, fees, bills: { base: [], quote: [] }, order: null, place: 0 };
}

/** The number of the candle in which a moment is. */
function numberAt(time: number, type: CandleType): string {
  return String(Math.floor(time / CANDLE_MS[type]));
}

/** An exchange whose candles close at their own number, and the types that were asked for. */
function exchangeAt(now: number, isTraded: (time: number) => boolean = () => true) {
  const types: string[] = [];
  const client: Partial<Exchange> = {
    marketNow: () => now,
    candles: async ({ type, since }) => {
      types.push(type);
      const length = CANDLE_MS[type];
      const candles: Candle[] = [];
      for (let time = Math.ceil((since?.(now) ?? 0) / length) * length; time <= now; time += length) {
        const price = numberAt(time, type);
        const closed = time + length <= now;
        if (isTraded(time))
          candles.push({ time, open: price, high: price, low: price, close: price, volume: '1', closed });
      }
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
] as const)('a fee of %i ms ago is valued by the candle of %s in which it was paid', async ([age, type]) => {
  const time = NOW - age;
  const { value, types } = await loaded(NOW, [fill(time, 'zz')]);
  expect(types).toEqual([type]);
  expect(value('zz', time)).toBe(numberAt(time, type));
});

it('each of several fees is valued by the shortest candle that reaches back to it', async () => {
  const ages = { '1day': 42 * 86_400_000, '1hour': 41 * 86_400_000, '1min': 0 } as const;
  const { value, types } = await loaded(
    NOW,
    Object.values(ages).map((age) => fill(NOW - age, 'zz')),
  );
  expect(types).toEqual(['1min', '1hour', '1day']);
  for (const [type, age] of Object.entries(ages))
    expect(value('zz', NOW - age)).toBe(numberAt(NOW - age, type as CandleType));
});

it('without a trade in its minute, a fee is valued by the last candle before, however long that was ago', async () => {
  const { client } = exchangeAt(NOW, (time) => time <= NOW - 7_200_000);
  const prices = new PastPrices(client, MARKETS);
  await prices.load([{ coin: 'zz', unit: 'usdt', time: NOW - 60_000 }]);
  expect(prices.value(ONE, 'zz', 'usdt', NOW - 60_000)?.toString()).toBe(numberAt(NOW - 7_200_000, '1min'));
});

it('candles are read only for fees in a third coin to which markets lead', async () => {
  const { value, types } = await loaded(NOW, [fill(NOW, 'btc'), fill(NOW, 'usdt'), fill(NOW, 'yy')]);
  expect([types, value('yy', NOW)]).toEqual([[], undefined]);
});

it('a coin without a market in the unit is valued over as few markets as possible', async () => {
  const all = ['aa_bb', 'cc_bb', 'cc_usdt'].map((market) => {
    const [base = '', quote = ''] = market.split('_');
    return { market, base, quote };
  }) as unknown as readonly Market[];
  const { client } = exchangeAt(NOW);
  const prices = new PastPrices(client, all);
  await prices.load([{ coin: 'aa', unit: 'usdt', time: NOW }]);
  // all markets have the same price: aa × price ÷ price × price
  const three = Decimal.of('3');
  expect(prices.value(three, 'aa', 'usdt', NOW)?.toString()).toBe(
    three.times(Decimal.of(numberAt(NOW, '1min'))).toString(),
  );
});

it('the price of a candle that is over is final: it is kept and never read again', async () => {
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
    const { areFinal } = prices;
    return { types, areFinal, value: prices.value(ONE, 'zz', 'usdt', over)?.toString() };
  };
  const price = numberAt(over, '1min');
  expect(await load([over, open])).toEqual({ types: ['1min'], areFinal: false, value: price });
  expect(await load([over])).toEqual({ types: [], areFinal: true, value: price });
  // the minute that is not over yet is read again
  expect(await load([open])).toMatchObject({ types: ['1min'], areFinal: false });
});
