import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ExchangeService } from '../../../src/sandbox/exchange/exchange-service.js';
import { depositCodec } from '../../../src/sandbox/funds/deposits.js';
import { withdrawalCodec } from '../../../src/sandbox/funds/withdrawals.js';
import { STORE_NAME } from '../../../src/sandbox/store/errors.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';

const WRITTEN = path.join(import.meta.dirname, 'written-by-0.2.0/exchange.mdb.br');
const ACCESS_KEY = 'd4b8ead4-ef19-47ce-967e-c03fec366f78';
const BTC = 'btc_usdt';
/** The clock was stopped here. */
const STOPPED = Date.parse('2026-11-22T13:49:44.267Z');

/** The file that pit 0.2.0 left: an open order, a filled one, a cancelled one, a loan, and four things that are still to happen. */
async function opened() {
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, STORE_NAME), brotliDecompressSync(readFileSync(WRITTEN)));
  const firstAccount = { accessKey: 'other', secretKey: 'other', safePwd: 'other', username: 'other' };
  const exchange = await ExchangeService.open({ directory, seed: 9, now: () => STOPPED + 1e9, firstAccount });
  onTestFinished(() => exchange.close());
  const account = exchange.account(ACCESS_KEY);
  if (account === undefined) throw new Error('the first account is missing');
  const orders = () => exchange.orders(account, BTC, { page: 1, pageSize: 50 });
  const coin = (name: string) => exchange.balances(account).find((balance) => balance.coin === name);
  return { exchange, account, orders, coin };
}

test('opens the data that 0.2.0 wrote with its accounts, orders, balances, loans and bills', async () => {
  const { exchange, account, orders, coin } = await opened();
  expect(exchange.status()).toMatchObject({ time: STOPPED, markets: 8, accounts: 2, orders: 2 });
  expect(orders().map(({ accountType, side, price, state }) => [accountType, side, price, state])).toEqual([
    ['isolated', 'buy', '20000.00', 'open'],
    ['spot', 'sell', '40000.00', 'cancelled'],
    ['spot', 'buy', '28083.55', 'filled'],
    ['spot', 'buy', '20000.00', 'open'],
  ]);
  expect(exchange.order(account, BTC, { clientId: 'resting1' })).toMatchObject({ amount: '0.010000', state: 'open' });
  expect(coin('btc')).toEqual({ coin: 'btc', available: '4.91996000', frozen: '0.10000000' });
  expect(exchange.margin.balances(account)).toMatchObject([
    { kind: 'isolated', market: BTC, coin: 'usdt', frozen: '2000.00000000', borrowed: '1000.00000000' },
  ]);
  const bills = exchange.funds.bills(account, { page: 1, pageSize: 50 });
  expect(bills.slice(0, 3).map(({ kind, change }) => `${kind} ${change}`)).toEqual([
    'withdrawalFee -0.00050000',
    'withdrawal -0.09950000',
    'transferOut -1000.00000000',
  ]);
});

test('continues what was pending in the data of 0.2.0: deposit, withdrawal, cancellation and price move', async () => {
  const { exchange, account, orders, coin } = await opened();
  const { clock } = exchange.admin;
  clock.set(STOPPED + 20_000);
  exchange.advance();
  expect(coin('btc')?.available).toBe('6.41996000');
  clock.set(STOPPED + 90_000);
  exchange.advance();
  expect(orders().map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'filled', 'cancelled']);
  expect(exchange.funds.withdrawals(account, 'btc', 1, 10).list[0]?.state).toBe('success');
  clock.set(STOPPED + 3_660_000);
  exchange.advance();
  expect(Number(exchange.ticker(BTC).last)).toBeGreaterThan(28_700);
});

test.each([
  [0, 'submitted'],
  [1, 'failed'],
  [2, 'success'],
  [3, 'cancelled'],
  [5, 'confirmed'],
])('reads the stored withdrawal state %i as %s and writes it back unchanged', (stored, state) => {
  const row = ['1', 'TRC20', '1000', '10', 'Tabc', 7, 8, stored, 'aa'];
  const withdrawal = withdrawalCodec.decode(row, '1/usdt');
  expect(withdrawal.state).toBe(state);
  expect(withdrawalCodec.encode(withdrawal)).toEqual(row);
});

test.each([
  [0, 'waiting'],
  [1, 'failed'],
  [2, 'success'],
])('reads the stored deposit state %i as %s and writes it back unchanged', (stored, state) => {
  const row = ['1', 'TRC20', 'Tabc', '1000', 0, 0, 'aa', 7, stored];
  const deposit = depositCodec.decode(row, '1/usdt');
  expect(deposit.state).toBe(state);
  expect(depositCodec.encode(deposit)).toEqual(row);
});
