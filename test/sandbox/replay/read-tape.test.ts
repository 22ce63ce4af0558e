import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { readTape } from '../../../src/sandbox/replay/read-tape.js';
import type { TapeEvent } from '../../../src/sandbox/replay/tape-event.js';
import {
  depthLine,
  eventsOf,
  fileOf,
  folder,
  gapLine,
  iso,
  klineLine,
  NOON,
  RULES,
  textOf,
  trade,
  tradesLine,
} from './tape-lines.js';

/** Without file and line, times in ms since noon. */
function shown(events: readonly TapeEvent[]) {
  return events.map(({ file: _, line: __, ...event }) => {
    const date = 'date' in event ? { date: event.date - NOON } : {};
    return { ...event, time: event.time - NOON, ...date };
  });
}

const candle = (ms: number, close = '101.00', volume = '4.000000') => ({
  time: iso(ms),
  open: '100.00',
  high: '102.00',
  low: '99.00',
  close,
  volume,
  closed: true,
});

async function failureOf(files: string | readonly string[], market?: string): Promise<string> {
  try {
    await eventsOf(files, { market });
  } catch (error) {
    if (error instanceof Failure) return error.message.replaceAll(path.dirname([files].flat()[0] ?? ''), '');
    throw error;
  }
  return 'nothing';
}

