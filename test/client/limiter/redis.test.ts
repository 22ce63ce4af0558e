import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { requires } from '../../support/tools.js';
import { Crowd } from './crowd.js';

const open: ChildProcess[] = [];
let crowd: Crowd;
afterEach(() => {
  crowd.close();
  for (const child of open.splice(0)) child.kill('SIGKILL');
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** A Redis of its own; it is up when it says so. */
async function serveRedis(): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn('redis-server', [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ]);
  open.push(child);
  for await (const text of child.stdout ?? []) if (String(text).includes('Ready to accept connections')) break;
  child.stdout?.resume();
  return { url: `redis://127.0.0.1:${port}`, child };
}

describe.skipIf(!requires('redis-server'))('machines that share a Redis (needs redis-server)', () => {
  it('send at most 60 a second together', async () => {
    crowd = await Crowd.gather();
    const { url: redis } = await serveRedis();
    const homes = ['one', 'other', 'one', 'other'];
    const jobs = homes.map((home) => crowd.start({ redis, root: crowd.home(home), calls: 40, jitterMs: 100 }).ended);
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
