// `npm run campaign:halts [-- WRITES [SEED [redis://HOST:PORT]]]`: with Redis, two machines share it
import { randomInt } from 'node:crypto';
import { haltCampaign } from '../trading/campaign/halt-campaign.js';

const [writes = '1000', seed = String(randomInt(2 ** 31)), redis] = process.argv.slice(2);
const tell = (line: string) => void process.stdout.write(`${line}\n`);
tell(`seed ${seed}, ${writes} writes, ${redis === undefined ? 'one machine' : 'two machines that share a Redis'}`);
const start = performance.now();
const { report, falls, complete, late, refused, cancellations } = await haltCampaign({
  ...{ seed: Number(seed), writes: Number(writes), tell },
  ...(redis === undefined ? {} : { redis }),
});
tell(
  `${report.line}; ${falls} halts, after ${complete} of them nothing was on its way: ${late} writes and ${cancellations} cancellations left then; ` +
    `${refused} commands were refused; ${((performance.now() - start) / 1000).toFixed(0)} s`,
);
if (!report.isClean) tell(`\n${report.details}`);
// without an explicit exit, Node 20 was seen to spin forever while it cleaned up after so many processes
process.exit(report.isClean ? 0 : 1);
