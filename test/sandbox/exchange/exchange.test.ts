import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { Store } from '../../../src/sandbox/store/store.js';
import { Table } from '../../../src/sandbox/store/table.js';
import { ExchangeFixture, START, TESTER, temporaryDirectory } from '../support/exchange-fixture.js';

const BTC = 'btc_usdt';
const far = { market: BTC, side: 'buy', type: 'limit', price: '20000', amount: '0.01' } as const;

test('a new exchange has markets with depth, spread, trades and a ticker that agree', async () => {
  const { exchange } = await ExchangeFixture.open();
  expect([...exchange.markets.keys()]).toEqual([
    'btc_usdt',
    'eth_usdt',
    'bch_usdt',
    'ltc_usdt',
    'eos_usdt',
    'xrp_usdt',
    'eth_btc',
    'xrp_eth',
  ]);
  for (const market of exchange.markets.keys()) {
    const { bids, asks } = exchange.market.depth(market, { size: 1_000 });
    const least = market === BTC ? 60 : 50;
    expect(Math.min(bids.length, asks.length), market).toBeGreaterThanOrEqual(least);
    const ticker = exchange.market.ticker(market);
    expect([bids[0]?.[0], asks[0]?.[0]]).toEqual([ticker.bid, ticker.ask]);
    expect(Number(ticker.bid)).toBeLessThan(Number(ticker.ask));
    expect(exchange.market.trades(market).at(-1)?.price).toBe(ticker.last);
    expect(exchange.market.candles(market, '1min', { size: 1 })[0]?.close).toBe(ticker.last);
  }
});

test('after every step the books are uncrossed and deep, with sizeable best quotes', async () => {
  const clocked = await ExchangeFixture.open();
  const { exchange } = clocked;
  const wrong: unknown[] = [];
  for (let step = 0; step < 200; step += 1) {
    clocked.pass(500);
    for (const market of exchange.markets.keys()) {
      const { bids, asks } = exchange.market.depth(market, { size: 1_000 });
      const isDeep = Math.min(bids.length, asks.length) >= (market === BTC ? 60 : 50);
      const isUncrossed = Number(bids[0]?.[0]) < Number(asks[0]?.[0]);
      const isSizeable = market !== BTC || Math.min(Number(bids[0]?.[1]), Number(asks[0]?.[1])) > 0.01;
      if (!isDeep || !isUncrossed || !isSizeable) wrong.push({ step, market, bids, asks });
    }
  }
  expect(wrong).toEqual([]);
});

test('prices are consistent: eth_btc is eth_usdt over btc_usdt, and the spread of btc_usdt is below a dollar', async () => {
  const { exchange } = await ExchangeFixture.open();
  const mid = (market: string) =>
    (Number(exchange.market.ticker(market).bid) + Number(exchange.market.ticker(market).ask)) / 2;
  expect(mid('eth_btc') / (mid('eth_usdt') / mid(BTC))).toBeCloseTo(1, 3);
  expect(mid('xrp_eth') / (mid('xrp_usdt') / mid('eth_usdt'))).toBeCloseTo(1, 3);
  const { bid, ask } = exchange.market.ticker(BTC);
  expect(Number(ask) - Number(bid)).toBeLessThan(1);
});

test('the history of eth_btc is that of eth_usdt over btc_usdt', async () => {
  const { exchange } = await ExchangeFixture.open();
  const closes = (market: string) =>
    exchange.market.candles(market, '1hour', { size: 300 }).map(({ close }) => Number(close));
  const [cross, eth, btc] = ['eth_btc', 'eth_usdt', BTC].map(closes);
  for (const [index, close] of cross?.slice(0, -1).entries() ?? []) {
    expect(Math.abs(close - (eth?.[index] ?? 0) / (btc?.[index] ?? 1))).toBeLessThan(2e-6);
  }
});

