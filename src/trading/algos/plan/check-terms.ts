import { type BestPrices, isCrossed } from '../../../domain/book.js';
import { Decimal, formatPrice } from '../../../domain/decimal.js';
import type { Side } from '../../../domain/order.js';
import { type Failure, usage } from '../../../errors.js';
import { checkAmount, checkNotional, checkPrice, leastAmount } from '../../orders/terms.js';
import { crosses } from '../../preview/market-view.js';
import { kindOfEntry, namedPriceOf } from './entries/entry-kinds.js';
import { limitWithSlippage, noWorse } from './prices.js';
import { type AlgoTerms, type Exits, exitSideOf, mapExitPrices } from './terms.js';
import { trailLevel } from './trigger.js';

/** The market in which terms are checked. */
export interface TermsMarket extends BestPrices {
  /** The price of the newest trade; null if there is none, or the terms do not need it. */
  readonly last: Decimal | null;
  /** The share of a buy that its fee takes, by earlier orders; null if unknown, which counts as a lot. */
  readonly feeShare: Decimal | null;
}

/** A price of the terms with its name in sentences. */
interface Leg {
  readonly name: string;
  readonly price: Decimal;
}

const ONE = Decimal.of('1');

/**
 * Refuses an algo order that cannot work in the market as it is: a stop that would be reached at once, legs on the wrong side of each
 * other, amounts that leave a leg below the minimum, prices off the market's ticks. Throws Failure `usage` with the number that works.
 */
export function checkTerms(terms: AlgoTerms, market: TermsMarket): void {
  const { entry, exits, market: rules, amount } = terms;
  for (const price of pricesOf(terms)) checkPrice(rules, price);
  checkAmount(rules, amount);
  if (entry !== null) {
    checkEntryAmount(terms, market);
    kindOfEntry(entry).check(terms, entry);
  }
  if (exits === null) return;
  checkSides(terms, exits, market);
  checkExitAmounts(terms, exits, market);
}

function pricesOf({ entry, exits }: AlgoTerms): Decimal[] {
  const ofExits = exits === null ? [] : Object.values(mapExitPrices((name) => exits[name]));
  return [namedPriceOf(entry), ...ofExits].flatMap((price) => price ?? []);
}

/** The price that an order of this side would meet now; null if unknown. */
function hitBy(side: Side, { bid, ask }: BestPrices): Decimal | null {
  return side === 'sell' ? bid : ask;
}

/** The price that the entry pays, as far as it is known; null if it is not. */
function entryPrice({ entry, side }: AlgoTerms, market: TermsMarket): Decimal | null {
  if (entry === null) return null;
  const kind = kindOfEntry(entry);
  const named = kind.priceOf(entry);
  const now = kind.followsMarket ? hitBy(side, market) : null;
  return now === null ? named : noWorse(side, now, named);
}

