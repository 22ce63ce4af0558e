// `npm run campaign:recipes [-- PART]`: each request of each script in the documentation fails in each way; with PART, only of
// scripts whose titles contain it
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkScript, complaintText, documentedScripts, FailingExchange } from '../recipes/failing-requests.js';
import { killProcess, serveProcess } from '../sandbox/support/served-process.js';

const LANES = 4;
const [part = ''] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'pit-recipes-'));
const scripts = documentedScripts().scripts.filter(({ title }) => title.includes(part));
const start = performance.now();
const counts = { runs: 0, complaints: 0 };
const onEnd: (() => Promise<unknown>)[] = [];
try {
  const queue = scripts.values();
  // each has its own account: pit takes an order that another program places at the same time for a duplicate of its own
  const work = async (name: string) => {
    const sandbox = await serveProcess(path.join(folder, `sandbox-${name}`));
    onEnd.push(() => killProcess(sandbox));
    const exchange = await FailingExchange.open(path.join(folder, name), sandbox.address);
    for (const script of queue) {
      const began = performance.now();
      const { runs, complaints } = await checkScript(exchange, script);
      counts.runs += runs;
      counts.complaints += complaints.length;
      process.stdout.write(`${script.title}: ${runs} faults, ${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
      for (const complaint of complaints) process.stdout.write(`${complaintText(complaint)}\n`);
    }
    exchange.close();
  };
  await Promise.all(Array.from({ length: LANES }, (_, index) => work(`lane${index}`)));
} finally {
  for (const end of onEnd) await end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
const seconds = ((performance.now() - start) / 1_000).toFixed(0);
process.stdout.write(
  `${scripts.length} scripts, ${counts.runs} faults: ${counts.complaints} complaints; ${seconds} s\n`,
);
process.exit(scripts.length > 0 && counts.complaints === 0 ? 0 : 1);
