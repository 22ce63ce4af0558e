import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderState } from '../../../src/domain/order.js';
import { Account, oldAccount, orderOf, SETTLED_MS, START } from './account.js';

describe('the open orders of a side', () => {
  it('are found on every page at the first read', async () => {
    const account = new Account();
    account.place(3);
    account.place(104, 'filled');
    const { ids, isComplete } = await account.read();
    expect([ids, isComplete]).toEqual([['1', '2', '3'], true]);
    expect(new Set(account.requests)).toContain('page 11');
  });

  it.each([100, 10_000])(
    'take one page and one request for each that is further back, after %i others',
    async (many) => {
      const account = await oldAccount(many);
      account.pass(SETTLED_MS);
      const { ids, requests, isComplete } = await account.read();
      expect([ids, isComplete]).toEqual([['1', '2', '3', '4', '5'], true]);
      expect(requests).toEqual(['page 1', 'order 5', 'order 4', 'order 3', 'order 2', 'order 1']);
    },
  );

  it('are read page by page instead if that takes fewer requests', async () => {
    const account = new Account();
    account.place(60);
    account.place(30, 'filled');
    account.pass(3_600_000);
    await account.read();
    account.pass(SETTLED_MS);
    const { ids, requests } = await account.read();
    expect([ids.length, requests.filter((request) => request.startsWith('order'))]).toEqual([60, []]);
  });

  it('lack one that has closed, which is asked for until it cannot be open again, and then never', async () => {
    const account = await oldAccount(1_000);
    account.become('2', 'cancelled');
    expect((await account.read()).ids).toEqual(['1', '3', '4', '5']);
    account.pass(SETTLED_MS + 1);
    expect((await account.read()).requests).toContain('order 2');
    expect((await account.read()).requests).toEqual(['page 1', 'order 5', 'order 4', 'order 3', 'order 1']);
  });

  it('have those that were placed elsewhere since', async () => {
    const account = await oldAccount(1_000);
    account.place(25);
    account.pass(SETTLED_MS);
    const { ids, requests } = await account.read();
    expect(ids).toEqual(account.open);
    expect(requests.filter((request) => request.startsWith('page'))).toEqual(['page 1', 'page 2', 'page 3']);
  });

  it('have one that the list shows late, within the time in which a request may be executed', async () => {
    const account = await oldAccount(1_000);
    const [late] = account.place(1);
    account.hidden.add(late?.id ?? '');
    account.place(15, 'filled', 1);
    account.pass(5_000);
    expect((await account.read()).ids).not.toContain(late?.id);
    account.hidden.clear();
    account.pass(50_000);
    expect((await account.read()).ids).toContain(late?.id);
  });

  it('are named before the first page is read, and again with each page', async () => {
    const account = await oldAccount(1_000);
    account.place(12);
    const seen: string[] = [];
    await account.read({
      onOpen: (orders) => {
        seen.push(`${account.requests.length}: ${orders.map(({ id }) => id).join(' ')}`);
      },
    });
    expect(seen.slice(0, 2)).toEqual(['0: 5 4 3 2 1', '1: 1017 1016 1015 1014 1013 1012 1011 1010 1009 1008']);
  });

  it('are read whole on request', async () => {
    const account = await oldAccount(200);
    const { requests, ids } = await account.read({ isWhole: true });
    expect(requests).toContain('page 21');
    expect(ids).toEqual(['1', '2', '3', '4', '5']);
  });
});

