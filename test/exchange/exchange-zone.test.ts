import { describe, expect, it } from 'vitest';
import { ExchangeZone } from '../../src/exchange/exchange-zone.js';

const DATE = Date.parse('2026-07-01T02:03:04.567Z');

function zone(setting?: string, kept?: string): { readonly at: ExchangeZone; readonly written: string[] } {
  const written: string[] = [];
  return { at: new ExchangeZone(setting, { read: () => kept, write: (offset) => written.push(offset) }), written };
}

describe("the zone of the exchange's dates", () => {
  it.each([
    ['2026-07-01 10:03:04', '+08:00'],
    ['2026-06-30 20:33:04', '-05:30'],
    ['2026-07-01 07:48:05', '+05:45'],
    ['2026-07-01 02:03:04', '+00:00'],
    ['2026-07-01 16:03:04', '+14:00'],
    ['2026-06-30 14:03:04.0', '-12:00'],
    ['2026-07-01T10:03:04', '+08:00'],
  ])('learns the zone from a bill: %s means %s', (showDate, offset) => {
    const { at, written } = zone();
    expect(at.name).toBeUndefined();
    at.learn({ time: DATE, shownTime: showDate });
    at.learn({ time: DATE, shownTime: showDate });
    expect({ name: at.name, written }).toEqual({ name: offset, written: [offset] });
    expect(at.write(DATE)).toBe(showDate.replace('T', ' ').replace('.0', '').replace(':05', ':04'));
    expect(at.read(at.write(DATE) ?? '')).toBe(DATE - 567);
  });

  it.each(['2026-07-01 10:10:04', '2026-07-03 02:03:04', '2026-07-01', 'yesterday', '', null])(
    'learns no zone from %j, which fits none',
    (showDate) => {
      const { at, written } = zone();
      at.learn({ time: DATE, shownTime: showDate });
      expect({ name: at.name, written, read: at.read('2026-07-01 10:03:04') }).toEqual({ written: [] });
    },
  );

  it('remembers the zone, and updates it when a bill shows another one', () => {
    const { at, written } = zone(undefined, '+01:00');
    expect(at.name).toBe('+01:00');
    at.learn({ time: DATE, shownTime: '2026-07-01 04:03:04' });
    expect({ name: at.name, written, wall: at.write(0) }).toEqual({
      name: '+02:00',
      written: ['+02:00'],
      wall: '1970-01-01 02:00:00',
    });
  });

  it('uses the zone of the profile if it names one, with daylight saving time', () => {
    const { at, written } = zone('Europe/Berlin', '+08:00');
    expect(at.write(Date.parse('2026-01-15T12:00:00Z'))).toBe('2026-01-15 13:00:00');
    expect(at.write(Date.parse('2026-07-15T12:00:00Z'))).toBe('2026-07-15 14:00:00');
    expect(at.read('2026-03-29 01:59:59')).toBe(Date.parse('2026-03-29T00:59:59Z'));
    expect(at.read('2026-03-29 03:00:00')).toBe(Date.parse('2026-03-29T01:00:00Z'));
    expect(at.read('2026-10-25 03:00:00')).toBe(Date.parse('2026-10-25T02:00:00Z'));
    at.learn({ time: DATE, shownTime: '2026-07-01 04:03:04' });
    expect(at.contradictingOffset).toBeUndefined();
    at.learn({ time: DATE, shownTime: '2026-07-01 10:03:04' });
    expect({ contradictingOffset: at.contradictingOffset, name: at.name, written }).toEqual({
      contradictingOffset: '+08:00',
      name: 'Europe/Berlin',
      written: [],
    });
  });
});
