import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import { Budget } from '../../../exchange/budget.js';
import type { Host } from '../../../platform/host.js';
import type { TradingAccount } from '../../../trading/account.js';
import type { BestPrices } from '../../../trading/expressions/price-expression.js';
import { bestOf, type MarketView } from '../../../trading/market-view.js';
import { readMarketView } from '../../../trading/preview/outlook.js';
import { quietly } from '../../../trading/quietly.js';
import type { Session } from '../../session/session.js';

/** How long a question may wait for what is only shown beside it. */
const PATIENCE_MS = 1_000;
/** For one look at the book while a question waits; no look holds up the end of the program for longer. */
const LOOK_MS = 2_000;
const LEVELS = 50;

/** What a coin is called, and what is available of it in the spot account. */
interface Holding {
  readonly name: string;
  readonly available: Decimal;
}

/** By the coin's name; undefined where the exchange does not tell. */
export type Holdings = Promise<ReadonlyMap<string, Holding> | undefined>;

export async function readHoldings({ client }: Pick<TradingAccount, 'client'>): Holdings {
  const info = await quietly(() => client.account());
  return (
    info && new Map(info.coins.map(({ coin, name, available }) => [coin, { name, available: Decimal.of(available) }]))
  );
}

/** Something that is nice to know: undefined where it does not come soon. */
export function soon<Value>(host: Host, work: Promise<Value | undefined>): Promise<Value | undefined> {
  return Promise.race([work, host.sleep(PATIENCE_MS).then(() => undefined)]);
}

/** A market's book that is looked at again and again. */
export class LiveBook {
  #view: MarketView | undefined;
  #seenAt = 0;

  constructor(
    private readonly host: Host,
    private readonly session: Pick<Session, 'observer'>,
    readonly market: Market,
  ) {}

  /** Keeps what it saw before where nothing comes. */
  async refresh(): Promise<void> {
    const view = await quietly(async () => {
      const client = await this.session.observer(new Budget(LOOK_MS, this.host.now));
      return readMarketView(client, this.market.market, LEVELS);
    });
    if (view === undefined) return;
    this.#view = view;
    this.#seenAt = this.host.now();
  }

  /** Undefined where it was never seen. */
  get view(): MarketView | undefined {
    return this.#view;
  }

  get best(): BestPrices {
    return { bid: bestOf(this.#view?.bids ?? []), ask: bestOf(this.#view?.asks ?? []) };
  }

  /** In milliseconds. */
  get age(): number {
    return this.host.now() - this.#seenAt;
  }
}

/** What is available of a coin: shown once it comes, and asked for again where it did not. */
export class LiveFunds {
  #available: Decimal | undefined;
  #reading: Promise<void> | undefined;
  #isTold = false;

  /** @param read asks the exchange once more */
  constructor(
    private readonly coin: string,
    first: Holdings,
    private readonly read: () => Holdings,
  ) {
    this.#follow(first);
  }

  /** Undefined where the exchange did not tell, or not yet. */
  get available(): Decimal | undefined {
    return this.#available;
  }

  get isAwaited(): boolean {
    return this.#reading !== undefined;
  }

  /** Until the answer is there, or a moment has passed. */
  async arrive(host: Host): Promise<void> {
    await soon(host, this.#reading ?? Promise.resolve());
  }

  refresh(): void {
    if (!this.#isTold && this.#reading === undefined) this.#follow(this.read());
  }

  #follow(holdings: Holdings): void {
    this.#reading = holdings.then((held) => {
      this.#reading = undefined;
      this.#isTold = held !== undefined;
      this.#available = held?.get(this.coin)?.available;
    });
  }
}
