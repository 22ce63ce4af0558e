import type { Side } from '../../domain/order.js';
import { FIRST_ACCOUNT } from '../../sandbox/accounts/accounts.js';
import type { AccountOrder } from '../../sandbox/orders/order.js';
import type { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import type { TapeEvent } from '../../sandbox/replay/tape-event.js';

/**
 * Decides when a candle begins whether it reaches its low or its high first: the extreme that hurts the account in its market. Who has
 * to sell is hurt by the low, who has to buy by the high. The account has to sell if only sells of it rest, or it has bought more than it sold;
 * it has to buy the other way round. Without either, the side of the rehearsed order decides; without that, the low is first.
 */
export class WorsePath {
  readonly #sandbox: PrivateSandbox;
  readonly #opening = new Map<string, bigint>();
  readonly #open = new Map<string, Set<AccountOrder>>();
  /** When the candle of a market ends, and whether its low is first. */
  readonly #candles = new Map<string, { readonly until: number; readonly isLowFirst: boolean }>();
  readonly #side: Side | undefined;

  constructor(sandbox: PrivateSandbox, side: Side | undefined) {
    this.#sandbox = sandbox;
    this.#side = side;

    for (const { base } of sandbox.exchange.markets.values()) this.#opening.set(base, sandbox.total(base));
    sandbox.exchange.changes.listen((_, order) => {
      if (order?.account !== FIRST_ACCOUNT) return;
      const ofMarket = this.#open.get(order.market.name) ?? new Set();
      this.#open.set(order.market.name, ofMarket);
      if (order.open) ofMarket.add(order);
      else ofMarket.delete(order);
    });
  }

  /** The event with the prices of the worse path. */
  choose(event: TapeEvent): TapeEvent {
    if (event.kind !== 'candle' || event.lowFirst === undefined) return event;
    const { market, until, lowFirst } = event;
    let candle = this.#candles.get(market);
    if (candle?.until !== until) {
      candle = { until, isLowFirst: this.#neededSide(market) === 'sell' };
      this.#candles.set(market, candle);
    }
    return candle.isLowFirst ? { ...event, ...lowFirst } : event;
  }

  #neededSide(market: string): Side {
    const resting = new Set([...(this.#open.get(market) ?? [])].map(({ side }) => side));
    const [only] = resting;
    if (only !== undefined && resting.size === 1) return only;
    const base = market.split('_')[0] ?? '';
    const bought = this.#sandbox.total(base) - (this.#opening.get(base) ?? 0n);
    if (bought !== 0n) return bought > 0n ? 'sell' : 'buy';
    return this.#side ?? 'sell';
  }
}
