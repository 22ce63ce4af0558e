import { expect, test } from 'vitest';
import { type OrderStatus, statusOf } from '../../../src/sandbox/orders/order.js';
import { OrderFixture } from '../support/order-fixture.js';

/** What happens to ann's order to buy 10 at 100, if it rests. */
type Happening = 'part' | 'rest' | 'cancel';

/**
 * The interface: "1 = cancelled; 2 = completed, or cancelled after a partial fill; 0 and 3 = waiting to trade, or the
 * unfilled remainder still waiting". Its transitions are not shown; these are the sandbox's, and there are no others.
 */
const TRANSITIONS: readonly (readonly [
  what: string,
  asks: number,
  type: 'limit' | 'postOnly' | 'ioc',
  Happening[],
  OrderStatus[],
])[] = [
  ['a limit order that meets nobody waits', 0, 'limit', [], [0]],
  ['and is cancelled', 0, 'limit', ['cancel'], [0, 1]],
  ['and is filled in part', 0, 'limit', ['part'], [0, 3]],
  ['again and again', 0, 'limit', ['part', 'part'], [0, 3, 3]],
  ['and is filled at once', 0, 'limit', ['rest'], [0, 2]],
  ['and is filled in the end', 0, 'limit', ['part', 'rest'], [0, 3, 2]],
  ['and is cancelled after a part', 0, 'limit', ['part', 'cancel'], [0, 3, 2]],
  ['a limit order that meets a part waits for the rest', 4, 'limit', [], [3]],
  ['and gets it', 4, 'limit', ['rest'], [3, 2]],
  ['or is cancelled', 4, 'limit', ['cancel'], [3, 2]],
  ['a limit order that meets enough is complete', 10, 'limit', [], [2]],
  ['a PostOnly order waits like a limit order', 0, 'postOnly', ['part', 'cancel'], [0, 3, 2]],
  ['an IOC order that meets nobody is cancelled', 0, 'ioc', [], [1]],
  ['an IOC order that meets a part is cancelled after it', 4, 'ioc', [], [2]],
  ['an IOC order that meets enough is complete', 10, 'ioc', [], [2]],
  ['what is complete stays so', 10, 'limit', ['cancel', 'part'], [2, 2, 2]],
  ['what is cancelled stays so', 0, 'limit', ['cancel', 'part', 'cancel'], [0, 1, 1, 1]],
];

test.each(TRANSITIONS)('%s', (_what, asks, type, happenings, states) => {
  const fixture = new OrderFixture(['ann', 'ben']);
  if (asks > 0) fixture.place('ben', 'sell', 'limit', 100, asks);
  const order = fixture.place('ann', 'buy', type, 100, 10);
  const seen = [statusOf(order)];
  for (const happening of happenings) {
    if (happening === 'cancel') fixture.cancel(order);
    else fixture.place('ben', 'sell', 'ioc', 100, happening === 'part' ? 3 : 10);
    seen.push(statusOf(order));
  }
  expect(seen).toEqual(states);
  expect(fixture.orderService.ledger.frozen('ann', 'usdt')).toBe(order.open ? order.price * order.remaining : 0n);
});
