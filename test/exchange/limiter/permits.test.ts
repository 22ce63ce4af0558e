import fs, { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FileStore, heldPermits, machineDigest, permitsTaken } from '../../../src/exchange/limiter/file-store.js';
import {
  fractionOf,
  HOLD_MS,
  LIMITS,
  MemoryStore,
  type PermitCount,
  type PermitStore,
  Permits,
  type Priority,
  type TakeResult,
  timeFor,
} from '../../../src/exchange/limiter/permits.js';
import { type Redis, RedisStore } from '../../../src/exchange/limiter/redis-store.js';
import { type Sharing, sharedRateLimits } from '../../../src/exchange/limiter/shared-limits.js';
import { thisMachine } from '../../../src/platform/programs/processes.js';
import { temporaryState } from '../../trading/support/trading.js';

afterEach(() => void vi.restoreAllMocks());

/** Five permits. Only cancellations take the first two. */
const FIVE: PermitCount = { count: 5, reserved: 2 };
const START = 1_000_000;
/** More than any process id: as that of a process that is gone. */
const GONE = 4_194_305;

const HERE = thisMachine();
const OTHER_MACHINE = machineDigest({ ...HERE, host: `not-${HERE.host}` });
const OTHER_SPACE = machineDigest({ ...HERE, pids: 'pid:[1]' });

/** Takes permits until none is free. Returns what gives them back, and how long to wait for the next one. */
async function takeAll(store: PermitStore, priority: Priority = 'common') {
  const taken: Extract<TakeResult, { release: unknown }>[] = [];
  for (;;) {
    const result = await store.take(priority);
    if ('waitMs' in result) return { taken, waitMs: result.waitMs };
    taken.push(result);
  }
}

/** A store of a kind, and the clock by which its permits are free again. */
type Made = (limit: PermitCount) => { readonly store: PermitStore; readonly clock: { now: number } };

const inMemory: Made = (limit) => {
  const clock = { now: START };
  return { store: new MemoryStore(limit, () => clock.now), clock };
};

const inFiles: Made = (limit) => {
  const clock = { now: START };
  return { store: new FileStore(temporaryState(), 'limits/host/key-5', limit, () => clock.now), clock };
};

describe.each<[string, Made]>([
  ['in memory', inMemory],
  ['in files', inFiles],
])('permits %s', (_, made) => {
  it('are taken once each, and the reserved ones only by cancellations', async () => {
    const { store } = made(FIVE);
    expect((await takeAll(store)).taken).toHaveLength(3);
    expect((await takeAll(store, 'cancel')).taken).toHaveLength(2);
    expect((await takeAll(store, 'cancel')).taken).toHaveLength(0);
  });

  it('are taken by cancellations from the reserved ones first', async () => {
    const { store } = made(FIVE);
    for (let count = 0; count < 2; count += 1) expect(await store.take('cancel')).toHaveProperty('release');
    expect((await takeAll(store)).taken).toHaveLength(3);
  });

  it('are taken by cancellations beyond the reserved ones, too', async () => {
    const { store } = made(FIVE);
    expect((await takeAll(store, 'cancel')).taken).toHaveLength(5);
    expect((await takeAll(store)).taken).toHaveLength(0);
  });

  it('are free again when the time of their release is over, and the wait is until the first of them is', async () => {
    const { store, clock } = made(FIVE);
    const [one, two] = (await takeAll(store)).taken;
    await two?.release(20);
    await one?.release(10);
    expect((await takeAll(store)).waitMs).toBe(10);
    clock.now += 9;
    expect((await takeAll(store)).waitMs).toBe(1);
    clock.now += 1;
    expect((await takeAll(store)).taken).toHaveLength(1);
    clock.now += 10;
    expect((await takeAll(store)).taken).toHaveLength(1);
  });
});

