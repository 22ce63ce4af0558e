import { Decimal, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure, quoted, usage } from '../../errors.js';
import type { BatchLine } from '../journal/write.js';
import { validateOrder } from '../orders/terms.js';
import type { Reference } from '../preview/market-view.js';

/** The most lines that are named; a file in another format has thousands of bad ones. */
const MAX_NAMED = 3;

/** Collects what is wrong with the lines of a batch, to report it at once. */
export class BadLines {
  readonly #what: string;

  readonly #first: { readonly line: number; readonly failure: Failure }[] = [];
  #count = 0;

  /** @param what the word for one of them */
  constructor(what: string) {
    this.#what = what;
  }

  /** Runs a function for a line. Returns undefined if it fails with a Failure, which is kept. */
  try<Value>(line: number, work: () => Value): Value | undefined {
    try {
      return work();
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      this.#count += 1;
      if (this.#first.length < MAX_NAMED) this.#first.push({ line, failure });
      return undefined;
    }
  }

  /** Throws Failure `usage` if anything was wrong: which lines, why, and how many more. */
  refuse(): void {
    const [first] = this.#first;
    if (first === undefined) return;
    const named = this.#first.map(({ line, failure }) => `${this.#what} ${line}: ${failure.message}`).join(' ');
    const more = this.#count - this.#first.length;
    throw usage(`${named}${more === 0 ? '' : ` And ${more} more.`} Nothing was sent.`, first.failure.hints);
  }
}

/** Refuses orders that the market's scales and minimums would refuse, all of them at once. Throws Failure `usage`. */
export function checkLines(market: Market, lines: readonly BatchLine[], what: 'Line' | 'Order'): void {
  const bad = new BadLines(what);
  for (const [number, price, amount] of lines)
    bad.try(number, () => validateOrder(market, Decimal.of(price), Decimal.of(amount)));
  bad.refuse();
}

/** A row that is a price and an amount, or one number with a comma between its thousands: `28,500`. */
export interface GroupedRow {
  readonly line: number;
  readonly text: string;
}

/**
 * Refuses rows that are more likely one number: one within a factor of two of the market or of the prices of the other lines.
 * The price before the comma, a thousandth of it, is then far from them. Throws Failure `usage` that names both readings.
 * @param reference the market's price; null if it is unknown
 */
export function refuseGroupedRows(
  rows: readonly GroupedRow[],
  lines: readonly BatchLine[],
  market: Pick<Market, 'priceScale'>,
  reference: Reference | null,
): void {
  const grouped = new Set(rows.map(({ line }) => line));
  const others = lines.filter(([line]) => !grouped.has(line)).map(([, price]) => Decimal.of(price));
  others.sort((left, right) => left.compare(right));
  const lowest = others[0];
  const highest = others.at(-1);
  const nearWhat = (number: Decimal) => {
    if (reference !== null && isNear(number, reference.price, reference.price))
      return `the market (${formatPrice(reference.price, market)})`;
    const isNearOthers = lowest !== undefined && highest !== undefined && isNear(number, lowest, highest);
    return isNearOthers ? 'the other lines' : undefined;
  };
  const bad = new BadLines('Line');
  for (const { line, text } of rows) {
    const near = nearWhat(Decimal.of(text.replace(',', '')));
    if (near !== undefined) bad.try(line, () => refuseAsOneNumber(text, near));
  }
  bad.refuse();
}

const TWO = Decimal.of('2');

/** Whether a number is at least half of `from` and at most twice `to`. */
function isNear(number: Decimal, from: Decimal, to: Decimal): boolean {
  return number.times(TWO).compare(from) >= 0 && number.compare(to.times(TWO)) <= 0;
}

function refuseAsOneNumber(text: string, near: string): never {
  const [price, amount] = text.split(',');
  throw usage(
    `${quoted(text)} has two meanings: a price of ${price} and an amount of ${amount}, or the one number ${text}, which is near ${near}.`,
    `Write the price without a comma and then the amount, as in ${price}${amount},0.1. If you mean a price of ${price}, write {"price":${price},"amount":${amount}}.`,
  );
}
