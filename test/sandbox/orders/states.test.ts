import { expect, test } from 'vitest';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
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
  ['a limit order without a match stays open', 0, 'limit', [], ['open']],
  [
    'a resting limit order that is cancelled goes from open to cancelled',
    0,
    'limit',
    ['cancel'],
    ['open', 'cancelled'],
  ],
  ['a resting limit order that is filled in part stays open', 0, 'limit', ['part'], ['open', 'open']],
  [
    'a resting limit order that is filled in part twice stays open',
    0,
    'limit',
    ['part', 'part'],
    ['open', 'open', 'open'],
  ],
  [
    'a resting limit order that is filled by one order goes from open to filled',
    0,
    'limit',
    ['rest'],
    ['open', 'filled'],
  ],
  [
    'a resting limit order that is filled in two parts is open in between',
    0,
    'limit',
    ['part', 'rest'],
    ['open', 'open', 'filled'],
  ],
  [
    'a resting limit order that is cancelled after a part is cancelled',
    0,
    'limit',
    ['part', 'cancel'],
    ['open', 'open', 'cancelled'],
  ],
  ['a limit order that is filled in part at once stays open for the rest', 4, 'limit', [], ['open']],
  [
    'a limit order that was filled in part at once and gets the rest is filled',
    4,
    'limit',
    ['rest'],
    ['open', 'filled'],
  ],
  ['a limit order that was filled in part at once can be cancelled', 4, 'limit', ['cancel'], ['open', 'cancelled']],
  ['a limit order that is filled in full at once is filled', 10, 'limit', [], ['filled']],
  ['a PostOnly order rests like a limit order', 0, 'postOnly', ['part', 'cancel'], ['open', 'open', 'cancelled']],
  ['an IOC order without a match is cancelled', 0, 'ioc', [], ['cancelled']],
  ['an IOC order that is filled in part at once is cancelled for the rest', 4, 'ioc', [], ['cancelled']],
  ['an IOC order that is filled in full at once is filled', 10, 'ioc', [], ['filled']],
  ['a filled order stays filled, whatever happens', 10, 'limit', ['cancel', 'part'], ['filled', 'filled', 'filled']],
  [
    'a cancelled order stays cancelled, whatever happens',
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
  expect(fixture.frozen('ann', 'usdt')).toBe(order.open ? order.price * order.remaining : 0n);
});

test('an order that is final cannot be cancelled', () => {
  const fixture = new OrderFixture(['ann']);
  const { id } = fixture.place('ann', 'buy', 'limit', 100, 10);
  const cancel = () => fixture.orderService.cancel({ id: 'ann' } as Account, 'btc_usdt', { id: String(id) });
  expect(cancel().state).toBe('cancelled');
  expect(cancel).toThrow(expect.objectContaining({ reason: 'orderFinal' }));
});
