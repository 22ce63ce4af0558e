import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Decimal,
  formatAmount,
  formatAverage,
  formatPercent,
  formatPercentLimit,
  formatPrice,
  grouped,
} from '../../src/domain/decimal.js';

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

  it('grouping adds commas in groups of three, and changes nothing else', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        expect(grouped(text).replaceAll(',', '')).toBe(text);
        expect(grouped(text)).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/);
      }),
    );
  });
});

describe('prices', () => {
  it.each([
    ['28100', 2, '28,100.00'],
    ['28100.5', 2, '28,100.50'],
    ['28065.200', 2, '28,065.20'],
    ['28065.205', 2, '28,065.205'],
    ['0.00001234', 8, '0.00001234'],
    ['0.5', 5, '0.50000'],
    ['1234567', 0, '1,234,567'],
  ])('%s with %i decimals is %s', (price, priceScale, expected) => {
    expect(formatPrice(price, { priceScale })).toBe(expected);
    expect(formatPrice(Decimal.of(price), { priceScale })).toBe(expected);
  });
});

describe('averages', () => {
  it.each([
    ['28065.341336', 'up', '28,065.3414'],
    ['28065.341336', 'down', '28,065.3413'],
    ['28065.3', 'up', '28,065.30'],
    ['28065.341', 'down', '28,065.341'],
    ['28065.000000001', 'up', '28,065.0001'],
  ] as const)('%s rounded %s with 2 decimals is %s', (average, rounding, expected) => {
    expect(formatAverage(average, { priceScale: 2 }, rounding)).toBe(expected);
  });
});

describe('amounts and values', () => {
  it.each([
    ['0.500000', '0.5'],
    ['2.00', '2'],
    ['14050.250', '14,050.25'],
    ['1234567.00000001', '1,234,567.00000001'],
    ['0.00', '0'],
    ['100', '100'],
    ['-1500.10', '-1,500.1'],
  ])('%s is %s', (amount, expected) => {
    expect(formatAmount(amount)).toBe(expected);
  });
});

describe('per cents', () => {
  it.each([
    ['5', '5.00%'],
    ['5.001', '5.01%'],
    ['0.0001', '0.01%'],
    ['-5.001', '-5.01%'],
    ['12.4', '12.40%'],
    ['1250', '1,250.00%'],
  ])('%s is %s', (percent, expected) => {
    expect(formatPercent(Decimal.of(percent))).toBe(expected);
  });

  it.each([
    ['10', '10.00%'],
    ['2.5', '2.50%'],
    ['2.125', '2.125%'],
  ])('a limit of %s keeps its digits: %s', (percent, expected) => {
    expect(formatPercentLimit(Decimal.of(percent))).toBe(expected);
  });
});
