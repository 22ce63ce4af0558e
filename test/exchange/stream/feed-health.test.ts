import { describe, expect, it } from 'vitest';
import { FeedHealth } from '../../../src/exchange/stream/feed-health.js';

/** What kinds of channels there are. */
const BOOK = { isWhole: true, isHistory: false, isOrdered: true };
const TRADES = { isWhole: false, isHistory: true, isOrdered: true };
const ORDERS = { isWhole: false, isHistory: false, isOrdered: true };
const BALANCES = { isWhole: false, isHistory: false, isOrdered: false };

const POLL_MS = 2_000;

/** A state that has taken these numbers. */
const known = (...numbers: readonly number[]) => ({ lacks: (shown: unknown) => !numbers.includes(Number(shown)) });

/** A channel that was subscribed to at 0 and complete then. */
function healthOf(channel: typeof BOOK, isChecked = true): FeedHealth {
  const health = new FeedHealth(channel, isChecked);
  health.subscribing(0);
  health.proven(0);
  return health;
}

/** A check that began at this time, and was answered at once. */
function at(now: number) {
  return { began: now, now, pollPauseMs: POLL_MS };
}

describe('a channel that has sent nothing since the subscription', () => {
  it.each([
    ['a book is mute', BOOK, true],
    ['trades are mute', TRADES, true],
    ['orders are not: there may be nothing to send', ORDERS, false],
    ['balances are not: there may be nothing to send', BALANCES, false],
  ])('from the fifth second on, %s', (_, channel, isMute) => {
    const health = healthOf(channel);
    expect([health.isMute(4_999), health.isMute(5_000)]).toEqual([false, isMute]);
  });

  it('is not mute if nothing is checked over HTTP', () => {
    expect(healthOf(BOOK, false).isMute(60_000)).toBe(false);
  });

  it('is mute again after it was subscribed to again, but not after a push', () => {
    const health = healthOf(BOOK);
    health.pushed(1_000);
    expect(health.isMute(60_000)).toBe(false);
    health.subscribing(60_000);
    expect([health.isMute(64_999), health.isMute(65_000)]).toEqual([false, true]);
  });
});

describe('a channel is quiet', () => {
  /** Pushes at these times. */
  function pushedAt(...times: readonly number[]): FeedHealth {
    const health = healthOf(BOOK);
    for (const time of times) health.pushed(time);
    return health;
  }

  it.each<[string, readonly number[], number | null]>([
    ['after ten of its usual pauses', [1_000, 2_000, 3_000], 13_000],
    ['after five seconds if its pauses are short', [100, 200, 300], 5_300],
    ['never before its second push', [1_000], null],
    ['later if its last pauses were longer, of which each counts for a tenth', [1_000, 2_000, 4_000], 4_000 + 11_000],
  ])('%s', (_, times, quietAt) => {
    const health = pushedAt(...times);
    if (quietAt === null) expect(health.isQuiet(3_600_000)).toBe(false);
    else expect([health.isQuiet(quietAt - 1), health.isQuiet(quietAt)]).toEqual([false, true]);
  });

  it.each<[string, (health: FeedHealth) => void]>([
    ['a check has shown nothing new', (health) => health.proven(6_000)],
    ['a check has failed', (health) => health.checkFailed(6_000)],
    ['it is in doubt', (health) => void health.check(2, known(1), at(6_000))],
  ])('no longer once %s', (_, happens) => {
    const health = pushedAt(100, 200, 300);
    expect(health.isQuiet(6_000)).toBe(true);
    happens(health);
    expect(health.isQuiet(20_000)).toBe(false);
  });

  it('not by the pause between two subscriptions', () => {
    const health = pushedAt(100, 200);
    health.subscribing(60_000);
    health.pushed(61_000);
    expect([health.isQuiet(65_999), health.isQuiet(66_000)]).toEqual([false, true]);
  });
});

describe('a check that shows what was not pushed', () => {
  it.each<[string, typeof BOOK, number | null, readonly (number | 'lost')[]]>([
    // checks at 10, 12 and 15 s
    ['is repeated when the push is 5 s late, and then it is lost', ORDERS, null, [15_000, 15_000, 'lost']],
    ['of a book likewise, whatever was pushed before', BOOK, 9_000, [15_000, 15_000, 'lost']],
    ['of balances likewise if none were pushed', BALANCES, null, [15_000, 15_000, 'lost']],
    ['of balances is repeated at each poll while HTTP may be behind', BALANCES, 9_000, [15_000, 15_000, 17_000]],
  ])('%s', (_, channel, pushedAt, expected) => {
    const health = healthOf(channel);
    if (pushedAt !== null) health.pushed(pushedAt);
    const results = [10_000, 12_000, 15_000].map((now) => health.check(2, known(1), at(now)));
    expect(results.map((result) => (typeof result === 'object' ? result.againAt : result))).toEqual(expected);
  });

  it('of balances means that the push is lost once HTTP cannot be behind it any more, after a minute', () => {
    const health = healthOf(BALANCES);
    health.pushed(9_000);
    health.check(2, known(1), at(10_000));
    expect(health.check(2, known(1), at(68_999))).toEqual({ againAt: 70_999 });
    expect(health.check(2, known(1), at(69_000))).toBe('lost');
  });

  it('makes the channel not current after five seconds', () => {
    const health = healthOf(ORDERS);
    health.check(2, known(1), at(10_000));
    expect([health.isProven(15_000), health.isProven(15_001)]).toEqual([true, false]);
  });

  it.each<[string, (health: FeedHealth) => void, boolean]>([
    ['is explained by the push that comes after it', (health) => health.merged(known(1, 2)), true],
    ['is not explained by another push', (health) => health.merged(known(1, 3)), false],
    ['does not count after one that shows the same', (health) => health.proven(12_000), true],
    ['does not count for a feed that was polled since', (health) => health.forgetDoubt(), true],
    ['still counts after one that failed', (health) => health.checkFailed(12_000), false],
  ])('%s', (_, happens, isProven) => {
    const health = healthOf(ORDERS);
    health.check(2, known(1), at(10_000));
    happens(health);
    expect(health.isProven(16_000)).toBe(isProven);
    expect(health.check(4, known(1, 2, 3), at(16_000))).toEqual(isProven ? { againAt: 21_000 } : 'lost');
  });

  it('is explained only by a push of what HTTP has shown last', () => {
    const health = healthOf(ORDERS);
    health.check(2, known(1), at(10_000));
    health.check(3, known(1), at(12_000));
    health.merged(known(1, 2));
    expect(health.isProven(16_000)).toBe(false);
    health.merged(known(1, 2, 3));
    expect(health.isProven(16_000)).toBe(true);
  });

  it('is none if all that it shows is known', () => {
    expect(healthOf(ORDERS).check(1, known(1), at(10_000))).toBe('same');
  });
});

describe('a channel is current', () => {
  it.each<[string, (health: FeedHealth) => void]>([
    ['a check', (health) => health.proven(10_000)],
    ['a push', (health) => health.pushed(10_000)],
  ])('for 75 s after %s', (_, happens) => {
    const health = healthOf(ORDERS);
    happens(health);
    expect([health.isProven(85_000), health.isProven(85_001)]).toEqual([true, false]);
  });

  it('for ever if it cannot be checked over HTTP', () => {
    expect(healthOf(ORDERS, false).isProven(3_600_000)).toBe(true);
  });
});
