import { describe, expect, it } from 'vitest';
import { cancelAnswer } from '../../src/commands/cancel/cancel-result.js';
import type { CancelAttempt, CancelResult } from '../../src/trading/cancel/cancel-orders.js';

const RESULT: CancelResult = {
  ...{ outcome: 'cancelled', id: '7', clientId: null, market: 'btc_usdt', price: null, amount: null },
  ...{ filled: null, filledValue: null, code: 1000, message: null },
};
const done: CancelAttempt = { result: RESULT, intent: null, failure: null };
const failed: CancelAttempt = {
  result: { ...RESULT, outcome: 'refused', code: 3001, message: 'order not found' },
  intent: null,
  failure: 'refused',
};

function failureOf(...attempts: CancelAttempt[]): unknown {
  try {
    return cancelAnswer('btc_usdt', attempts).failure;
  } catch (error) {
    return error;
  }
}

describe('the failure of several cancellations', () => {
  it.each([
    ['refused', 'The order was not cancelled: order not found.', [failed]],
    ['refused', 'None of the 2 orders was cancelled: order not found.', [failed, failed]],
    ['partial', '1 of 2 orders cancelled: order not found.', [done, failed]],
  ])('is %s with the message: %s', (kind, message, attempts) => {
    expect(failureOf(...attempts)).toMatchObject({ kind, message });
  });

  it('is absent if all were cancelled', () => {
    expect(failureOf(done, done)).toBeUndefined();
  });
});
