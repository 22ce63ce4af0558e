import { describe, expect, it } from 'vitest';
import { type HttpReads, ReadSchedule, type Reason } from '../../../src/exchange/stream/read-schedule.js';

const POLL_MS = 2_000;
const START = 100_000;

function schedule({ reads = 'polls' as HttpReads, hasStream = true } = {}) {
  return new ReadSchedule({ reads, hasStream, pollMs: POLL_MS, now: START });
}

/** How long after the start the next read is due, in milliseconds; null if it is due at any time. */
function dueAfter(read: ReadSchedule): number | null {
  if (read.isDue(Number.MIN_SAFE_INTEGER, false)) return null;
  let [early, late] = [0, 2 ** 20];
  while (early < late) {
    const middle = Math.floor((early + late) / 2);
    if (read.isDue(START + middle, false)) late = middle;
    else early = middle + 1;
  }
  return late;
}

describe('the next read', () => {
  it.each<[string, number | null, (read: ReadSchedule) => void]>([
    ['3 s after the start, which the stream may use', 3_000, () => undefined],
    ['3 s after a cut', 10_000 + 3_000, (read) => read.disconnected(START + 10_000, null)],
    ['5 s after the message that subscribes', 10_000 + 5_000, (read) => read.subscribing(START + 10_000, null)],
    ['at once after a refusal or of a mute channel', null, (read) => read.atOnce()],
    ['at once for the first gap', null, (read) => read.incomplete()],
    ['30 s after a check', 10_000 + 30_000, (read) => read.checked(START + 10_000)],
    ['when the push of what HTTP has shown is late', 7_000, (read) => read.checkAgainAt(START + 7_000)],
    ['a pause after a poll', 10_000 + POLL_MS, (read) => read.polled(START + 10_000, START + 10_000, false)],
    ['a pause after a poll that failed', 10_000 + POLL_MS, (read) => read.pollFailed(START + 10_000)],
    [
      '10 s after the last read that closed a gap, for one bad frame after the other',
      1_000 + 10_000,
      (read) => {
        read.recovered(START + 1_000);
        read.incomplete();
      },
    ],
  ])('is %s', (_, expected, happens) => {
    const read = schedule();
    happens(read);
    expect(dueAfter(read)).toBe(expected);
  });

  it('is at the start if there is no stream', () => {
    expect(dueAfter(schedule({ hasStream: false }))).toBe(0);
  });

  it('comes after pauses that double up to a minute while a gap cannot be closed, and begins with 5 s after the next one', () => {
    const read = schedule();
    const pauses = Array.from({ length: 6 }, () => {
      read.notRecovered(START);
      return dueAfter(read);
    });
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    read.checked(START);
    read.notRecovered(START);
    expect(dueAfter(read)).toBe(5_000);
  });

  it.each([
    ['as usual, if it took no longer than a quarter of the pause', 500, POLL_MS],
    ['four times as long as it took', 1_000, 4_000],
    ['at most three times the usual one', 10_000, 3 * POLL_MS],
  ])('after a poll comes after a pause that is %s', (_, tookMs, pauseMs) => {
    const read = schedule();
    read.polled(START + tookMs, START, false);
    expect([dueAfter(read), read.pollPauseMs]).toEqual([tookMs + pauseMs, pauseMs]);
    read.pollFailed(START + 50_000);
    expect(dueAfter(read)).toBe(50_000 + pauseMs);
  });

  it.each<[string, Reason | null, number, number]>([
    ['stays as it is for a feed that is polled', 'away', 500, POLL_MS],
    ['is put off for a feed that was polled and is live by now', null, 500, 500 + 5_000],
    ['is put off for a feed whose polls have stopped', 'away', 2 * POLL_MS + 1, 2 * POLL_MS + 1 + 5_000],
  ])('%s when it subscribes again', (_, reason, after, expected) => {
    const read = schedule();
    read.polled(START, START, false);
    read.subscribing(START + after, reason);
    expect(dueAfter(read)).toBe(expected);
  });

  it('does not come later than a cut asks for, also of a feed that is polled', () => {
    const read = schedule();
    read.polled(START, START, false);
    read.checkAgainAt(START + 60_000);
    read.disconnected(START + 100, 'mute');
    expect(dueAfter(read)).toBe(3_100);
  });
});

describe('a feed is polled', () => {
  it('for two pauses after a poll began', () => {
    const read = schedule();
    expect(read.isPolled(START)).toBe(false);
    read.polled(START + 100, START, false);
    expect([read.isPolled(START + 2 * POLL_MS), read.isPolled(START + 2 * POLL_MS + 1)]).toEqual([true, false]);
  });

  it('not by polls that show less than the stream has sent', () => {
    const read = schedule();
    read.polled(START, START, true);
    expect([read.isPolled(START), dueAfter(read)]).toEqual([false, POLL_MS]);
  });
});

describe('HTTP is read', () => {
  const states: readonly (Reason | null)[] = [null, 'away', 'refused', 'unconfirmed', 'incomplete', 'mute'];

  it.each<[HttpReads, readonly (Reason | null)[]]>([
    ['never', []],
    ['gaps', ['incomplete']],
    ['checks', [null, 'incomplete', 'mute']],
    ['polls', states],
  ])('with the choice "%s" in these states only: %j', (reads, expected) => {
    const read = schedule({ reads });
    expect(states.filter((reason) => read.allowsWhile(reason))).toEqual(expected);
  });
});
