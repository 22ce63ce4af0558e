// `npm run campaign:kills [-- KILLS [SEED]]`
import { randomInt } from 'node:crypto';
import { killCampaign } from '../sandbox/killed/kill-campaign.js';

const [kills = '200', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${kills} kills\n`);
const start = performance.now();
const held = await killCampaign({ seed: Number(seed), kills: Number(kills) });
process.stdout.write(
  `${held.kills} kills: ${held.orders} acknowledged orders, ${held.cancels} cancels, ${held.withdrawals} withdrawals and ` +
    `${held.bills} bills were all there once, and every balance was what its bills say; ` +
    `${((performance.now() - start) / 1000).toFixed(0)} s\n`,
);
