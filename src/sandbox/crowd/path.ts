import { recordedMinutes } from '../markets/recording.js';
import { random } from './chance.js';
import { blockOf, FACTORS, factorOf, recordedIndex } from './factors.js';
import { combinedMove, type Move, ownMove, recordedMove } from './moves.js';

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
