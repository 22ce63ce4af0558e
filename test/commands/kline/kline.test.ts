import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CANDLE_MS, CANDLE_TYPES, type CandleType } from '../../../src/domain/candle.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { warnings } from '../../support/json-lines.js';
import { candlePage, marketList, NO_ORDER } from '../../support/wire.js';
import { literalExchange } from '../literal-exchange.js';
import { DECIMAL, FLAG, TIME, useWorld } from '../pit-home.js';
import { Straight } from '../straight.js';

/** A quarter. */
const HISTORY_MS = 90 * 86_400_000;
const pit = useWorld({ historyMs: HISTORY_MS });
const straight = new Straight(pit);

function kline(words: string): Promise<Candle[]> {
  return pit.json(`kline ${words}`);
}

interface Candle {
  readonly time: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly closed: boolean;
}

/** The day before a world begins. */
const YESTERDAY = '2026-01-04';

/** Each larger candle type with a smaller one that divides it. */
const MADE_OF: readonly (readonly [larger: CandleType, smaller: CandleType])[] = [
  ['3min', '1min'],
  ['5min', '1min'],
  ['15min', '5min'],
  ['30min', '15min'],
  ['1hour', '30min'],
  ['2hour', '1hour'],
  ['4hour', '2hour'],
  ['6hour', '2hour'],
  ['12hour', '6hour'],
  ['1day', '12hour'],
  ['3day', '1day'],
  ['1week', '1day'],
];

describe('pit kline', () => {
  const served = new Map<CandleType, Candle[]>();
  beforeAll(async () => {
    for (const type of CANDLE_TYPES) served.set(type, await kline(`btc_usdt --type ${type} --size 40`));
  });

  it.each([
    ['5m', '5min'],
    ['4h', '4hour'],
    ['1d', '1day'],
    ['1W', '1week'],
  ])('understands --type %s as %s', async (typed, type) => {
    const three = (word: string) => kline(`btc_usdt --type ${word} --size 3 --until ${YESTERDAY}`);
    const own = await three(typed);
    expect(own).toHaveLength(3);
    expect(own).toEqual(await three(type));
  });

  function candles(type: CandleType): Candle[] {
    return served.get(type) ?? [];
  }

  it.each(CANDLE_TYPES)('lists %s candles oldest first, without a gap, the last one still open', (type) => {
    const row = { time: TIME, open: DECIMAL, high: DECIMAL, low: DECIMAL, close: DECIMAL, volume: DECIMAL };
    const rows = candles(type);
    expect(rows).toStrictEqual(rows.map(() => ({ ...row, closed: FLAG })));
    const times = rows.map(({ time }) => Date.parse(time));
    expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * CANDLE_MS[type]));
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.map(({ closed }) => closed)).toEqual(rows.map((_, index) => index < rows.length - 1));
  });

  it.each(MADE_OF)('aggregates every %s candle from its %s candles', (larger, smaller) => {
    const whole = candles(larger).filter(({ closed }) => closed);
    const compared = whole.flatMap((candle) => {
      const parts = partsOf(candle, larger, candles(smaller));
      return parts.length === CANDLE_MS[larger] / CANDLE_MS[smaller] ? [{ candle, sum: joined(parts) }] : [];
    });
    expect(compared.length).toBeGreaterThan(0);
    for (const { candle, sum } of compared) expect(sum).toEqual({ ...candle, closed: undefined });
  });

  it('starts with the candle at --since and ends before that at --until', async () => {
    const [, first, , last] = candles('1hour');
    const range = `--type 1hour --since ${first?.time} --until ${last?.time}`;
    expect(await kline(`btc_usdt ${range}`)).toEqual(candles('1hour').slice(1, 3));
    const since = await kline(`btc_usdt --type 1hour --since ${Date.parse(first?.time ?? '')} --size 2`);
    expect(since).toEqual(candles('1hour').slice(1, 3));
    expect(await kline('btc_usdt --type 1day --since 3d')).toHaveLength(3);
  });

  it('says so if there are fewer candles than asked for', async () => {
    const { stdout, stderr } = await pit.run('kline btc_usdt --type 1week --size 900 --json');
    const { length } = JSON.parse(stdout);
    expect(warnings(stderr)).toEqual([{ message: `There are ${length} candles, not 900.`, hint: null }]);
  });

  it('prints the CSV header even without rows', async () => {
    const { header, rows } = await pit.csv('kline btc_usdt --type 1day --since 2000-01-01 --until 2000-01-02');
    expect({ header, rows }).toEqual({ header: 'time,open,high,low,close,volume,closed', rows: [] });
  });

  it('draws a chart of 80 columns in a pipe, and prints the same JSON with it', async () => {
    const range = `kline btc_usdt --type 1hour --until ${YESTERDAY} --size 30`;
    const lines = (await pit.done(`${range} --chart`)).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^btc_usdt 1hour {2}[+-]?\d+\.\d\d% {2}30 candles, high [\d,.]+, low [\d,.]+$/);
    expect(lines).toHaveLength(23);
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(80);
    expect(lines.join('')).toMatch(/[⠁-⣿]/);
    expect(await pit.json(`${range} --chart`)).toEqual(await pit.json(range));
  });

  it('draws as many candles as fit', async () => {
    expect(await pit.done('kline btc_usdt --type 1min --chart')).toContain(' 33 candles, ');
  });

  it('writes the chart as SVG, and says where', async () => {
    const file = path.join(pit.home, 'chart.svg');
    const { code, stderr } = await pit.run(`kline btc_usdt --svg ${file}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Wrote the chart to ${file}.\n` });
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg [\s\S]*<title>btc_usdt 1hour<\/title>[\s\S]*<\/svg>\n$/);
  });

  it('names a file that cannot be written, and why', async () => {
    const { message } = await pit.failure('kline btc_usdt --svg /nowhere/chart.svg', 2);
    expect(message).toBe('Cannot write /nowhere/chart.svg: ENOENT.');
  });

  it('draws nothing without candles', async () => {
    const empty = 'kline btc_usdt --type 1day --since 2000-01-01 --until 2000-01-02';
    expect(await pit.done(`${empty} --chart`)).toBe('No candles of btc_usdt in this range.\n');
    await pit.failure(`${empty} --svg ${path.join(pit.home, 'none.svg')}`, 2);
  });

  it('rejects a range that ends before it starts', async () => {
    await pit.failure('kline btc_usdt --since 1h --until 2h', 2);
  });
});

