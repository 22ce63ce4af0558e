// `npm run campaign:alerts [-- CROSSINGS [SEED]]`
import { randomInt } from 'node:crypto';
import { alertCampaign } from '../commands/alert/alert-campaign.js';

const [crossings = '200', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${crossings} crossings\n`);
const start = performance.now();
const report = await alertCampaign({
  ...{ crossings: Number(crossings), seed: Number(seed) },
  progress: (count) => process.stdout.isTTY && process.stdout.write(`\r${count} crossings`),
});
const seconds = ((performance.now() - start) / 1_000).toFixed(0);
const troubles = Object.entries(report.troubles).map(([name, count]) => `${count} ${name}`);
process.stdout.write(
  `${report.crossings} crossings and ${report.fills} orders filled, each reported once, ${report.late} late; ` +
    `${troubles.join(', ')} (${seconds} s)\n`,
);
