import { expect, test } from 'vitest';
import { type OrderRecord, stateOf } from '../../../src/sandbox/orders/order.js';
import { OrderFixture } from '../support/order-fixture.js';

/** What happens to ann's order to buy 10 at 100, if it rests. */
type Happening = 'part' | 'rest' | 'cancel';

type State = OrderRecord['state'];

/** The transitions between states, which the interface does not show; there are no others. */
const TRANSITIONS: readonly (readonly [
  what: string,
  asks: number,
  type: 'limit' | 'postOnly' | 'ioc',
  Happening[],
  State[],
])[] = [
  ['a limit order that meets nobody waits', 0, 'limit', [], ['open']],
  ['and is cancelled', 0, 'limit', ['cancel'], ['open', 'cancelled']],
  ['and is filled in part', 0, 'limit', ['part'], ['open', 'open']],
  ['again and again', 0, 'limit', ['part', 'part'], ['open', 'open', 'open']],
  ['and is filled at once', 0, 'limit', ['rest'], ['open', 'filled']],
  ['and is filled in the end', 0, 'limit', ['part', 'rest'], ['open', 'open', 'filled']],
  ['and is cancelled after a part', 0, 'limit', ['part', 'cancel'], ['open', 'open', 'cancelled']],
  ['a limit order that meets a part waits for the rest', 4, 'limit', [], ['open']],
  ['and gets it', 4, 'limit', ['rest'], ['open', 'filled']],
  ['or is cancelled', 4, 'limit', ['cancel'], ['open', 'cancelled']],
  ['a limit order that meets enough is complete', 10, 'limit', [], ['filled']],
  ['a PostOnly order waits like a limit order', 0, 'postOnly', ['part', 'cancel'], ['open', 'open', 'cancelled']],
  ['an IOC order that meets nobody is cancelled', 0, 'ioc', [], ['cancelled']],
  ['an IOC order that meets a part is cancelled after it', 4, 'ioc', [], ['cancelled']],
  ['an IOC order that meets enough is complete', 10, 'ioc', [], ['filled']],
  ['what is complete stays so', 10, 'limit', ['cancel', 'part'], ['filled', 'filled', 'filled']],
  [
    'what is cancelled stays so',
    0,
    'limit',
    ['cancel', 'part', 'cancel'],
    ['open', 'cancelled', 'cancelled', 'cancelled'],
  ],
];

test.each(TRANSITIONS)('%s', (_what, asks, type, happenings, states) => {
  const fixture = new OrderFixture(['ann', 'ben']);
  if (asks > 0) fixture.place('ben', 'sell', 'limit', 100, asks);
  const order = fixture.place('ann', 'buy', type, 100, 10);
  const seen = [stateOf(order)];
  for (const happening of happenings) {
    if (happening === 'cancel') fixture.cancel(order);
    else fixture.place('ben', 'sell', 'ioc', 100, happening === 'part' ? 3 : 10);
    seen.push(stateOf(order));
  }
  expect(seen).toEqual(states);
  expect(fixture.orderService.ledger.frozen('ann', 'usdt')).toBe(order.open ? order.price * order.remaining : 0n);
});
