import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { Failure } from '../../../src/errors.js';
import { averagePriceOf, type Ladder, rungsOf } from '../../../src/trading/batches/ladder.js';
import { saying } from '../../support/advice.js';
import { MARKET } from '../support/market.js';

function ladder(from: string, to: string, count: number, total: string, changes: Partial<Ladder> = {}): Ladder {
  const [first, last, sum] = [from, to, total].map((text) => Decimal.of(text));
  return {
    side: 'buy',
    weight: 'equal',
    count,
    ...changes,
    from: first as Decimal,
    to: last as Decimal,
    total: sum as Decimal,
  };
}

function rungs(...words: Parameters<typeof ladder>): string[] {
  return rungsOf(ladder(...words), MARKET).lines.map(([line, price, amount]) => `${line}: ${amount} at ${price}`);
}

describe('a ladder', () => {
  it.each([
    ['buy', ['1: 0.3333 at 100.00', '2: 0.3333 at 100.33', '3: 0.3333 at 100.66', '4: 0.3333 at 101.00']],
    ['sell', ['1: 0.3333 at 100.00', '2: 0.3333 at 100.34', '3: 0.3333 at 100.67', '4: 0.3333 at 101.00']],
  ] as const)('rounds the prices of a %s to the cheaper side', (side, expected) => {
    // thirds of 1.00 lie between two ticks
    expect(rungs('100', '101', 4, '1.3333', { side })).toEqual(expected);
  });

  it('goes down as well as up', () => {
    expect(rungs('101', '100', 3, '0.3')).toEqual([
      '1: 0.1000 at 101.00',
      '2: 0.1000 at 100.50',
      '3: 0.1000 at 100.00',
    ]);
  });

  it('grows towards its end with linear weight', () => {
    const grown = rungs('100', '103', 4, '1', { weight: 'linear' });
    expect(grown).toEqual(['1: 0.1000 at 100.00', '2: 0.2000 at 101.00', '3: 0.3000 at 102.00', '4: 0.4000 at 103.00']);
  });

  it('returns the rest that rounding leaves', () => {
    expect(rungsOf(ladder('100', '101', 3, '1'), MARKET).rest.toString()).toBe('0.0001');
    expect(rungsOf(ladder('100', '101', 3, '0.9'), MARKET).rest.sign).toBe(0);
  });

  it('the average price is weighted and rounded up', () => {
    // equal: (100 + 102) / 2; linear: (1 × 100 + 2 × 101 + 3 × 102 + 4 × 103) / 10; 100 + 8/600
    expect(
      averagePriceOf(ladder('100', '102', 2, '1'), MARKET)
        .trimmed()
        .toString(),
    ).toBe('101');
    expect(
      averagePriceOf(ladder('100', '103', 4, '1', { weight: 'linear' }), MARKET)
        .trimmed()
        .toString(),
    ).toBe('102');
    expect(averagePriceOf(ladder('100', '100.02', 3, '1', { weight: 'linear' }), MARKET).toString()).toBe(
      '100.0133333333333333333334',
    );
  });

  it.each([
    [ladder('100', '100.02', 4, '1'), /4 orders do not fit from 100\.00 to 100\.02/, /at most 3 orders/],
    [ladder('100', '100', 2, '1'), /2 orders do not fit/, /two different prices/],
    [ladder('100.001', '101', 2, '1'), /price 100\.001 has too many decimals/, /A tick of btc_usdt is 0\.01/],
    [ladder('100', '101', 2, '1.00001'), /amount 1\.00001 has too many decimals/, /A lot of btc_usdt is 0\.0001/],
  ])('an impossible ladder is a usage error with a hint', (impossible, message, hint) => {
    const error = { kind: 'usage', message: expect.stringMatching(message), hints: saying(hint) };
    expect(() => rungsOf(impossible, MARKET)).toThrow(expect.objectContaining(error));
  });

  it('keeps its total, its ends and the scales of the market, with a different price for every order', () => {
    const drawn = fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      weight: fc.constantFrom('equal' as const, 'linear' as const),
      from: fc.bigInt({ min: 1n, max: 10n ** 9n }).map((units) => Decimal.fromUnits(units, 2)),
      to: fc.bigInt({ min: 1n, max: 10n ** 9n }).map((units) => Decimal.fromUnits(units, 2)),
      count: fc.integer({ min: 2, max: 300 }),
      total: fc.bigInt({ min: 1n, max: 10n ** 12n }).map((units) => Decimal.fromUnits(units, 4)),
    });
    fc.assert(
      fc.property(drawn, (wanted) => {
        const made = attempt(wanted);
        if (made === undefined) return;
        const { lines, rest } = made;
        const [low, high] = wanted.from.compare(wanted.to) < 0 ? [wanted.from, wanted.to] : [wanted.to, wanted.from];
        const prices = lines.map(([, price]) => Decimal.of(price));
        const sum = lines.reduce((whole, [, , amount]) => whole.plus(Decimal.of(amount)), Decimal.zero);
        expect(sum.plus(rest).compare(wanted.total)).toBe(0);
        expect(rest.sign).toBeGreaterThanOrEqual(0);
        // the rest is less than a lot for each order
        expect(rest.compare(Decimal.fromUnits(BigInt(wanted.count), 4))).toBeLessThan(0);
        expect(prices.every((price) => price.scale === 2 && price.compare(low) >= 0 && price.compare(high) <= 0)).toBe(
          true,
        );
        expect([prices[0]?.toString(), prices.at(-1)?.toString()]).toEqual([
          wanted.from.toString(),
          wanted.to.toString(),
        ]);
        expect(new Set(prices.map(String)).size).toBe(wanted.count);
        expect(prices.filter((price, index) => !isNearest(wanted, index, price))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

function attempt(wanted: Ladder) {
  try {
    return rungsOf(wanted, MARKET);
  } catch (error) {
    // too many orders for the price range
    if (error instanceof Failure && error.kind === 'usage') return undefined;
    throw error;
  }
}

/** Within a tick of the exact price, and not above it for a buy, not below it for a sell. */
function isNearest({ side, from, to, count }: Ladder, index: number, price: Decimal): boolean {
  const steps = BigInt(count - 1);
  const exact = from.units * steps + (to.units - from.units) * BigInt(index);
  const off = price.units * steps - exact;
  return side === 'buy' ? off <= 0n && -off < steps : off >= 0n && off < steps;
}
