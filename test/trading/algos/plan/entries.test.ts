import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import { type AlgoMarket, STALE_MS } from '../../../../src/trading/algos/plan/algo-market.js';
import type { Child } from '../../../../src/trading/algos/plan/children.js';
import { decide } from '../../../../src/trading/algos/plan/decide.js';
import { nextStep } from '../../../../src/trading/algos/plan/next-step.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import { foldFacts } from '../../../../src/trading/algos/record/facts.js';
import { leastAmount } from '../../../../src/trading/orders/terms.js';
import { MARKET } from '../../support/market.js';
import { chase, iceberg, limit, twap } from '../support/entries.js';
import { expectTable } from '../support/table.js';
import { buy, sell } from '../support/terms.js';

describe('a bracket', () => {
  const BRACKET = buy('1', { entry: limit('100'), take: '110', stop: '98' });

  it('rests its entry, then sells what that bought less the fee in the base coin, in whole lots', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 1 fee 0.00205    | #2 take 0.9979 at 110
      #2 fills 0.9979           | done: Everything has filled
      `,
    ));

  it('counts a fee that the exchange does not show as none', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 shows-no-fee, #1 fills 1 | #2 take 1 at 110
      `,
    ));

  it('waits with its exits while what has filled is below the minimums, and names it as unprotected', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.03             | unprotected 0.03
      #1 fills 0.03             | #2 take 0.06 at 110
      `,
    ));

  it('grows the take-profit with each fill by replacing it, at most once a second', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.2              | #2 take 0.2 at 110
      +400ms, #1 fills 0.2, until? | until 1 s
      #1 fills 0.1, +600ms      | cancel #2; #3 take 0.5 at 110
      #3 fills 0.3, +1s         |
      #1 fills 0.5              | cancel #3; #4 take 0.7 at 110
      `,
    ));

  it('shrinks the take-profit at once when a fee becomes known', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.5              | #2 take 0.5 at 110
      #1 fills 0 fee 0.001      | cancel #2; #3 take 0.499 at 110
      `,
    ));

  it('cancels entry and take-profit when the stop is reached, and sells the position', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.6              | #2 take 0.6 at 110
      98 / 98.5                 | triggered at 98; cancel #1; cancel #2; #3 stop 0.6 at 97.02 ioc
      #3 fills 0.6              | partial: 0.4 btc did not fill: the stop was reached
      `,
    ));

  it('sells what the entry filled while it was being cancelled, too', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.6              | #2 take 0.6 at 110
      cancellations are lost    |
      98 / 98.5                 | triggered at 98; cancel #1; cancel #2
      #2 ends                   | #3 stop 0.6 at 97.02 ioc
      #1 fills 0.4              |
      +1s                       | cancel #3
      #3 fills 0.5, #3 ends     | #4 stop 0.5 at 97.02
      `,
    ));

  it('stops buying when somebody else cancels its only exit', () => {
    expectTable(
      buy('1', { entry: limit('100'), take: '110' }),
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.4              | #2 take 0.4 at 110
      cancellations are lost    |
      #2 is-cancelled-by-others | #2 was cancelled by others; cancel #1
      #1 fills 0.1, #1 ends     | partial: 0.5 btc did not fill: the take-profit was cancelled elsewhere. 0.5 btc is left: the take-profit was cancelled elsewhere
      `,
    );
    expectTable(
      buy('1', { entry: twap(10, { everyMs: 60_000 }), take: '110' }),
      `
      100 / 101                 | #1 entry 0.1 at 102.01 ioc
      #1 fills 0.1              | #2 take 0.1 at 110
      #2 is-cancelled-by-others | #2 was cancelled by others; partial: 0.9 btc did not fill: the take-profit was cancelled elsewhere. 0.1 btc is left: the take-profit was cancelled elsewhere
      `,
    );
  });

  it('has no stop before the entry has filled something', () =>
    expectTable(
      BRACKET,
      `
      97 / 97.5                 | #1 entry 1 at 100
      #1 fills 1                | triggered at 97; #2 stop 1 at 96.03 ioc
      `,
    ));

  it('names a position below the minimum that the stop could not sell', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.03             | unprotected 0.03
      98 / 98.5                 | triggered at 98; cancel #1; partial: 0.97 btc did not fill: the stop was reached. 0.03 btc is left: it is below the minimum of 0.001 btc or 5 usdt
      `,
    ));

  it('protects what has filled when the time of the entry is over', () =>
    expectTable(
      buy('1', { entry: limit('100'), take: '110', stop: '98', forMs: 60_000 }),
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.5              | #2 take 0.5 at 110
      +60s                      | cancel #1
      98 / 98.5                 | triggered at 98; cancel #2; #3 stop 0.5 at 97.02 ioc
      #3 fills 0.5              | partial: 0.5 btc did not fill: the time that was given is over
      `,
    ));

  it('ends as cancelled if the entry was given up without a fill', () =>
    expectTable(
      buy('1', { entry: limit('100'), stop: '98', forMs: 60_000 }),
      `
      100.5 / 101               | #1 entry 1 at 100
      +60s                      | cancel #1; cancelled: 1 btc did not fill: the time that was given is over
      `,
    ));

  it('does not place an entry again that somebody else cancelled, and protects what it filled', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.5              | #2 take 0.5 at 110
      #1 is-cancelled-by-others | #1 was cancelled by others
      #2 fills 0.5              | partial: 0.5 btc did not fill: an order of the entry was cancelled elsewhere
      `,
    ));

  it('ends when somebody else has cancelled its only exit', () =>
    expectTable(
      buy('1', { entry: limit('100'), take: '110' }),
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 1                | #2 take 1 at 110
      #2 is-cancelled-by-others | #2 was cancelled by others; partial: 1 btc is left: the take-profit was cancelled elsewhere
      `,
    ));

  it('begins its trail with the first fill: what traded before does not count', () =>
    expectTable(
      buy('1', { entry: limit('95'), trail: '2%' }),
      `
      100 / 101, traded 120     | #1 entry 1 at 95
      94 / 95, #1 fills 1       | best 94
      +1s, 96 / 97              | best 96
      94.08 / 95                | triggered at 94.08; #2 stop 1 at 93.14 ioc
      `,
    ));

  it('does not let its trail follow a book of a time before the first fill, which came late', () => {
    expectTable(
      buy('1', { entry: limit('95'), trail: '2%' }),
      `
      100 / 101                           | #1 entry 1 at 95
      +1s, 110 / 111, age 200, #1 fills 1 |
      +300ms, 110 / 111, age 301          |
      94 / 95, age 300                    | best 94
      +1s, 93 / 94, age 0                 |
      92.12 / 93                          | triggered at 92.12; #2 stop 1 at 91.2 ioc
      `,
    );
    expectTable(
      buy('1', { entry: limit('95'), trail: '2%', trigger: 'last' }),
      `
      100 / 101                           | #1 entry 1 at 95
      +1s, traded 110, age 200, #1 fills 1 |
      +300ms, traded 95                   | best 95 (trade 7)
      `,
    );
  });

  it('does let its stop be reached by a book that is a moment older than the first fill', () =>
    expectTable(
      buy('1', { entry: limit('100'), stop: '98' }),
      `
      100.5 / 101                         | #1 entry 1 at 100
      +1s, 97.9 / 98.5, age 200, #1 fills 1 | triggered at 97.9; #2 stop 1 at 96.93 ioc
      `,
    ));

  it('sells and buys back in the other direction, by the whole amount', () =>
    expectTable(
      sell('1', { entry: limit('100'), take: '90', stop: '105' }),
      `
      98 / 99                   | #1 entry 1 at 100
      #1 fills 1 fee 0.01       | #2 take 1 at 90
      104 / 105                 | triggered at 105; cancel #2; #3 stop 1 at 106.05 ioc
      `,
    ));

  it('places an exit before the next order of its entry, because it protects', () =>
    expectTable(
      buy('1', { entry: twap(2), take: '110' }),
      `
      100 / 101                 | #1 entry 0.5 at 102.01 ioc
      #1 fills 0.5, +1m         | #2 take 0.5 at 110; #3 entry 0.5 at 102.01 ioc
      `,
    ));

  it('keeps an unknown entry from a second one, but not the stop from what is known to have filled', () =>
    expectTable(
      buy('1', { entry: twap(2), stop: '98' }),
      `
      100 / 101                 | #1 entry 0.5 at 102.01 ioc
      #1 fills 0.5              |
      next is lost, +1m         | #2 entry 0.5 at 102.01 ioc
      98 / 99, state?           | triggered at 98; #3 stop 0.5 at 97.02 ioc; settling: It is not known yet what became of the entry order
      #3 fills 0.5              |
      #2 fills 0.5              | #4 stop 0.5 at 97.02
      #4 fills 0.5              | done: Everything has filled
      `,
    ));

  it('when it is cancelled leaves the position and names it', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.5              | #2 take 0.5 at 110
      cancel                    | cancel #1; cancel #2; cancelled: You cancelled it
      `,
    ));

  it('does not wait with an exit for the answer to an order of the entry', () =>
    expectTable(
      buy('1', { entry: twap(2), stop: '98' }),
      `
      100 / 101                 | #1 entry 0.5 at 102.01 ioc
      #1 fills 0.5, +1m         | #2 entry 0.5 at 102.01 ioc
      #2 is-recorded, 98 / 99   | triggered at 98; #3 stop 0.5 at 97.02 ioc
      #2 is-lost                |
      `,
    ));

  it('cancels an entry that its duplicates have filled', () =>
    expectTable(
      buy('1', { entry: limit('100') }),
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 twice                  | excess 1; cancel #1 (duplicate)
      #1 fills 0.5              | excess 0.5; cancel #1; done: Everything has filled
      `,
    ));

  it('places an entry once more that was never sent or was turned away for the moment', () =>
    expectTable(
      buy('1', { entry: limit('100') }),
      `
      next is rejected: tooFrequent | #1 entry 1 at 100
      +1s, next is lost         | #2 entry 1 at 100
      #2 was-never-sent, +1s    | #3 entry 1 at 100
      `,
    ));

  it('ends at once with an entry below the minimum', () =>
    expectTable(
      buy('0.04', { entry: limit('100') }),
      `
      100.5 / 101               | failed: 0.04 btc did not fill: it is below the minimum
      `,
    ));

  it('ends with a post-only entry that the exchange turned away', () =>
    expectTable(
      buy('1', { entry: limit('100', 'postOnly') }),
      `
      99 / 99.5                 | #1 entry 1 at 100 postOnly
      #1 ends                   | failed: 1 btc did not fill: its order has ended
      `,
    ));

  it('goes on protecting what has filled when a later order of the entry is rejected, and buys no more until it is resumed', () =>
    expectTable(
      buy('1', { entry: twap(4), take: '110', stop: '90' }),
      `
      100 / 101                       | #1 entry 0.25 at 102.01 ioc
      #1 fills 0.25                   | #2 take 0.25 at 110
      +1m, next is rejected: badPrice | #3 entry 0.25 at 102.01 ioc; paused: The exchange rejected the entry order: (badPrice)
      +1m, state?                     | paused: The exchange rejected the entry order: (badPrice)
      89 / 90, state?                 | triggered at 89; cancel #2; #4 stop 0.25 at 88.11 ioc; triggered: The stop was reached
      #4 fills 0.25                   | partial: 0.75 btc did not fill: the stop was reached
      `,
    ));

  it('takes a fill of its entry into its exits while the entry is paused, and continues when it is resumed', () =>
    expectTable(
      buy('1', { entry: twap(4), take: '110', stop: '90' }),
      `
      100 / 101, next is rejected: closed | #1 entry 0.25 at 102.01 ioc; paused: The exchange rejected the entry order: (closed)
      +1m                                 |
      resume                              | #2 entry 0.3333 at 102.01 ioc
      #2 fills 0.3333                     | #3 take 0.3333 at 110
      `,
    ));

  it('is not blind while only its entry rests', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      age 6000, state?, until?  | working; until something happens
      #1 fills 0.5, state?      | #2 take 0.5 at 110; blind: The newest prices of the market are older than 5 s
      `,
    ));

  it('counts the two legs apart', () =>
    expectTable(
      BRACKET,
      `
      100.5 / 101               | #1 entry 1 at 100
      #1 fills 0.5              | #2 take 0.5 at 110
      #2 maybe-twice            | excess 0.5
      `,
    ));
});

describe('an entry that waits', () => {
  it('starts when its condition holds in a market that is seen, and not before', () =>
    expectTable(
      buy('1', { entry: limit('105'), when: ['last>104'], stop: '98' }),
      `
      100 / 101, state?         | waiting: Waits for last>104
      holds last>104, age 6000, state? | blind: The newest prices of the market are older than 5 s
      103 / 102                 |
      103 / 104                 | starts at 104 by last>104; #1 entry 1 at 105
      no condition holds        |
      #1 fills 1                |
      98 / 99                   | triggered at 98; #2 stop 1 at 97.02 ioc
      `,
    ));

  it('says that the condition held before it was seen', () =>
    expectTable(
      buy('1', { entry: limit('105'), when: ['last>104'] }),
      `
      holds last>104 late       | starts at 101 by last>104 late; #1 entry 1 at 105
      `,
    ));

  it('is given up when its condition has not held in time', () =>
    expectTable(
      buy('1', { entry: limit('105'), when: ['last>104'], forMs: 60_000 }),
      `
      +59s, until?              | until 60 s
      +1s                       | cancelled: 1 btc did not fill: the time that was given is over
      `,
    ));

  it('places an order that fills at once only once, and ends with what that left', () =>
    expectTable(
      buy('1', { entry: limit('105', 'ioc'), when: ['last>104'] }),
      `
      holds last>104            | starts at 101 by last>104; #1 entry 1 at 105 ioc
      #1 fills 0.4, #1 ends     | partial: 0.6 btc did not fill: its order has ended
      `,
    ));

  it('counts the time of its slices from then', () =>
    expectTable(
      buy('1', { entry: twap(2), when: ['last>104'] }),
      `
      +10m, holds last>104      | starts at 101 by last>104; #1 entry 0.5 at 102.01 ioc
      #1 fills 0.5, +59s        |
      +1s                       | #2 entry 0.5 at 102.01 ioc
      `,
    ));
});

describe('a TWAP', () => {
  it('sends a slice in each slot, in whole lots, and what is left over in the last one', () =>
    expectTable(
      buy('1', { entry: twap(3) }),
      `
      100 / 101                 | #1 entry 0.3333 at 102.01 ioc
      #1 fills 0.3333, +59s     |
      +1s                       | #2 entry 0.3333 at 102.01 ioc
      #2 fills 0.3333, +1m      | #3 entry 0.3334 at 102.01 ioc
      #3 fills 0.3334           | done: Everything has filled
      `,
    ));

  it('sends at least a lot in a market without minimums', () =>
    expectTable(
      { ...buy('0.0002', { entry: twap(4) }), market: { ...MARKET, minAmount: '0', minNotional: '0' } },
      `
      100 / 101                 | #1 entry 0.0001 at 102.01 ioc
      #1 fills 0.0001, +1m      |
      +1m                       | #2 entry 0.0001 at 102.01 ioc
      #2 fills 0.0001           | done: Everything has filled
      `,
    ));

  it('sends what a slice left with the next one, at most two slices in one order', () =>
    expectTable(
      buy('1', { entry: twap(5) }),
      `
      100 / 101                 | #1 entry 0.2 at 102.01 ioc
      #1 ends, +1m              | #2 entry 0.4 at 102.01 ioc
      #2 ends, +1m              | #3 entry 0.4 at 102.01 ioc
      #3 fills 0.3, #3 ends, +1m | #4 entry 0.4 at 102.01 ioc
      #4 fills 0.4, +1m         | #5 entry 0.3 at 102.01 ioc
      #5 fills 0.3              | done: Everything has filled
      `,
    ));

  it('spreads the slices that were missed over the time that is left', () =>
    expectTable(
      buy('1', { entry: twap(10) }),
      `
      100 / 101                 | #1 entry 0.1 at 102.01 ioc
      #1 fills 0.1, pause, +6m  |
      resume                    | #2 entry 0.2 at 102.01 ioc
      #2 fills 0.2, +1m         | #3 entry 0.2 at 102.01 ioc
      #3 fills 0.2, +1m         | #4 entry 0.2 at 102.01 ioc
      #4 fills 0.2, +1m         | #5 entry 0.2 at 102.01 ioc
      #5 fills 0.2              | partial: 0.1 btc did not fill: no slice is left
      `,
    ));

  it('fills all of an amount that is not a whole number of lots a slice, if a slice is missed', () =>
    expectTable(
      buy('1.0002', { entry: twap(4) }),
      `
      100 / 101                 | #1 entry 0.25 at 102.01 ioc
      #1 fills 0.25, +1m        | #2 entry 0.25 at 102.01 ioc
      #2 fills 0.25, pause, +2m |
      resume                    | #3 entry 0.5002 at 102.01 ioc
      #3 fills 0.5002           | done: Everything has filled
      `,
    ));

  it('rounds two slices up to whole lots, and sends no more in one order', () =>
    expectTable(
      buy('1', { entry: twap(3) }),
      `
      pause, +2m                |
      resume                    | #1 entry 0.6668 at 102.01 ioc
      #1 fills 0.6668           | partial: 0.3332 btc did not fill: no slice is left
      `,
    ));

  it('fills everything whichever slice is missed, except the last one', () => {
    const [bid, ask] = [Decimal.of('100'), Decimal.of('101')];
    const seen = { book: { bid, ask, othersBid: bid, othersAsk: ask, ageMs: 0 } };
    const draws = fc.integer({ min: 2, max: 12 }).chain((slots) => {
      const lots = fc.integer({ min: slots * 500, max: slots * 500 + 5_000 });
      return fc.record({ slots: fc.constant(slots), missed: fc.integer({ min: 0, max: slots - 2 }), lots });
    });
    fc.assert(
      fc.property(draws, ({ slots, missed, lots }) => {
        const amount = Decimal.fromUnits(BigInt(lots), 4);
        const terms = buy(amount.toString(), { entry: twap(slots) });
        const slices = partsUntilDone(terms, seen, (placed) => (placed < missed ? placed : placed + 1) * 60_000);
        expect(Decimal.sum([...slices]).toString()).toBe(amount.toString());
      }),
    );
  });

  it('makes fewer children if slices are below the minimum, evenly apart', () =>
    expectTable(
      buy('0.2', { entry: twap(10) }),
      `
      100 / 101                 | #1 entry 0.05 at 102.01 ioc
      #1 fills 0.05, +1m        |
      +1m                       | #2 entry 0.05 at 102.01 ioc
      #2 fills 0.05, +1m        |
      +1m                       | #3 entry 0.05 at 102.01 ioc
      #3 fills 0.05, +2m        |
      +1m                       | #4 entry 0.05 at 102.01 ioc
      #4 fills 0.05             | done: Everything has filled
      `,
    ));

  it('waits while nothing would fill within its bound, and says why it did not', () =>
    expectTable(
      buy('1', { entry: twap(2, { bound: '101.5' }) }),
      `
      101 / 102, state?         | working: The price 102 is beyond the limit 101.5
      100 / 101                 | #1 entry 0.5 at 101.5 ioc
      #1 fills 0.5, 101 / 102, +1m |
      +1m                       | partial: 0.5 btc did not fill: its time is over, and the price 102 is beyond the limit 101.5
      `,
    ));

  it('that ran out of time without coins says that they were missing', () =>
    expectTable(
      buy('1', { entry: twap(2) }),
      `
      next is rejected insufficientFunds, 100 / 101 | #1 entry 0.5 at 102.01 ioc
      state?                    | paused: The exchange rejected the entry order: (insufficientFunds)
      +2m                       | failed: 1 btc did not fill: its time is over, and the exchange rejected the last slice: (insufficientFunds)
      `,
    ));

  it('sends nothing blind', () =>
    expectTable(
      buy('1', { entry: twap(2) }),
      `
      100 / 101, age 6000, state? | blind: The newest prices of the market are older than 5 s
      `,
    ));

  it('ends when nothing more can be sent, with what did not fill', () => {
    expectTable(
      buy('1', { entry: twap(2) }),
      `
      100 / 101                 | #1 entry 0.5 at 102.01 ioc
      #1 fills 0.5, +1m         | #2 entry 0.5 at 102.01 ioc
      #2 fills 0.2, #2 ends     | partial: 0.3 btc did not fill: no slice is left
      `,
    );
    expectTable(
      buy('1', { entry: twap(4) }),
      `
      100 / 101                 | #1 entry 0.25 at 102.01 ioc
      #1 fills 0.25, +1m        | #2 entry 0.25 at 102.01 ioc
      #2 fills 0.25, +1m        | #3 entry 0.25 at 102.01 ioc
      #3 fills 0.25, +1m        | #4 entry 0.25 at 102.01 ioc
      #4 fills 0.24, #4 ends    | partial: 0.01 btc did not fill: no slice is left
      `,
    );
  });

  it('if it is passive rests at the best price of its side, and replaces what has not filled in the next slot', () =>
    expectTable(
      buy('1', { entry: twap(5, { isPassive: true, bound: '100.5' }) }),
      `
      100 / 101                 | #1 entry 0.2 at 100 postOnly
      101 / 102                 |
      #1 fills 0.1, +1m         | cancel #1; #2 entry 0.3 at 100.5 postOnly
      #2 fills 0.3, +1m         | #3 entry 0.2 at 100.5 postOnly
      +3m                       | cancel #3; partial: 0.6 btc did not fill: its time is over, and a passive order fills only when the market comes to it
      `,
    ));

  it('if it is passive and the market leaves it, carries at most a second slice along, and ends with a third filled', () =>
    expectTable(
      buy('0.9', { entry: twap(6, { isPassive: true }) }),
      `
      100 / 101                 | #1 entry 0.15 at 100 postOnly
      #1 fills 0.15, +1m        | #2 entry 0.15 at 100 postOnly
      101 / 102, +1m            | cancel #2; #3 entry 0.3 at 101 postOnly
      102 / 103, +1m            | cancel #3; #4 entry 0.3 at 102 postOnly
      #4 fills 0.15             |
      103 / 104, +1m            | cancel #4; #5 entry 0.3 at 103 postOnly
      104 / 105, +1m            | cancel #5; #6 entry 0.3 at 104 postOnly
      105 / 106, +1m            | cancel #6; partial: 0.6 btc did not fill: its time is over, and a passive order fills only when the market comes to it
      `,
    ));

  it('sells at the bid less the slippage', () =>
    expectTable(
      sell('1', { entry: twap(2) }),
      `
      100 / 101                 | #1 entry 0.5 at 99 ioc
      `,
    ));

  it('asks to be looked at when its next slot begins, and when its time is over', () =>
    expectTable(
      buy('1', { entry: twap(2, { isPassive: true }) }),
      `
      100 / 101                 | #1 entry 0.5 at 100 postOnly
      100 / 101, +55500ms, until? | until 60 s
      100 / 101, +4500ms, age 0 | cancel #1; #2 entry 1 at 100 postOnly
      100 / 101, +59s, until?   | until 120 s
      `,
    ));

  it('counts an order that was rejected or never sent as no slice', () =>
    expectTable(
      buy('1', { entry: twap(2) }),
      `
      next is rejected: tooFrequent | #1 entry 0.5 at 102.01 ioc
      +1s, next is lost         | #2 entry 0.5 at 102.01 ioc
      #2 was-never-sent, +1s    | #3 entry 0.5 at 102.01 ioc
      `,
    ));

  it('ends at once if it is too small for a single slice', () =>
    expectTable(
      buy('0.04', { entry: twap(2) }),
      `
      100 / 101                 | failed: 0.04 btc did not fill: what is left is below the minimum
      `,
    ));

  it('sends a single slice that is just the minimum', () =>
    expectTable(
      buy('0.05', { entry: twap(2, { isPassive: true }) }),
      `
      100 / 101                 | #1 entry 0.05 at 100 postOnly
      `,
    ));

  it('waits if nobody else rests on its side or on the other', () => {
    expectTable(
      buy('1', { entry: twap(2, { isPassive: true, bound: '105' }) }),
      `
      - / 101, state?           | working: The market shows no price for the next slice
      `,
    );
    expectTable(
      buy('1', { entry: twap(2, { bound: '105' }) }),
      `
      100 / -, state?           | working: The market shows no price for the next slice
      `,
    );
  });
});

describe('a chase', () => {
  it('joins the best price of its side and moves when it is outbid, at most once a second', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      100.5 / 101, until?       | until 1 s
      +1s                       | cancel #1; #2 entry 1 at 100.5 postOnly
      #2 fills 0.4, +1s         |
      100.6 / 101               | cancel #2; #3 entry 0.6 at 100.6 postOnly
      #3 fills 0.6              | done: Everything has filled
      `,
    ));

  it('does not count its own order, and stays where it is alone', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      +5s, others 99 / 101      |
      +5s, 100.01 / 101         | cancel #1; #2 entry 1 at 100.01 postOnly
      `,
    ));

  it('never goes beyond its bound', () => {
    expectTable(
      buy('1', { entry: chase('100.3') }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      +1s, 100.5 / 101          | cancel #1; #2 entry 1 at 100.3 postOnly
      +1s, 100.9 / 101          |
      `,
    );
    expectTable(
      sell('1', { entry: chase('100.8') }),
      `
      100 / 101                 | #1 entry 1 at 101 postOnly
      +1s, 100 / 100.5          | cancel #1; #2 entry 1 at 100.8 postOnly
      `,
    );
  });

  it('neither moves nor starts while the market is not seen or crossed', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101, age 6000, state? | blind: The newest prices of the market are older than 5 s
      102 / 101                 |
      100 / 101                 | #1 entry 1 at 100 postOnly
      +1s, 100.5 / 100.4        |
      +1s, 100.5 / 101, age 6000, state? | blind: The newest prices of the market are older than 5 s
      100.5 / 101               | cancel #1; #2 entry 1 at 100.5 postOnly
      `,
    ));

  it('tries again after a second if the exchange turned its order away', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      #1 ends                   |
      +1s, next is rejected: badPrice | #2 entry 1 at 100 postOnly
      +999ms                    |
      +1ms                      | #3 entry 1 at 100 postOnly
      `,
    ));

  it('leaves a rest below the minimum where it is', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      #1 fills 0.96, +1s, 100.5 / 101 |
      #1 ends                   | partial: 0.04 btc did not fill: what is left is below the minimum
      `,
    ));

  it('cancels its duplicate, and counts what both have filled', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      +1s, #1 twice             | excess 1; cancel #1 (duplicate)
      #1 fills 0.3              | excess 0.3; cancel #1; #2 entry 0.4 at 100 postOnly
      `,
    ));

  it('places nothing while an order that may be its duplicate is open', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      #1 maybe-twice            | excess 1
      #1 ends                   |
      +5s, 100 / 101, state?    | working: An order that may be its duplicate is open
      `,
    ));

  it('is not placed again after somebody else cancelled it', () =>
    expectTable(
      buy('1', { entry: chase() }),
      `
      100 / 101                 | #1 entry 1 at 100 postOnly
      #1 is-cancelled-by-others | #1 was cancelled by others; cancelled: 1 btc did not fill: an order of the entry was cancelled elsewhere
      `,
    ));
});

describe('an iceberg', () => {
  it('rests a part of its amount, and the next one when that has filled', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      +5s, #1 fills 0.1         |
      +5s, #1 fills 0.3         | #2 entry 0.4 at 99
      +5s, #2 fills 0.4         | #3 entry 0.2 at 99
      +5s, #3 fills 0.2         | done: Everything has filled
      `,
    ));

  it('does not follow the market', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      +5s, 99.5 / 100           |
      +5s, 100 / 101, age 6000, state? | working
      `,
    ));

  it('places at most one part a second, however fast they fill', () =>
    expectTable(
      buy('1', { entry: iceberg('101', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 101
      +100ms, #1 fills 0.4, until? | until 1 s
      +899ms                    |
      +1ms                      | #2 entry 0.4 at 101
      `,
    ));

  it('makes a part smaller where it would leave less than the minimum', () => {
    expectTable(
      buy('0.43', { entry: iceberg('100', '0.2') }),
      `
      100.5 / 101               | #1 entry 0.2 at 100
      +5s, #1 fills 0.2         | #2 entry 0.18 at 100
      +5s, #2 fills 0.18        | #3 entry 0.05 at 100
      +5s, #3 fills 0.05        | done: Everything has filled
      `,
    );
    expectTable(
      sell('0.11', { entry: iceberg('101', '0.0501') }),
      `
      100 / 100.5               | #1 entry 0.0501 at 101
      +5s, #1 fills 0.0501      | #2 entry 0.0501 at 101
      +5s, #2 fills 0.0501      | partial: 0.0098 btc did not fill: what is left is below the minimum
      `,
    );
  });

  it('places the next part only when the outcome of a lost one is known', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      next is lost              | #1 entry 0.4 at 99
      +60s, state?              | settling: It is not known yet what became of the entry order
      #1 is-open                |
      #1 fills 0.4              | #2 entry 0.4 at 99
      `,
    ));

  it('places a part again that was never sent', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      next is lost              | #1 entry 0.4 at 99
      +60s, #1 was-never-sent   | #2 entry 0.4 at 99
      `,
    ));

  it('cancels a part that the network made twice, and counts what both have filled', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      #1 twice                  | cancel #1 (duplicate)
      +5s, #1 fills 0.4         | #2 entry 0.2 at 99
      `,
    ));

  it('places nothing while an order that may be a duplicate of a part is open', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      #1 maybe-twice            |
      #1 fills 0.4              |
      +5s, 100 / 101, state?    | working: An order that may be its duplicate is open
      `,
    ));

  it('stops when somebody else cancels a part', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      #1 fills 0.1              |
      #1 is-cancelled-by-others | #1 was cancelled by others; partial: 0.9 btc did not fill: an order of the entry was cancelled elsewhere
      `,
    ));

  it('leaves its part while it is paused, and places no other one before it is resumed', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      pause                     |
      +5s, #1 fills 0.4         |
      +5s, resume               | #2 entry 0.4 at 99
      halt                      |
      +5s, #2 fills 0.4         |
      +5s, resume               | #3 entry 0.2 at 99
      `,
    ));

  it('cancels its part when it is cancelled or its time is over', () => {
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      +5s, #1 fills 0.4         | #2 entry 0.4 at 99
      cancel                    | cancel #2; cancelled: You cancelled it
      `,
    );
    expectTable(
      buy('1', { entry: iceberg('99', '0.4'), forMs: 10_000 }),
      `
      100 / 101                 | #1 entry 0.4 at 99
      +5s, #1 fills 0.4         | #2 entry 0.4 at 99
      +5s                       | cancel #2; partial: 0.6 btc did not fill: the time that was given is over
      `,
    );
  });

  it('starts with its condition', () =>
    expectTable(
      buy('1', { entry: iceberg('99', '0.4'), when: ['last>1'] }),
      `
      100 / 101                 |
      holds last>1              | starts at 101 by last>1; #1 entry 0.4 at 99
      `,
    ));

  it('has exits that protect what its parts have filled', () =>
    expectTable(
      buy('1', { entry: iceberg('100', '0.4'), take: '110', stop: '98' }),
      `
      100.5 / 101               | #1 entry 0.4 at 100
      +5s, #1 fills 0.4         | #2 take 0.4 at 110; #3 entry 0.4 at 100
      +5s, #3 fills 0.1         | cancel #2; #4 take 0.5 at 110
      98 / 98.5                 | triggered at 98; cancel #3; cancel #4; #5 stop 0.5 at 97.02 ioc
      #5 fills 0.5              | partial: 0.5 btc did not fill: the stop was reached
      `,
    ));

  it('pauses when the exchange rejects a part, and waits for funds', () => {
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      next is rejected: closed  | #1 entry 0.4 at 99; paused: The exchange rejected the entry order: (closed)
      +5s, resume               | #2 entry 0.4 at 99
      `,
    );
    expectTable(
      buy('1', { entry: iceberg('99', '0.4') }),
      `
      next is rejected: insufficientFunds | #1 entry 0.4 at 99
      +59s                      |
      +1s                       | #2 entry 0.4 at 99
      `,
    );
  });

  it('that is post-only waits until its price would not fill at once', () =>
    expectTable(
      buy('1', { entry: iceberg('100', '0.4', 'postOnly') }),
      `
      99 / 100, state?          | working: It waits until its price would not fill at once
      100.5 / 101               | #1 entry 0.4 at 100 postOnly
      +5s, 99 / 100, #1 fills 0.4 |
      100.5 / 101, age 6000, state? | blind: The newest prices of the market are older than 5 s
      100.5 / 101               | #2 entry 0.4 at 100 postOnly
      +5s, 100 / -, #2 fills 0.4  | #3 entry 0.2 at 100 postOnly
      `,
    ));
});

