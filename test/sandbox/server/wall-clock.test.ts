import { describe, expect, it } from 'vitest';
import { readWallClock, showWallClock } from '../../../src/sandbox/server/served-operation.js';

const NOON = Date.UTC(2022, 2, 28, 12, 0, 5);

describe('dates of the interface', () => {
  it.each([
    [0, '2022-03-28 12:00:05'],
    [480, '2022-03-28 20:00:05'],
    [-330, '2022-03-28 06:30:05'],
    [840, '2022-03-29 02:00:05'],
  ])('shows and reads dates in the zone %i minutes ahead of UTC', (zone, text) => {
    expect(showWallClock(NOON, zone)).toBe(text);
    expect(showWallClock(NOON + 999, zone)).toBe(text);
    expect(readWallClock('startDate', text, zone)).toBe(NOON);
  });

  it.each([
    '2022-02-29 10:00:00',
    '2022-13-01 10:00:00',
    '2022-04-31 10:00:00',
    '2022-01-01 24:00:00',
    '2022-01-01 10:60:00',
  ])('refuses %s, which does not exist', (text) => {
    expect(() => readWallClock('startDate', text, 0)).toThrow('startDate is no time');
  });
});