test('levels are merged outwards: bids down, asks up', async () => {
  const { exchange } = await ExchangeFixture.open();
  const all = exchange.market.depth(BTC, { size: 1_000 });
  const { bids, asks } = exchange.market.depth(BTC, { size: 5, merge: '10' });
  expect([bids.length, asks.length]).toEqual([5, 5]);
  for (const [price, amount] of bids) {
    const within = all.bids.filter(([level]) => Math.floor(Number(level) / 10) * 10 === Number(price));
    expect(within.reduce((sum, [, more]) => sum + Math.round(Number(more) * 1e6), 0)).toBe(
      Math.round(Number(amount) * 1e6),
    );
  }
  expect(Number(asks[0]?.[0])).toBe(Math.ceil(Number(all.asks[0]?.[0]) / 10) * 10);
  expect(() => exchange.market.depth(BTC, { size: 5, merge: '0.001' })).toThrow(
    'a parameter is missing or not valid: merge 0.001 is no multiple of 0.01, the tick of btc_usdt',
  );
});

test('trades after an id come fifty at a time, without omissions', async () => {
  const clocked = await ExchangeFixture.open();
  // most of it at once, in coarse steps
  clocked.pass(60 * 60_000);
  const { exchange } = clocked;
  await exchange.durable();
  clocked.pass(30_000);
  const seen: string[] = [];
  for (
    let page = exchange.market.trades(BTC, '0');
    page.length > 0;
    page = exchange.market.trades(BTC, page.at(-1)?.id)
  ) {
    expect(page.length).toBeLessThanOrEqual(50);
    seen.push(...page.map(({ id }) => id));
  }
  expect(seen).toEqual([...new Set(seen)].sort());
  expect(seen.slice(-50)).toEqual(exchange.market.trades(BTC).map(({ id }) => id));
  const volume = exchange.market.candles(BTC, '1day', { size: 1 })[0]?.volume;
  expect(seen.length).toBeGreaterThan(200);
  expect(Number(volume)).toBeGreaterThan(0);
  expect(() => exchange.market.trades(BTC, 'x')).toThrow('since');
});

test('the ticker is right even if it was read before due events happened', async () => {
  const clocked = await ExchangeFixture.open();
  const { exchange } = clocked;
  clocked.clock.time += 5 * 60_000;
  exchange.market.ticker(BTC);
  exchange.advance();
  const minutes = exchange.market.candles(BTC, '1min', { size: 1_440 });
  const { high, low, volume, open } = exchange.market.ticker(BTC);
  expect([high, low, open]).toEqual([
    minutes
      .map((row) => row.high)
      .sort()
      .at(-1),
    minutes.map((row) => row.low).sort()[0],
    minutes[0]?.open,
  ]);
  expect(whole(volume)).toBe(minutes.reduce((sum, row) => sum + whole(row.volume), 0n));
});

const whole = (text: string) => BigInt(text.replace('.', ''));

