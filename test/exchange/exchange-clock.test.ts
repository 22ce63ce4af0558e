import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cache } from '../../src/config/cache.js';
import { cachedOffset, ExchangeClock } from '../../src/exchange/exchange-clock.js';
import { datedRead } from '../../src/trading/settling/dated-read.js';

const NOON = Date.UTC(2026, 10, 21, 12);

function clockAt(start: number, remembered?: number) {
  const written: number[] = [];
  const host = { time: start, now: () => host.time, passed: 0, monotonic: () => host.passed };
  const clock = new ExchangeClock(host, { read: () => remembered, write: (offset) => written.push(offset) });
  return { host, clock, written };
}

/** An answer, created half way between sending and receiving, of an exchange whose clock is `ahead` ms ahead. */
function sample(sent: number, roundTrip: number, ahead: number) {
  const exchange = sent + roundTrip / 2 + ahead;
  return { sent, received: sent + roundTrip, date: Math.floor(exchange / 1000) * 1000 };
}

describe("the exchange's clock", () => {
  it("follows this machine's clock until an answer shows a difference", () => {
    const { clock, written } = clockAt(NOON);
    clock.addSample(sample(NOON, 200, 0));
    clock.addSample(sample(NOON + 700, 3_000, 500));
    expect([clock.offset, clock.now(), written]).toEqual([0, NOON, []]);
  });

  it.each([90_000, -90_000, 8 * 3_600_000])(
    'follows an exchange that is %d ms ahead within about a second',
    (ahead) => {
      const { clock, written } = clockAt(NOON);
      clock.addSample(sample(NOON, 100, ahead));
      expect(Math.abs(clock.offset - ahead)).toBeLessThanOrEqual(1_100);
      expect(clock.now()).toBe(NOON + clock.offset);
      expect(written).toEqual([clock.offset]);
    },
  );

  it('takes the middle of what is possible: a date counts whole seconds, so it was written up to a second later', () => {
    const { clock } = clockAt(NOON);
    clock.addSample({ sent: NOON, received: NOON + 200, date: NOON + 90_000 });
    // between 89,800 and 91,000 ms ahead
    expect(clock.offset).toBe(90_400);
  });

  it.each([
    [-2_000, 0],
    [-2_001, -1_601],
    [1_200, 0],
    [1_201, 1_601],
  ])('a date that is %i ms off the moment of its request leaves a clock that may be right: %i', (off, offset) => {
    const { clock } = clockAt(NOON);
    clock.addSample({ sent: NOON, received: NOON + 200, date: NOON + off });
    expect(clock.offset).toBe(offset);
  });

  it('keeps the known difference while it is still possible', () => {
    const { clock, written } = clockAt(NOON, 90_000);
    clock.addSample(sample(NOON, 100, 90_400));
    expect([clock.offset, written]).toEqual([90_000, []]);
  });

  it('drops a difference that is no longer possible', () => {
    const { clock, written } = clockAt(NOON, 90_000);
    clock.addSample(sample(NOON, 100, 0));
    expect([clock.offset, written]).toEqual([0, [0]]);
  });

  it('does not know the time before the first answer, whatever an earlier process found', () => {
    const { clock } = clockAt(NOON, 90_000);
    expect([clock.isKnown, clock.now()]).toEqual([false, NOON + 90_000]);
    clock.addSample(sample(NOON, 100, 90_000));
    expect(clock.isKnown).toBe(true);
  });

  it("does not know the time any more once this machine's clock was set, until the next answer", () => {
    const { host, clock } = clockAt(NOON);
    clock.addSample(sample(NOON, 100, 0));
    [host.time, host.passed] = [NOON + 60_000, 60_000];
    expect(clock.isKnown).toBe(true);
    host.time += 3_600_000;
    expect(clock.isKnown).toBe(false);
    clock.addSample(sample(host.time, 100, -3_600_000));
    expect(clock.isKnown).toBe(true);
  });

  it('the clock is never off by more than the samples allow', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -10_000_000, max: 10_000_000 }),
        fc.array(fc.tuple(fc.nat(100_000), fc.nat(9_000)), { minLength: 1, maxLength: 20 }),
        (ahead, answers) => {
          const { clock } = clockAt(NOON);
          for (const [at, roundTrip] of answers) {
            clock.addSample(sample(NOON + at, roundTrip, ahead));
            // a second of `Date`, a second that is not worth a correction, and what the answer took
            expect(Math.abs(clock.offset - ahead)).toBeLessThanOrEqual(2_000 + roundTrip);
          }
        },
      ),
    );
  });
});

describe('an offset that is kept between commands', () => {
  /** Commands on a machine whose clock was set by some milliseconds and whose monotonic clock goes on. */
  function machine() {
    const cached = { folder: mkdtempSync(path.join(tmpdir(), 'pit-offset-')), set: 0, passed: 0 };
    const now = () => NOON + cached.passed + cached.set;
    const store = () =>
      cachedOffset(new Cache(cached.folder, now), 'offset', { now, monotonic: () => 5_000 + cached.passed });
    return { cached, store };
  }

  it('holds while the clock of this machine is not set, for a day', () => {
    const { cached, store } = machine();
    expect(store().read()).toBeUndefined();
    store().write(600_000);
    for (const [passed, offset] of [
      [0, 600_000],
      [86_400_000, 600_000],
      [86_400_001, undefined],
    ] as const) {
      cached.passed = passed;
      expect(store().read()).toBe(offset);
    }
  });

  it.each([600_000, -180_000, 1_001])('does not hold after the clock of this machine was set by %i ms', (set) => {
    const { cached, store } = machine();
    store().write(-set);
    Object.assign(cached, { set, passed: 10_000 });
    expect(store().read()).toBeUndefined();
    // nor later, when what was written in the future is not any more
    cached.passed = 3_600_000;
    expect(store().read()).toBeUndefined();
  });
});

describe('when a read began', () => {
  it.each([
    ['nothing else happens', 0, 0],
    ["this machine's clock is set forward meanwhile", 600_000, 0],
    ["this machine's clock is set back meanwhile", -600_000, 0],
    ['the machine sleeps meanwhile', 25_000, -25_000],
  ])('is never later than it did by the clock of the exchange: %s', async (_, set, monotonicLag) => {
    const times = { exchange: NOON, wall: NOON - 90_000, monotonic: 0 };
    const host = { now: () => times.wall, monotonic: () => times.monotonic };
    const { began } = await datedRead({ client: { now: () => times.exchange }, host }, async () => {
      const passed = 2_000 - monotonicLag;
      times.exchange += passed;
      times.wall += 2_000 + set;
      times.monotonic += 2_000;
    });
    expect(began).toBeLessThanOrEqual(NOON);
  });
});
