import type { BestPrices } from '../../../domain/book.js';
import { type Decimal, formatAmount, formatPrice } from '../../../domain/decimal.js';
import type { Side } from '../../../domain/order.js';
import { percentText } from '../../../trading/algos/plan/check-terms.js';
import { kindOfEntry } from '../../../trading/algos/plan/entries/entry-kinds.js';
import { stopPrice } from '../../../trading/algos/plan/prices.js';
import { type AlgoTerms, exitSideOf, hasStop, type TrailDistance } from '../../../trading/algos/plan/terms.js';
import { trailLevel } from '../../../trading/algos/plan/trigger.js';
import { wordsOf } from './entry-words.js';
import { bandText, distanceText, durationText } from './terms-text.js';

/** What an algo order will do, in sentences, and who knows which part of it. */
export interface AlgoSentences {
  readonly does: readonly string[];
  /** What rests at the exchange, and so works without pit. */
  readonly exchangeKnows: string;
  /** What happens only while a process of pit watches. */
  readonly onlyPitKnows: string;
}

/** What is known of an algo order beyond its terms. */
export interface KnownOfAlgo {
  /** Whether somebody else cancelled its take-profit. */
  readonly isTakeCancelled?: boolean;
  /** That of the guards, as a share; null if it is off, absent if it is unknown. */
  readonly priceBand?: Decimal | null;
}

/** Describes what an algo order will do in the market as it is. */
export function algoSentences(terms: AlgoTerms, best: BestPrices, known: KnownOfAlgo = {}): AlgoSentences {
  const entry = entryText(terms, best, known.priceBand);
  const does = [whenText(terms), entry, forText(terms), exitText(terms, best, known)];
  return {
    does: does.flat().filter((sentence) => sentence !== ''),
    exchangeKnows: restingText(terms),
    onlyPitKnows: pitText(terms),
  };
}

/** `sell 0.1 btc_usdt, take-profit 30,000.00, stop 27,500.00`: an algo order in its question and its lists. */
export function algoText(terms: AlgoTerms): string {
  const { side, amount, market, entry, when } = terms;
  const of = `${side} ${formatAmount(amount)} ${market.market}`;
  const how = entry === null ? of : `${of} ${wordsOf(entry).how(entry, market)}`;
  return [how, ...(when.length === 0 ? [] : [`when ${when.join(' or ')}`]), ...exitWords(terms)].join(', ');
}

/** `stop 27,500.00`, `trail 2%`: the exits in a few words. @param isTakeCancelled as in {@link KnownOfAlgo} */
export function exitWords({ exits, market }: Pick<AlgoTerms, 'exits' | 'market'>, isTakeCancelled = false): string[] {
  if (exits === null) return [];
  const { take, stop, limit, trail } = exits;
  return [
    ...(take === null ? [] : [`take-profit ${formatPrice(take, market)}${isTakeCancelled ? ' (cancelled)' : ''}`]),
    ...(stop === null ? [] : [`stop ${formatPrice(stop, market)}`]),
    ...(limit === null ? [] : [`limit ${formatPrice(limit, market)}`]),
    ...(trail === null ? [] : [`trail ${distanceText(trail)}`]),
  ];
}

function whenText({ when }: AlgoTerms): string {
  return when.length === 0 ? '' : `pit places nothing before ${when.join(' or ')} holds.`;
}

function entryText(terms: AlgoTerms, best: BestPrices, priceBand: Decimal | null | undefined): string {
  const { entry, when } = terms;
  if (entry === null) return '';
  return `${when.length === 0 ? '' : 'Then '}${wordsOf(entry).does(terms, entry, best, priceBand)}`;
}

function forText({ forMs, entry }: AlgoTerms): string {
  return forMs === null || entry === null ? '' : `What has not filled after ${durationText(forMs)} is given up.`;
}