describe('the parts of an iceberg', () => {
  const lots = (amount: number) => Decimal.fromUnits(BigInt(amount), 4);
  const smallest = leastAmount(MARKET, Decimal.of('100'));

  /** All parts of an iceberg that fills. */
  const partsOf = (amount: number, show: number): Decimal[] => {
    const terms = buy(lots(amount).toString(), { entry: iceberg('100', lots(show).toString()) });
    return [...partsUntilDone(terms)];
  };

  it('add up to the amount, each at most what is shown and at least the minimum, for all terms that pass the check', () => {
    fc.assert(
      fc.property(fc.integer({ min: 501, max: 9_000 }), fc.integer({ min: 500, max: 9_000 }), (amount, show) => {
        fc.pre(show < amount && Math.ceil(amount / show) * 500 <= amount);
        const parts = partsOf(amount, show);
        expect(Decimal.sum(parts).equals(lots(amount))).toBe(true);
        expect(parts.every((part) => part.compare(lots(show)) <= 0 && part.compare(smallest) >= 0)).toBe(true);
        expect(parts).toHaveLength(Math.ceil(amount / show));
      }),
    );
  });

  it('are whole lots of a market that has fewer decimals by now, and never more than is shown', () => {
    const market = { ...MARKET, amountScale: 1 };
    const terms = { ...buy('1', { entry: iceberg('100', '0.29') }), market };
    expect([...partsUntilDone(terms)].map(String)).toEqual(Array(5).fill('0.2'));
    expect([...partsUntilDone({ ...buy('1', { entry: iceberg('100', '0.09') }), market })]).toEqual([]);
  });

  it('end where one is below the minimum of a market that has a higher one by now', () =>
    expectTable(
      { ...buy('1', { entry: iceberg('100', '0.4') }), market: { ...MARKET, minAmount: '0.5' } },
      `
      100.5 / 101               | failed: 1 btc did not fill: a part of 0.4 btc is below the minimum
      `,
    ));
});

