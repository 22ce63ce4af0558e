import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PIT } from '../../support/command.js';
import { NOW } from '../../support/fake-host.js';
import { type FaultServer, serveFaults } from '../../support/fault-server.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';
import { type RanJob, resume } from './jobs.js';
import { ModelExchange, type ModelOrder } from './model-exchange.js';

/** Two requests, with interchangeable orders in both. */
const ORDERS = 25;
const home = temporaryHome();

interface Killed {
  readonly job: string;
  readonly record: Buffer;
  readonly orders: readonly ModelOrder[];
}

/** Kills a job of two requests while the second is on its way. */
async function kill(): Promise<Killed> {
  const exchange = new ModelExchange([{}, { answer: () => undefined }], { answer: () => undefined });
  const killing = new Promise<void>((resolve) => {
    const answer = exchange.answer.bind(exchange);
    exchange.answer = (target) => {
      const given = answer(target);
      if (exchange.batches.length === 2) resolve();
      return given;
    };
  });
  const { url } = await serveFaults({ answer: ({ target }) => exchange.answer(target) });
  const file = path.join(home, 'orders.csv');
  writeFileSync(file, Array.from({ length: ORDERS }, (_, index) => `${20_000 + (index % 22)},0.01`).join('\n'));
  const keys = { PIT_ACCESS_KEY: 'access-0123456789', PIT_SECRET_KEY: 'secret-9876543210' };
  const environment = plainEnvironment(home, { PIT_BASE_URL: url, PIT_TRADE_URL: url, ...keys });
  const words = ['order', 'batch', 'buy', 'btc_usdt', '--file', file, '--yes', '--override', 'price-band'];
  const child = spawn(PIT.command, [...PIT.arguments, ...words], { env: environment, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await killing;
  child.kill('SIGKILL');
  await ended;
  const folder = path.join(home, 'state', 'journal');
  const open = path.join(folder, readdirSync(folder)[0] ?? '', 'unsettled');
  const [job = ''] = readdirSync(open);
  const record = readFileSync(path.join(open, job));
  rmSync(folder, { recursive: true });
  return { job, record, orders: [...exchange.orders] };
}

let exchange: ModelExchange;
let server: FaultServer;

/** Resumes the job from a record, with the exchange as it was when the process was killed. */
async function resumeFrom(killed: Killed, record: Buffer): Promise<RanJob> {
  exchange = new ModelExchange();
  Object.assign(exchange, { orders: [...killed.orders], lists: 100 });
  const trading = tradingOf(server.url, { tolerance: 60_000, elapsedMs: Date.now() - NOW });
  const folder = path.join(trading.state, 'journal', 'test', 'unsettled');
  trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'first001', reqTime: 1 }).discard();
  writeFileSync(path.join(folder, killed.job), record, { mode: 0o600 });
  return resume(trading, killed.job);
}

function expectWhole({ job, ending }: RanJob, about: string): void {
  const found = { about, ending: ending.kind, placed: job.counts().placed, duplicates: job.duplicates.size };
  expect(found).toEqual({ about, ending: 'finished', placed: ORDERS, duplicates: 0 });
  const ids = job.lines.flatMap((now) => (now.state === 'placed' ? now.id : []));
  expect([...ids].sort()).toEqual(exchange.orders.map(({ id }) => id).sort());
}

it('a job whose record is cut off at any byte resumes without placing an order twice', async () => {
  server = await serveFaults({ answer: ({ target }) => exchange.answer(target) });
  const killed = await kill();
  const { record } = killed;
  const write = record.indexOf('\n', 1);
  expect(killed.orders.length).toBeGreaterThanOrEqual(20);
  // around the end of each line every byte counts; within a line, one place is like another
  const isNearEnd = (at: number) => record.subarray(Math.max(at - 3, 0), at + 3).includes(10);
  for (let length = write; length <= record.length; length += isNearEnd(length) ? 1 : 3)
    expectWhole(await resumeFrom(killed, record.subarray(0, length)), `cut after ${length} of ${record.length} bytes`);
  // without its write the job is unknown, and nothing is sent
  for (let length = 0; length < write; length += 97) {
    await expect(resumeFrom(killed, record.subarray(0, length))).rejects.toMatchObject({ kind: 'usage' });
    expect(exchange.batches).toEqual([]);
  }
});

it('a job whose record has a damaged byte resumes without placing an order twice', async () => {
  server = await serveFaults({ answer: ({ target }) => exchange.answer(target) });
  const killed = await kill();
  const write = killed.record.indexOf('\n', 1);
  for (let at = write + 1; at < killed.record.length; at += 23) {
    const record = Buffer.from(killed.record);
    // what a disk leaves that lost a block
    record[at] = 0;
    expectWhole(await resumeFrom(killed, record), `damaged at ${at} of ${record.length}`);
  }
});
