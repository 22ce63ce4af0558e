import { describe, expect, it } from 'vitest';
import { warnOfLostOrders } from '../../../src/commands/algo/lost-orders.js';
import type { Advice } from '../../../src/errors.js';
import type { CancelAttempt } from '../../../src/trading/cancel/cancel-orders.js';
import { adviceText } from '../../support/advice.js';
import { TERMS } from '../../trading/support/terms.js';
import { tradingOf } from '../../trading/support/trading.js';

const ALGO = 'aaaaaaa';
const OTHER = 'abbbbbb';

const cancelled = (id: string) =>
  ({
    result: { outcome: 'cancelled', id, clientId: null, market: TERMS.market },
    failure: null,
  }) as unknown as CancelAttempt;

/** What is said after these orders were cancelled. Order 7 is a child of an algo order, 8 its duplicate, and 10 a child of another one. */
function saidOf(orders: readonly string[], before: readonly string[]): string[] {
  const said: string[] = [];
  const trading = tradingOf('http://127.0.0.1:1');
  const entry = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: `${ALGO}e1`, reqTime: 1 });
  entry.settle({ outcome: 'placed', id: '7', duplicates: ['8'] }, 'placed');
  const other = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: `${OTHER}e1`, reqTime: 1 });
  other.settle({ outcome: 'placed', id: '10', duplicates: [] }, 'placed');
  const output = { warn: (advice: Advice) => void said.push(adviceText(advice)) };
  const context = { output, trading } as unknown as Parameters<typeof warnOfLostOrders>[0];
  warnOfLostOrders(context, orders.map(cancelled), new Set(before));
  return said;
}

describe('the warning that an algo order has lost an order', () => {
  it('comes although the algo order has ended by that, and promises no rest', () => {
    const [said = '', ...more] = saidOf(['7'], [ALGO]);
    expect(said).toContain(
      `An order of algo order ${ALGO} was cancelled. It is not placed again; the algo order ends if it has no other order left to place.`,
    );
    expect(said).toContain(`algo show ${ALGO}`);
    expect(more).toEqual([]);
  });

  it('names all algo orders that have lost one, once', () => {
    const [said = '', ...more] = saidOf(['7', '10'], [ALGO, OTHER]);
    expect(said).toContain(
      `Orders of algo orders ${ALGO}, ${OTHER} were cancelled. They are not placed again; an algo order ends if it has no other order left to place.`,
    );
    expect(said).toContain('algo list --all');
    expect(more).toEqual([]);
  });

  it('does not come if the algo order had ended before', () => {
    expect(saidOf(['7'], [])).toEqual([]);
  });

  it('does not come for a duplicate that the network made, nor for an order of the user', () => {
    expect(saidOf(['8', '9'], [ALGO])).toEqual([]);
  });
});
