import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Depth, Level } from '../../domain/market-data.js';
import type { Order, Side } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { BookView } from './market-view.js';

/** What is available of each coin in the spot account, by the coin's name. */
type Available = ReadonlyMap<string, Decimal>;

/** An open order that will be cancelled before the order at hand is placed. */
export interface ReplacedOrder {
  readonly side: Side;
  readonly price: Decimal;
  /** The open part, in the base coin. */
  readonly amount: Decimal;
}

/**
 * The book, the balances and the newest orders, each read once, on the first call. A failed read is kept as its Failure.
 */
export class MarketSnapshot {
  readonly #client: Exchange;
  readonly #marketSide: { readonly market: string; readonly side: Side };
  readonly #levels: number;
  readonly #replaced: ReplacedOrder | undefined;

  #book: Promise<BookView | Failure> | undefined;
  #available: Promise<Available | Failure> | undefined;
  #orders: Promise<readonly Order[] | Failure> | undefined;

  /**
   * @param levels how many levels to read of each side of the book, 1 to 50
   * @param replaced an order that will be cancelled first: the snapshot leaves it out of the book and counts its funds as
   *   available
   */
  constructor(
    client: Exchange,
    marketSide: { readonly market: string; readonly side: Side },
    levels: number,
    replaced?: ReplacedOrder,
  ) {
    this.#client = client;
    this.#marketSide = marketSide;
    this.#levels = levels;
    this.#replaced = replaced;
  }

  /**
   * A snapshot that reads book and balances again. The orders are kept, because they only show which fees were paid.
   * @param replaced as for the constructor
   */
  refreshed(replaced = this.#replaced): MarketSnapshot {
    const next = new MarketSnapshot(this.#client, this.#marketSide, this.#levels, replaced);
    next.#orders = this.#orders;
    return next;
  }

  /** Starts to read parts that will be needed. */
  prefetch(...parts: readonly ('book' | 'balances' | 'orders')[]): void {
    for (const part of parts) void this[part]();
  }

  /** Whether the book was read, or is being read. */
  get isBookRead(): boolean {
    return this.#book !== undefined;
  }

  book(): Promise<BookView | Failure> {
    this.#book ??= orFailure(() => readBookView(this.#client, this.#marketSide.market, this.#levels, this.#replaced));
    return this.#book;
  }

  balances(): Promise<Available | Failure> {
    this.#available ??= orFailure(() => readAvailable(this.#client));
    return this.#available;
  }

  /** How much an order on this side can spend, in the coin of {@link spentCoin}. */
  async spendable(market: Market, side: Side): Promise<Decimal | Failure> {
    const available = await this.balances();
    if (available instanceof Failure) return available;
    const spendable = available.get(spentCoin(market, side)) ?? Decimal.zero;
    return this.#replaced === undefined ? spendable : spendable.plus(spentBy(this.#replaced));
  }

  /** The newest orders of this side. */
  orders(): Promise<readonly Order[] | Failure> {
    this.#orders ??= orFailure(async () => {
      const page = { from: 1, to: 1 };
      return (await this.#client.orders(this.#marketSide.market, this.#marketSide.side, page)).orders;
    });
    return this.#orders;
  }
}

/** The coin that an order spends: the quote coin for a buy, the base coin for a sell. */
export function spentCoin({ base, quote }: Pick<Market, 'base' | 'quote'>, side: Side): string {
  return side === 'buy' ? quote : base;
}

/** What an open order holds, in the coin that it spends. */
function spentBy({ side, price, amount }: ReplacedOrder): Decimal {
  return side === 'buy' ? amount.times(price) : amount;
}

/** Returns a required part of the snapshot, or throws the Failure that is in its place. */
export async function orThrow<Value>(part: Promise<Value | Failure>): Promise<Value> {
  const value = await part;
  if (value instanceof Failure) throw value;
  return value;
}

async function orFailure<Value>(read: () => Promise<Value>): Promise<Value | Failure> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The book, and the last price if the book is empty. Throws Failure if the exchange cannot be read. */
export async function readBookView(
  client: Exchange,
  market: string,
  levels: number,
  replaced?: ReplacedOrder,
): Promise<BookView> {
  const { bids, asks } = withoutOrder(await client.depth({ market, size: levels }), replaced);
  if (bids.length > 0 || asks.length > 0) return { bids, asks, last: null };
  const { last } = await client.ticker({ market });
  return { bids, asks, last: last === null ? null : Decimal.of(last) };
}

type Book = Pick<Depth, 'bids' | 'asks'>;

/**
 * The book without an order. If the order filled further before the book was read, too much is removed, never too little.
 * @internal for its test
 */
export function withoutOrder({ bids, asks }: Book, order: ReplacedOrder | undefined): Book {
  if (order === undefined) return { bids, asks };
  return order.side === 'buy' ? { bids: without(bids, order), asks } : { bids, asks: without(asks, order) };
}

function without(levels: readonly Level[], { price, amount }: ReplacedOrder): Level[] {
  return levels.flatMap((level) => {
    if (Decimal.of(level.price).compare(price) !== 0) return [level];
    const left = Decimal.of(level.amount).minus(amount);
    return left.sign > 0 ? [{ ...level, amount: left.trimmed().toString() }] : [];
  });
}

async function readAvailable(client: Exchange): Promise<Available> {
  const { coins } = await client.account();
  return new Map(coins.map(({ coin, available }) => [coin, Decimal.of(available)]));
}