describe('a tape', () => {
  const lines = [
    { markets: [RULES] },
    depthLine(500, [['100.00', '1.5']], [['100.10', '2']]),
    tradesLine(700, [trade('8', 'sell')]),
    depthLine(1_200, [['99.99', '1']], []),
    gapLine(0, 1_000),
    {
      channel: 'ticker:btc_usdt',
      time: iso(0),
      received: iso(0),
      source: 'push',
      scope: 'delta',
      skipped: 0,
      data: [],
    },
  ];

  it('gives what comes before a fault before it, and meets no fault after the end that was asked for', async () => {
    const books = [500, 1_200, 5_000, 5_500].map((ms) => depthLine(ms, [['100.00', '1.5']], [['100.10', '2']]));
    const file = fileOf([...books, 'no document'], 'fault.ndjson');
    const times: number[] = [];
    const read = async (to?: number) => {
      for await (const { time } of readTape([file], { to })) times.push(time - NOON);
    };
    await expect(read()).rejects.toThrow('line 5 is not JSON');
    const before = times.splice(0);
    expect(before).toHaveLength(books.length);
    await read(NOON + 5_200);
    expect(times).toEqual(before.slice(0, 3));
  });

  it('of endless lines without text, packed into a few bytes, is refused after the first of them', async () => {
    const document = textOf([tradesLine(0, [trade('1')])]);
    for (const blank of ['\n', ' \n', '\r\n']) {
      const packed = gzipSync(document + blank.repeat(100_000));
      expect(packed.length).toBeLessThan(2_000);
      expect(await failureOf(fileOf(packed, 'tape.ndjson.gz'))).toMatch(
        /^\/tape\.ndjson\.gz: line 20\d\d is one of too many/,
      );
    }
    const spaced = `${document}\n`.repeat(5_000);
    expect(await failureOf(fileOf(gzipSync(spaced), 'tape.ndjson.gz'))).not.toMatch('too many');
  });

  it.each(['.ndjson', '.ndjson.gz'])(
    'has the rules, books, trades and gaps of its documents, in order: %s',
    async (ending) => {
      const bytes = Buffer.from(textOf(lines));
      const events = await eventsOf(fileOf(ending === '.ndjson' ? bytes : gzipSync(bytes), `tape${ending}`));
      const { market, tickSize: _, lotSize: __, ...rules } = RULES;
      expect(shown(events)).toEqual([
        { kind: 'config', time: 0, market, rules: { name: market, ...rules } },
        {
          kind: 'depth',
          time: 0,
          date: 0,
          market: 'btc_usdt',
          bids: [{ price: '100.00', amount: '1.5' }],
          asks: [{ price: '100.10', amount: '2' }],
        },
        { kind: 'trade', time: 200, date: 0, market: 'btc_usdt', isPast: false, ...trade('8', 'sell') },
        {
          kind: 'depth',
          time: 1_000,
          date: 1_000,
          market: 'btc_usdt',
          bids: [{ price: '99.99', amount: '1' }],
          asks: [],
        },
        {
          kind: 'gap',
          time: 1_000,
          market: 'btc_usdt',
          channel: 'trades:btc_usdt',
          from: NOON,
          to: NOON + 1_000,
          reason: 'nothing was recorded',
        },
      ]);
    },
  );

  it('has the trades that the exchange showed first as the past, at its beginning', async () => {
    const file = fileOf([
      { markets: [RULES] },
      tradesLine(-600_000, [trade('1'), trade('2')], 'snapshot'),
      depthLine(500, [], []),
      tradesLine(900, [trade('3')]),
    ]);
    const trades = shown(await eventsOf(file)).flatMap((event) =>
      event.kind === 'trade' ? [[event.id, event.time, event.date, event.isPast]] : [],
    );
    expect(trades).toEqual([
      ['1', 0, -600_000, true],
      ['2', 0, -600_000, true],
      ['3', 400, 0, false],
    ]);
  });

  it('has trades that the exchange pushed late, but that are older than those that it showed first, as the past in their order', async () => {
    const file = fileOf([
      { markets: [RULES] },
      depthLine(500, [], []),
      tradesLine(600, [trade('8'), trade('9')], 'snapshot'),
      tradesLine(-600_000, [trade('1'), trade('2')]),
      tradesLine(900, [trade('10')]),
      tradesLine(9_000, [trade('11')]),
    ]);
    const trades = (await eventsOf(file)).flatMap((event) =>
      event.kind === 'trade' ? [[event.id, event.isPast]] : [],
    );
    expect(trades).toEqual([
      ['1', true],
      ['2', true],
      ['8', true],
      ['9', true],
      ['10', false],
      ['11', false],
    ]);
  });

  it('has candles as what is new in them, and those that are over when they are first seen as the past', async () => {
    const running = { ...candle(0, '101.00', '1.000000'), closed: false };
    const file = fileOf([
      klineLine(100, [candle(-60_000), running], 'snapshot'),
      klineLine(1_000, [{ ...running, high: '103.00', close: '102.50', volume: '1.500000' }]),
      klineLine(2_000, [{ ...running, high: '103.00', close: '102.50', volume: '1.500000' }]),
      klineLine(61_000, [
        { ...running, high: '103.00', low: '98.00', close: '98.00', volume: '3.500000' },
        candle(60_000),
      ]),
    ]);
    const events = shown(await eventsOf(file, { path: { kind: 'olhc' } }));
    expect(events.map(({ kind }) => kind)).toEqual(['past', 'past', ...Array.from({ length: 8 }, () => 'candle')]);
    const prices = events.flatMap((event) =>
      event.kind === 'candle' ? [`${event.side} ${event.amount} at ${event.price}`] : [],
    );
    expect(prices).toEqual([
      'buy 0 at 101.00',
      'buy 0.250000 at 103.00',
      'sell 0.250000 at 102.50',
      'sell 2.000000 at 98.00',
      'buy 1.000000 at 100.00',
      'sell 1.000000 at 99.00',
      'buy 1.000000 at 102.00',
      'sell 1.000000 at 101.00',
    ]);
  });

  it('has what candles show before the channel of trades has begun only as the trades that are pushed later', async () => {
    const running = (close: string, volume: string) => ({ ...candle(0, close, volume), closed: false });
    const recorded = [
      klineLine(10_000, [running('101.00', '1.000000')], 'snapshot'),
      klineLine(10_300, [running('100.50', '1.500000')]),
      tradesLine(10_600, [trade('7')], 'snapshot'),
      tradesLine(10_700, [trade('8', 'sell', '100.50')]),
    ];
    const amounts = async (lines: readonly object[]) =>
      (await eventsOf(fileOf(lines))).flatMap((event) => ('amount' in event ? [`${event.kind} ${event.amount}`] : []));
    expect(await amounts(recorded)).toEqual(['trade 0.500000', 'candle 0', 'trade 0.500000']);
    expect(await amounts(recorded.slice(0, 2))).toEqual(['candle 0', 'candle 0.500000']);
  });

  it('shows a candle that one file begins and the next one ends as if it were one file, wherever it was divided', async () => {
    const running = (ms: number, close: string, volume: string) => ({ ...candle(ms, close, volume), closed: false });
    const recorded = [
      klineLine(100, [candle(-60_000), running(0, '101.00', '1.000000')], 'snapshot'),
      klineLine(10_000, [running(0, '100.50', '1.400000')]),
      klineLine(20_000, [running(0, '101.50', '2.000000')]),
      klineLine(60_500, [candle(0, '100.00', '3.000000'), running(60_000, '100.20', '0.300000')]),
      klineLine(70_000, [running(60_000, '100.10', '0.500000')]),
      klineLine(120_100, [candle(60_000, '99.50', '0.900000'), running(120_000, '99.60', '0.100000')]),
    ];
    const eventsIn = async (...files: string[]) =>
      shown(await eventsOf(files)).map((event) => ({ ...event, goesOn: undefined }));
    const whole = await eventsIn(fileOf(recorded));
    for (let at = 1; at < recorded.length; at += 1) {
      const [first, second] = [fileOf(recorded.slice(0, at), 'a.ndjson'), fileOf(recorded.slice(at), 'b.ndjson')];
      expect(await eventsIn(first, second)).toEqual(whole);
    }
  });

  it('shows a candle of a recording that begins later, after a pause, as that of any first file', async () => {
    const later = fileOf([klineLine(601_000, [candle(540_000), candle(600_000)], 'snapshot')], 'later.ndjson');
    const kinds = async (...files: string[]) =>
      (await eventsOf(files)).slice(-3).map(({ kind, time }) => [kind, time - NOON]);
    const first = fileOf([klineLine(100, [candle(0)], 'snapshot')], 'first.ndjson');
    expect(await kinds(first, later)).toEqual(await kinds(later));
  });

  describe('with candles that are still open', () => {
    const flat = (ms: number, close: string) => ({ ...candle(ms, close), open: close, high: close, low: close });
    const pricesOf = (events: readonly TapeEvent[]) =>
      events.flatMap((event) => (event.kind === 'candle' ? [[event.time - NOON, event.price]] : []));
    const book = (ms: number) => depthLine(ms, [['99.00', '1']], [['102.00', '1']]);

    it('shows each price when it was recorded, the first one of the candle in which the recording began', async () => {
      const file = fileOf([
        klineLine(26_000, [candle(-60_000), flat(0, '100.00')], 'snapshot'),
        klineLine(30_500, [{ ...flat(0, '100.00'), low: '98.00', close: '98.00' }]),
        klineLine(61_000, [flat(0, '100.00'), flat(60_000, '97.00')]),
      ]);
      const events = await eventsOf(file);
      expect(pricesOf(events)).toEqual([
        [26_007, '100.00'],
        [30_507, '98.00'],
        [61_007, '100.00'],
        [61_007, '97.00'],
      ]);
      // what closes a candle arrives after its end, and is a part of it
      const ends = events.flatMap((event) => (event.kind === 'candle' ? [event.date - NOON] : []));
      expect(ends.slice(-2)).toEqual([59_999, 61_007]);
    });

    it('shows a price between two books when it was recorded, not with the first of them', async () => {
      const file = fileOf([
        book(0),
        klineLine(1_000, [flat(0, '100.00')]),
        book(20_000),
        klineLine(40_000, [flat(0, '101.00')]),
        book(41_000),
      ]);
      expect(pricesOf(await eventsOf(file))).toEqual([
        [1_000, '100.00'],
        [40_000, '101.00'],
      ]);
    });

    it('follows the clock of the exchange, however wrong the clock of the recorder is', async () => {
      const lines = [klineLine(0, [flat(0, '100.00')]), book(1_000), klineLine(9_000, [flat(0, '101.00')])];
      const late = lines.map((line) => ({ ...line, received: iso(Date.parse(line.received) - NOON + 600_000) }));
      const early = lines.map((line) => ({ ...line, received: iso(Date.parse(line.received) - NOON - 600_000) }));
      expect(pricesOf(await eventsOf(fileOf(late)))).toEqual([
        [1_000, '100.00'],
        [9_000, '101.00'],
      ]);
      expect(pricesOf(await eventsOf(fileOf(early)))).toEqual([
        [0, '100.00'],
        [9_000, '101.00'],
      ]);
    });
  });

  it('divides into files, which may overlap, and has each trade once and its rules once', async () => {
    const where = folder();
    const first = fileOf([{ markets: [RULES] }, tradesLine(0, [trade('1'), trade('2')])], 'a.ndjson', where);
    const second = fileOf(
      [{ markets: [RULES] }, tradesLine(1_000, [trade('2'), trade('3')]), tradesLine(5_000, [trade('4')])],
      'b.ndjson',
      where,
    );
    const other = fileOf([depthLine(2_000, [], [], 'eth_usdt')], 'c.ndjson', where);
    const events = await eventsOf([second, other, first]);
    expect(events.map((event) => (event.kind === 'trade' ? event.id : event.kind))).toEqual([
      'config',
      '1',
      '2',
      '3',
      'depth',
      '4',
    ]);
  });

  it('begins at a time with its last book before it, and ends before another time', async () => {
    const file = fileOf([
      { markets: [RULES] },
      depthLine(0, [['99', '1']], []),
      depthLine(1_000, [['98', '1']], []),
      tradesLine(2_000, [trade('1')]),
      tradesLine(4_000, [trade('2')]),
      tradesLine(5_000, [trade('3')]),
    ]);
    const events = shown(await eventsOf(file, { from: NOON + 3_000, to: NOON + 5_000 }));
    expect(events).toMatchObject([
      { kind: 'config', time: 3_000 },
      { kind: 'trade', id: '1', time: 3_000, isPast: true },
      { kind: 'depth', time: 3_000, bids: [{ price: '98' }] },
      { kind: 'trade', id: '2', time: 4_000, isPast: false },
    ]);
  });

  it('takes documents that overtook each other on their way in the order in which they came', async () => {
    const file = fileOf([depthLine(60_000, [], []), tradesLine(1_000, [trade('1')]), depthLine(30_000, [], [])]);
    expect(shown(await eventsOf(file)).map(({ time }) => time)).toEqual([60_000, 60_000, 60_000]);
  });

  it.each(['.ndjson', '.ndjson.gz'])(
    'leaves out what a killed recorder left of its last line, and says so: %s',
    async (ending) => {
      const [one, two] = [textOf(lines.slice(0, 3)), textOf([tradesLine(900, [trade('9')])])];
      const whole = ending === '.ndjson' ? Buffer.from(one + two) : Buffer.concat([gzipSync(one), gzipSync(two)]);
      const events = await eventsOf(fileOf(whole.subarray(0, -15), `tape${ending}`));
      expect(events.map(({ kind }) => kind)).toEqual(['config', 'depth', 'trade', 'gap']);
      expect(events.at(-1)).toMatchObject({
        channel: '',
        reason: expect.stringMatching(/^line 4 of .* is cut off, and was left out$/),
      });
    },
  );
});

