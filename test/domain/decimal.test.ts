import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, numberAdvice, plainNumber } from '../../src/domain/decimal.js';

/** A rational number, as an independent calculation. */
interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const numberText = fc
  .record({ sign: fc.constantFrom('', '-'), whole: digits(30), fraction: fc.option(digits(20)) })
  .map(({ sign, whole, fraction }) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);
const decimal = numberText.map((text) => Decimal.of(text));

/** Read from the text alone. */
function ratio(text: string): Ratio {
  const [whole = '', fraction = ''] = text.split('.');
  return { over: BigInt(whole + fraction), under: BigInt(`1${'0'.repeat(fraction.length)}`) };
}

function compare(left: Ratio, right: Ratio): number {
  const difference = left.over * right.under - right.over * left.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function equal(value: Decimal, over: bigint, under: bigint): boolean {
  const sign = under < 0n ? -1n : 1n;
  return compare(ratio(value.toString()), { over: over * sign, under: under * sign }) === 0;
}

describe('a decimal', () => {
  it.each([
    ['0.00000001', '0.00000001'],
    ['1e-8', '0.00000001'],
    ['1E+3', '1000'],
    ['12.5e1', '125'],
    ['1.50', '1.50'],
    ['1.500e1', '15.00'],
    ['-0.0', '0.0'],
    ['.5', '0.5'],
    ['007', '7'],
    ['9223372036854775807', '9223372036854775807'],
    [
      '123456789012345678901234567890.123456789012345678901234567890',
      '123456789012345678901234567890.123456789012345678901234567890',
    ],
  ])('prints the text that it was read from: %s', (text, printed) => {
    expect(Decimal.of(text).toString()).toBe(printed);
  });

  it('prints the text of any number', () => {
    const plain = numberText.filter((text) => !/^-?0\d/.test(text) && !/^-[0.]*$/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(Decimal.of(text).toString()).toBe(text);
      }),
    );
  });

  it('prints an exponent expanded', () => {
    fc.assert(
      fc.property(numberText, fc.integer({ min: -40, max: 40 }), (text, exponent) => {
        const { over, under } = ratio(text);
        const power = 10n ** BigInt(Math.abs(exponent));
        const moved = Decimal.of(`${text}e${exponent}`);
        expect(exponent < 0 ? equal(moved, over, under * power) : equal(moved, over * power, under)).toBe(true);
        expect(moved.toString()).toMatch(/^-?\d+(\.\d+)?$/);
      }),
    );
  });

  it.each([
    '',
    '.',
    '-',
    '+',
    'e5',
    '1e',
    '1,5',
    ' 1',
    '1 ',
    '0x10',
    'NaN',
    'Infinity',
    '1.2.3',
    '1e99999',
    '١',
    '1'.repeat(1001),
  ])('cannot be read from %j', (text) => {
    expect(Decimal.parse(text)).toBeUndefined();
    expect(() => Decimal.of(text)).toThrow(new RangeError(`not a decimal number: ${text}`));
  });

  it('keeps as many as 1,000 digits', () => {
    const longest = '1'.repeat(1000);
    expect(Decimal.of(longest).toString()).toBe(longest);
  });
});

