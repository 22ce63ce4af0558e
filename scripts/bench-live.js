// `npm run bench:live -- [MINUTES] [SPEED]`: `pit watch` on a terminal of 120x40 (needs python3) for 30 minutes of a sandbox
// whose clock runs 10 times as fast: updates a second, bytes of an update, processor time and memory. Then the time from the
// key that cancels an order to the bytes on the wire, inside the process.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { prepare, root } from './prepare.js';

const [minutes = 30, speed = 10] = process.argv.slice(2).map(Number);
const WARM_UP_S = 15;
const CANCELLATIONS = 200;
const PIT = path.join(root, 'bin/pit.js');

prepare();
const folder = mkdtempSync(path.join(root, 'node_modules', '.live-'));
const environment = { PATH: process.env.PATH, HOME: folder, PIT_HOME: folder, TERM: 'xterm-256color' };

/** Runs pit to its end and returns what it printed. */
function pit(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PIT, ...words], {
    env: environment,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`pit ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

async function startSandbox() {
  const child = spawn(process.execPath, [PIT, 'sandbox', 'serve', '--port', '0', '--seed', '7'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const _line of createInterface({ input: child.stdout })) return child;
  throw new Error('the sandbox ended');
}

async function watched() {
  const driver = spawn('python3', ['-I', '-S', path.join(root, 'scripts/bench-live.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const command = [process.execPath, PIT, 'watch', 'btc_usdt'];
  driver.stdin.end(JSON.stringify({ command, environment, warmUp: WARM_UP_S, seconds: (minutes * 60) / speed }));
  let text = '';
  for await (const chunk of driver.stdout) text += chunk;
  return JSON.parse(text);
}

/** Our own main program, with a host whose terminal is here. */
async function ownMain() {
  const outfile = path.join(folder, 'main.mjs');
  await build({
    absWorkingDir: root,
    stdin: {
      resolveDir: root,
      contents: `export { main } from './src/main.ts'; export { systemHost } from './src/platform/host.ts';`,
    },
    bundle: true,
    packages: 'external',
    define: { PIT_VERSION: '"bench"' },
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}

/** Milliseconds from each key that cancels to the moment at which its request is handed to the system. */
async function cancelDelays() {
  let pressed = 0;
  let left = () => {};
  const { write } = net.Socket.prototype;
  net.Socket.prototype.write = function (chunk, ...rest) {
    if (String(chunk).includes('/cancelOrder?')) left(performance.now() - pressed);
    return write.call(this, chunk, ...rest);
  };
  process.env.PIT_HOME = folder;
  const { main, systemHost } = await ownMain();
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  let written = '';
  const output = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        written = (written + chunk).slice(-20_000);
        done();
      },
    }),
    { isTTY: true, columns: 120, rows: 40 },
  );
  const until = async (text) => {
    while (!text.test(written)) await delay(10);
  };
  const host = {
    ...systemHost(),
    arguments: ['watch', 'btc_usdt'],
    environment,
    input,
    output,
    errors: new PassThrough().resume(),
  };
  const ended = main(host);
  await until(/\(\d+\) /);
  await delay(1_000);
  const delays = [];
  while (delays.length < CANCELLATIONS) {
    input.write('\t');
    await delay(20);
    const sent = new Promise((resolve) => {
      left = resolve;
    });
    pressed = performance.now();
    input.write('c');
    // nothing is sent for an order whose cancellation is on its way still
    const took = await Promise.race([sent, delay(500)]);
    if (took !== undefined) delays.push(took);
    await delay(200);
  }
  // the last outcomes come
  await delay(2_000);
  input.write('q');
  await ended;
  return delays.sort((one, other) => one - other);
}

const sandbox = await startSandbox();
try {
  pit('sandbox', 'clock', 'speed', String(speed));
  const { status, updatesPerSecond, bytesPerUpdate, cpuPercent, memoryMiB, tail } = await watched();
  const round = (number) => Math.round(number * 10) / 10;
  const quarter = memoryMiB.slice(0, Math.ceil(memoryMiB.length / 4));
  const [first, last] = [Math.max(...quarter), Math.max(...memoryMiB.slice(-quarter.length))];
  console.log(`${minutes} minutes of the sandbox in ${round((minutes * 60) / speed)} s; exit code ${status}`);
  if (status !== 0) console.log(tail);
  console.log(`updates a second          ${round(updatesPerSecond)}`);
  console.log(`bytes an update           ${round(bytesPerUpdate)}`);
  console.log(`processor time            ${round(cpuPercent)} % of a core`);
  console.log(
    `memory                    ${round(first)} MiB at first, ${round(last)} MiB at last (${round((last / first - 1) * 100)} %)`,
  );
  pit('ticker', 'btc_usdt');
  pit('sandbox', 'clock', 'speed', '1');
  pit(
    'order',
    'batch',
    'buy',
    'btc_usdt',
    '--ladder',
    `bid-5%:bid-9%:${CANCELLATIONS + 5}`,
    '--amount',
    '0.5',
    '--yes',
  );
  const delays = await cancelDelays();
  const at = (part) => round(delays[Math.min(delays.length - 1, Math.floor(delays.length * part))]);
  console.log(`cancel key to the wire    median ${at(0.5)} ms, p99 ${at(0.99)} ms, of ${delays.length}`);
} finally {
  sandbox.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
