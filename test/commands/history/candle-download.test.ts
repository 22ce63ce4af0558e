import { existsSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { downloadCandles } from '../../../src/commands/history/candle-download.js';
import { writeParquet } from '../../../src/commands/history/parquet.js';
import { SeriesFile } from '../../../src/commands/history/series-file.js';
import type { Context } from '../../../src/commands/session/command.js';
import type { Ohlcv } from '../../../src/domain/candle.js';
import type { Moment } from '../../../src/domain/moment.js';
import { Failure } from '../../../src/errors.js';
import type { CandleSeries } from '../../../src/exchange/exchange.js';
import { readCandlePage, readFirstPage } from '../../../src/exchange/lists/candles.js';

const MINUTE = 60_000;
const SINCE = Date.UTC(2023, 2, 1);

interface Exchange {
  /** How many candles there are since {@link SINCE}. */
  readonly count: number;
  /** Candles that it does not have, by their number. */
  readonly missing?: ReadonlySet<number>;
  readonly which?: 'first' | 'latest';
  /** The number of a candle that is lacking a part of its volume. */
  readonly late?: number;
  /** How far this machine's clock is ahead, in milliseconds. */
  readonly skew?: number;
  /** Before this page it fails. */
  readonly failsAt?: number;
  readonly error?: Error;
  /** What happens while a page is read. */
  readonly meanwhile?: () => void;
}

/** An exchange of its own: at most 1000 candles from a time on. */
class Served {
  readonly #exchange: Exchange;

  readonly asked: number[] = [];

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** This machine's clock until the first answer. */
  readonly marketNow = () => this.#now + (this.asked.length === 0 ? (this.#exchange.skew ?? 0) : 0);
  readonly restartingBudget = () => this;
  readonly candlePage = async ({
    from = 0,
    size = 1_000,
  }: {
    from?: number | undefined;
    size?: number | undefined;
  }): Promise<{ rows: Ohlcv[]; asOf: number }> => {
    const { count, missing, which = 'first', failsAt, error, late, meanwhile } = this.#exchange;
    this.asked.push(from);
    meanwhile?.();
    if (failsAt !== undefined && this.asked.length > failsAt) throw error ?? new Error('killed');
    const numbers = Array.from({ length: count + 1 }, (_, number) => number).filter(
      (number) => SINCE + number * MINUTE >= from && missing?.has(number) !== true,
    );
    const rows = (which === 'first' ? numbers.slice(0, size) : numbers.slice(-size)).map((number) =>
      number === late ? { ...candle(number), volume: '0.07' } : candle(number),
    );
    return { rows, asOf: this.#now };
  };

  readonly firstCandlePage = (series: CandleSeries, since: Moment) => readFirstPage(this, series, since);
  readonly nextCandlePage = (series: CandleSeries, from: number) => readCandlePage(this, series, from);

  /** In the middle of the current candle. */
  get #now(): number {
    return SINCE + this.#exchange.count * MINUTE + 30_000;
  }
}

function candle(number: number): Ohlcv {
  const price = (20_000 + number / 100).toFixed(2);
  return { time: SINCE + number * MINUTE, open: price, high: price, low: price, close: price, volume: '0.10' };
}

/** What the last downloads reported. */
const notes: string[] = [];
/** What they do when the program ends. */
const exitWork: (() => void)[] = [];

function download(name: string, exchange: Exchange | Served, until?: number, since: Moment = () => SINCE) {
  const client = exchange instanceof Served ? exchange : new Served(exchange);
  const context = {
    globals: { isTimeoutGiven: false },
    budget: { renew: () => {} },
    host: {
      ...{ monotonic: () => 0, onInterrupt: () => () => {} },
      onExit: (work: () => void) => exitWork.push(work),
    },
    output: { live: () => () => {}, note: (text: string) => notes.push(text) },
    session: { exchange: async () => client },
  } as unknown as Context;
  const wanted = { market: 'btc_usdt', type: '1min', since, until: until === undefined ? until : () => until } as const;
  return downloadCandles(context, wanted, name);
}

function fileName(ending: string): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'pit-history-')), `candles.${ending}`);
}

