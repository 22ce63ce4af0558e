import { describe, expect, it } from 'vitest';
import { utcOffset } from '../../src/commands/inputs/parsers.js';

describe('utcOffset', () => {
  it.each([
    ['+00:00', 0],
    ['+08:00', 480],
    ['-05:30', -330],
    ['+14:00', 840],
  ])('reads %s as %i minutes ahead of UTC', (word, minutes) => {
    expect(utcOffset(word) + 0).toBe(minutes);
  });

  it.each(['8', '+8:00', '08:00', '+15:00', '+08:60', 'UTC', ''])('rejects "%s"', (word) => {
    expect(() => utcOffset(word)).toThrow(`The zone must be an offset from UTC, not "${word}".`);
  });
});
