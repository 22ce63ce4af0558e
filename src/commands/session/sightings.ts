import type { Symbols } from '../../config/symbols.js';
import type { Answered } from '../../exchange/answered.js';
import type { Market } from '../../exchange/market-catalog.js';
import type { OrderRecord } from '../../exchange/operations/trading.js';
import { orderState } from '../../trading/orders/record.js';

/** More open orders than that are not offered by a shell. */
const MOST_ORDERS = 2_000;

interface OpenOrder {
  readonly market: string;
  readonly clientId: string | null;
}

/**
 * What a command has seen of names that a shell can offer: markets, coins, open orders. It is noted in passing, from answers
 * that came anyway, and kept once, at the end of the command.
 */
export class Sightings {
  readonly #coins = new Set<string>();
  #markets: readonly string[] | undefined;
  /** By id; null for one that is open no more. */
  readonly #orders = new Map<string, OpenOrder | null>();
  readonly #cancelled = new Set<string>();

  markets(markets: readonly Market[]): void {
    this.#markets = markets.map(({ market }) => market);
    for (const { base, quote } of markets) this.#coins.add(base).add(quote);
  }

  look({ name, values, answer }: Answered): void {
    if (name === 'getAccountInfo') for (const { key } of answer.result.coins) this.#coins.add(key.toLowerCase());
    if (name === 'getOrders') for (const record of answer) this.#order(record, null);
    if (name === 'getOrder') this.#order(answer, values.customerOrderId ?? null);
    // what is not filled of an IOC is cancelled at once
    if (name === 'order' && values.orderType !== '2')
      this.#orders.set(answer.id, { market: values.currency, clientId: values.customerOrderId ?? null });
    if (name === 'orderMoreV2')
      for (const id of answer.data) this.#orders.set(id, { market: values.market, clientId: null });
    if (name === 'cancelOrder' && values.id !== undefined) this.#orders.set(values.id, null);
    if (name === 'cancelOrder' && values.customerOrderId !== undefined) this.#cancelled.add(values.customerOrderId);
  }

  #order(record: OrderRecord, clientId: string | null): void {
    const known = this.#orders.get(record.id)?.clientId ?? null;
    const open = { market: record.currency, clientId: clientId ?? known };
    this.#orders.set(record.id, orderState(record) === 'open' ? open : null);
  }

  /** Writes what has changed. @param unresolved the ids of writes whose outcome is not known, where that was looked at */
  keep(symbols: Symbols, unresolved: readonly string[] | undefined): void {
    if (this.#markets !== undefined) symbols.write('markets', this.#markets);
    if (this.#coins.size > 0) symbols.write('coins', [...new Set([...symbols.read('coins'), ...this.#coins])].sort());
    if (this.#orders.size + this.#cancelled.size > 0) symbols.write('orders', this.#merged(symbols.read('orders')));
    if (unresolved !== undefined) symbols.write('unresolved', unresolved);
  }

  /** What was seen now first, then what was known before and not seen to have ended. */
  #merged(before: readonly string[]): string[] {
    const earlier = before
      .map((line) => line.split(' '))
      .map(([market = '', id = '', client = '']) => {
        return { market, id, clientId: client === '-' ? null : client };
      });
    const clientIds = new Map(earlier.map(({ id, clientId }) => [id, clientId]));
    const seen = [...this.#orders].reverse().flatMap(([id, order]) => (order === null ? [] : { ...order, id }));
    return [...seen, ...earlier.filter(({ id }) => !this.#orders.has(id))]
      .map((order) => ({ ...order, clientId: order.clientId ?? clientIds.get(order.id) ?? null }))
      .filter(({ clientId }) => clientId === null || !this.#cancelled.has(clientId))
      .slice(0, MOST_ORDERS)
      .map(({ market, id, clientId }) => `${market} ${id} ${clientId ?? '-'}`);
  }
}
