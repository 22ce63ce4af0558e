// `npm run bench:batch [-- ORDERS]`: how fast a file of ORDERS orders (10,000) goes out to a sandbox that keeps its limits,
// as a ratio to what the limit grants, 60 requests of 20 orders a second; and how many requests were refused for their rate.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, root } from './prepare.js';

const ROUNDS = 5;
const GRANTED = 60 * 20;
const TOO_FREQUENT = 4002;
const orders = Number(process.argv[2] ?? 10_000);
const program = path.join(root, 'bin', 'pit.js');

prepare();
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;

async function serve(home) {
  const child = spawn(process.execPath, [program, 'sandbox', 'serve', '--port', '0'], {
    env: { ...inherited, PIT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) };
  throw new Error('the sandbox ended without a word');
}

/** A price of its own for each order, far below the market, so that none fills. */
function writeOrders(file) {
  const lines = Array.from({ length: orders }, (_, index) => `${(5_000 + index * 0.5).toFixed(2)},0.0003`);
  writeFileSync(file, `price,amount\n${lines.join('\n')}\n`);
}

/** What the job's own record tells: when the first request left and the last was answered, and what was refused. */
function recorded(home) {
  const jobs = path.join(home, 'state', 'journal');
  const [account = ''] = readdirSync(jobs);
  const [file = ''] = readdirSync(path.join(jobs, account, 'jobs'));
  const lines = readFileSync(path.join(jobs, account, 'jobs', file), 'utf8').split('\n');
  const events = lines.flatMap((line) => (line === '' ? [] : JSON.parse(line.slice(17)))).filter(({ fact }) => fact);
  const answers = events.filter(({ fact }) => fact.kind === 'answered');
  const refused = events.filter(({ fact }) => fact.kind === 'refused' && fact.code === TOO_FREQUENT);
  return { milliseconds: answers.at(-1).time - events[0].time, refused: refused.length };
}

async function round() {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-bench-'));
  const { child, baseUrl, tradeUrl, accessKey, secretKey } = await serve(home);
  try {
    const file = path.join(home, 'orders.csv');
    writeOrders(file);
    const keys = { PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey };
    const start = process.hrtime.bigint();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, 'order', 'batch', 'buy', 'btc_usdt', '--file', file, '--yes', '--json'],
      {
        env: { ...inherited, PIT_HOME: home, PIT_BASE_URL: baseUrl, PIT_TRADE_URL: tradeUrl, ...keys },
        maxBuffer: 2 ** 28,
      },
    );
    const whole = Number(process.hrtime.bigint() - start) / 1e6;
    if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
    const { placed } = JSON.parse(String(stdout));
    if (placed !== orders) throw new Error(`${placed} of ${orders} were placed`);
    const { milliseconds, refused } = recorded(home);
    return { whole: orders / whole / (GRANTED / 1_000), placing: orders / milliseconds / (GRANTED / 1_000), refused };
  } finally {
    child.kill();
    await once(child, 'exit');
    rmSync(home, { recursive: true, force: true });
  }
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

const rounds = [];
for (let count = 0; count < ROUNDS; count += 1) rounds.push(await round());
const figure = (name) => median(rounds.map((one) => one[name])).toFixed(3);
const refused = rounds.reduce((sum, one) => sum + one.refused, 0);
process.stdout.write(`Node ${process.version}, ${orders} orders, medians of ${ROUNDS} rounds\n`);
process.stdout.write(
  `${figure('placing')} x what the limit grants   from the first request to the last answer; wanted 0.9\n`,
);
process.stdout.write(`${figure('whole')} x what the limit grants   the whole command, with its start\n`);
process.stdout.write(
  `${refused} refused for their rate      of ${ROUNDS * Math.ceil(orders / 20)} requests; wanted 0\n`,
);
