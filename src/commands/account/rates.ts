import { bestPrices, midOf } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { convert, Routes } from '../../domain/routes.js';
import type { Exchange } from '../../exchange/exchange.js';

/** What coins are worth in each other by the prices of the markets. */
export class Rates {
  readonly #prices: ReadonlyMap<string, Decimal>;
  readonly #routes: Routes;

  /** @param prices above zero, by market */
  constructor(markets: readonly Market[], prices: ReadonlyMap<string, Decimal>) {
    this.#prices = prices;
    this.#routes = new Routes(markets.filter(({ market }) => prices.has(market)));
  }

  /**
   * What an amount of a coin is worth in another, over as few markets as possible. Exact, except for one division at the
   * end, which rounds down. Undefined if no markets connect the two.
   */
  value(amount: string, from: string, to: string): Decimal | undefined {
    const way = this.#routes.find(from, to);
    return way && convert(Decimal.of(amount), way, (market) => this.#prices.get(market) ?? Decimal.zero);
  }
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
  const prices = new Map<string, Decimal>();
  for (const { market } of markets) {
    const last = tickers.of(market)?.last ?? null;
    if (last !== null) prices.set(market, Decimal.of(last));
  }
  const rates = new Rates(markets, prices);
  const unvalued = coins.filter((coin) => units.some((unit) => rates.value('1', coin, unit) === undefined));
  const untraded = markets.filter(
    ({ market, base, quote }) =>
      tickers.of(market)?.last === null && (unvalued.includes(base) || unvalued.includes(quote)),
  );
  await Promise.all(
    untraded.map(async ({ market }) => {
      const mid = midOf(bestPrices(await client.depth({ market, size: 1 })));
      if (mid !== null) prices.set(market, mid);
    }),
  );
  return untraded.length === 0 ? rates : new Rates(markets, prices);
}

/** Whether any markets lead from one coin to another, even markets without a price. */
export function areConnected(markets: readonly Market[], from: string, to: string): boolean {
  return new Routes(markets).find(from, to) !== undefined;
}
