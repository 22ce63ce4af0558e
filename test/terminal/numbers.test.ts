import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grouped, signed } from '../../src/terminal/cells.js';

const decimals = fc.stringMatching(/^-?(0|[1-9]\d{0,40})(\.\d{1,40})?$/);

describe('grouped numbers', () => {
  it.each([
    ['23140.48', '23,140.48'],
    ['999', '999'],
    ['1000', '1,000'],
    ['-1234567.000000001234', '-1,234,567.000000001234'],
    ['0.00000341', '0.00000341'],
    ['123456789012345678901', '123,456,789,012,345,678,901'],
    ['n/a', 'n/a'],
  ])('%s is %s', (text, expected) => {
    expect(grouped(text)).toBe(expected);
  });

  it('are the same number without the commas, in groups of three', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        expect(grouped(text).replaceAll(',', '')).toBe(text);
        expect(grouped(text)).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/);
      }),
    );
  });
});

describe('signed numbers', () => {
  it.each([
    ['1.25', '+1.25'],
    ['+1.25', '+1.25'],
    ['-0.40', '-0.40'],
    ['0.00', '0.00'],
    ['-0.00', '0.00'],
    ['n/a', 'n/a'],
  ])('%s is %s', (text, expected) => {
    expect(signed(text)).toBe(expected);
  });
});
