import { describe, expect, it, onTestFinished } from 'vitest';
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
