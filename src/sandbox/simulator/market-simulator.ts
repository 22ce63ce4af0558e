import type { Ledger } from '../accounts/ledger.js';
import type { AccountOrder } from '../orders/order.js';
import type { OrderService, TradedMarket } from '../orders/order-service.js';
import { type PathState, PricePath, STEPS_PER_MINUTE } from './price-path.js';
import { RandomStream, random } from './random.js';
import { MarketTraders, type SimulatedMoment } from './traders.js';

/** The length of a step in ms. Steps lie on a grid that begins at the Unix epoch. */
const STEP = 500;

const MINUTE = 60_000;
/** Gaps of up to this many steps are simulated step by step. */
const FINE = 10 * STEPS_PER_MINUTE;
/** Of a longer gap, only the last day is simulated; before it prices stay flat. */
const LONGEST = 24 * 60 * STEPS_PER_MINUTE;
/** The last steps before genesis, and of a long gap, in which simulated traders quote, so that the first book is like any later one. */
const QUOTED = 20;
/** The steps of a minute at which the price trades if the minute is simulated at once. */
const PRINTS = [0, 40, 80, 119];

/** The last step that was simulated, and the state of the price path. */
export interface SimulatorState {
  readonly step: number;
  readonly path: PathState;
}

/**
 * The simulated traders of all markets. What they do in a step depends on the seed, the step's number, the price path and the
 * books, never on when {@link advance} is called.
 */
export class MarketSimulator {
  readonly #seed: number;
  readonly #venues: readonly TradedMarket[];
  readonly #priceMoves: PriceMoves;
  readonly #isReplayed: (market: string) => boolean;

  readonly #markets: ReadonlyMap<string, MarketTraders>;
  readonly #path: PricePath;
  #step: number;

  /** @param isReplayed whether a market follows a recording, or waits for one: simulated traders then leave it alone */
  constructor(
    seed: number,
    venues: readonly TradedMarket[],
    orderService: OrderService,
    ledger: Ledger,
    state: SimulatorState,
    priceMoves: PriceMoves,
    isReplayed: (market: string) => boolean,
  ) {
    this.#seed = seed;
    this.#venues = venues;
    this.#priceMoves = priceMoves;
    this.#isReplayed = isReplayed;

    const tradersOf = (venue: TradedMarket, index: number) =>
      new MarketTraders(Math.floor(random(seed, 5, index) * 2 ** 31), venue, orderService, ledger);
    this.#markets = new Map(venues.map((venue, index) => [venue.market.name, tradersOf(venue, index)]));
    this.#path = new PricePath(seed, state.path);
    this.#step = state.step;
  }

  /** The state before the step that begins at `time`, the start of a minute. */
  static start(time: number): SimulatorState {
    return { step: time / STEP - 1, path: PricePath.start(Math.floor(time / MINUTE)) };
  }