describe('a permit in files', () => {
  const FOLDER = 'limits/host/key-5';

  function processOf(root: string, clock: { now: number }, part = FIVE) {
    return new FileStore(root, FOLDER, FIVE, () => clock.now, part);
  }

  /** A folder of permits with these names. */
  function folderWith(...names: readonly string[]): string {
    const root = temporaryState();
    for (const folder of ['limits', 'limits/host', FOLDER]) mkdirSync(path.join(root, folder), { mode: 0o700 });
    for (const name of names) writeFileSync(path.join(root, FOLDER, name), '', { mode: 0o600 });
    return root;
  }

  it('is waited for at most 25 ms if another process has it', async () => {
    const { waitMs, taken } = await takeAll(processOf(temporaryState(), { now: START }));
    expect([waitMs, taken.length]).toEqual([25, 3]);
  });

  it('is not taken from a folder that was opened to others since the permits were read', async () => {
    const root = temporaryState();
    const store = processOf(root, { now: START });
    expect(await store.take('common')).toHaveProperty('release');
    chmodSync(path.join(root, FOLDER), 0o777);
    await expect(store.take('common')).rejects.toMatchObject({ kind: 'credentials' });
  });

  it('is waited for if others take all of them as soon as they are made', async () => {
    const root = temporaryState();
    const clock = { now: START };
    const { renameSync: rename } = fs;
    vi.spyOn(fs, 'renameSync').mockImplementationOnce((from, to) => {
      rename(from, to);
      for (let count = 0; count < 3; count += 1) void processOf(root, clock).take('common');
    });
    expect(await processOf(root, clock).take('common')).toEqual({ waitMs: 25 });
  });

  it('is taken, given back and taken again without another look at the folder', async () => {
    const store = processOf(temporaryState(), { now: START });
    const first = await store.take('cancel');
    const looks = vi.spyOn(fs, 'readdirSync');
    for (let count = 1; count < 5; count += 1) expect(await store.take('cancel')).toHaveProperty('release');
    if ('release' in first) await first.release(0);
    expect(await store.take('cancel')).toHaveProperty('release');
    expect(looks).not.toHaveBeenCalled();
  });

  it('is chosen at random, so that processes do not all try the same one', async () => {
    const random = vi.spyOn(Math, 'random');
    const chosen: (string | undefined)[] = [];
    for (const part of [0, 0.34, 0.67]) {
      random.mockReturnValue(part);
      const root = temporaryState();
      await processOf(root, { now: START }).take('common');
      chosen.push(heldPermits(path.join(root, FOLDER), START)[0]?.split('.')[0]);
    }
    expect(chosen.sort()).toEqual(['2', '3', '4']);
  });

  it('that was released is taken by one process only, though others have seen it free before', async () => {
    const root = temporaryState();
    const clock = { now: START };
    const [one, other] = [processOf(root, clock), processOf(root, clock)];
    const first = await takeAll(one);
    expect((await takeAll(other)).taken).toHaveLength(0);
    for (const permit of first.taken) await permit.release(10);
    // both have seen them now
    expect((await takeAll(other)).taken).toHaveLength(0);
    clock.now += 10;
    expect((await takeAll(one)).taken.length + (await takeAll(other)).taken.length).toBe(3);
  });

  it('is one of a number that all processes of a home share, whatever part of them each may take', async () => {
    const root = temporaryState();
    const clock = { now: START };
    const half: PermitCount = { count: 2, reserved: 1 };
    expect((await takeAll(processOf(root, clock, half))).taken).toHaveLength(1);
    expect((await takeAll(processOf(root, clock, half))).taken).toHaveLength(0);
    expect((await takeAll(processOf(root, clock))).taken).toHaveLength(2);
    expect((await takeAll(processOf(root, clock, half), 'cancel')).taken).toHaveLength(1);
    expect((await takeAll(processOf(root, clock), 'cancel')).taken).toHaveLength(1);
  });

  describe('of a large limit', () => {
    const filesOf = (root: string) =>
      readdirSync(path.join(root, FOLDER), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const storeOf = (root: string, part: PermitCount = LIMITS.address) =>
      new FileStore(root, FOLDER, LIMITS.address, () => START, part);

    it('is made only once those before it are taken', async () => {
      const root = temporaryState();
      await storeOf(root).take('common');
      expect(filesOf(root)).toHaveLength(10);
      for (let count = 1; count < 8; count += 1) await storeOf(root).take('common');
      expect(filesOf(root)).toHaveLength(20);
      expect(permitsTaken(path.join(root, FOLDER), START)).toBe(8);
      expect(heldPermits(path.join(root, FOLDER), START)).toHaveLength(8);
    });

    it('is made once, whichever of the processes needs it first', async () => {
      const root = temporaryState();
      const stores = Array.from({ length: 4 }, () => storeOf(root));
      let taken = 0;
      for (let turn = 0; turn < 50; turn += 1)
        for (const store of stores) if ('release' in (await store.take('common'))) taken += 1;
      expect(taken).toBe(147);
      expect((await takeAll(storeOf(root), 'cancel')).taken).toHaveLength(3);
      const numbers = filesOf(root).map(({ name }) => Number(name.split('.')[0]));
      expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 150 }, (_, number) => number));
      // no draft of a part that another process had made is left
      expect(readdirSync(path.dirname(path.join(root, FOLDER)))).toEqual([path.basename(FOLDER)]);
    });

    it('is not made beyond the part that a process may take', async () => {
      const root = temporaryState();
      expect((await takeAll(storeOf(root, { count: 12, reserved: 1 }))).taken).toHaveLength(11);
      expect(filesOf(root)).toHaveLength(20);
    });

    it('is not made again if an earlier version has made all of them in one folder', async () => {
      const root = folderWith(...Array.from({ length: 150 }, (_, number) => `${number}.0`));
      expect((await takeAll(storeOf(root), 'cancel')).taken).toHaveLength(150);
      expect(filesOf(root)).toHaveLength(150);
    });

    it('is not made again if another process takes all that an earlier version has made just after they were read', async () => {
      const root = folderWith(...Array.from({ length: 150 }, (_, number) => `${number}.0`));
      const [store, other] = [storeOf(root), storeOf(root)];
      const first = vi.spyOn(fs, 'renameSync').mockImplementationOnce((from, to) => {
        for (let count = 0; count < 147; count += 1) void other.take('common');
        fs.renameSync(from, to);
      });
      expect(await store.take('common')).toHaveProperty('waitMs');
      first.mockRestore();
      expect(filesOf(root)).toHaveLength(150);
    });

    it('is made although a later part is there, which a process made while the limits were cleared', async () => {
      const root = folderWith(...Array.from({ length: 10 }, (_, number) => `${number}.0`));
      const later = path.join(root, FOLDER, '3');
      mkdirSync(later, { mode: 0o700 });
      for (let number = 40; number < 80; number += 1) writeFileSync(path.join(later, `${number}.0`), '');
      expect((await takeAll(storeOf(root))).taken).toHaveLength(147);
    });
  });

  const here = machineDigest();
  const soon = START + 50_000;

  it.each<[string, string, boolean]>([
    ['of a process that is gone is free a second later', `4.${soon}.${GONE}.${here}`, true],
    ['of a process of another machine stays taken', `4.${soon}.${GONE}.${OTHER_MACHINE}`, false],
    ['of a process of another container of this machine stays taken', `4.${soon}.${GONE}.${OTHER_SPACE}`, false],
    ['of a process that is alive stays taken', `4.${soon}.${process.ppid}.${here}`, false],
    ['of this process stays taken', `4.${soon}.${process.pid}.${here}`, false],
    ['that is held for a minute stays taken', `4.${START + 60_000}.${process.pid}.${here}`, false],
    ['that is held for longer is free a second later', `4.${START + 60_001}.${process.pid}.${here}`, true],
    ['that was just released stays taken', `4.${START + 1_010}`, false],
    ['that was released later than now, as after a restart, is free a second later', `4.${START + 1_011}`, true],
  ])('%s', async (_, name, isRecovered) => {
    const root = folderWith(name);
    expect((await takeAll(processOf(root, { now: START }))).taken).toHaveLength(0);
    expect(readdirSync(path.join(root, FOLDER))).toEqual([isRecovered ? `4.${START + HOLD_MS}` : name]);
  });

  it('of a process that cannot be seen from here is taken again a minute after it was taken', async () => {
    const store = processOf(folderWith(`4.${START}.${GONE}.${OTHER_MACHINE}`), { now: START });
    expect((await takeAll(store)).taken).toHaveLength(1);
  });

  it('that was lost is searched for five times a second', async () => {
    const root = folderWith(`4.${START + 1_010}`);
    const clock = { now: START };
    const store = processOf(root, clock);
    await takeAll(store);
    const lost = `4.${soon}.${GONE}.${here}`;
    renameSync(path.join(root, FOLDER, `4.${START + 1_010}`), path.join(root, FOLDER, lost));
    clock.now += 199;
    await takeAll(store);
    expect(readdirSync(path.join(root, FOLDER))).toEqual([lost]);
    clock.now += 1;
    await takeAll(store);
    expect(readdirSync(path.join(root, FOLDER))).toEqual([`4.${START + 200 + HOLD_MS}`]);
  });

  it('counts as taken while it is held or not free yet, and as held while a process may have it', () => {
    const names = [
      ...[`0.${START}`, `1.${START + 1}`, `2.${soon}.${process.pid}.${here}`, `3.${soon}.${GONE}.${here}`],
      ...[`4.${soon}.${GONE}.${OTHER_MACHINE}`, `5.${START}.${process.pid}.${here}`, 'notes.txt'],
      ...[`6.${soon}.${process.pid}`, `x7.${soon}`, `8.${soon}x`, `9.${soon}.1.${here}.new`],
    ];
    const folder = path.join(folderWith(...names), FOLDER);
    expect(permitsTaken(folder, START)).toBe(5);
    expect(heldPermits(folder, START)).toEqual([names[2], names[4]]);
    expect([permitsTaken(`${folder}0`, START), heldPermits(`${folder}0`, START)]).toEqual([0, []]);
  });

  it('cannot be taken if it cannot be kept', async () => {
    const root = temporaryState();
    writeFileSync(path.join(root, 'limits'), 'a file in the place of the folder');
    await expect(processOf(root, { now: START }).take('common')).rejects.toThrow();
    expect(() => permitsTaken(path.join(root, 'limits'), START)).toThrow('ENOTDIR');
  });

  it('cannot be made on a disk that is full, and leaves no draft', async () => {
    const root = temporaryState();
    const writing = vi.spyOn(fs, 'writeFileSync').mockImplementationOnce(() => {
      throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    });
    onTestFinished(() => writing.mockRestore());
    await expect(processOf(root, { now: START }).take('common')).rejects.toThrow('the disk is full');
    expect(readdirSync(path.join(root, 'limits/host'))).toEqual([]);
  });

  it('cannot be taken if its file can be neither renamed nor missed', async () => {
    const store = processOf(folderWith('4.0'), { now: START });
    const renaming = vi.spyOn(fs, 'renameSync').mockImplementationOnce(() => {
      throw Object.assign(new Error('the disk is broken'), { code: 'EIO' });
    });
    onTestFinished(() => renaming.mockRestore());
    await expect(store.take('common')).rejects.toThrow('the disk is broken');
    const taken = await store.take('common');
    expect(taken).toHaveProperty('release');
  });
});

