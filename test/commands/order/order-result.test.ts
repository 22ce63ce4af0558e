import { describe, expect, it } from 'vitest';
import { orderResult, rejectedOrder } from '../../../src/commands/order/order-result.js';
import { NOT_CHECKED_FOR_DUPLICATES } from '../../../src/commands/session/duplicate-warnings.js';
import type { Order } from '../../../src/domain/order.js';
import { type Advice, Failure } from '../../../src/errors.js';
import type { Placement } from '../../../src/trading/settling/settle-sent-order.js';
import { adviceText } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { anOrder } from '../../support/scripted-exchange.js';
import { pipe } from '../../terminal/screens.js';
import { MARKET } from '../../trading/support/market.js';
import { TERMS } from '../../trading/support/terms.js';

type Sent = Parameters<typeof orderResult>[1];
type Unknown = Extract<Placement, { outcome: 'unknown' }>;

const ORDER = anOrder({
  ...{ clientId: 'mine1', price: '30000.00', amount: '0.0100' },
  ...{ fee: '0', feeCoin: 'btc', time: NOW },
});
const PLACED: Extract<Placement, { outcome: 'placed' }> = { outcome: 'placed', id: '7', duplicates: [], order: ORDER };
const UNKNOWN: Unknown = { outcome: 'unknown', id: null, reason: 'connection reset', localExpiry: null };

/** The answer about an order, with the warnings. Its failure is thrown, or that of the answer. */
function resultOf(placement: Placement, sent: Partial<Sent> = {}) {
  const warnings: Advice[] = [];
  const output = { warn: (advice: Advice) => void warnings.push(advice) } as never;
  const order = { id: 'record1', clientId: 'mine1', terms: TERMS, ...sent };
  const { data, show, failure } = orderResult({ output }, order, placement, MARKET);
  return { data, text: show(pipe()), failure, warnings };
}

/** An order that is listed with these fills. */
function listed(changes: Partial<Order>): Placement {
  return { ...PLACED, order: { ...ORDER, ...changes } };
}

describe('an order that was placed', () => {
  const WHAT = '+ BUY 0.01 btc_usdt at 30,000.00  spot  id 7';

  it.each<[what: string, placement: Placement, isExisting: boolean, text: string]>([
    ['rests', PLACED, false, `Placed  ${WHAT}\nOpen    nothing has filled yet`],
    ['was found', PLACED, true, `Placed earlier  ${WHAT}\nOpen    nothing has filled yet`],
    ['is not shown yet', { ...PLACED, order: null }, false, `Placed  ${WHAT}`],
    ['is in another state without a fill', listed({ state: 'other' }), false, `Placed  ${WHAT}`],
    [
      'was cancelled at once',
      listed({ state: 'cancelled' }),
      false,
      `Nothing was filled: the exchange cancelled  ${WHAT}`,
    ],
    [
      'was found and is cancelled',
      listed({ state: 'cancelled' }),
      true,
      `Placed earlier  ${WHAT}\nCancelled  nothing has filled`,
    ],
    [
      'has filled in part',
      listed({ filled: '0.0040', filledValue: '119.9990', fee: null }),
      false,
      `Placed  ${WHAT}\nFilled  0.004 of 0.01 btc at 29,999.75 usdt on average; the rest is open`,
    ],
    [
      'has filled in part and is cancelled',
      listed({ filled: '0.0040', filledValue: '120', fee: '0.00001', state: 'cancelled' }),
      false,
      `Placed  ${WHAT}\nFilled  0.004 of 0.01 btc at 30,000.00 usdt on average, fee 0.00001 btc; the rest is cancelled`,
    ],
    [
      'has filled',
      listed({ filled: '0.01', filledValue: '300', fee: null, state: 'filled' }),
      false,
      `Placed  ${WHAT}\nFilled  all 0.01 btc at 30,000.00 usdt on average`,
    ],
  ])('and %s says so', (_, placement, isExisting, text) => {
    const result = resultOf(placement, { isExisting });
    expect([result.text, result.failure, result.warnings]).toEqual([text, undefined, []]);
  });

  it.each<
    [what: string, writeId: string, state: Order['state'], duplicates: readonly string[], hints: readonly string[]]
  >([
    ['one that is open is cancelled', 'record1', 'open', ['8'], ['Cancel the duplicates: pit cancel btc_usdt 8']],
    [
      'one that is closed is only seen',
      'record1',
      'filled',
      ['8'],
      ['See your orders: pit orders btc_usdt --state all'],
    ],
    ['one of another order is not its own', 'record2', 'open', [], []],
  ])('more than once fails with 9: %s', (_, writeId, state, ids, hints) => {
    const shown = [{ ...ORDER, id: '8', state }];
    const duplicates = [{ writeId, terms: TERMS, orderId: '7', ids: ['8'], shown, isProven: true }];
    const { data, failure } = resultOf({ ...PLACED, duplicates });
    expect(data.duplicates).toEqual(ids);
    expect(failure?.message).toBe(ids.length === 0 ? undefined : 'The order was placed more than once.');
    expect(failure?.hints.map(adviceText) ?? []).toEqual(hints);
  });
});

