import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ran, serveSandbox, temporaryHome } from '../../support/pit.js';
import { runProgram } from '../../support/program.js';
import { Exchange } from '../campaign/exchange.js';
import { plain } from '../campaign/kinds/terms.js';

const home = temporaryHome();
const sandbox = await serveSandbox(home);
const exchange = new Exchange(sandbox.address);
/** Enough processes to get in each other's way. */
const MANY = 8;
const SOME = 6;

function order(price: string, ...words: string[]): Promise<Ran> {
  const line = ['order', 'buy', 'btc_usdt', '0.0006', '--at', price, '--yes', '--json', '--timeout', '300', ...words];
  return runProgram(line, { home, environment: sandbox.environment });
}

/** The ids of the orders at a price. */
async function ordersAt(price: string): Promise<string[]> {
  const orders = await exchange.orders('btc_usdt', 'buy', 0);
  return orders.filter((one) => plain(one.price) === price).map(({ id }) => id);
}

/** What is left in the folders of unsettled writes, drafts and links of claims included. */
function openRecords(): string[] {
  const journals = path.join(home, 'state', 'journal');
  return readdirSync(journals).flatMap((name) => readdirSync(path.join(journals, name, 'unsettled')));
}

describe('many processes at once', () => {
  it('places at most one order for eight runs with the same client id, and reports the id to all others', async () => {
    const runs = await Promise.all(Array.from({ length: MANY }, () => order('26000', '--id', 'same0001')));
    const placed = runs.filter(({ code }) => code === 0);
    // runs that see each other all give way
    expect(placed.length).toBeLessThanOrEqual(1);
    expect(runs.filter(({ code, stdout }) => code === 2 && stdout === '')).toHaveLength(MANY - placed.length);
    for (const { code, stderr } of runs)
      if (code === 2)
        expect(stderr).toMatch(
          /The client id same0001 is (taken by order \d+|in use by an order that is not settled yet)\./,
        );
    const results = placed.map(({ stdout }) => JSON.parse(stdout) as { id: string; duplicates: string[] });
    expect([await ordersAt('26000'), openRecords()]).toEqual([results.map(({ id }) => id), []]);
    for (const { duplicates } of results) expect(duplicates).toEqual([]);
  });

  it.each([
    ['different ids and terms', (index: number) => `26${String(index).padStart(3, '0')}.5`],
    ['different ids and identical terms', () => '26000.25'],
  ])('each process places one order with %s, without a loss or a duplicate', async (name, price) => {
    const since = Date.now();
    const mark = name.includes('identical') ? 'like' : 'own';
    const runs = await Promise.all(
      Array.from({ length: SOME }, (_, index) => order(price(index), '--id', `${mark}${1000 + index}`)),
    );
    const results = runs.map(({ code, stdout }) => ({
      code,
      ...(JSON.parse(stdout) as { id: string; duplicates: string[] }),
    }));
    expect(results.map(({ code, duplicates }) => [code, duplicates])).toEqual(runs.map(() => [0, []]));
    const ids = (await exchange.orders('btc_usdt', 'buy', since)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(results.map(({ id }) => id).toSorted());
    // no false duplicate was reported
    expect(runs.map(({ stderr }) => stderr).join('')).toBe('');
    const later = await runProgram(['orders', 'btc_usdt', '--json'], { home, environment: sandbox.environment });
    expect([later.stderr, openRecords()]).toEqual(['', []]);
  });
});
