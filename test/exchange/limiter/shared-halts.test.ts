import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { machineDigest } from '../../../src/exchange/limiter/file-store.js';
import { IpLock } from '../../../src/exchange/limiter/ip-lock.js';
import { Latch } from '../../../src/exchange/limiter/latch.js';
import type { Redis } from '../../../src/exchange/limiter/redis-store.js';
import { SharedHalts } from '../../../src/exchange/limiter/shared-halts.js';
import { type Sharing, sharedRateLimits } from '../../../src/exchange/limiter/shared-limits.js';
import { limiterState } from '../../../src/exchange/limiter/state.js';
import { saying } from '../../support/advice.js';
import { fakeHost, NOW } from '../../support/fake-host.js';
import { temporaryState } from '../../trading/support/trading.js';

const SECRET = 'a-secret-key';
/** No system gives a process so high a number. */
const GONE = 99_999_999;
/** The clock of Redis, which has nothing to do with that of this machine. */
const REDIS_NOW = 5_000_000;

/** A Redis that gives these answers in turn, and what it was asked. */
function answering(...answers: unknown[]) {
  const asked: string[][] = [];
  const evaluate = async (_script: string, key: string, args: string[]) => {
    asked.push([key, ...args]);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { redis: { eval: evaluate } as unknown as Redis, asked };
}

const halt = (id: string, more: object = {}) => ({ id, since: NOW, until: null, reason: id, lastsMs: null, ...more });
/** A halt as Redis keeps it, which was set so long ago. */
const kept = (record: object, agoMs = 0) => `${REDIS_NOW - agoMs} ${JSON.stringify(record)}`;
/** One that lasts so long from the moment at which it was set. */
const lasting = (id: string, lastsMs: number) => halt(id, { until: NOW + lastsMs, lastsMs });

const proofOf = (id: string, secret = SECRET) =>
  createHmac('sha256', secret).update(`pit lifted halt ${id}`).digest('hex');

function sharedBy(redis: Redis, secretKey = async () => SECRET) {
  return new SharedHalts(redis, 'pit/halted/one', () => NOW, secretKey);
}

describe('the halts that Redis has', () => {
  it('are those that last, and the one that lasts longest is first', async () => {
    const texts = [
      ...[kept(lasting('short', 10_000)), kept(halt('endless')), kept(lasting('long', 20_000))],
      kept({ ...lasting('over', 1_000), until: NOW }, 1_000),
    ];
    const { redis, asked } = answering([REDIS_NOW, '', texts]);
    const { halts, isFileLifted } = await sharedBy(redis).read('mine');
    expect(halts.map(({ reason }) => reason)).toEqual(['endless', 'long', 'short']);
    expect(isFileLifted).toBe(false);
    expect(asked).toEqual([['pit/halted/one', 'mine']]);
  });

  it('end by the clock of Redis since they were set, and by that of this machine', async () => {
    const read = async (agoMs: number, until: number) => {
      const { redis } = answering([REDIS_NOW, '', [kept(halt('one', { until, lastsMs: 1_000 }), agoMs)]]);
      return (await sharedBy(redis).read('')).halts.map((one) => one.until);
    };
    expect(await read(999, NOW)).toEqual([NOW + 1]);
    expect(await read(1_000, NOW + 1)).toEqual([NOW + 1]);
    expect(await read(1_000, NOW)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no list', null, 'its answer cannot be read'],
    ['no clock', ['now', '', []], 'its answer cannot be read'],
    ['no halts', [REDIS_NOW, '', 'none'], 'its answer cannot be read'],
    ['a halt without its time', [REDIS_NOW, '', [JSON.stringify(halt('one'))]], 'a halt that it holds is damaged'],
    ['a halt that is no JSON', [REDIS_NOW, '', ['5 {']], 'a halt that it holds is damaged'],
    ['a halt without an id', [REDIS_NOW, '', [kept(halt('one', { id: 1 }))]], 'a halt that it holds is damaged'],
  ])('cannot be read from an answer with %s', async (_, answer, message) => {
    await expect(sharedBy(answering(answer).redis).read('')).rejects.toThrow(message);
  });

  it.each<[string, proof: unknown, fileId: string, isLifted: boolean]>([
    ['with its proof', proofOf('mine'), 'mine', true],
    ['with that of another halt', proofOf('other'), 'mine', false],
    ['with one of another key', proofOf('mine', 'b-secret-key'), 'mine', false],
    ['without one', '', 'mine', false],
    ['with what is no text', 7, 'mine', false],
    ['without a file', proofOf(''), '', false],
  ])('lift the halt of the file %s: %s, %s, %s', async (_, proof, fileId, isLifted) => {
    const { redis } = answering([REDIS_NOW, proof, []]);
    expect((await sharedBy(redis).read(fileId)).isFileLifted).toBe(isLifted);
  });

  it('are read without the secret key unless there is a proof', async () => {
    const secretKey = vi.fn(async () => SECRET);
    await sharedBy(answering([REDIS_NOW, '', [kept(halt('one'))]]).redis, secretKey).read('mine');
    expect(secretKey).not.toHaveBeenCalled();
  });
});

describe('a write that leaves', () => {
  it('is counted under a name of its own until it has ended, and sees the halts in the same step', async () => {
    const { redis, asked } = answering([REDIS_NOW, '', [kept(halt('one'))]], [REDIS_NOW, '', []], 1);
    const shared = sharedBy(redis);
    const [first, second] = [shared.enter('mine'), shared.enter('')];
    expect((await first.state).halts).toHaveLength(1);
    expect((await second.state).halts).toEqual([]);
    await first.ended();
    const names = asked.map(([, ...args]) => (args.length === 1 ? args[0] : args[1]));
    expect(names[0]).toMatch(new RegExp(`^${process.pid}\\.${machineDigest()}\\.\\d+\\.0$`));
    expect(names[1]).toMatch(/\.1$/);
    expect(asked).toEqual([
      ['pit/halted/one', 'mine', names[0], '60000'],
      ['pit/halted/one', '', names[1], '60000'],
      ['pit/halted/one', names[0]],
    ]);
  });

  it('has ended even if Redis is away by then', async () => {
    const { redis } = answering([REDIS_NOW, '', []], new Error('away'));
    await expect(sharedBy(redis).enter('').ended()).resolves.toBeUndefined();
  });

  it('is not waited for once its process is gone, if that was on this machine', async () => {
    const here = machineDigest();
    const names = [`${GONE}.${here}.1.0`, `${GONE}.another.1.0`, `${process.pid}.${here}.1.0`];
    expect(await sharedBy(answering(names).redis).leaving()).toEqual(names.slice(1));
  });
});

it('setting a halt forgets those that have ended', async () => {
  const over = kept({ ...lasting('over', 1_000), until: NOW }, 1_000);
  const { redis, asked } = answering([REDIS_NOW, '', [over, kept(halt('endless'))]], 1);
  const record = halt('new');
  await sharedBy(redis).set(record);
  expect(asked).toEqual([
    ['pit/halted/one', ''],
    ['pit/halted/one', 'new', JSON.stringify(record), 'over'],
  ]);
});

describe('lifting', () => {
  it('proves it for each halt that Redis has and for that of the file, once', async () => {
    const { redis, asked } = answering(['one', 'mine'], 2);
    await sharedBy(redis).lift('mine');
    expect(asked[1]).toEqual(['pit/halted/one', 'one', proofOf('one'), 'mine', proofOf('mine')]);
  });

  it.each([[[]], [null]])('asks for no key if there is no halt: %j', async (found) => {
    const { redis, asked } = answering(found);
    const secretKey = vi.fn(async () => SECRET);
    await sharedBy(redis, secretKey).lift('');
    expect([asked.length, secretKey.mock.calls.length]).toEqual([1, 0]);
  });
});

describe('the latch by its file and by Redis', () => {
  const HALT = { since: NOW, until: null, reason: 'file' };
  const clocks = { now: () => NOW, monotonic: () => 0, secretKey: async () => SECRET };
  const latchIn = (root: string, redis?: Redis) => new Latch({ root, account: 'one', redis, ...clocks });

  it.each<[string, unknown, string | null | undefined]>([
    ['knows no halt', [REDIS_NOW, '', []], 'file'],
    ['knows another halt', [REDIS_NOW, '', [kept(halt('redis'))]], 'file'],
    ['says that a halt was lifted, without the proof', [REDIS_NOW, 'x', []], 'file'],
    ['is away', new Error('away'), 'file'],
  ])('halts by the file alone if Redis %s', async (_, answer, reason) => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    expect((await latchIn(root, answering(answer).redis).find())?.reason).toBe(reason);
    const admission = await latchIn(root, answering(answer, 1).redis).admit();
    expect(admission.halt?.reason).toBe(reason);
    expect(latchIn(root, answering(answer).redis).findLocal()?.reason).toBe(reason);
    expect((await latchIn(root).blocking())?.reason).toBe(reason);
  });

  it.each<[string, unknown, object | undefined]>([
    ['nothing if Redis has none', [REDIS_NOW, '', []], undefined],
    ['Redis', [REDIS_NOW, '', [kept(halt('redis'))]], { reason: 'redis' }],
    ['a Redis that is away', new Error('away.'), { problem: 'Redis, which shares it, cannot be used (away)' }],
  ])('without a file halts by %s', async (_, answer, expected) => {
    const found = await latchIn(temporaryState(), answering(answer).redis).find();
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  it('does not stop an exempt process, which asks neither', async () => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    const { redis, asked } = answering();
    const latch = latchIn(root, redis);
    latch.exempt();
    expect([(await latch.admit()).halt, await latch.blocking(), asked]).toEqual([undefined, undefined, []]);
  });

  it('says where it could not be set', async () => {
    const root = temporaryState();
    mkdirSync(path.join(root, 'halted', 'one'), { recursive: true, mode: 0o700 });
    const { redis } = answering(new Error('away.'));
    const { fileFailure, unshared } = await latchIn(root, redis).set(HALT);
    expect(fileFailure).toBeInstanceOf(Failure);
    expect(unshared).toBe('away');
  });

  it('cannot be lifted while Redis is away, and stays set', async () => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    await expect(latchIn(root, answering(new Error('away.')).redis).lift()).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'The halt was not lifted: Redis, which shares it, cannot be used (away).',
      hints: saying('Check the limits: pit doctor'),
    });
    expect(await latchIn(root).find()).toMatchObject({ reason: 'file' });
  });
});

