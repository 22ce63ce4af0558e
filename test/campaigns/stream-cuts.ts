// `npm run campaign:stream-cuts [-- CUTS [EVENTS [SEED]]]`
import { randomInt } from 'node:crypto';
import { feedCampaign } from '../exchange/stream/feed-campaign.js';

const [cuts = '200', events = '100000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${cuts} cuts in ${events} events\n`);
const start = performance.now();
const report = await feedCampaign({
  ...{ cuts: Number(cuts), events: Number(events), seed: Number(seed) },
  progress: (cut, count) => {
    if (cut % 20 === 0) process.stdout.write(`${cut} cuts, ${count} events\n`);
  },
});
const seconds = ((performance.now() - start) / 1_000).toFixed(0);
process.stdout.write(
  `${report.cuts} cuts in ${report.events} events: all feeds equalled the exchange after each, ${report.gaps} gaps reported, ` +
    `${report.requests} requests, at most ${report.worstSecond} a second for a key, ${report.refused} refused (${seconds} s)\n`,
);
if (report.refused > 0) process.exitCode = 1;
