import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { waitForOrder } from '../../../src/trading/orders/wait.js';
import { Pauses } from '../../../src/trading/settling/pauses.js';
import { fakeHost } from '../../support/fake-host.js';

const SPACING_MS = 250;

/** A host whose longer waits that can be cut short never end by themselves, and a stream that pushes as often as it is told. */
function pushing(pushes: number) {
  const host = fakeHost();
  const markets: string[] = [];
  let [left, isClosed] = [pushes, false];
  const never = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const trading = {
    host: {
      ...host,
      sleep: (ms: number, cut?: AbortSignal) => (cut === undefined || ms <= SPACING_MS ? host.sleep(ms) : never(cut)),
    },
    orderPushes: (market: string) => {
      markets.push(market);
      return {
        next: (signal: AbortSignal) => (left-- > 0 ? Promise.resolve() : never(signal)),
        order: () => undefined,
        close: () => {
          isClosed = true;
        },
      };
    },
  };
  return { trading, host, markets, isClosed: () => isClosed };
}

describe('a pause between two reads', () => {
  it.each([
    ['its caller gives up', 0],
    ['a push comes', 1],
  ])('ends early if %s, and leaves no timer behind', async (_, pushes) => {
    const { trading } = pushing(pushes);
    const leaving = new AbortController();
    const waits: AbortSignal[] = [];
    const sleep = (ms: number, cut?: AbortSignal) => {
      if (cut !== undefined) waits.push(cut);
      return trading.host.sleep(ms, cut);
    };
    const waiting = new Pauses({ ...trading, host: { ...trading.host, sleep } }, 'btc_usdt').wait(
      5_000,
      leaving.signal,
    );
    if (pushes === 0) leaving.abort();
    expect(await waiting).toBe(pushes > 0);
    expect([waits.length > 0, waits.every(({ aborted }) => aborted)]).toEqual([true, true]);
  });

  it('shows the order that a push has changed, once there is a stream', async () => {
    const { trading } = pushing(1);
    const order = { id: '7' } as Order;
    const orderPushes = () => ({
      ...trading.orderPushes('btc_usdt'),
      order: (id: string) => (id === '7' ? order : undefined),
    });
    const pauses = new Pauses({ ...trading, orderPushes }, 'btc_usdt');
    expect([pauses.hasStream, pauses.pushedOrder('7')]).toEqual([false, undefined]);
    await pauses.wait(5_000);
    expect([pauses.hasStream, pauses.pushedOrder('7'), pauses.pushedOrder('8')]).toEqual([true, order, undefined]);
  });

  it('needs no stream while the whole wait is short', async () => {
    const { trading, host, markets } = pushing(1);
    const pauses = new Pauses(trading, 'btc_usdt');
    expect([await pauses.wait(500), await pauses.wait(1_500)]).toEqual([false, false]);
    expect([host.sleeps, markets]).toEqual([[500, 1_500], []]);
  });

  it('ends at a push in the market once the wait is long, but not at once', async () => {
    const { trading, host, markets, isClosed } = pushing(2);
    const pauses = new Pauses(trading, 'btc_usdt');
    expect([await pauses.wait(2_001), await pauses.wait(5_000)]).toEqual([true, true]);
    expect([host.sleeps, markets]).toEqual([[SPACING_MS, SPACING_MS], ['btc_usdt']]);
    pauses.close();
    expect(isClosed()).toBe(true);
  });

  it.each([
    ['the exchange has no stream', { orderPushes: () => undefined }, 'btc_usdt'],
    ['nothing asks for pushes', {}, 'btc_usdt'],
    [
      'what is awaited belongs to no market',
      { orderPushes: () => Promise.reject(new Error('asked')) as never },
      undefined,
    ],
  ])('takes its time if %s', async (_, trading, market) => {
    const host = fakeHost();
    const pauses = new Pauses({ host, ...trading }, market);
    expect(await pauses.wait(5_000)).toBe(false);
    expect(host.sleeps).toEqual([5_000]);
  });

  it('takes its time if the stream is dead', async () => {
    const host = fakeHost();
    const dead = { next: () => new Promise<void>(() => undefined), order: () => undefined, close: () => undefined };
    const pauses = new Pauses({ host, orderPushes: () => dead }, 'btc_usdt');
    expect(await pauses.wait(5_000)).toBe(false);
    expect(host.sleeps).toContain(5_000);
  });
});

it('an order is read again at a push, without the next poll, and as often as before without one', async () => {
  const { trading, host, isClosed } = pushing(4);
  const order = { id: '7', state: 'open', status: 0, filled: '0' } as Order;
  let reads = 0;
  const read = async (): Promise<Order> => {
    reads += 1;
    return reads < 5 ? order : { ...order, state: 'filled', status: 2, filled: '1' };
  };
  const waiting = { ...trading, budget: new TimeBudget(600_000, host.monotonic) };
  const { isReached } = await waitForOrder(waiting, 'btc_usdt', read, 'filled', () => undefined);
  expect({ isReached, reads, sleeps: host.sleeps }).toEqual({
    ...{ isReached: true, reads: 5 },
    sleeps: [SPACING_MS, SPACING_MS, SPACING_MS, SPACING_MS],
  });
  expect(isClosed()).toBe(true);
});
