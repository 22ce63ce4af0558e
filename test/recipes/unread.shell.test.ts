import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { afterFile } from '../support/after-file.js';
import { serveSandbox, temporaryHome } from '../support/pit.js';
import { requires } from '../support/tools.js';
import { checkScript, complaintText, documentedScripts, FailingExchange } from './failing-requests.js';

const { scripts, unmatched } = documentedScripts();

// npm run campaign:recipes tries every fault of every request
describe.skipIf(!requires('jq'))('a script of the documentation that could not read', () => {
  const folder = temporaryHome();
  const lanes: FailingExchange[] = [];

  beforeAll(async () => {
    // each has its own account: pit takes an order that another program places at the same time for a duplicate of its own
    for (const name of ['one', 'two']) {
      const { address } = await serveSandbox(path.join(folder, `sandbox-${name}`));
      lanes.push(await FailingExchange.open(path.join(folder, name), address));
    }
    afterFile(() => {
      for (const lane of lanes) lane.close();
    });
  });

  it('neither trades, cancels nor halts on it, and ends with an error', { timeout: 600_000 }, async () => {
    const wrong: string[] = [];
    const queue = scripts.entries();
    const work = async (lane: FailingExchange) => {
      for (const [place, script] of queue) {
        // one request of each script fails in one way, and each way is tried
        const choose = (faults: readonly string[], index: number, count: number) =>
          faults.filter((_, way) => index === place % count && way === place % faults.length);
        const { runs, complaints } = await checkScript(lane, script, choose);
        expect(runs, script.title).toBe(1);
        wrong.push(...complaints.map(complaintText));
      }
    };
    await Promise.all(lanes.map(work));
    expect(wrong).toEqual([]);
  });

  it('is each one that passes on or decides on what pit printed', () => {
    expect(unmatched).toEqual({ unlisted: [], listedOnly: [], actOn: [] });
  });
});
