// `npm run campaign:agents [-- PAIRS [SEED]]`
import { randomInt } from 'node:crypto';
import { agentCampaign } from '../trading/campaign/agent-campaign.js';

const [pairs = '1000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
const start = performance.now();
const tell = (line: string) => void process.stdout.write(`${line}\n`);
tell(`seed ${seed}`);
// in a small campaign, each client still trades more than once
const servers = Math.min(10, Math.ceil(Number(pairs) / 2));
const { problems, ...figures } = await agentCampaign({ seed: Number(seed), pairs: Number(pairs), servers, tell });
for (const [name, count] of Object.entries(figures)) tell(`${name}: ${count}`);
tell(`problems: ${problems.length}; ${((performance.now() - start) / 1000).toFixed(0)} s`);
for (const problem of problems) tell(problem);
process.exit(problems.length === 0 ? 0 : 1);
