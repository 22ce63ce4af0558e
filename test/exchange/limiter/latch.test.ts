import { spawnSync } from 'node:child_process';
import fs, { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keyDigest } from '../../../src/config/keys.js';
import { Failure } from '../../../src/errors.js';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { machineDigest } from '../../../src/exchange/limiter/file-store.js';
import { haltText } from '../../../src/exchange/limiter/halt-record.js';
import { Latch } from '../../../src/exchange/limiter/latch.js';
import type { RateLimits } from '../../../src/exchange/limiter/limiter.js';
import { Redis } from '../../../src/exchange/limiter/redis-store.js';
import { type Sharing, sharedRateLimits } from '../../../src/exchange/limiter/shared-limits.js';
import { waitForRequests } from '../../../src/exchange/limiter/under-way.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { saying } from '../../support/advice.js';
import { eventually } from '../../support/eventually.js';
import { fakeHost, NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { freePort, serveRedis } from '../../support/redis.js';
import { requires } from '../../support/tools.js';
import { temporaryState } from '../../trading/support/trading.js';
import { KEYS, ORDER } from '../support.js';

const HALT = { since: NOW - 1_000, until: null, reason: 'news' } as const;
/** A halt without an end, as its file keeps it. */
const RECORD = { ...HALT, id: 'one', lastsMs: null, setAt: 0 };
const CANCEL = { currency: 'btc_usdt', id: '17' };
const ACCEPTED = '{"code":1000,"message":"ok","id":"202202224851151555"}';

/** Set when its clocks say so; by default they stand still. */
interface Clocks {
  now: number;
  monotonic: number;
}

function latchIn(root: string, account = 'exchange-1', redis?: Redis, clocks: Clocks = { now: NOW, monotonic: 0 }) {
  const secretKey = async () => 'a-secret-key';
  return new Latch({ root, account, redis, now: () => clocks.now, monotonic: () => clocks.monotonic, secretKey });
}

const SET_EVERYWHERE = { fileFailure: null, unshared: null };

function fileOf(root: string, account = 'exchange-1'): string {
  return path.join(root, 'halted', account);
}

describe('the latch of an account', () => {
  it('is not set before anything was halted, and is set until it is lifted', async () => {
    const root = temporaryState();
    const latch = latchIn(root);
    expect(await latch.find()).toBeUndefined();
    expect(await latch.set(HALT)).toEqual(SET_EVERYWHERE);
    expect(await latchIn(root).find()).toEqual({ ...HALT, problem: null });
    await latch.lift();
    expect(await latchIn(root).find()).toBeUndefined();
  });

  it('of one account halts no other account', async () => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    expect(await latchIn(root, 'exchange-2').find()).toBeUndefined();
  });

  it('ends by itself once the clock and the time since it was set agree that it is over, and not before', async () => {
    const clocks = { now: NOW, monotonic: 5_000 };
    const latch = latchIn(temporaryState(), 'exchange-1', undefined, clocks);
    await latch.set({ ...HALT, until: NOW + 1_000 });
    clocks.monotonic += 999;
    clocks.now += 1_000;
    expect(await latch.find()).toMatchObject({ until: clocks.now + 1 });
    // a clock that was ahead when it was set
    clocks.now = NOW - 86_400_000;
    clocks.monotonic += 1_000;
    expect(await latch.find()).toMatchObject({ until: NOW + 1_000 });
    // a clock that was behind
    clocks.now = NOW + 86_400_000;
    expect(await latch.find()).toBeUndefined();
  });

  it('does not end early if the machine was started again, because its other clock starts at zero', async () => {
    const clocks = { now: NOW, monotonic: 90_000_000 };
    const latch = latchIn(temporaryState(), 'exchange-1', undefined, clocks);
    await latch.set({ ...HALT, until: NOW + 1_000 });
    Object.assign(clocks, { now: NOW + 86_400_000, monotonic: 999 });
    expect(await latch.find()).toMatchObject({ since: HALT.since });
    clocks.monotonic = 1_000;
    expect(await latch.find()).toBeUndefined();
  });

  it.each<readonly [what: string, text: string]>([
    ['is empty', ''],
    ['is cut off', '{"since":1540295995'],
    ['holds another document', '{"since":"yesterday","until":null,"reason":null}'],
    ['says that it was lifted', '{"lifted":1540295995557}'],
    ...[
      { id: 7 },
      { since: null },
      { reason: 7 },
      { until: 5 },
      { lastsMs: 5 },
      { until: 5, lastsMs: '5' },
      { until: '5', lastsMs: 5 },
      { setAt: '0' },
    ].map((part) => [`has ${JSON.stringify(part)}`, JSON.stringify({ ...RECORD, ...part })] as const),
    ['is too long', ' '.repeat(20_000)],
  ])('counts as set if its file %s', async (_, text) => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    writeFileSync(fileOf(root), text);
    const halt = await latchIn(root).find();
    const problem = `${fileOf(root)} is damaged or cannot be read`;
    expect(halt).toEqual({ since: null, until: null, reason: null, problem });
    expect(halt && haltText(halt)).toBe(`halted, because its latch cannot be read: ${problem}`);
  });

  it('is read from its file', async () => {
    const root = temporaryState();
    await latchIn(root).set({ ...HALT, reason: 'other news' });
    writeFileSync(fileOf(root), JSON.stringify(RECORD));
    expect(await latchIn(root).find()).toEqual({ ...HALT, problem: null });
  });

  it('counts as set if its file is open to other users or is a folder', async () => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    chmodSync(fileOf(root), 0o644);
    expect(await latchIn(root).find()).toMatchObject({ problem: expect.stringContaining('open to other users') });
    mkdirSync(fileOf(root, 'exchange-2'), 0o700);
    expect(await latchIn(root, 'exchange-2').find()).toMatchObject({
      problem: expect.stringContaining('not a plain file'),
    });
  });

  it('is on the disk once it is set, with its name and that of its folder', async () => {
    const root = temporaryState();
    const names = new Map<number, string>();
    const synced: string[] = [];
    const [open, sync] = [fs.openSync, fs.fsyncSync];
    const opening = vi.spyOn(fs, 'openSync').mockImplementation((file, ...rest) => {
      const descriptor = open(file, ...rest);
      names.set(descriptor, path.relative(root, String(file)));
      return descriptor;
    });
    const syncing = vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      sync(descriptor);
      synced.push(names.get(descriptor) ?? '');
    });
    onTestFinished(() => {
      for (const spy of [opening, syncing]) spy.mockRestore();
    });
    await latchIn(root).set(HALT);
    expect(synced).toEqual([expect.stringMatching(/^halted\/\.exchange-1\..*new$/), 'halted', '']);
  });

  it.each([
    ['one that would have ended before it was set', NOW - 1, 0],
    ['one that ends later', NOW + 5, 5],
  ])('keeps how long it lasts from now on: %s', async (_, until, lastsMs) => {
    const root = temporaryState();
    await latchIn(root).set({ since: null, until, reason: null });
    const kept = JSON.parse(readFileSync(fileOf(root), 'utf8'));
    expect(kept).toMatchObject({ since: NOW, until, lastsMs });
  });

  it('cannot be lifted if its file cannot be removed', async () => {
    const root = temporaryState();
    mkdirSync(path.join(fileOf(root), 'folder'), { recursive: true, mode: 0o700 });
    await expect(latchIn(root).lift()).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`Cannot write ${fileOf(root)}: `),
    });
  });

  it('holds no key in its file', async () => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    const kept = JSON.parse(readFileSync(fileOf(root), 'utf8'));
    expect(kept).toEqual({ ...HALT, id: expect.any(String), lastsMs: null, setAt: 0 });
  });

  it('counts as set while the Redis that shares it cannot be used, and cannot be lifted then', async () => {
    const root = temporaryState();
    const latch = latchIn(root, 'exchange-1', new Redis(`redis://127.0.0.1:${await freePort()}`));
    expect(await latch.find()).toMatchObject({ since: null, problem: expect.stringContaining('Redis') });
    await expect(latch.lift()).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(
        /^The halt was not lifted: Redis, which shares it, cannot be used \(.*ECONNREFUSED/,
      ),
    });
    expect(await latch.set(HALT)).toEqual({ fileFailure: null, unshared: expect.any(String) });
    expect(await latch.find()).toEqual({ ...HALT, problem: null });
  });
});

