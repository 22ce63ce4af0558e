import { expect, test } from 'vitest';
import { ExchangeFixture } from '../support/exchange-fixture.js';

const BTC = 'btc_usdt';

test('moves coins between spot and margin wallets within the leverage, also after a restart', async () => {
  const clocked = await ExchangeFixture.open();
  const { exchange, account } = clocked;
  const spot = (coin: string) => exchange.funds.balances(account).find((row) => row.coin === coin)?.available;
  expect(exchange.margin.balances(account)).toEqual([]);
  exchange.margin.transferIn(account, { kind: 'isolated', market: BTC, coin: 'usdt', amount: '1000' });
  exchange.margin.transferIn(account, { kind: 'cross', coin: 'btc', amount: '0.5' });
  expect([spot('usdt'), spot('btc')]).toEqual(['249000.00000000', '4.50000000']);
  const isolated = { kind: 'isolated', market: BTC } as const;
  expect(exchange.margin.balances(account)).toEqual([
    { ...isolated, coin: 'usdt', available: '1000.00000000', frozen: '0.00000000', borrowed: '0.00000000' },
    {
      ...{ kind: 'cross', market: null, coin: 'btc' },
      ...{ available: '0.50000000', frozen: '0.00000000', borrowed: '0.00000000' },
    },
  ]);
  const order = {
    market: BTC,
    side: 'buy',
    type: 'limit',
    price: '20000',
    amount: '0.2',
    accountType: 'isolated',
  } as const;
  const id = exchange.orders.place(account, { ...order, borrow: true });
  expect(exchange.orders.order(account, BTC, { id })).toMatchObject({ accountType: 'isolated', state: 'open' });
  expect(exchange.margin.balances(account)[0]).toEqual({
    ...{ ...isolated, coin: 'usdt', available: '0.00000000', frozen: '4000.00000000', borrowed: '3000.00000000' },
  });
  expect(() => exchange.orders.place(account, { ...order, amount: '0.1', borrow: true })).toThrow('leverage');
  expect(() => exchange.margin.transferOut(account, { ...isolated, coin: 'usdt', amount: '1' })).toThrow(
    'not sufficient',
  );
  exchange.orders.cancel(account, BTC, { id });
  // 1000 own and 3000 borrowed: 250 may leave, for 3750 is five times 750
  const back = (amount: string) => exchange.margin.transferOut(account, { ...isolated, coin: 'usdt', amount });
  expect(() => back('250.00000001')).toThrow(expect.objectContaining({ code: 2009, reason: 'beyondLeverage' }));
  back('250');
  expect(spot('usdt')).toBe('249250.00000000');
  const shown = exchange.margin.balances(account);
  await exchange.close();
  const again = await ExchangeFixture.open({ directory: clocked.directory, time: clocked.clock.time });
  expect(again.exchange.margin.balances(again.account)).toEqual(shown);
});

test.each([
  [{ kind: 'isolated', coin: 'usdt', amount: '1' }, 1001],
  [{ kind: 'isolated', market: 'doge_usdt', coin: 'usdt', amount: '1' }, 1001],
  [{ kind: 'isolated', market: BTC, coin: 'eth', amount: '1' }, 3005],
  [{ kind: 'cross', coin: 'doge', amount: '1' }, 3005],
  [{ kind: 'cross', coin: 'btc', amount: 'x' }, 3003],
  [{ kind: 'cross', coin: 'btc', amount: '0.000000001' }, 3003],
  [{ kind: 'cross', coin: 'btc', amount: '6' }, 2009],
] as const)('an impossible move between wallets is refused: %j', async (move, code) => {
  const { exchange, account } = await ExchangeFixture.open();
  expect(() => exchange.margin.transferIn(account, move)).toThrow(expect.objectContaining({ code }));
  expect(exchange.margin.balances(account)).toEqual([]);
});

test('opens, closes and repays a long and a short position on cross margin', async () => {
  const { exchange, account } = await ExchangeFixture.open();
  exchange.margin.transferIn(account, { kind: 'cross', coin: 'usdt', amount: '1000' });
  const { ask, bid } = exchange.market.ticker(BTC);
  const [up, down] = [(Number(ask) * 1.02).toFixed(2), (Number(bid) * 0.98).toFixed(2)];
  const terms = { market: BTC, type: 'ioc', accountType: 'cross' } as const;
  const short = { ...terms, side: 'sell', price: down, amount: '0.02', borrow: true } as const;
  const id = exchange.orders.place(account, short);
  expect(exchange.orders.order(account, BTC, { id })).toMatchObject({ state: 'filled', filled: '0.020000' });
  const owed = () => exchange.margin.balances(account).map(({ coin, borrowed }) => `${coin} ${borrowed}`);
  expect(owed()).toEqual(['btc 0.02000000', 'usdt 0.00000000']);
  exchange.orders.place(account, { ...terms, side: 'buy', price: up, amount: '0.021', repay: true });
  expect(owed()).toEqual(['btc 0.00000000', 'usdt 0.00000000']);
});
