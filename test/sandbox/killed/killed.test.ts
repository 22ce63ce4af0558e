import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Exchange } from '../../../src/sandbox/exchange/exchange.js';
import { bundleProgram } from '../../support/bundled-program.js';
import { ExchangeFixture, START, TESTER, temporaryDirectory } from '../support/exchange-fixture.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The child as a program: a directory with a bundle, next to the packages. */
async function program(): Promise<string> {
  const directory = temporaryDirectory();
  const outfile = join(directory, 'placing-orders.mjs');
  await bundleProgram(join(root, 'test/sandbox/killed/placing-orders.ts'), outfile);
  return outfile;
}

interface Acknowledged {
  placed: Set<string>;
  cancelled: Set<string>;
}

function start(
  script: string,
  directory: string,
  time: number,
): { child: ChildProcess; acknowledged: Acknowledged; some: Promise<void> } {
  const child = spawn(process.execPath, [script, directory, String(time)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const acknowledged: Acknowledged = { placed: new Set(), cancelled: new Set() };
  const some = new Promise<void>((resolve) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, id = ''] = line.split(' ');
      acknowledged[what === 'placed' ? 'placed' : 'cancelled'].add(id);
      if (acknowledged.placed.size === 100) resolve();
    });
  });
  return { child, acknowledged, some };
}

test('after kill -9 everything acknowledged is there once and the ledger is balanced', async () => {
  const script = await program();
  const directory = temporaryDirectory();
  for (const [round, pause] of [7, 61].entries()) {
    const { child, acknowledged, some } = start(script, directory, START + round * 60_000);
    await some;
    await new Promise((resolve) => setTimeout(resolve, pause));
    child.kill('SIGKILL');
    await once(child, 'close');
    await check(directory, acknowledged, START + round * 60_000 + 30_000);
  }
});

async function check(directory: string, acknowledged: Acknowledged, time: number): Promise<void> {
  const clocked = await ExchangeFixture.open({ directory, time });
  const { exchange, account } = clocked;
  const listed = exchange.orders.list(account, 'btc_usdt', { page: 1, pageSize: 1_000_000 });
  const states = new Map(listed.map(({ id, state }) => [id, state]));
  expect(states.size).toBe(listed.length);
  expect([...acknowledged.placed].filter((id) => !states.has(id))).toEqual([]);
  expect([...acknowledged.cancelled].filter((id) => states.get(id) === 'open')).toEqual([]);
  expect(exchange.status().orders).toBe(listed.filter(({ state }) => state === 'open').length);
  await exchange.close();
  const stored = Exchange.opened({ directory, seed: 7, now: () => time, firstAccount: TESTER });
  expect([...stored.ledger.sums().values()].every((sum) => sum === 0n)).toBe(true);
  await stored.close();
}
