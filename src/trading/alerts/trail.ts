import type { Ohlcv } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { ConditionText, Observation, Operator } from './crossing.js';

/** How far the last price may move away from the best one since the alert began. */
export interface Trail extends ConditionText {
  readonly kind: 'trail';
  /** `<` and `<=` measure a fall from the highest price, `>` and `>=` a rise from the lowest. */
  readonly operator: Operator;
  /** In percent of the best price: below zero for a fall. */
  readonly level: Decimal;
}

/** The distance in percent at which a trail was reached, and when. */
type Reached = Pick<Observation, 'time' | 'value'>;

const PERCENT = Decimal.of('100');
const PERCENT_DECIMALS = 6;

/**
 * Tells when the price has moved far enough from the best one. Then the trail begins again, at that price.
 *
 * What is not certain is not reported: of a candle, it is unknown whether the high or the low came first.
 */
export class TrailCrossing {
  readonly #isFall: boolean;
  #best: Pick<Observation, 'position' | 'value'> | undefined;
  #latest: Observation | undefined;
  /** Where and when it began: what was before counts for nothing. */
  #began: Omit<Observation, 'value'> | undefined;

  constructor(readonly trail: Trail) {
    this.#isFall = trail.operator.startsWith('<');
  }

  /** Takes the next price, or one that came too late. Returns the distance if that has reached the level. */
  take(observation: Observation): Reached | undefined {
    const latest = this.#latest;
    if (latest !== undefined && observation.position < latest.position) return this.#takeMissed(observation, latest);
    this.#latest = observation;
    this.#began ??= observation;
    this.#raise(observation);
    return this.#reach(observation, observation);
  }

  /** Whether {@link take} would do nothing with this as the next price. */
  isUnmovedBy(value: Decimal): boolean {
    return this.#best !== undefined && !this.#isBetter(value, this.#best.value) && !this.#holds(value);
  }

  /**
   * Takes a candle of a time for which nothing else is known. Candles come in their order.
   * @returns the distance that has reached the level; undefined for none
   */
  takeCandle({ time, high, low, close }: Pick<Ohlcv, 'time' | 'high' | 'low' | 'close'>): Decimal | undefined {
    const position = this.#latest?.position ?? -1n;
    const at = (price: string) => ({ position, time, value: Decimal.of(price) });
    const [worst, best, last] = [...(this.#isFall ? [low, high] : [high, low]), close].map(at);
    if (worst === undefined || best === undefined || last === undefined) return undefined;
    // one in which it began also holds what was before
    if (this.#began !== undefined && time > this.#began.time) {
      const reached = this.#reach(worst, last);
      if (reached !== undefined) return reached.value;
      this.#raise(best);
    }
    this.#began ??= last;
    this.#raise(last);
    return this.#reach(last, last)?.value;
  }

  /** What comes after the best price is at a distance from it; a better price only from what came last. */
  #takeMissed(observation: Observation, latest: Observation): Reached | undefined {
    const best = this.#best;
    if (best === undefined || this.#began === undefined || observation.position <= this.#began.position)
      return undefined;
    if (this.#isBetter(observation.value, best.value)) {
      this.#best = observation;
      return this.#reach(latest, latest);
    }
    return observation.position > best.position ? this.#reach(observation, latest) : undefined;
  }

  /** @param next where the trail begins again */
  #reach({ time, value }: Observation, next: Observation): Reached | undefined {
    if (!this.#holds(value)) return undefined;
    const reached = { time, value: this.#distance(value) };
    this.#best = next;
    this.#began = next;
    return reached;
  }

  #raise(observation: Observation): void {
    if (this.#best === undefined || this.#isBetter(observation.value, this.#best.value)) this.#best = observation;
  }

  #isBetter(value: Decimal, best: Decimal): boolean {
    const order = value.compare(best);
    return this.#isFall ? order > 0 : order < 0;
  }

  /** Without a division, which would round. */
  #holds(value: Decimal): boolean {
    const best = this.#best;
    if (best === undefined) return false;
    const { operator, level } = this.trail;
    const order = value.minus(best.value).times(PERCENT).compare(level.times(best.value));
    return (order === 0 && operator.endsWith('=')) || (this.#isFall ? order < 0 : order > 0);
  }

  /** In percent of the best price, towards zero. */
  #distance(value: Decimal): Decimal {
    const best = this.#best?.value ?? value;
    return value.minus(best).times(PERCENT).dividedBy(best, PERCENT_DECIMALS, 'down').trimmed();
  }
}
