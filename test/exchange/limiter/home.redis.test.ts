import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIMITS, type Permit, type Priority } from '../../../src/exchange/limiter/permits.js';
import { type Sharing, sharedRateLimits } from '../../../src/exchange/limiter/shared-limits.js';
import { monotonicMs } from '../../../src/platform/host.js';
import { freePort, serveRedis } from '../../support/redis.js';
import { requires } from '../../support/tools.js';
import { temporaryState } from '../../trading/support/trading.js';

const { count, reserved } = LIMITS.key;

/** A process of a home takes all permits of the key that it can get, and keeps them. */
function processOf(root: string, terms: Partial<Pick<Sharing, 'redisUrl' | 'share'>> = {}) {
  const notices: string[] = [];
  const limits = sharedRateLimits({
    ...{
      root,
      share: 0.25,
      now: Date.now,
      monotonic: monotonicMs,
      keyDigest: () => 'a',
      onUnshared: (words: string) => void notices.push(words),
    },
    ...{ hosts: { base: 'host', trade: 'host' }, ...terms },
  });
  const take = async (most: number = count, priority: Priority = 'common'): Promise<Permit[]> => {
    const [key] = limits.permitsOf('key');
    const taken: Permit[] = [];
    while (key !== undefined && taken.length < most) {
      const claim = await key.claim(priority);
      if (!('permit' in claim)) break;
      taken.push(claim.permit);
    }
    return taken;
  };
  return { take, notices };
}

describe('a home while Redis cannot be reached', () => {
  it('keeps the limit even if one of its profiles does not use Redis', async () => {
    const root = temporaryState();
    const redis = `redis://127.0.0.1:${await freePort()}`;
    expect(await processOf(root).take(50)).toHaveLength(50);
    // fewer than its share are left
    const away = processOf(root, { redisUrl: redis });
    const left = (await away.take()).length;
    expect(left).toBeLessThanOrEqual(count - reserved - 50);
    expect(await processOf(root).take()).toHaveLength(count - reserved - 50 - left);
    expect(away.notices).toEqual([expect.stringMatching(/over Redis .*: this machine uses 25% of each limit\.$/)]);
    expect(readdirSync(path.join(root, 'limits', 'host'))).toHaveLength(1);
  });

  it('keeps the limit even if its profiles have different shares', async () => {
    const root = temporaryState();
    const redis = `redis://127.0.0.1:${await freePort()}`;
    const [half, quarter] = [
      processOf(root, { redisUrl: redis, share: 0.5 }),
      processOf(root, { redisUrl: redis, share: 0.25 }),
    ];
    expect(await half.take()).toHaveLength(29);
    expect(await quarter.take()).toEqual([]);
    // and one of each share is for cancellations
    expect(await quarter.take(count, 'cancel')).toHaveLength(1);
    expect(await half.take(count, 'cancel')).toEqual([]);
  });
});

describe.skipIf(!requires('redis-server'))('a home with Redis (needs redis-server)', () => {
  it('keeps the limit even if one of its profiles does not use Redis', async () => {
    const root = temporaryState();
    const { url: redis } = await serveRedis();
    const permits = await processOf(root, { redisUrl: redis }).take();
    expect(permits).toHaveLength(count - reserved);
    expect(await processOf(root).take()).toEqual([]);
    // returned permits are available to every process
    for (const permit of permits.slice(0, 20)) await permit.cancel();
    expect(await processOf(root).take(15)).toHaveLength(15);
    expect(await processOf(root, { redisUrl: redis }).take()).toHaveLength(5);
    // another home shares with those alone that are in Redis
    expect(await processOf(temporaryState(), { redisUrl: redis }).take()).toHaveLength(15);
  });

  it('keeps the limit even if one of its processes loses Redis', async () => {
    const root = temporaryState();
    const { url: redis, child } = await serveRedis();
    const [one, other] = [processOf(root, { redisUrl: redis }), processOf(root, { redisUrl: redis })];
    expect(await one.take(1)).toHaveLength(1);
    expect(await other.take()).toHaveLength(count - reserved - 1);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(await one.take()).toEqual([]);
  });

  it('keeps the limit with Redis alone if it cannot keep files', async () => {
    const root = temporaryState();
    writeFileSync(path.join(root, 'limits'), 'a file where the folder would be');
    const { url: redis } = await serveRedis();
    const { take, notices } = processOf(root, { redisUrl: redis });
    expect(await take()).toHaveLength(count - reserved);
    expect(notices).toEqual([]);
  });
});
