import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import { tryRead } from '../../../errors.js';
import type { Host } from '../../../platform/host.js';
import { TimeBudget } from '../../../platform/time-budget.js';
import { readBookView } from '../../../trading/preview/market-snapshot.js';
import type { BookView } from '../../../trading/preview/market-view.js';
import type { TradingContext } from '../../../trading/trading-context.js';
import type { Session } from '../../session/session.js';

/** How long a question waits for what is only shown beside it. */
const PATIENCE_MS = 1_000;
/** For one reading of the book; the end of the program never waits for longer. */
const READ_MS = 2_000;
const LEVELS = 50;

/** What a coin is called, and what is available of it in the spot account. */
interface Holding {
  readonly name: string;
  readonly available: Decimal;
}

/** By the coin's name; undefined if they could not be read. */
export type Holdings = Promise<ReadonlyMap<string, Holding> | undefined>;

/** What each coin has available; undefined if the balances cannot be read. */
export async function readHoldings({ client }: Pick<TradingContext, 'client'>): Holdings {
  const info = await tryRead(() => client.account());
  return (
    info && new Map(info.coins.map(({ coin, name, available }) => [coin, { name, available: Decimal.of(available) }]))
  );
}

/** Something that is good to show: undefined if it does not arrive soon. */
export function soon<Value>(host: Host, work: Promise<Value | undefined>): Promise<Value | undefined> {
  return Promise.race([work, host.sleep(PATIENCE_MS).then(() => undefined)]);
}

/** A market's book that is read again and again. */
export class LiveBook {
  readonly #host: Host;
  readonly #session: Pick<Session, 'exchange'>;

  #view: BookView | undefined;
  #readAt = 0;

  constructor(
    host: Host,
    session: Pick<Session, 'exchange'>,
    readonly market: Market,
  ) {
    this.#host = host;
    this.#session = session;
  }

  /** Keeps the earlier book if this reading fails. */
  async refresh(): Promise<void> {
    const view = await tryRead(async () => {
      const client = await this.#session.exchange.inBackground(new TimeBudget(READ_MS, this.#host.monotonic));
      return readBookView(client, this.market.market, LEVELS);
    });
    if (view === undefined) return;
    this.#view = view;
    this.#readAt = this.#host.monotonic();
  }

  /** Undefined if it was never read. */
  get view(): BookView | undefined {
    return this.#view;
  }

  /** In milliseconds. */
  get age(): number {
    return this.#host.monotonic() - this.#readAt;
  }
}

/** What is available of a coin: shown once it arrives, and requested again if it did not. */
export class LiveFunds {
  readonly #coin: string;
  readonly #read: () => Holdings;

  #available: Decimal | undefined;
  #reading: Promise<void> | undefined;
  #isKnown = false;

  /** @param read requests it once more */
  constructor(coin: string, first: Holdings, read: () => Holdings) {
    this.#coin = coin;
    this.#read = read;

    this.#follow(first);
  }

  /** Undefined if it could not be read, or not yet. */
  get available(): Decimal | undefined {
    return this.#available;
  }

  get isAwaited(): boolean {
    return this.#reading !== undefined;
  }

  /** Waits for the first answer, for a moment at most. */
  async arrive(host: Host): Promise<void> {
    await soon(host, this.#reading ?? Promise.resolve());
  }

  refresh(): void {
    if (!this.#isKnown && this.#reading === undefined) this.#follow(this.#read());
  }

  #follow(holdings: Holdings): void {
    this.#reading = holdings.then((held) => {
      this.#reading = undefined;
      this.#isKnown = held !== undefined;
      this.#available = held?.get(this.#coin)?.available;
    });
  }
}
