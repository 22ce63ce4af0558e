import { describe, expect, it } from 'vitest';
import { areConnected, type Rates, readRates } from '../../../src/commands/account/rates.js';
import type { Market } from '../../../src/domain/market.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';

/**
 * The rates of markets by their last price, as text; null is a market without a trade.
 * @param books the best bid and the best ask of the markets whose books may be read
 */
async function ratesOf(
  last: Readonly<Record<string, string | null>>,
  coins: readonly string[] = [],
  books: Readonly<Record<string, readonly [bid: string, ask: string]>> = {},
): Promise<Rates> {
  const level = (price: string) => (price === '' ? [] : [{ price, amount: '1' }]);
  const exchange = new ScriptedExchange({
    tickers: Object.fromEntries(Object.entries(last).map(([market, price]) => [market, { last: price }])),
    books: Object.fromEntries(
      Object.entries(books).map(([market, [bid, ask]]) => [market, { bids: level(bid), asks: level(ask) }]),
    ),
  });
  const markets = [...Object.keys(last), 'doge_usdt'].map((market) => {
    const [base, quote] = market.split('_');
    return { market, base, quote } as Market;
  });
  const rates = await readRates(exchange, markets, { coins, units: ['usdt'] });
  const reads = ['tickers', ...Object.keys(books).map((market) => `depth ${market}`)];
  expect(
    exchange
      .arrived('plain')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(reads.toSorted());
  return rates;
}

describe('the value of a coin in another', () => {
  it('the value in the same coin is the amount itself, and over one market it is exact', async () => {
    const rates = await ratesOf({ btc_usdt: '28068.29' });
    expect(rates.value('5.00998', 'btc', 'btc')?.toString()).toBe('5.00998');
    expect(rates.value('5.00998', 'btc', 'usdt')?.toString()).toBe('140621.5715342');
    expect(rates.value('1', 'nowhere', 'usdt')).toBeUndefined();
    expect(rates.value('0', 'btc', 'usdt')?.toString()).toBe('0');
  });

  it('divides once, at the end, to eight decimals or more, and rounds down', async () => {
    const rates = await ratesOf({ btc_usdt: '3', eth_btc: '0.07', xrp_usdt: '0.000000000001' });
    expect(rates.value('2', 'usdt', 'btc')?.toString()).toBe('0.66666666');
    expect(rates.value('3', 'usdt', 'btc')?.toString()).toBe('1');
    expect(rates.value('0.000000000001', 'usdt', 'btc')?.toString()).toBe('0');
    expect(rates.value('0.0000000000020', 'usdt', 'btc')?.toString()).toBe('0.0000000000006');
    // 1 / 3 / 0.07: twice divided would be 4.7619047
    expect(rates.value('1', 'usdt', 'eth')?.toString()).toBe('4.76190476');
    expect(rates.value('7', 'xrp', 'btc')?.toString()).toBe('0.000000000002');
  });

  it('uses the fewest markets, and none without a price', async () => {
    const rates = await ratesOf({
      a_b: '2',
      b_usdt: '3',
      a_c: '10',
      c_d: '10',
      d_usdt: '10',
      e_usdt: null,
      f_usdt: null,
    });
    expect(rates.value('1', 'a', 'usdt')?.toString()).toBe('6');
    expect(rates.value('1', 'c', 'usdt')?.toString()).toBe('100');
    for (const coin of ['e', 'f', 'doge']) expect(rates.value('1', coin, 'usdt')).toBeUndefined();
  });

  it('reads the middle of the book for the markets of a coin that has no value at last prices, and of no others', async () => {
    const last = { btc_usdt: '28000', a_usdt: null, b_btc: null, c_usdt: null, e_usdt: null };
    const rates = await ratesOf(last, ['usdt', 'btc', 'a', 'b'], { a_usdt: ['1', '3'], b_btc: ['0.1', '0.3'] });
    expect(rates.value('5', 'a', 'usdt')?.toString()).toBe('10');
    expect(rates.value('1', 'b', 'usdt')?.toString()).toBe('5600');
    for (const coin of ['c', 'e']) expect(rates.value('1', coin, 'usdt')).toBeUndefined();
  });

  it.each<[book: string, bid: string, ask: string]>([
    ['crossed', '3', '1'],
    ['locked', '3', '3'],
    ['empty on one side', '3', ''],
  ])('is unknown if the book of a market without a last price is %s', async (_, bid, ask) => {
    const rates = await ratesOf({ a_usdt: null }, ['a'], { a_usdt: [bid, ask] });
    expect(rates.value('5', 'a', 'usdt')).toBeUndefined();
  });

  it('knows whether markets connect two coins, with a price or without', () => {
    const markets = [
      { base: 'a', quote: 'b' },
      { base: 'b', quote: 'usdt' },
      { base: 'x', quote: 'y' },
    ] as Market[];
    expect(areConnected(markets, 'a', 'usdt')).toBe(true);
    expect(areConnected(markets, 'x', 'usdt')).toBe(false);
  });
});
