import { expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { canBeOfItsRequest } from '../../../src/trading/duplicates/maker.js';
import type { OrderTerms } from '../../../src/trading/journal/intent.js';
import { NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { accountOf } from '../support/account.js';
import { NOT_FOUND, query, record } from '../support/exchange.js';

const TERMS: OrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot' },
  ...{ price: '30000', amount: '0.01', borrow: false, repay: false },
};
const BUSY = '{"code":1002,"message":"busy"}';

/** The order that was wanted is 7, of second 10, answered within 2 s. */
it.each<[string, { ids: Record<string, number>; order?: string | null; shown: string; isIt: boolean; asks?: number }]>([
  ['newer, and shown in its place, is', { ids: { 8: 11 }, shown: '8', isIt: true }],
  ['newer, though the order itself is shown, is not', { ids: { 8: 11 }, shown: '7', isIt: false }],
  ['of the same moment, though the order itself is shown, is not', { ids: { 8: 10 }, shown: '7', isIt: false }],
  ['newer may be where nothing is answered', { ids: { 8: 11 }, shown: BUSY, isIt: true }],
  ['newer may be where the exchange says that there is none', { ids: { 8: 11 }, shown: NOT_FOUND, isIt: true }],
  ['older by less than the answer took may be, and nobody asks', { ids: { 6: 8 }, shown: '7', isIt: true, asks: 0 }],
  ['older than its request is not', { ids: { 6: 5 }, shown: '7', isIt: false, asks: 0 }],
  ['older than its request is not, though another one is', { ids: { 8: 11, 6: 5 }, shown: '8', isIt: false, asks: 0 }],
  ['there after a refusal is, where it has the client id', { order: null, ids: { 8: 11 }, shown: '8', isIt: true }],
  [
    'there after a refusal is not, where nothing has the client id',
    { order: null, ids: { 8: 11 }, shown: NOT_FOUND, isIt: false },
  ],
])('an order that is %s of the request', async (_, { ids, order = '7', shown, isIt, asks = 1 }) => {
  const asked: unknown[] = [];
  const server = await serveFaults({
    answer: ({ target }) => {
      asked.push(query(target).customerOrderId);
      return respond(shown.startsWith('{') ? shown : record({ id: shown }));
    },
  });
  const account = accountOf(server.url, { budgetMs: 1_000 });
  const seconds: Record<string, number> = { ...ids, ...(order === null ? {} : { [order]: 10 }) };
  const records = Object.entries(seconds)
    .toSorted(([one, first], [other, second]) => second - first || Number(other) - Number(one))
    .map(([id, second]) => ({ id, time: NOW + second * 1_000 }) as Order);
  const wanted = { intent: 'mine0001', terms: TERMS, reqTime: NOW, order, took: 2_000 };
  expect(await canBeOfItsRequest(account, wanted, Object.keys(ids), records)).toBe(isIt);
  expect(new Set(asked)).toEqual(new Set(asks === 0 ? [] : ['mine0001']));
});
