import { describe, expect, it } from 'vitest';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { newClientId } from '../../../src/trading/orders/terms.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { fakeHost, NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { ageLimit, count, NOT_FOUND, query, record } from '../support/exchange.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';

/** The client id that pit makes up to find out whether the exchange answers with an order for any id. */
const NEVER_USED = newClientId(fakeHost());

/** Accepts an order as number 7. Lists these records, and has this one under its id and the client id of the order. */
function accepting(listed: readonly string[], own: string = NOT_FOUND) {
  return serveFaults({
    answer: ({ target }) => {
      if (target.startsWith('/api/order?')) return respond('{"code":"1000","message":"ok","id":"7"}');
      if (target.startsWith('/api/getOrders?'))
        return respond(query(target).pageNumber === '1' ? `[${listed.join(',')}]` : NOT_FOUND);
      return respond(query(target).clientId === NEVER_USED ? NOT_FOUND : own);
    },
  });
}

const at = (id: string, changes: object = {}) => record({ id, time: NOW + 3, ...changes });

describe('an answer that accepts an order', () => {
  it('counts without another request if the list shows that order', async () => {
    const server = await accepting([at('7')]);
    expect(await placeOrder(tradingOf(server.url), TERMS, { id: 'mine' })).toMatchObject({
      outcome: 'placed',
      id: '7',
    });
    expect(count(server, 'getOrder')).toBe(0);
  });

  it.each([
    ['has another price', at('7', { price: 29_000 })],
    ['has another amount', at('7', { amount: 0.02 })],
  ])(
    'the answer does not count if the order that it names %s and no lookup proves it: it may answer another request',
    async (_, other) => {
      const server = await accepting([other]);
      const trading = tradingOf(server.url, { budgetMs: 3_000 });
      expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome: 'unknown' });
      expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['mine']);
      expect(count(server, 'order')).toBe(1);
    },
  );

  it('leaves the record open if a defect of pit hides the answer, because the order was sent', async () => {
    const trading = tradingOf((await accepting([])).url);
    const client = Object.assign(Object.create(trading.client), {
      placeOrder: async () => {
        throw new TypeError('a defect after sending');
      },
    });
    await expect(placeOrder({ ...trading, client }, TERMS, { id: 'mine' })).rejects.toThrow('a defect after sending');
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['mine']);
  });

  it('counts, if the list does not show that order yet, once a lookup by client id does', async () => {
    const server = await accepting([at('6', { price: 29_000 })], at('7'));
    expect(await placeOrder(tradingOf(server.url), TERMS, { id: 'mine0001' })).toMatchObject({
      outcome: 'placed',
      id: '7',
    });
    expect(count(server, 'getOrder')).toBe(1);
  });

  it('corrects an answer that names an order that nothing shows, if the order exists under its client id', async () => {
    const server = await accepting([at('8')], at('8'));
    expect(await placeOrder(tradingOf(server.url), TERMS, { id: 'mine0001' })).toMatchObject({
      outcome: 'placed',
      id: '8',
      duplicates: [],
    });
  });

  it('the answer does not count if neither the list nor a lookup shows an order: nothing may have been placed', async () => {
    const server = await accepting([at('6', { price: 29_000 })]);
    const trading = tradingOf(server.url, { budgetMs: 3_000 });
    expect(await placeOrder(trading, TERMS, { id: 'mine0001' })).toMatchObject({ outcome: 'unknown' });
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['mine0001']);
    expect(count(server, 'order')).toBe(1);
  });

  it('the answer does not count if it names an earlier order', async () => {
    const server = await accepting([at('7')]);
    const trading = tradingOf(server.url, { budgetMs: 3_000 });
    const earlier = trading.journal.begin<'order'>(
      { operation: 'order', terms: TERMS },
      { id: 'earlier', reqTime: NOW },
    );
    earlier.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome: 'unknown' });
  });

  it.each([
    ['counts', 5_000, 'placed'],
    ['does not count', 5_001, 'unknown'],
  ])('the answer %s if its order is %i ms older than the request and no lookup proves it', async (_, age, outcome) => {
    const server = await accepting([at('7', { time: NOW - age })]);
    const trading = tradingOf(server.url, { budgetMs: 3_000 });
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome, id: '7' });
  });

  it('the answer does not count if it names an order of an earlier write, in any market', async () => {
    const server = await accepting([]);
    const trading = tradingOf(server.url, { budgetMs: 90_000 });
    const recording = { id: 'earlier', reqTime: NOW - 600_000 };
    const terms = { ...TERMS, market: 'eth_usdt' };
    const earlier = trading.journal.begin<'order'>({ operation: 'order', terms }, recording);
    earlier.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome: 'unknown', id: null });
  });

  it.each([
    ['is empty', '[]'],
    ['has another shape', '{"code":1000,"message":"ok","result":{"list":[]}}'],
    ['is an error page', '<html>not found</html>'],
  ])(
    'counts once the exchange shows the order by its id, if the list %s and no lookup by client id works',
    async (_, list) => {
      const server = await serveFaults({
        answer: ({ target }) => {
          if (target.startsWith('/api/order?')) return respond('{"code":"1000","message":"ok","id":"7"}');
          if (target.startsWith('/api/getOrders?')) return respond(list);
          return respond(query(target).id === '7' ? at('7') : '{"code":1001,"message":"not supported"}');
        },
      });
      const trading = tradingOf(server.url);
      const placed = await placeOrder(trading, TERMS, { id: 'mine' });
      expect(placed).toMatchObject({ outcome: 'placed', id: '7', duplicates: null });
      expect(count(server, 'getOrder')).toBe(1);
    },
  );

  it.each([
    ['refuses to look up client ids', () => '{"code":1001,"message":"not supported"}'],
    ['shows some order for any client id', () => at('3', { time: NOW - 90_000, price: 1 })],
  ])(
    'counts if the exchange dates that order by another clock and %s: its id is all that there is',
    async (_, byClientId) => {
      const own = at('7', { time: NOW - 90_000 });
      const server = await serveFaults({
        answer: ({ target }) => {
          if (target.startsWith('/api/order?')) return respond('{"code":"1000","message":"ok","id":"7"}');
          if (target.startsWith('/api/getOrders?')) return respond('[]');
          return respond(query(target).id === '7' ? own : byClientId());
        },
      });
      const placed = await placeOrder(tradingOf(server.url), TERMS, { id: 'mine' });
      expect(placed).toMatchObject({ outcome: 'placed', id: '7', duplicates: null });
    },
  );

  it('does not count then if that order is of an earlier write, however long ago', async () => {
    const own = at('7', { time: NOW - 86_400_000 });
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/api/order?')) return respond('{"code":"1000","message":"ok","id":"7"}');
        if (target.startsWith('/api/getOrders?')) return respond('[]');
        return respond(query(target).id === '7' ? own : '{"code":1001,"message":"not supported"}');
      },
    });
    const before = tradingOf(server.url, { elapsedMs: -86_400_000 });
    const earlier = before.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'first', reqTime: NOW });
    earlier.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    const trading = tradingOf(server.url, { state: before.state, budgetMs: 3_000 });
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome: 'unknown', id: null });
  });

  it('is left to the user once its request has expired: no later read can show whether the answer was true', async () => {
    const tooOld = ageLimit();
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/api/order?')) return respond('{"code":"1000","message":"ok","id":"7"}');
        return tooOld(target) ?? respond(target.startsWith('/api/getOrders?') ? '[]' : NOT_FOUND);
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 30_000, isChosen: false });
    const placed = await placeOrder(trading, TERMS, { id: 'mine' });
    const reason = 'the answer names order 7, but the exchange does not show it';
    expect(placed).toEqual({ outcome: 'unknown', id: '7', reason, localExpiry: null });
    // it is looked up until then, and at once in a later command
    expect(trading.host.now() - NOW).toBeGreaterThan(60_000);
    const elapsedMs = trading.host.now() - NOW;
    const later = tradingOf(server.url, { state: trading.state, elapsedMs, budgetMs: 30_000, isChosen: false });
    expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown', id: '7' }]);
    expect(later.host.now() - NOW - elapsedMs).toBeLessThan(1_000);
  });

  it('is found by that id after the process that got it was killed', async () => {
    const server = await accepting([], at('7'));
    const killed = tradingOf(server.url);
    const entry = killed.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine', reqTime: NOW });
    entry.note('accepted: 7', { namedId: '7' });
    entry.release();
    const trading = tradingOf(server.url, { state: killed.state });
    expect(await resolve(trading, trading.journal.unsettledEntries())).toMatchObject([{ outcome: 'placed', id: '7' }]);
    const asked = server.requests.map(({ target }) => query(target)).filter(({ id }) => id !== undefined);
    expect(asked).toHaveLength(1);
  });

  it('stays unknown under the id of the answer, in the result and in the journal, if nothing shows the order', async () => {
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/api/order?')) return respond('{"code":"1000","message":"ok","id":"7"}');
        return respond(target.startsWith('/api/getOrders?') ? '[]' : NOT_FOUND);
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 3_000 });
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome: 'unknown', id: '7' });
    const [entry] = trading.journal.unsettledEntries();
    expect(entry?.events).toContainEqual(expect.objectContaining({ namedId: '7' }));
    const later = tradingOf(server.url, { budgetMs: 3_000, state: trading.state });
    expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown', id: '7' }]);
  });

  it('gives way to the order that the exchange has under the client id', async () => {
    const server = await accepting([at('8'), at('7', { price: 29_000 })], at('8'));
    const placed = await placeOrder(tradingOf(server.url), TERMS, { id: 'mine' });
    expect(placed).toMatchObject({ outcome: 'placed', id: '8', duplicates: [] });
  });

  it('counts if the exchange has that order under the client id, though the list shows it with other terms', async () => {
    const server = await accepting([at('7', { price: 30_000.5 })], at('7', { price: 30_000.5 }));
    const trading = tradingOf(server.url);
    expect(await placeOrder(trading, TERMS, { id: `pit${'1'.repeat(24)}` })).toMatchObject({
      outcome: 'placed',
      id: '7',
    });
  });
});
