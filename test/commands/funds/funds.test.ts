import { beforeAll, describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { product, same, sum } from '../order/order-rows.js';
import { COUNT, DECIMAL, FLAG, ID, TEXT, TIME, useWorld } from '../pit-home.js';
import { keyWith, withdraw } from './funds.js';

/** In minutes ahead of UTC: +08:00. */
const ZONE = 480;
const pit = useWorld({ markets: STILL_MARKETS, zone: ZONE });

interface Row {
  readonly id: string;
  readonly time: string;
  readonly timeRaw: string;
  readonly coin: string;
  readonly amount: string;
  readonly address: string;
  readonly hash: string | null;
  readonly state: string;
  readonly confirmations: number;
}

describe('pit deposits and pit withdrawals', () => {
  let id = '';
  beforeAll(async () => {
    await pit.done('sandbox deposit usdt 100.5 --chain TRC20');
    await pit.done('sandbox deposit usdt 7 --chain ERC20 --fail');
    id = await withdraw(pit, 'usdt', '50', '1');
  });

  it('lists every documented field, and each state by name', async () => {
    const deposits = await pit.json<Row[]>('deposits usdt');
    expect(deposits.map(({ amount }) => amount)).toEqual(['7.00000000', '100.50000000']);
    expect(deposits).toStrictEqual(
      deposits.map(() => ({
        ...{ id: ID, time: TIME, timeRaw: TEXT, coin: 'usdt', amount: DECIMAL, address: TEXT, hash: TEXT },
        ...{ confirmations: COUNT, internal: false, description: TEXT, state: 'waiting', status: 0 },
      })),
    );
    expect(await pit.json('withdrawals USDT')).toStrictEqual([
      {
        ...{
          id,
          time: TIME,
          processedTime: TIME,
          coin: 'usdt',
          amount: '50.00000000',
          fee: '1.00000000',
          address: TEXT,
        },
        ...{ hash: null, merchantOrderNo: TEXT, state: 'submitted', status: 0 },
      },
    ]);
    await pit.done('sandbox clock advance 25s');
    expect((await pit.json<Row[]>('withdrawals usdt'))[0]).toMatchObject({ state: 'confirmed', hash: TEXT });
    await pit.done('sandbox clock advance 5m');
    expect((await pit.json<Row[]>('withdrawals usdt'))[0]).toMatchObject({ state: 'success', status: 2 });
    const ended = await pit.json<Row[]>('deposits usdt');
    expect(ended.map(({ state, confirmations }) => [state, confirmations])).toEqual([
      ['failed', 11],
      ['success', 3],
    ]);
    expect(await pit.done('deposits usdt')).toMatch(/amount +state +confirmations +hash/);
    expect(await pit.done('deposits usdt')).toMatch(/7\.0+ +failed +11 +[0-9a-f]{64} +0x/);
  });

  it("converts a deposit's date from the zone learned from a bill", async () => {
    const [deposit] = await pit.json<Row[]>('deposits usdt');
    const time = Date.parse(deposit?.time ?? '');
    expect(deposit?.timeRaw).toBe(new Date(time + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' '));
  });

  it('lists one page with --page and all with --all', async () => {
    for (let count = 0; count < 60; count += 1) await pit.done(`sandbox deposit btc 0.0${count + 1}`);
    const ids = async (words: string) => (await pit.json<Row[]>(`deposits btc${words}`)).map((row) => row.id);
    const [first, second, all] = [await ids(''), await ids(' --page 2'), await ids(' --all')];
    expect([first.length, second.length]).toEqual([50, 10]);
    expect(all).toEqual([...first, ...second]);
    expect((await pit.run('deposits btc')).stderr).toBe(
      'Warning: This list ends after one page: 50 of 60 deposits. Use --page 2 or --all for older ones.\n',
    );
    expect((await pit.run('deposits btc --page 2')).stderr).toBe('10 of 60 deposits.\n');
    expect(await ids(' --page 9')).toEqual([]);
    expect((await pit.csv('withdrawals eth --all')).header).toBe(
      'id,time,processedTime,coin,amount,fee,address,hash,merchantOrderNo,state,status',
    );
    expect((await pit.csv('deposits eth')).header).toMatch(/^id,time,timeRaw,coin,amount,address,hash,confirmations,/);
    expect((await pit.failure('deposits btc --page 1 --all', 2)).message).toMatch(/exclude each other/);
  });
});

describe('pit fees', () => {
  it('lists fees without a key', async () => {
    const { PIT_BASE_URL = '', PIT_TRADE_URL = '' } = pit.served.environment;
    const extra = { environment: { PIT_BASE_URL, PIT_TRADE_URL } };
    const rows = await pit.json<{ coin: string; chain: string; fee: string }[]>('fees', extra);
    expect(rows).toStrictEqual(
      rows.map(() => ({ coin: TEXT, chain: TEXT, mainChain: TEXT, fee: DECIMAL, canDeposit: FLAG, canWithdraw: FLAG })),
    );
    expect(await pit.json('fees USDT', extra)).toEqual(rows.filter(({ coin }) => coin === 'usdt'));
    expect((await pit.failure('deposits usdt', 4, extra)).kind).toBe('credentials');
  });
});

describe('pit balance --in', () => {
  it('values every coin at the last price and notes the coins without a value', async () => {
    await pit.done('sandbox clock stop');
    const rows = await pit.json<{ coin: string; total: string; value: string }[]>('balance --in USDT');
    const tickers = await pit.json<{ market: string; last: string }[]>('ticker --quote usdt');
    for (const { coin, total, value } of rows) {
      const last = tickers.find(({ market }) => market === `${coin}_usdt`)?.last ?? '1';
      expect(same(value, product(total, last))).toBe(true);
    }
    const table = await pit.done('balance --in usdt');
    expect(table).toMatch(/total +value \(usdt\) +share\n/);
    expect(table.trimEnd().split('\n').at(-1)).toMatch(/^sum +[\d,.]+ +100\.00%$/);
    await pit.done('sandbox clock start');
  });

  it('values in several coins, joined or one by one, each with a column and a sum', async () => {
    await pit.done('sandbox clock stop');
    interface Valued {
      readonly coin: string;
      readonly value: string;
      readonly values: readonly { readonly coin: string; readonly value: string }[];
    }
    const inOne = async (unit: string) => (await pit.json<Valued[]>(`balance --in ${unit}`)).map(({ value }) => value);
    const rows = await pit.json<Valued[]>('balance --in usdt,btc --in USDT');
    expect(rows.map(({ values }) => values.map(({ coin }) => coin))).toEqual(rows.map(() => ['usdt', 'btc']));
    expect(rows.map(({ values }) => values[0]?.value)).toEqual(await inOne('usdt'));
    expect(rows.map(({ values }) => values[1]?.value)).toEqual(await inOne('btc'));
    expect(rows.map(({ value }) => value)).toEqual(await inOne('usdt'));
    const lines = (await pit.done('balance --in usdt --in btc')).trimEnd().split('\n');
    expect(lines[0]).toMatch(/total +value \(usdt\) +value \(btc\) +share$/);
    const [, usdt = '', btc = ''] = /^sum +([\d,.]+) +([\d,.]+) +100\.00%$/.exec(lines.at(-1) ?? '') ?? [];
    const total = (index: number) => sum(...rows.map(({ values }) => values[index]?.value ?? ''));
    expect(total(0).startsWith(usdt.replaceAll(',', ''))).toBe(true);
    expect(total(1).startsWith(btc.replaceAll(',', ''))).toBe(true);
    const { header, rows: cells } = await pit.csv('balance btc --in usdt,btc');
    expect(header).toBe('coin,name,available,frozen,total,canDeposit,canWithdraw,canLoan,value,value.btc');
    expect(cells.map((row) => row.split(',').length)).toEqual([10]);
    expect(await pit.failure('balance --in usdt,usdx', 2)).toMatchObject({ hint: 'Did you mean usdt?' });
    await pit.done('sandbox clock start');
  });

  it('values coins through inverse and intermediate markets', async () => {
    const rows = await pit.json<{ coin: string; value: string }[]>('balance xrp usdt --in btc');
    for (const { value } of rows) expect(value).toMatch(/^\d+\.\d{4,}$/);
  });

  it('suggests the nearest coin for an unknown one', async () => {
    expect(await pit.failure('balance --in usdx', 2)).toMatchObject({ hint: 'Did you mean usdt?' });
    expect((await pit.failure('balance --in bchabc', 2)).hint).toBe('The coin is now bch.');
  });
});

describe('a key without a permission', () => {
  it('rejects the request with the name of the missing permission and what it is for', async () => {
    const trader = await keyWith(pit, 'trader', 'asset,entrust');
    for (const line of ['deposits usdt', 'withdrawals usdt --all', 'address usdt', 'address usdt --withdraw']) {
      const error = await pit.failure(line, 3, trader);
      expect(error).toMatchObject({ kind: 'refused', code: 1012, hint: expect.stringContaining('permission money') });
    }
    expect(await pit.json('bills', trader)).toEqual([]);
    const account = await pit.done('account', trader);
    expect(account).toMatch(
      /money +no {2}deposit and withdrawal addresses and records, withdrawals; needed by\s+address, deposits, /,
    );
    expect(account).toMatch(/entrust +yes {2}place/);
    const blind = await keyWith(pit, 'blind', 'money');
    expect((await pit.failure('bills --all', 3, blind)).hint).toContain('permission asset');
    // without the bills the time zone is unknown, and times are not guessed
    expect((await pit.run('deposits usdt --json', blind)).stdout).toBe('[]\n');
  });
});

describe('an unknown coin', () => {
  it.each([
    'fees usdx',
    'deposits usdx',
    'withdrawals usdx --all',
    'bills usdx',
    'address usdx',
    'address usdx --single',
  ])('rejects an unknown coin with a suggestion: pit %s', async (line) => {
    expect(await pit.failure(line, 2)).toMatchObject({
      message: 'This exchange has no coin usdx.',
      hint: 'Did you mean usdt?',
    });
  });

  it('rejects a renamed coin with its new name', async () => {
    expect((await pit.failure('address bchsv', 2)).hint).toBe('The coin is now bsv.');
  });
});
