import { Decimal } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import type { Feeds } from '../../exchange/exchange.js';
import type { Session } from '../session/session.js';

/** The last price of a market. */
export interface Price {
  readonly last: string;
  /** Against the price before; `same` before there was another. */
  readonly direction: 'up' | 'down' | 'same';
  readonly ageMs: number;
  readonly isCurrent: boolean;
}

/** The price of one market at a time, from the stream or from polling. */
export class LivePrice {
  #feeds: Feeds | undefined;
  #market: string | undefined;
  #last: Decimal | undefined;
  #direction: Price['direction'] = 'same';

  /** Follows a market of a session; after a change of either, nothing is known at first. Failures are left to the commands. */
  async follow(session: Session, market: string): Promise<void> {
    await this.stop();
    try {
      this.#feeds = await session.feeds([{ kind: 'ticker', market }]);
      this.#market = market;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }

  /** Undefined while nothing is known. */
  get price(): Price | undefined {
    if (this.#feeds === undefined || this.#market === undefined) return undefined;
    const ticker = this.#feeds.of({ kind: 'ticker', market: this.#market });
    if (ticker === undefined) return undefined;
    const { value, ageMs, isCurrent } = ticker;
    if (value.last === null) return undefined;
    const last = Decimal.of(value.last);
    const change = this.#last === undefined ? 0 : last.compare(this.#last);
    if (change !== 0) this.#direction = change > 0 ? 'up' : 'down';
    this.#last = last;
    return { last: value.last, direction: this.#direction, ageMs, isCurrent };
  }

  async stop(): Promise<void> {
    const feeds = this.#feeds;
    this.#feeds = undefined;
    this.#market = undefined;
    this.#last = undefined;
    this.#direction = 'same';
    await feeds?.close();
  }
}
