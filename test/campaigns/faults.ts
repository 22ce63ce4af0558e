// `npm run campaign:faults [-- ACTIONS [SEED]]`
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { faultCampaign } from '../trading/campaign/fault-campaign.js';

const [actions = '10000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${actions} actions\n`);
const start = performance.now();
const tell = (words: string) => void process.stdout.write(`${words}\n`);
const report = await faultCampaign({
  pit: path.resolve('bin/pit.js'),
  seed: Number(seed),
  actions: Number(actions),
  tell,
});
process.stdout.write(`${report.line}; ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
if (!report.isClean) process.stdout.write(`\n${report.details}\n`);
// without an explicit exit, Node 20 was seen to spin forever while it cleaned up after so many processes
process.exit(report.isClean ? 0 : 1);
