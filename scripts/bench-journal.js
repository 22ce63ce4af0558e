// `npm run bench:journal`: what the journal adds to an order, as a ratio to the same order of a pit whose journal touches
// no disk: all else, the look for repeated orders included, is the same. Whole processes, one after the other, because
// that is what a user waits for; and again with many orders settled on the same day, which every order reads.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, root } from './prepare.js';

const ROUNDS = 25;
const MANY = [1_000, 10_000];
const HOUR = 3_600_000;

prepare();
const folder = mkdtempSync(path.join(tmpdir(), 'pit-bench-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
let price = 9_000;

/** What the functions of the journal's file give where nothing is written and nothing is there; undefined for the others. */
const GIVEN = {
  createDurably: 'true',
  namesIn: '[]',
  appendIfThere: 'true',
  movedIfThere: 'true',
  readFrom: 'Buffer.alloc(0)',
};

/** A copy of pit, built from the same sources, whose journal touches no disk. */
function withoutJournal() {
  const copy = path.join(folder, 'without');
  for (const name of ['bin', 'src', 'scripts', 'package.json'])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const file = path.join(copy, 'src', 'trading', 'journal', 'files.ts');
  const names = [...readFileSync(file, 'utf8').matchAll(/^export (async )?function (\w+)/gm)];
  writeFileSync(
    file,
    names
      .map(([, isAsync = '', name]) => `export ${isAsync}function ${name}(..._: any[]): any { return ${GIVEN[name]}; }`)
      .join('\n'),
  );
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.js'], { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the copy was not built: ${stderr}`);
  return path.join(copy, 'bin', 'pit.js');
}

async function serve() {
  const words = [path.join(root, 'bin', 'pit.js'), 'sandbox', 'serve', '--port', '0', '--no-limits'];
  const child = spawn(process.execPath, words, {
    env: { ...inherited, PIT_HOME: path.join(folder, 'exchange') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) return { child, address: JSON.parse(line) };
  throw new Error('the sandbox ended without a word');
}

/** Places one order, far from the market and at a price of its own; how long that took, in ms. */
function order(program, home, { baseUrl, tradeUrl, accessKey, secretKey }) {
  price += 0.01;
  const environment = {
    PIT_BASE_URL: baseUrl,
    PIT_TRADE_URL: tradeUrl,
    PIT_ACCESS_KEY: accessKey,
    PIT_SECRET_KEY: secretKey,
  };
  const words = [program, 'order', 'buy', 'btc_usdt', '0.0006', '--at', price.toFixed(2), '--yes', '--json'];
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, words, {
    env: { ...inherited, ...environment, PIT_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`an order ended with ${status}: ${stderr}`);
  return milliseconds;
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

/** Both in turn, so that a machine that gets slower slows both; the first pairs are a warm-up. */
function compare(title, address, kept, bare) {
  const pairs = Array.from({ length: ROUNDS + 2 }, () => ({
    kept: order(...kept, address),
    bare: order(...bare, address),
  })).slice(2);
  const ratio = median(pairs.map((pair) => pair.kept / pair.bare)).toFixed(2);
  const [own, other] = ['kept', 'bare'].map((name) => median(pairs.map((pair) => pair[name])).toFixed(1));
  process.stdout.write(`${title.padEnd(44)} ${ratio.padStart(6)} x without   (${own} ms to ${other} ms)\n`);
}

/** Adds settled orders of an hour ago to the journal, made from one that was really placed. */
function settleMany(home, count) {
  const journals = path.join(home, 'state', 'journal');
  const settled = path.join(journals, readdirSync(journals)[0], 'settled');
  const file = path.join(settled, readdirSync(settled).at(-1));
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((one) => one.includes('"settled"'));
  const text = line.slice(line.indexOf('{'));
  const older = text.replace(
    /"(at|time|reqTime)":(\d{13})/g,
    (_match, name, time) => `"${name}":${Number(time) - HOUR}`,
  );
  const lines = Array.from({ length: count }, (_, index) => {
    const other = older
      .replace(/"id":"pit[0-9a-f]{24}"/, `"id":"pit${String(index).padStart(24, '0')}"`)
      .replace(/"id":"\d+"/, `"id":"${index}"`);
    return `\n${createHash('sha256').update(other).digest('hex').slice(0, 16)} ${other}\n`;
  });
  appendFileSync(file, lines.join(''));
}

const { child, address } = await serve();
try {
  const program = path.join(root, 'bin', 'pit.js');
  const bare = [withoutJournal(), path.join(folder, 'bare')];
  process.stdout.write(
    `Node ${process.version}, medians of ${ROUNDS} pairs of whole processes, the journal in ${folder}\n`,
  );
  const home = path.join(folder, 'kept');
  compare('an order', address, [program, home], bare);
  if (existsSync('/dev/shm')) {
    const memory = mkdtempSync('/dev/shm/pit-bench-');
    process.on('exit', () => rmSync(memory, { recursive: true, force: true }));
    compare('an order, the journal in memory (/dev/shm)', address, [program, memory], bare);
  }
  let there = 0;
  for (const many of MANY) {
    settleMany(home, many - there);
    there = many;
    compare(`an order after ${many.toLocaleString('en')} others of the day`, address, [program, home], bare);
  }
} finally {
  child.kill();
  rmSync(folder, { recursive: true, force: true });
}
