import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { NOW } from '../../support/fake-host.js';
import { anOrder, type HeldOrder, ScriptedExchange } from '../../support/scripted-exchange.js';
import { PASS } from '../../support/world/network.js';
import { testWorld } from '../../support/world/world.js';
import { placesIn } from '../support/places.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';
import { type RanJob, resume } from './jobs.js';

/** Two requests, with interchangeable orders in both. */
const ORDERS = 25;

interface Killed {
  readonly job: string;
  readonly record: Buffer;
  readonly orders: readonly HeldOrder[];
  /** When it was killed, in ms since the Unix epoch. */
  readonly time: number;
}

/** Kills a job of two requests while the second is on its way. */
async function kill(): Promise<Killed> {
  const world = await testWorld({ markets: { btc_usdt: { bid: '29999.00', ask: '30001.00' } } });
  const { network, clock } = world;
  network.treat = ({ operation }) =>
    operation === 'orderMoreV2' && world.sent(operation).length === 2 ? { arrives: [0], reply: 'never' } : PASS;
  const file = path.join(world.home, 'orders.csv');
  writeFileSync(file, Array.from({ length: ORDERS }, (_, index) => `${20_000 + (index % 22)},0.01`).join('\n'));
  const process = world.start(`order batch buy btc_usdt --file ${file} --yes --override price-band`);
  await world.until(() => world.sent('orderMoreV2')[1]?.answers.length === 1);
  process.kill();
  const time = clock.now();
  const folder = path.join(world.home, 'state', 'journal');
  const open = path.join(folder, readdirSync(folder)[0] ?? '', 'unsettled');
  const [job = ''] = readdirSync(open);
  const record = readFileSync(path.join(open, job));
  const listed = await world.json<{ id: string; price: string; amount: string; time: string }[]>(
    'orders btc_usdt --all',
    { home: world.otherHome('elsewhere') },
  );
  const orders = listed.map((row) =>
    anOrder({ ...{ id: row.id, price: row.price, amount: row.amount }, time: Date.parse(row.time) }),
  );
  return { job, record, orders: orders.reverse(), time };
}

let exchange: ScriptedExchange;

/** Resumes the job from a record, with the exchange as it was when the process was killed. */
async function resumeFrom(killed: Killed, record: Buffer): Promise<RanJob> {
  exchange = new ScriptedExchange({ orders: killed.orders.map((order) => ({ ...order })) });
  // a job that sends without an end leaves no turn in which the test could time out
  exchange.onRequest = () => {
    if (exchange.count('batch') > ORDERS) throw new Error('the job sends more requests than it has orders');
  };
  const trading = tradingOf(exchange, { tolerance: 60_000, elapsedMs: killed.time - NOW });
  const folder = path.join(trading.state, 'journal', 'test', 'unsettled');
  trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'first001', reqTime: 1 }).discard();
  writeFileSync(path.join(folder, killed.job), record, { mode: 0o600 });
  return resume(trading, killed.job);
}

function expectWhole({ job, ending }: RanJob, about: string): void {
  const found = { about, ending: ending.kind, placed: job.counts().placed, duplicates: job.duplicates.size };
  expect(found).toEqual({ about, ending: 'finished', placed: ORDERS, duplicates: 0 });
  const ids = job.lines.flatMap((now) => (now.state === 'placed' ? now.id : []));
  expect([...ids].sort()).toEqual(exchange.has.orders.map(({ id }) => id).sort());
}

it('a job whose record is cut off resumes without placing an order twice', async () => {
  const killed = await kill();
  const { record } = killed;
  const write = record.indexOf('\n', 1);
  expect(killed.orders).toHaveLength(ORDERS);
  for (const length of [...placesIn(record, 17).filter((at) => at >= write), record.length])
    expectWhole(await resumeFrom(killed, record.subarray(0, length)), `cut after ${length} of ${record.length} bytes`);
  // without its write the job is unknown, and nothing is sent
  for (let length = 0; length < write; length += 97) {
    await expect(resumeFrom(killed, record.subarray(0, length))).rejects.toMatchObject({ kind: 'usage' });
    expect(exchange.count('batch')).toBe(0);
  }
});

it('a job whose record has a damaged byte resumes without placing an order twice', async () => {
  const killed = await kill();
  const write = killed.record.indexOf('\n', 1);
  for (let at = write + 1; at < killed.record.length; at += 23) {
    const record = Buffer.from(killed.record);
    // what a disk leaves that lost a block
    record[at] = 0;
    expectWhole(await resumeFrom(killed, record), `damaged at ${at} of ${record.length}`);
  }
});
