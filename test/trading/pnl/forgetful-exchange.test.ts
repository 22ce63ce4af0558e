import { beforeEach, describe, expect, it } from 'vitest';
import { drawnAccount } from './drawn-account.js';
import { accountWith, DAY_MS, ForgetfulAccount } from './forgetful-account.js';

describe('an exchange that lists bills and orders of 90 days', () => {
  it('takes no earlier year away when a bill of today comes late', async () => {
    const account = new ForgetfulAccount();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 100);
    account.trade('sell', 'btc_usdt', 1_090);
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], bills: 5 });
    account.now += 300 * DAY_MS;
    account.trade('buy', 'btc_usdt', 500);
    account.late.add('7');
    expect(await account.read()).toMatchObject({ orders: expect.arrayContaining(['1', '2']), bills: 6 });
    account.late.clear();
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3'], bills: 7 });
  });

  it('takes nothing away from an account that was idle for longer', async () => {
    const account = new ForgetfulAccount();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 100);
    await account.read();
    account.now += 300 * DAY_MS;
    expect(await account.read()).toMatchObject({ orders: ['1'], bills: 3 });
    account.trade('sell', 'btc_usdt', 200);
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], bills: 5 });
  });
});

describe('an exchange that lists bills minutes after newer ones', () => {
  let account: ForgetfulAccount;

  beforeEach(async () => {
    account = new ForgetfulAccount('apart');
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 80);
    account.now += DAY_MS;
    await account.read();
  });

  it('has an unexplained difference until it is read whole once more an hour later', async () => {
    account.trade('buy', 'eth_usdt', 40);
    for (const { id } of account.bills.slice(-3)) account.late.add(id);
    account.now -= DAY_MS - 30_000;
    account.trade('sell', 'btc_usdt', 96);
    account.now += 70_000;
    expect(await account.read()).toMatchObject({ bills: 7, unexplained: ['eth', 'usdt'] });
    account.late.clear();
    account.now += 3_600_000;
    expect(await account.read()).toMatchObject({ bills: 10, unexplained: [] });
  });

  it('is read whole only once more if that explains nothing', async () => {
    account.placeOnMargin('buy', 'btc_usdt', 40);
    account.fillNewest();
    await account.listOrders('btc_usdt');
    const pages: number[] = [];
    for (const laterMs of [0, 60_000, 3_600_000, 3_600_000]) {
      account.now += laterMs;
      await account.read();
      pages.push(account.asked.length);
    }
    const [twice, once] = pages;
    expect(pages).toEqual([twice, once, twice, once]);
    expect(twice).toBeGreaterThan(once ?? 0);
  });
});

describe('an exchange that has closed a market', () => {
  it('takes no trade away that was read before', async () => {
    const account = new ForgetfulAccount();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'eth_usdt', 100);
    account.now += DAY_MS;
    await account.read();
    account.markets = ['btc_usdt'];
    account.trade('buy', 'btc_usdt', 500);
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], asked: ['btc_usdt'] });
  });
});

describe('the orders of a market without bills', () => {
  const account = new ForgetfulAccount();
  account.deposit('usdt', 10_000);
  account.trade('buy', 'btc_usdt', 100);
  account.now += 300 * DAY_MS;
  account.trade('sell', 'btc_usdt', 150);

  it('are asked for if the market was named', async () => {
    const { asked } = await account.read({ markets: ['eth_usdt'] });
    expect(asked).toContain('eth_usdt');
  });

  it('are asked for if the account has its coins', async () => {
    const other = new ForgetfulAccount();
    other.deposit('usdt', 1);
    expect((await other.read()).asked).toEqual([]);
    expect((await other.read({ account: accountWith({ eth: 1, usdt: 1 }) })).asked).toEqual(['eth_usdt']);
  });

  it('are asked for once if the account had coins before its first bill', async () => {
    const other = new ForgetfulAccount();
    other.deposit('usdt', 10_000);
    other.now += 300 * DAY_MS;
    other.trade('buy', 'btc_usdt', 100);
    expect((await other.read()).asked).toEqual(['btc_usdt', 'eth_usdt']);
    other.now += DAY_MS;
    expect((await other.read()).asked).not.toContain('eth_usdt');
  });
});

it('loses nothing that was read once, whatever comes late, is forgotten, and however fees are booked', async () => {
  for (let seed = 1; seed <= 10; seed += 1) await drawnAccount(seed);
});
