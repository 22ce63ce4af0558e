// `npm run bench:streams [-- SECONDS]`: the sandbox pushes eight channels to 1,000 connections, some 10,000 messages a second, for
// a minute. Beside it, a bare `ws` server broadcasts frames of the same size at the same times. It reports the latency from the
// moment at which a change is due, what was lost, the memory, and the messages for a second of processor time as a ratio.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, root } from './prepare.js';

const CONNECTIONS = 1_000;
/** The simulated traders act every half second, by a clock that is the machine's. */
const STEP = 500;
const MARKETS = ['btcusdt', 'ethusdt', 'bchusdt', 'ltcusdt', 'eosusdt', 'xrpusdt', 'ethbtc', 'xrpeth'];
const CHANNELS = MARKETS.map((name) => `${name}_quick_depth`);
const SAMPLE_EVERY = 5_000;

const seconds = Number(process.argv[2] ?? 60);

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

prepare();
const home = mkdtempSync(path.join(tmpdir(), 'pit-bench-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;

function print(line) {
  process.stdout.write(`${line}\n`);
}

async function started(words) {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...inherited, PIT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) };
  throw new Error(`${words[0]} ended without a word`);
}

/** The processor time of a process in seconds, and its memory in MiB. */
function usage(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'cputimes=,rss=', '-p', String(pid)], { encoding: 'utf8' });
  const [time, rss] = stdout.trim().split(/\s+/).map(Number);
  return { time: preciseTime(pid) ?? time, memory: rss / 1024 };
}

/** In hundredths of a second, where the system tells it. */
function preciseTime(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).map(Number);
  return (user + system) / 100;
}

/** Lets 1,000 clients listen to a server. */
async function measure({ child, wsUrl }, milliseconds) {
  const client = fork(path.join(root, 'scripts', 'bench-streams-load.js'));
  client.send({ url: wsUrl, connections: CONNECTIONS, channels: CHANNELS, step: STEP, milliseconds });
  const memory = [];
  let begin = { time: 0 };
  let timer;
  try {
    for (;;) {
      const [message] = await once(client, 'message');
      if (message.begins) {
        begin = usage(child.pid);
        timer = setInterval(() => memory.push(usage(child.pid).memory), SAMPLE_EVERY);
      }
      if (message.done) return { ...message.done, memory, cpu: usage(child.pid).time - begin.time };
    }
  } finally {
    clearInterval(timer);
    client.disconnect();
    child.kill();
    await once(child, 'exit');
  }
}

try {
  const words = [path.join(root, 'bin', 'pit.js'), 'sandbox', 'serve', '--port', '0', '--no-limits'];
  const own = await measure(await started(words), seconds * 1_000);
  const size = Math.round(own.bytes / own.messages);
  const bare = await measure(await started(['-e', BARE, JSON.stringify([CHANNELS, size])]), seconds * 1_000);
  print(
    `Node ${process.version}, ${CONNECTIONS} connections, ${seconds} s, ${CHANNELS.length} channels, ${size} bytes a message`,
  );
  for (const [name, { messages, took, p50, p99, most, incomplete, frames, memory, cpu }] of Object.entries({
    own,
    bare,
  })) {
    const rate = Math.round(messages / (took / 1_000));
    const flat = memory.length === 0 ? '' : `memory ${memory.map((each) => each.toFixed(0)).join(' ')} MiB`;
    print(
      `${name === 'own' ? 'the sandbox' : 'a bare ws'}: ${rate} messages a second; latency p50 ${p50} ms, p99 ${p99} ms, ` +
        `at most ${most} ms; ${incomplete} of ${frames} frames missed by someone; ${cpu.toFixed(2)} s of processor time; ${flat}`,
    );
  }
  const ratio = own.messages / own.cpu / (bare.messages / bare.cpu);
  print(`${ratio.toFixed(2)} x bare ws   messages for a second of processor time; wanted 0.5`);
  if (own.incomplete > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
