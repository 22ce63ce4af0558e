import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort, serveRedis } from '../../support/redis.js';
import { requires } from '../../support/tools.js';
import { Callers } from './callers.js';

let callers: Callers;
afterEach(() => callers.close());

describe.skipIf(!requires('redis-server'))('machines that share a Redis (needs redis-server)', () => {
  it('machines send at most 60 requests a second together', async () => {
    callers = await Callers.listen();
    const { url: redis } = await serveRedis();
    const homes = ['one', 'other', 'one', 'other'];
    const jobs = homes.map(
      (home) => callers.start({ redis, root: callers.home(home), calls: 35, jitterMs: 100, waits: true }).ended,
    );
    await callers.release(homes.length);
    expect(await Promise.all(jobs)).toEqual([0, 0, 0, 0]);
    expect(callers.arrivals).toHaveLength(140);
    expect(callers.most()).toBeLessThanOrEqual(60);
    // more than the share of a machine that is on its own
    expect(callers.most()).toBeGreaterThan(15);
  });

  it('continues with a share when Redis goes away', async () => {
    callers = await Callers.listen();
    const { url: redis, child } = await serveRedis();
    const job = callers.start({ redis, calls: 120, atOnce: 60 });
    while (callers.arrivals.length < 40) await delay(5);
    child.kill('SIGKILL');
    const gone = callers.arrivals.length;
    expect(await job.ended).toBe(0);
    expect(callers.arrivals).toHaveLength(120);
    // a quarter of sixty, once the requests on their way have arrived
    const later = callers.arrivals.slice(gone + 60).map(({ at }) => at);
    expect(callers.most(({ at }) => later.includes(at))).toBeLessThanOrEqual(15);
  });
});

it('a machine that never reached Redis uses its share', async () => {
  callers = await Callers.listen();
  const redis = `redis://127.0.0.1:${await freePort()}`;
  expect(await callers.start({ redis, calls: 20, atOnce: 20 }).ended).toBe(0);
  expect(callers.most()).toBeLessThanOrEqual(15);
});
