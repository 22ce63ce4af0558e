import type { Market } from '../../domain/market.js';
import { type Order, SIDES } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { ChannelData } from '../../exchange/exchange.js';
import { orderHistory } from '../../trading/history/order-history.js';
import { OwnFills } from '../../trading/orders/own-fills.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import type { Context } from '../session/command.js';
import { NO_FILLS, type WatchedFills } from './fills.js';

/** Follows what own orders fill in one market at a time. */
export class FollowedFills {
  readonly #context: Context;
  readonly #changed: () => void;

  #fills: OwnFills | undefined;
  #shown: WatchedFills = NO_FILLS;
  #orders: ChannelData['orders'] | undefined;
  #now: () => number = Date.now;

  /** @param changed called when today's orders have been read */
  constructor(context: Context, changed: () => void) {
    this.#context = context;
    this.#changed = changed;
  }

  /**
   * Follows a market, and reads its orders of today.
   * @param orders its orders as they are now, if they are known
   */
  async follow({ market }: Market, orders: () => ChannelData['orders'] | undefined): Promise<void> {
    this.#fills = undefined;
    this.#orders = undefined;
    this.#shown = NO_FILLS;
    const { session } = this.#context;
    const trading = await session.trading();
    const lists = withTimePerPage(this.#context, trading.client);
    this.#now = () => lists.now();
    const start = dayStart(this.#now());
    const fills = new OwnFills(start);
    this.#fills = fills;
    this.take(orders());
    try {
      const isEnough = (rows: readonly Order[]) => (rows.at(-1)?.time ?? 0) < start;
      for (const side of SIDES)
        for await (const { fresh } of orderHistory(trading, { market, side }, { lists, isEnough })) fills.list(fresh);
      if (this.#fills === fills) this.#show({ today: fills.today(start) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (this.#fills === fills) this.#show({ problem: `Today's orders cannot be read: ${error.message}` });
    }
    this.#changed();
  }

  /** Takes the orders as they are now. Returns whether something has filled. */
  take(orders: ChannelData['orders'] | undefined): boolean {
    const fills = this.#fills;
    if (orders === undefined || fills === undefined || orders === this.#orders) return false;
    this.#orders = orders;
    const news = fills.take(orders);
    const { today } = this.#shown;
    if (news.length > 0) this.#show({ news, ownTrades: new Set(fills.ownTrades) });
    if (today !== null) this.#show({ today: fills.today(dayStart(this.#now())) });
    return news.length > 0;
  }

  get shown(): WatchedFills {
    return this.#shown;
  }

  #show(change: Partial<WatchedFills>): void {
    this.#shown = { ...this.#shown, ...change };
  }
}

/** When the day of a moment began here. */
function dayStart(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}
