// `npm run campaign:limiter [-- RUNS [redis://HOST:PORT]]`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileStore } from '../../src/exchange/limiter/file-store.js';
import { HOLD_MS, LIMITS } from '../../src/exchange/limiter/permits.js';
import { Callers } from '../exchange/limiter/callers.js';

const [runs = '20', redis] = process.argv.slice(2);
const PROCESSES = 16;
const CALLS = 40;
const JITTER_MS = 200;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The cost of a claim and its return if a permit is free, in microseconds. */
async function cost(): Promise<number> {
  const root = mkdtempSync(path.join(tmpdir(), 'pit-permits-'));
  let now = 0;
  const permits = new FileStore(root, 'key', LIMITS.key, () => now);
  const times = 5_000;
  const start = performance.now();
  for (let time = 0; time < times; time += 1) {
    now += 50;
    const claim = await permits.take('common');
    if ('release' in claim) await claim.release(HOLD_MS);
  }
  const spent = performance.now() - start;
  rmSync(root, { recursive: true, force: true });
  return (spent / times) * 1_000;
}

async function run(): Promise<{ most: number; used: number }> {
  const callers = await Callers.listen();
  try {
    const homes = redis === undefined ? ['home'] : ['one', 'other'];
    const shared = redis === undefined ? {} : { redis };
    const ended = Array.from({ length: PROCESSES }, (_, index) => {
      const root = callers.home(homes[index % homes.length]);
      return callers.start({ ...shared, root, calls: CALLS, jitterMs: JITTER_MS }).ended;
    });
    await Promise.all(ended);
    const times = callers.arrivals.map(({ at }) => at);
    // the last second holds the stragglers
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const whole = times.filter((at) => at < last - 1_000).length;
    return { most: callers.most(), used: whole / ((last - 1_000 - first) / 1_000) / LIMITS.key.count };
  } finally {
    callers.close();
  }
}

/** Four keys of one address as fast as they may: the most in any minute. */
async function minute(): Promise<number> {
  const callers = await Callers.listen();
  try {
    const shared = redis === undefined ? {} : { redis };
    const keys = ['a', 'b', 'c', 'd'].map((accessKey) =>
      callers.start({ ...shared, accessKey, calls: 2_500, atOnce: 60 }),
    );
    await Promise.all(keys.map(({ ended }) => ended));
    return callers.most(undefined, 60_000);
  } finally {
    callers.close();
  }
}

print(`a claim and its return: ${(await cost()).toFixed(0)} µs, with files on this disk`);
let worst = 0;
const shares: number[] = [];
for (let count = 0; count < Number(runs); count += 1) {
  const { most, used } = await run();
  worst = Math.max(worst, most);
  shares.push(used);
}
shares.sort((one, other) => one - other);
const median = shares[shares.length >> 1] ?? 0;
const where = redis === undefined ? 'one home' : 'two homes and one Redis';
print(
  `${runs} runs of ${PROCESSES} processes with ${CALLS} calls each, up to ${JITTER_MS} ms on the way, ${where}: ` +
    `at most ${worst} of ${LIMITS.key.count} in any second, ${(median * 100).toFixed(0)} % of the rate used ` +
    `(${((shares[0] ?? 0) * 100).toFixed(0)} % at least)`,
);
const inMinute = await minute();
print(`four keys at once: at most ${inMinute} in any minute, of 9000`);
if (worst > LIMITS.key.count || inMinute > 9_000) process.exitCode = 1;
