import { Decimal } from '../../../domain/decimal.js';
import { type AlgoFact, type AlgoFacts, type FactOf, isBetter } from '../record/facts.js';
import type { AlgoMarket, SeenPrices } from './algo-market.js';
import { least, most } from './children.js';
import { type DecisionInput, exitRest, PACE_MS } from './decision-input.js';
import { hitPrice, isUsable } from './prices.js';
import { type AlgoTerms, exitSideOf, hasStop, type TrailDistance } from './terms.js';

/** Whether the exits have a stop or a trail that was not reached yet, and something to end. */
export function isArmed(input: DecisionInput): boolean {
  return hasStop(input.terms) && input.facts.exitTriggered === null && exitRest(input).sign > 0;
}

type PriceInput = Pick<DecisionInput, 'terms' | 'facts' | 'market'>;

/**
 * The price that is held against the stop. Null if it is unknown, old or of a time before the algo order began, or the book is crossed.
 */
function triggerPrice({ terms, facts, market }: PriceInput): Decimal | null {
  const { last, staleAfterMs } = market;
  const shown = terms.trigger === 'book' ? market.book : last;
  if (shown === null || isBeforeBegin({ terms, facts, market })) return null;
  if (terms.trigger === 'book') return hitPrice(market, exitSideOf(terms));
  return last !== null && last.ageMs <= staleAfterMs && isUsable(market) ? last.price : null;
}

/**
 * The price that a trail follows. Null for one of a time before there was something to protect, which it would never forget: a fill is
 * often shown before the book that has caused it.
 */
function followedPrice(input: PriceInput): Decimal | null {
  const { book, last, positionAgeMs } = input.market;
  const shown = input.terms.trigger === 'book' ? book : last;
  const isBefore = shown === null || positionAgeMs === null || shown.ageMs > positionAgeMs;
  return isBefore ? null : triggerPrice(input);
}

/**
 * What `seen` is for the next decision, unless a `best` fact was written: then it is null. Better prices are written at most once a second, so
 * that those between have to be kept.
 */
export function seenAfter(terms: AlgoTerms, facts: AlgoFacts, market: AlgoMarket): SeenPrices | null {
  const { seen } = market;
  const gap = gapOfTrail(terms, market);
  const prices = [seen?.high, seen?.low, followedPrice({ terms, facts, market }), gap?.high, gap?.low].filter(
    (price) => price != null,
  );
  const [first, ...others] = prices;
  if (first === undefined) return null;
  return { high: others.reduce(most, first), low: others.reduce(least, first) };
}

/** The gap that is known now, unless a trail began after it: what was before its first price does not count. */
function gapOfTrail({ entry, exits }: AlgoTerms, { gap }: AlgoMarket): AlgoMarket['gap'] {
  const beginsLater = entry !== null && exits?.trail != null && gap?.trailBest === null;
  return beginsLater ? null : gap;
}

/** The price at which the exits stop: that of the stop, or of the trail, the one that is reached first. Null if there is none yet. */
export function stopLevel(terms: AlgoTerms, trailBest: Decimal | null): Decimal | null {
  const { exits } = terms;
  if (exits === null) return null;
  const { stop, trail } = exits;
  const trailing = trail === null || trailBest === null ? null : trailLevel(terms, trail, trailBest);
  if (stop === null || trailing === null) return stop ?? trailing;
  return isBetter(trailing, stop, terms) ? trailing : stop;
}

const ONE = Decimal.of('1');

/** Where a trail acts that has seen this best price: the last tick that reaches it. */
export function trailLevel(terms: AlgoTerms, distance: TrailDistance, trailBest: Decimal): Decimal {
  const { priceScale } = terms.market;
  const isSell = exitSideOf(terms) === 'sell';
  const level = exactLevel(terms, distance, trailBest, isSell);
  return level.scale > priceScale ? level.rescaled(priceScale, isSell ? 'down' : 'up') : level;
}

function exactLevel(
  { market }: AlgoTerms,
  { unit, value }: TrailDistance,
  trailBest: Decimal,
  isSell: boolean,
): Decimal {
  if (unit === 'share') return trailBest.times(isSell ? ONE.minus(value) : ONE.plus(value));
  const distance = unit === 'price' ? value : value.times(Decimal.of(market.tickSize));
  return isSell ? trailBest.minus(distance) : trailBest.plus(distance);
}

/** Whether a price is at the level or beyond it: touching counts. */
function isReached(terms: AlgoTerms, price: Decimal, level: Decimal): boolean {
  return !isBetter(price, level, terms);
}