describe('a permit in Redis', () => {
  /** A store whose Redis gives these answers in turn, and the arguments that it was asked with. */
  function storeOf(...answers: unknown[]) {
    const asked: string[][] = [];
    const evaluate = async (_script: string, key: string, args: string[]) => {
      asked.push([key, ...args]);
      const answer = answers.shift() ?? 1;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { store: new RedisStore({ eval: evaluate } as unknown as Redis, 'pit/key', FIVE, 'mine'), asked };
  }

  it('is asked for under a name of its own, and only a cancellation takes a reserved one', async () => {
    const { store, asked } = storeOf(7, '12', 0);
    expect(await store.take('common')).toEqual({ waitMs: 7 });
    expect(await store.take('cancel')).toEqual({ waitMs: 12 });
    expect(asked).toEqual([
      ['pit/key', '3', 'mine.0', '1500'],
      ['pit/key', '5', 'mine.1', '1500'],
    ]);
  });

  it('is renewed twice a second until it is released, even while Redis is away for a moment', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { store, asked } = storeOf(0, new Error('away'), 1, new Error('away'));
    const permit = await store.take('common');
    if (!('release' in permit)) throw new Error('there is no permit');
    await vi.advanceTimersByTimeAsync(499);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(501);
    expect(asked.slice(1)).toEqual([
      ['pit/key', 'mine.0', '1500'],
      ['pit/key', 'mine.0', '1500'],
    ]);
    await permit.release(1_010);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.slice(3)).toEqual([['pit/key', 'mine.0', '1010']]);
  });

  it('is counted by the clock of Redis', async () => {
    const { store, asked } = storeOf('4');
    expect([await store.taken(), asked]).toEqual([4, [['pit/key']]]);
  });
});

