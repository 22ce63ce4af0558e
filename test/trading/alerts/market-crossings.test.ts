import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Operator } from '../../../src/trading/alerts/crossing.js';
import { MarketCrossings } from '../../../src/trading/alerts/market-crossings.js';

const operator = fc.constantFrom<Operator>('>', '>=', '<', '<=');
const price = fc.integer({ min: 990, max: 1_010 });

/** Prices of trades, one after the other. */
const prices = fc.array(price, { minLength: 1, maxLength: 60 });
const steps = fc.array(fc.record({ bid: price, traded: fc.array(price, { maxLength: 3 }) }), { maxLength: 40 });

const text = (value: number) => Decimal.of(String(value));
const crossingsOf = (last: Operator, bid: Operator, isTrailDown: boolean, reportsPresent: boolean) =>
  new MarketCrossings(
    [
      { kind: 'threshold', text: 'last', field: 'last', operator: last, level: text(1_000) },
      { kind: 'threshold', text: 'bid', field: 'bid', operator: bid, level: text(1_000) },
    ],
    [
      {
        kind: 'trail',
        text: 'trail',
        operator: isTrailDown ? '<=' : '>=',
        level: Decimal.of(isTrailDown ? '-1' : '1'),
      },
    ],
    reportsPresent,
  );

it('finds the same crossings if it is not told of prices that it says change nothing', () => {
  fc.assert(
    fc.property(
      operator,
      operator,
      fc.boolean(),
      fc.boolean(),
      prices,
      steps,
      (last, bid, isDown, isPresent, first, all) => {
        let id = 0;
        let time = 0;
        const tradesAt = (traded: readonly number[]) =>
          traded.map((one) => {
            id += 1;
            const terms = { side: 'buy', orderSide: null, amount: '1' } as const;
            return { ...terms, id: String(id), time, price: String(one) };
          });
        const told = crossingsOf(last, bid, isDown, isPresent);
        const spared = crossingsOf(last, bid, isDown, isPresent);
        const beginning = tradesAt(first);
        for (const crossings of [told, spared]) crossings.takeTrades(beginning);
        for (const step of all) {
          time += 1_000;
          const best = { bid: text(step.bid), ask: text(step.bid + 1) };
          const ticker = {
            ...{ time, bid: String(step.bid), ask: String(step.bid + 1), last: '1' },
            ...{ open: '1', high: '1', low: '1', change: '0', volume: '1' },
          };
          const isUnmoved = spared.isUnmovedBy(best, () => step.traded.map(text));
          const trades = tradesAt(step.traded);
          const foundBy = (crossings: MarketCrossings) => [
            ...crossings.takeTrades(trades),
            ...crossings.takeTicker(ticker),
          ];
          const found = foundBy(told);
          expect(isUnmoved ? [] : foundBy(spared)).toEqual(found);
        }
      },
    ),
  );
});
