// The last step of the build: runs what nearly every command runs against the exchange in a box, and keeps the code that
// V8 made of it. A second process does that again for the bundles that most commands share.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { codeFile, keepCode, quickRequire } from './quick-require.js';

const COMMANDS = [
  'profile set sandbox priceBand 10%',
  'profile list',
  'depth btc_usdt --json',
  'depth btc_usdt',
  'order buy btc_usdt 0.01 --at 28000 --yes --json',
  'orders btc_usdt',
  'cancel btc_usdt --all --yes',
  'balance',
];

/**
 * The bundles with what most commands use. Of these only the code of the most frequent commands is kept, as they run when all
 * that they remember is there: to load the code that others use takes longer than to compile it when it is needed.
 */
const SHARED = ['main.cjs', 'exchange.cjs', 'got.cjs'];
const frequent = (price) => ['profile list', 'depth btc_usdt --json', `order buy btc_usdt 0.01 --at ${price} --yes`];

const [, script, stage] = process.argv;
const isSecond = stage === 'frequent';
const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('../dist', import.meta.url));
const program = path.join(folder, '../bin/pit.js');
const home = mkdtempSync(path.join(tmpdir(), 'pit-build-'));
Object.assign(process.env, { PIT_HOME: home, TERM: 'xterm-256color' });
// each command listens to signals
process.setMaxListeners(0);

const sandbox = spawn(process.execPath, [program, 'sandbox', 'serve', '--port', '0', '--no-limits'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = await once(sandbox.stdout, 'data');
  const { baseUrl, tradeUrl, accessKey, secretKey } = JSON.parse(line);
  const hosts = { PIT_BASE_URL: baseUrl, PIT_TRADE_URL: tradeUrl };
  Object.assign(process.env, hosts, { PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey });
  if (isSecond) {
    // these runs fill the caches that the command finds when its code is kept
    for (const command of frequent(28_000)) start(program, ...command.split(' '));
    for (const bundle of SHARED) rmSync(codeFile(path.join(folder, bundle)));
  }
  const { main } = quickRequire(folder, './main.cjs?src/main.ts', require);
  const { systemHost } = quickRequire(folder, './main.cjs?src/platform/host.ts', require);
  for (const command of isSecond ? frequent(28_001) : COMMANDS) {
    // with a host of its own the program does not end this process
    const code = await main(hostOf(command, systemHost));
    if (code !== 0) throw new Error(`pit ${command} ended with ${code}`);
  }
  if (!isSecond) await main(askedHost(hostOf('order', systemHost)));
} finally {
  sandbox.kill();
  // it keeps its own code, with less of what commands use
  await once(sandbox, 'exit');
  rmSync(home, { recursive: true, force: true });
}
keepCode();
if (!isSecond) start(script, 'frequent');

/** Runs Node on a program of its own, which has to end well. */
function start(...words) {
  const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`);
}

function hostOf(command, systemHost) {
  process.argv = [process.execPath, program, ...command.split(' ')];
  return systemHost();
}

/** A host on a terminal that ends with the first question. */
function askedHost(host) {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const [input, output, errors] = [Object.assign(terminal(), { setRawMode: () => {} }), terminal(), terminal()];
  errors.on('data', (text) => {
    if (text.includes('?')) input.end('\u0003');
  });
  output.resume();
  const streams = { input, output, errors };
  const described = Object.entries(streams).map(([name, value]) => [name, { value }]);
  return Object.create(host, Object.fromEntries(described));
}
