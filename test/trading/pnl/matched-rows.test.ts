import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AccountHistory } from '../../../src/trading/pnl/account-history.js';
import { type MatchedRows, matchedOfRows, rowsOfMatched } from '../../../src/trading/pnl/matched-rows.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { drawnStory, tell } from './coin-stories.js';
import { fewOrders, trade } from './moments.js';

/** @returns whether something of it is uncertain */
function expectKept(history: AccountHistory): boolean {
  const matched = matchBills(history);
  const rows = JSON.parse(JSON.stringify(rowsOfMatched(matched))) as MatchedRows;
  expect(matchedOfRows(rows, history.bills)).toEqual(matched);
  return matched.uncertain.length > 0;
}

it('what was found of the bills of an account is the same after it was kept', () => {
  fc.assert(
    fc.property(drawnStory, (story) => void expectKept(tell(story).history)),
    { numRuns: 40 },
  );
});

it('what was found of moments with several trades is the same after it was kept, also where it is uncertain', () => {
  const habit = { momentMs: 1, fees: 'own coin', hasRebates: true, isShuffled: true } as const;
  let uncertain = 0;
  fc.assert(
    fc.property(fewOrders, (orders) => {
      uncertain += Number(expectKept(trade(orders, habit).history));
    }),
  );
  expect(uncertain).toBeGreaterThan(20);
});
