import { expect } from 'vitest';
import type { Order } from '../../src/domain/order.js';
import { ExchangeClient } from '../../src/exchange/exchange-client.js';
import { TimeBudget } from '../../src/platform/time-budget.js';
import type { AdminCallName } from '../../src/sandbox/admin/calls.js';
import { eventually } from '../support/eventually.js';
import { fakeHost } from '../support/fake-host.js';
import { orderParameters } from '../support/wire.js';
import type { PitHome } from './pit-home.js';

export interface Terms {
  readonly market?: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly amount: string;
  readonly type?: 'postOnly' | 'ioc';
  readonly clientId?: string;
}

/** Direct access to the sandbox of a pit, to prepare a test and to check its effects. */
export class Straight {
  readonly #pit: PitHome;

  #client: { readonly home: string; readonly exchange: ExchangeClient } | undefined;

  constructor(pit: PitHome) {
    this.#pit = pit;
  }

  /** The id of an order that is taken. */
  async place({ market = 'btc_usdt', side, price, amount, type, clientId }: Terms): Promise<string> {
    const response = await this.#finish(
      this.client.api.write('order', orderParameters({ market, side, price, amount, clientId, type })),
    );
    if (response.kind !== 'done') throw new Error(`not placed: ${JSON.stringify(response)}`);
    return response.value.id;
  }

  order(id: string, market = 'btc_usdt'): Promise<Order> {
    return this.#finish(this.client.getOrder(market, { id }));
  }

  /** The ids of the open orders among the latest of both sides. */
  async open(market = 'btc_usdt'): Promise<string[]> {
    const pages = (['buy', 'sell'] as const).map((side) => this.client.orderPage(market, side, 1).catch(() => []));
    const lists = await this.#finish(Promise.all(pages));
    return lists.flat().flatMap((record) => (record.state === 'open' ? record.id : []));
  }

  async best(market = 'btc_usdt'): Promise<{ readonly bid: string; readonly ask: string }> {
    const { bid, ask } = await this.#finish(this.client.ticker({ market }));
    return { bid: bid ?? '', ask: ask ?? '' };
  }

  /** A price between bid and ask, a tick above the bid: the best of its side. */
  async inside(market?: string): Promise<string> {
    const { bid } = await this.best(market);
    return (BigInt(bid.replace('.', '')) + 1n).toString().replace(/(..)$/, '.$1');
  }

  /** Takes back the faults and the open orders that a test has left. */
  async tidy(market = 'btc_usdt'): Promise<void> {
    await this.administer('POST /faults/clear');
    for (const id of await this.open(market))
      await this.#finish(this.client.api.write('cancelOrder', { currency: market, id }));
  }

  /** A call of the administration, such as `POST /faults/add`. */
  administer(call: AdminCallName, input: object = {}): Promise<unknown> {
    return this.#pit.administer(call, input);
  }

  /** Advances the exchange's clock, also one that is stopped. */
  async advance(ms: number): Promise<void> {
    await this.administer('POST /clock/advance', { ms });
  }

  /** Adds a fault to the next requests of an operation, or to all without a count. */
  async fault(kind: string, operation: string, more: object = {}): Promise<void> {
    await this.administer('POST /faults/add', { kind, operation, ...more });
  }

  async faultsApplied(): Promise<number> {
    const rules = (await this.administer('GET /faults')) as { readonly applied: number }[];
    return rules.reduce((sum, { applied }) => sum + applied, 0);
  }

  /** Resolves once a fault was applied. */
  untilFault(): Promise<void> {
    return eventually(async () => expect(await this.faultsApplied()).toBeGreaterThan(0));
  }

  #finish<Result>(work: Promise<Result>): Promise<Result> {
    return this.#pit.finish(work);
  }

  get client(): ExchangeClient {
    const { home } = this.#pit;
    // each test may have a world of its own
    if (this.#client?.home !== home) this.#client = { home, exchange: this.#newClient() };
    return this.#client.exchange;
  }

  #newClient(): ExchangeClient {
    const { now, send } = this.#pit.link;
    const host = {
      ...fakeHost(),
      now,
      monotonic: () => performance.now(),
      sleep: (ms: number) => new Promise<void>((end) => setTimeout(end, ms)),
    };
    const { baseUrl, tradeUrl, accessKey, secretKey } = this.#pit.served.address;
    return new ExchangeClient({
      host,
      hosts: { baseUrl, tradeUrl },
      ...(send && { send }),
      credentials: () => ({ accessKey, secretKey }),
      budget: new TimeBudget(3_600_000, now),
    });
  }
}
