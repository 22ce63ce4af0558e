// `npm run bench`: what a start of pit costs, as a ratio to `node -e 0` run beside it, and what it costs to parse an order book
// without losing a digit, as a ratio to JSON.parse.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
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

/** At most this many times as long as JSON.parse. */
const PARSER_WANTED = 4;
const BOOKS = 2_000;

async function compareParsers() {
  const outfile = path.join(home, 'json.mjs');
  const entryPoints = [path.join(root, 'src/platform/json.ts')];
  await build({ entryPoints, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'warning' });
  const { parseJson } = await import(pathToFileURL(outfile).href);
  const side = (price) =>
    Array.from({ length: 50 }, (_, level) => `[${(price + level * 0.37).toFixed(2)},0.${level + 1}]`);
  const book = `{"asks":[${side(32383)}],"bids":[${side(32360)}],"channel":"btcusdt_depth","timestamp":1653997711}`;
  const timed = (parse) => {
    const start = process.hrtime.bigint();
    for (let count = 0; count < BOOKS; count += 1) parse(book);
    return Number(process.hrtime.bigint() - start) / 1e3 / BOOKS;
  };
  const pairs = Array.from({ length: ROUNDS + 1 }, () => ({ bare: timed(JSON.parse), pit: timed(parseJson) })).slice(1);
  const ratio = median(pairs.map(({ bare, pit }) => pit / bare)).toFixed(2);
  const [bare, pit] = ['bare', 'pit'].map((name) => median(pairs.map((pair) => pair[name])).toFixed(1));
  const wanted = `wanted: at most ${PARSER_WANTED}; ${pit} µs to ${bare} µs`;
  process.stdout.write(`${'lossless parser, a book'.padEnd(28)} ${ratio.padStart(6)} x JSON.parse  (${wanted})\n`);
}

try {
  process.stdout.write(`Node ${process.version}, medians of ${ROUNDS} pairs\n`);
  await compareParsers();
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
