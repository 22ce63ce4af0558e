import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/errors.js';
import type { Watcher } from '../../../../src/trading/algos/record/watchers.js';
import { claimWatch } from '../../../../src/trading/algos/run/claim-watch.js';
import { KnownLimits } from '../../../../src/trading/algos/run/known-limits.js';
import { LONGEST_TICK_MS, TickPause } from '../../../../src/trading/algos/run/tick-pause.js';
import { fakeHost } from '../../../support/fake-host.js';
import { NO_LIMITS } from '../support/at-work.js';

// When the process that watches looks again, and how long it waits to become that process.

describe('the pause between two ticks', () => {
  it.each([
    ['a fifth of a second', false, 1, 60_000, 200],
    ['shorter if the clock of the exchange is faster', false, 4, 60_000, 50],
    ['10 ms at least', false, 1_000, 60_000, 10],
    ['as long as nothing is due in a process that is alone', true, 1, 60_000, 60_000],
    ['a fifth of a second at least in a process that is alone', true, 1, 7, 200],
    ['an hour at most', true, 1, LONGEST_TICK_MS, 3_600_000],
  ])('is %s', async (_, isAlone, clockSpeed, dueInMs, expected) => {
    const host = fakeHost();
    await new TickPause(host, isAlone).wait(clockSpeed, () => dueInMs);
    expect(host.sleeps).toEqual([expected]);
  });

  /** A pause of a minute of a process, and whether it was cut short by something. */
  async function isCut(isAlone: boolean, during: (pause: TickPause) => void): Promise<boolean> {
    const host = fakeHost();
    let signal: AbortSignal | undefined;
    Object.assign(host, {
      sleep: async (_: number, given?: AbortSignal) => {
        signal = given;
        during(pause);
      },
    });
    const pause = new TickPause(host, isAlone);
    await pause.wait(1, () => 60_000);
    return signal?.aborted === true;
  }

  it.each<[string, boolean, (pause: TickPause) => void, boolean]>([
    ['ends for what is due earlier', true, (pause) => pause.endIn(59_999), true],
    ['goes on for what is due later', true, (pause) => pause.endIn(60_000), false],
    ['goes on in a process that is not alone: it is short', false, (pause) => pause.endIn(0), false],
    ['ends with the process', false, (pause) => pause.end(), true],
  ])('%s', async (_, isAlone, during, expected) => {
    expect(await isCut(isAlone, during)).toBe(expected);
  });

  it('is none once the process ends', async () => {
    const host = fakeHost();
    const pause = new TickPause(host, true);
    pause.end();
    await pause.wait(1, () => 60_000);
    expect(host.sleeps).toEqual([]);
  });
});

describe('the limits of the profile', () => {
  it('are read every ten seconds, and whenever something leaves', async () => {
    const host = fakeHost();
    let reads = 0;
    const read = async () => {
      reads += 1;
      return NO_LIMITS;
    };
    const limits = new KnownLimits({ host, limits: read, warn: () => undefined });
    expect(limits.known).toBeUndefined();
    await limits.keepKnown();
    await host.sleep(9_999);
    await limits.keepKnown();
    expect([reads, limits.known]).toEqual([1, NO_LIMITS]);
    await host.sleep(1);
    await limits.keepKnown();
    expect(reads).toBe(2);
    expect(await limits.current()).toBe(NO_LIMITS);
    expect(reads).toBe(3);
  });

  it('stay as they were known, with a warning, if they cannot be read', async () => {
    const host = fakeHost();
    const warnings: string[] = [];
    let failure: Error | undefined;
    const read = async () => {
      if (failure !== undefined) throw failure;
      return NO_LIMITS;
    };
    const limits = new KnownLimits({ host, limits: read, warn: (message) => warnings.push(message) });
    await limits.keepKnown();
    failure = new Failure('usage', 'The profile has other hosts by now.');
    await host.sleep(10_000);
    await limits.keepKnown();
    expect([limits.known, warnings]).toEqual([NO_LIMITS, ['The profile has other hosts by now.']]);
    failure = new TypeError('a mistake');
    await host.sleep(10_000);
    await expect(limits.keepKnown()).rejects.toBe(failure);
    await expect(limits.current()).rejects.toBe(failure);
  });
});

describe('the process that watches', () => {
  const watcher = (pid: number, isStopped = false): Watcher => ({ pid, startStamp: 'x', isStopped }) as Watcher;

  /** Claims while others have the claim, each for a second. */
  async function claim(others: readonly Watcher[], waitsForOther: boolean, signal = new AbortController().signal) {
    const host = fakeHost();
    const left = [...others];
    const said: Watcher[] = [];
    const store = { claim: () => left.shift() };
    const isClaimed = await claimWatch({ host, store, other: (one) => said.push(one), waitsForOther }, signal);
    return { isClaimed, said, sleeps: host.sleeps };
  }

  it.each<[string, Watcher[], boolean, object]>([
    ['is this one at once if no other watches', [], false, { isClaimed: true, said: [], sleeps: [] }],
    ['is another one', [watcher(7)], false, { isClaimed: false, said: [watcher(7)], sleeps: [] }],
    [
      'is waited for, and is named once, and again when it was stopped or another one follows',
      [watcher(7), watcher(7), watcher(7, true), watcher(8)],
      true,
      {
        isClaimed: true,
        said: [watcher(7), watcher(7, true), watcher(8)],
        sleeps: [1_000, 1_000, 1_000, 1_000],
      },
    ],
  ])('%s', async (_, others, waitsForOther, expected) => {
    expect(await claim(others, waitsForOther)).toEqual(expected);
  });

  it('is not this one if it is to end', async () => {
    expect(await claim([], true, AbortSignal.abort())).toMatchObject({ isClaimed: false });
  });
});
