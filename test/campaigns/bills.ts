// `npm run campaign:bills [-- BILLS [SEED]]`
import { randomInt } from 'node:crypto';
import { billCampaign } from '../commands/funds/bill-campaign.js';

const FEW = 1_000;
const [many = '100000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${many} bills next to ${FEW}\n`);
const options = { seed: Number(seed), few: FEW, many: Number(many) };
const measured = await billCampaign(options);
for (const { words, few, many: most, seconds } of measured) {
  process.stdout.write(
    `${(most / few).toFixed(2)} x the memory   ${words}: the ledger to the digit; wanted 1.3 at most ` +
      `(${most.toFixed(0)} MiB to ${few.toFixed(0)} MiB; ${seconds.toFixed(0)} s)\n`,
  );
}
