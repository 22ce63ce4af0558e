import { describe, expect, it } from 'vitest';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import { type Balance, place, same, sum } from '../order/order-rows.js';
import { COUNT, DECIMAL, FLAG, TEXT, useWorld } from '../pit-home.js';

const pit = useWorld({ markets: DEEP_MARKETS });

interface Account {
  readonly coins: readonly Balance[];
}

const BALANCE = {
  coin: TEXT,
  name: TEXT,
  available: DECIMAL,
  frozen: DECIMAL,
  total: DECIMAL,
  canDeposit: FLAG,
  canWithdraw: FLAG,
  canLoan: FLAG,
  value: null,
};

describe('pit account', () => {
  it("shows the user, the key's permissions and every field of every coin", async () => {
    const account = await pit.json<Account>('account');
    expect(account).toStrictEqual({
      unknown: [],
      halted: false,
      username: TEXT,
      tradePassword: FLAG,
      googleAuth: FLAG,
      mobileAuth: FLAG,
      permissions: { asset: FLAG, lever: FLAG, entrust: FLAG, money: FLAG },
      coins: account.coins.map(() => ({
        ...BALANCE,
        ...{
          key: TEXT,
          enName: TEXT,
          cnName: TEXT,
          showName: TEXT,
          unitTag: TEXT,
          unitDecimal: COUNT,
          fundstype: COUNT,
        },
      })),
    });
    expect(account.coins.map(({ coin }) => coin)).toEqual(expect.arrayContaining(['btc', 'usdt']));
  });

  it('prints one CSV row per coin with dotted column names', async () => {
    const { coins } = await pit.json<Account>('account');
    const { header, rows } = await pit.csv('account');
    expect(header).toMatch(
      /^username,tradePassword,googleAuth,mobileAuth,permissions\.asset,.*,coins\.coin,coins\.name,coins\.available,/,
    );
    const coin = header.split(',').indexOf('coins.coin');
    expect(rows.map((row) => row.split(',')[coin])).toEqual(coins.map((row) => row.coin));
    for (const row of rows) expect(row).toMatch(/^sandbox,(true|false),/);
  });
});

describe('pit balance', () => {
  it('lists balances whose total is available plus frozen', async () => {
    await place(pit, 'sell ltc_usdt 3 --at 500');
    const rows = await pit.json<Balance[]>('balance');
    expect(rows).toStrictEqual(rows.map(() => ({ ...BALANCE, values: [] })));
    for (const { available, frozen, total } of rows) expect(same(total, sum(available, frozen))).toBe(true);
    expect(rows.find(({ coin }) => coin === 'ltc')).toMatchObject({ frozen: expect.stringMatching(/^3\.0+$/) });
    expect((await pit.csv('balance')).header).toBe(Object.keys(BALANCE).join(','));
  });

  it('lists only the named coins, in any case', async () => {
    const rows = await pit.json<Balance[]>('balance USDT btc');
    expect(rows.map(({ coin }) => coin).toSorted()).toEqual(['btc', 'usdt']);
    expect((await pit.failure('balance btx', 2)).hint).toContain('btc');
  });

  it('hides empty balances unless --all is given', async () => {
    const left = async () => (await pit.json<Balance[]>('balance xrp'))[0]?.total ?? '0';
    // the order may empty the near side of the book until the market simulator refills it; the price band must be overridden
    for (let sweep = 0; sweep < 20 && !same(await left(), '0'); sweep += 1)
      await place(pit, 'sell xrp_usdt 100% --at bid-20% --ioc --override price-band');
    const coins = async (words: string) => (await pit.json<Balance[]>(words)).map(({ coin }) => coin);
    expect(await coins('balance')).not.toContain('xrp');
    expect(await coins('balance --all')).toContain('xrp');
    expect(await coins('balance xrp')).toEqual(['xrp']);
  });
});
