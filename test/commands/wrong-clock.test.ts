import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withoutPauses } from '../support/in-process.js';
import { temporaryHome } from '../support/pit.js';
import { cancelled, candlePage, marketList, NO_ORDER, orderRow, tickerRow } from '../support/wire.js';
import { useLiteralExchange } from './literal-exchange.js';
import { PitHome } from './pit-home.js';

const MINUTE = 60_000;
const TOLERANCE = 60_000;

/** What the exchange was asked. */
let reqTimes: number[] = [];
let klines = 0;

/** Signed requests are refused unless their `reqTime` is near this moment, which is the exchange's time. */
function signed(answer: string) {
  return (parameters: URLSearchParams) => {
    const reqTime = Number(parameters.get('reqTime'));
    reqTimes.push(reqTime);
    return Math.abs(reqTime - Date.now()) > TOLERANCE ? '{"code":3007,"message":"reqTime expired"}' : answer;
  };
}

/** A candle a minute for an hour; the current one has traded only a part of its volume. */
function candles(parameters: URLSearchParams): string {
  klines += 1;
  const current = Math.floor(Date.now() / MINUTE) * MINUTE;
  const rows = Array.from({ length: 60 }, (_, index) => current - (59 - index) * MINUTE)
    .filter((time) => time > Number(parameters.get('since')))
    .map((time) => [time, 1, 1, 1, 1, time === current ? 0.4 : 1.8]);
  return candlePage(rows);
}

const exchange = useLiteralExchange({
  '/data/v1/markets': marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } }),
  '/data/v1/kline': candles,
  '/data/v1/ticker': JSON.stringify({ ticker: tickerRow(), date: '1' }),
  '/api/getOrders': signed(NO_ORDER),
  '/api/getOrder': signed(JSON.stringify(orderRow({ id: '7', price: 1, amount: 1, time: 1, status: 1, fee: '0' }))),
  '/api/cancelOrder': signed(cancelled({ amount: 1, price: 1 })),
});

let pit = new PitHome(temporaryHome());

beforeEach(() => {
  // the middle of a minute, which does not end while a test runs
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / MINUTE) * MINUTE + MINUTE / 2 });
  pit = new PitHome(temporaryHome());
  [reqTimes, klines] = [[], 0];
});
afterEach(() => void vi.useRealTimers());

/** What makes this machine's clock wrong, in minutes ahead of the exchange's. */
function clockAt(minutes: number | (() => number)) {
  const ahead = () => (typeof minutes === 'number' ? minutes : minutes());
  return { ...exchange.extra, host: { now: () => Date.now() + ahead() * MINUTE, ...withoutPauses(pit.home) } };
}

interface Candle {
  readonly time: string;
  readonly volume: string;
  readonly closed: boolean;
}

/** The candles with a part of their volume have to be open, and all others closed. */
function expectOpenIfPartial(found: readonly Candle[]) {
  expect(found.map(({ closed }) => closed)).toEqual(found.map(({ volume }) => volume === '1.8'));
}

/** Lets commands learn how wrong the clock is, which a signed answer shows. */
const learn = (minutes: number) => pit.json('orders btc_usdt', clockAt(minutes));

describe.each([
  ['10 minutes slow', -10],
  ['3 minutes fast', 3],
])('a clock that is %s', (_, wrong) => {
  it.each(['now', 'for a moment, and right again'])('lists the newest candles, the last one open: %s', async (when) => {
    await learn(wrong);
    const clock = clockAt(when === 'now' ? wrong : 0);
    const newest = new Date(Math.floor(Date.now() / MINUTE) * MINUTE).toISOString();
    const found = await pit.json<Candle[]>('kline btc_usdt --type 1min --size 3', clock);
    expectOpenIfPartial(found);
    expect([found.length, found.at(-1)?.time]).toEqual([3, newest]);
    const since = await pit.json<Candle[]>('kline btc_usdt --type 1min --since 5m', clock);
    expectOpenIfPartial(since);
    expect(since).toHaveLength(5);
  });

  it.each(['now', 'for a moment, and right again'])('writes no open candle to a file: %s', async (when) => {
    await learn(wrong);
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'pit-clock-')), 'minutes.csv');
    const since = new Date(Date.now() - 20 * MINUTE).toISOString();
    const line = `kline btc_usdt --type 1min --since ${since} --out ${file}`;
    await pit.done(line, clockAt(when === 'now' ? wrong : 0));
    await pit.done(line, clockAt(0));
    const volumes = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(',').at(-1));
    expect(volumes).toHaveLength(19);
    expect(new Set(volumes)).toEqual(new Set(['1.8']));
  });

  it('cancels an order with the right reqTime, whether it stays wrong or is right again', async () => {
    for (const later of [wrong, 0]) {
      await learn(wrong);
      reqTimes = [];
      await pit.json('cancel btc_usdt 7', clockAt(later));
      // the cancellation, and a read of the order
      expect(reqTimes).toHaveLength(2);
    }
  });
});

it('shows no candle as closed with a part of its volume if the clock jumps while it is read', async () => {
  const found = await pit.json<Candle[]>(
    'kline btc_usdt --type 1min --size 3',
    clockAt(() => (klines > 0 ? 10 : 0)),
  );
  expectOpenIfPartial(found);
});

it('asks for K-lines once, or once more if the clock is fast and no answer has shown that before', async () => {
  for (const [wrong, times] of [
    [0, 1],
    [-10, 1],
    [3, 2],
  ] as const) {
    pit = new PitHome(temporaryHome());
    const requests = async () => {
      klines = 0;
      await pit.json('kline btc_usdt --type 1min --since 3m', clockAt(wrong));
      return klines;
    };
    // the list of markets, which is read once, shows the time too
    expect([wrong, await requests(), await requests()]).toEqual([wrong, 1, times]);
  }
});

it("takes a --since that only this machine's clock has not reached, and refuses one that the exchange's has not", async () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();
  const found = await pit.json<Candle[]>(`kline btc_usdt --type 1min --since ${minutesAgo(5)}`, clockAt(-10));
  expect(found).toHaveLength(5);
  const { message } = await pit.failure(`kline btc_usdt --since ${minutesAgo(-5)}`, 2, clockAt(-10));
  expect(message).toMatch(/^--since is in the future/);
});
