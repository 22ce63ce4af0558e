import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { recordedMinutes } from '../../../src/sandbox/markets/recorded-minutes.js';
import { FACTORS } from '../../../src/sandbox/simulator/price-path.js';
import { ExchangeFixture, THREE_WEEKS_MS } from '../support/exchange-fixture.js';

test('the recording has the literals of its first, lowest and last line', () => {
  const { open, high, low, close, volume } = recordedMinutes();
  const row = (minute: number) => [open, high, low, close, volume].map((column) => column[minute]);
  expect(close.length).toBe(30_240);
  expect(row(0)).toEqual([2_314_048, 2_315_077, 2_312_852, 2_314_231, 2_131_777]);
  expect(row(30_239)).toEqual([2_812_253, 2_812_337, 2_809_485, 2_811_026, 820_910]);
  expect(Math.min(...low)).toBe(1_956_540);
  for (let minute = 0; minute < close.length; minute += 1) {
    const [o = 0, h = 0, l = 0, c = 0] = row(minute);
    if (h < Math.max(o, c) || l > Math.min(o, c)) throw new Error(`minute ${minute} is out of shape`);
  }
});

test('the recording is the CSV, to the last digit', () => {
  const csv = gunzipSync(readFileSync(new URL('../../../assets/btc-usdt-2023-03.csv.gz', import.meta.url))).toString();
  const [, ...lines] = csv.trim().split('\n');
  const { open, high, low, close, volume } = recordedMinutes();
  const rows = Array.from(close, (_, minute) =>
    [open, high, low, close, volume].map((column) => column[minute]).join(),
  );
  const inUnits = (text: string, column: number) => Decimal.of(text).rescaled(column === 4 ? 6 : 2, 'up').units;
  expect(rows).toEqual(lines.map((line) => line.split(',').slice(1).map(inUnits).join()));
});

test('the price path begins where the recording ends', () => {
  expect(FACTORS[0]).toMatchObject({ coin: 'btc', price: (recordedMinutes().close.at(-1) ?? 0) / 100 });
});

test('the history of btc_usdt is the recording, shifted to end when trading began', async () => {
  const { exchange } = await ExchangeFixture.open({ historyMs: THREE_WEEKS_MS });
  const [first, second] = exchange.market.candles('btc_usdt', '1min', { size: 100_000 });
  expect(first).toMatchObject({
    open: '23140.48',
    high: '23150.77',
    low: '23128.52',
    close: '23142.31',
    volume: '2.131777',
  });
  expect(second).toMatchObject({
    open: '23143.89',
    high: '23148.80',
    low: '23137.61',
    close: '23137.77',
    volume: '0.881378',
  });
  expect(first?.time).toBe(Date.UTC(2024, 2, 15, 13, 36) - THREE_WEEKS_MS);
});