/**
 * The amounts that an entry places one after the other if each one fills.
 * @param timeOf when it decides after so many orders
 */
function* partsUntilDone(
  terms: AlgoTerms,
  seen: Partial<AlgoMarket> = {},
  timeOf = (placed: number) => placed * 5_000,
): Generator<Decimal> {
  const began = { fact: 'began', time: 0, terms, bid: null, ask: null } as const;
  const facts = foldFacts([began]);
  if (facts === undefined) throw new Error('it did not begin');
  const children: Child[] = [];
  for (;;) {
    const now = timeOf(children.length);
    const step = nextStep(decide(terms, facts, { ...UNSEEN, ...seen, now }, children), children, now);
    if (step.step !== 'place') return;
    const { amount } = step.child;
    yield amount;
    const filled = { filled: amount, filledValue: amount, fees: [], state: 'closed', end: 'filled' } as const;
    children.push({
      ...{ number: step.number, ...step.child, ...filled, refusal: null, time: now },
      ...{ cancelRefused: null, duplicate: null },
    });
  }
}

const UNSEEN: Omit<AlgoMarket, 'now'> = {
  ...{ book: null, staleAfterMs: STALE_MS, positionAgeMs: null, last: null, seen: null, gap: null, met: null },
  ...{ band: null, available: null, balance: null, fundsChanged: null, limitedUntil: null },
};
