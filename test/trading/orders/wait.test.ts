import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { Budget } from '../../../src/exchange/budget.js';
import { type Wait, waitForOrder } from '../../../src/trading/orders/wait.js';
import { fakeHost } from '../../support/fake-host.js';

const ORDER: Order = {
  ...{ id: '7', clientId: null, market: 'btc_usdt', side: 'buy', type: 'limit' },
  ...{ price: '30000', amount: '2', filled: '0', filledValue: '0', fee: null, feeDiscount: false },
  ...{ time: 0, state: 'open', status: 0 },
};
const OPEN = ORDER;
const PARTLY: Order = { ...ORDER, status: 3, filled: '1' };
const FILLED: Order = { ...ORDER, state: 'filled', status: 2, filled: '2' };
const CANCELLED: Order = { ...ORDER, state: 'cancelled', status: 1 };
const CUT_OFF: Order = { ...ORDER, state: 'cancelled', status: 2, filled: '1' };
const STRANGE: Order = { ...ORDER, state: 'other', status: 9 };
const AWAY = new Failure('unreachable', 'away');
const NOT_FOUND = new Failure('refused', 'order not found', { code: 3001 });

type Look = Order | Failure;

/** What comes of looks that see this one after the other, the last for ever, within a minute. */
async function waited(wait: Wait, looks: readonly Look[]) {
  const host = fakeHost();
  const seen: string[] = [];
  let count = 0;
  const look = async () => {
    const now = looks[Math.min(count, looks.length - 1)];
    count += 1;
    if (now === undefined || now instanceof Failure) throw now;
    return now;
  };
  const account = { host, budget: new Budget(60_000, host.now) };
  const end = await waitForOrder(account, look, wait, ({ status, filled }) => seen.push(`${status} ${filled}`)).catch(
    (error: Failure) => error,
  );
  const result = end instanceof Failure ? end.message : `${end.record.state} ${end.isReached}`;
  return { result, looks: count, seen, pauses: host.sleeps };
}

describe('waiting for an order', () => {
  it.each<[Wait, string, readonly Look[], string, number]>([
    ['open', 'one that is open', [OPEN], 'open true', 1],
    ['open', 'one that is there late', [NOT_FOUND, NOT_FOUND, OPEN], 'open true', 3],
    ['open', 'one that filled at once', [FILLED], 'filled true', 1],
    ['open', 'one that is cancelled', [CANCELLED], 'cancelled false', 1],
    ['filled', 'one that fills bit by bit', [OPEN, PARTLY, FILLED], 'filled true', 3],
    ['filled', 'one that is cancelled half-way', [PARTLY, CUT_OFF], 'cancelled false', 2],
    ['filled', 'one of no name', [NOT_FOUND], 'order not found', 1],
    ['closed', 'one that fills', [OPEN, FILLED], 'filled true', 2],
    ['closed', 'one that is cancelled', [OPEN, CANCELLED], 'cancelled true', 2],
    ['closed', 'one that cannot be asked for at times', [OPEN, AWAY, AWAY, CANCELLED], 'cancelled true', 4],
    ['closed', 'one that cannot be asked for at all', [AWAY], 'away', 1],
  ])('for %s: %s', async (wait, _what, looks, result, count) => {
    expect(await waited(wait, looks)).toMatchObject({ result, looks: count });
  });

  it.each<[string, Look, Wait, string]>([
    ['nothing happens', OPEN, 'filled', 'open false'],
    ['its state is one that the interface does not name', STRANGE, 'closed', 'other false'],
    ['it is never there', NOT_FOUND, 'open', 'order not found'],
  ])('ends with the time where %s, ever less often', async (_what, look, wait, result) => {
    const ended = await waited(wait, [look]);
    expect(ended.result).toBe(result);
    expect(ended.pauses.slice(0, 5)).toEqual([500, 1000, 2000, 4000, 5000]);
    expect(Math.max(...ended.pauses)).toBe(5000);
    expect(ended.pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(59_000);
    expect(ended.looks).toBeLessThan(30);
  });

  it('tells of each change once, and looks soon again after it', async () => {
    const { seen, pauses } = await waited('filled', [OPEN, OPEN, OPEN, PARTLY, PARTLY, FILLED]);
    expect(seen).toEqual(['0 0', '3 1', '2 2']);
    expect(pauses).toEqual([500, 1000, 2000, 500, 1000]);
  });
});
