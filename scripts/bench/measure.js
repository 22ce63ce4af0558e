// What the benchmarks share: rows of one shape, pairs measured in turn, processes, a sandbox, and our sources as a module.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { importBundled } from '../bundle-program.js';
import { root } from '../prepare.js';

/**
 * What was measured, and what it is held against.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {number} value
 * @property {string} unit
 * @property {number} [ratio] the median of the ratios of pairs, to what was measured beside it
 * @property {number} [beside]
 * @property {string} [besideWhat]
 * @property {number} [atMost] the target, for the ratio if there is one
 * @property {number} [atLeast] the same
 */

/**
 * A process, with the line of JSON that it has printed.
 *
 * @typedef {{ child: import('node:child_process').ChildProcess, [field: string]: any }} Server
 */

export const PIT = path.join(root, 'bin', 'pit.js');

/** Pairs of whole processes or calls: enough that the median does not move by more than a few per cent. */
export const ROUNDS = 25;

// set, it makes every start of Node parse a file of certificates, and hides what pit itself costs
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;

/**
 * The environment of a process, with nothing of the user's own pit in it.
 * @param {string} home
 * @param {Readonly<Record<string, string | undefined>>} [added]
 */
export function environmentOf(home, added = {}) {
  const plain = Object.entries(inherited).filter(([name]) => !name.startsWith('PIT_'));
  return { ...Object.fromEntries(plain), PIT_HOME: home, ...added };
}

/** @type {string[]} */
const temporaryFolders = [];
process.on('exit', () => {
  for (const folder of temporaryFolders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A new folder that is removed when the benchmarks end. */
export function temporaryFolder(parent = tmpdir()) {
  const folder = mkdtempSync(path.join(parent, '.pit-bench-'));
  temporaryFolders.push(folder);
  return folder;
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Measures two things in turn, so that a machine that gets slower slows both. The first pair is a warm-up.
 *
 * @param {() => number | Promise<number>} own
 * @param {() => number | Promise<number>} other
 */
export async function pairsOf(own, other, rounds = ROUNDS) {
  const pairs = [];
  for (let count = 0; count <= rounds; count += 1) {
    // a machine that speeds up or slows down would favour the one that always comes last
    const [first, second] = count % 2 === 0 ? [other, own] : [own, other];
    const results = /** @type {const} */ ([await first(), await second()]);
    pairs.push(count % 2 === 0 ? { other: results[0], own: results[1] } : { own: results[0], other: results[1] });
  }
  return pairs.slice(1);
}

/**
 * @param {string} what
 * @param {{ own: number, other: number }[]} pairs
 * @param {Pick<Row, 'unit' | 'besideWhat' | 'atMost' | 'atLeast'>} details
 * @returns {Row}
 */
export function ratioRow(what, pairs, details) {
  return {
    what,
    value: median(pairs.map(({ own }) => own)),
    beside: median(pairs.map(({ other }) => other)),
    ratio: median(pairs.map(({ own, other }) => own / other)),
    ...details,
  };
}

/**
 * Milliseconds that a program, Node unless another is given, takes from its start to its end. Its exit code has to be 0, or the one
 * that is expected.
 *
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} environment
 * @param {{ cwd?: string, exitCode?: number, program?: string, input?: string }} options
 */
export function run(words, environment, { cwd = root, exitCode = 0, program = process.execPath, input } = {}) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, words, {
    cwd,
    env: environment,
    ...(input === undefined ? {} : { input }),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe'],
  });
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== exitCode) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  return milliseconds;
}

/**
 * Starts a server, which prints a line of JSON when it is ready. It can be sent messages as well.
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<Server>}
 */
export async function started(words, environment) {
  const stdio = /** @type {const} */ (['ignore', 'pipe', 'inherit', 'ipc']);
  const child = spawn(process.execPath, words, { cwd: root, env: environment, stdio: [...stdio] });
  const { stdout } = child;
  if (stdout === null) throw new Error('stdout is a pipe');
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  for await (const line of createInterface({ input: stdout })) return { child, ...JSON.parse(line) };
  throw new Error(`${words[0]} ended without a word`);
}

/**
 * A sandbox, with the environment that makes pit use it.
 * @param {string} home
 * @param {readonly string[]} flags
 * @returns {Promise<Server>}
 */
export async function serveSandbox(home, ...flags) {
  const words = [PIT, 'sandbox', 'serve', '--port', '0', ...flags];
  const served = await started(words, environmentOf(home));
  const { baseUrl, tradeUrl, accessKey, secretKey } = served;
  const keys = { PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey };
  return { ...served, environment: { PIT_BASE_URL: baseUrl, PIT_TRADE_URL: tradeUrl, ...keys } };
}

/**
 * A market for the orders of sandbox-load.js, with its best prices.
 * @param {string} baseUrl
 * @param {string} market
 * @param {string} amount of each order
 */
export async function marketOf(baseUrl, market, amount) {
  const response = await fetch(`${baseUrl}/data/v1/ticker?market=${market}`, { headers: { 'user-agent': 'Mozilla' } });
  const { ticker } = /** @type {any} */ (await response.json());
  return { market, amount, bid: ticker.buy, ask: ticker.sell };
}

/**
 * The peak of resident memory of a program of Node in MiB, as it reports it when it ends.
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} environment
 */
export function peakMemory(words, environment) {
  const folder = temporaryFolder();
  const hook = path.join(folder, 'memory.cjs');
  const report = path.join(folder, 'memory');
  const code = `require('fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS))`;
  writeFileSync(hook, `process.on('exit', () => ${code});`);
  run(['--require', hook, ...words], environment);
  return Number(readFileSync(report, 'utf8')) / 1024;
}

/** @param {Pick<Server, 'child'>} server */
export async function stopped({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

/**
 * What the lines of exports name of our sources, as one module.
 * @param {string} contents
 */
export async function sources(contents) {
  return importBundled(path.join(root, 'module.js'), contents);
}

/** What `npm run build:binary` has made; undefined if it has not. */
export function binary() {
  const file = path.join(root, 'release', 'pit');
  return existsSync(file) ? file : undefined;
}
