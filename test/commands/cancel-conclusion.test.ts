import { describe, expect, it } from 'vitest';
import { conclude } from '../../src/commands/cancel/conclusion.js';
import type { CancelAttempt, Cancellation } from '../../src/trading/cancel/cancel.js';

const RESULT: Cancellation = {
  ...{ outcome: 'cancelled', id: '7', clientId: null, market: 'btc_usdt', price: null, amount: null },
  ...{ filled: null, filledValue: null, code: 1000, message: null },
};
const done: CancelAttempt = { result: RESULT, intent: null, failure: null };
const failed: CancelAttempt = {
  result: { ...RESULT, outcome: 'refused', code: 3001, message: 'order not found' },
  intent: null,
  failure: 'refused',
};

function told(...attempts: CancelAttempt[]): unknown {
  try {
    return conclude('btc_usdt', attempts).failure;
  } catch (error) {
    return error;
  }
}

describe('what is told of cancellations that failed', () => {
  it.each([
    ['refused', 'The order was not cancelled: order not found.', [failed]],
    ['refused', 'None of the 2 orders was cancelled: order not found.', [failed, failed]],
    ['partial', '1 of 2 orders cancelled, the others not: order not found.', [done, failed]],
  ])('%s: %s', (kind, message, attempts) => {
    expect(told(...attempts)).toMatchObject({ kind, message });
  });

  it('is nothing where all were cancelled', () => {
    expect(told(done, done)).toBeUndefined();
  });
});
