import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import { withdraw } from '../funds/funds.js';
import { place, same, sum } from '../order/order-rows.js';
import { useWorld } from '../pit-home.js';
import { Straight } from '../straight.js';

interface Row {
  readonly coin: string | null;
  readonly valuedIn: string;
  readonly bought: string | null;
  readonly sold: string | null;
  readonly position: string | null;
  readonly positionWithoutCost: string | null;
  readonly withoutCost: { readonly amount: string | null; readonly proceeds: string | null };
  readonly cost: string | null;
  readonly realised: string | null;
  readonly unrealised: string | null;
  readonly net: string | null;
  readonly fees: readonly { readonly coin: string | null; readonly amount: string; readonly value: string | null }[];
  readonly left: { readonly amount: string | null; readonly cost: string | null };
}

interface Lot {
  readonly coin: string;
  readonly opened: string | null;
  readonly closed: string;
  readonly amount: string;
  readonly cost: string | null;
  readonly proceeds: string | null;
  readonly feeCost: string | null;
  readonly feeProceeds: string | null;
  readonly gain: string | null;
  readonly method: string;
  readonly openedBy: string | null;
  readonly closedBy: string | null;
  readonly opening: string | null;
  readonly closing: string;
  readonly bills: readonly string[];
  readonly valuedIn: string;
}

