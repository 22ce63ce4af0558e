import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OrderBook } from '../../../src/sandbox/engine/book.js';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import type { TapeEvent } from '../../../src/sandbox/replay/tape-event.js';
import { TESTER, temporaryDirectory } from '../support/exchange-fixture.js';

const START = Date.UTC(2026, 0, 1);
const RULES = {
  market: 'abc_usdt',
  base: 'abc',
  quote: 'usdt',
  priceScale: 2,
  amountScale: 1,
  minAmount: '0.1',
  minNotional: '1',
};

async function alone(directory = temporaryDirectory()) {
  const exchange = await SandboxExchange.open({
    directory,
    seed: 7,
    now: () => START,
    firstAccount: TESTER,
    replayGenesis: {
      time: START,
      emptyMarkets: ['abc_usdt'],
      markets: [{ ...RULES, name: RULES.market }],
      isAlone: true,
    },
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await exchange.close();
    isClosed = true;
  };
  onTestFinished(close);
  const account = exchange.customers.byAccessKey(TESTER.accessKey);
  if (account === undefined) throw new Error('no account');
  exchange.funds.deposit(account, { coin: 'abc', amount: '100' });
  exchange.clock.forward(exchange.clock.now() + 3_600_000);
  exchange.advance();
  return { exchange, account, close };
}

const event = { time: START + 3_600_000, market: 'abc_usdt', file: 'tape', line: 1 };
const depth = (bids: [string, string][], asks: [string, string][], date = event.time): TapeEvent => {
  const levels = (side: [string, string][]) => side.map(([price, amount]) => ({ price, amount }));
  return { ...event, kind: 'depth', date, bids: levels(bids), asks: levels(asks) };
};
const trade = (side: 'buy' | 'sell', price: string, amount: string, id = '7', date = event.time): TapeEvent => ({
  ...event,
  kind: 'trade',
  id,
  date,
  side,
  price,
  amount,
  isPast: false,
});

describe('a market that follows a tape', () => {
  it('has the recorded book, the recorded trades with their ids, and no other market beside it', async () => {
    const { exchange } = await alone();
    exchange.replay.take(
      depth(
        [
          ['10.00', '2.0'],
          ['9.99', '3.0'],
        ],
        [['10.02', '1.5']],
      ),
    );
    exchange.replay.take(trade('sell', '10.00', '0.5', '4711'));
    expect(exchange.market.depth('abc_usdt', { size: 50 })).toMatchObject({
      bids: [
        ['10.00', '2.0'],
        ['9.99', '3.0'],
      ],
      asks: [['10.02', '1.5']],
    });
    expect(exchange.market.trades('abc_usdt')).toEqual([
      { id: '4711', time: event.time, side: 'sell', price: '10.00', amount: '0.5' },
    ]);
    expect([...exchange.markets.keys()]).toEqual(['abc_usdt']);
    expect(exchange.market.ticker('abc_usdt')).toMatchObject({ bid: '10.00', ask: '10.02', last: '10.00' });
  });

  it('keeps an order, its place and the book over a restart', async () => {
    const directory = temporaryDirectory();
    const first = await alone(directory);
    first.exchange.replay.take(depth([['10.00', '2.0']], [['10.02', '1.5']]));
    const id = first.exchange.orders.place(first.account, {
      market: 'abc_usdt',
      side: 'buy',
      type: 'limit',
      price: '10',
      amount: '1',
    });
    await first.close();
    const { exchange, account } = await alone(directory);
    expect(exchange.market.depth('abc_usdt', { size: 5 })).toMatchObject({
      bids: [['10.00', '3.0']],
      asks: [['10.02', '1.5']],
    });
    exchange.replay.take(trade('sell', '10.00', '2.4'));
    expect(exchange.orders.order(account, 'abc_usdt', { id })).toMatchObject({ filled: '0.4', state: 'open' });
  });
});

describe('a book that is made up around the prices of a tape', () => {
  /** An account with money and coins, and orders of both sides at these prices. */
  async function withOrders(prices: readonly ['buy' | 'sell', string][]) {
    const { exchange, account } = await alone();
    exchange.replay.take(trade('buy', '100.00', '5.0', '1'));
    for (const [side, price] of prices)
      exchange.orders.place(account, { market: 'abc_usdt', side, type: 'limit', price, amount: '0.4' });
    return exchange;
  }

  it('is not made for each trade while an order rests that no trade reaches', async () => {
    const exchange = await withOrders([['buy', '90.00']]);
    const recorded = vi.spyOn(OrderBook.prototype, 'record');
    try {
      for (let id = 2; id < 20; id += 1) exchange.replay.take(trade('buy', `${100 + id}.00`, '5.0', String(id)));
      expect(recorded).not.toHaveBeenCalled();
    } finally {
      recorded.mockRestore();
    }
    expect(exchange.market.depth('abc_usdt', { size: 50 }).bids.map(([price]) => price)).toContain('90.00');
  });

  it.each<[string, [side: 'buy' | 'sell', price: string][], string, string]>([
    ['no order rests', [], '299.98', '300.02'],
    [
      'orders rest far away',
      [
        ['buy', '90.00'],
        ['sell', '350.00'],
      ],
      '299.98',
      '300.02',
    ],
    ['an order rests nearer than its levels', [['sell', '300.01']], '299.98', '300.01'],
    ['an order rests that was filled in part', [['sell', '299.98']], '299.96', '299.98'],
  ])('has the best prices that its levels show: %s', async (_, orders, bid, ask) => {
    const exchange = await withOrders(orders);
    exchange.replay.take(trade('buy', '300.00', '0.1', '2'));
    const best = exchange.market.best('abc_usdt');
    const { bids, asks } = exchange.market.depth('abc_usdt', { size: 5 });
    expect([best.bid?.toString(), best.ask?.toString()]).toEqual([bids[0]?.[0], asks[0]?.[0]]);
    expect([bids[0]?.[0], asks[0]?.[0]]).toEqual([bid, ask]);
  });
});
