import type { BestPrices } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import { least } from './children.js';
import { type DecisionInput, exitRest } from './decision-input.js';
import { planEntry } from './entry.js';
import { isBetter } from './facts.js';
import { fits, isBlind, limitWithSlippage } from './prices.js';
import { type AlgoTerms, exitSideOf } from './terms.js';
import { isArmed, observeStop, stopLevel } from './trigger.js';

/** The prices between a stop and the best price of its trail: whatever the book shows there, the same is decided. */
export interface QuietRange {
  /** The price that reaches the stop; null if nothing watches the market, so that any book changes nothing. */
  readonly level: Decimal | null;
  /** The furthest price from it that changes nothing: the best price of a trail. */
  readonly furthest: Decimal;
}

/** Without a trail, the range ends so many times the level away: the price band of a book has to be bounded. */
const FAR = Decimal.of('2');
const HALF = Decimal.of('0.5');

/**
 * The range of an algo order whose last decision was to wait. Null if it waits for more than its stop: for other prices than those of the book, for a
 * better price to be written, for the end of a gap or for its entry.
 */
export function quietRange(input: DecisionInput): QuietRange | null {
  const { terms, facts, market } = input;
  if (terms.trigger !== 'book' || isBlind(market) || market.gap !== null) return null;
  if (facts.ended !== null || facts.cancelled !== null || (planEntry(input).followsMarket ?? false)) return null;
  if (!isArmed(input)) return restsAlone(input) ? { level: null, furthest: Decimal.zero } : null;
  if (terms.exits?.trail != null && facts.best === null) return null;
  const { fact, reachedAt, until } = observeStop(input);
  const best = facts.best?.price ?? null;
  const level = stopLevel(terms, best);
  if (level === null || fact !== null || reachedAt !== null || until !== null) return null;
  const range = { level, furthest: best ?? level.times(exitSideOf(terms) === 'sell' ? FAR : HALF) };
  return canAlwaysStop(input, range) ? range : null;
}

/** Whether it has an entry that rests, and nothing else. */
function restsAlone({ terms, children }: DecisionInput): boolean {
  return terms.entry?.kind === 'limit' && children.length > 0 && children.every(({ state }) => state === 'open');
}

/** Whether what a reached stop would send stays above the minimums, wherever the price band moves with the book of this range. */
function canAlwaysStop(
  input: DecisionInput,
  { level, furthest }: { readonly level: Decimal; readonly furthest: Decimal },
): boolean {
  const { terms } = input;
  const price = terms.exits?.limit ?? limitWithSlippage(terms, exitSideOf(terms), level, { band: null }, null);
  // the middle of a book is at least half of its ask
  return fits(terms.market, least(price, least(level, furthest).times(HALF)), exitRest(input));
}

/** Whether a book is within a range: nothing has to be decided again because of it. */
export function isQuiet({ level, furthest }: QuietRange, terms: AlgoTerms, { bid, ask }: BestPrices): boolean {
  if (level === null) return bid !== null && ask !== null;
  const price = exitSideOf(terms) === 'sell' ? bid : ask;
  return price !== null && isBetter(price, level, terms) && !isBetter(price, furthest, terms);
}
