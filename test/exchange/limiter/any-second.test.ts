import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Limiter, ownRateLimits } from '../../../src/exchange/limiter/limiter.js';
import { HOLD_MS, LIMITS, POLL_MS } from '../../../src/exchange/limiter/permits.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { fakeHost } from '../../support/fake-host.js';

type PermitRequest = Parameters<Limiter['acquire']>[0];

const ORDER: PermitRequest = { bucket: 'key', priority: 'common', mayProbeLock: false };

/** Time that advances only while everything waits for it. */
class VirtualTime {
  now = 1_000_000;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  sleep(milliseconds: number): Promise<void> {
    return new Promise((run) => {
      this.#timers.push({ at: this.now + Math.max(0, milliseconds), run });
    });
  }

  async until(done: () => boolean): Promise<void> {
    while (!done()) {
      await nextTurn();
      this.#timers.sort((left, right) => left.at - right.at);
      const timer = this.#timers.shift();
      if (timer === undefined) continue;
      this.now = Math.max(this.now, timer.at);
      timer.run();
    }
  }
}

interface Way {
  readonly there: number;
  readonly back: number;
  /** How long it takes to read the answer once it begins to arrive. */
  readonly read?: number;
}

/** The times at which an exchange counted the requests of this process, each with its own delays. */
async function counted(
  requests: number,
  wayOf: (request: number) => Way,
  permitRequest: PermitRequest = ORDER,
): Promise<number[]> {
  const time = new VirtualTime();
  const host = { ...fakeHost(), now: () => time.now, monotonic: () => time.now, sleep: (ms: number) => time.sleep(ms) };
  const limiter = new Limiter(host, new TimeBudget(1e9, host.now), ownRateLimits(host.now));
  const moments: number[] = [];
  const carry = async (request: number) => {
    const turn = await limiter.acquire(permitRequest);
    const { there, back, read = 0 } = wayOf(request);
    await time.sleep(there);
    moments.push(time.now);
    await time.sleep(back);
    turn.responded();
    await time.sleep(read);
    await turn.end('response');
  };
  const all = Promise.all(Array.from({ length: requests }, (_, request) => carry(request)));
  await time.until(() => moments.length === requests);
  void all;
  return moments.sort((left, right) => left - right);
}

/** The most that fell into one second, whatever its phase. */
function worstSecond(moments: readonly number[]): number {
  let [start, worst] = [0, 0];
  for (const [end, moment] of moments.entries()) {
    while (moment - (moments[start] ?? 0) >= 1_000) start += 1;
    worst = Math.max(worst, end - start + 1);
  }
  return worst;
}

const between = (min: number, max: number) => ({ there: fc.integer({ min, max }), back: fc.integer({ min, max }) });

const way = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ ...between(5, 12), read: fc.nat({ max: 40 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ ...between(5, 700), read: fc.nat({ max: 3_000 }) }),
  },
);

it('lets at most 60 requests arrive in any second, however long they take', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(way, { minLength: 300, maxLength: 300 }), async (ways) => {
      const moments = await counted(ways.length, (request) => ways[request] ?? { there: 5, back: 5 });
      expect(worstSecond(moments)).toBeLessThanOrEqual(60);
    }),
    { numRuns: 10 },
  );
});

it('requests never pile up while the exchange stalls', async () => {
  const moments = await counted(400, (request) => ({ there: request % 100 < 20 ? 400 : 5, back: 5 }));
  expect(worstSecond(moments)).toBeLessThanOrEqual(60);
});

it.each([0, 5, 50, 300])('adds no delay beyond the limit to requests that take %i ms each way', async (half) => {
  const moments = await counted(500, () => ({ there: half, back: half }));
  const milliseconds = (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  expect(worstSecond(moments)).toBeLessThanOrEqual(60);
  const rounds = Math.floor(500 / (LIMITS.key.count - LIMITS.key.reserved));
  expect(milliseconds).toBeLessThanOrEqual(rounds * (HOLD_MS + 2 * half + POLL_MS));
});

it.each([0, 40, 600, 1_500])('asks for candles once a second though each answer takes %i ms to read', async (read) => {
  const kline = { bucket: 'kline', priority: 'common', mayProbeLock: true } as const;
  const moments = await counted(20, () => ({ there: 1, back: 1, read }), kline);
  expect(worstSecond(moments)).toBe(1);
  const perRequest = ((moments.at(-1) ?? 0) - (moments[0] ?? 0)) / 19;
  expect(perRequest).toBeLessThanOrEqual(Math.max(HOLD_MS, read + POLL_MS) + 3);
});

it('frees the permit of a cancelled request at once', async () => {
  const time = new VirtualTime();
  const host = { ...fakeHost(), now: () => time.now, sleep: (ms: number) => time.sleep(ms) };
  const limiter = new Limiter(host, new TimeBudget(1e9, host.now), ownRateLimits(host.now));
  let left = 0;
  const all = Array.from({ length: 200 }, async () => {
    await (await limiter.acquire(ORDER)).cancel();
    left += 1;
  });
  await time.until(() => left === all.length);
  expect(time.now - 1_000_000).toBeLessThan(HOLD_MS);
});
