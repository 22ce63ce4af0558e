import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { newClientId } from '../../../src/trading/orders/terms.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { fakeHost, NOW } from '../../support/fake-host.js';
import {
  anOrder,
  answered,
  GARBLED,
  refusedRead,
  ScriptedExchange,
  type Shown,
} from '../../support/scripted-exchange.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';

/** The client id that pit makes up to find out whether the exchange answers with an order for any id. */
const NEVER_USED = newClientId(fakeHost());

/** Accepts an order as number 7. Lists these records, and has this one under its id and the client id of the order. */
function accepting(listed: readonly Order[] | Failure, own: Shown = 'none', byClientId: Shown = own): ScriptedExchange {
  const exchange = new ScriptedExchange({}, [], answered({ id: '7' }));
  exchange.tolerance = Number.POSITIVE_INFINITY;
  exchange.onRequest = (request) => {
    if (request.kind === 'list') return listed instanceof Failure || request.page === 1 ? listed : [];
    if (request.kind !== 'lookup') return undefined;
    if ('id' in request.order) return request.order.id === '7' ? own : 'none';
    return request.order.clientId === NEVER_USED && byClientId === own ? 'none' : byClientId;
  };
  return exchange;
}

const at = (id: string, changes: Partial<Order> = {}) => anOrder({ id, ...changes });

describe('an answer that accepts an order', () => {
  it('counts without another request if the list shows that order', async () => {
    const exchange = accepting([at('7')]);
    expect(await placeOrder(tradingOf(exchange), TERMS, { id: 'mine' })).toMatchObject({
      outcome: 'placed',
      id: '7',
    });
    expect(exchange.count('lookup')).toBe(0);
  });

  it('leaves the record open if a defect of pit hides the answer, because the order was sent', async () => {
    const trading = tradingOf(accepting([]));
    const client = Object.assign(Object.create(trading.client), {
      placeOrder: async () => {
        throw new TypeError('a defect after sending');
      },
    });
    await expect(placeOrder({ ...trading, client }, TERMS, { id: 'mine' })).rejects.toThrow('a defect after sending');
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['mine']);
  });

  it('counts, if the list does not show that order yet, once a lookup by client id does', async () => {
    const exchange = accepting([at('6', { price: '29000' })], at('7'));
    expect(await placeOrder(tradingOf(exchange), TERMS, { id: 'mine0001' })).toMatchObject({
      outcome: 'placed',
      id: '7',
    });
    expect(exchange.count('lookup')).toBe(1);
  });

  it('the answer does not count if it names an order of an earlier write, in any market', async () => {
    const exchange = accepting([]);
    const trading = tradingOf(exchange, { budgetMs: 90_000 });
    const recording = { id: 'earlier', reqTime: NOW - 600_000 };
    const terms = { ...TERMS, market: 'eth_usdt' };
    const earlier = trading.journal.begin<'order'>({ operation: 'order', terms }, recording);
    earlier.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome: 'unknown', id: null });
  });

  it.each([
    ['is empty', []],
    ['is not what the interface says', GARBLED],
  ])(
    'counts once the exchange shows the order by its id, if the list %s and no lookup by client id works',
    async (_, list) => {
      const exchange = accepting(list, at('7'), refusedRead('invalid'));
      const placed = await placeOrder(tradingOf(exchange), TERMS, { id: 'mine' });
      expect(placed).toMatchObject({ outcome: 'placed', id: '7', duplicates: null });
      expect(exchange.count('lookup')).toBe(1);
    },
  );

  it('is left to the user once its request has expired: no later read can show whether the answer was true', async () => {
    const exchange = accepting([]);
    exchange.tolerance = 60_000;
    const trading = tradingOf(exchange, { budgetMs: 30_000, isChosen: false });
    const placed = await placeOrder(trading, TERMS, { id: 'mine' });
    const reason = 'the answer names order 7, but the exchange does not show it';
    expect(placed).toEqual({ outcome: 'unknown', id: '7', reason, localExpiry: null });
    // it is looked up until then, and at once in a later command
    expect(trading.host.now() - NOW).toBeGreaterThan(60_000);
    const elapsedMs = trading.host.now() - NOW;
    const later = tradingOf(exchange, { state: trading.state, elapsedMs, budgetMs: 30_000, isChosen: false });
    expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown', id: '7' }]);
    expect(later.host.now() - NOW - elapsedMs).toBeLessThan(1_000);
  });

  it('is found by that id after the process that got it was killed', async () => {
    const exchange = accepting([], at('7'));
    const killed = tradingOf(exchange);
    const entry = killed.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine', reqTime: NOW });
    entry.note('accepted: 7', { namedId: '7' });
    entry.release();
    const trading = tradingOf(exchange, { state: killed.state });
    expect(await resolve(trading, trading.journal.unsettledEntries())).toMatchObject([{ outcome: 'placed', id: '7' }]);
    expect(exchange.count('lookup')).toBe(1);
  });

  it('stays unknown under the id of the answer, in the result and in the journal, if nothing shows the order', async () => {
    const exchange = accepting([]);
    const trading = tradingOf(exchange, { budgetMs: 3_000 });
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({ outcome: 'unknown', id: '7' });
    const [entry] = trading.journal.unsettledEntries();
    expect(entry?.events).toContainEqual(expect.objectContaining({ namedId: '7' }));
    const later = tradingOf(exchange, { budgetMs: 3_000, state: trading.state });
    expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown', id: '7' }]);
  });

  it('counts if the exchange has that order under the client id, though the list shows it with other terms', async () => {
    const exchange = accepting([at('7', { price: '30000.5' })], at('7', { price: '30000.5' }));
    const trading = tradingOf(exchange);
    expect(await placeOrder(trading, TERMS, { id: `pit${'1'.repeat(24)}` })).toMatchObject({
      outcome: 'placed',
      id: '7',
    });
  });
});
