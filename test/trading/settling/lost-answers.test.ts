import { describe, expect, it } from 'vitest';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { newClientId } from '../../../src/trading/orders/terms.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import {
  anOrder,
  GARBLED,
  LOST,
  LOST_DONE,
  NOT_SENT,
  refused,
  refusedRead,
  ScriptedExchange,
} from '../../support/scripted-exchange.js';
import { CLIENT_ID, lookedUp, lookupsOf } from '../support/lookups.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { unknownIn } from '../support/unknown.js';

const ID = anOrder().id;
const REFUSED = refused('insufficientFunds', 'balance');

function place(trading: TestTrading, changes: Partial<RecordedOrderTerms> = {}, id = CLIENT_ID) {
  return placeOrder(trading, { ...TERMS, ...changes }, { id });
}

const BUDGET_MS = 2_000;

describe('an order whose answer was lost', () => {
  it('is found by its client id', async () => {
    const exchange = new ScriptedExchange();
    exchange.outcomes = [LOST_DONE];
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    const placed = await place(trading);
    const id = exchange.has.orders[0]?.id;
    const order = expect.objectContaining({ id, filled: '0' });
    expect(placed).toEqual({ outcome: 'placed', id, duplicates: [], order });
    expect([exchange.count('order'), lookupsOf(exchange)]).toEqual([1, 1]);
    expect(exchange.arrived('lookup')).toMatchObject([{ market: 'btc_usdt', order: { clientId: CLIENT_ID } }]);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('was not sent if the exchange no longer accepts its request and does not list it', async () => {
    const exchange = lookedUp(LOST);
    const trading = tradingOf(exchange, { budgetMs: 90_000, tolerance: 60_000 });
    const sent = trading.host.now();
    expect(await place(trading)).toMatchObject({ outcome: 'notSent' });
    expect(trading.host.now() - sent).toBeGreaterThan(60_000);
    expect(exchange.count('order')).toBe(1);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });
});

describe('placing an order', () => {
  it('finds an order that appears late', async () => {
    const exchange = lookedUp(LOST, { shows: ['none', 'none', anOrder()] });
    expect(await place(tradingOf(exchange))).toMatchObject({ outcome: 'placed', id: ID });
  });

  it('finds an order that appears at the very last read', async () => {
    const exchange = lookedUp(LOST, { shows: [...Array(16).fill('none'), anOrder()] });
    const trading = tradingOf(exchange, { budgetMs: 120_000 });
    expect(await place(trading)).toMatchObject({ outcome: 'placed', id: ID });
    expect(trading.host.now() - NOW).toBeGreaterThan(55_000);
  });

  it.each([
    ['another side', { side: 'sell' } as const],
    ['another price', { price: '30001' }],
    ['another amount', { amount: '0.02' }],
  ])('accepts no order with %s under a chosen client id, nor concludes anything from it', async (_, changes) => {
    for (const write of [LOST, REFUSED]) {
      const exchange = lookedUp(write, { shows: [anOrder(changes)] });
      const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
      const reason = expect.stringContaining(`order ${ID} has this client id but the`);
      const ids = { id: 'own0001', clientId: CLIENT_ID };
      expect(await placeOrder(trading, TERMS, ids)).toMatchObject({ outcome: 'unknown', reason });
      expect([exchange.count('order'), trading.warnings]).toEqual([1, []]);
      const [entry] = trading.journal.unsettledEntries();
      expect(entry?.events.map(({ event }) => event)).toContainEqual(reason);
      // after the tolerance too
      const later = tradingOf(exchange, { state: trading.state, elapsedMs: 3_600_000, tolerance: 60_000 });
      expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown' }]);
    }
  });

  it('treats a chosen client id as chosen even if it reads generated', async () => {
    const own = 'pit0123456789abcdef01234567';
    const exchange = lookedUp(LOST, { others: anOrder({ price: '29999.5' }) });
    const trading = tradingOf(exchange);
    expect(await placeOrder(trading, TERMS, { id: CLIENT_ID, clientId: own })).toMatchObject({ outcome: 'unknown' });
  });

  it('finds an order of an undocumented type', async () => {
    const exchange = lookedUp(LOST, { shows: [anOrder({ type: 'other' })] });
    const trading = tradingOf(exchange);
    expect(await place(trading)).toMatchObject({ outcome: 'placed', id: ID });
    expect(trading.warnings).toEqual([]);
  });

  it('concludes nothing from failed reads, however late', async () => {
    const exchange = lookedUp(LOST, { shows: [GARBLED] });
    expect(await place(tradingOf(exchange, { budgetMs: 200_000 }))).toMatchObject({ outcome: 'unknown' });
    expect(exchange.count('order')).toBe(1);
  });

  it('reads a refused order once, because the refusal may answer a repeated request', async () => {
    const exchange = lookedUp(REFUSED, { shows: [anOrder()] });
    expect(await place(tradingOf(exchange))).toMatchObject({ outcome: 'placed', id: ID });
    // the first of two executions reached the limit, and the second was locked out
    const locked = lookedUp(refused('locked'), { shows: [anOrder()] });
    expect(await place(tradingOf(locked))).toMatchObject({ outcome: 'placed', id: ID });
    const none = lookedUp(REFUSED);
    expect(await place(tradingOf(none))).toMatchObject({ outcome: 'refused', refusal: { kind: 'insufficientFunds' } });
    expect([none.count('order'), lookupsOf(none)]).toEqual([1, 1]);
  });

  it('counts as refused if it can be read only after its request has expired, and does not exist', async () => {
    const exchange = lookedUp(REFUSED, { shows: [GARBLED, 'none'] });
    const trading = tradingOf(exchange, { budgetMs: 90_000, tolerance: 60_000 });
    expect(await place(trading)).toMatchObject({ outcome: 'refused', refusal: { kind: 'insufficientFunds' } });
    expect(trading.journal.archive.since(0)).toMatchObject([{ outcome: 'refused', write: { id: CLIENT_ID } }]);
    expect(exchange.count('order')).toBe(1);
  });

  it.each(['inTrouble', 'locked', 'tooFrequent'] as const)(
    'is unknown after a refusal that also refuses the lookup, whatever it is about: %s',
    async (kind) => {
      const exchange = lookedUp(refused(kind), { shows: [refusedRead(kind)], others: refusedRead(kind) });
      expect(await place(tradingOf(exchange))).toMatchObject({ outcome: 'unknown' });
    },
  );

  it.each(['badKey', 'badOrigin'] as const)(
    'is placed if the exchange has it, though it was refused: %s',
    async (kind) => {
      const exchange = lookedUp(refused(kind), { shows: [anOrder()] });
      expect(await place(tradingOf(exchange))).toMatchObject({ outcome: 'placed', id: ID });
    },
  );

  it('is not looked up if its request was not sent', async () => {
    const nowhere = tradingOf(lookedUp(NOT_SENT));
    expect(await place(nowhere)).toMatchObject({ outcome: 'notSent' });
    expect(nowhere.client.count('lookup')).toBe(0);
    expect(nowhere.journal.archive.since(0)).toMatchObject([{ outcome: 'notSent', write: { id: CLIENT_ID } }]);
  });

  it('refuses an order while an identical one has an unknown outcome', async () => {
    const exchange = lookedUp(LOST);
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    await place(trading);
    const again = tradingOf(exchange, { state: trading.state });
    const error = { kind: 'usage', clientId: CLIENT_ID, hints: saying(`pit resolve ${CLIENT_ID}`) };
    for (const like of [{ price: '30000.00' }, { type: 'ioc' }, { borrow: true }] as const)
      await expect(place(again, like, 'mine0002')).rejects.toMatchObject(error);
    expect(exchange.count('order')).toBe(1);
    const others = [{ price: '30001' }, { amount: '0.02' }, { side: 'sell' }, { account: 'cross' }] as const;
    for (const [index, other] of others.entries()) {
      const later = tradingOf(exchange, { state: trading.state, budgetMs: BUDGET_MS });
      expect(await place(later, other, `other${index}`)).toMatchObject({ outcome: 'unknown' });
    }
    expect(exchange.count('order')).toBe(5);
  });

  it('refuses an order while another command or pit resolve still reconciles an identical one', async () => {
    let state = '';
    const outcomes: unknown[] = [];
    const exchange = lookedUp(LOST);
    exchange.onRequest = ({ kind }) => {
      if (kind !== 'lookup') return;
      const other = tradingOf(new ScriptedExchange(), { state });
      outcomes.push(
        place(other, {}, 'mine0002').then(
          ({ outcome }) => outcome,
          ({ clientId }) => clientId,
        ),
      );
      outcomes.push(unknownIn(other, 'btc_usdt').length);
    };
    const trading = tradingOf(exchange, { budgetMs: 1_000 });
    state = trading.state;
    await place(trading);
    const readsByFirst = outcomes.length / 2;
    await resolve(tradingOf(exchange, { state, budgetMs: 1_000 }), trading.journal.unsettledEntries());
    expect(readsByFirst).toBeGreaterThan(0);
    expect(outcomes.length / 2).toBeGreaterThan(readsByFirst);
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set([CLIENT_ID, 1]));
  });

  it('refuses an order while one with the same expressions is unknown, even if they resolve to other values', async () => {
    const exchange = lookedUp(LOST);
    const expressions = { price: 'ask+1%', amount: '50%' };
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    await place(trading, { expressions });
    const [earlier] = unknownIn(trading, 'btc_usdt');
    expect(earlier).toEqual(saying(`placed: buy 0.01 btc_usdt at 30,000. Find out: pit resolve ${CLIENT_ID}`));
    expect(unknownIn(trading, 'eth_usdt')).toEqual([]);
    const moved = { price: '30012.5', amount: '0.0099' };
    const again = tradingOf(exchange, { state: trading.state, budgetMs: BUDGET_MS });
    await expect(place(again, { ...moved, expressions }, 'mine0002')).rejects.toMatchObject({ clientId: CLIENT_ID });
    expect(exchange.count('order')).toBe(1);
    const other = { ...moved, expressions: { ...expressions, price: 'ask+2%' } };
    expect(await place(again, other, 'mine0003')).toMatchObject({ outcome: 'unknown' });
  });

  it('sends its terms and its client id with the time that it recorded, and nothing else', async () => {
    const terms: RecordedOrderTerms = { ...TERMS, type: 'ioc', account: 'isolated', borrow: true };
    const exchange = new ScriptedExchange();
    await place(tradingOf(exchange), terms);
    expect(exchange.arrived('order')).toEqual([{ kind: 'order', terms, clientId: CLIENT_ID, reqTime: NOW, time: NOW }]);
  });

  it('generates client ids that the exchange accepts', () => {
    expect(newClientId(tradingOf().host)).toMatch(/^pit[0-9a-f]{24}$/);
  });
});