describe('orders', () => {
  test('an order at the best ask is filled at once and paid exactly', async () => {
    const { exchange, account } = await ExchangeFixture.open();
    const { ask } = exchange.market.ticker(BTC);
    const id = exchange.orders.place(account, { market: BTC, side: 'buy', type: 'limit', price: ask, amount: '0.01' });
    expect(id).toMatch(/^20240315\d{10}$/);
    const order = exchange.orders.order(account, BTC, { id });
    const value = (BigInt(ask.replace('.', '')) * 10_000n).toString().padStart(9, '0');
    expect(order).toMatchObject({ state: 'filled', filled: '0.010000', fee: '0.00002000' });
    expect(order.filledValue).toBe(`${value.slice(0, -8)}.${value.slice(-8)}`);
    const left = 250_000n * 10n ** 8n - BigInt(value);
    expect(exchange.funds.balances(account)).toContainEqual({
      coin: 'btc',
      available: '5.00998000',
      frozen: '0.00000000',
    });
    expect(exchange.funds.balances(account)).toContainEqual({
      coin: 'usdt',
      available: `${left / 10n ** 8n}.${String(left % 10n ** 8n).padStart(8, '0')}`,
      frozen: '0.00000000',
    });
    expect(exchange.market.trades(BTC).at(-1)).toMatchObject({ price: ask, amount: '0.010000', side: 'buy' });
    expect(exchange.market.ticker(BTC).last).toBe(ask);
  });

  test('rest, are found by id and client id, and are cancelled once', async () => {
    const { exchange, account } = await ExchangeFixture.open();
    const id = exchange.orders.place(account, { ...far, clientId: 'mine1' });
    const open = exchange.orders.order(account, BTC, { clientId: 'mine1' });
    expect(open).toEqual({
      ...{ id, clientId: 'mine1', accountType: 'spot', market: BTC, side: 'buy', type: 'limit', price: '20000.00' },
      ...{ amount: '0.010000', filled: '0.000000', filledValue: '0.00000000', fee: '0.00000000' },
      ...{ time: open.time, lastTrade: null, state: 'open' },
    });
    expect(exchange.status().orders).toBe(1);
    expect(exchange.orders.cancel(account, BTC, { clientId: 'mine1' }).state).toBe('cancelled');
    expect(() => exchange.orders.cancel(account, BTC, { id })).toThrow('already');
    expect(() => exchange.orders.cancel(account, BTC, { id: '12' })).toThrow('not found');
    expect(() => exchange.orders.cancel(account, 'eth_usdt', { id })).toThrow('not found');
    expect(exchange.orders.order(account, BTC, { id }).state).toBe('cancelled');
    expect(exchange.status().orders).toBe(0);
  });

  test('the newest order with a client id hides the earlier ones', async () => {
    const { exchange, account } = await ExchangeFixture.open();
    exchange.orders.place(account, { ...far, clientId: 'twice' });
    const second = exchange.orders.place(account, { ...far, clientId: 'twice', price: '20001' });
    expect(exchange.orders.order(account, BTC, { clientId: 'twice' }).id).toBe(second);
    await exchange.durable();
    expect(exchange.orders.cancel(account, BTC, { clientId: 'twice' }).id).toBe(second);
    expect(() => exchange.orders.cancel(account, BTC, { clientId: 'twice' })).toThrow('already');
  });

  test('lists orders newest first, by side, in pages, whether on disk or not', async () => {
    const { exchange, account } = await ExchangeFixture.open();
    const place = (index: number) => {
      const sell = index % 3 === 0;
      return exchange.orders.place(account, { ...far, side: sell ? 'sell' : 'buy', price: sell ? '60000' : '20000' });
    };
    const ids: string[] = [];
    for (let index = 0; index < 25; index += 1) {
      ids.unshift(place(index));
      if (index === 15) await exchange.durable();
    }
    const list = (query: { list?: 'buy' | 'sell'; page: number; pageSize: number }) =>
      exchange.orders.list(account, BTC, query).map(({ id }) => id);
    expect(list({ page: 1, pageSize: 50 })).toEqual(ids);
    expect(list({ page: 2, pageSize: 10 })).toEqual(ids.slice(10, 20));
    expect(list({ list: 'sell', page: 1, pageSize: 10 })).toEqual(ids.filter((_, index) => (24 - index) % 3 === 0));
    expect(list({ page: 4, pageSize: 10 })).toEqual([]);
    expect(new Set(ids).size).toBe(25);
  });

  test.each([
    [{ price: '0' }, 3002],
    [{ price: '-1' }, 3002],
    [{ price: 'abc' }, 3002],
    [{ price: '20000.001' }, 3002],
    [{ side: 'sell', price: '1e9999' }, 3002],
    [{ amount: '1e-9999' }, 3003],
    [{ amount: '0' }, 3003],
    [{ amount: '0.0000001' }, 3003],
    [{ amount: '0.00009' }, 3003],
    [{ price: '0.01' }, 3003],
    [{ amount: '1000' }, 2009],
    [{ side: 'sell', price: '40000', amount: '6' }, 2009],
    [{ type: 'postOnly', price: '90000' }, 3002],
    [{ market: 'doge_usdt' }, 1001],
  ] as const)('refuses an order that breaks a rule: %j', async (change, code) => {
    const { exchange, account } = await ExchangeFixture.open();
    const before = exchange.funds.balances(account);
    expect(() => exchange.orders.place(account, { ...far, ...change })).toThrow(expect.objectContaining({ code }));
    expect(exchange.funds.balances(account)).toEqual(before);
  });

  test('trailing zeros and exponents make the same numbers', async () => {
    const { exchange, account } = await ExchangeFixture.open();
    const id = exchange.orders.place(account, { ...far, price: '2e4', amount: '0.0100000000' });
    expect(exchange.orders.order(account, BTC, { id })).toMatchObject({ price: '20000.00', amount: '0.010000' });
  });

  test('fills resting orders when the price reaches them', async () => {
    const test = await ExchangeFixture.open();
    const { exchange, account } = test;
    const market = exchange.markets.get(BTC);
    if (market === undefined) throw new Error('no market');
    const { bid, ask } = exchange.market.ticker(BTC);
    const buy = exchange.orders.place(account, { ...far, price: (Number(bid) - 2).toFixed(2) });
    const sell = exchange.orders.place(account, { ...far, side: 'sell', price: (Number(ask) + 2).toFixed(2) });
    const state = (id: string) => exchange.orders.order(account, BTC, { id }).state;
    for (const [id, price] of [
      [buy, Number(bid) - 20],
      [sell, Number(ask) + 20],
    ] as const) {
      expect(state(id)).toBe('open');
      exchange.movePrice(market, price.toFixed(2), 5_000);
      test.pass(10_000);
      expect(state(id)).toBe('filled');
    }
  });

  test('orders far larger than the book are filled step by step', async () => {
    const test = await ExchangeFixture.open();
    const { exchange, account } = test;
    const price = (Number(exchange.market.ticker(BTC).bid) * 0.99).toFixed(2);
    const id = exchange.orders.place(account, { ...far, side: 'sell', price, amount: '5' });
    const first = exchange.orders.order(account, BTC, { id });
    test.pass(60_000);
    expect(exchange.orders.order(account, BTC, { id }).state).toBe('filled');
    expect(Number(first.filled)).toBeGreaterThan(0);
  });
});

