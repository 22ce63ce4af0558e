import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { ModelComparison, type Placing } from '../support/model-comparison.js';
import { OrderFixture } from '../support/order-fixture.js';

const ACCOUNTS = ['ann', 'ben', 'cas', 'dee'];

const placing: fc.Arbitrary<Placing> = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  type: fc.constantFrom('limit' as const, 'limit' as const, 'postOnly' as const, 'ioc' as const),
  price: fc.integer({ min: 90, max: 110 }),
  amount: fc.integer({ min: 1, max: 40 }),
});
const cancelling = fc.record({ cancel: fc.nat({ max: 1_000 }) });
const doing = fc.oneof({ weight: 3, arbitrary: placing }, { weight: 1, arbitrary: cancelling });

test('4,000 random orders and cancels match an independent, simpler model after each of them', () => {
  const runs = fc.property(fc.array(doing, { minLength: 250, maxLength: 250, size: 'max' }), (actions) => {
    const comparison = new ModelComparison(ACCOUNTS, 20_000n, 200n);
    for (const action of actions) {
      if ('cancel' in action) comparison.cancel(action.cancel);
      else comparison.place(action);
      comparison.check();
      const { book } = comparison.real.venue;
      const [bid = 0n, ask = 1_000n] = [book.best('buy')?.price, book.best('sell')?.price];
      if (bid >= ask) throw new Error(`the book is crossed: ${bid} bid, ${ask} asked`);
    }
  });
  fc.assert(runs, { numRuns: 16 });
});

test('a refused order throws a RequestRefused with its code', () => {
  const place = () => new OrderFixture(['ann'], 10n, 0n).place('ann', 'buy', 'limit', 100, 1);
  expect(place).toThrow(RequestRefused);
  expect(place).toThrow(expect.objectContaining({ code: 2009 }));
});
