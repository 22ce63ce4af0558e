import { describe, it } from 'vitest';
import { expectTable } from '../support/table.js';
import { buy, sell } from '../support/terms.js';

// Each table: on the left what happens, on the right all that the algo order does about it. Books are best bid / best ask.

describe('a stop', () => {
  it('sends an order that fills at once when the bid touches it, no more than 1 % below the bid, and lets the rest rest there', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      100 / 101       |
      98.01 / 99      |
      98 / 98.5       | triggered at 98; #1 stop 1 at 97.02 ioc
      #1 fills 0.4    |
      #1 ends         | #2 stop 0.6 at 97.02
      97 / 97.5       |
      #2 fills 0.6    | done: Everything has filled
      `,
    ));

  it('buys when the ask touches it, no more than the slippage above the ask, rounded to the safe side', () =>
    expectTable(
      buy('1', { stop: '105', slippage: '0.005' }),
      `
      104 / 104.99    |
      104.5 / 105.33  | triggered at 105.33; #1 stop 1 at 105.85 ioc
      #1 fills 1      | done: Everything has filled
      `,
    ));

  it('is final: it goes on selling though the price comes back', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      97.5 / 98       | triggered at 97.5; #1 stop 1 at 96.53 ioc
      103 / 104       |
      #1 ends         | #2 stop 1 at 96.53
      104 / 105       |
      `,
    ));

  it('does not go beyond the price band', () => {
    expectTable(
      sell('1', { stop: '98', slippage: '0.5' }),
      `
      band 90.555..110 |
      98 / 99          | triggered at 98; #1 stop 1 at 90.56 ioc
      `,
    );
    expectTable(
      buy('1', { stop: '103', slippage: '0.5' }),
      `
      band 90..110.555 |
      102 / 103        | triggered at 103; #1 stop 1 at 110.55 ioc
      `,
    );
  });

  it('never asks for less than a tick', () =>
    expectTable(
      sell('600', { stop: '98', slippage: '2' }),
      `
      98 / 99          | triggered at 98; #1 stop 600 at 0.01 ioc
      `,
    ));

  it('with a limit places one order at the limit', () =>
    expectTable(
      sell('1', { stop: '98', limit: '97.8' }),
      `
      98.01 / 99      |
      97 / 98         | triggered at 97; #1 stop 1 at 97.8
      #1 fills 0.2    |
      #1 fills 0.8    | done: Everything has filled
      `,
    ));

  it('looks at the newest trade if that is its trigger, and at the book only for its age', () =>
    expectTable(
      sell('1', { stop: '98', trigger: 'last' }),
      `
      97 / 99             |
      traded 98.01        |
      traded 98, age 5001 |
      97 / 99             |
      traded 98           | triggered at 98 by last; #1 stop 1 at 97.02 ioc
      `,
    ));

  it('triggers neither on a book older than 5 s nor on a crossed or locked one, nor without a price', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      98 / 99, age 5001, state? | blind: The newest prices of the market are older than 5 s
      98 / 97                   |
      98 / 98                   |
      - / 98                    |
      +5s, 98 / 99, age 5000    | triggered at 98; #1 stop 1 at 97.02 ioc
      `,
    ));

  it('reports a crossing that came and went unseen, and does not act on it', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      100 / 101, age 6000       |
      99 / 100, gap 97.5..101   | missed 97.5 at 98
      99 / 100                  |
      `,
    ));

  it('compares the market as it is after a gap, and says that the trigger is late', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      97.5 / 98, gap 97..101    | triggered at 97.5 late; #1 stop 1 at 96.53 ioc
      `,
    ));

  it('waits until the outcome of its order is known, and sends it once more only if it was never sent', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      next is lost              |
      98 / 99, state?           | triggered at 98; #1 stop 1 at 97.02 ioc; settling: NOT PROTECTED: It is not known yet what became of the stop order
      +2m                       |
      #1 was-never-sent         | #2 stop 1 at 97.02 ioc
      `,
    ));

  it('counts what an order with an unknown outcome has filled', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      next is lost              |
      98 / 99                   | triggered at 98; #1 stop 1 at 97.02 ioc
      #1 fills 0.7              |
      #1 ends                   | #2 stop 0.3 at 97.02
      `,
    ));

  it('does nothing while its order waits for its answer', () =>
    expectTable(
      sell('1', { take: '110', stop: '98' }),
      `
      100 / 101                 | #1 take 1 at 110
      #1 is-recorded, 97 / 98   | triggered at 97
      #1 is-open                | cancel #1; #2 stop 1 at 96.03 ioc
      `,
    ));

  it('settles an order whose answer does not come within 2 s', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      98 / 99                   | triggered at 98; #1 stop 1 at 97.02 ioc
      #1 is-recorded, state?, until? | triggered: The stop order is on its way; until 2 s
      +1999ms, state?           | triggered: The stop order is on its way
      +1ms, state?, until?      | settling: NOT PROTECTED: It is not known yet whether the stop order was placed; until something happens
      #1 is-open, state?        | triggered: The stop order is open
      `,
    ));

  it('ends when a rest below the minimum is left, and names it', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      98 / 99                   | triggered at 98; #1 stop 1 at 97.02 ioc
      #1 fills 0.95, #1 ends    | partial: 0.05 btc is left: it is below the minimum of 0.001 btc or 5 usdt
      `,
    ));

  it('ends at once if its amount could never be sold', () =>
    expectTable(
      sell('0.04', { stop: '98' }),
      `
      100 / 101                 | failed: 0.04 btc is left: it is below the minimum of 0.001 btc or 5 usdt
      `,
    ));

  it('is given up after the time that was given, before and after the trigger', () => {
    expectTable(
      sell('1', { stop: '98', forMs: 60_000 }),
      `
      +59999ms, until?          | until 60 s
      +1ms                      | cancelled: The time that was given is over
      `,
    );
    expectTable(
      sell('1', { stop: '98', forMs: 60_000 }),
      `
      98 / 99                   | triggered at 98; #1 stop 1 at 97.02 ioc
      #1 fills 0.5, #1 ends     | #2 stop 0.5 at 97.02
      +60s                      | cancel #2; partial: The time that was given is over
      `,
    );
  });

  it('takes the last moment of its data for young: 5 s in the book and in the trades', () =>
    expectTable(
      sell('1', { stop: '98', trigger: 'last' }),
      `
      +5s, traded 98, age 5000, state? | triggered at 98 by last; #1 stop 1 at 97.02 ioc; triggered: The stop order is open
      `,
    ));

  it('is not reached by a price of a time before it began', () => {
    expectTable(
      sell('1', { stop: '98' }),
      `
      +1s, 97 / 98, age 1001    |
      97 / 98, age 1000         | triggered at 97; #1 stop 1 at 96.03 ioc
      `,
    );
    expectTable(
      sell('1', { stop: '98', trigger: 'last' }),
      `
      +1s, traded 97, age 1001  |
      traded 97, age 1000       | triggered at 97 by last; #1 stop 1 at 96.03 ioc
      `,
    );
  });

  it('does not need a second look while it sees nothing', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      100 / 101, age 5001, until? | until something happens
      100 / 101, age 5000, state?, until? | blind: The exchange's clock stands still: it dates its prices before this algo order began; until 0.001 s
      `,
    ));

  it('does not miss what it never reached', () =>
    expectTable(
      buy('1', { stop: '105' }),
      `
      100 / 101, gap 90..104.99 |
      100 / 101, gap 90..105    | missed 105 at 105
      `,
    ));

  it('asks to be looked at again when the book becomes too old', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      100 / 101, age 2000, until?   | until 3.001 s
      `,
    ));
});

describe('a trailing stop', () => {
  it('follows the best bid by a share and never goes back', () =>
    expectTable(
      sell('1', { trail: '2%' }),
      `
      100 / 101                 | best 100
      +1s, 105 / 106            | best 105
      +1s, 104 / 105            |
      102.91 / 103              |
      102.9 / 103               | triggered at 102.9; #1 stop 1 at 101.88 ioc
      `,
    ));

  it('follows by a price or by ticks, and down if it buys', () => {
    expectTable(
      buy('1', { trail: '300ticks' }),
      `
      100 / 101                 | best 101
      +1s, 94 / 95              | best 95
      97 / 97.99                |
      97 / 98                   | triggered at 98; #1 stop 1 at 98.98 ioc
      `,
    );
    expectTable(
      sell('1', { trail: '1.5' }),
      `
      100 / 101                 | best 100
      98.51 / 101               |
      98.5 / 101                | triggered at 98.5; #1 stop 1 at 97.52 ioc
      `,
    );
  });

  it('is not triggered by a trade at the ask though it is narrower than the spread', () =>
    expectTable(
      sell('1', { trail: '0.5%' }),
      `
      100 / 101                 | best 100
      +1s, traded 101           |
      99.5 / 100                | triggered at 99.5; #1 stop 1 at 98.51 ioc
      `,
    ));

  it('writes the best price at most once a second, but always before a decision rests on it', () => {
    expectTable(
      sell('1', { trail: '2%' }),
      `
      100 / 101                 | best 100
      +1s, 101 / 102            | best 101
      +500ms, 102 / 103, until? | until 2 s
      100 / 101, +499ms         |
      +1ms                      | best 102
      `,
    );
    expectTable(
      sell('1', { trail: '2%', trigger: 'last' }),
      `
      traded 100                | best 100 (trade 7)
      +1ms, traded 110, traded 107 | best 110 (trade 7); triggered at 107 by last; #1 stop 1 at 105.93 ioc
      `,
    );
  });

  it('begins with the better of the bid at the start and the bid now', () =>
    expectTable(
      sell('1', { trail: '2%' }),
      `
      98.5 / 99                 | best 100
      98 / 99                   | triggered at 98; #1 stop 1 at 97.02 ioc
      `,
    ));

  it('begins with the price at its start, never with one of a time before that, which came late', () =>
    expectTable(
      sell('1', { trail: '5%' }),
      `
      110 / 111, age 3000       |
      +1s, 110 / 111, age 3000  |
      +1s, 96 / 97, age 1000    | best 100
      +1s, 98 / 99, age 0       |
      +1s, 101 / 102, age 0     | best 101
      95.95 / 96, age 0         | triggered at 95.95; #1 stop 1 at 95 ioc
      `,
    ));

  it('begins only with a fresh price', () =>
    expectTable(
      sell('1', { trail: '2%' }),
      `
      99 / 100, age 6000        |
      103 / 104                 | best 103
      `,
    ));

  it('takes in what trades and candles show of a gap, and triggers on the market as it is', () =>
    expectTable(
      sell('1', { trail: '2%' }),
      `
      100 / 101                 | best 100
      +10s, 108 / 109, gap 97..110 | missed 97 at 98; best 110
      107.8 / 108               | triggered at 107.8; #1 stop 1 at 106.73 ioc
      `,
    ));

  it('keeps the best price of a second in which none was written', () =>
    expectTable(
      sell('1', { trail: '2%' }),
      `
      100 / 101                 | best 100
      +100ms, 103 / 104         |
      +100ms, 101 / 102         |
      +800ms                    | best 103
      100.94 / 101              | triggered at 100.94; #1 stop 1 at 99.94 ioc
      `,
    ));

  it('keeps the best price of a gap, too, if it could not be written at once', () =>
    expectTable(
      sell('1', { trail: '2%' }),
      `
      100 / 101                 | best 100
      +100ms, 101 / 102, gap 99..102 |
      +900ms                    | best 102
      `,
    ));

  it('buys when a gap has shown a lower price', () =>
    expectTable(
      buy('1', { trail: '2%' }),
      `
      100 / 101                 | best 101
      +10s, 95 / 96, gap 90..104 | best 90; triggered at 96 late; #1 stop 1 at 96.96 ioc
      `,
    ));

  it('follows the newest trade down, and says which it was', () =>
    expectTable(
      buy('1', { trail: '2%', trigger: 'last' }),
      `
      traded 100                | best 100 (trade 7)
      +1s, traded 90            | best 90 (trade 7)
      +1s, traded 91.8          | triggered at 91.8 by last; #1 stop 1 at 92.71 ioc
      `,
    ));

  it('acts with a stop beside it at whichever is reached first', () =>
    expectTable(
      sell('1', { stop: '99', trail: '2%' }),
      `
      100 / 101                 | best 100
      99 / 101                  | triggered at 99; #1 stop 1 at 98.01 ioc
      `,
    ));

  it('follows the newest trade if that triggers it', () =>
    expectTable(
      sell('1', { trail: '2%', trigger: 'last' }),
      `
      100 / 101                 |
      traded 102                | best 102 (trade 7)
      +1s, traded 99.96         | triggered at 99.96 by last; #1 stop 1 at 98.97 ioc
      `,
    ));
});

describe('an OCO', () => {
  const OCO = sell('1', { take: '110', stop: '98' });

  it('rests its take-profit, and ends when that has filled', () =>
    expectTable(
      OCO,
      `
      100 / 101, state?         | #1 take 1 at 110; working
      #1 fills 0.5              |
      #1 fills 0.5              | done: Everything has filled
      `,
    ));

  it('cancels the take-profit when the stop is reached, and sells what it left only once that is known', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      #1 fills 0.3              |
      cancellations are lost    |
      97 / 98, state?           | triggered at 97; cancel #1; settling: NOT PROTECTED: It is not known yet what became of the take order
      +1m                       |
      #1 fills 0.1              |
      #1 ends                   | #2 stop 0.6 at 96.03 ioc
      `,
    ));

  it('tries a rejected cancellation again after a second, and is not protected until then', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      cancellations are refused |
      97 / 98, state?, until?   | triggered at 97; cancel #1; triggered: NOT PROTECTED: The take-profit could not be cancelled yet; until 1 s
      +999ms                    |
      cancellations are confirmed, +1ms | cancel #1; #2 stop 1 at 96.03 ioc
      `,
    ));

  it('ends when the take-profit filled before it could be cancelled', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      cancellations are lost    |
      97 / 98                   | triggered at 97; cancel #1
      #1 fills 1                | done: Everything has filled
      `,
    ));

  it('does not place a take-profit again that somebody else cancelled; the stop goes on', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      #1 is-cancelled-by-others | #1 was cancelled by others
      97 / 98                   | triggered at 97; #2 stop 1 at 96.03 ioc
      #2 fills 0.5, #2 ends     | #3 stop 0.5 at 96.03
      #3 is-cancelled-by-others | #3 was cancelled by others; partial: 0.5 btc is left: the order of the stop was cancelled elsewhere
      `,
    ));

  it('takes the other direction if it buys', () =>
    expectTable(
      buy('1', { take: '90', stop: '105' }),
      `
      100 / 101                 | #1 take 1 at 90
      104 / 105                 | triggered at 105; cancel #1; #2 stop 1 at 106.05 ioc
      `,
    ));

  it('shrinks its take-profit to what is available, and the stop too', () => {
    expectTable(
      OCO,
      `
      available 0.4             | gone 0.6; #1 take 0.4 at 110
      available 0               |
      97 / 98                   | triggered at 97; cancel #1; #2 stop 1 at 96.03 ioc
      #2 ends, available 0      | failed: 1 btc is left: none of it is available
      `,
    );
    expectTable(
      sell('1', { stop: '98' }),
      `
      97 / 98, available 0.25   | triggered at 97; gone 0.75; #1 stop 0.25 at 96.03 ioc
      #1 fills 0.25, available 0 | partial: 0.75 btc is left: none of it is available
      `,
    );
  });

  it('waits for coins that only other orders lock, with its stop and with its take-profit', () => {
    expectTable(
      sell('5', { stop: '98' }),
      `
      next is rejected: insufficientFunds, 97 / 98 | triggered at 97; #1 stop 5 at 96.03 ioc
      available 0, locked 5, state? | paused: NOT PROTECTED: The exchange rejected the stop order: (insufficientFunds); 5 btc of it is locked in other orders
      +20s                      |
      available 5, balance changes | #2 stop 5 at 96.03 ioc
      `,
    );
    expectTable(
      OCO,
      `
      next is rejected: insufficientFunds | #1 take 1 at 110
      available 0.01, locked 0.99, +59s |
      next is rejected: insufficientFunds, +1s | #2 take 1 at 110
      available 0.01, locked 0.5, state? | gone 0.49; paused: The exchange rejected the take order: (insufficientFunds); 0.5 btc of it is locked in other orders
      available 0.01, locked 0.03 | failed: 1 btc is left: only 0.04 btc of it is available
      `,
    );
  });

  it('tries a smaller amount a second after the rejection, when a balance shows how much there is', () =>
    expectTable(
      sell('3', { stop: '98' }),
      `
      next is rejected: insufficientFunds, 97 / 98 | triggered at 97; #1 stop 3 at 96.03 ioc
      +100ms, available 2.3     | gone 0.7
      +899ms                    |
      +1ms                      | #2 stop 2.3 at 96.03 ioc
      `,
    ));

  it('does not replace its take-profit by a larger one that was rejected, until a balance shows more', () =>
    expectTable(
      OCO,
      `
      next is rejected: insufficientFunds | #1 take 1 at 110
      available 0.4, locked 0.6, +1s | #2 take 0.4 at 110
      #2 fills 0.1, +1s         |
      available 0.6, +1s        | cancel #2; #3 take 0.9 at 110
      `,
    ));

  it('sells what is available, and then waits for what other orders lock', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      97 / 98, available 0.25, locked 0.75 | triggered at 97; #1 stop 0.25 at 96.03 ioc
      next is rejected: insufficientFunds, #1 fills 0.25, available 0, locked 0.75 | #2 stop 0.75 at 96.03
      available 0, locked 0.75, state? | paused: NOT PROTECTED: The exchange rejected the stop order: (insufficientFunds); 0.75 btc of it is locked in other orders
      `,
    ));

  it('ends when nothing is available for its take-profit', () =>
    expectTable(
      OCO,
      `
      available 0.01            | failed: 1 btc is left: only 0.01 btc of it is available
      `,
    ));

  it('counts what the take-profit holds as available for the stop', () =>
    expectTable(
      OCO,
      `
      available 1               | #1 take 1 at 110
      97 / 98, available 0      | triggered at 97; cancel #1; #2 stop 1 at 96.03 ioc
      `,
    ));

  it('does not place more than an order leaves that may be its duplicate', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      #1 fills 0.4, #1 maybe-twice, #1 ends | excess 0.4
      `,
    ));

  it('buys as much as the available quote coin pays', () =>
    expectTable(
      buy('1', { take: '90', stop: '105' }),
      `
      available 45              | short 0.5; #1 take 0.5 at 90
      `,
    ));

  it('cancels a duplicate that is its own, and only counts one that may be the user’s', () => {
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      #1 twice                  | excess 1; cancel #1 (duplicate)
      `,
    );
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      #1 maybe-twice            | excess 1
      #1 ends                   |
      97 / 98, state?           | triggered at 97; triggered: NOT PROTECTED: an order that may be its duplicate is open
      `,
    );
  });
});

describe('any algo order', () => {
  const OCO = sell('1', { take: '110', stop: '98' });

  it('changes nothing while it is paused or halted, and says that its stop is reached', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      halt, state?              | halted: halt
      97 / 98                   | not sold at 98
      #1 fills 0.5              |
      resume                    | triggered at 97; cancel #1; #2 stop 0.5 at 96.03 ioc
      pause, state?             | paused: pause
      #2 ends                   |
      resume                    | #3 stop 0.5 at 96.03
      `,
    ));

  it('says once for each level that its stop is reached while it is paused, whatever the price does', () =>
    expectTable(
      sell('1', { trail: '2' }),
      `
      100 / 101                 | best 100
      halt, 98 / 99             | not sold at 98
      97.5 / 98                 |
      100 / 101                 |
      97 / 98                   |
      110 / 111, +1s            | best 110
      107 / 108                 | not sold at 108
      106 / 107                 |
      `,
    ));

  it('does not act on a stop that was reached while it was paused and is not any more', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      pause, 97 / 98            | not sold at 98
      100 / 101, resume         |
      `,
    ));

  it('goes on following the best price while it is paused', () =>
    expectTable(
      sell('1', { trail: '2%' }),
      `
      100 / 101                 | best 100
      pause, +1s, 110 / 111     | best 110
      resume, 107 / 108         | triggered at 107; #1 stop 1 at 105.93 ioc
      `,
    ));

  it('ends while it is paused if nothing is left to do', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      halt, #1 fills 1          | done: Everything has filled
      `,
    ));

  it('when it is cancelled: cancels its children, also while paused, waits for the outcomes, and places nothing', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      cancellations are lost    |
      pause, cancel, 97 / 98    | cancel #1
      #1 fills 0.4, #1 ends     | cancelled: You cancelled it
      `,
    ));

  it('is done if everything had filled when it was cancelled, and says so', () =>
    expectTable(
      OCO,
      `
      100 / 101                 | #1 take 1 at 110
      cancellations are lost    |
      cancel                    | cancel #1
      #1 fills 1                | done: Everything had filled before it could be cancelled
      `,
    ));

  it('tries once a minute if funds are missing, or when the balance changes', () =>
    expectTable(
      OCO,
      `
      next is rejected: insufficientFunds | #1 take 1 at 110
      100 / 101, state?         | paused: The exchange rejected the take order: (insufficientFunds)
      +59s                      |
      next is rejected: insufficientFunds, +1s | #2 take 1 at 110
      +5s                       |
      balance changes           | #3 take 1 at 110
      `,
    ));

  it('does not keep its stop waiting because the take-profit had no funds', () =>
    expectTable(
      OCO,
      `
      next is rejected: insufficientFunds | #1 take 1 at 110
      97 / 98                   | triggered at 97; #2 stop 1 at 96.03 ioc
      `,
    ));

  it('does not place its take-profit before it has seen a price: a stop that is reached would have to wait for it', () =>
    expectTable(
      sell('1', { take: '110', stop: '98' }),
      `
      no book                   |
      97 / 98                   | triggered at 97; #1 stop 1 at 96.03 ioc
      `,
    ));

  it('keeps the take-profit that rests when it sees no price any more', () =>
    expectTable(
      sell('1', { take: '110', stop: '98' }),
      `
      100 / 101                 | #1 take 1 at 110
      no book                   |
      #1 fills 0.4              |
      100 / 101                 |
      `,
    ));

  it('places a take-profit without a stop although it has seen no price', () =>
    expectTable(
      sell('1', { take: '110' }),
      `
      no book                   | #1 take 1 at 110
      `,
    ));

  it('goes on protecting with its stop when its take-profit is rejected', () =>
    expectTable(
      sell('1', { take: '110', stop: '98' }),
      `
      next is rejected: badPrice | #1 take 1 at 110; paused: The exchange rejected the take order: (badPrice)
      +1s, state?               | paused: The exchange rejected the take order: (badPrice)
      97 / 98, state?           | triggered at 97; #2 stop 1 at 96.03 ioc; triggered: The stop order is open
      #2 fills 1                | done: Everything has filled
      `,
    ));

  it('is paused as a whole when its stop is rejected, and tries again when it is resumed', () =>
    expectTable(
      sell('1', { stop: '98' }),
      `
      next is rejected: badPrice, 97 / 98 | triggered at 97; #1 stop 1 at 96.03 ioc; paused: The exchange rejected the stop order: (badPrice)
      +1s                       |
      resume                    | #2 stop 1 at 96.03 ioc
      `,
    ));

  it('tries a take-profit again that was rejected when it is resumed', () =>
    expectTable(
      OCO,
      `
      next is rejected: badPrice | #1 take 1 at 110; paused: The exchange rejected the take order: (badPrice)
      100 / 101, +1s            |
      resume                    | #2 take 1 at 110
      `,
    ));

  it.each(['tooFrequent', 'locked', 'expired'])(
    'tries again after a second if the rejection says nothing about the order: %s',
    (kind) =>
      expectTable(
        OCO,
        `
        next is rejected: ${kind} | #1 take 1 at 110
        +999ms                    |
        +1ms                      | #2 take 1 at 110
        `,
      ),
  );

  it.each(['busy', 'inTrouble'])(
    'asks an exchange that is away again, a reached stop every two seconds, and says its words: %s',
    (kind) =>
      expectTable(
        sell('1', { stop: '98' }),
        `
      next is rejected: ${kind} | 
      98 / 99, state?           | triggered at 98; #1 stop 1 at 97.02 ioc; triggered: NOT PROTECTED: The exchange rejected the stop order: (${kind})
      +1999ms, next is rejected: ${kind} |
      +1ms                      | #2 stop 1 at 97.02 ioc
      +1999ms                   |
      +1ms, state?              | #3 stop 1 at 97.02 ioc; triggered: The stop order is open
      `,
      ),
  );

  it('asks an exchange that is away for a take-profit every five seconds', () =>
    expectTable(
      OCO,
      `
      next is rejected: inTrouble | #1 take 1 at 110
      +4999ms                   |
      +1ms                      | #2 take 1 at 110
      `,
    ));

  it.each(['badPrice', 'badAmount', 'closed', 'invalid', 'noPermission', 'other'])(
    'is paused by a rejection that stays: %s',
    (kind) =>
      expectTable(
        OCO,
        `
        next is rejected: ${kind} | #1 take 1 at 110; paused: The exchange rejected the take order: (${kind})
        resume                    | #2 take 1 at 110
        next is rejected: ${kind}, +1s, #2 was-never-sent, +1s | #3 take 1 at 110; paused: The exchange rejected the take order: (${kind})
        `,
      ),
  );

  it('does not try at once because of a balance that changed before its order was rejected', () =>
    expectTable(
      OCO,
      `
      balance changes, next is rejected: insufficientFunds | #1 take 1 at 110
      +59999ms                  |
      +1ms                      | #2 take 1 at 110
      `,
    ));

  it('waits for the limiter with its first order, too, and says so until then', () =>
    expectTable(
      OCO,
      `
      limited 2s, state?        | waiting: The rate limit is reached
      +1999ms, state?           | waiting: The rate limit is reached
      +1ms, state?              | #1 take 1 at 110; working
      `,
    ));

  it('waits for the longer of the limiter and its next try', () =>
    expectTable(
      OCO,
      `
      next is rejected: tooFrequent | #1 take 1 at 110
      limited 5s, +4s           |
      +1s                       | #2 take 1 at 110
      `,
    ));

  it('says what it settles though it does not see the market', () =>
    expectTable(
      OCO,
      `
      next is lost              | #1 take 1 at 110
      age 6000, state?          | settling: It is not known yet what became of the take order
      `,
    ));

  it('waits a second after a rejection that says nothing about the order, and as long as the limiter says', () =>
    expectTable(
      OCO,
      `
      next is rejected: tooFrequent | #1 take 1 at 110
      +999ms                    |
      +1ms                      | #2 take 1 at 110
      97 / 98, limited 10s, state? | triggered at 97; cancel #2; triggered: NOT PROTECTED: The rate limit is reached
      +9999ms, until?           | until 11 s
      +1ms                      | #3 stop 1 at 96.03 ioc
      `,
    ));
});
