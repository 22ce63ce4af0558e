import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { NOW } from '../../support/fake-host.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { JOB, type RanJob, resume } from './jobs.js';

// records as release 0.2.0 left them: it took an order for that of the line at its place in the answer, until a list showed another

const WRITE =
  '{"write":{"operation":"batch","terms":{"market":"btc_usdt","side":"buy","account":"spot","lines":[[1,"20000","0.01"],[2,"20001","0.01"],[3,"20002","0.01"]],"count":3,"baseline":[]},"id":"job0123456789abcdef","time":1540295995557,"reqTime":1540295995557,"firstOwner":{"pid":7662,"startStamp":"f1ff22d5-2fc5-49ff-a5e8-6e2853a2c7ac/245805"}}}';
const SENDING =
  '{"time":1540295995557,"event":"request 1 leaves","batchEvent":{"kind":"sending","requests":[[1,[0,1,2]]],"reqTime":1540295995557}}';
const ANSWERED =
  '{"time":1540295995557,"event":"request 1: 3 of 3 orders accepted","batchEvent":{"kind":"answered","request":1,"ids":["202202220000000003","202202220000000002","202202220000000001"],"message":null}}';
const FOUND =
  '{"time":1540295995557,"event":"found 2 orders by price and amount","batchEvent":{"kind":"found","orders":[[0,"202202220000000001"],[2,"202202220000000003"]]}}';
const UNCONFIRMED =
  '{"time":1540295995557,"event":"not shown yet: 202202220000000003, 202202220000000002, 202202220000000001","batchEvent":{"kind":"unconfirmed","orders":[[0,"202202220000000003"],[1,"202202220000000002"],[2,"202202220000000001"]]}}';
const CHECKED =
  '{"time":1540295995557,"event":"3 of 3 placed","settled":{"outcome":"placed","id":null,"duplicates":[],"checkedTo":1540295995557},"isReleased":true}';
const STOPPED = '{"time":1540295995557,"event":"stopped (lost): 3 of 3 unknown","isReleased":true}';

/** Resumes a job whose record has these lines, on an exchange that has executed it once. */
async function resumed(...record: readonly string[]): Promise<RanJob & { readonly exchange: ScriptedExchange }> {
  const exchange = new ScriptedExchange();
  for (const price of ['20000', '20001', '20002']) exchange.place({ price, amount: '0.01' });
  for (const order of exchange.has.orders) Object.assign(order, { time: NOW });
  const trading = tradingOf(exchange, { tolerance: 60_000, elapsedMs: 90_000 });
  write(trading, record);
  return { ...(await resume(trading)), exchange };
}

/** Writes the record of an unsettled job, with the empty line before each of its lines. */
function write(trading: TestTrading, record: readonly string[]): void {
  const terms = { market: 'btc_usdt', side: 'buy', account: 'spot', count: 0, lines: [] } as const;
  trading.journal.begin<'batch'>({ operation: 'batch', terms }, { id: 'jobfirst', reqTime: 1 }).discard();
  const file = path.join(trading.state, 'journal', 'test', 'unsettled', JOB);
  writeFileSync(file, record.map((line) => `${line}\n`).join('\n'), { mode: 0o600 });
}

it.each<[string, readonly string[]]>([
  ['whose orders only its answer names', [WRITE, SENDING, ANSWERED]],
  ['that a list was compared with, which named two lines of three', [WRITE, SENDING, ANSWERED, FOUND, CHECKED]],
  ['whose orders nothing had shown', [WRITE, SENDING, ANSWERED, UNCONFIRMED, STOPPED]],
  ['that was killed before its answer came', [WRITE, SENDING]],
])('a job %s is settled, each line with its own order, and nothing is sent again', async (_, record) => {
  const { job, ending, exchange } = await resumed(...record);
  expect([ending.kind, exchange.count('batch'), job.duplicates.size]).toEqual(['finished', 0, 0]);
  expect(job.lines).toMatchObject(exchange.has.orders.map(({ id }) => ({ state: 'placed', id })));
});
