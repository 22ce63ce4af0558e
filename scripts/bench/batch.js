// How fast a file of orders goes out to a sandbox that keeps its limits, as a ratio to what the limit grants, 60 requests of 20
// orders a second; and how many requests were refused for their rate.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { environmentOf, median, PIT, serveSandbox, stopped, temporaryFolder } from './measure.js';

const ROUNDS = 3;
const ORDERS = 10_000;
const GRANTED = 60 * 20;
const TOO_FREQUENT = 4002;

export async function* rows() {
  const rounds = [];
  for (let count = 0; count < ROUNDS; count += 1) rounds.push(await round());
  const beside = { unit: 'orders/s', beside: GRANTED, besideWhat: 'granted by the limit' };
  const orders = ORDERS.toLocaleString('en');
  for (const [name, what, target] of /** @type {const} */ ([
    ['placing', `a batch of ${orders} orders, first request to last answer`, { atLeast: 0.9 }],
    ['whole', 'the whole command, with its start', {}],
  ])) {
    const value = median(rounds.map((one) => one[name]));
    yield { what, value, ratio: value / GRANTED, ...beside, ...target };
  }
  const refused = rounds.reduce((sum, one) => sum + one.refused, 0);
  const requests = `of ${(ROUNDS * ORDERS) / 20} requests`;
  yield { what: 'refused for their rate', value: refused, unit: '', besideWhat: requests, atMost: 0 };
}

/**
 * A price of its own for each order, far below the market, so that none fills.
 * @param {string} file
 */
function writeOrders(file) {
  const lines = Array.from({ length: ORDERS }, (_, index) => `${(5_000 + index * 0.5).toFixed(2)},0.0003`);
  writeFileSync(file, `price,amount\n${lines.join('\n')}\n`);
}

/**
 * What the job's own record says: when the first request left and the last was answered, and what was refused.
 * @param {string} home
 */
function recorded(home) {
  const journals = path.join(home, 'state', 'journal');
  const [account = ''] = readdirSync(journals);
  const folders = ['unsettled', 'jobs'].map((name) => path.join(journals, account, name)).filter(existsSync);
  const [file = ''] = folders.flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
  const lines = readFileSync(file, 'utf8').split('\n');
  const events = lines.flatMap((line) => (line === '' ? [] : JSON.parse(line))).filter(({ batchEvent }) => batchEvent);
  const answers = events.filter(({ batchEvent }) => batchEvent.kind === 'answered');
  const refused = events.filter(({ batchEvent: { kind, code } }) => kind === 'refused' && code === TOO_FREQUENT);
  return { milliseconds: answers.at(-1).time - events[0].time, refused: refused.length };
}

async function round() {
  const home = temporaryFolder();
  const sandbox = await serveSandbox(home);
  try {
    const file = path.join(home, 'orders.csv');
    writeOrders(file);
    const start = process.hrtime.bigint();
    const order = ['order', 'batch', 'buy', 'btc_usdt', '--file', file];
    const words = [PIT, ...order, '--yes', '--json', '--override', 'price-band'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      env: environmentOf(home, sandbox.environment),
      maxBuffer: 2 ** 28,
    });
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
    const { placed } = JSON.parse(String(stdout));
    if (placed !== ORDERS) throw new Error(`${placed} of ${ORDERS} were placed`);
    const { milliseconds, refused } = recorded(home);
    return { whole: ORDERS / seconds, placing: (ORDERS / milliseconds) * 1_000, refused };
  } finally {
    await stopped(sandbox);
  }
}
