import { describe, expect, it } from 'vitest';
import { MARKETS } from '../../../src/sandbox/markets/market.js';
import { printsOf, readRecording, spanOf } from '../../../src/sandbox/replay/recording.js';

const btc = marketOf('btc_usdt');
const xrp = marketOf('xrp_eth');

function marketOf(name: string) {
  const market = MARKETS.get(name);
  if (market === undefined) throw new Error(name);
  return market;
}

const CANDLE = {
  time: 1677628800000,
  length: 60_000,
  open: 2314048n,
  high: 2315077n,
  low: 2312852n,
  close: 2314231n,
  volume: 2131777n,
};

describe('a recording', () => {
  it('reads candles from six columns, with or without a header', () => {
    const row = '1677628800000,23140.48,23150.77,23128.52,23142.31,2.131777';
    const header = 'time_ms,open,high,low,close,volume\n';
    for (const text of [row, `${header}${row}\n`, `${header.trim()}\r\n${row}\r\n\r\n`])
      expect(readRecording(text, btc)).toEqual({ kind: 'candles', rows: [CANDLE] });
  });

  it.each(['1677628800000', '1677628800000000'])('reads candles from twelve columns, with times like %s', (time) => {
    const rest = '1677628859999,49331.1,77,1.0,23140.0,0';
    const row = `${time},23140.48000000,23150.77000000,23128.52000000,23142.31000000,2.13177700,${rest}`;
    expect(readRecording(row, btc)).toEqual({ kind: 'candles', rows: [CANDLE] });
  });

  it('reads trades from five columns', () => {
    const text = `time_ms,trade_id,side,price,amount
1570752011620,13519807,sell,0.00141342,23.0
1570752011620,13519808,buy,0.00141266,54.0`;
    expect(readRecording(text, xrp)).toEqual({
      kind: 'trades',
      rows: [
        { time: 1570752011620, side: 'sell', price: 141342n, amount: 23n },
        { time: 1570752011620, side: 'buy', price: 141266n, amount: 54n },
      ],
    });
  });

  it('accepts gaps: the shortest distance between rows is the length of a candle', () => {
    const rows = [0, 1, 7, 8].map((hour) => `${1677628800000 + hour * 3_600_000},1,1,1,1,9e-05`);
    const recording = readRecording(rows.join('\n'), btc);
    expect(recording.rows).toMatchObject([0, 1, 2, 3].map(() => ({ length: 3_600_000, volume: 90n })));
    expect(spanOf(recording)).toEqual({ from: 1677628800000, to: 1677628800000 + 9 * 3_600_000 });
  });

  it.each([
    ['', 'the file has no rows'],
    ['time_ms,open\n', 'the file has no rows'],
    ['1677628800000,1,2', 'line 1 does not have 5 columns (trades), or 6 or 12 (candles): 1677628800000,1,2'],
    ['yesterday,1,1,1,1,1\n1677628800000,1,1,1,1,x', 'line 2 does not have an amount with at most 6 decimals'],
    ['1677628800000,1.001,2,1,1,1', 'line 1 does not have a price with at most 2 decimals, as btc_usdt has'],
    ['1677628800000,1,2,1.5,1,1', 'line 1 does not have a low and a high around open and close'],
    ['1677628800001,1,1,1,1,1', 'line 1 does not have candles of whole minutes'],
    ['1677628860000,1,1,1,1,1\n1677628800000,1,1,1,1,1', 'line 2 does not have a time after that of the row before'],
    ['1677628860000,1,1,1,1,1\n1677628860000,1,1,1,1,1', 'line 2 does not have a time after that of the row before'],
    ['1677628860000,1,1,1,1,1\n1677628920000,1,1,1,1', 'line 2 does not have 6 columns, as the rows before'],
    ['1677628860000,0,1,0,1,1', 'line 1 does not have prices above zero'],
    ['1677628860000,7,hold,1,1', 'line 1 does not have a side that is buy or sell'],
    ['1677628860000,7,buy,1,0', 'line 1 does not have an amount above zero'],
    ['1677628860,1,1,1,1,1', 'line 1 does not have a time in milliseconds or microseconds'],
  ])('rejects a recording with the line and the rule: %j', (text, message) => {
    expect(() => readRecording(text, btc)).toThrow(message);
  });
});

describe('the trades that make up a candle', () => {
  const shown = (candle: typeof CANDLE) =>
    printsOf(candle).map(({ time, side, price, amount }) => [time - candle.time, side, price, amount]);

  it('a rising candle reaches the low first, and its trades share the volume in whole lots', () => {
    expect(shown(CANDLE)).toEqual([
      [0, 'buy', 2314048n, 532944n],
      [15_000, 'sell', 2312852n, 532944n],
      [30_000, 'buy', 2315077n, 532944n],
      [45_000, 'sell', 2314231n, 532945n],
    ]);
  });

  it('a falling candle reaches the high first', () => {
    const falling = { ...CANDLE, close: 2313000n, volume: 8n };
    expect(shown(falling).map(([, , price]) => price)).toEqual([2314048n, 2315077n, 2312852n, 2313000n]);
  });

  it('a candle with repeated prices has fewer trades', () => {
    const flat = { ...CANDLE, open: 5n, high: 5n, low: 5n, close: 5n, volume: 3n };
    expect(shown(flat)).toEqual([[0, 'buy', 5n, 3n]]);
    expect(shown({ ...flat, high: 7n, close: 7n })).toEqual([
      [0, 'buy', 5n, 1n],
      [30_000, 'buy', 7n, 2n],
    ]);
  });

  it('the trades have no amount if no lot is left', () => {
    expect(shown({ ...CANDLE, volume: 1n }).map(([, , , amount]) => amount)).toEqual([0n, 0n, 0n, 1n]);
  });
});
