import { Decimal } from '../../domain/decimal.js';
import { LotBook } from './book.js';
import { type CoinBookOptions, legsInOrder } from './coin-books.js';
import type { MatchedHistory } from './matching/match-bills.js';
import type { PnlOptions } from './profit-and-loss.js';
import { type Leg, type PastValue, tradeLegs } from './trade-legs.js';

/** What one queue of lots holds, of a coin that is valued in a unit. */
interface Holding {
  readonly coin: string;
  readonly unit: string;
}

/** A change of queues of lots, each under its key. */
interface CurveStep {
  readonly time: number;
  readonly parts: readonly { readonly key: string; readonly holding: Holding; readonly leg: Leg }[];
}

/** A holding at a moment: what it has realised by then, and what is left with a known cost. */
interface HeldAt extends Holding {
  readonly realised: Decimal;
  readonly amount: Decimal;
  readonly cost: Decimal;
}

/** All holdings just before a moment. */
export interface Sample {
  readonly time: number;
  readonly held: readonly HeldAt[];
}

/** Profit and loss up to a moment; null if something has no price then. */
export interface CurvePoint {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly realised: Decimal | null;
  readonly unrealised: Decimal | null;
}

/** The steps of the lots of these markets, each in its quote coin. */
export function* marketSteps(
  { fills }: MatchedHistory,
  { fees, pastValue }: PnlOptions,
  isShown: (market: string) => boolean,
): Generator<CurveStep> {
  for (const fill of fills) {
    const { market, base: coin, quote: unit, time } = fill;
    if (!isShown(market)) continue;
    const legs = tradeLegs(fill, { unit, fees, pastValue }).filter((leg) => leg.coin === coin);
    yield { time, parts: legs.map((leg) => ({ key: market, holding: { coin, unit }, leg })) };
  }
}

/** The steps of the lots of these coins over all markets. */
export function* coinSteps(
  history: MatchedHistory,
  options: CoinBookOptions,
  isShown: (coin: string) => boolean,
): Generator<CurveStep> {
  const { unit } = options;
  for (const { time, legs } of legsInOrder(history, options)) {
    const shown = legs.filter(({ coin }) => coin !== unit && isShown(coin));
    yield { time, parts: shown.map((leg) => ({ key: leg.coin, holding: { coin: leg.coin, unit }, leg })) };
  }
}

/** So many moments are enough for the widest terminal and for a drawing. */
const MOST_MOMENTS = 240;

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];
/** How far moments may be apart, in milliseconds. */
const STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 4, 7, 14, 28, 56, 112].map((days) => days * DAY_MS),
];

/**
 * The first moment, the last one, and those between them that are whole steps since the Unix epoch: a later chart has the same ones
 * and so needs the same prices.
 */
export function momentsBetween(from: number, to: number): readonly number[] {
  if (to <= from) return [to];
  const step = STEPS_MS.find((one) => (to - from) / one < MOST_MOMENTS - 2) ?? (to - from) / 2;
  const moments = [from];
  for (let moment = Math.floor(from / step) * step + step; moment < to; moment += step) moments.push(moment);
  return [...moments, to];
}

/** The holdings at each of these moments, which ascend. */
export function samplesOf(
  steps: Iterable<CurveStep>,
  times: readonly number[],
  { method, window }: Pick<PnlOptions, 'method' | 'window'>,
): readonly Sample[] {
  const books = new Map<string, { readonly book: LotBook; readonly holding: Holding }>();
  const iterator = steps[Symbol.iterator]();
  let next = iterator.next();
  return times.map((time) => {
    for (; next.done !== true && next.value.time < time; next = iterator.next())
      for (const { key, holding, leg } of next.value.parts) {
        const own = books.get(key) ?? { book: new LotBook(method, window), holding };
        books.set(key, own);
        own.book.apply(next.value.time, leg);
      }
    const held = [...books.values()].map(({ book, holding }): HeldAt => {
      const { realised, position } = book.state();
      const { amount, cost, withoutCost } = position;
      return { ...holding, realised, amount: amount.minus(withoutCost), cost };
    });
    return { time, held };
  });
}

/** The sums of a sample in one coin, by the prices of its moment. */
export function pointOf({ time, held }: Sample, unit: string, pastValue: PastValue): CurvePoint {
  const worth = (amount: Decimal, coin: string, other: string) => {
    if (amount.sign === 0 || coin === other) return amount;
    return pastValue(amount, coin, other, time) ?? null;
  };
  const sum = (of: (one: HeldAt) => Decimal | null) =>
    held.reduce<Decimal | null>((total, one) => {
      const value = of(one);
      const inUnit = value && worth(value, one.unit, unit);
      return total && inUnit && total.plus(inUnit);
    }, Decimal.zero);
  return {
    time,
    realised: sum(({ realised }) => realised),
    unrealised: sum(({ amount, cost, coin, unit: own }) => worth(amount, coin, own)?.minus(cost) ?? null),
  };
}
