import { expect, it } from 'vitest';
import type { OrderTerms } from '../../src/domain/order.js';
import { type PlannedWrite, requestOf } from '../../src/exchange/requests/write-requests.js';

const HOSTS = { baseUrl: 'https://data.example.com', tradeUrl: 'https://trade.example.com' };
const TERMS: OrderTerms = {
  ...({ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', borrow: false, repay: false } as const),
  ...{ price: '30000', amount: '0.1' },
};
const ORDER = { currency: 'btc_usdt', tradeType: '1', price: '30000', amount: '0.1' };

it.each<readonly [operation: string, write: PlannedWrite, parameters: object]>([
  ['order', { kind: 'order', terms: TERMS, clientId: 'mine1' }, { ...ORDER, customerOrderId: 'mine1' }],
  ['order', { kind: 'order', terms: TERMS, clientId: null }, ORDER],
  [
    'order',
    { kind: 'order', terms: TERMS, clientId: null, parameters: { ...ORDER, price: '29000', acctType: undefined } },
    { ...ORDER, price: '29000' },
  ],
  ['cancelOrder', { kind: 'cancel', market: 'btc_usdt', order: { id: '17' } }, { currency: 'btc_usdt', id: '17' }],
  [
    'cancelOrder',
    { kind: 'cancel', market: 'btc_usdt', order: { clientId: 'mine1' } },
    { currency: 'btc_usdt', customerOrderId: 'mine1' },
  ],
  ['cancelAllOrdersAfter', { kind: 'timedCancel', market: 'btc_usdt' }, { currency: 'btc_usdt' }],
  ['setLeverage', { kind: 'call', operation: 'setLeverage', values: { a: '1', b: undefined } }, { a: '1' }],
])('shows the request of %s before it is sent: %j', (operation, write, parameters) => {
  expect(requestOf(write, HOSTS, 5)).toEqual({
    operation,
    request: {
      ...{ url: `https://trade.example.com/api/${operation}`, method: operation, accesskey: '***' },
      ...parameters,
      ...{ sign: '***', reqTime: '5' },
    },
  });
});

it('masks the fund password of a withdrawal', () => {
  const withdrawal = { coin: 'btc', amount: '0.5', fee: '0.0004', address: 'bc1qexample', internal: false };
  const { request } = requestOf({ kind: 'withdrawal', withdrawal }, HOSTS, 5);
  expect(request).toMatchObject({ currency: 'btc', amount: '0.5', fees: '0.0004', safePwd: '***' });
});

it('refuses a value that breaks its rule', () => {
  const write: PlannedWrite = { kind: 'cancel', market: 'btc_usdt', order: { id: 'x y' } };
  expect(() => requestOf(write, HOSTS, 5)).toThrow(expect.objectContaining({ kind: 'usage' }));
});
