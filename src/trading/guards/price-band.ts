import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/words.js';
import { distanceFrom, distanceWords, type Reference, referenceOf } from '../market-view.js';
import { type Breach, breaking, broken, isSeen, type Seen, unchecked } from './breach.js';

const ONE = Decimal.of('1');
const HUNDRED = Decimal.of('100');

interface BandReport {
  readonly breach: Breach | null;
  /** What to beware of on the side that costs nothing, as a sentence. */
  readonly warning: string | null;
}

/** Holds prices against the band: a buy far above the reference or a sell far below it costs, and the reverse only rests. */
export function checkBand(side: Side, prices: readonly Decimal[], band: Decimal | null, seen: Seen): BandReport {
  if (band === null) return { breach: null, warning: null };
  if (!isSeen(seen)) return { breach: unchecked('price-band', seen), warning: null };
  const reference = referenceOf(seen);
  if (reference === null) {
    const message = 'it cannot be checked: the book is empty, and there is no last price';
    return { breach: broken('price-band', message), warning: null };
  }
  const lies = (price: Decimal) => placeOf(side, price, reference.price, band);
  const ends = endsOf(prices);
  const furthest = (place: Place) => ends.find((price) => lies(price) === place);
  const [costly, harmless] = [furthest('costly'), furthest('harmless')];
  const tooCostly = (worst: Decimal): Breach => {
    const those = breaking(prices, (price) => lies(price) === 'costly', worst);
    return broken('price-band', costlyText(side, worst, reference, band), those);
  };
  return {
    breach: costly === undefined ? null : tooCostly(costly),
    warning: harmless === undefined ? null : farAway(harmless, reference),
  };
}

/** Where a price lies against the band around a reference. */
type Place = 'within' | 'costly' | 'harmless';

/** Both ends of the band belong to it. */
export function placeOf(side: Side, price: Decimal, reference: Decimal, band: Decimal): Place {
  if (price.compare(bandEnd(reference, band, 'above')) > 0) return side === 'buy' ? 'costly' : 'harmless';
  if (price.compare(bandEnd(reference, band, 'below')) < 0) return side === 'sell' ? 'costly' : 'harmless';
  return 'within';
}

function bandEnd(reference: Decimal, band: Decimal, end: 'above' | 'below'): Decimal {
  return reference.times(end === 'above' ? ONE.plus(band) : ONE.minus(band)).trimmed();
}

/** The highest and the lowest: on either side of the band, one of them is the furthest from it. */
function endsOf(prices: readonly Decimal[]): Decimal[] {
  const [first, ...others] = prices;
  if (first === undefined) return [];
  let [highest, lowest] = [first, first];
  for (const price of others) {
    if (price.compare(highest) > 0) highest = price;
    if (price.compare(lowest) < 0) lowest = price;
  }
  return [highest, lowest];
}

function costlyText(side: Side, price: Decimal, reference: Reference, band: Decimal): string {
  const end = bandEnd(reference.price, band, side === 'buy' ? 'above' : 'below');
  const limit = `${band.times(HUNDRED).trimmed()}%, so ${side === 'buy' ? 'at most' : 'at least'} ${end}`;
  return `the price ${price} is ${away(price, reference)}, and the limit for a ${side} is ${limit}`;
}

function farAway(price: Decimal, reference: Reference): string {
  return `The price ${price} is ${away(price, reference)}: such an order may rest for a long time.`;
}

/** `12.4% above mid (28063.7)`, or `at mid (28063.7)`. */
export function away(price: Decimal, reference: Reference): string {
  return `${distanceWords(distanceFrom(price, reference))} ${reference.name} (${reference.price.trimmed()})`;
}