describe.skipIf(!requires('redis-server'))('a latch that machines share over Redis (needs redis-server)', () => {
  it('halts both machines, and either of them lifts it for both', async () => {
    const { url } = await serveRedis();
    const [one, other] = [temporaryState(), temporaryState()].map((root) =>
      latchIn(root, 'exchange-1', new Redis(url)),
    );
    expect(await one?.set(HALT)).toEqual(SET_EVERYWHERE);
    expect(await other?.find()).toEqual({ ...HALT, problem: null });
    await other?.lift();
    expect([await one?.find(), await other?.find()]).toEqual([undefined, undefined]);
  });

  it('keeps a machine halted that halted itself while Redis was away, whatever was lifted there by a later clock', async () => {
    const { url } = await serveRedis();
    const root = temporaryState();
    await latchIn(root, 'exchange-1', new Redis(`redis://127.0.0.1:${await freePort()}`)).set(HALT);
    const ahead = { now: NOW + 86_400_000, monotonic: 0 };
    const other = latchIn(temporaryState(), 'exchange-1', new Redis(url), ahead);
    await other.set({ ...HALT, since: ahead.now });
    await other.lift();
    const here = latchIn(root, 'exchange-1', new Redis(url));
    expect(await here.find()).toEqual({ ...HALT, problem: null });
    expect((await here.admit()).halt).toEqual({ ...HALT, problem: null });
    await here.lift();
    expect(await here.find()).toBeUndefined();
  });

  it('is lifted on every machine that halted before the lift, by a machine that halted none of them', async () => {
    const { url } = await serveRedis();
    const [one, two, three] = [1, 2, 3].map(() => latchIn(temporaryState(), 'exchange-1', new Redis(url)));
    await one?.set(HALT);
    await two?.set({ ...HALT, reason: 'more news' });
    await three?.lift();
    expect([await one?.find(), await two?.find(), await three?.find()]).toEqual([undefined, undefined, undefined]);
  });

  it('stays set on a machine whose clock is ahead until the clock of Redis agrees that it is over', async () => {
    const { url } = await serveRedis();
    await latchIn(temporaryState(), 'exchange-1', new Redis(url)).set({ ...HALT, until: NOW + 60_000 });
    const ahead = { now: NOW + 86_400_000, monotonic: 0 };
    const other = latchIn(temporaryState(), 'exchange-1', new Redis(url), ahead);
    expect(await other.find()).toMatchObject({ since: HALT.since, reason: 'news' });
  });

  it('keeps its machine halted after Redis has lost what it knew', async () => {
    const { url } = await serveRedis();
    const latch = latchIn(temporaryState(), 'exchange-1', new Redis(url));
    await latch.set(HALT);
    await new Redis(url).eval(`return redis.call('FLUSHALL')`, '', []);
    expect(await latch.find()).toEqual({ ...HALT, problem: null });
  });

  it('has another machine wait for a write that it let leave, even if that has no permit any more', async () => {
    const { url } = await serveRedis();
    const [here, there] = [temporaryState(), temporaryState()];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const server = await serveFaults({
      answer: () => async (response) => {
        await answered;
        await respond(ACCEPTED)(response);
      },
    });
    const { client } = clientWith(there, server.url, limitsAfter(async () => {}).limits, new Redis(url));
    const writing = client.api.write('order', ORDER);
    await eventually(() => expect(server.requests).toHaveLength(1));
    const latch = latchIn(here, 'exchange-1', new Redis(url));
    await latch.set(HALT);
    const host = fakeHost();
    const wait = () => waitForRequests(sharingOf(here), latch, host, new TimeBudget(2_100, host.monotonic));
    expect(await wait()).toBe(1);
    answer();
    expect(await writing).toMatchObject({ kind: 'done' });
    expect(await wait()).toBe(0);
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent', halted: true });
    expect(await latch.leaving()).toEqual([]);
  });

  it('does not wait for a write of a process of this machine that is gone', async () => {
    const { url } = await serveRedis();
    const latch = latchIn(temporaryState(), 'exchange-1', new Redis(url));
    const { pid } = spawnSync('true');
    const add = `return redis.call('ZADD', KEYS[1], 9e15, ARGV[1])`;
    for (const machine of [machineDigest(), 'another'])
      await new Redis(url).eval(add, 'pit/halted/exchange-1/leaving', [`${pid}.${machine}.1.0`]);
    expect(await latch.leaving()).toEqual([`${pid}.another.1.0`]);
  });

  it('says why it is unknown whether writes of other machines are leaving', async () => {
    const latch = latchIn(temporaryState(), 'exchange-1', new Redis(`redis://127.0.0.1:${await freePort()}`));
    const host = fakeHost();
    const budget = new TimeBudget(2_100, host.monotonic);
    const unknown = await waitForRequests(sharingOf(temporaryState()), latch, host, budget);
    expect(unknown).toContain('ECONNREFUSED');
  });
});

