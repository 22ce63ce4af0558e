import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExchangeZone } from '../../src/exchange/exchange-zone.js';

const DATE = Date.parse('2026-07-01T02:03:04.567Z');
const DAY = 86_400_000;

describe("the zone of the exchange's dates", () => {
  it.each([
    ['2026-07-01 10:03:04', '+08:00'],
    ['2026-06-30 20:33:04', '-05:30'],
    ['2026-07-01 07:48:05', '+05:45'],
    ['2026-07-01 02:03:04', '+00:00'],
    ['2026-07-01 16:03:04', '+14:00'],
    ['2026-06-30 14:03:04.0', '-12:00'],
    ['2026-07-01T10:03:04', '+08:00'],
  ])('learns the offset from a bill: %s means %s', (showDate, offset) => {
    const at = new ExchangeZone(undefined);
    expect(at.isKnown).toBe(false);
    at.learn({ time: DATE, shownTime: showDate });
    expect(at.isKnown).toBe(true);
    expect(at.write(DATE)).toBe(showDate.replace('T', ' ').replace('.0', '').replace(':05', ':04'));
    expect(at.write(0)).toBe(new ExchangeZone(offset).write(0));
    expect(at.read(at.write(DATE) ?? '')).toBe(DATE - 567);
  });

  it.each(['2026-07-01 10:10:04', '2026-07-03 02:03:04', '2026-07-01', 'yesterday', '', null])(
    'learns nothing from %j, which fits no zone',
    (showDate) => {
      const at = new ExchangeZone(undefined);
      at.learn({ time: DATE, shownTime: showDate });
      expect([at.isKnown, at.read('2026-07-01 10:03:04'), at.write(DATE)]).toEqual([false, undefined, undefined]);
    },
  );

  it('is known if the profile names it', () => {
    expect(new ExchangeZone('+08:00').isKnown).toBe(true);
  });

  it('uses the zone of the profile if it names one, with daylight saving time', () => {
    const at = new ExchangeZone('Europe/Berlin');
    expect(at.write(Date.parse('2026-01-15T12:00:00Z'))).toBe('2026-01-15 13:00:00');
    expect(at.write(Date.parse('2026-07-15T12:00:00Z'))).toBe('2026-07-15 14:00:00');
    expect(at.read('2026-03-29 01:59:59')).toBe(Date.parse('2026-03-29T00:59:59Z'));
    expect(at.read('2026-03-29 03:00:00')).toBe(Date.parse('2026-03-29T01:00:00Z'));
    expect(at.read('2026-10-25 03:00:00')).toBe(Date.parse('2026-10-25T02:00:00Z'));
    at.learn({ time: DATE, shownTime: '2026-07-01 04:03:04' });
    expect(at.contradictingOffset).toBeUndefined();
    at.learn({ time: DATE, shownTime: '2026-07-01 10:03:04' });
    expect([at.contradictingOffset, at.name]).toEqual(['+08:00', 'Europe/Berlin']);
    at.learn({ time: DATE, shownTime: '2026-07-01 04:03:04' });
    expect(at.contradictingOffset).toBe('+08:00');
  });

  it.each(['2026-10-25 02:30:00', '2026-03-29 02:30:00'])(
    'gives %s no moment: in Berlin that date happens twice or never',
    (text) => {
      expect(new ExchangeZone('Europe/Berlin').read(text)).toBeUndefined();
    },
  );
});

/** What an exchange in a zone writes at a moment. */
function shown(zone: string, time: number): string {
  return new ExchangeZone(zone).write(time) ?? '';
}

function learned(zone: string, bills: readonly string[]): ExchangeZone {
  const at = new ExchangeZone(undefined);
  for (const bill of bills) at.learn({ time: Date.parse(bill), shownTime: shown(zone, Date.parse(bill)) });
  return at;
}