describe('what the exchange shows otherwise than before', () => {
  it('is read whole, and said: an order that was closed is open', async () => {
    const account = await oldAccount(1_000);
    account.become('1003', 'open');
    expect((await account.read()).ids).toContain('1003');
    expect(account.requests).toContain('page 101');
  });

  it('is read whole, and said: an order that was asked for is unknown', async () => {
    const account = await oldAccount(1_000);
    account.orders = account.orders.filter(({ id }) => id !== '3');
    const { ids, isComplete } = await account.read();
    expect([ids, isComplete]).toEqual([['1', '2', '4', '5'], true]);
    expect(account.notes).toEqual([
      'The exchange shows other buy orders of btc_usdt than before, so the whole list is read again.',
    ]);
  });

  it('is read whole, and said: an order that was cancelled is open again later', async () => {
    const account = await oldAccount(1_000);
    account.become('2', 'cancelled');
    await account.read();
    account.become('2', 'open');
    account.pass(30_000);
    expect((await account.read()).ids).toContain('2');
    expect(account.notes).toHaveLength(1);
  });

  it('is read whole: another exchange has answered under the same address', async () => {
    const account = await oldAccount(1_000);
    account.orders = [];
    account.place(30);
    expect((await account.read()).ids).toEqual(account.open);
  });

  it('is read whole: an exchange that was set back to an earlier state, where an order is open that has closed since', async () => {
    const account = await oldAccount(1_000);
    const earlier = { now: account.now, orders: account.orders };
    account.become('2', 'cancelled');
    for (const _ of [1, 2]) {
      account.pass(SETTLED_MS + 1);
      await account.read();
    }
    Object.assign(account, earlier);
    expect((await account.read()).ids).toContain('2');
  });

  it('is read whole: the clock of the exchange was set back', async () => {
    const account = await oldAccount(100);
    account.now -= 86_400_000;
    account.place(12);
    expect((await account.read()).ids).toEqual(account.open);
  });
});

describe('what could not be read', () => {
  it('is no empty list: a page fails, and the orders that were open are named as not confirmed', async () => {
    const account = await oldAccount(1_000);
    account.place(15);
    account.broken.add('page 2');
    const { unconfirmed, isComplete, failure } = await account.read();
    expect(unconfirmed.map(({ id }) => id)).toEqual(['5', '4', '3', '2', '1']);
    expect([isComplete, failure?.kind]).toEqual([false, 'unreachable']);
  });

  it('is in the list: orders that cannot be asked for by their ids are read page by page, and that is said', async () => {
    const account = await oldAccount(1_000);
    account.become('3', 'cancelled');
    for (const id of account.open) account.broken.add(`order ${id}`);
    const { ids, isComplete, failure } = await account.read();
    expect([ids, isComplete, failure]).toEqual([['1', '2', '4', '5'], true, null]);
    expect(account.notes).toEqual([
      expect.stringContaining('The whole list of buy orders of btc_usdt is read instead.'),
    ]);
  });

  it.each(['refused', 'limited', 'internal'] as const)(
    'is in the list, whatever keeps orders from being asked for by their ids: %s',
    async (kind) => {
      const account = await oldAccount(1_000);
      account.brokenAs = kind;
      for (const id of account.open) account.broken.add(`order ${id}`);
      const { ids, isComplete, failure } = await account.read();
      expect([ids, isComplete, failure]).toEqual([['1', '2', '3', '4', '5'], true, null]);
    },
  );

  it('is no closed order: one that can neither be asked for nor read in the list is not confirmed', async () => {
    const account = await oldAccount(1_000);
    account.broken.add('order 4').add('page 50');
    const { unconfirmed, failure } = await account.read();
    expect([unconfirmed.map(({ id }) => id), failure?.kind]).toEqual([['5', '4', '3', '2', '1'], 'unreachable']);
  });

  it('changes nothing of what is known: the next read finds the same', async () => {
    const account = await oldAccount(1_000);
    const before = JSON.stringify([...account.kept.files]);
    account.broken.add('order 4').add('page 50');
    await account.read();
    expect(JSON.stringify([...account.kept.files])).toBe(before);
    account.broken.clear();
    expect((await account.read()).ids).toEqual(account.open);
  });

  it('throws if it is the first page', async () => {
    const account = await oldAccount(1_000);
    account.broken.add('page 1');
    await expect(account.read()).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('leaves nothing to build on when the first read of all pages fails', async () => {
    const account = new Account();
    account.place(5);
    account.place(100, 'filled');
    account.broken.add('page 7');
    const { isComplete, failure } = await account.read();
    expect([isComplete, failure?.kind, account.kept.files.size]).toEqual([false, 'unreachable', 0]);
  });
});

describe('a read of some pages alone', () => {
  it('says that there may be more, and keeps nothing that would hide an order behind them', async () => {
    const account = await oldAccount(100);
    account.place(25);
    account.pass(3_600_000);
    const { isComplete } = await account.read({ maxPages: 1 });
    expect(isComplete).toBe(false);
    expect((await account.read()).ids).toEqual(account.open);
  });
});

describe('an exchange that lists otherwise', () => {
  it('is known although all orders were placed within a moment, if each comes before all that are older', async () => {
    const account = new Account();
    account.place(5);
    account.place(95, 'filled', 1);
    account.pass(3_600_000);
    await account.read();
    expect((await account.read()).requests).toEqual(['page 1', 'order 5', 'order 4', 'order 3', 'order 2', 'order 1']);
  });

  it('is read whole each time if it lists the oldest orders first', async () => {
    const account = new Account();
    account.place(30, 'filled', -1_000);
    account.place(5, 'open', -1_000);
    account.now = START + 3_600_000;
    await account.read();
    account.orders.unshift(orderOf(900, 'open', account.now));
    expect((await account.read()).ids).toEqual(['31', '32', '33', '34', '35', '900']);
  });
});

type Step =
  | { readonly kind: 'place'; readonly count: number; readonly state: OrderState; readonly isLate: boolean }
  | { readonly kind: 'close'; readonly index: number; readonly state: OrderState }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'forget' }
  | { readonly kind: 'fail'; readonly page: number }
  | { readonly kind: 'read'; readonly processes: 1 | 2 };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('place' as const),
    count: fc.integer({ min: 1, max: 45 }),
    state: fc.constantFrom<OrderState[]>('open', 'filled', 'cancelled', 'filled', 'other'),
    isLate: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('close' as const),
    index: fc.nat(),
    state: fc.constantFrom<OrderState[]>('filled', 'cancelled'),
  }),
  fc.constant({ kind: 'reopen' as const }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 200_000 }) }),
  fc.constant({ kind: 'forget' as const }),
  fc.record({ kind: fc.constant('fail' as const), page: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('read' as const), processes: fc.constantFrom<(1 | 2)[]>(1, 2) }),
);