describe('pit pnl --by coin', () => {
  const pit = useWorld({ markets: DEEP_MARKETS });
  const straight = new Straight(pit);
  const file = path.join(temporaryHome(), 'basis.csv');
  const placed: Record<string, string> = {};
  const order = async (name: string, line: string) => {
    placed[name] = ((await place(pit, line)) as { id: string }).id;
    await straight.advance(60_000);
    await pit.done('balance');
  };
  const basis = (text: string) => writeFileSync(file, text);
  const COSTS =
    'time,coin,amount,cost,coin of the cost\n2020-01-01,btc,1000,20000000,usdt\n2020-01-02,eth,1000,1000000,usdt\n';

  beforeAll(async () => {
    await straight.administer('POST /clock/stop');
    await order('buyBtc', 'buy btc_usdt 0.5 --at ask+2%');
    await straight.advance(120_000);
    await pit.done('balance');
    await order('buyEth', 'buy eth_btc 2 --at ask+2%');
    await order('sellEth', 'sell eth_usdt 1 --at bid-2%');
  });

  it('asks for the coin of the values if markets have several quote coins', async () => {
    const { message, hint } = await pit.failure('pnl --by coin', 2);
    expect(message).toBe('Your markets have several quote coins: btc, usdt.');
    expect(hint).toContain('--in usdt');
  });

  it('closes lots of what a trade between coins sends and opens lots of what it brings in', async () => {
    basis(COSTS);
    const lots = await pit.json<Lot[]>(`pnl --by coin --in usdt --lots --method lifo --basis ${file}`);
    const btc = lots.find(({ coin, closing }) => coin === 'btc' && closing === 'buy') as Lot;
    expect(btc).toMatchObject({
      ...{ opening: 'buy', openedBy: placed.buyBtc, closedBy: placed.buyEth, method: 'lifo', valuedIn: 'usdt' },
      feeProceeds: '0',
    });
    const eth = lots.find(({ coin }) => coin === 'eth') as Lot;
    expect(eth).toMatchObject({ closing: 'sell', openedBy: placed.buyEth, closedBy: placed.sellEth, opening: 'buy' });
    for (const { gain, proceeds, cost } of [btc, eth])
      expect(same(gain ?? '', sum(proceeds ?? '', `-${cost}`))).toBe(true);
    // a buy pays its fee of 0.2 % in what it bought: half of the cost of 1.996 eth is for about 1 eth
    expect(Number(eth.feeCost) / Number(eth.cost)).toBeCloseTo(0.002, 6);
    expect(Number(eth.feeProceeds) / Number(eth.proceeds)).toBeCloseTo(0.002 / 0.998, 6);
    expect(lots.some(({ coin }) => coin === 'usdt')).toBe(false);
  });

  it('keeps fees apart if asked, with the same fees beside cost and proceeds', async () => {
    basis(COSTS);
    const line = `pnl --by coin --in usdt --lots --method lifo --basis ${file}`;
    const inside = await pit.json<Lot[]>(line);
    const apart = await pit.json<Lot[]>(`${line} --fees apart`);
    const pair = (lots: readonly Lot[]) => lots.find(({ coin }) => coin === 'eth') as Lot;
    expect(pair(apart).feeCost).toBe(pair(inside).feeCost);
    // each is rounded by itself
    const { proceeds, cost, feeProceeds, feeCost } = pair(apart);
    expect(Number(pair(inside).proceeds)).toBeCloseTo(Number(proceeds) - Number(feeProceeds), 6);
    expect(Number(pair(inside).cost)).toBeCloseTo(Number(cost) + Number(feeCost), 6);
  });

  it('holds what the account holds, and names what has no cost', async () => {
    const rows = await pit.json<Row[]>('pnl --by coin --in usdt');
    const { stderr } = await pit.run('pnl --by coin --in usdt');
    const held = await pit.json<{ coin: string; total: string }[]>('balance --all');
    for (const { coin, position } of rows.slice(0, -1))
      expect([coin, same(position ?? '', held.find((one) => one.coin === coin)?.total ?? '')]).toEqual([coin, true]);
    expect(rows.at(-1)).toMatchObject({ coin: null, valuedIn: 'usdt' });
    expect(rows.map(({ coin }) => coin)).not.toContain('usdt');
    expect(stderr).toContain('Sold or paid without a known cost');
    expect(stderr).toContain('Held without a known cost, and not in unrealised');
    expect(rows.find(({ coin }) => coin === 'bch')).toMatchObject({ unrealised: null, net: null });
    expect(stderr).toContain('--basis FILE');
  });

  it('gives opening balances and deposits the cost of a file, and warns of lines that nothing takes', async () => {
    const since = (await pit.json<{ time: string }[]>('bills --all')).at(-1)?.time ?? '';
    basis(`${since},btc,1000,20000000,usdt\n2020-01-01,ltc,1000,5000,usdt\n2030-01-01,eth,7,1,usdt\n`);
    const { stdout, stderr } = await pit.run(`pnl --by coin --in usdt --json --basis ${file}`);
    const rows = JSON.parse(stdout) as Row[];
    const btc = rows.find(({ coin }) => coin === 'btc') as Row;
    expect([btc.positionWithoutCost, btc.withoutCost]).toEqual(['0', { amount: '0', proceeds: '0' }]);
    expect(stderr).toContain('7 eth of line 3');
    expect(stderr).toContain('of line 2');
    const again = await pit.run(`pnl --by coin --in usdt --json --basis -`, {
      input: `${since},btc,1000,20000000,usdt\n`,
    });
    expect(JSON.parse(again.stdout)).toContainEqual(btc);
  });

  it.for([
    ['2026-13-01,btc,1,1,usdt', 'Line 1: "2026-13-01" is not a time.'],
    [
      '# a comment\n\ntime,coin,amount,cost,coin\n2026-01-01,btc,1,1',
      'Line 4: "2026-01-01,btc,1,1" has 4 columns instead of 5.',
    ],
    ['2026-01-01,btcc,1,1,usdt', 'Line 1: There is no coin btcc on this exchange. Did you mean btc'],
    ['2026-01-01,btc,0,1,usdt', 'Line 1: The amount is 0.'],
    ['2026-01-01,btc,-1,1,usdt', 'Line 1: The amount must be a number of 0 or more, not "-1".'],
    ['2026-01-01,btc,1,much,usdt', 'Line 1: The cost must be a number of 0 or more, not "much".'],
    ['2026-01-01;btc;1;1;usdt', 'Line 1: "2026-01-01;btc;1;1;usdt" has 1 column instead of 5.'],
    ['2026-01-01,btc,1e99,1,usdt', 'Line 1: The amount must be a number of 0 or more, not "1e99".'],
    ['2026-01-01,btc,1,1,chf', 'Line 1: There is no coin chf on this exchange.'],
    ['time,coin,amount,cost,costCoin\n', 'has no lines with a cost.'],
  ] as const)('refuses the basis %j with a sentence that names the line', async ([text, message]) => {
    basis(text);
    const failure = await pit.failure(`pnl --by coin --in usdt --basis ${file}`, 2);
    expect(failure.message).toContain(message);
    expect(failure.message).toContain('basis.csv');
  });

  it('refuses a basis that is not there, and one for lots by market', async () => {
    rmSync(file, { force: true });
    expect((await pit.failure(`pnl --by coin --in usdt --basis ${file}`, 2)).message).toContain('ENOENT');
    expect((await pit.failure(`pnl --basis ${file}`, 2)).message).toContain('--by coin');
  });

  it('lists what a withdrawal took along, with its cost, as a basis for the next exchange', async () => {
    await pit.done('sandbox deposit ltc 5');
    await straight.advance(120_000);
    await pit.done('balance');
    basis('2020-01-01,ltc,100000,100000,usdt\n');
    const [{ fee }] = await pit.json<[{ fee: string }]>('fees ltc');
    await withdraw(pit, 'ltc', '2', fee);
    await straight.advance(120_000);
    await pit.done('balance');
    const lots = await pit.json<Lot[]>(`pnl --by coin --in usdt --lots --basis ${file}`);
    const left = lots.filter(({ closing }) => closing === 'withdrawal');
    expect(left.length).toBeGreaterThan(0);
    expect(left[0]).toMatchObject({ coin: 'ltc', opened: '2020-01-01T00:00:00.000Z', proceeds: null, gain: null });
    expect(same(left[0]?.cost ?? '', left[0]?.amount ?? '-1')).toBe(true);
    // of the opening balance, then of the withdrawal and its fee
    const bills = await pit.json<{ id: string; change: string }[]>('bills ltc --all');
    const billOf = (amount: string) => bills.find(({ change }) => same(change, amount))?.id;
    expect(left[0]?.bills).toEqual([bills.at(-1)?.id, billOf(`-${left[0]?.amount}`), billOf(`-${fee}`)]);
    const { rows } = await pit.csv(`pnl --by coin --in usdt --lots --basis ${file}`);
    expect(rows.filter((row) => row.includes(',withdrawal,'))[0]).toContain(left[0]?.bills[0]);
  });

  it('begins days where --zone or the profile says', async () => {
    const lots = await pit.json<Lot[]>('pnl --by coin --in usdt --lots --method lifo');
    const first = Date.parse(lots.find(({ openedBy }) => openedBy === placed.buyBtc)?.opened ?? '');
    // Kiritimati is 14 hours ahead of UTC
    const there = (ms: number) => new Date(ms + 14 * 3_600_000).toISOString().slice(0, -1);
    const bought = async (flags: string) => {
      const rows = await pit.json<Row[]>(`pnl btc_usdt --by coin --in usdt ${flags}`);
      return rows.find(({ coin }) => coin === 'btc')?.bought ?? '0';
    };
    expect(await bought(`--to ${there(first)} --zone Pacific/Kiritimati`)).toBe('0');
    expect(await bought(`--to ${there(first + 1)} --zone Pacific/Kiritimati`)).toBe('0.5');
    expect(await bought(`--to ${there(first)} --zone +13:59`)).toBe('0.5');
    expect((await pit.failure('pnl --zone Mars/Olympus', 2)).message).toContain('not a time zone');
    await pit.done('profile set sandbox day-zone Pacific/Kiritimati');
    expect(await bought(`--to ${there(first + 1)}`)).toBe('0.5');
    expect(await bought(`--to ${there(first)}`)).toBe('0');
    await pit.done('profile unset sandbox day-zone');
    expect(await bought(`--to ${there(first)}`)).toBe('0.5');
  });

  it('sends only what is new the second time', async () => {
    // which has read nothing yet
    const home = pit.world.otherHome('other');
    for (let count = 0; count < 55; count += 1)
      await straight.administer('POST /deposit', { coin: 'ltc', amount: '0.01' });
    await straight.advance(120_000);
    await pit.done('balance');
    const operations = ['getOrders', 'getSpotBills', 'getChargeRecord', 'getWithdrawRecord'] as const;
    const asked = async () => {
      const before = pit.world.network.requests.length;
      const rows = await pit.world.json<Row[]>('pnl --by coin --in usdt', { home });
      const sent = pit.world.network.requests.slice(before).map(({ operation }) => operation);
      const count = (name: string) => sent.filter((one) => one === name).length;
      return {
        rows,
        counts: Object.fromEntries(operations.map((name) => [name, count(name)])),
        candles: count('kline'),
      };
    };
    const first = await asked();
    const second = await asked();
    expect(second.rows.map(({ coin, position }) => [coin, position])).toEqual(
      first.rows.map(({ coin, position }) => [coin, position]),
    );
    expect(first.candles).toBeGreaterThan(0);
    expect(second.candles).toBe(0);
    // one page of each list shows that nothing is new
    expect(second.counts.getSpotBills).toBeLessThanOrEqual(4);
    expect(second.counts.getChargeRecord).toBeLessThan(first.counts.getChargeRecord ?? 0);
    await order('more', 'buy xrp_usdt 10 --at ask+2%');
    const third = await asked();
    const bought = (rows: readonly Row[]) => rows.find(({ coin }) => coin === 'xrp')?.bought ?? '0';
    expect(same(bought(third.rows), sum(bought(second.rows), '10'))).toBe(true);
    expect(third.counts.getSpotBills).toBeLessThanOrEqual(4);
  });
});
