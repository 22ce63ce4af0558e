import { type Columns, recordedMinutes } from '../markets/recorded-minutes.js';
import { random } from './random.js';

/**
 * How the coins move, as numbers that drive the price path. `beta` is the share of btc's own moves, `own` the weight of
 * the coin's moves beside them (other recorded minutes), `turnover` what trades a minute relative to btc, by value.
 */
export interface Factor {
  readonly coin: string;
  /** In USDT, at genesis: about what the coin cost when the recording ends. */
  readonly price: number;
  readonly beta: number;
  readonly own: number;
  readonly turnover: number;
}

export const FACTORS: readonly Factor[] = [
  { coin: 'btc', price: 28110.26, beta: 1, own: 0, turnover: 1 },
  { coin: 'eth', price: 1804.62, beta: 0.9, own: 0.35, turnover: 0.6 },
  { coin: 'bch', price: 133.27, beta: 0.85, own: 0.6, turnover: 0.15 },
  { coin: 'ltc', price: 82.96, beta: 0.9, own: 0.55, turnover: 0.2 },
  { coin: 'eos', price: 1.1742, beta: 0.95, own: 0.6, turnover: 0.1 },
  { coin: 'xrp', price: 0.46318, beta: 0.6, own: 0.7, turnover: 0.3 },
];

export function factorOf(coin: string): { factor: Factor; index: number } {
  const index = FACTORS.findIndex((factor) => factor.coin === coin);
  const factor = FACTORS[index];
  if (factor === undefined) throw new RangeError(`no price path for ${coin}`);
  return { factor, index };
}

/** Minutes that are copied together from the recording, so that calm and storm stay together. */
const BLOCK = 60;

/** Which recorded minute a minute of the path copies: whole blocks, drawn by chance. */
function recordedIndex(draw: number, minuteInBlock: number, length: number): number {
  return 1 + Math.floor(draw * (length - BLOCK - 1)) + minuteInBlock;
}

/** The block of a minute and its place within. */
function blockOf(minute: number): { block: number; within: number } {
  const block = Math.floor(minute / BLOCK);
  return { block, within: minute - block * BLOCK };
}

/** The price of a coin at genesis, in USDT. */
export function genesisPrice(coin: string): number {
  return coin === 'usdt' ? 1 : factorOf(coin).factor.price;
}

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

/** Steps of the crowd in a minute. */
export const STEPS_PER_MINUTE = 120;

/** Where the path is: the minute since the Unix epoch, and each coin's price in USDT when that minute began. */
export interface PathState {
  readonly minute: number;
  readonly prices: readonly number[];
}

/** How strongly a price is drawn back to where it was at genesis, a minute: half the way takes two weeks. */
const PULL = Math.LN2 / (14 * 24 * 60);

/**
 * The fair prices that the crowd trades around: minutes of the recording, copied in blocks drawn by chance, without the
 * recording's trend. Which minutes is a function of the seed and the minute; minutes that were not lived through move
 * nothing.
 */
export class PricePath {
  private moves: readonly Move[] = [];

  constructor(
    private readonly seed: number,
    private state: PathState,
  ) {
    this.moves = this.movesOf(state);
  }

  /** The path at genesis, in the minute that begins then. */
  static start(minute: number): PathState {
    return { minute, prices: FACTORS.map(({ price }) => price) };
  }

  get current(): PathState {
    return this.state;
  }

  /** Goes to a later minute: the one it leaves is completed, and those between did not happen. */
  enter(minute: number): void {
    if (minute <= this.state.minute) return;
    const prices = this.state.prices.map((price, coin) => price * Math.exp(this.moves[coin]?.close ?? 0));
    this.state = { minute, prices };
    this.moves = this.movesOf(this.state);
  }

  /** The fair price of a base coin in its quote coin, `step` steps into the minute. */
  fair(base: string, quote: string, step: number): number {
    return this.inUsdt(base, step) / this.inUsdt(quote, step);
  }

  /** How many BTC were traded in the recorded minute that this one copies. */
  turnover(): number {
    return (recordedMinutes().volume[this.source(this.state.minute)] ?? 0) / 1e6;
  }

  private inUsdt(coin: string, step: number): number {
    if (coin === 'usdt') return 1;
    const { index } = factorOf(coin);
    const move = this.moves[index];
    const price = this.state.prices[index] ?? 1;
    return move === undefined ? price : price * Math.exp(this.within(move, index, step));
  }

  /** The way through a minute: from the close before over both extremes to the close, in straight lines. */
  private within(move: Move, coin: number, step: number): number {
    const draw = (number: number) => random(this.seed, 3, coin, this.state.minute, number);
    const early = 10 + Math.floor(draw(0) * 40);
    const late = 60 + Math.floor(draw(1) * 50);
    const lowFirst = draw(2) < (move.close > 0 ? 0.7 : 0.3);
    const [one, two] = lowFirst ? [move.low, move.high] : [move.high, move.low];
    if (step <= early) return between(0, one, step / early);
    if (step <= late) return between(one, two, (step - early) / (late - early));
    return between(two, move.close, (step - late) / (STEPS_PER_MINUTE - late));
  }

  private movesOf({ minute, prices }: PathState): Move[] {
    const btc = recordedMove(this.source(minute));
    return FACTORS.map((factor, coin) => {
      const move = combinedMove(factor, btc, ownMove(this.seed, 10 + coin, minute));
      const drift = factor.beta * trend() + PULL * Math.log((prices[coin] ?? factor.price) / factor.price);
      const close = move.close - drift;
      return { ...move, close, high: Math.max(move.high, close), low: Math.min(move.low, close) };
    });
  }

  private source(minute: number): number {
    const { block, within } = blockOf(minute);
    return recordedIndex(random(this.seed, 1, block), within, recordedMinutes().close.length);
  }
}

/** The recording's mean change a minute, as a logarithm. */
function trend(): number {
  const { close } = recordedMinutes();
  return Math.log((close[close.length - 1] ?? 1) / (close[0] ?? 1)) / (close.length - 1);
}

function between(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}