describe('a permit of several stores', () => {
  /** A store that answers in turn, and what was released there. */
  function storeOf(...answers: ('free' | number | Error)[]) {
    const released: number[] = [];
    const take = async (): Promise<TakeResult> => {
      const answer = answers.shift() ?? 'free';
      if (answer instanceof Error) throw answer;
      return answer === 'free' ? { release: async (ms) => void released.push(ms) } : { waitMs: answer };
    };
    return { store: { take }, released };
  }

  it('is one of each, and is held until a second after the answer began, in all of them', async () => {
    const [one, two] = [storeOf(), storeOf()];
    const permits = new Permits([one.store, two.store]);
    for (const sinceAnswerMs of [0, 10, 5_000]) {
      const claim = await permits.claim('common');
      if ('permit' in claim) await claim.permit.release(sinceAnswerMs);
    }
    expect([one.released, two.released]).toEqual([
      [1_010, 1_000, 0],
      [1_010, 1_000, 0],
    ]);
    const claim = await permits.claim('common');
    if ('permit' in claim) await claim.permit.cancel();
    expect([one.released.at(-1), two.released.at(-1)]).toEqual([0, 0]);
  });

  it.each([
    [0, 1],
    [7, 7],
    [900, 25],
  ])('is given back if another store has none for %d ms, and asked for again after %d ms', async (waitMs, expected) => {
    const [one, two] = [storeOf(), storeOf(waitMs)];
    expect(await new Permits([one.store, two.store]).claim('common')).toEqual({ waitMs: expected });
    expect(one.released).toEqual([0]);
  });

  it('is of the same stores for all that ask while one of them fails', async () => {
    const [two, rest] = [storeOf(new Error('away'), new Error('away')), storeOf()];
    let lost = 0;
    const permits = new Permits([two.store], () => {
      lost += 1;
      return [rest.store];
    });
    const claims = await Promise.all([permits.claim('common'), permits.claim('common')]);
    expect([lost, claims.filter((claim) => 'permit' in claim).length]).toEqual([1, 2]);
  });

  it('is one of the stores that remain when one of them has failed', async () => {
    const [one, two, rest] = [storeOf(), storeOf(new Error('away')), storeOf()];
    const lost: unknown[] = [];
    const permits = new Permits([one.store, two.store], (...failed) => {
      lost.push(failed);
      return [rest.store];
    });
    expect(await permits.claim('common')).toHaveProperty('permit');
    expect([one.released, lost]).toEqual([[0], [[two.store, new Error('away')]]]);
    await expect(new Permits([storeOf(new Error('away')).store]).claim('common')).rejects.toThrow('away');
  });
});