/** The exits among each other, and against what triggers them or the price of the entry. */
function checkSides(terms: AlgoTerms, exits: Exits, market: TermsMarket): void {
  const { entry, when, trigger, market: rules } = terms;
  const side = exitSideOf(terms);
  const { take, stop, limit, trail } = exits;
  const entered = entryPrice(terms, market);
  const now = trigger === 'last' ? market.last : hitBy(side, market);
  if (stop !== null && take !== null)
    requireBeyond(terms, { name: 'stop', price: stop }, { name: 'take-profit', price: take });
  if (entry === null) {
    const shown = trigger === 'last' ? 'the last price' : side === 'sell' ? 'the best bid' : 'the best ask';
    if (stop !== null && now !== null)
      requireBeyond(terms, { name: 'stop', price: stop }, { name: shown, price: now }, 'it would be reached at once');
    const best = hitBy(side, market);
    if (take !== null && best !== null && !isBeyond(side, best, take))
      throw wrong(
        `The take-profit ${price(take, terms)} would fill at once: ${side === 'sell' ? 'the best bid' : 'the best ask'} is ${price(best, terms)}.`,
        side,
        best,
        terms,
        'up',
      );
  } else if (entered !== null) {
    const paid = { name: 'the price of the entry', price: entered };
    if (stop !== null) requireBeyond(terms, { name: 'stop', price: stop }, paid, 'it would be reached at once');
    if (take !== null && !isBeyond(side, entered, take))
      throw wrong(
        `The take-profit ${price(take, terms)} is not ${side === 'sell' ? 'above' : 'below'} the price of the entry, ${price(entered, terms)}.`,
        side,
        entered,
        terms,
        'up',
      );
    // an entry that fills at once is protected in the market as it is
    if (stop !== null && now !== null && when.length === 0 && fillsNow(terms, market))
      requireBeyond(
        terms,
        { name: 'stop', price: stop },
        { name: side === 'sell' ? 'the best bid' : 'the best ask', price: now },
        'it would be reached at once',
      );
  }
  if (limit !== null && stop !== null && isBeyond(side, stop, limit))
    throw usage(
      `The limit ${price(limit, terms)} is ${side === 'sell' ? 'above' : 'below'} the stop ${price(stop, terms)}: what a reached stop sends would not fill.`,
      `Use ${price(stop, terms)} or ${side === 'sell' ? 'less' : 'more'}.`,
    );
  if (trail !== null) checkTrail(terms, trail, market, rules.priceScale);
}

/** Whether an entry takes from the book as it is; one that follows the market begins there. */
function fillsNow({ entry, side }: AlgoTerms, market: TermsMarket): boolean {
  if (entry === null || kindOfEntry(entry).followsMarket) return true;
  const hit = hitBy(side, market);
  const named = namedPriceOf(entry);
  if (hit === null || named === null || kindOfEntry(entry).typeOf(entry) === 'postOnly') return false;
  return crosses(side, named, hit);
}

function checkTrail(
  terms: AlgoTerms,
  { unit, value }: NonNullable<Exits['trail']>,
  { bid, ask }: TermsMarket,
  priceScale: number,
): void {
  const tick = Decimal.fromUnits(1n, priceScale);
  if (unit === 'share' && value.compare(ONE) >= 0)
    throw usage(`A trail of ${percentText(value)} never ends.`, 'Use less than 100%.');
  const from = hitBy(exitSideOf(terms), { bid, ask });
  if (from === null) return;
  const distance = unit === 'share' ? from.times(value) : unit === 'ticks' ? tick.times(value) : value;
  if (distance.compare(tick) < 0)
    throw usage(`The trail ${price(distance, terms)} is smaller than a tick.`, `Use ${tick} or more.`);
  if (exitSideOf(terms) === 'sell' && distance.compare(from) >= 0)
    throw usage(`The trail ${price(distance, terms)} is not below the best bid ${price(from, terms)}.`, 'Use less.');
  // trades come at the bid and at the ask
  if (terms.trigger !== 'last' || bid === null || ask === null || isCrossed({ bid, ask })) return;
  const spread = ask.minus(bid);
  if (distance.compare(spread) > 0) return;
  throw usage(
    `The trail ${price(distance, terms)} is not wider than the spread of ${price(spread, terms)}: the next trade could reach it.`,
    `Use ${price(spread.plus(tick), terms)} or more.`,
  );
}

/** Whether a price is on the far side of another for a stop that sells or buys: below it for a sell. */
function isBeyond(side: Side, one: Decimal, other: Decimal): boolean {
  return side === 'sell' ? one.compare(other) < 0 : one.compare(other) > 0;
}

function requireBeyond(terms: AlgoTerms, stop: Leg, other: Leg, why?: string): void {
  const side = exitSideOf(terms);
  if (isBeyond(side, stop.price, other.price)) return;
  const relation = side === 'sell' ? 'below' : 'above';
  const ends = why === undefined ? '.' : `: ${why}.`;
  throw wrong(
    `The ${stop.name} ${price(stop.price, terms)} is not ${relation} ${other.name.startsWith('the ') ? other.name : `the ${other.name}`}, ${price(other.price, terms)}${ends}`,
    side,
    other.price,
    terms,
    'down',
  );
}

