import { describe, expect, it } from 'vitest';
import { number, numbers, toJsonText } from '../../../src/sandbox/server/bodies.js';

describe('the JSON writer', () => {
  it('keeps every digit of a number', () => {
    const value = { id: number('12345678901234567890'), pair: numbers(['0.00000001', '1.500']), zero: number('0.00') };
    expect(toJsonText(value)).toBe('{"id":12345678901234567890,"pair":[0.00000001,1.500],"zero":0.00}');
  });

  it('writes all JSON types', () => {
    const value = { text: 'a "b"\n\u2028比', list: [1, true, null, [], {}], none: null };
    expect(JSON.parse(toJsonText(value))).toEqual(value);
  });

  it.each([0.1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %d, which is not a count', (value) => {
    expect(() => toJsonText([value])).toThrow(RangeError);
  });
});
