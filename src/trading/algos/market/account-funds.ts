import type { Coin } from '../../../domain/account.js';
import { Decimal } from '../../../domain/decimal.js';
import { Failure } from '../../../errors.js';
import type { Exchange } from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';

/** How often balances are read while somebody waits for them, in milliseconds. */
const READ_MS = 5_000;
/** For how long somebody waits who has asked: an order that lacks funds is tried once a minute. */
const WANTED_MS = 90_000;

/** What the account has of a coin. */
export interface Balance {
  readonly available: Decimal;
  /** With what is frozen: in open orders, or otherwise. */
  readonly total: Decimal;
}

/** The balances of the account, read while an algo order lacks funds. */
export class AccountFunds {
  readonly #host: Pick<Host, 'monotonic'>;
  readonly #client: Exchange;
  readonly #restartBudget: () => void;
  readonly #onChange: () => void;

  #balances: ReadonlyMap<string, Balance> | undefined;
  /** When the last read began, on the monotonic clock. */
  #readAt = Number.NEGATIVE_INFINITY;
  #wantedUntil = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #changed: number | null = null;

  constructor(host: Pick<Host, 'monotonic'>, client: Exchange, restartBudget: () => void, onChange: () => void) {
    this.#host = host;
    this.#client = client;
    this.#restartBudget = restartBudget;
    this.#onChange = onChange;
  }

  /** When a balance was last seen to have changed, by the exchange's clock in milliseconds since the Unix epoch; null if never. */
  get changed(): number | null {
    return this.#changed;
  }

  /** The balance of a coin, if it was read after a moment of the monotonic clock; null otherwise. */
  balanceSince(coin: string, since: number): Balance | null {
    if (this.#balances === undefined || this.#readAt < since) return null;
    return this.#balances.get(coin) ?? { available: Decimal.zero, total: Decimal.zero };
  }

  /** Somebody lacks funds: from now on balances are read, for a while. */
  request(): void {
    this.#wantedUntil = this.#host.monotonic() + WANTED_MS;
    void this.#read();
  }

  /** In how many milliseconds {@link tick} reads again; infinity while nobody lacks funds. */
  get dueInMs(): number {
    const now = this.#host.monotonic();
    return now < this.#wantedUntil ? Math.max(0, this.#readAt + READ_MS - now) : Number.POSITIVE_INFINITY;
  }

  /** Somebody goes on waiting for coins that are gone: balances go on being read. */
  keepCurrent(): void {
    this.#wantedUntil = this.#host.monotonic() + WANTED_MS;
  }

  /** Called often. */
  tick(): void {
    const now = this.#host.monotonic();
    if (now < this.#wantedUntil && now - this.#readAt >= READ_MS) void this.#read();
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const began = this.#host.monotonic();
    try {
      this.#restartBudget();
      const { coins } = await this.#client.account();
      const balances = new Map(coins.map((one) => [one.coin, balanceOf(one)]));
      const before = this.#balances;
      const isOther = [...balances].some(([coin, { available }]) => !before?.get(coin)?.available.equals(available));
      [this.#balances, this.#readAt] = [balances, began];
      if (before !== undefined && isOther) this.#changed = this.#client.now();
      this.#onChange();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#readAt = began;
    } finally {
      this.#isReading = false;
    }
  }
}

function balanceOf(coin: Pick<Coin, 'available' | 'frozen'>): Balance {
  const available = Decimal.of(coin.available);
  return { available, total: available.plus(Decimal.of(coin.frozen)) };
}
