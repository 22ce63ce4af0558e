import { expect, test } from 'vitest';
import { CANDLE_TYPES } from '../../../src/domain/candle.js';
import {
  type CandleType,
  candleLength,
  candleStart,
  type MarketCandle,
  MarketCandles,
  MINUTE,
} from '../../../src/sandbox/markets/candles.js';
import { Table } from '../../../src/sandbox/store/table.js';
import { ExchangeFixture, START, THREE_WEEKS_MS } from '../support/exchange-fixture.js';

const iso = (time: number) => new Date(time).toISOString().slice(0, 16);

test('candles align to UTC, weeks to Monday, three-day candles to the epoch', () => {
  const time = Date.UTC(2024, 2, 15, 13, 37, 21, 250);
  const starts = CANDLE_TYPES.map((type) => `${type} ${iso(candleStart(type, time))}`);
  expect(starts).toEqual([
    '1min 2024-03-15T13:37',
    '3min 2024-03-15T13:36',
    '5min 2024-03-15T13:35',
    '15min 2024-03-15T13:30',
    '30min 2024-03-15T13:30',
    '1hour 2024-03-15T13:00',
    '2hour 2024-03-15T12:00',
    '4hour 2024-03-15T12:00',
    '6hour 2024-03-15T12:00',
    '12hour 2024-03-15T12:00',
    '1day 2024-03-15T00:00',
    '3day 2024-03-15T00:00',
    '1week 2024-03-11T00:00',
  ]);
  expect(iso(candleStart('1week', Date.UTC(2024, 2, 10, 23, 59)))).toBe('2024-03-04T00:00');
  expect(iso(candleStart('3day', Date.UTC(1970, 0, 4)))).toBe('1970-01-04T00:00');
});

interface Row {
  time: number;
  open: string;
  high: string;
  low: string;
  close: string;
  volume: string;
}

/** A row in units of its market's scales, as whole numbers: they are compared many times. */
type Minute = Record<keyof Row, number>;

function inUnits({ time, open, high, low, close, volume }: Row): Minute {
  const whole = (text: string) => {
    const units = Number(text.replace('.', ''));
    if (!Number.isSafeInteger(units)) throw new RangeError(`${text} is too large to be compared exactly`);
    return units;
  };
  return { time, open: whole(open), high: whole(high), low: whole(low), close: whole(close), volume: whole(volume) };
}

/** The expected candle of a span, computed from one-minute rows by a plain scan. */
function summed(minutes: readonly Minute[], from: number, to: number): Minute {
  const start = minutes[0]?.time ?? 0;
  const [first, last] = [from, to].map((time) => Math.max(0, (time - start) / 60_000));
  const [opening, ...others] = minutes.slice(first, last);
  if (opening === undefined) throw new Error(`no minutes from ${iso(from)} to ${iso(to)}`);
  let { high, low, close, volume } = opening;
  for (const minute of others) {
    if (minute.high > high) high = minute.high;
    if (minute.low < low) low = minute.low;
    close = minute.close;
    volume += minute.volume;
  }
  return { time: from, open: opening.open, high, low, close, volume };
}

/** All minutes from the beginning on. */
function allMinutes(clocked: ExchangeFixture, market: string): Row[] {
  return clocked.exchange.market.candles(market, '1min', { size: 100_000 });
}

const MARKETS = ['btc_usdt', 'xrp_eth'];

test('candles of every type are the exact sums of the minutes, in history and trading', async () => {
  const clocked = await ExchangeFixture.open();
  clocked.pass(90 * 60_000);
  // nothing trades for a while
  clocked.clock.time += 37 * 3_600_000;
  clocked.exchange.fastForward();
  clocked.pass(3 * 3_600_000);
  await clocked.exchange.durable();
  clocked.pass(90_000);
  for (const market of MARKETS) {
    const minutes = allMinutes(clocked, market).map(inUnits);
    for (const type of CANDLE_TYPES) {
      const rows = clocked.exchange.market.candles(market, type, { size: 200 });
      const sums = rows.map(({ time }) => summed(minutes, time, time + candleLength(type)));
      expect(rows.map(inUnits), `${market} ${type}`).toEqual(sums);
    }
  }
});

test('rows have no gaps or jumps between history and trading', async () => {
  const clocked = await ExchangeFixture.open();
  clocked.pass(6 * 60_000, 60_000);
  for (const market of MARKETS) {
    const minutes = clocked.exchange.market.candles(market, '1min', { size: 60 });
    for (const [index, row] of minutes.entries()) {
      const before = minutes[index - 1];
      if (before === undefined) continue;
      expect(row.time).toBe(before.time + 60_000);
      expect(Math.abs(Number(row.open) / Number(before.close) - 1)).toBeLessThan(0.01);
    }
    expect(minutes.at(-1)?.time).toBe(candleStart('1min', clocked.clock.time));
  }
});

test('since is inclusive, size keeps the latest rows, and there are none of the future', async () => {
  const { exchange } = await ExchangeFixture.open({ historyMs: THREE_WEEKS_MS });
  const times = (type: CandleType, options: { since?: number; size: number }) =>
    exchange.market.candles('btc_usdt', type, options).map(({ time }) => iso(time));
  const since = Date.UTC(2024, 2, 15, 13, 35);
  expect(times('1min', { since, size: 1_000 })).toEqual(['2024-03-15T13:35', '2024-03-15T13:36', '2024-03-15T13:37']);
  expect(times('1min', { since: since + 1, size: 1_000 })).toEqual(['2024-03-15T13:36', '2024-03-15T13:37']);
  expect(times('1min', { since, size: 2 })).toEqual(['2024-03-15T13:36', '2024-03-15T13:37']);
  expect(times('1hour', { since: START + 1, size: 5 })).toEqual([]);
  expect(times('1day', { size: 1_000 }).length).toBe(22);
});

test('without trades the price stays and the volume is zero', async () => {
  const clocked = await ExchangeFixture.open();
  const before = clocked.exchange.market.ticker('btc_usdt').last;
  clocked.clock.time += 5 * 60_000; // without a simulation step
  const rows = clocked.exchange.market.candles('btc_usdt', '1min', { size: 4 });
  expect(rows.map(({ open, high, low, close, volume }) => [open, high, low, close, volume])).toEqual(
    Array.from({ length: 4 }, () => [before, before, before, before, '0.000000']),
  );
});

test('recorded minutes that come in order have the same sums as those that replace others', () => {
  const begin = Date.UTC(2024, 2, 15);
  const seriesOf = (candles: readonly MarketCandle[]) => {
    const empty = { get: () => undefined, getRange: () => [], put: () => undefined, remove: () => undefined };
    const series = new MarketCandles('btc_usdt', begin, new Table<MarketCandle>('candles', empty as never));
    for (const candle of candles) series.replace(candle);
    return CANDLE_TYPES.map((type) => series.read(type, begin + 900 * MINUTE, 1_000));
  };
  const minutes = Array.from({ length: 800 }, (_, index): MarketCandle => {
    const open = 1_000n + BigInt((index * 37) % 101);
    const close = open + BigInt(index % 7) - 3n;
    // now and then minutes without a trade
    return {
      time: begin + (index + Math.floor(index / 90)) * MINUTE,
      open,
      close,
      high: open + 5n,
      low: open - 5n,
      volume: 3n,
    };
  });
  const others = minutes.map((minute) => ({ ...minute, high: minute.high + 100n, volume: 9n }));
  expect(seriesOf(minutes)).toEqual(seriesOf([...others, ...minutes]));
});
