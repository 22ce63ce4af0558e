import { afterEach, describe, expect, it } from 'vitest';
import { isoTime, localTime, timeTitle, zonedTime } from '../../src/terminal/time.js';

const MOMENT = Date.UTC(2026, 10, 21, 8, 7, 39, 123);

describe('times', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it('are local in tables, with the zone in the title', () => {
    expect(localTime(MOMENT, 'Asia/Shanghai')).toBe('2026-11-21 16:07:39');
    expect(localTime(Date.UTC(2026, 0, 1), 'UTC')).toBe('2026-01-01 00:00:00');
    expect(timeTitle('time', 'Asia/Shanghai')).toBe('time (Asia/Shanghai)');
  });

  it('use the zone of the user by default', () => {
    process.env.TZ = 'America/New_York';
    expect(localTime(MOMENT)).toBe('2026-11-21 03:07:39');
    expect(timeTitle()).toBe('time (America/New_York)');
  });

  it.each(['Nowhere/Bad', ''])('are in UTC and say so if TZ is %j', (name) => {
    process.env.TZ = name;
    expect(timeTitle()).toBe('time (UTC)');
    expect(zonedTime(MOMENT)).toBe('2026-11-21 08:07:39 (UTC)');
  });

  it('include the zone outside of tables', () => {
    process.env.TZ = 'America/New_York';
    expect(zonedTime(MOMENT)).toBe('2026-11-21 03:07:39 (UTC-05:00)');
  });

  it('are UTC with milliseconds for programs', () => {
    expect(isoTime(MOMENT)).toBe('2026-11-21T08:07:39.123Z');
  });
});