/** @param towards which side of the price works for a sell; for a buy it is the other one */
function wrong(message: string, side: Side, from: Decimal, terms: AlgoTerms, towards: 'up' | 'down'): Failure {
  const isUp = (towards === 'up') === (side === 'sell');
  const scale = terms.market.priceScale;
  const tick = Decimal.fromUnits(1n, scale);
  const works = isUp ? from.rescaled(scale, 'down').plus(tick) : from.rescaled(scale, 'up').minus(tick);
  return usage(message, `Use ${price(works, terms)} or ${isUp ? 'more' : 'less'}.`);
}

/** The entry as a whole: a TWAP makes fewer slices instead of smaller ones. */
function checkEntryAmount(terms: AlgoTerms, market: TermsMarket): void {
  const paid = entryPrice(terms, market);
  if (paid === null) return;
  const { market: rules, amount } = terms;
  const least = leastAmount(rules, paid);
  if (amount.compare(least) < 0)
    checkNotional(rules, paid.times(amount), `Check the price, or use an amount of ${least} ${rules.base} or more.`);
}

/** Each exit has to reach the minimums at the price at which it is sent, with what the fee of the entry leaves. */
function checkExitAmounts(terms: AlgoTerms, exits: Exits, market: TermsMarket): void {
  const { market: rules, amount, entry, side } = terms;
  const isReduced = entry !== null && side === 'buy';
  const share = isReduced ? ONE.minus(market.feeShare ?? Decimal.zero) : ONE;
  const isFeeUnknown = isReduced && market.feeShare === null;
  // whatever it is, it makes the last lot unsellable
  const fee = isFeeUnknown ? Decimal.fromUnits(1n, rules.amountScale) : Decimal.zero;
  const left = amount.times(share).minus(fee).rescaled(rules.amountScale, 'down');
  for (const { name, price: at } of exitPrices(terms, exits, market)) {
    const least = leastAmount(rules, at);
    if (left.compare(least) >= 0) continue;
    const enough = least.plus(fee).dividedBy(share, rules.amountScale, 'up').trimmed();
    const what = isReduced
      ? `${left.trimmed()} ${rules.base}, what ${isFeeUnknown ? 'a fee of one lot' : 'the fee'} leaves of the entry,`
      : `${amount} ${rules.base}`;
    throw usage(
      `${what} would be below the minimum for the ${name} at ${price(at, terms)}: ${rules.minAmount} ${rules.base} and ${rules.minNotional} ${rules.quote}.`,
      `Use an amount of ${enough} ${rules.base} or more.`,
    );
  }
}

/** The prices at which the exits are sent, as far as they are known. */
function exitPrices(terms: AlgoTerms, { take, stop, limit, trail }: Exits, market: TermsMarket): Leg[] {
  const side = exitSideOf(terms);
  const sent = (level: Decimal) => limit ?? limitWithSlippage(terms, side, level, { band: null }, null);
  const from = entryPrice(terms, market) ?? hitBy(side, market);
  const trailing = trail === null || from === null ? null : trailLevel(terms, trail, from);
  return [
    ...(take === null ? [] : [{ name: 'take-profit', price: take }]),
    ...(stop === null ? [] : [{ name: 'stop', price: sent(stop) }]),
    ...(trailing === null ? [] : [{ name: 'trail', price: sent(trailing) }]),
  ].filter((leg) => leg.price.sign > 0);
}

/** `1%` of a share of 0.01. */
export function percentText(share: Decimal): string {
  return `${share.times(Decimal.of('100')).trimmed()}%`;
}

function price(value: Decimal, { market }: Pick<AlgoTerms, 'market'>): string {
  return formatPrice(value, market);
}
