// What a start of pit costs, as a ratio to `node -e 0` beside it.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  binary,
  environmentOf,
  PIT,
  pairsOf,
  peakMemory,
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
  version: 1.15,
  help: 1.25,
  completion: 1.5,
  profiles: 2,
  depth: 2.8,
  order: 4.6,
  question: 2.9,
  memory: 1.4,
  mcp: 6,
};

/**
 * After an order, pit reads the exchange's list back to five seconds before it. With more than ten orders in these, that takes
 * more than the three requests that the target is for.
 */
const ORDER_EVERY_MS = 600;

/** What a client sends to `pit mcp` before the first call. It ends after it has answered. */
const LIST_TOOLS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

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
os.write(master, b"\\x03")
try:
    while os.read(master, 65536):
        pass
except OSError:
    pass
os.waitpid(pid, 0)
`;

export async function* rows() {
  const home = temporaryFolder();
  const plain = environmentOf(home);
  const bare = () => run(BARE, plain);
  /** @type {(line: string, options?: { environment?: NodeJS.ProcessEnv, exitCode?: number, atMost?: number }) => Promise<object>} */
  const row = async (line, { environment = plain, exitCode = 0, ...target } = {}) =>
    ratioRow(`pit ${line}`, await pairsOf(() => run([PIT, ...line.split(' ')], environment, { exitCode }), bare), {
      ...BESIDE,
      ...target,
    });
  yield await row('--version', { atMost: AT_MOST.version });
  yield await row('--help', { atMost: AT_MOST.help });
  yield await row('__complete pit', { atMost: AT_MOST.completion });
  yield await row('profile list', { atMost: AT_MOST.profiles });
  yield ratioRow(
    'pit mcp, to its list of tools',
    await pairsOf(() => run([PIT, 'mcp'], plain, { input: LIST_TOOLS }), bare),
    { ...BESIDE, atMost: AT_MOST.mcp },
  );
  const sandbox = await serveSandbox(path.join(home, 'exchange'), '--no-limits');
  try {
    const environment = environmentOf(home, sandbox.environment);
    run([PIT, 'markets'], environment);
    const program = binary();
    if (program !== undefined)
      for (const line of ['--version', 'depth btc_usdt --json'])
        yield ratioRow(
          `the binary release/pit, ${line}`,
          await pairsOf(() => run(line.split(' '), environment, { program }), bare),
          BESIDE,
        );
    yield await row('depth btc_usdt --json', { environment, atMost: AT_MOST.depth });
    yield await row('depth btc_usdt', { environment });
    yield await row('balance', { environment });
    // a price of its own for each, near the market: orders on the same terms would be asked about, others warned about
    let price = 27_900;
    const order = async () => {
      price += 0.01;
      await setTimeout(ORDER_EVERY_MS);
      return run([PIT, 'order', 'buy', 'btc_usdt', '0.0006', '--at', price.toFixed(2), '--yes'], environment);
    };
    yield ratioRow('pit order buy … --yes', await pairsOf(order, bare), { ...BESIDE, atMost: AT_MOST.order });
    yield* firstPrompt(environment, bare);
    yield await memory(environment);
  } finally {
    await stopped(sandbox);
  }
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {() => number} bare
 */
async function* firstPrompt(environment, bare) {
  if (spawnSync('python3', ['--version']).status !== 0) return;
  const terminal = { ...environment, TERM: 'xterm-256color' };
  const prompt = () => {
    const job = { command: [process.execPath, PIT, 'order'], environment: terminal, prompt: '?' };
    const { stdout, stderr, status } = spawnSync('python3', ['-I', '-S', '-c', FIRST_PROMPT], {
      input: JSON.stringify(job),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr}`);
    return Number(stdout);
  };
  const target = { ...BESIDE, atMost: AT_MOST.question };
  yield ratioRow('pit order, to its first question', await pairsOf(prompt, bare), target);
}

/** @param {NodeJS.ProcessEnv} environment */
async function memory(environment) {
  const own = () => peakMemory([PIT, 'depth', 'btc_usdt', '--json'], environment);
  const pairs = await pairsOf(own, () => peakMemory(BARE, environment), Math.ceil(ROUNDS / 5));
  const what = 'peak memory of pit depth btc_usdt --json';
  return ratioRow(what, pairs, { ...BESIDE, unit: 'MiB', atMost: AT_MOST.memory });
}
