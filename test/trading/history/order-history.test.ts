import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderState } from '../../../src/domain/order.js';
import { Account, oldAccount, orderOf, SETTLED_MS, START } from './account.js';

/** The ids of all orders of an account, newest first. */
function allOf(account: Account): string[] {
  return account.orders.map(({ id }) => id).toReversed();
}

describe('the orders of a side', () => {
  it('are read page by page the first time, newest first', async () => {
    const account = new Account();
    account.place(34, 'filled');
    const { ids, requests } = await account.history();
    expect(ids).toEqual(allOf(account));
    expect(requests).toEqual(['page 1', 'page 2', 'page 3', 'page 4']);
  });

  it.each([100, 400])(
    'take one page, and one request for each older open one, the second time, after %i',
    async (many) => {
      const account = await oldAccount(many);
      const { orders, requests, hasOlder } = await account.history();
      expect(orders).toEqual(account.orders.toReversed());
      expect(requests).toEqual(['page 1', 'order 5', 'order 4', 'order 3', 'order 2', 'order 1']);
      expect(hasOlder).toBe(false);
    },
  );

  it.each([
    ['are asked for again while they may be shown as open once more', SETTLED_MS, true],
    ['are as they closed once they can no longer be shown as open', SETTLED_MS + 1, false],
  ])('%s, %i ms later', async (_, ms, isAsked) => {
    const account = await oldAccount(400);
    account.become('3', 'filled');
    await account.history();
    account.pass(ms);
    await account.history();
    const { orders, requests } = await account.history();
    expect(orders.find(({ id }) => id === '3')?.state).toBe('filled');
    expect(requests.includes('order 3')).toBe(isAsked);
  });

  it('are asked for no further than they are wanted', async () => {
    const account = await oldAccount(400);
    const recent = account.orders.at(-25);
    const { ids, requests, hasOlder } = await account.history(recent?.time);
    expect([ids.length, hasOlder]).toEqual([30, true]);
    expect(requests.filter((request) => request.startsWith('page'))).toEqual(['page 1']);
    expect((await account.history(account.now)).requests).toEqual(['page 1']);
  });

  it('are known after a read that wanted only the newest', async () => {
    const account = await oldAccount(300);
    account.place(12, 'filled');
    account.pass(SETTLED_MS);
    await account.history(account.orders.at(-12)?.time);
    expect((await account.history()).ids).toEqual(allOf(account));
    expect(account.requests.filter((request) => request.startsWith('page'))).toEqual(['page 1']);
  });

  it('are not written again as long as nothing changes', async () => {
    const account = await oldAccount(100);
    account.pass(SETTLED_MS + 1);
    await account.history();
    const before = [...account.kept.files];
    account.pass(86_400_000);
    await account.history();
    expect([...account.kept.files]).toEqual(before);
    account.become('3', 'filled');
    await account.history();
    expect([...account.kept.files]).not.toEqual(before);
  });

  it('have those that the exchange lists no more, after the others', async () => {
    const account = await oldAccount(400);
    account.place(3, 'filled');
    const all = allOf(account);
    account.orders = account.orders.filter((_, index) => index < 5 || index >= 300);
    const { ids } = await account.history(undefined, { isWhole: true });
    expect(ids.slice(0, 3)).toEqual(all.slice(0, 3));
    for (const one of [ids, (await account.history()).ids]) expect(one.toSorted()).toEqual(all.toSorted());
  });

  it('have one that closed after the exchange had left it out of its list', async () => {
    const account = new Account();
    account.place(3);
    await account.history();
    account.become('2', 'filled');
    account.hidden.add('2');
    const { orders } = await account.history();
    expect(orders.find(({ id }) => id === '2')?.state).toBe('filled');
  });

  it('have one once that was asked for, and counts as closed from then on', async () => {
    const account = new Account();
    account.place(30, 'filled');
    const [open] = account.place(1);
    account.place(12, 'filled');
    account.pass(2 * SETTLED_MS);
    await account.history();
    account.become(open?.id ?? '', 'filled');
    await account.history();
    account.pass(SETTLED_MS + 1);
    expect((await account.history()).ids).toEqual(allOf(account));
  });

  it('have what an order had filled that the exchange has forgotten', async () => {
    const account = new Account();
    account.orders = [{ ...orderOf(1, 'open', START), filled: '0.004', filledValue: '120' }, orderOf(2, 'open', START)];
    await account.history();
    account.orders = [];
    const { orders } = await account.history();
    expect(orders).toEqual([expect.objectContaining({ id: '1', state: 'cancelled', filled: '0.004' })]);
  });
});