describe('a latch that cannot be written', () => {
  it('says so, and sets what Redis shares all the same', async () => {
    const root = temporaryState();
    writeFileSync(path.join(root, 'halted'), 'a file in the place of the folder');
    const result = await latchIn(root).set(HALT);
    expect(result).toMatchObject({ fileFailure: { message: expect.stringContaining('halted') }, unshared: null });
  });
});

/** Limits that are shared below a folder. */
function sharingOf(root: string): Sharing {
  const { now, monotonic } = fakeHost();
  return {
    ...{ root, share: 0.25, now, monotonic, keyDigest: () => keyDigest(KEYS.accessKey), onUnshared: () => undefined },
    hosts: { base: 'exchange', trade: 'exchange' },
  };
}

/** A client whose latch is in a folder. */
function clientWith(root: string, url: string, limits: () => RateLimits, redis?: Redis) {
  const host = fakeHost();
  const latch = latchIn(root, 'exchange-1', redis);
  const hosts = { baseUrl: url, tradeUrl: url };
  const budget = new TimeBudget(60_000, host.monotonic);
  const admit = () => latch.admit();
  return { latch, client: new ExchangeClient({ host, hosts, credentials: () => KEYS, budget, limits, admit }) };
}

/** Limits whose permit comes after something else has happened. */
function limitsAfter(meanwhile: () => Promise<unknown>): {
  readonly limits: () => RateLimits;
  readonly cancelled: string[];
} {
  const cancelled: string[] = [];
  const permit = { release: async () => {}, cancel: async () => void cancelled.push('permit') };
  const claim = async () => {
    await meanwhile();
    return { permit };
  };
  return { limits: () => ({ permitsOf: () => [{ claim }] }), cancelled };
}

