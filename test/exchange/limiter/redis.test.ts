import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort, serveRedis } from '../../support/redis.js';
import { requires } from '../../support/tools.js';
import { Crowd } from './crowd.js';

let crowd: Crowd;
afterEach(() => crowd.close());

describe.skipIf(!requires('redis-server'))('machines that share a Redis (needs redis-server)', () => {
  it('send at most 60 a second together', async () => {
    crowd = await Crowd.gather();
    const { url: redis } = await serveRedis();
    const homes = ['one', 'other', 'one', 'other'];
    const jobs = homes.map(
      (home) => crowd.start({ redis, root: crowd.home(home), calls: 40, jitterMs: 100, waits: true }).ended,
    );
    await crowd.letGo(homes.length);
    expect(await Promise.all(jobs)).toEqual([0, 0, 0, 0]);
    expect(crowd.arrivals).toHaveLength(160);
    expect(crowd.most()).toBeLessThanOrEqual(60);
    expect(crowd.most()).toBeGreaterThan(40);
  });

  it('go on with a share of their own when it goes away in the middle', async () => {
    crowd = await Crowd.gather();
    const { url: redis, child } = await serveRedis();
    const job = crowd.start({ redis, calls: 120, atOnce: 60 });
    while (crowd.arrivals.length < 40) await delay(5);
    child.kill('SIGKILL');
    const gone = crowd.arrivals.length;
    expect(await job.ended).toBe(0);
    expect(crowd.arrivals).toHaveLength(120);
    // a quarter of sixty, once what was on its way has arrived
    const later = crowd.arrivals.slice(gone + 60).map(({ at }) => at);
    expect(crowd.most(({ at }) => later.includes(at))).toBeLessThanOrEqual(15);
  });
});

it('a Redis that was never there leaves a share', async () => {
  crowd = await Crowd.gather();
  const redis = `redis://127.0.0.1:${await freePort()}`;
  expect(await crowd.start({ redis, calls: 20, atOnce: 20 }).ended).toBe(0);
  expect(crowd.most()).toBeLessThanOrEqual(15);
});