describe('limits that cannot be shared', () => {
  const sharingIn = (root: string, share: number, onUnshared: (message: string) => void): Sharing => ({
    ...{ root, share, onUnshared, now: () => START, monotonic: () => START, keyDigest: () => 'digest' },
    hosts: { base: 'base', trade: 'trade' },
  });

  it('are a share of each limit, which is said once', async () => {
    const root = temporaryState();
    writeFileSync(path.join(root, 'limits'), 'a file in the place of the folder');
    const notices: string[] = [];
    const limits = sharedRateLimits(sharingIn(root, 0.25, (message) => notices.push(message)));
    const [key, address] = limits.permitsOf('key');
    let taken = 0;
    while (key !== undefined && 'permit' in (await key.claim('common'))) taken += 1;
    await address?.claim('common');
    // one of fifteen is kept for cancellations
    expect(taken).toBe(14);
    expect(notices).toEqual([
      expect.stringMatching(/^The limits cannot be shared with other processes \(.*\): this process uses 25% of each/),
    ]);
  });

  it.each([
    [LIMITS.key, 0.25, { count: 15, reserved: 1 }],
    [LIMITS.key, 0.5, { count: 30, reserved: 1 }],
    [LIMITS.key, 0.034, { count: 2, reserved: 1 }],
    [LIMITS.key, 0.02, { count: 1, reserved: 0 }],
    [LIMITS.key, 0.001, { count: 1, reserved: 0 }],
    [LIMITS.kline, 0.25, { count: 1, reserved: 0 }],
    [LIMITS.address, 1, { count: 150, reserved: 1 }],
  ])('of %j are with a share of %d %j', (limit, share, expected) => {
    expect(fractionOf(limit, share)).toEqual(expected);
  });
});

it.each([
  [1, 18],
  [57, 1_010],
  [114, 2_020],
])('%d requests of a key take %d ms', (requests, milliseconds) => {
  expect(timeFor(requests)).toBe(milliseconds);
});