  get state(): SimulatorState {
    return { step: this.#step, path: this.#path.current };
  }

  /** When the next step is due: ms since the Unix epoch. */
  get next(): number {
    return this.#venues.length === 0 ? Number.POSITIVE_INFINITY : (this.#step + 1) * STEP;
  }

  /** Takes over a stored open order of a simulated trader. */
  restore(order: AccountOrder): void {
    this.#markets.get(order.market.name)?.restore(order);
  }

  /** At genesis: simulates the time before `now`, most of it without quotes, because no request saw the books. */
  begin(now: number): void {
    this.#advanceWithoutQuotes(Math.floor(now / STEP) - QUOTED);
    this.advance(now);
  }

  /** Cancels all quotes of a market. */
  leave(market: string): void {
    this.#markets.get(market)?.leave();
  }

  /** Moves the fair price of a market to `target` ticks within `ms`, beginning at the last step. */
  movePrice(market: string, target: number, ms: number): void {
    const index = this.#venues.findIndex((venue) => venue.market.name === market);
    const venue = this.#venues[index];
    if (venue === undefined) throw new RangeError(`no such market: ${market}`);
    const { time: from, fair: start } = this.#moment(venue, index, this.#step);
    this.#priceMoves.add(market, { from, to: from + ms, start, target });
  }

  /** Skips to the step before `now` without simulating. Whether there was anything to skip. */
  skip(now: number): boolean {
    const last = Math.floor(now / STEP) - 1;
    const behind = last > this.#step;
    this.#step = Math.max(this.#step, last);
    return behind;
  }

  /** Simulates all steps due by `now`. Whether there were any. */
  advance(now: number): boolean {
    const target = Math.floor(now / STEP);
    const behind = target - this.#step;
    if (behind <= 0 || this.#venues.length === 0) return false;
    if (behind > FINE) {
      this.#catchUp(target);
      this.#advanceWithoutQuotes(target - QUOTED);
    }
    while (this.#step < target) this.#take(this.#step + 1, (traders, moment) => traders.step(moment));
    return true;
  }

  /** Simulates a long gap in whole minutes, up to less than two minutes before `target`. */
  #catchUp(target: number): void {
    const from = Math.max(this.#step, target - LONGEST);
    const last = Math.floor(target / STEPS_PER_MINUTE) - 2;
    for (let minute = Math.floor(from / STEPS_PER_MINUTE) + 1; minute <= last; minute += 1) this.#takeMinute(minute);
  }

  /** Simulates steps in which no request sees the books. */
  #advanceWithoutQuotes(target: number): void {
    while (this.#step < target) this.#take(this.#step + 1, (traders, moment) => traders.stepWithoutQuotes(moment));
  }

  #take(step: number, act: (traders: MarketTraders, moment: SimulatedMoment) => void): void {
    this.#step = step;
    this.#path.enter(Math.floor(step / STEPS_PER_MINUTE));
    for (const [index, venue] of this.#venues.entries()) {
      const { name } = venue.market;
      const traders = this.#markets.get(name);
      if (traders !== undefined && !this.#isReplayed(name)) act(traders, this.#moment(venue, index, step));
    }
  }

  #takeMinute(minute: number): void {
    this.#path.enter(minute);
    for (const within of PRINTS) {
      const step = minute * STEPS_PER_MINUTE + within;
      for (const [index, venue] of this.#venues.entries()) {
        if (this.#isReplayed(venue.market.name)) continue;
        this.#markets.get(venue.market.name)?.print(this.#moment(venue, index, step), 1 / PRINTS.length);
      }
    }
    this.#step = (minute + 1) * STEPS_PER_MINUTE - 1;
  }

  #moment({ market }: TradedMarket, index: number, step: number): SimulatedMoment {
    const path = this.#path.fair(market.base, market.quote, step % STEPS_PER_MINUTE) * 10 ** market.priceScale;
    const fair = this.#priceMoves.fair(market.name, step * STEP, path);
    return {
      time: step * STEP,
      fair,
      turnover: this.#path.turnover(),
      dice: new RandomStream(this.#seed, 7, index, step),
    };
  }
}

/** A move of the fair price, in ticks, from one time to another (ms). */
export interface PriceMove {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly target: number;
  /** What the price path is multiplied by after the target was reached; null before. */
  readonly factor: number | null;
}

/** Moves of fair prices away from the price path. Afterwards a market follows the path again, starting at its new price. */
export class PriceMoves {
  readonly #byMarket: Map<string, PriceMove>;

  /** The moves by market are a part of the exchange's state. */
  constructor(byMarket: Map<string, PriceMove>) {
    this.#byMarket = byMarket;
  }

  /** Moves a market from one fair price to another between two times. */
  add(market: string, move: Omit<PriceMove, 'factor'>): void {
    this.#byMarket.set(market, { ...move, factor: null });
  }

  /** The fair price in ticks, if the price path has `path`. Times increase from call to call. */
  fair(market: string, time: number, path: number): number {
    const move = this.#byMarket.get(market);
    if (move === undefined) return path;
    if (move.factor !== null) return path * move.factor;
    if (time < move.to) return between(move, time);
    this.#byMarket.set(market, { ...move, factor: move.target / path });
    return move.target;
  }
}

/** The price along the path, changing by the same ratio in each step. */
function between({ from, to, start, target }: PriceMove, time: number): number {
  const share = Math.max(0, time - from) / Math.max(1, to - from);
  return start * (target / start) ** share;
}
