import { isDeepStrictEqual } from 'node:util';
import { type BestPrices, isCrossed } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import { isBetter } from '../record/facts.js';
import { least } from './children.js';
import { type Decision, decide } from './decide.js';
import { type DecisionInput, exitRest, type LegPlan, openOf } from './decision-input.js';
import { planEntry } from './plan-entry.js';
import { fits, isBlind, limitWithSlippage } from './prices.js';
import { type AlgoTerms, exitSideOf } from './terms.js';
import { isArmed, observeStop, stopLevel } from './trigger.js';

/** Books after which the same is decided. */
export interface QuietRange {
  /** Prices between a stop and the best price of its trail; null if nothing waits for a stop. */
  readonly stop: StopRange | null;
  /** Books between which the entry and what rests stay as they are; null if these follow no prices. */
  readonly rest: RestRange | null;
}

interface StopRange {
  /** The price that reaches the stop. */
  readonly level: Decimal;
  /** The furthest price from it that changes nothing: the best price of a trail. */
  readonly furthest: Decimal;
}

/** Both ends are included. */
interface RestRange {
  readonly bid: readonly [low: Decimal, high: Decimal];
  readonly ask: readonly [low: Decimal, high: Decimal];
}

/** How far from its price a range may end, as a factor: the price band of a book has to be bounded. */
const FAR = Decimal.of('2');
const HALF = Decimal.of('0.5');

/**
 * The range of an algo order whose last decision was to wait. Null if it waits for something else than prices of the book: for those of trades, for a
 * better price to be written or for the end of a gap.
 */
export function quietRange(input: DecisionInput): QuietRange | null {
  const { terms, facts, market } = input;
  if (terms.trigger !== 'book' || isBlind(market) || market.gap !== null) return null;
  if (facts.ended !== null || facts.cancelled !== null) return null;
  if (!isArmed(input)) {
    const rest = restRange(input, (probed) => decide(probed.terms, probed.facts, probed.market, probed.children));
    return rest === null ? null : { stop: null, rest };
  }
  const stop = stopRange(input);
  if (stop === null || !(planEntry(input).needsMarket ?? false)) return stop === null ? null : { stop, rest: null };
  const rest = restRange(input, (probed) => [planEntry(probed)]);
  return rest === null ? null : { stop, rest };
}

function stopRange(input: DecisionInput): StopRange | null {
  const { terms, facts, market } = input;
  if (terms.exits?.trail != null && facts.trailBest === null) return null;
  const { fact, reachedAt, until } = observeStop(input);
  const trailBest = facts.trailBest?.price ?? null;
  const level = stopLevel(terms, trailBest);
  if (level === null || fact !== null || reachedAt !== null || until !== null) return null;
  const isSell = exitSideOf(terms) === 'sell';
  const now = (isSell ? market.book?.bid : market.book?.ask) ?? level;
  const range = { level, furthest: trailBest ?? now.times(isSell ? FAR : HALF) };
  return canAlwaysStop(input, range) ? range : null;
}

/** What is decided of a book; what it wants to be open is in `wanted`. */
type Probe = (input: DecisionInput) => Pick<Decision, 'wanted'> | readonly LegPlan[];

/**
 * How far each side of the book may move with the same outcome. Every outcome depends on one price of the book, and in one direction (that of a
 * kind of entry, too): what is the same at both ends is the same between them. Null if something is to be placed, or the book has an empty side.
 */
function restRange(input: DecisionInput, probe: Probe): RestRange | null {
  const { bid, ask } = input.market.book ?? { bid: null, ask: null };
  const now = probe(input);
  if (bid === null || ask === null || isCrossed({ bid, ask }) || !isAllOpen(input, now)) return null;
  const isSame = (atBid: Decimal | null, atAsk: Decimal | null) =>
    isDeepStrictEqual(probe(withBook(input, atBid, atAsk)), now);
  // a narrow price band makes a book as good as none
  if (!isSame(null, null) || !isSame(bid, ask)) return null;
  const [lowBid, highBid] = [bid.times(HALF), bid.times(FAR)];
  const [lowAsk, highAsk] = [ask.times(HALF), ask.times(FAR)];
  // a crossed book would be no book
  return {
    bid: [isSame(lowBid, ask) ? lowBid : bid, isSame(highBid, highAsk) ? highBid : bid],
    ask: [isSame(lowBid, lowAsk) ? lowAsk : ask, isSame(bid, highAsk) ? highAsk : ask],
  };
}

/** Whether what should be open is. */
function isAllOpen({ children }: DecisionInput, outcome: ReturnType<Probe>): boolean {
  const wanted = 'wanted' in outcome ? outcome.wanted : outcome.flatMap((plan) => plan.wanted ?? []);
  return wanted.every(({ role, price }) => openOf(children, role)?.price.equals(price) === true);
}

/** The same with another book, as far as no price band bounds it. */
function withBook(input: DecisionInput, bid: Decimal | null, ask: Decimal | null): DecisionInput {
  const { market } = input;
  const book = { bid, ask, othersBid: bid, othersAsk: ask, ageMs: market.book?.ageMs ?? 0 };
  return { ...input, market: { ...market, book, band: null } };
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
export function isQuiet({ stop, rest }: QuietRange, terms: AlgoTerms, { bid, ask }: BestPrices): boolean {
  if (stop !== null) {
    const price = exitSideOf(terms) === 'sell' ? bid : ask;
    if (price === null || !isBetter(price, stop.level, terms) || isBetter(price, stop.furthest, terms)) return false;
  }
  if (rest === null) return stop !== null;
  return bid !== null && ask !== null && isBetween(bid, rest.bid) && isBetween(ask, rest.ask);
}

function isBetween(price: Decimal, [low, high]: readonly [low: Decimal, high: Decimal]): boolean {
  return price.compare(low) >= 0 && price.compare(high) <= 0;
}
