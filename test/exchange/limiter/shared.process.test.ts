import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { Callers } from './callers.js';

let callers: Callers;
afterEach(() => callers.close());

async function callInParallel(processes: number, job: Parameters<Callers['start']>[0]): Promise<void> {
  callers = await Callers.listen();
  const ends = Array.from({ length: processes }, () => callers.start({ ...job, waits: true }).ended);
  await callers.release(processes);
  expect(await Promise.all(ends)).toEqual(Array(processes).fill(0));
}

describe('processes that share a home', () => {
  it.each([0, 200])('sends at most 60 a second in all, with up to %d ms on the way', async (jitterMs) => {
    await callInParallel(4, { calls: 35, jitterMs });
    expect(callers.arrivals).toHaveLength(140);
    expect(callers.most()).toBeLessThanOrEqual(60);
    // more than the share of a machine that is on its own
    expect(callers.most()).toBeGreaterThan(15);
  });

  it('request candles at most once a second', async () => {
    await callInParallel(3, { bucket: 'kline', calls: 1 });
    expect(callers.most()).toBe(1);
  });

  it('keeps a limit for each key, and one for all keys of the host', async () => {
    callers = await Callers.listen();
    callers.isHolding = true;
    const keys = ['a', 'b', 'c', 'd'];
    const ends = keys.map((accessKey) => callers.start({ accessKey, calls: 60, atOnce: 60, waits: true }).ended);
    await callers.release(keys.length);
    // more than a key may have under way
    await eventually(() => expect(callers.arrivals.length).toBeGreaterThan(60));
    callers.answer();
    await Promise.all(ends);
    for (const key of keys) expect(callers.most(({ what }) => what.endsWith(key))).toBeLessThanOrEqual(57);
    expect(callers.most()).toBeLessThanOrEqual(150);
  });

  it('sends a cancellation while everything else waits', async () => {
    callers = await Callers.listen();
    callers.isHolding = true;
    const others = callers.start({ calls: 64, atOnce: 64, waits: true });
    await callers.release(1);
    await eventually(() => expect(callers.arrivals).toHaveLength(57));
    const canceller = callers.start({ priority: 'cancel', calls: 3, atOnce: 3 });
    await eventually(() => expect(callers.arrivals).toHaveLength(60));
    expect(callers.arrivals.slice(57).every(({ what }) => what.startsWith('cancel'))).toBe(true);
    callers.answer();
    expect(await Promise.all([others.ended, canceller.ended])).toEqual([0, 0]);
    expect(callers.most()).toBeLessThanOrEqual(60);
  });

  it('a process killed during a call does not block the others', async () => {
    callers = await Callers.listen();
    // its call waits for a part of this by chance: with a minute, one in sixty would arrive before the kill
    const killed = callers.start({ bucket: 'kline', calls: 1, jitterMs: 2_000_000_000 });
    // it has its permits, for candles and for the host
    await eventually(() => expect(heldPermits(callers.home())).toBe(2));
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(await callers.start({ bucket: 'kline', calls: 1 }).ended).toBe(0);
    expect(callers.arrivals).toHaveLength(1);
  });
});

/** The permits that processes hold: their file names end with the process and its place. */
function heldPermits(home: string): number {
  return readdirSync(home, { recursive: true }).filter((name) => /\d+\.\d+\.\d+\.\w+$/.test(String(name))).length;
}
