import { Decimal } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';

/** How often balances are read while somebody waits for them, in milliseconds. */
const READ_MS = 5_000;
/** For how long somebody waits who has asked: an order that lacks funds is tried once a minute. */
const WANTED_MS = 90_000;

/** The balances of the account, read while an algo order lacks funds. */
export class AccountFunds {
  readonly #host: Pick<Host, 'monotonic'>;
  readonly #client: Exchange;
  readonly #restartBudget: () => void;
  readonly #onChange: () => void;

  #available: ReadonlyMap<string, Decimal> | undefined;
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

  /** What is available of a coin, if that was read after a moment of the monotonic clock; null otherwise. */
  availableSince(coin: string, since: number): Decimal | null {
    if (this.#available === undefined || this.#readAt < since) return null;
    return this.#available.get(coin) ?? Decimal.zero;
  }

  /** Somebody lacks funds: from now on balances are read, for a while. */
  request(): void {
    this.#wantedUntil = this.#host.monotonic() + WANTED_MS;
    void this.#read();
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
      const available = new Map(coins.map((one) => [one.coin, Decimal.of(one.available)]));
      const before = this.#available;
      const isOther = [...available].some(([coin, amount]) => before?.get(coin)?.equals(amount) !== true);
      [this.#available, this.#readAt] = [available, began];
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
