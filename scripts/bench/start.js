// What a start of pit costs, as a ratio to `node -e 0` beside it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { root } from '../prepare.js';
import {
  binaries,
  environmentOf,
  PIT,
  pairsOf,
  ROUNDS,
  ratioRow,
  run,
  serveSandbox,
  stopped,
  temporaryFolder,
} from './measure.js';

const BARE = ['-e', '0'];
const BESIDE = { unit: 'ms', besideWhat: 'node -e 0' };
/** The most that each may cost, as a ratio to `node -e 0`. */
const AT_MOST = {
  version: 1.12,
  help: 1.2,
  unknown: 1.25,
  completion: 1.6,
  profiles: 1.6,
  depth: 2.3,
  order: 3,
  question: 2,
  memory: 1.3,
};

/**
 * After an order, pit reads the exchange's list back to five seconds before it. With more than ten orders in these, that takes
 * more than the three requests that the target is for.
 */
const ORDER_EVERY_MS = 600;

/** Prints the milliseconds until a program on a terminal has asked something. */
const FIRST_PROMPT = `
import json, os, pty, sys, time
job = json.load(sys.stdin)
start = time.monotonic()
pid, master = pty.fork()
if pid == 0:
    os.execvpe(job["command"][0], job["command"], job["environment"])
seen = b""
while job["prompt"].encode() not in seen:
    seen += os.read(master, 65536)
print((time.monotonic() - start) * 1000)
os.kill(pid, 9)
os.waitpid(pid, 0)
`;

export async function* rows() {
  const home = temporaryFolder();
  const plain = environmentOf(home);
  const bare = () => run(BARE, plain);
  const row = async (line, { environment = plain, exitCode = 0, ...target } = {}) =>
    ratioRow(`pit ${line}`, await pairsOf(() => run([PIT, ...line.split(' ')], environment, { exitCode }), bare), {
      ...BESIDE,
      ...target,
    });
  yield await row('--version', { atMost: AT_MOST.version });
  yield await row('--help', { atMost: AT_MOST.help });
  yield await row('depht', { exitCode: 2, atMost: AT_MOST.unknown });
  yield await row('__complete pit', { atMost: AT_MOST.completion });
  yield await row('profile list', { atMost: AT_MOST.profiles });
  const sandbox = await serveSandbox(path.join(home, 'exchange'), '--no-limits');
  try {
    const environment = environmentOf(home, sandbox.environment);
    const alone = await programAlone();
    run([PIT, 'markets'], environment);
    for (const program of binaries())
      for (const line of ['--version', 'depth btc_usdt --json'])
        yield ratioRow(
          `the binary release/${path.basename(program)}, ${line}`,
          await pairsOf(() => run(line.split(' '), environment, { program }), bare),
          BESIDE,
        );
    yield await row('depth btc_usdt --json', { environment, atMost: AT_MOST.depth });
    yield ratioRow('its request over got alone', await pairsOf(() => run(alone('depth'), environment), bare), BESIDE);
    yield await row('depth btc_usdt', { environment });
    yield await row('balance', { environment });
    // a price of its own for each, near the market: orders on the same terms would be asked about, others warned about
    let price = 27_900;
    const order = (wordsAt) => async () => {
      price += 0.01;
      await setTimeout(ORDER_EVERY_MS);
      return run(wordsAt(price.toFixed(2)), environment);
    };
    const byPit = order((at) => [PIT, 'order', 'buy', 'btc_usdt', '0.0006', '--at', at, '--yes']);
    yield ratioRow('pit order buy … --yes', await pairsOf(byPit, bare), { ...BESIDE, atMost: AT_MOST.order });
    const overGot = order((at) => alone('order', at));
    yield ratioRow('its three requests over got alone, signed', await pairsOf(overGot, bare), BESIDE);
    yield* firstPrompt(environment, bare, alone);
    yield* memory(home, environment, alone);
  } finally {
    await stopped(sandbox);
  }
}

/** The words that run alone.js. */
async function programAlone() {
  const outfile = path.join(temporaryFolder(), 'alone.cjs');
  await build({
    entryPoints: [path.join(root, 'scripts', 'bench', 'alone.js')],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'warning',
  });
  return (...words) => [outfile, path.join(root, 'dist'), ...words];
}

async function* firstPrompt(environment, bare, alone) {
  if (spawnSync('python3', ['--version']).status !== 0) return;
  const terminal = { ...environment, TERM: 'xterm-256color' };
  const prompt = (words) => () => {
    const job = { command: [process.execPath, ...words], environment: terminal, prompt: '?' };
    const { stdout, stderr, status } = spawnSync('python3', ['-I', '-S', '-c', FIRST_PROMPT], {
      input: JSON.stringify(job),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr}`);
    return Number(stdout);
  };
  const target = { ...BESIDE, atMost: AT_MOST.question };
  yield ratioRow('pit order, to its first question', await pairsOf(prompt([PIT, 'order']), bare), target);
  yield ratioRow('a question of inquirer alone', await pairsOf(prompt(alone('question')), bare), BESIDE);
}

/** Peak resident memory, as the process itself tells it when it ends. */
async function* memory(home, environment, alone) {
  const hook = path.join(home, 'memory.cjs');
  const told = path.join(home, 'memory');
  const code = `require('fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS))`;
  writeFileSync(hook, `process.on('exit', () => ${code});`);
  const peak = (words) => {
    run(['--require', hook, ...words], environment);
    return Number(readFileSync(told, 'utf8')) / 1024;
  };
  const pairs = (words) =>
    pairsOf(
      () => peak(words),
      () => peak(BARE),
      Math.ceil(ROUNDS / 5),
    );
  const beside = { ...BESIDE, unit: 'MiB' };
  const what = 'peak memory of pit depth btc_usdt --json';
  yield ratioRow(what, await pairs([PIT, 'depth', 'btc_usdt', '--json']), { ...beside, atMost: AT_MOST.memory });
  yield ratioRow('peak memory of its request over got alone', await pairs(alone('depth')), beside);
}
