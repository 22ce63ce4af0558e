// `npm run campaign:fuzz [-- REQUESTS [SEED]]`
import { randomInt } from 'node:crypto';
import { fuzzCampaign } from '../sandbox/server/fuzz-campaign.js';

const [requests = '100000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${requests} requests\n`);
const start = performance.now();
const fuzzed = await fuzzCampaign({ seed: Number(seed), requests: Number(requests) });
const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MiB`;
const kinds = Object.entries(fuzzed.sent).map(([kind, count]) => `${count} ${kind}`);
process.stdout.write(
  `${kinds.join(', ')}: no crash and no defect; ${fuzzed.others} requests of somebody else answered meanwhile; ` +
    `memory ${megabytes(fuzzed.before)} before, ${megabytes(fuzzed.highest)} at most, ${megabytes(fuzzed.after)} after; ` +
    `${((performance.now() - start) / 1000).toFixed(0)} s\n`,
);
