import * as shape from '../../cli/shapes.js';

/** What `pit kline --out` prints with `--json`. */
export const CANDLE_FILE = shape.object({
  file: shape.text('the file that was written'),
  added: shape.integer('candles added to the file'),
  from: shape.nullable(shape.time('opening time of the first candle in the file')),
  to: shape.nullable(shape.time('opening time of the last candle in the file')),
  gaps: shape.array(
    shape.object({ from: shape.time(''), to: shape.time(''), candles: shape.integer('how many are missing') }),
    'candles that are missing: in the file, and among those of this download',
  ),
});

/** What `pit trades --out` prints with `--json`. */
export const TRADE_FILE = shape.object({
  file: shape.text('the file that was written'),
  added: shape.integer('trades added to the file'),
  from: shape.nullable(shape.id('of the first trade in the file')),
  to: shape.nullable(shape.id('of the last trade in the file')),
});

export type CandleFile = shape.Infer<typeof CANDLE_FILE>;
export type TradeFile = shape.Infer<typeof TRADE_FILE>;
