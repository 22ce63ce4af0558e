// `npm run bench`: what a start of pit costs, as a ratio to `node -e 0` run beside it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepare, root } from './prepare.js';

const ROUNDS = 25;
const program = path.join(root, 'bin', 'pit.js');

prepare();

const home = mkdtempSync(path.join(tmpdir(), 'pit-bench-'));
// set, it makes every start of Node parse a file of certificates, and hides what pit itself costs
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const environment = { ...inherited, PIT_HOME: home };

function run(words) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, words, {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  return milliseconds;
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

/** Both in turn, so that a machine that gets slower slows both; the first pair is a warm-up. */
function compare(title, words) {
  const pairs = Array.from({ length: ROUNDS + 1 }, () => ({
    bare: run(['-e', '0']),
    pit: run([program, ...words]),
  })).slice(1);
  const ratio = median(pairs.map(({ bare, pit }) => pit / bare)).toFixed(2);
  const [bare, pit] = ['bare', 'pit'].map((name) => median(pairs.map((pair) => pair[name])).toFixed(1));
  process.stdout.write(`${title.padEnd(28)} ${ratio.padStart(6)} x node -e 0   (${pit} ms to ${bare} ms)\n`);
}

try {
  process.stdout.write(`Node ${process.version}, medians of ${ROUNDS} pairs\n`);
  compare('pit --version', ['--version']);
  compare('pit --help', ['--help']);
  run([program, 'sandbox', 'start']);
  run([program, 'markets']);
  compare('pit depth btc_usdt', ['depth', 'btc_usdt']);
  compare('pit depth btc_usdt --json', ['depth', 'btc_usdt', '--json']);
  compare('pit balance', ['balance']);
} finally {
  run([program, 'sandbox', 'stop']);
  rmSync(home, { recursive: true, force: true });
}
