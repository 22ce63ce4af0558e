// What it costs to keep a rate limit together with other processes, beside a file that is created and removed.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pairsOf, ratioRow, sources, temporaryFolder, timed } from './measure.js';

/** Below the limit of 60 requests a second, so that nothing waits. */
const REQUESTS = 40;

const SOURCES = `export { Limiter } from './src/exchange/limiter/limiter.ts';
  export { sharedLimits } from './src/exchange/limiter/shared-limits.ts';
  export { TimeBudget } from './src/exchange/budget.ts';
  export { systemHost } from './src/platform/host.ts';`;

export async function* rows() {
  const { Limiter, sharedLimits, TimeBudget, systemHost } = await sources(SOURCES);
  const host = systemHost();
  const folder = temporaryFolder();
  let homes = 0;
  const shared = () => {
    homes += 1;
    return sharedLimits({
      root: path.join(folder, String(homes)),
      now: host.now,
      share: 1,
      accessKey: () => 'key',
      hosts: { base: 'base', trade: 'trade' },
      onUnshared: () => undefined,
    });
  };
  const microseconds = async (each) => {
    const milliseconds = await timed(async () => {
      for (let count = 0; count < REQUESTS; count += 1) await each();
    });
    return (milliseconds * 1_000) / REQUESTS;
  };
  const own = () => {
    const limiter = new Limiter(host, new TimeBudget(30_000, host.monotonic), shared());
    return microseconds(async () => {
      const slot = await limiter.acquire({ bucket: 'key', priority: 'common', mayProbeLock: false });
      slot.responded();
      await slot.end('answer');
    });
  };
  const file = path.join(folder, 'file');
  const bare = () => microseconds(() => writeFile(file, '').then(() => rm(file)));
  yield ratioRow('permission for a signed request', await pairsOf(own, bare), {
    unit: 'µs',
    besideWhat: 'a file created and removed',
  });
}
