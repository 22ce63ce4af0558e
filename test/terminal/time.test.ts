import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ageText, isoTime, localTime, timeTitle, zonedTime } from '../../src/terminal/time.js';

const MOMENT = Date.UTC(2026, 10, 21, 8, 7, 39, 123);

describe('times', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it.each([
    ['Asia/Shanghai', '2026-11-21 16:07:39'],
    ['America/New_York', '2026-11-21 03:07:39'],
  ])('shows times of the zone %s in tables, with the zone in the title', (name, time) => {
    process.env.TZ = name;
    expect([localTime(MOMENT), timeTitle(), timeTitle('created')]).toEqual([
      time,
      `time (${name})`,
      `created (${name})`,
    ]);
  });

  it.each(['Nowhere/Bad', ''])('shows times in UTC and says so if TZ is %j', (name) => {
    process.env.TZ = name;
    expect(timeTitle()).toBe('time (UTC)');
    expect(zonedTime(MOMENT)).toBe('2026-11-21 08:07:39 (UTC)');
  });

  it('includes the zone outside of tables', () => {
    process.env.TZ = 'America/New_York';
    expect(zonedTime(MOMENT)).toBe('2026-11-21 03:07:39 (UTC-05:00)');
  });

  it('writes times in UTC with milliseconds for programs', () => {
    expect(isoTime(MOMENT)).toBe('2026-11-21T08:07:39.123Z');
  });
});

describe('ages', () => {
  it.each([
    [0, 'under 1 s'],
    [749, 'under 1 s'],
    [750, '2 s'],
    [74_000, '75 s'],
    [119_749, '120 s'],
    [119_750, '3 min'],
    [7_000_000, '117 min'],
    [7_200_000, '3 h'],
  ])('an age of %i ms is %s', (ms, text) => {
    expect(ageText(ms)).toBe(text);
  });

  it('an age is never smaller than the true one, until the text is drawn again', () => {
    const units = { s: 1_000, min: 60_000, h: 3_600_000 };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000_000 }), fc.integer({ min: 0, max: 5_000 }), (ms, redrawMs) => {
        const [, number, unit = ''] = /^(?:under )?(\d+) (s|min|h)$/.exec(ageText(ms, redrawMs)) ?? [];
        expect(Number(number) * units[unit as keyof typeof units]).toBeGreaterThanOrEqual(ms + redrawMs);
      }),
    );
  });
});
