import { bestPrices, midOf } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Exchange } from '../../exchange/exchange.js';

/** A price above zero, which converts one coin of a market into the other. */
interface Rate {
  readonly from: string;
  readonly to: string;
  readonly price: Decimal;
  /** From base to quote the price multiplies, from quote to base it divides. */
  readonly multiplies: boolean;
}

/** A value that was divided by a price has at least this many decimals. */
const DECIMALS = 8;

/** What coins are worth in each other by the prices of the markets. */
export class Rates {
  readonly #from = new Map<string, Rate[]>();

  constructor(rates: readonly Rate[]) {
    for (const rate of rates) this.#from.set(rate.from, [...(this.#from.get(rate.from) ?? []), rate]);
  }

  /**
   * What an amount of a coin is worth in another, over as few markets as possible. Exact, except for one division at the
   * end, which rounds down. Undefined if no markets connect the two.
   */
  value(amount: string, from: string, to: string): Decimal | undefined {
    const path = this.#path(from, to);
    if (path === undefined) return undefined;
    const worth = product(path, true).times(Decimal.of(amount));
    if (path.every(({ multiplies }) => multiplies)) return worth.trimmed();
    return worth.dividedBy(product(path, false), Math.max(worth.scale, DECIMALS), 'down').trimmed();
  }

  /** The fewest hops; of equally short paths the one whose markets come first. */
  #path(from: string, to: string): readonly Rate[] | undefined {
    const paths = new Map<string, readonly Rate[]>([[from, []]]);
    for (const [coin, path] of paths) {
      if (coin === to) return path;
      for (const rate of this.#from.get(coin) ?? []) if (!paths.has(rate.to)) paths.set(rate.to, [...path, rate]);
    }
    return undefined;
  }
}

function product(path: readonly Rate[], multiplies: boolean): Decimal {
  const factors = path.filter((rate) => rate.multiplies === multiplies);
  return factors.reduce((all, { price }) => all.times(price), Decimal.fromUnits(1n, 0));
}

/**
 * The last prices of the markets, with one request. If they give a coin no value in one of the units, the middle of the book
 * stands for the last price of that coin's markets which have none, with one request each. Throws Failure if anything cannot be read.
 */
export async function readRates(
  client: Exchange,
  markets: readonly Market[],
  { coins, units }: { readonly coins: readonly string[]; readonly units: readonly string[] },
): Promise<Rates> {
  const tickers = await client.tickers();
  const priced = markets.flatMap((market) => {
    const last = tickers.of(market.market)?.last ?? null;
    return last === null ? [] : bothWays(market, Decimal.of(last));
  });
  const rates = new Rates(priced);
  const unvalued = coins.filter((coin) => units.some((unit) => rates.value('1', coin, unit) === undefined));
  const untraded = markets.filter(
    ({ market, base, quote }) =>
      tickers.of(market)?.last === null && (unvalued.includes(base) || unvalued.includes(quote)),
  );
  const quoted = await Promise.all(
    untraded.map(async (market) => {
      const mid = midOf(bestPrices(await client.depth({ market: market.market, size: 1 })));
      return mid === null ? [] : bothWays(market, mid);
    }),
  );
  return new Rates([...priced, ...quoted.flat()]);
}

/** Whether any markets lead from one coin to another, even markets without a price. */
export function areConnected(markets: readonly Market[], from: string, to: string): boolean {
  const one = Decimal.fromUnits(1n, 0);
  return new Rates(markets.flatMap((market) => bothWays(market, one))).value('1', from, to) !== undefined;
}

function bothWays({ base, quote }: Market, price: Decimal): Rate[] {
  return [
    { from: base, to: quote, price, multiplies: true },
    { from: quote, to: base, price, multiplies: false },
  ];
}
