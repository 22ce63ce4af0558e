import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExchangeClock } from '../../src/exchange/exchange-clock.js';

const NOON = Date.UTC(2026, 10, 21, 12);

function clockAt(start: number, remembered?: number) {
  const written: number[] = [];
  const host = { time: start, now: () => host.time };
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
