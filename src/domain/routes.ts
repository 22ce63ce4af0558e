import { Decimal } from './decimal.js';
import type { Market } from './market.js';

/** A market that is crossed on the way from one coin to another. */
export interface Hop {
  readonly market: string;
  readonly to: string;
  /** From base to quote the price multiplies, from quote to base it divides. */
  readonly multiplies: boolean;
}

/** A value that was divided by a price has at least this many decimals. */
const DECIMALS = 8;

/** The ways from coin to coin over markets. */
export class Routes {
  readonly #from = new Map<string, Hop[]>();

  constructor(markets: readonly Pick<Market, 'market' | 'base' | 'quote'>[]) {
    for (const { market, base, quote } of markets) {
      this.#add(base, { market, to: quote, multiplies: true });
      this.#add(quote, { market, to: base, multiplies: false });
    }
  }

  #add(from: string, hop: Hop): void {
    const hops = this.#from.get(from);
    if (hops === undefined) this.#from.set(from, [hop]);
    else hops.push(hop);
  }

  /** The fewest markets between two coins; of equally short ways, the one whose markets come first. Undefined if there is none. */
  find(from: string, to: string): readonly Hop[] | undefined {
    const ways = new Map<string, readonly Hop[]>([[from, []]]);
    for (const [coin, way] of ways) {
      if (coin === to) return way;
      for (const hop of this.#from.get(coin) ?? []) if (!ways.has(hop.to)) ways.set(hop.to, [...way, hop]);
    }
    return undefined;
  }
}

/**
 * What an amount is worth at the end of a way. Exact, except for one division at the end, which rounds towards zero.
 * @param price of a market; above zero
 */
export function convert(amount: Decimal, way: readonly Hop[], price: (market: string) => Decimal): Decimal {
  const product = (multiplies: boolean) =>
    way
      .filter((hop) => hop.multiplies === multiplies)
      .reduce((all, { market }) => all.times(price(market)), Decimal.fromUnits(1n, 0));
  const worth = product(true).times(amount).trimmed();
  if (way.every(({ multiplies }) => multiplies)) return worth;
  return worth.dividedBy(product(false), Math.max(worth.scale, DECIMALS), 'down').trimmed();
}
