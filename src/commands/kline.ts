import { listing } from '../cli/answers.js';
import { define, flag, required, withCompletion } from '../cli/definition.js';
import * as shape from '../cli/shapes.js';
import { CANDLE_MS, CANDLE_TYPES, type Candle, type CandleType } from '../domain/candle.js';
import { Decimal } from '../domain/decimal.js';
import { usage } from '../errors.js';
import { readCandles } from '../exchange/candles.js';
import { grouped, paintChange } from '../terminal/cells.js';
import { isoTime, localTime, timeTitle } from '../terminal/time.js';
import { marketName, moment, oneOf, wholeNumber } from './inputs.js';

const DEFAULT_TYPE: CandleType = '1hour';
const DEFAULT_SIZE = 24;
const MOST_CANDLES = 1_000_000;

/** A type as the interface names it, or as people write it: `5m`, `1h`, `1d`, `1w`. A capital M would be a month. */
const candleType = withCompletion({ of: 'words', words: CANDLE_TYPES }, (word): CandleType => {
  const [, count, unit = ''] = /^(\d{1,2})([mhdwHDW])$/.exec(word) ?? [];
  const name = { m: 'min', h: 'hour', d: 'day', w: 'week' }[unit.toLowerCase()];
  return oneOf('--type', ...CANDLE_TYPES)(name === undefined ? word : `${count}${name}`);
});

export default define({
  summary: 'List candles, oldest first',
  arguments: { market: required('the market', marketName) },
  flags: {
    type: flag('--type <type>', `${CANDLE_TYPES.join(', ')} (default: ${DEFAULT_TYPE})`, candleType),
    since: flag('--since <time>', 'list candles from this time', moment),
    until: flag('--until <time>', 'list candles up to this time (default: now)', moment),
    size: flag(
      '--size <n>',
      `how many (default: ${DEFAULT_SIZE}, or all since --since)`,
      wholeNumber('--size', 1, MOST_CANDLES),
    ),
  },
  examples: [
    'kline btc_usdt',
    'kline btc_usdt --type 5min --size 50',
    'kline btc_usdt --type 1day --since 2026-11-01 --json',
  ],
  output: shape.list(
    shape.record({
      time: shape.time('opening time', 'kline.data[0]'),
      open: shape.decimal('', 'kline.data[1]'),
      high: shape.decimal('', 'kline.data[2]'),
      low: shape.decimal('', 'kline.data[3]'),
      close: shape.decimal('', 'kline.data[4]'),
      volume: shape.decimal('in the base coin', 'kline.data[5]'),
      closed: shape.yesNo('false for the current candle'),
    }),
  ),
  async run({ host, session }, { market, type = DEFAULT_TYPE, since, until, size }) {
    const { base } = await (await session.markets()).find(market);
    const now = host.now();
    const range = { since: since?.(now), until: until?.(now) ?? now };
    if (range.since !== undefined && range.since > now)
      throw usage(`--since is in the future: ${isoTime(range.since)}.`, 'Give a past time, or an age such as 2h.');
    if (range.since !== undefined && range.since > range.until)
      throw usage('--since is after --until.', 'Give the earlier time as --since.');
    const wanted = size ?? (range.since === undefined ? DEFAULT_SIZE : undefined);
    const { candles, failure } = await readCandles(await session.client(), {
      market,
      type,
      ...range,
      size: wanted,
    });
    const rows = candles.map((candle) => toRow(candle, type, now));
    const answer = listing({
      rows,
      fields: ['time', 'open', 'high', 'low', 'close', 'volume', 'closed'],
      columns: [
        { title: timeTitle(), value: ({ time }) => localTime(Date.parse(time)), importance: 6 },
        { title: 'open', value: ({ open }) => grouped(open), align: 'decimal', importance: 4 },
        { title: 'high', value: ({ high }) => grouped(high), align: 'decimal', importance: 4 },
        { title: 'low', value: ({ low }) => grouped(low), align: 'decimal', importance: 4 },
        {
          title: 'close',
          value: ({ close }) => grouped(close),
          align: 'decimal',
          importance: 5,
          paint: (text, row, paint) => paintChange(text, changeOf(row), paint),
        },
        {
          title: 'change',
          value: changeText,
          align: 'decimal',
          importance: 2,
          onScreenOnly: true,
          paint: (text, row, paint) => paintChange(text, changeOf(row), paint),
        },
        { title: `volume (${base})`, value: ({ volume }) => grouped(volume), align: 'decimal', importance: 3 },
        {
          title: '',
          value: ({ closed }) => (closed ? '' : 'open'),
          importance: 1,
          paint: (text, _, paint) => paint.faint(text),
        },
      ],
      title: `${market} ${type}`,
      empty: `No candles of ${market} in this range.`,
    });
    return failure === null ? answer : { ...answer, failure };
  },
});

function toRow({ time, open, high, low, close, volume }: Candle, type: CandleType, now: number) {
  return { time: isoTime(time), open, high, low, close, volume, closed: time + CANDLE_MS[type] <= now };
}

/** Close minus open. */
function changeOf({ open, close }: { open: string; close: string }): string {
  return Decimal.of(close).minus(Decimal.of(open)).toString();
}

function changeText(row: { open: string; close: string }): string {
  const change = changeOf(row);
  return change.startsWith('-') || Decimal.of(change).sign === 0 ? grouped(change) : `+${grouped(change)}`;
}
