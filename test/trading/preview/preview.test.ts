import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { Failure } from '../../../src/errors.js';
import type { Warning } from '../../../src/trading/guards/guards.js';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import type { BookView } from '../../../src/trading/preview/market-view.js';
import { computePreview, type OrderPlan, type ReadResults, warningsOf } from '../../../src/trading/preview/preview.js';
import { MARKET } from '../support/market.js';

const VIEW: BookView = {
  bids: [{ price: '99', amount: '2' }],
  asks: [{ price: '101', amount: '2' }],
  last: null,
};
const FAILED = new Failure('unreachable', 'depth: no answer came in time');
const NONE = { bids: [], asks: [], last: null };

type Terms = Partial<Pick<RecordedOrderTerms, 'side' | 'type' | 'price' | 'amount'>>;

function order({ side = 'buy', type = 'limit', price = '100', amount = '1' }: Terms = {}): OrderPlan {
  return { market: MARKET, side, type, account: 'spot', orders: [{ price, amount }] };
}

function batch(
  side: RecordedOrderTerms['side'],
  ...orders: readonly (readonly [price: string, amount: string])[]
): OrderPlan {
  return { ...order({ side }), orders: orders.map(([price, amount], index) => ({ line: index + 1, price, amount })) };
}

function answers(changes: Partial<ReadResults> = {}): ReadResults {
  return { market: VIEW, spendable: Decimal.of('1000'), orders: [], ...changes };
}

function warned(terms: Terms, changes: Partial<ReadResults> = {}): string[] {
  const [whole, known] = [order(terms), answers(changes)];
  return texts(warningsOf(whole, computePreview(whole, known), known));
}

function texts(warnings: readonly Warning[]): string[] {
  return warnings.map(({ text }) => text);
}

describe('the facts of a preview', () => {
  it('computes the balance before and after what the order spends', () => {
    const balance = (plan: OrderPlan) => {
      const known = computePreview(plan, answers()).balance;
      return known && [known.before.toString(), known.after.toString()];
    };
    expect(balance(order({ price: '100.50', amount: '2' }))).toEqual(['1000', '799']);
    expect(balance(order({ side: 'sell', amount: '0.25' }))).toEqual(['1000', '999.75']);
    expect(balance(order({ price: '600', amount: '2' }))).toEqual(['1000', '-200']);
    expect(balance(batch('buy', ['100', '2'], ['99', '3']))).toEqual(['1000', '503']);
  });

  it('everything that could not be read is null', () => {
    const facts = computePreview(order(), { market: FAILED, spendable: FAILED, orders: FAILED });
    const unknown = { fee: null, balance: null, bid: null, ask: null, reference: null, crossing: null, fills: null };
    expect(facts).toEqual(unknown);
    expect(computePreview(order(), answers({ spendable: 'unreported' })).balance).toBeNull();
  });

  it('counts the orders of a batch that reach the other side without walking the book', () => {
    const facts = (...orders: (readonly [string, string])[]) => computePreview(batch('buy', ...orders), answers());
    expect(facts(['101', '1'], ['102', '1'], ['100.99', '1'])).toMatchObject({ crossing: 2, fills: null });
    expect(computePreview(batch('sell', ['99', '1'], ['99.01', '1']), answers())).toMatchObject({
      crossing: 1,
      fills: null,
    });
    expect(computePreview(batch('buy', ['999', '1']), answers({ market: { ...VIEW, asks: [] } })).crossing).toBe(0);
  });

  it('a PostOnly order has no immediate fill', () => {
    const filled = (type: RecordedOrderTerms['type']) =>
      computePreview(order({ type, price: '101' }), answers()).fills?.amount.toString();
    expect([filled('limit'), filled('ioc'), filled('postOnly')]).toEqual(['1', '1', '0']);
  });
});

describe('warnings', () => {
  it('warns of nothing for an order within one percent of the best price that the balance covers', () => {
    expect(warned({})).toEqual([]);
    expect(warned({ price: '101' })).toEqual([]);
    expect(warned({ side: 'sell', price: '99' })).toEqual([]);
  });

  it.each<[string, Terms, Partial<ReadResults>, string[]]>([
    ['a price far past the best one', { price: '103' }, {}, ['The price is 1.99% past the best ask 101.00.']],
    [
      'a book that is walked far down',
      { side: 'sell', price: '90', amount: '2' },
      {
        market: {
          ...VIEW,
          bids: [
            { price: '99', amount: '1' },
            { price: '91', amount: '1' },
          ],
        },
      },
      [
        'The price is 9.10% past the best bid 99.00.',
        'The part that fills at once would average 4.05% worse than the best bid.',
      ],
    ],
    [
      'a book that ends before the order',
      { price: '101', amount: '4' },
      {},
      ['Thin book: it shows only 2 of 4 btc up to this price.'],
    ],
    [
      'more than is available',
      { price: '100', amount: '11' },
      {},
      ['This needs 1,100 usdt but only 1,000 usdt is available: the exchange will reject it.'],
    ],
    [
      'an IOC that meets nobody',
      { type: 'ioc' },
      {},
      ['Nothing would fill at once, so the exchange would cancel the whole order.'],
    ],
    ['a side without anybody', {}, { market: { ...VIEW, asks: [] } }, ['The book of btc_usdt is empty on one side.']],
    ['an empty book', {}, { market: NONE }, ['The book of btc_usdt is empty on both sides.']],
    [
      'what could not be read',
      {},
      { market: FAILED, orders: FAILED },
      [
        'The book could not be read: depth: no answer came in time',
        'Earlier fees could not be read: depth: no answer came in time',
      ],
    ],
  ])('name %s', (_name, terms, changes, expected) => {
    expect(warned(terms, changes)).toEqual(expected);
  });

  it('warnings begin above one percent past the best price', () => {
    expect(warned({ price: '102.01' })).toEqual([]);
    expect(warned({ price: '102.02' })).toEqual(['The price is 1.01% past the best ask 101.00.']);
  });

  it('the warnings of a batch cover only the balance and failed requests', () => {
    const plan = batch('buy', ['150', '4'], ['150', '4']);
    const known = answers({ orders: FAILED });
    expect(texts(warningsOf(plan, computePreview(plan, known), known))).toEqual([
      'This needs 1,200 usdt but only 1,000 usdt is available: the exchange will reject some of them.',
      'Earlier fees could not be read: depth: no answer came in time',
    ]);
  });
});
