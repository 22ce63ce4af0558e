// `npm run campaign:engine [-- OPERATIONS [SEED]]`
import { randomInt } from 'node:crypto';
import { engineCampaign } from '../sandbox/support/campaign.js';

const [operations = '1000000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${operations} operations\n`);
const start = performance.now();
const { spent, ...counts } = engineCampaign(Number(seed), Number(operations));
const { placed, refused, cancelled, trades } = counts;
const rate = Math.round(Number(operations) / (spent / 1000));
process.stdout.write(
  `${placed} placed, ${refused} refused, ${cancelled} cancelled, ${trades} trades: equal to the model after each\n` +
    `${rate} operations a second in the engine with its ledger, bills and tape; ` +
    `${((performance.now() - start) / 1000).toFixed(1)} s with the model\n`,
);
