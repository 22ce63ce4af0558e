import { recordedMinutes } from '../markets/recorded-minutes.js';
import { random } from './random.js';

/**
 * How a coin moves. `beta` is its share of btc's moves, `own` the weight of its own moves (other recorded minutes), `turnover`
 * its traded value relative to btc's.
 */
interface Factor {
  readonly coin: string;
  /** In USDT, at genesis: roughly the coin's price when the recording ends. */
  readonly price: number;
  readonly beta: number;
  readonly ownWeight: number;
  readonly turnover: number;
}

/** @internal for its test */
export const FACTORS: readonly Factor[] = [
  { coin: 'btc', price: 28110.26, beta: 1, ownWeight: 0, turnover: 1 },
  { coin: 'eth', price: 1804.62, beta: 0.9, ownWeight: 0.35, turnover: 0.6 },
  { coin: 'bch', price: 133.27, beta: 0.85, ownWeight: 0.6, turnover: 0.15 },
  { coin: 'ltc', price: 82.96, beta: 0.9, ownWeight: 0.55, turnover: 0.2 },
  { coin: 'eos', price: 1.1742, beta: 0.95, ownWeight: 0.6, turnover: 0.1 },
  { coin: 'xrp', price: 0.46318, beta: 0.6, ownWeight: 0.7, turnover: 0.3 },
];

export function factorOf(coin: string): { factor: Factor; index: number } {
  const index = FACTORS.findIndex((factor) => factor.coin === coin);
  const factor = FACTORS[index];
  if (factor === undefined) throw new RangeError(`no price path for ${coin}`);
  return { factor, index };
}

/** Minutes that are copied together from the recording, so that volatility clusters survive. */
const BLOCK = 60;

/** The recorded minute that a minute of the path copies, in whole random blocks. */
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

/** A minute of a price path: natural logarithms of open, high, low and close relative to the previous close. */
export interface Move {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** The recorded minute at `index`, from 1. */
export function recordedMove(index: number): Move {
  const columns = recordedMinutes();
  const before = columns.close[index - 1] ?? 1;
  const relative = (column: Int32Array) => Math.log((column[index] ?? before) / before);
  return {
    open: relative(columns.open),
    high: relative(columns.high),
    low: relative(columns.low),
    close: relative(columns.close),
  };
}

/** A coin's own minute, from a random block of the recording. Half of the blocks are turned upside down. */
export function ownMove(seed: number, stream: number, minute: number): Move {
  const { block, within } = blockOf(minute);
  const draw = random(seed, stream, block, 1);
  const move = recordedMove(recordedIndex(draw, within, recordedMinutes().close.length));
  if (random(seed, stream, block, 2) < 0.5) return move;
  return { open: -move.open, high: -move.low, low: -move.high, close: -move.close };
}

/** A coin's minute from btc's and its own. Their extremes seldom coincide, so the sum of them is reduced. */
export function combinedMove(factor: Factor, btc: Move, ownMove: Move): Move {
  if (factor.ownWeight === 0) return btc;
  const sum = (part: keyof Move) => factor.beta * btc[part] + factor.ownWeight * ownMove[part];
  const [open, close] = [sum('open'), sum('close')];
  return {
    open,
    close,
    high: Math.max(open, close, 0.8 * sum('high')),
    low: Math.min(open, close, 0.8 * sum('low')),
  };
}

/** Simulation steps in a minute. */
export const STEPS_PER_MINUTE = 120;

/** The minute since the Unix epoch, and each coin's price in USDT at its beginning. */
export interface PathState {
  readonly minute: number;
  readonly prices: readonly number[];
}

/** How strongly a price returns to its genesis price, for each minute: half the way takes two weeks. */
const PULL = Math.LN2 / (14 * 24 * 60);

/**
 * The fair prices that simulated traders trade around: random blocks of the recording, without its trend. Which blocks depends
 * on the seed and the minute only. Minutes that are not simulated do not move prices.
 */
export class PricePath {
  readonly #seed: number;
  #state: PathState;

  #moves: readonly Move[] = [];

  constructor(seed: number, state: PathState) {
    this.#seed = seed;
    this.#state = state;

    this.#moves = this.#movesOf(state);
  }

  /** The path at genesis, in the minute that begins then. */
  static start(minute: number): PathState {
    return { minute, prices: FACTORS.map(({ price }) => price) };
  }

  get current(): PathState {
    return this.#state;
  }

  /** Moves to a later minute. The current one is completed; those in between do not move prices. */
  enter(minute: number): void {
    if (minute <= this.#state.minute) return;
    const prices = this.#state.prices.map((price, coin) => price * Math.exp(this.#moves[coin]?.close ?? 0));
    this.#state = { minute, prices };
    this.#moves = this.#movesOf(this.#state);
  }

  /** The fair price of a base coin in its quote coin, `step` steps into the minute. */
  fair(base: string, quote: string, step: number): number {
    return this.#inUsdt(base, step) / this.#inUsdt(quote, step);
  }

  /** The BTC traded in the recorded minute that this one copies. */
  turnover(): number {
    return (recordedMinutes().volume[this.#source(this.#state.minute)] ?? 0) / 1e6;
  }

  #inUsdt(coin: string, step: number): number {
    if (coin === 'usdt') return 1;
    const { index } = factorOf(coin);
    const move = this.#moves[index];
    const price = this.#state.prices[index] ?? 1;
    return move === undefined ? price : price * Math.exp(this.#within(move, index, step));
  }

  /** The path within a minute: straight lines from the previous close to both extremes and the close. */
  #within(move: Move, coin: number, step: number): number {
    const draw = (number: number) => random(this.#seed, 3, coin, this.#state.minute, number);
    const early = 10 + Math.floor(draw(0) * 40);
    const late = 60 + Math.floor(draw(1) * 50);
    const lowFirst = draw(2) < (move.close > 0 ? 0.7 : 0.3);
    const [one, two] = lowFirst ? [move.low, move.high] : [move.high, move.low];
    if (step <= early) return between(0, one, step / early);
    if (step <= late) return between(one, two, (step - early) / (late - early));
    return between(two, move.close, (step - late) / (STEPS_PER_MINUTE - late));
  }

  #movesOf({ minute, prices }: PathState): Move[] {
    const btc = recordedMove(this.#source(minute));
    return FACTORS.map((factor, coin) => {
      const move = combinedMove(factor, btc, ownMove(this.#seed, 10 + coin, minute));
      const drift = factor.beta * trend() + PULL * Math.log((prices[coin] ?? factor.price) / factor.price);
      const close = move.close - drift;
      return { ...move, close, high: Math.max(move.high, close), low: Math.min(move.low, close) };
    });
  }

  #source(minute: number): number {
    const { block, within } = blockOf(minute);
    return recordedIndex(random(this.#seed, 1, block), within, recordedMinutes().close.length);
  }
}

/** The recording's mean logarithmic change per minute. */
function trend(): number {
  const { close } = recordedMinutes();
  return Math.log((close[close.length - 1] ?? 1) / (close[0] ?? 1)) / (close.length - 1);
}

function between(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}