it('an order that could not be checked for duplicates is placed, with a warning', () => {
  const { data, failure, warnings } = resultOf({ ...PLACED, duplicates: null });
  expect([data.duplicates, failure, warnings]).toEqual([[], undefined, [NOT_CHECKED_FOR_DUPLICATES]]);
});

describe('an order whose outcome is unknown', () => {
  const typed = { hasClientId: false } as unknown as Sent['typed'];
  const WHAT = 'Unknown  + BUY 0.01 btc_usdt at 30,000.00  spot  ';

  it.each<[what: string, changes: Partial<Unknown>, sent: Partial<Sent>, text: string, hints: readonly string[]]>([
    ['that nothing names', {}, {}, 'client id mine1', []],
    [
      'that an answer named',
      { id: '7' },
      {},
      'id 7  client id mine1',
      ['See the order that its answer named: pit order show btc_usdt 7'],
    ],
    [
      'beside another order with its client id',
      { mismatch: 'its price is another one' },
      {},
      'client id mine1',
      ['See the order with this client id: pit order show btc_usdt --id mine1'],
    ],
    [
      'that was sent without a client id',
      { mismatch: 'its price is another one' },
      { typed },
      'record mine1',
      ['See the orders: pit orders btc_usdt --state all'],
    ],
  ])('%s says how it can be found out, and never to place it again', (_, changes, sent, text, hints) => {
    const result = resultOf({ ...UNKNOWN, ...changes }, sent);
    expect(result.text).toBe(WHAT + text);
    expect(result.failure).toMatchObject({
      ...{ kind: 'unknown', clientId: 'mine1' },
      message: 'It is unknown whether the order was placed: connection reset.',
    });
    expect(result.failure?.hints.map(adviceText)).toEqual([
      ...['Do not place it again before you know.', 'Find out: pit resolve mine1'],
      ...hints,
    ]);
    expect(result.data).toMatchObject({ outcome: 'unknown', id: changes.id ?? null, state: null, duplicates: [] });
  });
});

describe('an order that was not placed', () => {
  const refusal = { kind: 'badPrice', code: 2012, message: 'price is invalid' } as const;
  const refused: Placement = { outcome: 'refused', refusal } as Placement;
  const whole = { ...MARKET, priceScale: 0, tickSize: '1' };

  it('because it was rejected has the reason and code of the exchange, and the client id', () => {
    expect(() => resultOf(refused)).toThrow(
      expect.objectContaining({
        ...{ kind: 'refused', code: 2012, clientId: 'mine1', refusal: 'badPrice' },
        message: 'order: rejected by the exchange: price is invalid',
      }),
    );
  });

  it.each<[price: string, message: string, hints: readonly string[]]>([
    [
      '30000.5',
      'order: rejected by the exchange: price is invalid. The rules of btc_usdt have changed: prices have no decimals (2 before).',
      ['Use a price of 30000.'],
    ],
    [
      '30000',
      'order: rejected by the exchange: price is invalid',
      ['If the order is PostOnly, its price must not cross the book.', 'See the book: pit depth MARKET'],
    ],
  ])('at %s names rules that have changed only if it breaks them', (price, message, hints) => {
    const rejected = { ...refused, rules: whole } as Extract<Placement, { outcome: 'refused' }>;
    const failure = rejectedOrder(rejected, { ...TERMS, price }, MARKET);
    expect(failure).toMatchObject({ kind: 'refused', code: 2012, refusal: 'badPrice', message });
    expect(failure?.hints.map(adviceText)).toEqual(hints);
  });

  it('because it was not sent says why', () => {
    const notSent = { outcome: 'notSent', reason: 'no connection', failure: 'unreachable' } as Placement;
    expect(() => resultOf(notSent)).toThrow(
      new Failure('unreachable', 'The order was not sent: no connection.', { clientId: 'mine1' }),
    );
  });
});