/**
 * Whether all that is shown is dated before the algo order began, although it is young by this machine's clock: then no price can trigger, as on an
 * exchange whose clock stands.
 */
export function isBeforeBegin({ terms, facts, market }: PriceInput): boolean {
  const { last, now } = market;
  const shown = terms.trigger === 'book' ? market.book : last;
  return shown !== null && now - shown.ageMs < facts.began.time;
}

/** What a look at the market shows of the stop. */
export interface StopObservation {
  /** Null if there is none yet. */
  readonly level: Decimal | null;
  /** The price that reaches it now; null if none does. */
  readonly reachedAt: Decimal | null;
  /** The fact that has to be on disk before a decision rests on it; null for none. */
  readonly fact: AlgoFact | null;
  /** When a better price may be written, by the exchange's clock; null if none waits. */
  readonly until: number | null;
}

/** Holds the stop against the market as it is. A better price of a trail comes first, then what reaches the level. */
export function observeStop(input: DecisionInput): StopObservation {
  const { terms, facts, market } = input;
  if (!isArmed(input)) return { level: null, reachedAt: null, fact: null, until: null };
  const trailBest = facts.trailBest?.price ?? null;
  const found = betterPrice(input);
  const level = stopLevel(terms, found ?? trailBest);
  const price = triggerPrice(input);
  const reachedAt = price !== null && level !== null && isReached(terms, price, level) ? price : null;
  const writtenAt = facts.trailBest?.time ?? null;
  const mayWrite = writtenAt === null || market.now >= writtenAt + PACE_MS;
  if (found !== null && (mayWrite || reachedAt !== null))
    return { level, reachedAt, fact: bestFact(input, found), until: null };
  const until = found === null || writtenAt === null ? null : writtenAt + PACE_MS;
  if (reachedAt === null) return { level, reachedAt, fact: null, until };
  const late = market.gap !== null;
  const fact = {
    fact: 'triggered',
    time: market.now,
    leg: 'exit',
    price: reachedAt,
    source: terms.trigger,
    late,
  } as const;
  return { level, reachedAt, fact, until };
}

/**
 * The best price since the trail began, if it is better than what is on disk; null if not, or there is no trail. A trail follows the price
 * that triggers it: if it followed trades and were held against the bid, the first trade at the ask would trigger one that is narrower than the
 * spread. What trades and candles show of a gap counts for both.
 */
function betterPrice(input: DecisionInput): Decimal | null {
  const { terms, facts, market } = input;
  if (terms.exits?.trail == null) return null;
  const gap = gapOfTrail(terms, market);
  const isSell = exitSideOf(terms) === 'sell';
  const now = followedPrice(input);
  const seen = [now, isSell ? market.seen?.high : market.seen?.low, isSell ? gap?.high : gap?.low];
  if (facts.trailBest !== null) return bestOfAll(terms, seen, facts.trailBest.price);
  // the trail of a bracket begins with its first fill: what traded before does not count
  if (terms.entry !== null) return now;
  const atStart = terms.trigger === 'book' ? (isSell ? facts.began.bid : facts.began.ask) : null;
  const first = now ?? (triggerPrice(input) === null ? null : atStart);
  return first === null ? null : (bestOfAll(terms, [...seen, atStart], first) ?? first);
}

/** The best of the prices that are better than another; null if none is. A price of zero counts as none. */
function bestOfAll(terms: AlgoTerms, prices: readonly (Decimal | null | undefined)[], than: Decimal): Decimal | null {
  let best = than;
  for (const price of prices) if (price != null && price.sign > 0 && isBetter(price, best, terms)) best = price;
  return best === than ? null : best;
}

function bestFact({ terms, market }: DecisionInput, price: Decimal): FactOf<'best'> {
  return {
    fact: 'best',
    time: market.now,
    price,
    tradeId: terms.trigger === 'last' ? (market.last?.tradeId ?? null) : null,
  };
}

/** The level and the price of a gap that reached it and came back; null if none did. Only what is certain: the trail as it was before the gap. */
export function missedIn(input: DecisionInput): { readonly level: Decimal; readonly price: Decimal } | null {
  const { terms, market } = input;
  const gap = gapOfTrail(terms, market);
  if (gap === null || !isArmed(input)) return null;
  const level = stopLevel(terms, gap.trailBest);
  const price = exitSideOf(terms) === 'sell' ? gap.low : gap.high;
  if (level === null || price === null || !isReached(terms, price, level)) return null;
  return observeStop(input).reachedAt === null ? { level, price } : null;
}
