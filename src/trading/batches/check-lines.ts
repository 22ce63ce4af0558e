import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure, usage } from '../../errors.js';
import type { BatchLine } from '../journal/write.js';
import { validateOrder } from '../orders/terms.js';

/** The most lines that are named; a file in another format has thousands of bad ones. */
const MAX_NAMED = 3;

/** Collects what is wrong with the lines of a batch, to report it at once. */
export class BadLines {
  readonly #first: { readonly line: number; readonly failure: Failure }[] = [];
  #count = 0;

  /** @param what the word for one of them */
  constructor(private readonly what: string) {}

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
    const named = this.#first.map(({ line, failure }) => `${this.what} ${line}: ${failure.message}`).join(' ');
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
