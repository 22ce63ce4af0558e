import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { matchBills } from '../../../src/trading/pnl/match-bills.js';
import { reconcile } from '../../../src/trading/pnl/reconciliation.js';
import { drawnOrders, type Habit, type Traded, trade } from './moments.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const PLAIN: Habit = { momentMs: 1, hasOwnCoin: false };

/** What each side of each market sent, received and paid in fees at each moment, as texts. */
function sums(trades: readonly Traded[]): Record<string, string> {
  const groups = new Map<string, Decimal[]>();
  for (const { market, isBuy, time, amount, value, fee } of trades) {
    const key = `${time} ${isBuy ? 'buy' : 'sell'} ${market}`;
    const [sent, received] = isBuy ? [value, amount] : [amount, value];
    const parts = [sent, received, fee];
    groups.set(
      key,
      parts.map((part, index) => part.plus(groups.get(key)?.[index] ?? Decimal.zero)),
    );
  }
  return Object.fromEntries(
    [...groups]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, parts]) => [key, parts.map((part) => part.trimmed().toString()).join(' ')]),
  );
}

describe('trades of one moment', () => {
  it.for([
    ['in milliseconds', PLAIN],
    ['in whole seconds', { ...PLAIN, momentMs: 1_000 }],
    ['in milliseconds, with fees in the own coin', { ...PLAIN, hasOwnCoin: true }],
    ['in whole seconds, with fees in the own coin', { ...PLAIN, momentMs: 1_000, hasOwnCoin: true }],
  ] as readonly (readonly [string, Habit])[])(
    'are given to their markets, up to fifty at once in a triangle of markets, if bills are dated %s',
    ([, habit]) => {
      let most = 0;
      let said = 0;
      const property = fc.property(drawnOrders, (drawn) => {
        const traded = trade(drawn, habit);
        most = Math.max(most, traded.most);
        const matched = matchBills(traded.history);
        const { coins } = reconcile(matched, ALWAYS, Number.POSITIVE_INFINITY);
        expect(coins.filter(({ unexplained }) => unexplained.sign !== 0)).toEqual([]);
        if (matched.uncertain.length > 0) {
          said += 1;
          return;
        }
        const found = matched.fills.map(({ side, fees, ...fill }) => ({
          ...{ ...fill, isBuy: side === 'buy' },
          fee: Decimal.sum(fees.map(({ amount }) => amount)),
        }));
        expect(sums(found)).toEqual(sums(traded.trades));
      });
      fc.assert(property, { numRuns: 60 });
      expect(most).toBe(50);
      // of sixty days, few have bills that fit together in two ways
      expect(said).toBeLessThan(4);
    },
  );
});
