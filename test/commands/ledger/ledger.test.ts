import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Balance, place, same } from '../order/order-rows.js';
import { lastError, TIME, useWorld } from '../pit-home.js';

const pit = useWorld();
const file = (name: string) => path.join(pit.home, name);

describe('pit ledger', () => {
  let between = '';

  beforeAll(async () => {
    await place(pit, 'buy eos_usdt 100 --at ask+2%');
    await pit.world.pass(600_000);
    between = new Date(pit.world.clock.now()).toISOString();
    await pit.done('sandbox deposit usdt 500.5');
    await pit.world.pass(120_000);
    await place(pit, 'sell xrp_usdt 50 --at bid-2%');
    await pit.world.pass(60_000);
  });

  it('writes every bill, and what is sent, received and paid adds up to the balances', async () => {
    const text = await pit.done('ledger --format csv');
    const [header = '', ...rows] = text.trimEnd().split('\n');
    const names = header.split(',');
    const cells = rows.map((row) => Object.fromEntries(row.split(',').map((cell, index) => [names[index], cell])));
    expect(cells.map(({ type }) => type).filter((type) => type !== 'other')).toEqual(['buy', 'deposit', 'sell']);
    const held = await pit.json<Balance[]>('balance --all');
    for (const { coin, total } of held.filter((one) => !same(one.total, '0'))) {
      const part = (amount: string, of: string, sign: 1 | -1) =>
        cells.filter((row) => row[of] === coin && row[amount] !== '').map((row) => sign * Number(row[amount]));
      const parts = [
        ...part('receivedAmount', 'receivedCoin', 1),
        ...part('sentAmount', 'sentCoin', -1),
        ...part('feeAmount', 'feeCoin', -1),
      ];
      expect([coin, parts.reduce((sum, one) => sum + one, 0).toFixed(6)]).toEqual([coin, Number(total).toFixed(6)]);
    }
    const deposit = cells.find(({ type }) => type === 'deposit');
    const [record] = await pit.json<{ id: string; hash: string; address: string }[]>('deposits usdt');
    expect(deposit).toMatchObject({ record: record?.id, hash: record?.hash, address: record?.address });
  });

  it('values each event in the coin of --in, at its time', async () => {
    const text = await pit.done('ledger --format csv --in btc');
    const [header = '', ...rows] = text.trimEnd().split('\n');
    const names = header.split(',');
    const cells = rows.map((row) => Object.fromEntries(row.split(',').map((cell, index) => [names[index], cell])));
    for (const { valuedIn, value } of cells) expect([valuedIn, Number(value) > 0]).toEqual(['btc', true]);
    const buy = cells.find(({ type }) => type === 'buy');
    expect(Number(buy?.feeValue) / Number(buy?.value)).toBeCloseTo(0.002, 5);
    const failure = await pit.failure(`ledger --format csv --in chf --out ${file('chf.csv')}`, 2);
    expect(failure.message).toContain('chf');
  });

  it('begins a window with the balances at its beginning, and ends before its end', async () => {
    const after = await pit.done(`ledger --format hledger --from ${between}`);
    expect(after).toContain('* Opening balances\n');
    expect(after).not.toContain('Buy eos_usdt');
    expect(after).toContain('Sell xrp_usdt');
    expect(after).toMatch(/Assets:Exchange:Sandbox {2}20099\.8 EOS\n/);
    const before = await pit.done(`ledger --format hledger --to ${between}`);
    expect(before).toContain('Buy eos_usdt');
    expect(before).not.toContain('Sell xrp_usdt');
  });

  it('replaces its own file, and no other one without --force', async () => {
    const target = file('a.journal');
    const written = await pit.json(`ledger --format hledger --out ${target}`);
    expect(written).toEqual({ file: target, format: 'hledger', entries: 10, from: TIME, to: TIME });
    expect(await pit.done(`ledger --format beancount --out ${target}`)).toBe(`Wrote 10 entries to ${target}.\n`);
    expect(readFileSync(target, 'utf8')).toContain('commodity EOS\n');
    const other = file('own.csv');
    writeFileSync(other, 'mine\n');
    expect((await pit.failure(`ledger --format csv --out ${other}`, 2)).hint).toContain('--force');
    expect(readFileSync(other, 'utf8')).toBe('mine\n');
    await pit.done(`ledger --format csv --out ${other} --force`);
    await pit.done(`ledger --format csv --out ${other}`);
  });

  it('names what is missing or wrong on its command line, and writes nothing', async () => {
    expect((await pit.failure('ledger', 2)).message).toBe('pit ledger needs --format.');
    expect((await pit.failure('ledger --format gnucash', 2)).message).toContain('hledger');
    const { code, stdout, stderr } = await pit.run('ledger --format csv --json');
    expect([code, stdout, lastError(stderr).message]).toEqual([2, '', '--json needs --out.']);
    expect((await pit.failure('ledger --format csv --force', 2)).message).toBe('--force needs --out.');
    await pit.failure(`ledger --format csv --from 1h --to 2h --out ${file('none.csv')}`, 2);
    expect(existsSync(file('none.csv'))).toBe(false);
  });
});
