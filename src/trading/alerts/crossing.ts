import type { CandleType, Ohlcv } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { alertField, type Field } from './fields.js';

export type Operator = '>' | '>=' | '<' | '<=';

/** How a condition is named, and where it is to hold. */
export interface ConditionText {
  /** As it is reported: `last>30000`, `eth_usdt:fill`. */
  readonly text: string;
  /** Absent: the market that the command names. */
  readonly market?: string | undefined;
}

interface Comparison extends ConditionText {
  readonly operator: Operator;
  readonly level: Decimal;
}

/** A level that a number of a market may cross. */
export interface Threshold extends Comparison {
  readonly kind: 'threshold';
  readonly field: Field;
}

/** A level that the last price of each whole candle is compared with. */
export interface ClosingPrice extends Comparison {
  readonly kind: 'close';
  readonly candles: CandleType;
}

/** A number of a market at one moment. */
export interface Observation {
  /** Its place in the order in which things happened. */
  readonly position: bigint;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly value: Decimal;
}

/**
 * Tells when a number crosses its level: once, and not again before it was back far enough. It is *armed* until then.
 *
 * What is not certain is not reported: of a candle, it is unknown whether the high or the low came first.
 */
export class Crossing<Crossed extends Threshold | ClosingPrice = Threshold> {
  #isArmed: boolean;
  /** What armed or disarmed it last. */
  #changed: Omit<Observation, 'value'> = { position: -1n, time: Number.NEGATIVE_INFINITY };
  #latest: Observation | undefined;
  readonly #back: Decimal;
  readonly #isAbove: boolean;

  /** @param reportsPresent whether a level that the first number is already beyond counts as crossed */
  constructor(
    readonly threshold: Crossed,
    reportsPresent: boolean,
  ) {
    const { operator, level } = threshold;
    const field = threshold.kind === 'close' ? 'last' : threshold.field;
    this.#isAbove = operator.startsWith('>');
    const { back } = alertField(field);
    const distance = 'distance' in back ? back.distance : level.times(back.share);
    this.#back = this.#isAbove ? level.minus(distance) : level.plus(distance);
    this.#isArmed = reportsPresent;
  }

  /** Takes the next number, or one that came too late. Returns whether it has crossed the level. */
  take(observation: Observation): boolean {
    const before = this.#latest;
    if (before !== undefined && observation.position < before.position) return this.#takeMissed(observation, before);
    this.#latest = observation;
    const { value } = observation;
    const isCrossed = this.#isArmed && this.holds(value);
    if (isCrossed) this.#arm(false, observation);
    // from now on: what has an earlier position, or is in an earlier candle, was before the start
    else if (before === undefined) this.#arm(this.#isArmed || !this.holds(value), observation);
    else if (!this.#isArmed && this.#isBack(value)) this.#arm(true, observation);
    return isCrossed;
  }

  /** Whether {@link take} would do nothing with this as the next number. */
  isUnmovedBy(value: Decimal): boolean {
    if (this.#latest === undefined) return false;
    return this.#isArmed ? !this.holds(value) : !this.#isBack(value);
  }

  /**
   * Takes a candle of a time for which nothing else is known. Candles come in their order.
   * @returns the price that has crossed the level; undefined for none
   */
  takeCandle({ time, high, low, close }: Pick<Ohlcv, 'time' | 'high' | 'low' | 'close'>): Decimal | undefined {
    const [extreme, opposite] = (this.#isAbove ? [high, low] : [low, high]).map(Decimal.of);
    const last = Decimal.of(close);
    if (extreme === undefined || opposite === undefined) return undefined;
    const wasBack = this.#isBack(opposite);
    // one in which it was armed or disarmed also holds what was before
    const isWhole = time > this.#changed.time;
    const crossing = this.#isArmed ? (isWhole ? extreme : last) : isWhole && wasBack ? last : undefined;
    const crossed = crossing !== undefined && this.holds(crossing) ? crossing : undefined;
    const isArmed = this.#isBack(last) || (wasBack && !this.holds(extreme)) || (this.#isArmed && crossed === undefined);
    const willBeArmed = isArmed && !this.holds(last);
    if (crossed !== undefined || willBeArmed !== this.#isArmed)
      this.#arm(willBeArmed, { position: this.#changed.position, time });
    return crossed;
  }

  /** Whether a number is beyond the level. */
  holds(value: Decimal): boolean {
    const { operator, level } = this.threshold;
    const order = value.compare(level);
    if (order === 0) return operator.endsWith('=');
    return this.#isAbove ? order > 0 : order < 0;
  }

  /** It was missed for certain if nothing has crossed the level since it was armed, which was before. */
  #takeMissed({ position, value }: Observation, latest: Observation): boolean {
    if (!this.#isArmed || position <= this.#changed.position || !this.holds(value)) return false;
    this.#arm(this.#isBack(latest.value), latest);
    return true;
  }

  #isBack(value: Decimal): boolean {
    const order = value.compare(this.#back);
    return !this.holds(value) && (this.#isAbove ? order <= 0 : order >= 0);
  }

  #arm(isArmed: boolean, { position, time }: Omit<Observation, 'value'>): void {
    this.#isArmed = isArmed;
    this.#changed = { position, time };
  }
}