const iso = (number: number) => new Date(SINCE + number * MINUTE).toISOString();

describe('a download of candles', () => {
  it('writes every closed candle once, with its market and type', async () => {
    const name = fileName('csv');
    const { data } = await download(name, { count: 2_500 });
    const lines = readFileSync(name, 'utf8').trimEnd().split('\n');
    expect(data).toEqual({ file: name, added: 2_500, from: iso(0), to: iso(2_499), gaps: [] });
    expect(lines).toHaveLength(2_501);
    expect(lines.slice(0, 2)).toEqual([
      'market,type,time,open,high,low,close,volume',
      'btc_usdt,1min,2023-03-01T00:00:00.000Z,20000.00,20000.00,20000.00,20000.00,0.10',
    ]);
  });

  it.each(['csv', 'ndjson', 'parquet'])(
    'a download killed five times and continued is the same %s, byte for byte, as an undisturbed one',
    async (ending) => {
      const [whole, disturbed] = [fileName(ending), fileName(ending)];
      await download(whole, { count: 5_432 });
      const part = ending === 'parquet' ? `${disturbed}.part` : disturbed;
      for (let kill = 0; kill < 5; kill += 1) {
        await expect(download(disturbed, { count: 5_432, failsAt: 1 })).rejects.toThrow('killed');
        // in the middle of its last row
        truncateSync(part, readFileSync(part).length - ((kill * 13) % 50));
      }
      await download(disturbed, { count: 5_432 });
      expect(readFileSync(disturbed).equals(readFileSync(whole))).toBe(true);
    },
  );

  it('reads again only the last candle that the file has', async () => {
    for (const ending of ['csv', 'parquet']) {
      const name = fileName(ending);
      await download(name, { count: 1_500 });
      const served = new Served({ count: 1_600 });
      const { data } = await download(name, served);
      expect(data).toMatchObject({ added: 100, from: iso(0), to: iso(1_599) });
      expect(served.asked).toEqual([SINCE + 1_499 * MINUTE]);
    }
  });

  it.each(['csv', 'ndjson', 'parquet'])('replaces the last candle of a %s file if it has changed', async (ending) => {
    const [whole, name] = [fileName(ending), fileName(ending)];
    await download(whole, { count: 25 });
    await download(name, { count: 20, late: 19 });
    notes.length = 0;
    expect((await download(name, { count: 25 })).data).toMatchObject({ added: 5, gaps: [] });
    expect(notes).toEqual([expect.stringMatching(`, of ${iso(19)}, has changed and was replaced.`)]);
    expect(readFileSync(name).equals(readFileSync(whole))).toBe(true);
  });

  it.each(['csv', 'ndjson', 'parquet'])('removes the last candle of a %s file if it is not over', async (ending) => {
    const [whole, name] = [fileName(ending), fileName(ending)];
    await download(whole, { count: 25 });
    await download(name, { count: 21, late: 20 });
    notes.length = 0;
    expect((await download(name, { count: 20 })).data).toMatchObject({ added: 0, to: iso(19), gaps: [] });
    expect(notes).toEqual([expect.stringMatching(`, of ${iso(20)}, is not over and was removed.`)]);
    expect((await download(name, { count: 25 })).data).toMatchObject({ added: 5, gaps: [] });
    expect(readFileSync(name).equals(readFileSync(whole))).toBe(true);
  });

  it('removes the only candle of a Parquet file if it is not over', async () => {
    const name = fileName('parquet');
    await download(name, { count: 1 });
    await download(name, { count: 0 });
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(name) })).toEqual([]);
  });

  it('goes on after its last candle if the exchange does not have that one any more', async () => {
    const name = fileName('csv');
    await download(name, { count: 20 });
    const { data } = await download(name, { count: 1_021, which: 'latest' });
    expect(data).toMatchObject({ added: 999, gaps: [{ from: iso(20), to: iso(21), candles: 2 }] });
    expect(readFileSync(name, 'utf8')).toContain(iso(19));
  });

  it.each([
    [3, 'fast'],
    [-10, 'slow'],
  ])("begins at an age by the exchange's clock if this machine's is %i minutes ahead (%s)", async (minutes) => {
    const exchange = { count: 100, skew: minutes * MINUTE };
    const { data } = await download(fileName('csv'), exchange, undefined, (now) => now - 10 * MINUTE);
    expect(data).toMatchObject({ added: 9, from: iso(91), to: iso(99), gaps: [] });
  });

  it('ends before --until, and continues from there with a later one', async () => {
    const name = fileName('csv');
    await download(name, { count: 500 }, SINCE + 100 * MINUTE);
    expect((await download(name, { count: 500 }, SINCE + 200 * MINUTE)).data).toMatchObject({
      added: 100,
      to: iso(199),
    });
  });

  it('reports gaps, and goes on after them', async () => {
    const missing = new Set([10, 11, 12, 1_200]);
    const { data, failure } = await download(fileName('csv'), { count: 1_500, missing });
    expect(data).toMatchObject({
      added: 1_496,
      gaps: [
        { from: iso(10), to: iso(12), candles: 3 },
        { from: iso(1_200), to: iso(1_200), candles: 1 },
      ],
    });
    expect(failure).toBeUndefined();
  });

  it('a download is partial if the exchange returns only its latest candles', async () => {
    const { data, failure } = await download(fileName('csv'), { count: 2_500, which: 'latest' });
    expect(failure).toMatchObject({ kind: 'partial' });
    // the current candle took one of the 1000 places
    expect(data).toMatchObject({ added: 999, gaps: [{ from: iso(0), to: iso(1_500), candles: 1_501 }] });
  });

  it('says again what is missing before its first candle each time it goes on', async () => {
    const gaps = [{ from: iso(0), to: iso(4), candles: 5 }];
    const [cut, late] = [fileName('csv'), fileName('csv')];
    const missing = new Set([0, 1, 2, 3, 4]);
    await download(late, { count: 10, missing });
    const again = await download(late, { count: 12, missing });
    expect([again.data, again.failure]).toEqual([expect.objectContaining({ added: 2, gaps }), undefined]);
    await download(cut, { count: 1_004, which: 'latest' });
    const later = await download(cut, { count: 1_010, which: 'latest' });
    expect(later.data).toMatchObject({ added: 6, gaps });
    expect(later.failure).toMatchObject({ kind: 'partial', message: expect.stringContaining(iso(5)) });
  });

  it('keeps what it has if a later page fails, and says how to go on', async () => {
    const name = fileName('csv');
    const error = new Failure('unreachable', 'No answer: connection reset.');
    const { data, failure } = await download(name, { count: 2_500, failsAt: 2, error });
    expect(data).toMatchObject({ added: 2_000 });
    expect(failure).toMatchObject({
      kind: 'unreachable',
      message: 'The download stopped: No answer: connection reset.',
      hints: ['Run the same command again to continue.'],
    });
    expect((await download(name, { count: 2_500 })).data).toMatchObject({ added: 500 });
  });

  it.each(['csv', 'ndjson', 'parquet'])('makes no %s file if no candle is closed yet', async (ending) => {
    const name = fileName(ending);
    expect((await download(name, { count: 0 })).data).toMatchObject({ added: 0, from: null });
    expect(readdirSync(path.dirname(name))).toEqual([]);
  });

  it.each(['csv', 'ndjson', 'parquet'])('makes no %s file if its first page cannot be read', async (ending) => {
    const name = fileName(ending);
    await expect(download(name, { count: 3, failsAt: 0 })).rejects.toThrow('killed');
    expect(readdirSync(path.dirname(name))).toEqual([]);
  });

  it.each(['csv', 'ndjson', 'parquet'])(
    'leaves no %s file if the program ends before its first page',
    async (ending) => {
      const name = fileName(ending);
      const left: string[][] = [];
      const meanwhile = () => {
        for (const work of exitWork.splice(0)) work();
        left.push(readdirSync(path.dirname(name)));
      };
      exitWork.length = 0;
      await expect(download(name, { count: 3, failsAt: 0, meanwhile })).rejects.toThrow('killed');
      expect(left).toEqual([[]]);
    },
  );

  it.each(['csv', 'ndjson', 'parquet'])('leaves an empty %s file that was there before', async (ending) => {
    const name = fileName(ending);
    writeFileSync(name, '');
    await download(name, { count: 0 });
    expect(readdirSync(path.dirname(name))).toEqual([path.basename(name)]);
  });

  it('writes text columns to Parquet: no digit is lost', async () => {
    const name = fileName('parquet');
    await download(name, { count: 3 });
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(name) });
    expect(rows[2]).toEqual({
      market: 'btc_usdt',
      type: '1min',
      time: iso(2),
      open: '20000.02',
      high: '20000.02',
      low: '20000.02',
      close: '20000.02',
      volume: '0.10',
    });
  });

  it('refuses a file of another market or type, or one that begins later', async () => {
    const name = fileName('csv');
    await download(name, { count: 10 });
    const other = readFileSync(name, 'utf8').replaceAll('1min', '5min');
    const names = [fileName('csv'), fileName('csv')];
    writeFileSync(names[0] ?? '', `${other.split('\n').slice(0, 2).join('\n')}\n`);
    writeFileSync(names[1] ?? '', other.replaceAll('5min', '1min').replace(/\n.*:00:00.*/, ''));
    await expect(download(names[0] ?? '', { count: 20 })).rejects.toThrow('has other candles: 5min of btc_usdt.');
    await expect(download(names[1] ?? '', { count: 20 })).rejects.toThrow(`begins at ${iso(1)}, later than --since.`);
  });
});

