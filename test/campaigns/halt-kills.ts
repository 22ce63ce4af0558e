// `npm run campaign:halt-kills [-- KILLS [SEED]]`: KILLS of all points; without it, each of them
import { randomInt } from 'node:crypto';
import { haltKillCampaign } from '../trading/campaign/halt-kills.js';

const [kills, seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
const tell = (line: string) => void process.stdout.write(`${line}\n`);
tell(`seed ${seed}, ${kills === undefined ? 'a kill at each point' : `${kills} kills`}`);
const start = performance.now();
const all = kills === undefined || kills === 'all' ? {} : { kills: Number(kills) };
const { complaints, ...counts } = await haltKillCampaign({ ...all, seed: Number(seed), tell });
tell(
  `${counts.kills} kills at ${counts.points} points, ${counts.tooLate} of them too late: ` +
    `the second run left something after ${complaints.length}; ${((performance.now() - start) / 1000).toFixed(0)} s`,
);
process.exit(complaints.length === 0 ? 0 : 1);
