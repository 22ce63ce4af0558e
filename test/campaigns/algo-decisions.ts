// `npm run campaign:algo-decisions [-- COUNT [SEED]]`
import { randomInt } from 'node:crypto';
import { runRandomly } from '../trading/algos/support/random-run.js';

const [count = '100000', first = String(randomInt(2 ** 30))] = process.argv.slice(2);
process.stdout.write(`seed ${first}, ${count} algo orders\n`);
/** After how many of them the campaign says how far it is. */
const REPORT = 10_000;
const counts = new Map<string, number>();
const start = performance.now();
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  const { kind, outcome } = runRandomly(seed);
  const name = `${kind} ${outcome}`;
  counts.set(name, (counts.get(name) ?? 0) + 1);
  const done = seed + 1 - Number(first);
  if (done % REPORT === 0) process.stdout.write(`${done} done\n`);
}
for (const [name, count] of [...counts].sort()) process.stdout.write(`${name}: ${count}\n`);
process.stdout.write(`nothing wrong in ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