describe('a compressed tape that is cut off anywhere', () => {
  it('has what was whole before the cut, and nothing else', async () => {
    const documents = [{ markets: [RULES] }, ...[1, 2, 3].map((id) => tradesLine(id * 1_000, [trade(String(id))]))];
    const whole = Buffer.concat(documents.map((one) => gzipSync(textOf([one]))));
    const where = folder();
    for (let length = 30; length < whole.length; length += 7) {
      const events = await eventsOf(fileOf(whole.subarray(0, length), 'tape.ndjson.gz', where)).catch(
        (error: unknown) => {
          expect((error as Failure).message).toMatch(/has no rows|cannot be unpacked/);
          return [];
        },
      );
      const trades = events.flatMap((event) => (event.kind === 'trade' ? [event.id] : []));
      expect(trades).toEqual(['1', '2', '3'].slice(0, trades.length));
    }
  });
});

describe('files of pit kline and pit trades', () => {
  const CANDLES = 'market,type,time,open,high,low,close,volume\n';
  const row = (ms: number) => `btc_usdt,1min,${iso(ms)},100.00,102.00,99.00,101.00,4.000002\n`;

  it('have each candle as its prices over its time, and missing ones as a gap', async () => {
    const events = shown(
      await eventsOf(fileOf(Buffer.from(`${CANDLES}${row(0)}${row(180_000)}`), 'minutes.csv'), {
        path: { kind: 'olhc' },
      }),
    );
    const prices = events.map((event) =>
      event.kind === 'candle' ? [event.time, event.price, event.amount] : [event.kind, event.time],
    );
    expect(prices).toEqual([
      [0, '100.00', '1.000000'],
      [15_000, '99.00', '1.000000'],
      [30_000, '102.00', '1.000001'],
      [45_000, '101.00', '1.000001'],
      ['gap', 180_000],
      [180_000, '100.00', '1.000000'],
      [195_000, '99.00', '1.000000'],
      [210_000, '102.00', '1.000001'],
      [225_000, '101.00', '1.000001'],
    ]);
  });

  it('spread the volume of a candle in the smallest amounts of the market, however few decimals it has', async () => {
    const csv = fileOf(Buffer.from(`${CANDLES}btc_usdt,1min,${iso(0)},100,102,99,101,1\n`), 'whole.csv');
    const amounts = async (amountScale: number) => {
      const events = await eventsOf(csv, { path: { kind: 'ohlc' }, amountScale: () => amountScale });
      return events.map((event) => (event.kind === 'candle' ? event.amount : event.kind));
    };
    expect(await amounts(6)).toEqual(['0.250000', '0.250000', '0.250000', '0.250000']);
    expect(await amounts(1)).toEqual(['0.2', '0.2', '0.3', '0.3']);
    expect(await amounts(0)).toEqual(['0', '0', '0', '1']);
  });

  it('are the same as NDJSON, and the candles before a time are the past', async () => {
    const csv = fileOf(Buffer.from(`${CANDLES}${row(0)}${row(60_000)}`), 'minutes.csv');
    const json = fileOf(
      [0, 60_000].map((ms) => {
        const [market, type, time, open, high, low, close, volume] = row(ms).trim().split(',');
        return { market, type, time, open, high, low, close, volume };
      }),
    );
    expect(shown(await eventsOf(json))).toEqual(shown(await eventsOf(csv)));
    const cut = await eventsOf(csv, { from: NOON + 60_000, path: { kind: 'ohlc' } });
    expect(cut.map(({ kind }) => kind)).toEqual(['past', 'candle', 'candle', 'candle', 'candle']);
  });

  it('have a candle in two parts if a time is within it: the past, and the rest with what is left of the volume', async () => {
    const csv = fileOf(Buffer.from(`${CANDLES}${row(0)}`), 'minutes.csv');
    const whole = shown(await eventsOf(csv, { path: { kind: 'ohlc' } }));
    const [past, ...rest] = shown(await eventsOf(csv, { from: NOON + 20_000, path: { kind: 'ohlc' } }));
    expect(past).toMatchObject({ kind: 'past', isOver: false, date: 0, high: '102.00', low: '100.00' });
    expect(past).toMatchObject({ close: '102.00', volume: '2.000000' });
    // the third and the fourth price, with the half of 4.000002 that fell on them
    expect(rest).toEqual([{ ...whole[2], volume: '2.000002' }, whole[3]]);
    const over = shown(await eventsOf(csv, { from: NOON + 50_000, path: { kind: 'ohlc' } }));
    expect(over).toMatchObject([{ kind: 'past', isOver: false, volume: '4.000002', close: '101.00' }]);
  });

  it('overlap without harm: a candle that two of them have comes once, as does a file that is named twice', async () => {
    const where = folder();
    const one = fileOf(Buffer.from(`${CANDLES}${row(0)}${row(60_000)}`), 'one.csv', where);
    const other = fileOf(Buffer.from(`${CANDLES}${row(60_000)}${row(120_000)}`), 'other.csv', where);
    const whole = fileOf(Buffer.from(`${CANDLES}${row(0)}${row(60_000)}${row(120_000)}`), 'whole.csv', where);
    const without = shown;
    expect(without(await eventsOf([one, other]))).toEqual(without(await eventsOf(whole)));
    expect(without(await eventsOf([whole, whole]))).toEqual(without(await eventsOf(whole)));
  });

  it('are refused if they have the same candle with other numbers', async () => {
    const where = folder();
    const one = fileOf(Buffer.from(`${CANDLES}${row(0)}`), 'one.csv', where);
    const other = fileOf(Buffer.from(`${CANDLES}${row(0).replace('4.000002', '5')}`), 'other.csv', where);
    await expect(eventsOf([one, other])).rejects.toThrow(
      `${other}: line 2 has another volume of the candle of btc_usdt at 2026-01-01T12:00:00.000Z than ${one}: 5, not 4.000002.`,
    );
  });

  it('have trades with their ids', async () => {
    const text = `market,id,time,side,price,amount\nbtc_usdt,7,${iso(1_000)},sell,100.00,0.5\n`;
    expect(shown(await eventsOf(fileOf(Buffer.from(text), 'trades.csv')))).toEqual([
      {
        kind: 'trade',
        market: 'btc_usdt',
        id: '7',
        time: 1_000,
        date: 1_000,
        side: 'sell',
        price: '100.00',
        amount: '0.5',
        isPast: false,
      },
    ]);
  });
});

