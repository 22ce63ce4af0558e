import { describe, expect, it } from 'vitest';
import { feeText, fillsSoFar, totalOfFills } from '../../../src/commands/order/fills-so-far.js';
import { newestFirst, orderColumns, orderRecord, orderRow } from '../../../src/commands/order/order-row.js';
import type { Order } from '../../../src/domain/order.js';
import { table } from '../../../src/terminal/table.js';
import { NOW } from '../../support/fake-host.js';
import { pipe } from '../../terminal/screens.js';

const ORDER: Order = {
  ...{ id: '7', clientId: null, market: 'btc_usdt', side: 'buy', type: 'limit', price: '30000.00', amount: '0.030' },
  ...{ filled: '0.010', filledValue: '299.9999', fee: '0.00002', feeCoin: 'btc', feeDiscount: false },
  ...{ time: NOW, state: 'open', status: 3 },
};
const NOT_FILLED = { filled: '0', filledValue: '0', fee: '0' };

describe('the fills of several orders', () => {
  it.each<[string, Partial<Order>[], object]>([
    ['none', [], { filled: '0', filledValue: '0', averagePrice: null, fee: '0', feeCoin: null }],
    ['one', [{}], { filled: '0.01', filledValue: '299.9999', fee: '0.00002', feeCoin: 'btc' }],
    ['two', [{}, {}], { filled: '0.02', filledValue: '599.9998', fee: '0.00004', feeCoin: 'btc' }],
    ['fees in two coins', [{}, { feeCoin: 'usdt' }], { filled: '0.02', fee: null, feeCoin: null }],
    ['one whose fee is unknown', [{}, { fee: null }], { filled: '0.02', fee: null, feeCoin: null }],
    // the coin of an order that has not filled says nothing
    ['one that has not filled', [{}, { ...NOT_FILLED, feeCoin: 'usdt' }], { fee: '0.00002', feeCoin: 'btc' }],
  ])('of %s are summed up', (_, orders, total) => {
    expect(totalOfFills(orders.map((one) => ({ ...ORDER, ...one })))).toMatchObject(total);
  });

  it('have their average price', () => {
    expect(totalOfFills([ORDER, { ...ORDER, filledValue: '300.0001' }]).averagePrice).toBe('30000');
  });
});

it('the fills of an order are all unknown if the exchange has not shown it', () => {
  const unknown = { filled: null, filledValue: null, averagePrice: null, fee: null, feeCoin: null };
  expect(fillsSoFar(null)).toEqual({ state: null, ...unknown });
  const { filled, filledValue, fee, feeCoin } = ORDER;
  expect(fillsSoFar(ORDER)).toEqual({
    ...{ state: 'open', filled, filledValue, averagePrice: expect.stringMatching(/^29999\.99/), fee, feeCoin },
  });
});

it.each([
  ['0.00002 btc', { fee: '0.000020', feeCoin: 'btc' }],
  ['0.00002', { fee: '0.00002', feeCoin: null }],
  [null, { fee: null, feeCoin: 'btc' }],
])('a fee is shown as %s', (text, fee) => {
  expect(feeText(fee)).toBe(text);
});

it.each<[string, { time: number; id: string }[]]>([
  [
    'the time',
    [
      { time: 2, id: '1' },
      { time: 1, id: '2' },
    ],
  ],
  [
    'the id of one time',
    [
      { time: 1, id: '9' },
      { time: 1, id: '8' },
    ],
  ],
  [
    'an id of more digits',
    [
      { time: 1, id: '10' },
      { time: 1, id: '9' },
    ],
  ],
])('orders are sorted newest first by %s', (_, [newer, older]) => {
  if (newer === undefined || older === undefined) throw new Error('two orders');
  expect([older, newer].sort(newestFirst)).toEqual([newer, older]);
  expect([newer, older].sort(newestFirst)).toEqual([newer, older]);
});

describe('an order on the screen', () => {
  const squeezed = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' | '));

  it('is a row of a list', () => {
    const row = { ...orderRow(ORDER), algo: 'a1' };
    expect(
      squeezed(table(pipe(), orderColumns(true, true), [row, orderRow({ ...ORDER, ...NOT_FILLED, side: 'sell' })])),
    ).toEqual([
      'time (UTC) | id | market | algo | side | price | amount | filled | average | fee | type | state',
      '2018-10-23 11:59:55 | 7 | btc_usdt | a1 | + BUY | 30,000.00 | 0.03 | 0.01 | 29,999.99 | 0.00002 btc | limit | open',
      '2018-10-23 11:59:55 | 7 | btc_usdt | - | - SELL | 30,000.00 | 0.03 | 0 | - | 0 btc | limit | open',
    ]);
    expect(squeezed(table(pipe(), orderColumns(), [row]))[0]).toBe(
      'time (UTC) | id | side | price | amount | filled | average | fee | type | state',
    );
  });

  it('shows by itself everything that is known of it', () => {
    const row = { ...orderRow({ ...ORDER, feeDiscount: true, state: 'other', status: 9 }, 'mine1'), algo: 'a1' };
    expect(squeezed(orderRecord(pipe(), row))).toEqual([
      ...['id | 7', 'client id | mine1', 'algo order | a1', 'market | btc_usdt', 'side | + BUY', 'type | limit'],
      ...['price | 30,000.00', 'amount | 0.03', 'filled | 0.01', 'remaining | 0.02', 'filled value | 299.9999'],
      ...['average price | 29,999.99', 'fee | 0.00002 btc', "fee coin | the platform's own discount coin"],
      ...['time (UTC) | 2018-10-23 11:59:55', 'state | other (9)'],
    ]);
  });
});