describe('a file that a download is to go on with', () => {
  const row = (number: number) => `btc_usdt,1min,${iso(number)},20000.00,20000.00,20000.00,20000.00,0.10`;
  const header = 'market,type,time,open,high,low,close,volume';

  it.each([
    ['an invalid time', row(1).replace(iso(1), 'garbage')],
    ['a candle of the year 2031', row(1).replace('2023', '2031')],
    ['a candle twice', row(0)],
    ['a candle before the one above it', row(-1)],
    ['a time between two candles', row(1).replace(':00.000Z', ':30.000Z')],
    ['an invalid price', row(1).replace('20000.00', 'high')],
    ['a column too few', row(1).replace(',0.10', '')],
    ['a candle of another market', row(1).replace('btc_', 'eth_')],
  ])('is refused with the number of a line that has %s, and stays as it is', async (_what, line) => {
    for (const [ending, text] of [
      ['csv', [header, row(0), line, row(2), ''].join('\n')],
      ['ndjson', [row(0), line, row(2)].map((one) => `${JSON.stringify(asObject(one))}\n`).join('')],
    ] as const) {
      const name = fileName(ending);
      writeFileSync(name, text);
      const failed = await download(name, { count: 10 }).catch((error: unknown) => error);
      expect(failed).toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(`line ${ending === 'csv' ? 3 : 2} `),
      });
      expect(readFileSync(name, 'utf8')).toBe(text);
    }
  });

  function asObject(line: string) {
    const values = line.split(',');
    return Object.fromEntries(
      header.split(',').flatMap((field, index) => (values[index] ? [[field, values[index]]] : [])),
    );
  }

  it.each(['csv', 'ndjson', 'parquet'])('reports a hole in a %s file as a gap, each time', async (ending) => {
    const name = fileName(ending);
    const gaps = [{ from: iso(3), to: iso(5), candles: 3 }];
    await download(name, { count: 10, missing: new Set([3, 4, 5]) });
    expect((await download(name, { count: 12 })).data).toMatchObject({ added: 2, gaps });
    expect((await download(name, { count: 12 })).data).toMatchObject({ added: 0, gaps });
  });

  it('is refused with the number of a row of a Parquet file', async () => {
    const [wrong, name] = [fileName('csv'), fileName('parquet')];
    writeFileSync(wrong, [header, row(0), row(2), row(1), ''].join('\n'));
    const anyRow = { begin: () => undefined, problem: () => undefined };
    const rows = SeriesFile.open(wrong, 'csv', header.split(','), anyRow);
    writeParquet(rows, header.split(','), name);
    await expect(download(name, { count: 10 })).rejects.toThrow(`${name}: row 3 is not later than`);
    expect(existsSync(`${name}.part`)).toBe(false);
  });
});