describe('rows that name no market', () => {
  const START = 1_677_628_800_000;
  const CANDLE = `${START},23140.48,23150.77,23128.52,23142.31,2.131777`;
  const prices = (events: readonly TapeEvent[]) =>
    events.flatMap((event) => (event.kind === 'candle' ? [[event.time - START, event.price, event.amount]] : []));
  const read = (text: string) =>
    eventsOf(fileOf(Buffer.from(text), 'rows.csv'), { market: 'btc_usdt', path: { kind: 'olhc' } });

  it('are candles of six columns, with or without a header, or of twelve, with times in milliseconds or microseconds', async () => {
    const expected = [
      [0, '23140.48', '0.532944'],
      [15_000, '23128.52', '0.532944'],
      [30_000, '23150.77', '0.532944'],
      [45_000, '23142.31', '0.532945'],
    ];
    const twelve = `${START}000,23140.48000000,23150.77000000,23128.52000000,23142.31000000,2.13177700,1677628859999,49331.1,77,1.0,23140.0,0`;
    for (const text of [CANDLE, `time_ms,open,high,low,close,volume\r\n${CANDLE}\r\n\r\n`, `${twelve}\n`])
      expect(prices(await read(text))).toEqual(expected);
  });

  it.each([
    ['seconds', 'timestamp,open,high,low,close,volume', '1677628800'],
    ['ISO', 'Date,Volume BTC,open,high,low,close', '2023-03-01T00:00:00Z'],
    ['a date and a time', 'datetime,symbol,open,high,low,close,volume', '2023-03-01 00:00:00'],
    ['what pit kline --csv prints', 'time,open,high,low,close,volume,closed', '2023-03-01T00:00:00.000Z'],
  ])('are candles by the names of their columns, in any order: %s', async (_, header, time) => {
    const values: Readonly<Record<string, string>> = {
      ...{ open: '23140.48', high: '23150.77', low: '23128.52', close: '23142.31', volume: '2.131777' },
      ...{ 'Volume BTC': '2.131777', symbol: 'BTC/USDT', closed: 'true' },
    };
    const row = header.split(',').map((name) => values[name] ?? time);
    expect(prices(await read(`${header}\n${row.join(',')}\n`))).toEqual(prices(await read(CANDLE)));
  });

  it('are trades by the names of their columns', async () => {
    const events = await read('timestamp,price,size,side\n1677628800.5,0.14,23.0,S\n1677628801,0.15,54,buy\n');
    expect(events).toMatchObject([
      { kind: 'trade', time: START + 500, side: 'sell', price: '0.14', amount: '23' },
      { kind: 'trade', time: START + 1_000, side: 'buy', price: '0.15', amount: '54' },
    ]);
  });

  it('are refused if their columns have other names, with those that are known', async () => {
    const failure = await read('when,first,last\n1,2,3\n').catch((error: unknown) => error as Failure);
    expect(failure).toMatchObject({
      message: expect.stringContaining('neither those of candles nor of trades: when, first, last'),
      hints: [expect.stringContaining('timestamp, open, high, low, close, volume')],
    });
  });

  it('are trades of five columns, whose ids say nothing', async () => {
    const events = await read(
      `time_ms,trade_id,side,price,amount\n${START},x,SELL,0.14,23.0\n${START},x,buy,0.15,54.0\n`,
    );
    expect(events).toMatchObject([
      { kind: 'trade', time: START, id: null, side: 'sell', price: '0.14', amount: '23' },
      { kind: 'trade', time: START, id: null, side: 'buy', price: '0.15', amount: '54' },
    ]);
  });

  it('have candles as long as the shortest distance between two of them', async () => {
    const rows = [0, 1, 7].map((hour) => `${START + hour * 3_600_000},1,1,1,1,9e-05`);
    const events = await read(rows.join('\n'));
    expect(events.map((event) => (event.kind === 'candle' ? [event.length, event.until - START] : event.kind))).toEqual(
      [[3_600_000, 3_600_000], [3_600_000, 7_200_000], 'gap', [3_600_000, 28_800_000]],
    );
  });

  it.each([
    ['', 'has no rows'],
    ['time_ms,open,high,low,close,volume\n', 'has no rows'],
    ['1677628800000,1,2', 'line 1 does not have 5 columns (trades), or 6 or 12 (candles)'],
    ['1677628800000,1,2,1.5,1,1', 'line 1 does not have a low and a high around open and close'],
    ['1677628800001,1,1,1,1,1', 'line 1 is no candle of whole minutes'],
    ['1677628860000,1,1,1,1,1\n1677628800000,1,1,1,1,1', 'line 2 is not later than the line before it'],
    ['1677628860000,1,1,1,1,1\n1677628920000,1,1,1,1', 'line 2'],
    ['1677628860000,0,1,0,1,1', 'line 1 has zero as its open'],
    ['1677628860000,7,hold,1,1', 'line 1 has an invalid side: "hold"'],
    ['1677628860000,7,buy,1,0', 'line 1 has zero as its amount'],
    [
      '16776288,1,1,1,1,1',
      'line 1 has no time in seconds, milliseconds or microseconds, and none of ISO 8601 in UTC: "16776288"',
    ],
  ])('are rejected with the line and the rule: %j', async (text, message) => {
    expect(await failureOf(fileOf(Buffer.from(text), 'rows.csv'), 'btc_usdt')).toContain(message);
  });

  it('need a market', async () => {
    expect(await failureOf(fileOf(Buffer.from(CANDLE), 'rows.csv'))).toBe(
      '/rows.csv does not say which market it is of.',
    );
  });
});

