import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { MAX_SALES, sell } from '../../../src/trading/flatten/sell.js';
import { guardLimits } from '../../../src/trading/guards/limits.js';
import { BTC_USDT, ScriptedExchange } from '../../support/scripted-exchange.js';
import { accountWith } from '../pnl/forgetful-account.js';
import { tradingOf } from '../support/trading.js';

/** A market where btc is sold in parts of 0.000001. */
const MARKET = { ...BTC_USDT, amountScale: 6, lotSize: '0.000001', minAmount: '0.0001' };

/** An account that sells btc to one bid, which is there again after each order. */
function oneBid(held: string, bid: string): ScriptedExchange {
  const exchange = new ScriptedExchange({
    markets: [MARKET],
    books: { btc_usdt: { bids: [{ price: '100.00', amount: bid }], asks: [] } },
    account: accountWith({ btc: held }),
  });
  exchange.usually = {
    answer: (given) => {
      const order = exchange.has.orders.at(-1);
      const [filled = '0'] = [order?.amount ?? '0', bid].sort((one, other) =>
        Decimal.of(one).compare(Decimal.of(other)),
      );
      Object.assign(order ?? {}, { filled, state: 'filled' });
      exchange.has.account = accountWith({ btc: Decimal.of(held).minus(sold(exchange)).toString() });
      return given;
    },
  };
  return exchange;
}

/** How much its orders have filled. */
function sold({ has }: ScriptedExchange): Decimal {
  return has.orders.reduce((sum, { filled }) => sum.plus(Decimal.of(filled)), Decimal.zero);
}

function selling(exchange: ScriptedExchange, budgetMs = 30_000, isChosen = false) {
  const trading = tradingOf(exchange, { budgetMs, isChosen });
  const sale = { coin: 'btc', sale: { market: MARKET, bid: Decimal.of('100'), floor: null } };
  const stopping = new AbortController();
  const run = (onSlice = () => {}) => sell(trading, sale, guardLimits({}), { signal: stopping.signal, onSlice });
  return { host: trading.host, run, stop: () => stopping.abort() };
}

describe('the sale of a coin', () => {
  it('ends when everything is sold', async () => {
    const exchange = oneBid('7', '3');
    const { left, slices } = await selling(exchange).run();
    expect([left, slices.length, sold(exchange).toString()]).toEqual([null, 3, '7']);
  });

  it('gives up where the bids take so little at a time that it would need thousands of orders, and says so', async () => {
    const exchange = oneBid('10000', '3');
    const { left, slices } = await selling(exchange).run();
    expect(left).toMatch(/^the bids take about 3(\.0+)? at a time, so the rest would need 3,3\d\d more orders$/);
    expect(slices.length).toBeLessThan(MAX_SALES);
    expect(sold(exchange).toString()).toBe(String(3 * slices.length));
  });

  it('goes on with many orders if they come to an end', async () => {
    const exchange = oneBid('90', '3');
    expect(await selling(exchange).run()).toMatchObject({ left: null, unknown: null });
    expect(sold(exchange).toString()).toBe('90');
  });

  it('stops before the next order once it is aborted, with what was sold', async () => {
    const exchange = oneBid('90', '3');
    let sold = 0;
    const { run, stop } = selling(exchange);
    const { left, slices } = await run(() => {
      sold += 1;
      if (sold === 2) stop();
    });
    expect([left, slices.length]).toEqual(['it was interrupted', 2]);
  });

  it('ends with the time of --timeout and keeps what was sold', async () => {
    const exchange = oneBid('90', '3');
    const { host, run } = selling(exchange, 10_000, true);
    const { left, slices } = await run(() => void host.sleep(3_000));
    expect(left).toBe('the time of the command is over');
    expect(slices.length).toBeGreaterThan(0);
  });
});
