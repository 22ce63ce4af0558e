// `npm run campaign:tape-kills [-- KILLS [SEED]]`: records a tape of a sandbox whose streams fail in every way, and kills the recorder KILLS
// times. Then each trade that the exchange showed meanwhile is in the tape exactly once, or within a gap of its channel. Frames of trades
// are not lost: the interface numbers none, so that leaves no trace. At its end the tape says nothing of what came after its last push: a
// connection that has fallen silent is found out a channel at a time, and the recorder may be ended meanwhile.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { killProcess, serveProcess } from '../sandbox/support/served-process.js';
import { pitLine } from '../support/command.js';
import { randomNumbers } from '../support/random.js';

/** The sandbox takes seeds below this. */
const SEEDS = 1_000_000_000;
const [kills = '20', seed = String(randomInt(SEEDS))] = process.argv.slice(2);
const MARKETS = ['btc_usdt', 'eth_usdt', 'ltc_usdt', 'eth_btc'];
/** How long a recorder runs after it has written something, at most, in ms. */
const LONGEST_RUN_MS = 3_000;
/** How far apart the clocks of a trade and of a gap may be, in ms: trades have whole seconds. */
const SLACK_MS = 1_000;
/** Each of them, every so many frames. */
const FAULTS: readonly (readonly [kind: string, every: string, ...more: readonly string[]])[] = [
  ['stream-drop', '11', '--operation', 'depth'],
  ['stream-duplicate', '7'],
  ['stream-reorder', '13'],
  ['stream-delay', '17', '--delay', '400'],
  ['stream-stale', '29'],
  ['stream-garbage', '37'],
  ['stream-cut', '61'],
];

interface Recorded {
  readonly channel?: string;
  readonly received?: string;
  readonly source?: string;
  readonly data?: readonly { readonly id: string; readonly time: string }[];
  readonly gap?: { readonly from: string | null; readonly to: string };
}

const folder = mkdtempSync(path.join(tmpdir(), 'pit-tape-kills-'));
const environment = { PATH: process.env.PATH ?? '', PIT_HOME: folder };
const file = path.join(folder, 'tape.ndjson.gz');
process.stdout.write(`seed ${seed}, ${kills} kills\n`);

const served = await serveProcess(folder, ['--no-limits', '--seed', seed]);
const next = randomNumbers(Number(seed));

for (const [kind, every, ...more] of FAULTS) {
  const [command, ...args] = pitLine('sandbox', 'fault', 'add', kind, '--every', every, ...more);
  const { status, stderr } = spawnSync(command, args, { env: environment, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

interface Shown {
  readonly channel: string;
  readonly id: string;
  readonly time: number;
}

/** Each trade that the exchange has shown over HTTP, where nothing fails. */
const shown = new Map<string, Shown>();
let isOver = false;

async function watch(): Promise<void> {
  while (!isOver) {
    for (const market of MARKETS) {
      const response = await fetch(`${served.address.baseUrl}/data/v1/trades?market=${market}`);
      // the ids are larger than a number may be
      for (const [, time = '', id = ''] of (await response.text()).matchAll(/"date":(\d+)[^}]*"tid":(\d+)/g))
        shown.set(`${market} ${id}`, { channel: `trades:${market}`, id, time: Number(time) * 1_000 });
    }
    await delay(200);
  }
}

function record(): ChildProcess {
  const channels = MARKETS.flatMap((market) => [`trades:${market}`, `depth:${market}`]);
  const [command, ...args] = pitLine('stream', ...channels, '--json', '--out', file);
  return spawn(command, args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
}

const sizeOf = () => (existsSync(file) ? statSync(file).size : 0);

async function endWith(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

const watching = watch();
const start = performance.now();
for (let kill = 0; kill < Number(kills); kill += 1) {
  const before = sizeOf();
  const recorder = record();
  while (sizeOf() === before) await delay(20);
  await delay(next() * LONGEST_RUN_MS);
  await endWith(recorder, 'SIGKILL');
}
const last = record();
await delay(3 * LONGEST_RUN_MS);
isOver = true;
await watching;
await delay(LONGEST_RUN_MS);
await endWith(last, 'SIGINT');
await killProcess(served);

const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
const documents = lines.map((line) => JSON.parse(line) as Recorded);
const times = new Map<string, number>();
for (const { channel = '', data } of documents)
  if (channel.startsWith('trades:'))
    for (const { id } of data ?? []) times.set(`${channel} ${id}`, (times.get(`${channel} ${id}`) ?? 0) + 1);
const firsts = new Map<string, bigint>();
for (const key of times.keys()) {
  const [channel = '', id = '0'] = key.split(' ');
  const known = firsts.get(channel);
  if (known === undefined || BigInt(id) < known) firsts.set(channel, BigInt(id));
}
const gaps = documents.flatMap(({ channel, gap }) => (gap === undefined ? [] : [{ channel, ...gap }]));
const twice = [...times].filter(([, count]) => count > 1);
const pushes = documents.filter(({ source }) => source === 'push');
const end = Math.max(...pushes.map(({ received = '' }) => Date.parse(received) || 0));
const missing = [...shown.values()].filter(({ channel, id, time }) => {
  const first = firsts.get(channel);
  return first !== undefined && BigInt(id) > first && time < end - SLACK_MS && !times.has(`${channel} ${id}`);
});
const unsaid = missing.filter(
  ({ channel, time }) =>
    !gaps.some(
      (gap) =>
        gap.channel === channel &&
        (gap.from === null || Date.parse(gap.from) - SLACK_MS <= time) &&
        Date.parse(gap.to) + SLACK_MS >= time,
    ),
);
for (const [key, count] of twice) process.stdout.write(`${count} times in the tape: ${key}\n`);
for (const { channel, id, time } of unsaid)
  process.stdout.write(`not in the tape, nor in a gap: ${channel} ${id} of ${new Date(time).toISOString()}\n`);
process.stdout.write(
  `${kills} kills, ${shown.size} trades shown, ${times.size} recorded, ${twice.length} of them more than once; ${gaps.length} gaps, ` +
    `${missing.length} trades missing, ${unsaid.length} of them outside of a gap (${((performance.now() - start) / 1_000).toFixed(0)} s)\n`,
);
rmSync(folder, { recursive: true, force: true });
process.exitCode = twice.length === 0 && unsaid.length === 0 && shown.size > 0 ? 0 : 1;
