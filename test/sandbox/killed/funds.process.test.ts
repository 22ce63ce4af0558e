import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { bundleProgram } from '../../support/bundled-program.js';
import { ExchangeFixture, START, TESTER, temporaryDirectory } from '../support/exchange-fixture.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

async function program(): Promise<string> {
  const directory = temporaryDirectory();
  const outfile = join(directory, 'moving-funds.mjs');
  await bundleProgram(join(root, 'test/sandbox/killed/moving-funds.ts'), outfile);
  return outfile;
}

type Acknowledged = Record<'deposited' | 'withdrawn' | 'ended', Set<string>>;

function start(
  script: string,
  directory: string,
  time: number,
  acknowledged: Acknowledged,
): { child: ChildProcess; some: Promise<void> } {
  const child = spawn(process.execPath, [script, directory, String(time)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const enough = acknowledged.withdrawn.size + 60;
  const some = new Promise<void>((resolve) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, id = ''] = line.split(' ');
      acknowledged[what as keyof Acknowledged].add(id);
      if (acknowledged.withdrawn.size >= enough) resolve();
    });
  });
  return { child, some };
}

test('after kill -9 no acknowledged deposit, withdrawal or bill is lost or doubled, and all sums are exact', async () => {
  const script = await program();
  const directory = temporaryDirectory();
  const acknowledged: Acknowledged = { deposited: new Set(), withdrawn: new Set(), ended: new Set() };
  let time = START;
  for (const pause of [0, 17]) {
    const { child, some } = start(script, directory, time, acknowledged);
    await some;
    await new Promise((resolve) => setTimeout(resolve, pause));
    child.kill('SIGKILL');
    await once(child, 'close');
    time = await check(directory, acknowledged, time);
  }
});

/** All pages of a list. */
function everything<Entry>(page: (number: number) => readonly Entry[]): Entry[] {
  const entries: Entry[] = [];
  for (let number = 1; ; number += 1) {
    const some = page(number);
    entries.push(...some);
    if (some.length < 50) return entries;
  }
}

/** Compares the directory with the acknowledged changes. Returns a time at which nothing is pending. */
async function check(directory: string, acknowledged: Acknowledged, from: number): Promise<number> {
  const time = from + 10_000_000;
  const { exchange, account } = await ExchangeFixture.open({ directory, time });
  const { funds } = exchange;
  const deposits = everything((page) => funds.deposits(account, 'btc', page, 50).list);
  const withdrawals = everything((page) => funds.withdrawals(account, 'btc', page, 50).list);
  for (const records of [deposits, withdrawals]) expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  const states = new Map([...deposits, ...withdrawals].map(({ id, state }) => [id, state]));
  expect([...acknowledged.deposited, ...acknowledged.withdrawn].filter((id) => !states.has(id))).toEqual([]);
  expect([...acknowledged.ended].filter((id) => states.get(id) !== 'failed')).toEqual([]);
  expect([...states.values()].filter((state) => state !== 'failed' && state !== 'success')).toEqual([]);
  checkBills(exchange, account, deposits, withdrawals);
  await exchange.close();
  const stored = SandboxExchange.opened({ directory, seed: 7, now: () => time, firstAccount: TESTER });
  expect([...stored.ledger.sums().values()].every((sum) => sum === 0n)).toBe(true);
  await stored.close();
  return time;
}

interface Ended {
  readonly id: string;
  readonly state: string;
}

/** Each movement is billed once, and the bills add up to the balance. */
function checkBills(
  exchange: SandboxExchange,
  account: Account,
  deposits: readonly Ended[],
  withdrawals: readonly Ended[],
): void {
  const bills = everything((page) => exchange.funds.bills(account, { coin: 'btc', page, pageSize: 50 }));
  expect(new Set(bills.map(({ id }) => id)).size).toBe(bills.length);
  const billed = (kind: string) => bills.filter((bill) => bill.kind === kind).map(({ remark }) => remark);
  const ids = (records: readonly Ended[], state: string) =>
    records.filter((record) => record.state === state).map(({ id }) => id);
  expect(billed('deposit').sort()).toEqual(ids(deposits, 'success').sort());
  expect(billed('withdrawal').sort()).toEqual(withdrawals.map(({ id }) => id).sort());
  expect(billed('withdrawalReturned').sort()).toEqual(ids(withdrawals, 'failed').sort());
  const sum = bills.reduce((total, { change }) => total.plus(Decimal.of(change)), Decimal.zero);
  const balance = exchange.funds.balances(account).find(({ coin }) => coin === 'btc');
  expect(sum.toString()).toBe(balance?.available);
  expect(balance?.frozen).toBe('0.00000000');
}