describe('arithmetic is exact', () => {
  it('sums, differences, products and comparisons are exact', () => {
    fc.assert(
      fc.property(numberText, numberText, (left, right) => {
        const [a, b] = [Decimal.of(left), Decimal.of(right)];
        const [x, y] = [ratio(left), ratio(right)];
        expect(equal(a.plus(b), x.over * y.under + y.over * x.under, x.under * y.under)).toBe(true);
        expect(equal(a.minus(b), x.over * y.under - y.over * x.under, x.under * y.under)).toBe(true);
        expect(equal(a.times(b), x.over * y.over, x.under * y.under)).toBe(true);
        expect(a.compare(b)).toBe(compare(x, y));
      }),
    );
  });

  it('quotients are rounded towards or away from zero', () => {
    fc.assert(
      fc.property(
        decimal,
        decimal.filter(({ sign }) => sign !== 0),
        fc.nat(20),
        (a, b, scale) => {
          const unit = Decimal.fromUnits(1n, scale);
          const absolute = (value: Decimal) => (value.sign < 0 ? value.negated() : value);
          const down = absolute(a.dividedBy(b, scale, 'down'));
          const up = absolute(a.dividedBy(b, scale, 'up'));
          expect(absolute(b).times(down).compare(absolute(a))).toBeLessThanOrEqual(0);
          expect(absolute(b).times(down.plus(unit)).compare(absolute(a))).toBeGreaterThan(0);
          expect(absolute(b).times(up).compare(absolute(a))).toBeGreaterThanOrEqual(0);
          expect(up.minus(down).compare(unit)).toBeLessThanOrEqual(0);
          expect([down.scale, up.scale]).toEqual([scale, scale]);
        },
      ),
    );
  });

  it('rounding keeps the requested scale and changes less than a unit', () => {
    fc.assert(
      fc.property(decimal, fc.nat(25), (value, scale) => {
        const [down, up] = [value.rescaled(scale, 'down'), value.rescaled(scale, 'up')];
        const unit = Decimal.fromUnits(1n, scale);
        expect([down.scale, up.scale]).toEqual([scale, scale]);
        const [low, high] = value.sign < 0 ? [up, down] : [down, up];
        expect(low.compare(value)).toBeLessThanOrEqual(0);
        expect(high.compare(value)).toBeGreaterThanOrEqual(0);
        expect(value.minus(low).compare(unit)).toBeLessThan(0);
        expect(high.minus(value).compare(unit)).toBeLessThan(0);
      }),
    );
  });

  it('trailing zeros change the text and not the value', () => {
    fc.assert(
      fc.property(decimal, (value) => {
        expect(value.trimmed().compare(value)).toBe(0);
        expect(value.trimmed().toString()).not.toMatch(/\.\d*0$|\.$/);
        expect(value.trimmed().scale).toBe(value.significantScale);
      }),
    );
  });

  it.each([
    ['1.50', '1.5'],
    ['2.00', '2'],
    ['20', '20'],
    ['0.00', '0'],
    ['-100.0', '-100'],
  ])('the value %s without its trailing zeros is %s', (text, trimmed) => {
    expect(Decimal.of(text).trimmed().toString()).toBe(trimmed);
  });

  it('throws for a division by zero and for invalid scales', () => {
    expect(() => Decimal.of('1').dividedBy(Decimal.zero, 2, 'down')).toThrow(RangeError);
    expect(() => Decimal.fromUnits(1n, -1)).toThrow(new RangeError('not a scale: -1'));
    expect(() => Decimal.fromUnits(1n, 0.5)).toThrow(RangeError);
  });

  it.each([
    ['-0.01', -1],
    ['-0.0', 0],
    ['0', 0],
    ['0.01', 1],
  ])('the sign of %s is %d', (text, sign) => {
    expect(Decimal.of(text).sign).toBe(sign);
  });

  it.each([
    ['1', '3', '0.33', '0.34'],
    ['-1', '3', '-0.33', '-0.34'],
    ['1', '-3', '-0.33', '-0.34'],
    ['-1', '-3', '0.33', '0.34'],
    ['6', '3', '2.00', '2.00'],
    ['-6', '3', '-2.00', '-2.00'],
    ['0', '-3', '0.00', '0.00'],
  ])('the quotient %s / %s is %s rounded down and %s rounded up', (left, right, down, up) => {
    const quotient = (rounding: 'down' | 'up') => Decimal.of(left).dividedBy(Decimal.of(right), 2, rounding).toString();
    expect([quotient('down'), quotient('up')]).toEqual([down, up]);
  });
});

describe('a number that a user types', () => {
  it.each([
    ['1e-05', '0.00001'],
    ['8.329e-05', '0.00008329'],
    ['1.0E-8', '0.00000001'],
    ['1e+21', '1000000000000000000000'],
    ['1.5e-008', '0.000000015'],
    ['1e2usdt', '100usdt'],
    ['2.5E1%', '25%'],
    ['bid+1e-05', 'bid+0.00001'],
    ['mid-5e-1%', 'mid-0.5%'],
    ['ask+1e1ticks', 'ask+10ticks'],
    ['1eth', '1eth'],
    ['1e29', `1${'0'.repeat(29)}`],
    ['1e-30', `0.${'0'.repeat(29)}1`],
  ])('writes %s in plain digits', (text, plain) => {
    expect(plainNumber(text)).toBe(plain);
  });

  it.each(['1e30', '1e-31', '1.5e-30', '1e99usdt', '1e999999999', '1e-999999999', 'bid+1e99'])(
    'leaves the exponent of %s alone, which makes more than 30 digits, and says so',
    (text) => {
      expect(plainNumber(text)).toBe(text);
      expect(numberAdvice(text)).toBe(
        'With its exponent, the number has more than 30 digits before or after the point.',
      );
    },
  );

  it('is expanded without losing a digit, whatever its exponent', () => {
    const written = fc.tuple(fc.stringMatching(/^[1-9]\d{0,16}$/), fc.integer({ min: -13, max: 13 }));
    fc.assert(
      fc.property(written, ([units, exponent]) => {
        const plain = ratio(plainNumber(`${units}e${exponent}`));
        const shift = 10n ** BigInt(Math.abs(exponent));
        const exact = exponent < 0 ? { over: BigInt(units), under: shift } : { over: BigInt(units) * shift, under: 1n };
        expect(compare(plain, exact)).toBe(0);
      }),
    );
  });
});

describe('the commas of a number', () => {
  it.each([
    ['1,000.5', '1000.5'],
    ['28,128.65', '28128.65'],
    ['123,456,789', '123456789'],
    ['1,250,000usdt', '1250000usdt'],
  ])('removes the commas from %s, which tables show', (text, plain) => {
    expect(plainNumber(text)).toBe(plain);
  });

  it.each([
    '0,5',
    '1,500',
    '1,500usdt',
    '0,500',
    '1,5',
    '1,50',
    '1,0000',
    '1,000,',
    '1,000,00',
    '1234,567',
    '-1,000',
    'a1,000',
    '1,abc',
    'x,123',
    '100',
  ])('leaves the commas in %s, which may mean something else', (text) => {
    expect(plainNumber(text)).toBe(text);
  });
});
