import { CANDLE_MS, type Candle } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Fill } from './match-bills.js';
import type { PastPrice } from './profit-and-loss.js';

/** From the most exact one; the exchange returns about the latest thousand candles of each. */
const TYPES = ['1min', '1hour', '1day', '1week'] as const;
const REACH = 990;

/**
 * What the coins of fees that are neither coin of their market were worth: the closing price of the candle in which a fee was
 * paid, of the shortest type that reaches back far enough. Reads nothing if there are no such fees.
 */
export async function readPastPrices(
  client: Exchange,
  markets: readonly Market[],
  fills: readonly Fill[],
): Promise<PastPrice> {
  const oldest = new Map<string, number>();
  for (const { base, quote, time, fees } of fills)
    for (const { coin } of fees) {
      if (coin === null || coin === base || coin === quote) continue;
      const name = `${coin}_${quote}`;
      oldest.set(name, Math.min(oldest.get(name) ?? Number.POSITIVE_INFINITY, time));
    }
  const listed = [...oldest].filter(([name]) => markets.some(({ market }) => market === name));
  const series = new Map<string, readonly Candle[]>();
  for (const [market, since] of listed) series.set(market, await candlesSince(client, market, since));
  return (coin, quote, time) => {
    const candle = series.get(`${coin}_${quote}`)?.findLast((one) => one.time <= time);
    return candle === undefined ? undefined : Decimal.of(candle.close);
  };
}

async function candlesSince(client: Exchange, market: string, oldest: number): Promise<readonly Candle[]> {
  const age = client.marketNow() - oldest;
  const type = TYPES.find((one) => age < REACH * CANDLE_MS[one]) ?? '1week';
  const { candles } = await client.candles({ market, type, since: () => oldest - CANDLE_MS[type] });
  return candles;
}
