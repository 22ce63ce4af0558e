// `npm run campaign:algos [-- COUNT [SEED [PER_ROUND [ROUND]]]]`: COUNT algo orders of all kinds, PER_ROUND of them on one exchange, whose
// watching processes are killed at every step. With ROUND, counted from 0, only that one runs.
import { randomInt } from 'node:crypto';
import { algoCampaign } from '../trading/campaign/algo-campaign.js';

const [count = '200', seed = String(randomInt(2 ** 31)), perRound = '40', round] = process.argv.slice(2);
const tell = (line: string) => void process.stdout.write(`${line}\n`);
tell(`seed ${seed}, ${count} algo orders`);
const start = performance.now();
const found = await algoCampaign({
  ...{ seed: Number(seed), count: Number(count), perRound: Number(perRound), tell },
  only: round === undefined ? undefined : Number(round),
});
const listed = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([what, times]) => `\n  ${times} ${what}`)
    .join('');
tell(`kinds:${listed(found.kinds)}\nended:${listed(found.outcomes)}\nprocesses died:${listed(found.deaths)}`);
tell(`others did:${listed(found.disturbances)}\nnot to act for a time:${listed(found.excused)}`);
tell(
  `${found.algos} algo orders with ${found.orders} orders, ${found.duplicates} of them made twice by the network; ` +
    `${found.faults.length} promises broken; ${((performance.now() - start) / 1000).toFixed(0)} s`,
);
// without an explicit exit, Node 20 was seen to spin forever while it cleaned up after so many processes
process.exit(found.faults.length === 0 ? 0 : 1);
