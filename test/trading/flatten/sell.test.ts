import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Market } from '../../../src/domain/market.js';
import type { Order } from '../../../src/domain/order.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { MAX_SALES, sell } from '../../../src/trading/flatten/flatten.js';
import { guardLimits } from '../../../src/trading/guards/limits.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import { FakeExchange } from '../../support/fake-exchange.js';
import { fakeHost } from '../../support/fake-host.js';
import { temporaryState } from '../support/trading.js';

const BTC_USDT: Market = {
  ...{ market: 'btc_usdt', base: 'btc', quote: 'usdt', priceScale: 2, amountScale: 6, tickSize: '0.01' },
  ...{ lotSize: '0.000001', minAmount: '0.0001', minNotional: '5' },
};

/** An account that sells btc to one bid, which is there again after each order. */
class OneBid extends FakeExchange {
  readonly #held: string;
  readonly #bid: string;

  sold = Decimal.zero;
  readonly #filled = new Map<string, string>();

  constructor(held: string, bid: string) {
    super({ markets: [BTC_USDT] });
    this.#held = held;
    this.#bid = bid;
  }

  override async account() {
    const available = Decimal.of(this.#held).minus(this.sold).toString();
    return { coins: [{ coin: 'btc', available, frozen: '0' }] } as unknown as Awaited<ReturnType<Exchange['account']>>;
  }

  override readonly depth = async () => ({
    time: this.now(),
    bids: [{ price: '100.00', amount: this.#bid }],
    asks: [],
  });

  override async placeOrder(terms: Parameters<Exchange['placeOrder']>[0], clientId: string) {
    const response = await super.placeOrder(terms, clientId);
    if (response.kind !== 'done') return response;
    const filled = [terms.amount, this.#bid].sort((one, other) => Decimal.of(one).compare(Decimal.of(other)))[0] ?? '0';
    this.#filled.set(response.value.id, filled);
    this.sold = this.sold.plus(Decimal.of(filled));
    return response;
  }

  override async orders(market: string, side: Order['side']) {
    const list = await super.orders(market, side);
    const filledOf = ({ id }: Order) => this.#filled.get(id) ?? '0';
    return {
      ...list,
      orders: list.orders.map((order) => ({ ...order, filled: filledOf(order), state: 'filled' as const })),
    };
  }
}

function selling(client: OneBid, budgetMs = 30_000, isChosen = false) {
  const host = fakeHost();
  const budget = new TimeBudget(budgetMs, host.monotonic, isChosen);
  const journal = new Journal(host, temporaryState(), 'test');
  const trading = {
    ...{ host, client, journal, budget, requestLifetimeMs: 60_000 },
    ...{
      reportProgress: () => {},
      warn: () => {},
      reportDuplicateOrders: () => {},
      reportDuplicateWithdrawals: () => {},
    },
  };
  const sale = { coin: 'btc', sale: { market: BTC_USDT, bid: Decimal.of('100'), floor: null } };
  const stopping = new AbortController();
  const run = (onSlice = () => {}) => sell(trading, sale, guardLimits({}), { signal: stopping.signal, onSlice });
  return { host, run, stop: () => stopping.abort() };
}

describe('the sale of a coin', () => {
  it('ends when everything is sold', async () => {
    const client = new OneBid('7', '3');
    const { left, slices } = await selling(client).run();
    expect([left, slices.length, client.sold.toString()]).toEqual([null, 3, '7']);
  });

  it('gives up where the bids take so little at a time that it would need thousands of orders, and says so', async () => {
    const client = new OneBid('10000', '3');
    const { left, slices } = await selling(client).run();
    expect(left).toMatch(/^the bids take about 3(\.0+)? at a time, so the rest would need 3,3\d\d more orders$/);
    expect(slices.length).toBeLessThan(MAX_SALES);
    expect(client.sold.toString()).toBe(String(3 * slices.length));
  });

  it('goes on with many orders if they come to an end', async () => {
    const client = new OneBid('90', '3');
    expect(await selling(client).run()).toMatchObject({ left: null, unknown: null });
    expect(client.sold.toString()).toBe('90');
  });

  it('stops before the next order once it is aborted, with what was sold', async () => {
    const client = new OneBid('90', '3');
    let sold = 0;
    const { run, stop } = selling(client);
    const { left, slices } = await run(() => {
      sold += 1;
      if (sold === 2) stop();
    });
    expect([left, slices.length]).toEqual(['it was interrupted', 2]);
  });

  it('ends with the time of --timeout and keeps what was sold', async () => {
    const client = new OneBid('90', '3');
    const { host, run } = selling(client, 10_000, true);
    const { left, slices } = await run(() => void host.sleep(3_000));
    expect(left).toBe('the time of the command is over');
    expect(slices.length).toBeGreaterThan(0);
  });
});
