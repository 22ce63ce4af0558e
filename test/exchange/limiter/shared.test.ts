import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Crowd } from './crowd.js';

let crowd: Crowd;
afterEach(() => crowd.close());

async function crowded(processes: number, job: Parameters<Crowd['start']>[0]): Promise<void> {
  crowd = await Crowd.gather();
  const ends = Array.from({ length: processes }, () => crowd.start({ ...job, waits: true }).ended);
  await crowd.letGo(processes);
  expect(await Promise.all(ends)).toEqual(Array(processes).fill(0));
}

describe('processes that share a home', () => {
  it.each([0, 200])('send at most 60 a second together, with up to %d ms on the way', async (jitterMs) => {
    await crowded(8, { calls: 25, jitterMs });
    expect(crowd.arrivals).toHaveLength(200);
    expect(crowd.most()).toBeLessThanOrEqual(60);
    // three are kept for cancellations
    expect(crowd.most()).toBeGreaterThan(40);
  });

  it('ask for candles at most once a second', async () => {
    await crowded(3, { bucket: 'kline', calls: 1 });
    expect(crowd.most()).toBe(1);
  });

  it('keep a limit of its own for each key, and one for all keys of the host', async () => {
    crowd = await Crowd.gather();
    const keys = ['a', 'b', 'c', 'd'];
    const ends = keys.map((accessKey) => crowd.start({ accessKey, calls: 90, atOnce: 60, waits: true }).ended);
    await crowd.letGo(keys.length);
    await Promise.all(ends);
    for (const key of keys) expect(crowd.most(({ what }) => what.endsWith(key))).toBeLessThanOrEqual(57);
    expect(crowd.most()).toBeLessThanOrEqual(150);
    expect(crowd.most()).toBeGreaterThan(60);
  });

  it('let a cancellation through while everything else is waiting', async () => {
    crowd = await Crowd.gather();
    const others = crowd.start({ calls: 200, atOnce: 100, waits: true });
    await crowd.letGo(1);
    const canceller = crowd.start({ lane: 'cancel', calls: 3, atOnce: 3, waits: true });
    while (crowd.arrivals.length < 57) await delay(5);
    const before = crowd.arrivals.length;
    await crowd.letGo(1);
    await canceller.ended;
    const cancels = crowd.arrivals.flatMap(({ what }, index) => (what.startsWith('cancel') ? index : []));
    expect(cancels).toHaveLength(3);
    // others in their turn are as many as a second grants, and as many again where a second has just ended
    expect((cancels.at(-1) ?? 0) - before).toBeLessThan(120);
    await others.ended;
    expect(crowd.most()).toBeLessThanOrEqual(60);
  });

  it('are not stalled by one that is killed in mid-call', async () => {
    crowd = await Crowd.gather();
    const killed = crowd.start({ bucket: 'kline', calls: 1, jitterMs: 60_000 });
    await delay(1_000);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(await crowd.start({ bucket: 'kline', calls: 1 }).ended).toBe(0);
    expect(crowd.arrivals).toHaveLength(1);
  });
});
