import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LOST, PASS } from '../../support/world/network.js';
import { testWorld } from '../../support/world/world.js';

it('commands report a journal that is cut off anywhere, and send no order that may be in it', async () => {
  const world = await testWorld({ markets: { btc_usdt: { bid: '29999.00', ask: '30001.00' } } });
  const pit = (line: string) => world.run(`${line} --json`);
  const order = (amount: string, id: string) =>
    pit(`order buy btc_usdt ${amount} --at 30000 --id ${id} --yes --timeout 2`);
  world.network.treat = ({ operation }) => (operation === 'order' && world.sent('order').length === 1 ? LOST : PASS);
  expect((await order('0.01', 'lost1')).code).toBe(6);
  expect((await order('0.02', 'placed1')).code).toBe(0);
  const journals = path.join(world.home, 'state', 'journal');
  const [account = ''] = fs.readdirSync(journals);
  const filesIn = (name: string) => {
    const folder = path.join(journals, account, name);
    return fs.readdirSync(folder).map((file) => path.join(folder, file));
  };
  const files = ['unsettled', 'lists', 'archive'].flatMap(filesIn);
  const whole = new Map(files.map((file) => [file, fs.readFileSync(file)]));
  const [lost = ''] = filesIn('unsettled');
  const end = whole.get(lost)?.indexOf('\n', 1) ?? 0;
  let [number, sent] = [0, 2];
  for (const share of [0, 0.01, 0.2, 0.6, 0.9, 0.99]) {
    for (const [file, bytes] of whole) fs.writeFileSync(file, bytes.subarray(0, bytes.length * share));
    number += 1;
    expect((await pit('orders btc_usdt')).code).toBe(0);
    const placed = await order(`0.1${number}`, `later${number}`);
    // of a whole record the terms are known, and another order is only warned; one that is damaged may be of any order
    const isWhole = (whole.get(lost)?.length ?? 0) * share > end;
    if (isWhole) sent += 1;
    const hint = `pit resolve ${isWhole ? 'lost1' : path.basename(lost)}`;
    expect([share, placed.code, placed.stderr.includes(hint)]).toEqual([share, isWhole ? 0 : 2, true]);
    const resolved = await pit('resolve --timeout 1');
    expect([share, resolved.code]).toEqual([share, 6]);
    expect(resolved.stderr.includes(`The record of ${path.basename(lost)} is damaged`)).toBe(!isWhole);
    expect(`${placed.stderr}${resolved.stderr}`).not.toContain('defect');
  }
  expect(world.sent('order')).toHaveLength(sent);
});