test('a directory keeps its first keys and seed', async () => {
  const first = await ExchangeFixture.open();
  const options = { directory: first.directory, seed: 8, now: () => first.clock.time };
  await first.exchange.close();
  const second = await SandboxExchange.open({ ...options, firstAccount: { ...TESTER, accessKey: 'other' } });
  expect(second.customers.all()).toMatchObject([TESTER]);
  expect(second.state.genesis.seed).toBe(7);
  await second.close();
});

test('data that another version wrote are refused, and stay as they are', async () => {
  const { directory, exchange } = await ExchangeFixture.open();
  await exchange.close();
  writeFileSync(path.join(directory, 'format'), '99\n');
  for (const _ of [1, 2])
    await expect(ExchangeFixture.open({ directory })).rejects.toThrow('another version of pit wrote it');
});

test.each(['cut to nothing', 'removed'])('a store whose file was %s is not taken for a new one', async (what) => {
  const { directory, exchange } = await ExchangeFixture.open();
  await exchange.close();
  const file = path.join(directory, 'exchange.mdb');
  if (what === 'removed') rmSync(file);
  else truncateSync(file);
  await expect(ExchangeFixture.open({ directory })).rejects.toThrow(`${file} is empty`);
});

test.each([
  [-30786, 'UnreadableStore', 'damaged'],
  [28, 'NotWritten', 'the disk is full'],
  [24, 'NotWritten', 'from LMDB'],
])(
  'a store that takes no changes at its start, with the code %i of LMDB, is reported as %s',
  async (code, name, reason) => {
    const { directory, exchange } = await ExchangeFixture.open();
    await exchange.close();
    const write = vi.spyOn(Table.prototype, 'write').mockImplementation(() => {
      throw Object.assign(new Error('from LMDB'), { code });
    });
    onTestFinished(() => write.mockRestore());
    const opened = ExchangeFixture.open({ directory, time: START + 60_000 });
    await expect(opened).rejects.toMatchObject({ name, message: expect.stringContaining(reason) });
  },
);

test('a store that was killed before its first commit is a new one', async () => {
  const directory = temporaryDirectory();
  await Store.open(directory).close();
  await (await ExchangeFixture.open({ directory })).exchange.close();
});
