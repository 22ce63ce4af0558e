// `npm run campaign:algos [-- COUNT [SEED]]`: COUNT algo orders whose watching processes are killed all the time
import { randomInt } from 'node:crypto';
import { algoCampaign } from '../trading/campaign/algo-campaign.js';

const [count = '200', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
const tell = (line: string) => void process.stdout.write(`${line}\n`);
tell(`seed ${seed}, ${count} algo orders`);
const start = performance.now();
const { algos, children, kills, duplicates, faults } = await algoCampaign({
  seed: Number(seed),
  count: Number(count),
  tell,
});
tell(
  `${algos} algo orders with ${children} orders, ${duplicates} of them made twice by the network, ${kills} watching processes killed or stopped; ` +
    `${faults.length} promises broken; ${((performance.now() - start) / 1000).toFixed(0)} s`,
);
for (const fault of faults) tell(fault);
process.exit(faults.length === 0 ? 0 : 1);