it("calls the latest candle of a stream open by the exchange's clock, which may be an hour ahead", async () => {
  await straight.advance(3_600_000);
  // an answer to a signed request shows the clock
  await pit.json('orders btc_usdt');
  const { stdout } = await pit.run('stream kline:btc_usdt:1hour --count 1 --json');
  const { data }: { readonly data: readonly Candle[] } = JSON.parse(stdout);
  expect(data.filter(({ closed }) => !closed)).toEqual(data.slice(-1));
});

it("calls a candle closed by the exchange's clock, once it is known", async () => {
  const hour = 3_600_000;
  const date = pit.world.clock.now() - hour;
  const rows = [90, 30].map((minutes) => [date - minutes * 60_000, 1, 1, 1, 1, 1]);
  const bodies = { markets: marketList(), kline: candlePage(rows) };
  const { extra } = literalExchange((asked) => ({
    date,
    body: Reflect.get(bodies, path.basename(asked)) ?? NO_ORDER,
  }));
  // answers to signed requests show the clock
  await pit.json('orders btc_usdt', extra);
  const found: Candle[] = await pit.json('kline btc_usdt --type 1hour', extra);
  expect(found.map(({ closed }) => closed)).toEqual([true, false]);
});

function partsOf({ time }: Candle, type: CandleType, smaller: readonly Candle[]): Candle[] {
  const start = Date.parse(time);
  return smaller.filter((part) => Date.parse(part.time) >= start && Date.parse(part.time) < start + CANDLE_MS[type]);
}

function joined(parts: readonly Candle[]) {
  const best = (field: 'high' | 'low', direction: number) =>
    parts
      .map((part) => part[field])
      .reduce((left, right) => (Decimal.of(right).compare(Decimal.of(left)) * direction > 0 ? right : left));
  const volume = parts.reduce((sum, part) => sum.plus(Decimal.of(part.volume)), Decimal.zero).toString();
  const [first, last] = [parts[0], parts.at(-1)];
  return {
    time: first?.time,
    open: first?.open,
    close: last?.close,
    high: best('high', 1),
    low: best('low', -1),
    volume,
  };
}
