// The sandbox pushes eight channels to 1,000 connections, some 10,000 messages a second. Beside it, a bare `ws` server broadcasts
// frames of the same size at the same times: latency from the moment at which a change is due, what was lost, memory, and the
// messages for a second of processor time.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { environmentOf, serveSandbox, started, stopped, temporaryFolder } from './measure.js';

const SECONDS = 20;
const CONNECTIONS = 1_000;
/** The simulated traders act every half second, by a clock that is the machine's. */
const STEP = 500;
const MARKETS = ['btcusdt', 'ethusdt', 'bchusdt', 'ltcusdt', 'eosusdt', 'xrpusdt', 'ethbtc', 'xrpeth'];
const CHANNELS = MARKETS.map((name) => `${name}_quick_depth`);
const SAMPLE_EVERY = 5_000;

/** Broadcasts as the sandbox does, with the text that a message of it has on average. */
const BARE = `const { WebSocketServer } = require('ws');
const [channels, size] = JSON.parse(process.argv[1]);
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
const broadcast = () => {
  for (const channel of channels) {
    const start = '{"lastTime":' + Date.now() + ',"dataType":"quickDepth","channel":"' + channel + '","rest":"';
    const text = start + 'x'.repeat(Math.max(0, size - start.length - 2)) + '"}';
    for (const client of server.clients) client.send(text);
  }
  setTimeout(broadcast, ${STEP} - (Date.now() % ${STEP}));
};
server.on('listening', () => {
  console.log(JSON.stringify({ wsUrl: 'ws://127.0.0.1:' + server.address().port }));
  broadcast();
});`;

/**
 * @typedef {import('./measure.js').Row} Row
 * @typedef {object} Measured
 * @property {number} messages
 * @property {number} bytes
 * @property {number} took in milliseconds
 * @property {number} frames
 * @property {number} incomplete frames that a connection missed
 * @property {number} p50 the median of the latencies, in milliseconds
 * @property {number} p99
 * @property {number[]} memory samples in MiB
 * @property {number} cpu in seconds
 */

export async function* rows() {
  const home = temporaryFolder();
  const own = await measure(await serveSandbox(home, '--no-limits'), SECONDS * 1_000);
  const size = Math.round(own.bytes / own.messages);
  const words = ['-e', BARE, JSON.stringify([CHANNELS, size])];
  const bare = await measure(await started(words, environmentOf(home)), SECONDS * 1_000);
  const besideWhat = 'bare ws';
  /** @type {(what: string, unit: string, of: (measured: Measured) => number, more?: Partial<Row>) => Row} */
  const row = (what, unit, of, more = {}) => ({ what, unit, value: of(own), beside: of(bare), besideWhat, ...more });
  const perCore = (/** @type {Measured} */ { messages, cpu }) => messages / cpu;
  yield row(`messages for a second of processor time, ${CONNECTIONS} connections`, '', perCore, {
    ratio: perCore(own) / perCore(bare),
    atLeast: 0.4,
  });
  yield row('messages', 'a second', ({ messages, took }) => messages / (took / 1_000));
  yield row('latency, median', 'ms', ({ p50 }) => p50);
  yield row('latency, 99th of 100', 'ms', ({ p99 }) => p99);
  yield { what: 'frames that a connection missed', value: own.incomplete, unit: `of ${own.frames}`, atMost: 0 };
  yield row('memory, at most', 'MiB', ({ memory }) => Math.max(...memory));
}

/**
 * The processor time of a process in seconds, and its memory in MiB.
 * @param {number} pid
 */
function usage(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'cputimes=,rss=', '-p', String(pid)], { encoding: 'utf8' });
  const [time = 0, rss = 0] = stdout.trim().split(/\s+/).map(Number);
  return { time: preciseTime(pid) ?? time, memory: rss / 1024 };
}

/**
 * In hundredths of a second, where the system tells it.
 * @param {number} pid
 */
function preciseTime(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / 100;
}

/**
 * Lets 1,000 clients listen to a server.
 * @param {import('./measure.js').Server} server
 * @param {number} milliseconds
 * @returns {Promise<Measured>}
 */
async function measure(server, milliseconds) {
  const { child, wsUrl } = server;
  const { pid = 0 } = child;
  const client = fork(path.join(import.meta.dirname, 'streams-load.js'));
  client.send({ url: wsUrl, connections: CONNECTIONS, channels: CHANNELS, step: STEP, milliseconds });
  /** @type {number[]} */
  const memory = [];
  /** @type {{ time: number }} */
  let begin = { time: 0 };
  let timer;
  try {
    for (;;) {
      const [message] = await once(client, 'message');
      if (message.begins) {
        begin = usage(pid);
        timer = setInterval(() => memory.push(usage(pid).memory), SAMPLE_EVERY);
      }
      if (message.done) return { ...message.done, memory, cpu: usage(pid).time - begin.time };
    }
  } finally {
    clearInterval(timer);
    client.disconnect();
    await stopped(server);
  }
}
