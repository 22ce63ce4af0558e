import { type Columns, recordedMinutes } from '../markets/recording.js';
import { random } from './chance.js';
import { blockOf, type Factor, recordedIndex } from './factors.js';

/** A minute of a price path: natural logarithms of open, high, low and close relative to the close before. */
export interface Move {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** The recorded minute at `index`, from 1. */
export function recordedMove(index: number, columns: Columns = recordedMinutes()): Move {
  const before = columns.close[index - 1] ?? 1;
  const relative = (column: Int32Array) => Math.log((column[index] ?? before) / before);
  return {
    open: relative(columns.open),
    high: relative(columns.high),
    low: relative(columns.low),
    close: relative(columns.close),
  };
}

/** A coin's own minute: one drawn from the recording in blocks, up and down exchanged for half of the blocks. */
export function ownMove(seed: number, stream: number, minute: number): Move {
  const { block, within } = blockOf(minute);
  const draw = random(seed, stream, block, 1);
  const move = recordedMove(recordedIndex(draw, within, recordedMinutes().close.length));
  if (random(seed, stream, block, 2) < 0.5) return move;
  return { open: -move.open, high: -move.low, low: -move.high, close: -move.close };
}

/** A coin's minute from btc's and its own. The extremes seldom coincide, so their sum is drawn in. */
export function combinedMove(factor: Factor, btc: Move, own: Move): Move {
  if (factor.own === 0) return btc;
  const sum = (part: keyof Move) => factor.beta * btc[part] + factor.own * own[part];
  const [open, close] = [sum('open'), sum('close')];
  return {
    open,
    close,
    high: Math.max(open, close, 0.8 * sum('high')),
    low: Math.min(open, close, 0.8 * sum('low')),
  };
}
