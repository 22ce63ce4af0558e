import { expect, test } from 'vitest';
import type { Order, OrderReference } from '../../../../src/domain/order.js';
import { ChildOrder } from '../../../../src/trading/algos/children/child-order.js';
import { ChildrenInJournal } from '../../../../src/trading/algos/children/children-in-journal.js';
import { readChild, settleChild } from '../../../../src/trading/algos/children/settle-child.js';
import { recordedChildren } from '../../../../src/trading/algos/record/child-lines.js';
import type { TradingContext } from '../../../../src/trading/trading-context.js';
import { NOW } from '../../../support/fake-host.js';
import { anOrder, ScriptedExchange } from '../../../support/scripted-exchange.js';
import { TERMS } from '../../support/terms.js';
import { tradingOf } from '../../support/trading.js';

/** An exchange that shows these orders, and the newest one for a client id. */
function exchangeWith(newest: string | undefined, ...others: readonly Order[]): TradingContext {
  const shown = (id: string) =>
    others.find((order) => order.id === id) ??
    ({ id, state: 'open', filled: '0', filledValue: '0', fee: '0', feeCoin: 'usdt' } as Order);
  const client = {
    now: () => 5_000,
    findOrder: async (_: string, order: OrderReference) => {
      const id = 'id' in order ? order.id : newest;
      return id === undefined ? undefined : shown(id);
    },
  };
  return { client } as unknown as TradingContext;
}

function duplicated(): ChildOrder {
  const child = new ChildOrder({ child: 'abcdefgt1', type: 'limit', price: '100', amount: '1', time: 0 });
  [child.sending, child.orderId] = ['placed', '8'];
  child.addDuplicate('7', null, false);
  return child;
}

const duplicatesOf = (child: ChildOrder) => child.children.slice(1).map(({ duplicate }) => duplicate);

test.each(['7', '8'])('a duplicate is proven if the client id leads to one of the two orders: %s', async (newest) => {
  const child = duplicated();
  await readChild(exchangeWith(newest), 'btc_usdt', child);
  expect(duplicatesOf(child)).toEqual(['proven']);
});

test.each([undefined, '9'])('a duplicate is not proven if the client id leads to neither: %s', async (newest) => {
  const child = duplicated();
  await readChild(exchangeWith(newest), 'btc_usdt', child);
  expect(duplicatesOf(child)).toEqual(['unproven']);
});

test('a duplicate that had filled before anybody saw it is compared too, once', async () => {
  const child = duplicated();
  child.addDuplicate('7', { id: '7', state: 'filled', filled: '1', filledValue: '100' } as Order, false);
  child.show(cancelled);
  expect(child.unfinishedIds).toEqual(['7']);
  const filled = { ...cancelled, id: '7', state: 'filled', filled: '1' } as Order;
  await readChild(exchangeWith('8', filled), 'btc_usdt', child);
  expect(duplicatesOf(child)).toEqual(['proven']);
  expect(child.unfinishedIds).toEqual([]);
});

test('an order that is found after its answer was lost is found with its duplicate', async () => {
  const clientId = 'abcdefge1';
  const orders = ['7', '8'].map((id) => anOrder({ id, clientId }));
  const trading = tradingOf(new ScriptedExchange({ orders }));
  const child = new ChildOrder({
    child: clientId,
    type: 'limit',
    price: '31000',
    amount: '0.01',
    time: trading.host.now(),
  });
  trading.journal.begin({ operation: 'order', terms: TERMS }, { id: clientId, reqTime: trading.host.now() });
  expect(await settleChild(trading, 'btc_usdt', child)).toBe(true);
  expect([child.orderId, [...child.duplicates.keys()]]).toEqual(['8', ['7']]);
});

test('an order that is shown as open after a cancellation without an answer is cancelled again, a moment later', async () => {
  const child = duplicated();
  child.isCancelUnknown = true;
  await readChild(exchangeWith('8'), 'btc_usdt', child);
  expect(child.children[0]).toMatchObject({ state: 'open', cancelRefused: 5_000 });
});

const cancelled = { id: '8', state: 'cancelled', filled: '0', filledValue: '0', fee: '0', feeCoin: 'usdt' } as Order;

test.each(['limit', 'postOnly'] as const)(
  'an order that somebody else cancelled before pit ever saw it open counts as cancelled by others: %s',
  (type) => {
    const child = new ChildOrder({ child: 'abcdefgt1', type, price: '100', amount: '1', time: 0 });
    child.show(cancelled);
    expect(child.end).toBe('cancelledByOthers');
  },
);

test('what an IOC order leaves, and an order that pit has cancelled, count as cancelled', () => {
  const ioc = new ChildOrder({ child: 'abcdefgs1', type: 'ioc', price: '100', amount: '1', time: 0 });
  ioc.show(cancelled);
  const own = new ChildOrder({ child: 'abcdefgt1', type: 'limit', price: '100', amount: '1', time: 0 });
  own.isCancelledHere = true;
  own.show(cancelled);
  expect([ioc.end, own.end]).toEqual(['cancelled', 'cancelled']);
});

test.each([
  ['counts as that of its algo order', [false], true],
  ['that was in vain counts for nothing', [false, true], false],
  ['counts, if only another one was in vain', [false, true, false], true],
])('a cancellation in the record %s', (_, lines, isCancelledHere) => {
  const trading = tradingOf();
  const id = 'aaaaaaa';
  const child = `${id}t1`;
  const line = { child, type: 'limit', price: '100', amount: '1', time: NOW } as const;
  const cancellations = [
    { cancelling: `${id}e1`, isInVain: false },
    ...lines.map((isInVain) => ({ cancelling: child, isInVain })),
  ];
  const children = recordedChildren([line, ...cancellations]);
  const [found] = new ChildrenInJournal(trading.journal, 0).of({ id, children });
  expect(found?.isCancelledHere).toBe(isCancelledHere);
});

test.each([
  ['was never sent, if the journal would know it', 12, 'notSent'],
  ['stays unknown, if the journal has forgotten it by now', 14, 'unknown'],
])('an order without a record that the exchange does not show %s', async (_, days, sending) => {
  const child = new ChildOrder({ child: 'abcdefgs1', type: 'ioc', price: '100', amount: '1', time: 0 });
  child.sending = 'unknown';
  const client = { now: () => days * 86_400_000, findOrder: async () => undefined };
  const journal = { findUnsettled: () => undefined, archive: { find: () => undefined } };
  await settleChild({ client, journal } as unknown as TradingContext, 'btc_usdt', child);
  expect(child.sending).toBe(sending);
});

test('what the exchange has shown as closed, or as filled, is not taken back by an answer that came late', () => {
  const child = new ChildOrder({ child: 'abcdefgt1', type: 'limit', price: '100', amount: '1', time: 0 });
  child.show({ ...cancelled, filled: '0.4' });
  child.show({ ...cancelled, state: 'open', filled: '0.4' });
  child.show({ ...cancelled, state: 'open', filled: '0.1' });
  expect(child.order).toMatchObject({ state: 'cancelled', filled: '0.4' });
});