/**
 * The list shows some orders up to a minute late, what is kept is lost, pages cannot be read, orders are open again a moment after they
 * were closed, and two processes read at once. Whatever came before, a reading that is complete has exactly the orders that the
 * list shows as open, and one that is not says so.
 */
it('finds exactly the open orders, whatever was placed, closed, shown late, forgotten and read before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 40 }), async (steps) => {
      const account = new Account();
      account.place(1, 'filled');
      let closed: { id: string; at: number } | undefined;
      for (const step of [...steps, { kind: 'read', processes: 1 } as const]) {
        if (step.kind === 'place') {
          const placed = account.place(step.count, step.state, 100);
          if (step.isLate) for (const { id } of placed.slice(-3)) account.hidden.add(id);
        } else if (step.kind === 'pass') account.pass(step.ms);
        else if (step.kind === 'forget') account.kept.files.clear();
        else if (step.kind === 'fail') account.broken.add(`page ${step.page}`);
        else if (step.kind === 'close') {
          const { open } = account;
          const id = open[step.index % Math.max(1, open.length)];
          if (id === undefined) continue;
          account.become(id, step.state);
          closed = { id, at: account.now };
        } else if (step.kind === 'reopen') {
          if (closed !== undefined && account.now < closed.at + 60_000) account.become(closed.id, 'open');
          closed = undefined;
        } else {
          account.revealAfter(60_000);
          const found = await Promise.all(
            Array.from({ length: step.processes }, () => account.read().catch(() => undefined)),
          );
          for (const one of found) {
            if (account.broken.size > 0 && !(one?.isComplete ?? false)) continue;
            expect([one?.ids, one?.isComplete]).toEqual([account.listedOpen, true]);
          }
          account.broken.clear();
        }
        if (step.kind !== 'read') continue;
      }
    }),
    { numRuns: 200 },
  );
});
