import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { reconcile } from '../../../src/trading/pnl/reconciliation.js';
import { fewOrders, type Habit, manyOrders, type Traded, trade } from './moments.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** What each side of a market sent, received and paid in fees at each moment, as texts by moment and market. */
function sums(trades: readonly Traded[]): Map<string, string> {
  const groups = new Map<string, Decimal[]>();
  for (const { market, isBuy, time, amount, value, fee } of trades) {
    const key = `${time} ${market} ${isBuy ? 'buy' : 'sell'}`;
    const [sent, received] = isBuy ? [value, amount] : [amount, value];
    const parts = [sent, received, fee];
    groups.set(
      key,
      parts.map((part, index) => part.plus(groups.get(key)?.[index] ?? Decimal.zero)),
    );
  }
  const texts = new Map<string, string>();
  for (const [key, parts] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [time, market, side] = key.split(' ');
    const text = `${side} ${parts.map((part) => part.trimmed()).join(' ')}`;
    texts.set(`${time} ${market}`, `${texts.get(`${time} ${market}`) ?? ''} ${text}`);
  }
  return texts;
}

const HABITS = ([1, 1_000] as const).flatMap((momentMs) =>
  (['apart', 'inside', 'own coin'] as const).flatMap((fees) =>
    [false, true].flatMap((hasRebates) =>
      [false, true].map((isShuffled) => ({ momentMs, fees, hasRebates, isShuffled })),
    ),
  ),
);

function titleOf({ momentMs, fees, hasRebates, isShuffled }: Habit): string {
  const dated = momentMs === 1 ? 'milliseconds' : 'whole seconds';
  return `in ${dated}, fees ${fees}, ${hasRebates ? 'rebates' : 'no rebates'}, ${isShuffled ? 'in any order' : 'in order'}`;
}

/** The moments and markets that the result divides as nobody did, without saying that it may be otherwise. */
function wrongOf({ history, trades }: Pick<ReturnType<typeof trade>, 'history' | 'trades'>) {
  const matched = matchBills(history);
  const { coins } = reconcile(matched, ALWAYS, Number.POSITIVE_INFINITY);
  expect(coins.filter(({ unexplained }) => unexplained.sign !== 0)).toEqual([]);
  const said = new Set(matched.uncertain.flatMap(({ time, markets }) => markets.map((market) => `${time} ${market}`)));
  const found = sums(
    matched.fills.map(({ side, fees, ...fill }) => ({
      ...{ ...fill, isBuy: side === 'buy' },
      fee: Decimal.sum(fees.map(({ amount }) => amount)),
    })),
  );
  const truth = sums(trades);
  const names = [...new Set([...found.keys(), ...truth.keys()])];
  return { wrong: names.filter((name) => found.get(name) !== truth.get(name) && !said.has(name)), said, names };
}

/** How much of what happened is said to be uncertain, as a share, and the most fills of a moment. */
function check(orders: typeof manyOrders, habit: Habit, numRuns: number) {
  const count = { said: 0, all: 0, most: 0 };
  const property = fc.property(orders, (drawn) => {
    const traded = trade(drawn, habit);
    const { wrong, said, names } = wrongOf(traded);
    expect(wrong).toEqual([]);
    count.said += said.size;
    count.all += names.length;
    count.most = Math.max(count.most, traded.most);
  });
  fc.assert(property, { numRuns });
  return { said: count.said / count.all, most: count.most };
}

const TITLE =
  'trades of one moment in a triangle of markets, with bills %s, are divided as they happened or said to be uncertain';

// in any order, bills can be divided in many ways, and each is tried: some orders are paid no rebate there either; how long a moment lasts
// is tried with a few
describe.for(
  HABITS.filter(({ momentMs }) => momentMs === 1_000).flatMap((habit) =>
    habit.isShuffled && !habit.hasRebates ? [] : [[titleOf(habit), habit] as const],
  ),
)(TITLE, ([, habit]) => {
  it('up to fifty at once', () => {
    const { said, most } = check(manyOrders, habit, habit.isShuffled ? 1 : 2);
    expect(most).toBeGreaterThan(30);
    // bills that stand in order leave little in doubt, unless their fees are inside
    if (!habit.isShuffled && habit.fees !== 'inside') expect(said).toBeLessThan(0.1);
  });
});

describe.for(HABITS.map((habit) => [titleOf(habit), habit] as const))(TITLE, ([, habit]) => {
  it('a few at once', () => {
    const { said } = check(fewOrders, habit, 40);
    // of several fees in the own coin at one moment, nothing says whose they are
    const most = { apart: 0.5, 'own coin': 0.7, inside: 1 }[habit.fees];
    expect(said).toBeLessThanOrEqual(most);
  });
});