function exitText(terms: AlgoTerms, best: BestPrices, { isTakeCancelled, priceBand }: KnownOfAlgo): string[] {
  const { exits, entry, market, amount } = terms;
  if (exits === null) return [];
  const { take, stop, trail } = exits;
  const size = entry === null ? `${formatAmount(amount)} ${market.base}` : 'what has filled';
  const side = exitSideOf(terms);
  const protects = entry === null ? '' : 'Each fill is protected at once, by what it leaves after the fee.';
  const rests =
    take === null ? '' : takeText(`to ${side} ${size}`, formatPrice(take, market), isTakeCancelled === true);
  if (stop === null && trail === null) return [protects, rests];
  const trails = trail === null ? '' : trailText(terms, trail, best);
  const cancels =
    take === null || isTakeCancelled === true ? '' : 'cancels the take-profit, waits for its outcome, and ';
  const reached =
    stop === null || trail !== null
      ? `When ${sourceText(terms)} reaches the stop`
      : `When ${sourceText(terms)} is at or ${side === 'sell' ? 'below' : 'above'} ${formatPrice(stop, market)}`;
  const what = take === null ? size : 'what is left';
  return [
    protects,
    rests,
    trails,
    `${reached}, pit ${cancels}${side}s ${what}.`,
    sentText(terms, side, best, priceBand),
  ];
}

function takeText(what: string, price: string, isCancelled: boolean): string {
  return isCancelled
    ? `The take-profit at ${price} was cancelled elsewhere, and is not placed again.`
    : `A take-profit ${what} rests at ${price}.`;
}

/** The price that is held against a stop. */
function sourceText(terms: AlgoTerms): string {
  if (terms.trigger === 'last') return 'the last price';
  return exitSideOf(terms) === 'sell' ? 'the best bid' : 'the best ask';
}

function trailText(terms: AlgoTerms, trail: TrailDistance, { bid, ask }: BestPrices): string {
  const { exits, entry, market } = terms;
  const side = exitSideOf(terms);
  const from = side === 'sell' ? bid : ask;
  const extreme = side === 'sell' ? 'highest' : 'lowest';
  const followed = terms.trigger === 'last' ? 'price' : side === 'sell' ? 'bid' : 'ask';
  const now = entry !== null || from === null ? '' : `: ${formatPrice(trailLevel(terms, trail, from), market)} now`;
  const least = exits?.stop == null ? '' : `, and begins at ${formatPrice(exits.stop, market)} at the worst`;
  return `The stop follows the ${extreme} ${followed} at a distance of ${distanceText(trail)}${now}${least}; it never goes back.`;
}

function sentText(terms: AlgoTerms, side: Side, best: BestPrices, priceBand?: Decimal | null): string {
  const { exits, market, slippage } = terms;
  if (exits?.limit != null) return `It sends a limit order at ${formatPrice(exits.limit, market)}.`;
  const to = (level: Decimal) => `, here ${formatPrice(stopPrice(terms, level, best, priceBand ?? null), market)}`;
  // without the band it is not known whether the slippage goes as far
  const isKnown = exits?.stop != null && exits.trail === null && priceBand !== undefined;
  const least = isKnown && exits.stop !== null ? to(exits.stop) : '';
  const beyond = side === 'sell' ? 'below' : 'above';
  return `It fills at once, up to ${percentText(slippage)} ${beyond} the price that reached it${bandText(slippage, priceBand)}${least}; what does not fill rests there.`;
}

/** What rests at the exchange from the start. */
function restingText({ entry, exits, when }: AlgoTerms): string {
  const parts = [
    ...(entry !== null && (kindOfEntry(entry).followsMarket || when.length === 0) ? [wordsOf(entry).rests] : []),
    ...(exits?.take == null ? [] : [entry === null ? 'the take-profit' : 'the take-profit of what has filled']),
  ];
  return parts.length === 0 ? 'nothing yet' : parts.join(', and ');
}

function pitText({ entry, exits, when, forMs }: AlgoTerms): string {
  const stops = hasStop({ exits });
  const parts = [
    ...(when.length === 0 ? [] : ['the condition']),
    ...(entry === null ? [] : wordsOf(entry).onlyPit),
    ...(forMs === null ? [] : ['when it is given up']),
    ...(entry !== null && exits !== null ? ['that fills are to be protected'] : []),
    ...(stops ? [exits?.trail == null ? 'the stop' : 'the trailing stop'] : []),
  ];
  if (parts.length === 0) return 'nothing but the events that you asked for';
  const danger = stops ? 'nothing protects you' : 'nothing happens';
  return `${parts.join(', ')}: if no process of pit watches, ${danger}`;
}