describe('a damaged file', () => {
  const good = [
    { markets: [RULES] },
    depthLine(
      0,
      [
        ['100.00', '1'],
        ['99.00', '2'],
      ],
      [
        ['101.00', '1'],
        ['102.00', '2'],
      ],
    ),
    tradesLine(100, [trade('5')]),
    klineLine(200, [candle(0)]),
    gapLine(0, 300),
    tradesLine(1_000, [trade('6')]),
    klineLine(61_000, [candle(60_000)]),
  ];
  const WRONG = [null, 1, true, '', 'x', '-1', '1e5', 'NaN', '1,000', ' 1', '9'.repeat(17), '1.', [], {}];

  type Path = readonly (string | number)[];
  const PLACES: readonly (readonly [line: number, path: Path, except?: readonly unknown[]])[] = [
    ...(['market', 'base', 'quote', 'minAmount', 'minNotional'] as const).map(
      (name) => [1, ['markets', 0, name]] as const,
    ),
    ...(['priceScale', 'amountScale'] as const).map((name) => [1, ['markets', 0, name], [1]] as const),
    [2, ['received']],
    [2, ['data', 'bids', 0, 'price']],
    [2, ['data', 'asks', 1, 'price']],
    [2, ['data', 'asks', 0, 'amount']],
    [2, ['data', 'bids'], [[]]],
    [3, ['data', 0, 'id'], ['9'.repeat(17)]],
    [3, ['data', 0, 'market']],
    [3, ['data', 0, 'side']],
    [3, ['data', 0, 'price']],
    [3, ['data', 0, 'amount']],
    [3, ['data', 0, 'time']],
    [4, ['data', 0, 'open']],
    [4, ['data', 0, 'high']],
    [4, ['data', 0, 'volume'], ['0']],
    [4, ['data', 0, 'time']],
    [5, ['gap', 'from']],
    [5, ['gap']],
  ];

  const changed = (line: number, path: Path, value: unknown) => {
    const lines = structuredClone(good) as unknown[];
    let at = lines[line - 1] as Record<string | number, unknown>;
    for (const step of path.slice(0, -1)) at = at[step] as Record<string | number, unknown>;
    at[path.at(-1) ?? ''] = value;
    return lines as object[];
  };
  const kinds = PLACES.flatMap(([line, path, except = []]) =>
    WRONG.filter((value) => !except.some((one) => JSON.stringify(one) === JSON.stringify(value))).map(
      (value) =>
        ({ what: `${path.join('.')} ${JSON.stringify(value)}`, line, lines: changed(line, path, value) }) as const,
    ),
  );

  it('has at least 200 kinds here, and without its damage none', async () => {
    expect(kinds.length).toBeGreaterThanOrEqual(200);
    expect(await failureOf(fileOf(good))).toBe('nothing');
  });

  it.each(kinds)('is rejected in one sentence with the line: $what', async ({ line, lines }) => {
    const message = await failureOf(fileOf(lines));
    expect(message).toMatch(new RegExp(`^/tape\\.ndjson: line ${line} [a-z][^\\n]{5,200}\\.$`));
  });

  it.each<[what: string, lines: readonly (object | string)[] | Buffer, message: RegExp]>([
    ['no JSON', [good[0] ?? {}, '{"channel":'], /line 2 is not JSON/],
    ['an array', ['[1,2]'], /line 1 is no document of a tape/],
    ['other JSON', ['{"a":1}'], /line 1 is no document of a tape/],
    ['binary data', Buffer.from([0, 1, 2, 3, 255, 254, 10, 7]), /line 1 is no document of a tape/],
    ['a page', ['<html>'], /line 1 is no document of a tape/],
    ['a channel without data', ['{"channel":"ticker:btc_usdt"}'], /line 1 is no document of a tape/],
    [
      'an unknown type of candles',
      [klineLine(0, [candle(0)], 'delta', '7min')],
      /line 1 has an unknown type of candles/,
    ],
    ['an endless line', [`{"channel":"${'x'.repeat(2 ** 21)}"}`], /line 1 is longer than/],
    [
      'books in no order',
      [
        depthLine(
          0,
          [
            ['99', '1'],
            ['100', '1'],
          ],
          [],
        ),
      ],
      /line 1 has bids that are not in the order/,
    ],
    [
      'a level twice',
      [
        depthLine(
          0,
          [],
          [
            ['99', '1'],
            ['99.0', '1'],
          ],
        ),
      ],
      /line 1 has asks that are not in the order/,
    ],
    [
      'a market within another',
      [tradesLine(0, [trade('1')], 'delta', 'eth_usdt')].map((one) => ({ ...one, channel: 'trades:btc_usdt' })),
      /line 1 has a trade of another market than btc_usdt/,
    ],
    [
      'depth that goes back',
      [depthLine(200_000, [], []), depthLine(0, [], [])],
      /line 2 goes back in time, from .* to /,
    ],
    [
      'trades that go back',
      [tradesLine(200_000, [trade('1')]), tradesLine(0, [trade('2')])],
      /line 2 goes back in time/,
    ],
    [
      'other rules later',
      [{ markets: [RULES] }, depthLine(0, [], []), { markets: [{ ...RULES, priceScale: 3 }] }],
      /line 3 has another priceScale of btc_usdt/,
    ],
    ['other coins', [{ markets: [{ ...RULES, base: 'eth' }] }], /line 1 has other coins than the market btc_usdt/],
    [
      'damaged gzip',
      Buffer.concat([gzipSync(textOf(good)), gzipSync('x').fill(0x77, 10)]),
      /^\/tape\.ndjson cannot be unpacked: /,
    ],
    ['no gzip', Buffer.from([0x1f, 0x8b, 0, 0, 0, 0]), /^\/tape\.ndjson cannot be unpacked: /],
    ['damaged Parquet', Buffer.from(`PAR1${'x'.repeat(50)}`), /line 1 cannot be read: the Parquet file is damaged/],
    [
      'candles twice',
      Buffer.from(`market,type,time,open,high,low,close,volume\n${`btc_usdt,1min,${iso(0)},1,1,1,1,1\n`.repeat(2)}`),
      /line 3 is not later than the line before it/,
    ],
    [
      'a column less',
      Buffer.from(`market,type,time,open,high,low,close,volume\nbtc_usdt,1min,${iso(0)},1,1,1,1\n`),
      /line 2 does not have the fields market, type/,
    ],
    [
      'candles of two types',
      Buffer.from(
        `market,type,time,open,high,low,close,volume\nbtc_usdt,1min,${iso(0)},1,1,1,1,1\nbtc_usdt,5min,${iso(300_000)},1,1,1,1,1\n`,
      ),
      /line 3 is a 5min candle, unlike the lines before it/,
    ],
    ['nothing', [], /has no rows/],
  ])('is rejected with its line: %s', async (_what, lines, message) => {
    expect(await failureOf(fileOf(lines))).toMatch(message);
  });

  it('is named if it cannot be read', async () => {
    const where = folder();
    expect(await failureOf(path.join(where, 'none.ndjson'))).toBe('Cannot read /none.ndjson: ENOENT.');
    expect(await failureOf(where)).toMatch(/^Cannot read .*: it is not a regular file\.$/);
  });
});
