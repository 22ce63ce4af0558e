import { CANDLE_MS, type Candle, type CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import { type ClosingPrice, Crossing } from './crossing.js';
import type { Crossed } from './market-crossings.js';

/** What the candles of a market are read with. */
interface CandleSource {
  readonly market: string;
  readonly client: Exchange;
  readonly budget: TimeBudget;
  /** Whether each crossing is wanted: then a price beyond the level has to come back before it counts. */
  readonly isRepeated: boolean;
  readonly warn: (message: string) => void;
}

/** A candle that has just ended is listed as closed a moment later, in milliseconds. */
const SETTLING_MS = 1_000;
/** How long to wait for a candle that should be closed, or could not be read, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * The closing prices of a market's candles of one type. They are read over HTTP when a candle ends: a push may be the last of a
 * candle or not, while a list that was answered after its end shows the whole of it.
 */
export class CandleCloses {
  readonly #source: CandleSource;
  readonly #candles: CandleType;
  readonly #crossings: readonly Crossing<ClosingPrice>[];
  /** Opening time of the newest closed candle that counts no more, in milliseconds since the Unix epoch. */
  #takenTo = Number.NEGATIVE_INFINITY;
  /** By the exchange's clock. */
  #dueAt = Number.POSITIVE_INFINITY;
  #isUnread = false;

  constructor(source: CandleSource, candles: CandleType, conditions: readonly ClosingPrice[]) {
    this.#source = source;
    this.#candles = candles;
    this.#crossings = conditions.map((condition) => new Crossing(condition, !source.isRepeated));
  }

  /** Reads the newest candles: those that are closed already are past. Throws Failure as a read. */
  async begin(): Promise<void> {
    const { client, market, isRepeated } = this.#source;
    const { candles, failure } = await client.candles({ market, type: this.#candles, size: 2 });
    if (failure !== null) throw failure;
    const past = candles.filter(({ closed }) => closed).at(-1);
    this.#takenTo = past?.time ?? this.#lastBoundary() - CANDLE_MS[this.#candles];
    // with it, each crossing begins as the price stands
    if (isRepeated && past !== undefined) this.#take(past);
    this.#dueAt = this.#boundaryAfter(candles.at(-1)) + SETTLING_MS;
  }

  /** How long until a candle ends that has to be read, in milliseconds. */
  get dueMs(): number {
    return Math.max(0, this.#dueAt - this.#source.client.marketNow());
  }

  /** Takes the candles that have closed since the last one, in their order. A read that fails is repeated, so none is missed. */
  async takeClosed(): Promise<Crossed[]> {
    const { client, market, budget } = this.#source;
    const type = this.#candles;
    this.#dueAt = client.marketNow() + RETRY_MS;
    try {
      budget.restart();
      const { candles, failure } = await client.candles({ market, type, since: () => this.#takenTo + 1 });
      const crossed = candles.filter(({ closed }) => closed).flatMap((candle) => this.#take(candle));
      const newest = candles.at(-1);
      const isDue = newest?.closed === false && newest.time + CANDLE_MS[type] <= client.marketNow();
      if (!isDue && failure === null) this.#dueAt = this.#boundaryAfter(newest) + SETTLING_MS;
      this.#warnOnce(failure);
      return crossed;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#warnOnce(error);
      return [];
    }
  }

  #warnOnce(failure: Failure | null): void {
    if (failure !== null && !this.#isUnread)
      this.#source.warn(
        `The ${this.#candles} candles of ${this.#source.market} could not be read; pit tries again: ${failure.message}`,
      );
    this.#isUnread = failure !== null;
  }

  #take(candle: Candle): Crossed[] {
    this.#takenTo = candle.time;
    const time = candle.time + CANDLE_MS[this.#candles];
    const value = Decimal.of(candle.close);
    return this.#crossings
      .filter((crossing) => crossing.take({ position: BigInt(candle.time), time, value }))
      .map(({ threshold }) => ({ condition: threshold, time, value }));
  }

  /** When the current candle ends: some types begin at no multiple of their length, so another candle shows where they do. */
  #boundaryAfter(candle: Candle | undefined): number {
    const length = CANDLE_MS[this.#candles];
    const from = candle?.time ?? this.#takenTo;
    const ended = Math.max(0, Math.floor((this.#source.client.marketNow() - from) / length));
    return from + (ended + 1) * length;
  }

  #lastBoundary(): number {
    const length = CANDLE_MS[this.#candles];
    return Math.floor(this.#source.client.marketNow() / length) * length;
  }
}
