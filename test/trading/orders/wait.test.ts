import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { type Wait, waitForOrder } from '../../../src/trading/orders/wait.js';
import { fakeHost } from '../../support/fake-host.js';

const ORDER: Order = {
  ...{ id: '7', clientId: null, market: 'btc_usdt', side: 'buy', type: 'limit' },
  ...{ price: '30000', amount: '2', filled: '0', filledValue: '0', fee: null, feeCoin: null, feeDiscount: false },
  ...{ time: 0, state: 'open', status: 0 },
};
const OPEN = ORDER;
const PARTLY: Order = { ...ORDER, status: 3, filled: '1' };
const FILLED: Order = { ...ORDER, state: 'filled', status: 2, filled: '2' };
const CANCELLED: Order = { ...ORDER, state: 'cancelled', status: 1 };
const CUT_OFF: Order = { ...ORDER, state: 'cancelled', status: 2, filled: '1' };
const STRANGE: Order = { ...ORDER, state: 'other', status: 9 };
const AWAY = new Failure('unreachable', 'away');
const NOT_FOUND = new Failure('refused', 'order not found', { refusal: 'notFound', code: 3001 });

type Read = Order | Failure;

/** Waits for up to a minute, with these results of the reads one after the other; the last one repeats. */
async function waited(wait: Wait, reads: readonly Read[]) {
  const host = fakeHost();
  const changes: string[] = [];
  let count = 0;
  const read = async () => {
    const now = reads[Math.min(count, reads.length - 1)];
    count += 1;
    if (now === undefined || now instanceof Failure) throw now;
    return now;
  };
  const trading = { host, budget: new TimeBudget(60_000, host.now) };
  const end = await waitForOrder(trading, 'btc_usdt', read, wait, ({ status, filled }) =>
    changes.push(`${status} ${filled}`),
  ).catch((error: Failure) => error);
  const result = end instanceof Failure ? end.message : `${end.order.state} ${end.isReached}`;
  return { result, reads: count, changes, pauses: host.sleeps };
}

/** Waits until an order is filled, with what a stream has pushed by the second read, which finds this or never ends. */
async function waitedWithPush(pushed: Order, second: Order | Failure | undefined) {
  const host = fakeHost();
  let count = 0;
  const read = async (): Promise<Order> => {
    count += 1;
    if (count === 1) return OPEN;
    if (second === undefined) return new Promise<Order>(() => undefined);
    if (second instanceof Failure) throw second;
    return second;
  };
  const pushes = { next: () => Promise.resolve(), order: () => pushed, close: () => undefined };
  const trading = { host, budget: new TimeBudget(10_000, host.now), orderPushes: () => pushes };
  const { order, isReached } = await waitForOrder(trading, 'btc_usdt', read, 'filled', () => undefined);
  return { order, isReached, count };
}

it('waits by the clock of a rehearsal: a minute of a market that is sixty times as fast is a second', async () => {
  const host = fakeHost();
  const trading = { host, budget: new TimeBudget(60_000, host.now) };
  const read = async () => OPEN;
  const { isReached } = await waitForOrder(trading, 'btc_usdt', read, 'filled', () => undefined, { speed: 60 });
  const slept = host.sleeps.reduce((sum, ms) => sum + ms, 0);
  expect(isReached).toBe(false);
  expect(slept).toBeGreaterThan(900);
  expect(slept).toBeLessThanOrEqual(1_000);
});

describe('an order that was pushed', () => {
  it.each([
    ['the list is behind', OPEN],
    ['the list cannot be read', AWAY],
    ['the list does not answer', undefined],
  ])('as filled is filled while %s', async (_, second) => {
    expect(await waitedWithPush(FILLED, second)).toMatchObject({ order: FILLED, isReached: true, count: 2 });
  });

  it('as open is what was read if that has ended', async () => {
    const read = { ...FILLED, fee: '0.002' };
    expect((await waitedWithPush(PARTLY, read)).order).toEqual(read);
  });

  it('with a part filled replaces what was read before that', async () => {
    expect(await waitedWithPush(PARTLY, OPEN)).toMatchObject({ order: PARTLY, isReached: false });
  });
});

describe('waiting for an order', () => {
  it.each<[Wait, string, string, readonly Read[], number]>([
    ['open', 'an open one', 'open true', [OPEN], 1],
    ['open', 'one that appears late', 'open true', [NOT_FOUND, NOT_FOUND, OPEN], 3],
    ['open', 'one that fills at once', 'filled true', [FILLED], 1],
    ['open', 'a cancelled one', 'cancelled false', [CANCELLED], 1],
    ['filled', 'one that fills bit by bit', 'filled true', [OPEN, PARTLY, FILLED], 3],
    ['filled', 'one that is cancelled after a partial fill', 'cancelled false', [PARTLY, CUT_OFF], 2],
    ['filled', 'one that is not found', 'order not found', [NOT_FOUND], 1],
    ['closed', 'one that fills', 'filled true', [OPEN, FILLED], 2],
    ['closed', 'a cancelled one', 'cancelled true', [OPEN, CANCELLED], 2],
    ['closed', 'one that cannot be read at times', 'cancelled true', [OPEN, AWAY, AWAY, CANCELLED], 4],
    ['closed', 'one that cannot be read at all', 'away', [AWAY], 1],
  ])('waiting until %s for %s ends with "%s"', async (wait, _what, result, reads, count) => {
    expect(await waited(wait, reads)).toMatchObject({ result, reads: count });
  });

  it.each<[string, Read, Wait, string]>([
    ['nothing happens', OPEN, 'filled', 'open false'],
    ['its state is undocumented', STRANGE, 'closed', 'other false'],
    ['it is never found', NOT_FOUND, 'open', 'order not found'],
  ])('ends with the time budget and longer and longer pauses if %s', async (_what, read, wait, result) => {
    const ended = await waited(wait, [read]);
    expect(ended.result).toBe(result);
    expect(ended.pauses.slice(0, 5)).toEqual([500, 1000, 2000, 4000, 5000]);
    expect(Math.max(...ended.pauses)).toBe(5000);
    expect(ended.pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(59_000);
    expect(ended.reads).toBeLessThan(30);
  });

  it('reports each change once, and reads again soon after it', async () => {
    const { changes, pauses } = await waited('filled', [OPEN, OPEN, OPEN, PARTLY, PARTLY, FILLED]);
    expect(changes).toEqual(['0 0', '3 1', '2 2']);
    expect(pauses).toEqual([500, 1000, 2000, 500, 1000]);
  });
});