describe('a learned offset', () => {
  const day = (text: string) => Date.parse(`${text}T12:00:00Z`);
  const read = (zone: string, bills: readonly string[], text: string) => {
    const found = learned(
      zone,
      bills.map((bill) => `${bill}T12:00:00Z`),
    ).read(shown(zone, day(text)));
    if (found !== undefined) expect(found).toBe(day(text));
    return found !== undefined;
  };

  it.each([
    ['Europe/Berlin', '2026-11-20', ['2026-11-13', '2026-11-27'], ['2026-11-12', '2026-11-28', '2026-07-20']],
    ['Asia/Shanghai', '2026-11-20', ['2026-11-13', '2026-11-27'], ['2026-11-12', '2026-11-28', '2026-07-20']],
    ['America/New_York', '2026-07-20', ['2026-07-13', '2026-07-27'], ['2026-07-12', '2026-07-28', '2026-12-20']],
    // its clock is set back on 25 October
    ['Europe/Berlin', '2026-10-24', ['2026-10-24'], ['2026-10-25', '2026-10-26']],
    ['Europe/Berlin', '2026-10-26', ['2026-10-26', '2026-11-02'], ['2026-10-24', '2026-10-23']],
  ] as const)('of %s on %s holds on %j, and not on %j', (zone, bill, holds, not) => {
    expect(holds.map((text) => read(zone, [bill], text))).toEqual(holds.map(() => true));
    expect(not.map((text) => read(zone, [bill], text))).toEqual(not.map(() => false));
  });

  it('holds between two bills that agree if they are at most four weeks apart', () => {
    expect(read('Asia/Shanghai', ['2026-05-01', '2026-05-29'], '2026-05-15')).toBe(true);
    expect(read('Asia/Shanghai', ['2026-05-01', '2026-05-30'], '2026-05-15')).toBe(false);
    expect(read('Asia/Shanghai', ['2026-05-01', '2026-05-30'], '2026-05-08')).toBe(true);
    const weeks = Array.from({ length: 52 }, (_, week) => day('2026-01-01') + week * 7 * DAY);
    const berlin = new ExchangeZone('Europe/Berlin');
    const at = new ExchangeZone(undefined);
    for (const time of weeks) at.learn({ time, shownTime: berlin.write(time) ?? null });
    expect(weeks.map((time) => at.read(berlin.write(time) ?? ''))).toEqual(weeks);
  });

  it('holds between the same bills, in whatever order they are read', () => {
    const bills = ['2026-05-01', '2026-05-29', '2026-05-15'];
    for (const read of [bills, [...bills].reverse(), bills.toSorted()])
      expect(
        learned(
          'Asia/Shanghai',
          read.map((bill) => `${bill}T12:00:00Z`),
        ).read('2026-05-22 12:00:00'),
      ).toBe(Date.parse('2026-05-22T04:00:00Z'));
  });

  it('gives no moment to a date that the bills before and those after a change of the clock may have', () => {
    const at = learned('Europe/Berlin', ['2026-10-24T20:00:00Z', '2026-10-25T20:00:00Z']);
    expect(at.read('2026-10-25 01:59:59')).toBe(Date.parse('2026-10-24T23:59:59Z'));
    expect(at.read('2026-10-25 02:30:00')).toBeUndefined();
    expect(at.read('2026-10-25 03:00:00')).toBe(Date.parse('2026-10-25T02:00:00Z'));
  });

  it('is forgotten with all others if a bill within the time of other bills contradicts them', () => {
    const at = learned('Asia/Shanghai', ['2026-05-01T12:00:00Z', '2026-05-15T12:00:00Z']);
    at.learn({ time: day('2026-05-10'), shownTime: '2026-05-10 12:00:00' });
    expect(at.read('2026-05-10 12:00:00')).toBe(day('2026-05-10'));
    expect(at.write(day('2026-05-01'))).toBe('2026-05-01 12:00:00');
  });

  it('never gives a wrong moment: in any zone, in both halves of any year', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Africa/Cairo'];
    const others = ['UTC', 'Asia/Shanghai', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Atlantic/Azores', 'Pacific/Apia'];
    const start = Date.parse('2015-01-01T00:00:00Z');
    const moment = fc.integer({ min: 0, max: 11 * 366 * 24 * 60 }).map((minutes) => start + minutes * 60_000);
    // some near a bill, some anywhere
    const apart = fc.integer({ min: -40 * 24 * 60, max: 40 * 24 * 60 }).map((minutes) => minutes * 60_000);
    const bills = fc.array(fc.oneof(moment, apart), { minLength: 1, maxLength: 40 });
    let dated = 0;
    let asked = 0;
    const property = fc.property(
      fc.constantFrom(...zones, ...others),
      moment,
      bills,
      fc.array(fc.oneof(moment, apart), { minLength: 1, maxLength: 12 }),
      (zone, around, billTimes, dates) => {
        const near = (time: number) => (Math.abs(time) < start ? around + time : time);
        const exchange = new ExchangeZone(zone);
        const at = new ExchangeZone(undefined);
        for (const time of billTimes.map(near)) at.learn({ time, shownTime: exchange.write(time) ?? null });
        for (const time of dates.map(near)) {
          const found = at.read(exchange.write(time) ?? '');
          asked += 1;
          if (found === undefined) continue;
          dated += 1;
          expect([zone, new Date(found)]).toEqual([zone, new Date(time)]);
        }
      },
    );
    fc.assert(property, { numRuns: 200 });
    expect(dated).toBeGreaterThan(asked / 10);
  });
});