describe('the send gate', () => {
  it('stops a write that waited for its permit while the latch fell, and gives the permit back', async () => {
    const root = temporaryState();
    const server = await serveFaults({ answer: () => respond(ACCEPTED) });
    const { limits, cancelled } = limitsAfter(() => latchIn(root).set(HALT));
    const { client } = clientWith(root, server.url, limits);
    let asked = 0;
    const mayLeave = () => {
      asked += 1;
      return true;
    };
    expect(await client.api.write('order', ORDER, { mayLeave })).toMatchObject({
      kind: 'notSent',
      failure: 'usage',
      halted: true,
      reason: expect.stringContaining('halted blocks it'),
      hint: saying('When it is safe to trade again: pit halt --lift'),
    });
    // the journal must not say that it was sent
    expect([server.connections, asked, cancelled]).toEqual([0, 0, ['permit']]);
  });

  it('lets cancellations leave while the latch is set, and every write of an exempt command', async () => {
    const root = temporaryState();
    await latchIn(root).set(HALT);
    const server = await serveFaults({ answer: () => respond(ACCEPTED) });
    const { client, latch } = clientWith(root, server.url, limitsAfter(async () => {}).limits);
    expect(await client.api.write('cancelOrder', CANCEL)).toMatchObject({ kind: 'done' });
    expect(await client.api.write('cancelAllOrdersAfter', { currency: 'btc_usdt' })).toMatchObject({ kind: 'done' });
    expect(await client.rawCall('setExpressState', {})).toMatchObject({ kind: 'notSent', halted: true });
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent', halted: true });
    latch.exempt();
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'done' });
    expect(server.requests).toHaveLength(3);
  });

  it('is waited for: a request that has a permit when the latch falls is answered before pit halt returns', async () => {
    const root = temporaryState();
    const host = fakeHost();
    const sharing = sharingOf(root);
    const [limit] = sharedRateLimits(sharing).permitsOf('key');
    const claim = await limit?.claim('common');
    if (claim === undefined || !('permit' in claim)) throw new Error('there is no permit');
    const short = () => new TimeBudget(2_100, host.monotonic);
    expect(await waitForRequests(sharing, latchIn(root), host, short())).toBe(1);
    const events: string[] = [];
    const sleep = async () => {
      if (events.length > 0) return;
      events.push('answered');
      await claim.permit.release(0);
    };
    expect(await waitForRequests(sharing, latchIn(root), { sleep }, short())).toBe(0);
    expect(events).toEqual(['answered']);
  });

  it('waits only for what was under way at first, and says why if that is never known', async () => {
    const answers: (string[] | Error)[] = [new Error('away.'), ['one', 'two'], ['two', 'three'], ['three']];
    const latch = {
      leaving: async () => {
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        if (answer instanceof Error) throw answer;
        return answer ?? [];
      },
    } as unknown as Latch;
    const host = fakeHost();
    const wait = (ms: number) =>
      waitForRequests(sharingOf(temporaryState()), latch, host, new TimeBudget(ms, host.monotonic));
    expect(await wait(2_000)).toBe('away');
    expect(await wait(2_025)).toBe(1);
    expect(host.sleeps).toEqual([25]);
    answers.unshift(['one', 'two', 'three'], ['two', 'three', 'four'], ['four']);
    expect(await wait(60_000)).toBe(0);
    expect(host.sleeps).toEqual([25, 25, 25]);
  });

  it('waits for nothing if there is no key yet, which nothing was sent with', async () => {
    const keyDigest = () => {
      throw new Failure('credentials', 'There is no key.');
    };
    const root = temporaryState();
    const host = fakeHost();
    const sharing = { ...sharingOf(root), keyDigest };
    expect(await waitForRequests(sharing, latchIn(root), host, new TimeBudget(1, host.monotonic))).toBe(0);
  });
});

it.each([
  ['halted since 2026-01-05 12:00:00 (UTC)', null, null],
  ['halted since 2026-01-05 12:00:00 (UTC) (flash crash)', null, 'flash crash'],
  ['halted since 2026-01-05 12:00:00 (UTC) until 2026-01-05 12:10:00 (UTC)', 600_000, null],
])('a sentence about an account calls it "%s"', (text, lastsMs, reason) => {
  const since = Date.UTC(2026, 0, 5, 12);
  expect(haltText({ since, until: lastsMs === null ? null : since + lastsMs, reason, problem: null })).toBe(text);
});
