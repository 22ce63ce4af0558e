import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { type Evidence, extraOrders, type Wanted } from '../../../src/trading/duplicates/extra-orders.js';
import type { OrderTerms } from '../../../src/trading/journal/intent.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const TERMS: OrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot' },
  ...{ price: '30000', amount: '0.01', borrow: false, repay: false },
};

/** An order as the exchange lists it: `ms` after noon. */
function listed(id: string, ms: number, changes: Partial<Order> = {}): Order {
  return {
    ...{ id, clientId: null, market: 'btc_usdt', side: 'buy', type: 'limit' },
    ...{ price: '30000.00', amount: '0.0100', filled: '0', filledValue: '0', fee: null, feeDiscount: false },
    ...{ time: NOON + ms, state: 'open', status: 0 },
    ...changes,
  };
}

function wanted(intent: string, ms: number, order: string | null, changes: Partial<OrderTerms> = {}): Wanted {
  return { intent, terms: { ...TERMS, ...changes }, reqTime: NOON + ms, order, took: 50 };
}

function extras(evidence: Partial<Evidence>) {
  const { settled = [] } = evidence;
  const known = new Set(settled.flatMap(({ order }) => order ?? []));
  const all = { records: [], known, settled, open: [], span: 65_000, ...evidence };
  return extraOrders(all).map(({ intent, ids, certain }) => ({ intent, ids, certain }));
}

describe('orders that are there more than once', () => {
  it('the one that was wanted is none of them', () => {
    expect(extras({ records: [listed('7', 5)], settled: [wanted('a', 0, '7')] })).toEqual([]);
  });

  it('a second one of the same terms and time is, whichever of the two was answered', () => {
    const records = [listed('8', 9), listed('7', 5)];
    expect(extras({ records, settled: [wanted('a', 0, '7')] })).toEqual([{ intent: 'a', ids: ['8'], certain: true }]);
    expect(extras({ records, settled: [wanted('a', 0, '8')] })).toEqual([{ intent: 'a', ids: ['7'], certain: true }]);
  });

  it('of several just alike it is told with the one that is nearest in time', () => {
    const settled = [wanted('a', 0, '7'), wanted('b', 20_000, '9')];
    const records = [listed('10', 20_030), listed('9', 20_005), listed('7', 5)];
    expect(extras({ records, settled })).toEqual([{ intent: 'b', ids: ['10'], certain: true }]);
  });

  it.each<[string, Partial<Order>]>([
    ['another side', { side: 'sell' }],
    ['another price', { price: '30000.01' }],
    ['another amount', { amount: '0.02' }],
    ['another time', { time: NOON + 66_000 }],
  ])('one with %s is not', (_, changes) => {
    expect(extras({ records: [listed('8', 9, changes), listed('7', 5)], settled: [wanted('a', 0, '7')] })).toEqual([]);
  });

  it('a second one is that too where the exchange has changed both in taking them', () => {
    const changes = { type: 'other' as const, price: '29999.5', amount: '0.0099' };
    const records = [listed('8', 9, changes), listed('7', 5, changes)];
    expect(extras({ records, settled: [wanted('a', 0, '7')] })).toEqual([{ intent: 'a', ids: ['8'], certain: true }]);
    const refused = extras({ records: [listed('8', 9, { type: 'other' })], settled: [wanted('a', 0, null)] });
    expect(refused).toEqual([{ intent: 'a', ids: ['8'], certain: true }]);
  });

  it('two orders that were both wanted are not', () => {
    const settled = [wanted('a', 0, '7'), wanted('b', 3, '8')];
    expect(extras({ records: [listed('8', 9), listed('7', 5)], settled })).toEqual([]);
  });

  it('an open order just alike is most likely the one that is nearest to it in time', () => {
    const records = [listed('9', 120), listed('8', 50), listed('7', 45)];
    const open = [wanted('b', 0, null)];
    const settled = [wanted('a', 40, '7')];
    expect(extras({ records, settled, open })).toMatchObject([{ intent: 'a', ids: ['9'] }]);
  });

  it('what an open order may turn out to be is not, until that one is settled', () => {
    const records = [listed('8', 9), listed('7', 5)];
    const open = [wanted('b', 3, null)];
    expect(extras({ records, settled: [wanted('a', 0, '7')], open })).toEqual([]);
    expect(extras({ records: [listed('9', 10), ...records], settled: [wanted('a', 0, '7')], open })).toHaveLength(1);
  });

  it('a refused order that is there after all is told', () => {
    expect(extras({ records: [listed('7', 5)], settled: [wanted('a', 0, null)] })).toEqual([
      { intent: 'a', ids: ['7'], certain: true },
    ]);
  });

  it('is only possible where somebody else uses the account', () => {
    const stranger = listed('6', 2, { price: '12345' });
    const records = [listed('8', 9), listed('7', 5), stranger];
    expect(extras({ records, settled: [wanted('a', 0, '7')] })).toMatchObject([{ ids: ['8'], certain: false }]);
    const longAgo = { ...stranger, time: NOON - 3_600_000 };
    expect(extras({ records: [...records.slice(0, 2), longAgo], settled: [wanted('a', 0, '7')] })).toMatchObject([
      { certain: true },
    ]);
  });

  it("goes by the exchange's own times: its clock may be anywhere", () => {
    const far = -3 * 365 * 86_400_000;
    const records = [listed('8', far + 9), listed('7', far + 5)];
    expect(extras({ records, settled: [wanted('a', 0, '7')] })).toEqual([{ intent: 'a', ids: ['8'], certain: true }]);
  });

  it('of any orders and repetitions: everything that was repeated is told once, and nothing else', () => {
    const order = fc.record({ price: fc.constantFrom('1', '2'), amount: fc.constantFrom('1', '2'), times: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(order, { maxLength: 12 }), fc.boolean(), (orders, answeredLast) => {
        const records: Order[] = [];
        const settled: Wanted[] = [];
        for (const [index, { price, amount, times }] of orders.entries()) {
          const made = Array.from({ length: times + 1 }, (_, copy) =>
            listed(`${index}0${copy}`, index * 10 + copy, { price, amount }),
          );
          records.unshift(...made.toReversed());
          const answered = made.at(answeredLast ? -1 : 0)?.id ?? null;
          settled.push(wanted(String(index), index * 10, answered, { price, amount }));
        }
        const told = extras({ records, settled }).flatMap(({ ids }) => ids);
        const known = new Set(settled.map((one) => one.order));
        expect(told.toSorted()).toEqual(records.flatMap(({ id }) => (known.has(id) ? [] : id)).toSorted());
      }),
    );
  });
});
