// `npm run campaign:faults [-- ACTIONS [SEED]]`, or `-- kinds [slice] [SEED] [NAME]`: each kind of fault in turn, against every
// operation that it can meet or, as a slice, against one of them; NAME limits it to kinds whose names contain it
import { randomInt } from 'node:crypto';
import { faultCampaign } from '../trading/campaign/fault-campaign.js';
import { CAMPAIGN_FAULTS } from '../trading/campaign/fault-kinds.js';
import { kindCampaign } from '../trading/campaign/kind-campaign.js';
import type { Report } from '../trading/campaign/report.js';

const [what = '10000', ...words] = process.argv.slice(2);
const start = performance.now();
const tell = (line: string) => void process.stdout.write(`${line}\n`);
const report = await (what === 'kinds' ? kinds() : actions());

function actions(): Promise<Report> {
  const seed = Number(words[0] ?? randomInt(2 ** 31));
  tell(`seed ${seed}, ${what} actions`);
  return faultCampaign({ seed, actions: Number(what), tell });
}

async function kinds(): Promise<Report> {
  const isSlice = words[0] === 'slice';
  const [seed = '1', only = ''] = isSlice ? words.slice(1) : words;
  if (!/^\d+$/.test(seed)) throw new Error(`${seed} is no seed: kinds [slice] [SEED] [NAME]`);
  tell(`seed ${seed}, ${CAMPAIGN_FAULTS.length} kinds of fault`);
  const { report: found, coverage } = await kindCampaign({ seed: Number(seed), isSlice, only, tell });
  tell(`kinds applied: ${[...coverage].map(([operation, count]) => `${operation} ${count}`).join(', ')}`);
  return found;
}
process.stdout.write(`${report.line}; ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
if (!report.isClean) process.stdout.write(`\n${report.details}\n`);
// without an explicit exit, Node 20 was seen to spin forever while it cleaned up after so many processes
process.exit(report.isClean ? 0 : 1);
