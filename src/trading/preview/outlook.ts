import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { readOrderPages } from '../../exchange/order-pages.js';
import type { MarketSide } from '../journal/archive.js';
import type { MarketView } from '../market-view.js';
import { type Leaving, withLeaving, withoutLeaving } from './leaving.js';

/** What is available of each coin in the spot account, by the coin's name. */
export type Available = ReadonlyMap<string, Decimal>;

/**
 * What the exchange says around an order before it is sent. Each thing is asked for once, at the first call, so that what
 * will be needed is asked for at the same time. Where it cannot be had, the Failure that says why is the answer.
 */
export class Outlook {
  #market: Promise<MarketView | Failure> | undefined;
  #available: Promise<Available | Failure> | undefined;
  #orders: Promise<readonly Order[] | Failure> | undefined;

  /**
   * @param levels so many of each side of the book, 1 to 50
   * @param leaving an order that will be cancelled by then: it is in no book, and what it holds is available
   */
  constructor(
    private readonly client: ExchangeClient,
    private readonly where: MarketSide,
    private readonly levels: number,
    private readonly leaving?: Leaving,
  ) {}

  market(): Promise<MarketView | Failure> {
    this.#market ??= answered(() => readMarketView(this.client, this.where.market, this.levels, this.leaving));
    return this.#market;
  }

  available(): Promise<Available | Failure> {
    this.#available ??= answered(async () => withLeaving(await readAvailable(this.client), this.leaving));
    return this.#available;
  }

  /** The newest orders of this side. */
  orders(): Promise<readonly Order[] | Failure> {
    this.#orders ??= answered(async () => (await this.#page()).records);
    return this.#orders;
  }

  #page() {
    return readOrderPages(this.client, this.where.market, this.where.side, { from: 1, to: 1 });
  }
}

/** An answer that has to be there. Throws the Failure that is in its place. */
export async function needed<Value>(answer: Promise<Value | Failure>): Promise<Value> {
  const given = await answer;
  if (given instanceof Failure) throw given;
  return given;
}

/** The book, and the last price where the book is empty. Throws Failure as {@link ExchangeClient.read}. */
export async function readMarketView(
  client: ExchangeClient,
  market: string,
  levels: number,
  leaving?: Leaving,
): Promise<MarketView> {
  const { bids, asks } = withoutLeaving(await client.depth(market, levels), leaving);
  if (bids.length > 0 || asks.length > 0) return { bids, asks, last: null };
  const { last } = await client.ticker(market);
  return { bids, asks, last: last === null ? null : Decimal.of(last) };
}

/** Throws Failure as {@link ExchangeClient.read}. */
async function readAvailable(client: ExchangeClient): Promise<Available> {
  const { coins } = await client.account();
  return new Map(coins.map(({ coin, available }) => [coin, Decimal.of(available)]));
}

async function answered<Value>(ask: () => Promise<Value>): Promise<Value | Failure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