describe('the state of the limits', () => {
  const { now, monotonic } = fakeHost();
  const sharingIn = (root: string, more: Partial<Sharing> = {}): Sharing => ({
    ...{ root, share: 0.25, now, monotonic, keyDigest: () => 'digest', onUnshared: () => undefined },
    ...{ hosts: { base: 'base', trade: 'trade' }, ...more },
  });

  it('counts the permits that are taken, and dates a lock', async () => {
    const sharing = sharingIn(temporaryState());
    const folder = path.join(sharing.root, 'limits', 'trade');
    const free = { kind: 'files', folder, share: 0.25, lockedUntil: null, redisProblem: null };
    const limits = (taken: number) => [
      { name: 'key', count: 60, taken },
      { name: 'address', count: 150, taken },
      { name: 'kline', count: 1, taken: 0 },
    ];
    expect(await limiterState(sharing)).toEqual({ ...free, limits: limits(0) });
    for (const limit of sharedRateLimits(sharing).permitsOf('key')) await limit.claim('common');
    new IpLock(sharing.root, 'limits/trade', now).recordLock();
    expect(await limiterState(sharing)).toEqual({ ...free, limits: limits(1), lockedUntil: now() + 3_600_000 });
  });

  it('leaves out the limit of the key if there is none', async () => {
    const keyDigest = () => {
      throw new Failure('credentials', 'There is no key.');
    };
    const { limits } = await limiterState(sharingIn(temporaryState(), { keyDigest }));
    expect(limits.map(({ name }) => name)).toEqual(['address', 'kline']);
  });

  it('says why Redis must not be used, and that what is taken there is unknown', async () => {
    const more = { redisUrl: 'redis://127.0.0.1:1', redisProblem: 'its address is not private.' };
    const { kind, limits, redisProblem } = await limiterState(sharingIn(temporaryState(), more));
    expect([kind, redisProblem]).toEqual(['redis', 'its address is not private']);
    expect(limits.map(({ count, taken }) => [count, taken])).toEqual([
      [60, null],
      [150, null],
      [1, null],
    ]);
  });
});
