// `npm run campaign:pit-kills [-- KILLS [SEED]]`: KILLS at each point
import { randomInt } from 'node:crypto';
import { killCampaign } from '../trading/campaign/kill-campaign.js';

const [kills = '100', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${kills} kills at each point\n`);
const start = performance.now();
const { report, tallies, drafts } = await killCampaign({
  seed: Number(seed),
  kills: Number(kills),
});
for (const { point, kills: count, tooLate, open, sent } of tallies) {
  process.stdout.write(
    `${point.padEnd(24)} ${count} kills, ${tooLate} of them too late; an open record after ${open}, a request on its way after ${sent}\n`,
  );
}
process.stdout.write(
  `${report.line}; ${drafts} drafts left behind; ${((performance.now() - start) / 1000).toFixed(0)} s\n`,
);
if (!report.isClean) process.stdout.write(`\n${report.details}\n`);
// without an explicit exit, Node 20 was seen to spin forever while it cleaned up after so many processes
process.exit(report.isClean ? 0 : 1);
