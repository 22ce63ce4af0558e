import type { CompletionNames, KnownOrder } from '../../config/completion-names.js';
import { formatAmount, formatPrice, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import type { CompletionName } from '../../exchange/exchange.js';

/** More open orders than that are not offered by a shell. */
const MAX_ORDERS = 2_000;

/**
 * What a command has seen of names that a shell can offer: markets, coins, open orders. It is noted in passing, from answers
 * that came anyway, and kept once, at the end of the command.
 */
export class SeenNames {
  readonly #coins = new Set<string>();
  #markets: readonly Market[] | undefined;
  #recent: string | undefined;
  /** By id; null for one that is no longer open. */
  readonly #orders = new Map<string, KnownOrder | null>();
  readonly #cancelled = new Set<string>();

  markets(markets: readonly Market[]): void {
    this.#markets = markets;
    for (const { base, quote } of markets) this.#coins.add(base).add(quote);
  }

  observe(seen: CompletionName): void {
    if (seen.kind === 'market') this.#recent = seen.market;
    if (seen.kind === 'coins') for (const coin of seen.coins) this.#coins.add(coin);
    if (seen.kind === 'orders') for (const order of seen.orders) this.#order(order);
    // what is not filled of an IOC is cancelled at once
    if (seen.kind === 'placed' && seen.type !== 'ioc')
      for (const id of seen.ids)
        this.#orders.set(id, {
          id,
          market: seen.market,
          clientId: seen.clientId,
          terms: seen.terms && this.#termsText(seen.market, seen.terms),
        });
    if (seen.kind === 'cancelled') {
      if ('id' in seen.order) this.#orders.set(seen.order.id, null);
      else this.#cancelled.add(seen.order.clientId);
    }
  }

  #order(order: Order): void {
    const { id, market, state } = order;
    const clientId = order.clientId ?? this.#orders.get(id)?.clientId ?? null;
    const terms = this.#termsText(market, order);
    this.#orders.set(id, state === 'open' ? { id, market, clientId, terms } : null);
  }

  /** A price has its market's decimals if the command has read the market; the exchange lists prices with them anyway. */
  #termsText(market: string, { side, price, amount }: Pick<Order, 'side' | 'price' | 'amount'>): string {
    const rules = this.#markets?.find((one) => one.market === market);
    return `${side} ${formatAmount(amount)} at ${rules === undefined ? grouped(price) : formatPrice(price, rules)}`;
  }

  /**
   * Writes what has changed.
   * @param unresolved the ids of writes whose outcome is unknown, if that was read
   */
  save(names: CompletionNames, unresolved: readonly string[] | undefined): void {
    if (this.#markets !== undefined)
      names.write(
        'markets',
        this.#markets.map(({ market }) => market),
      );
    if (this.#recent !== undefined) names.write('recent', [this.#recent]);
    if (this.#coins.size > 0) names.update('coins', (coins) => [...new Set([...coins, ...this.#coins])].sort());
    if (this.#orders.size + this.#cancelled.size > 0) names.updateOrders((earlier) => this.#merged(earlier));
    if (unresolved !== undefined) names.write('unresolved', unresolved);
  }

  /** What was seen now, and what was known before and not seen to have ended; newest first. */
  #merged(earlier: readonly KnownOrder[]): KnownOrder[] {
    const earlierById = new Map(earlier.map((order) => [order.id, order]));
    const seen = [...this.#orders.values()].filter((order) => order !== null);
    return [...seen, ...earlier.filter(({ id }) => !this.#orders.has(id))]
      .map(({ clientId, terms, ...order }) => ({
        ...order,
        clientId: clientId ?? earlierById.get(order.id)?.clientId ?? null,
        terms: terms ?? earlierById.get(order.id)?.terms ?? null,
      }))
      .filter(({ clientId }) => clientId === null || !this.#cancelled.has(clientId))
      .sort((left, right) => right.id.length - left.id.length || (left.id < right.id ? 1 : -1))
      .slice(0, MAX_ORDERS);
  }
}
