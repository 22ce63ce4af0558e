// `pit watch` on a terminal of 120x40 (needs python3) against a sandbox whose clock runs fast: updates a second, bytes of an
// update, processor time and memory. Then the time from the key that cancels an order to the bytes on the wire, in the process.
import { spawn } from 'node:child_process';
import net from 'node:net';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf, PIT, run, serveSandbox, sources, stopped, temporaryFolder } from './measure.js';

/** Of the sandbox's time, and how fast it runs. */
const [MINUTES, SPEED] = [5, 10];
const WARM_UP_S = 15;
const CANCELLATIONS = 50;

const SOURCES = `export { main } from './src/main.ts';
  export { systemHost } from './src/platform/host.ts';`;

export async function* rows() {
  const home = temporaryFolder();
  const sandbox = await serveSandbox(home, '--seed', '7');
  const environment = environmentOf(home, { TERM: 'xterm-256color' });
  const pit = (/** @type {string[]} */ ...words) => run([PIT, ...words], environment);
  try {
    pit('sandbox', 'clock', 'speed', String(SPEED));
    const { status, updatesPerSecond, bytesPerUpdate, cpuPercent, memoryMiB, tail } = await watched(environment);
    if (status !== 0) throw new Error(`pit watch ended with ${status}: ${tail}`);
    yield { what: `pit watch, a clock ${SPEED} times as fast`, value: updatesPerSecond, unit: 'updates/s' };
    yield { what: 'an update', value: bytesPerUpdate, unit: 'bytes' };
    yield { what: 'processor time', value: cpuPercent, unit: '% of a core' };
    const quarter = Math.ceil(memoryMiB.length / 4);
    const [first, last] = [Math.max(...memoryMiB.slice(0, quarter)), Math.max(...memoryMiB.slice(-quarter))];
    const what = 'memory in the last quarter of the time';
    yield { what, value: last, unit: 'MiB', beside: first, besideWhat: 'in the first', ratio: last / first };
    pit('ticker', 'btc_usdt');
    pit('sandbox', 'clock', 'speed', '1');
    const ladder = ['--ladder', `bid-5%:bid-9%:${CANCELLATIONS + 5}`, '--amount', '0.5'];
    pit('order', 'batch', 'buy', 'btc_usdt', ...ladder, '--yes');
    const delays = await cancelDelays(environment);
    const key = 'from the key that cancels to the wire';
    for (const [part, name] of /** @type {const} */ ([
      [0.5, 'median'],
      [0.99, '99th of 100'],
    ])) {
      const value = delays[Math.min(delays.length - 1, Math.floor(delays.length * part))];
      yield { what: `${key}, ${name}`, value, unit: 'ms' };
    }
  } finally {
    await stopped(sandbox);
  }
}

/** @param {NodeJS.ProcessEnv} environment */
async function watched(environment) {
  const driver = spawn('python3', ['-I', '-S', path.join(import.meta.dirname, 'live.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const command = [process.execPath, PIT, 'watch', 'btc_usdt'];
  const seconds = (MINUTES * 60) / SPEED;
  driver.stdin.end(JSON.stringify({ command, environment, warmUp: WARM_UP_S, seconds }));
  let text = '';
  for await (const chunk of driver.stdout) text += chunk;
  return JSON.parse(text);
}

/**
 * Milliseconds from each key that cancels to the moment at which its request is handed to the system.
 * @param {NodeJS.ProcessEnv} environment
 */
async function cancelDelays(environment) {
  let pressed = 0;
  /** @type {(milliseconds: number) => void} */
  let left = () => {};
  const { write } = net.Socket.prototype;
  net.Socket.prototype.write = function (/** @type {string | Uint8Array} */ chunk, /** @type {any[]} */ ...rest) {
    if (String(chunk).includes('/cancelOrder?')) left(performance.now() - pressed);
    return write.apply(this, /** @type {any} */ ([chunk, ...rest]));
  };
  process.env.PIT_HOME = environment.PIT_HOME;
  const { main, systemHost } = await sources(SOURCES);
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
  const until = async (/** @type {RegExp} */ text) => {
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
  net.Socket.prototype.write = write;
  return delays.sort((one, other) => one - other);
}