describe('orders that cannot be read', () => {
  it('are no end of the list', async () => {
    const account = await oldAccount(300);
    account.place(15);
    account.broken.add('page 2');
    await expect(account.history()).rejects.toMatchObject({ kind: 'unreachable' });
    account.broken.clear();
    expect((await account.history()).ids).toEqual(allOf(account));
  });

  it('are in the list if they cannot be asked for by their ids, and that is said', async () => {
    const account = await oldAccount(300);
    account.broken.add('order 4');
    expect((await account.history()).ids).toEqual(allOf(account));
    expect(account.notes).toEqual([
      expect.stringContaining('The whole list of buy orders of btc_usdt is read instead.'),
    ]);
  });

  it('are read again if a file that has them is damaged or is not there', async () => {
    for (const text of ['', '[]', undefined]) {
      const account = await oldAccount(400);
      const [part = ''] = [...account.kept.files.keys()].filter((key) => / 1$/.test(key));
      if (text === undefined) account.kept.files.delete(part);
      else account.kept.files.set(part, text);
      const { ids } = await account.history();
      expect(ids).toEqual(allOf(account));
      expect((await account.history()).requests.filter((request) => request.startsWith('page'))).toEqual(['page 1']);
    }
  });

  it('are read again if the disk was full when they were to be kept', async () => {
    const account = await oldAccount(100);
    account.kept.isFull = true;
    account.place(400, 'filled');
    account.pass(3_600_000);
    expect((await account.history()).ids).toEqual(allOf(account));
    expect((await account.history()).ids).toEqual(allOf(account));
  });
});

type Step =
  | { readonly kind: 'place'; readonly count: number; readonly state: OrderState; readonly isLate: boolean }
  | { readonly kind: 'close'; readonly index: number; readonly state: OrderState }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'lose'; readonly index: number }
  | { readonly kind: 'fill disk'; readonly isFull: boolean }
  | { readonly kind: 'fail'; readonly page: number }
  | { readonly kind: 'read open' }
  | { readonly kind: 'read'; readonly processes: 1 | 2; readonly back: number | undefined };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('place' as const),
    count: fc.constantFrom(1, 7, 45, 220, 430),
    state: fc.constantFrom<OrderState[]>('open', 'filled', 'cancelled', 'filled', 'filled', 'other'),
    isLate: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('close' as const),
    index: fc.nat(),
    state: fc.constantFrom<OrderState[]>('filled', 'cancelled'),
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 200_000 }) }),
  fc.record({ kind: fc.constant('lose' as const), index: fc.nat() }),
  fc.record({ kind: fc.constant('fill disk' as const), isFull: fc.boolean() }),
  fc.record({ kind: fc.constant('fail' as const), page: fc.integer({ min: 1, max: 4 }) }),
  fc.constant({ kind: 'read open' as const }),
  fc.record({
    kind: fc.constant('read' as const),
    processes: fc.constantFrom<(1 | 2)[]>(1, 2),
    back: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
  }),
);

/**
 * The list shows some orders up to a minute late, files of what is kept are lost, the disk is full, pages cannot be read, and two
 * processes read at once. Whatever came before, a history is what the exchange lists, as it is now.
 */
it('are exactly those that the exchange lists, whatever was placed, closed, shown late, lost and read before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 25 }), async (steps) => {
      const account = new Account();
      account.place(1, 'filled');
      for (const step of [...steps, { kind: 'read', processes: 1, back: undefined } as const]) {
        if (step.kind === 'place') {
          const placed = account.place(
            step.count,
            step.state === 'open' && step.count > 50 ? 'filled' : step.state,
            20,
          );
          if (step.isLate) for (const { id } of placed.slice(-3)) account.hidden.add(id);
        } else if (step.kind === 'pass') account.pass(step.ms);
        else if (step.kind === 'lose') {
          const keys = [...account.kept.files.keys()];
          account.kept.files.delete(keys[step.index % Math.max(1, keys.length)] ?? '');
        } else if (step.kind === 'fill disk') account.kept.isFull = step.isFull;
        else if (step.kind === 'fail') account.broken.add(`page ${step.page}`);
        else if (step.kind === 'close') {
          const { open } = account;
          const id = open[step.index % Math.max(1, open.length)];
          if (id !== undefined) account.become(id, step.state);
        } else {
          account.revealAfter(60_000);
          if (step.kind === 'read open') await account.read().catch(() => undefined);
          else {
            const to = step.back === undefined ? undefined : account.now - step.back;
            const found = await Promise.all(
              Array.from({ length: step.processes }, () => account.history(to).catch(() => undefined)),
            );
            const listed = account.orders.filter(({ id }) => !account.hidden.has(id)).reverse();
            for (const one of found) {
              if (account.broken.size > 0 && one === undefined) continue;
              const wanted = listed.filter(({ time }) => time >= (to ?? 0));
              expect(one?.orders.filter(({ time }) => time >= (to ?? 0))).toEqual(wanted);
            }
          }
          account.broken.clear();
        }
      }
    }),
    { numRuns: 60 },
  );
});
