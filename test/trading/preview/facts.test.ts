import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { Failure } from '../../../src/errors.js';
import type { OrderTerms } from '../../../src/trading/journal/intent.js';
import { type MarketView, percentFrom, referenceOf } from '../../../src/trading/market-view.js';
import { type Answers, factsOf } from '../../../src/trading/preview/facts.js';
import { warningsOf } from '../../../src/trading/preview/warnings.js';
import { MARKET } from '../support/market.js';

const VIEW: MarketView = {
  bids: [{ price: '99', amount: '2' }],
  asks: [{ price: '101', amount: '2' }],
  last: null,
};
const FAILED = new Failure('unreachable', 'depth: no answer came in time');
const NONE = { bids: [], asks: [], last: null };

function order(changes: Partial<OrderTerms> = {}) {
  const terms: OrderTerms = {
    market: 'btc_usdt',
    side: 'buy',
    type: 'limit',
    account: 'spot',
    price: '100',
    amount: '1',
    borrow: false,
    repay: false,
    ...changes,
  };
  return { market: MARKET, terms };
}

function answers(changes: Partial<Answers> = {}): Answers {
  const available = new Map([
    ['usdt', Decimal.of('1000')],
    ['btc', Decimal.of('3')],
  ]);
  return { market: VIEW, available, orders: [], ...changes };
}

function warned(terms: Partial<OrderTerms>, changes: Partial<Answers> = {}): string[] {
  const [whole, known] = [order(terms), answers(changes)];
  return warningsOf(whole, factsOf(whole, known), known);
}

describe('the reference price', () => {
  const [bids, asks, last] = [VIEW.bids, VIEW.asks, Decimal.of('77')];
  it.each<[string, MarketView, string | null]>([
    ['is the middle of the book', { bids, asks, last: null }, '100.0 mid'],
    ['is the best bid where nobody asks', { bids, asks: [], last }, '99 the best bid'],
    ['is the best ask where nobody bids', { bids: [], asks, last }, '101 the best ask'],
    ['is the last price where nobody is there', { bids: [], asks: [], last }, '77 the last price'],
    ['is not known where there is none', NONE, null],
    ['is never a price that is none', { bids: [{ price: '0', amount: '1' }], asks: [], last: Decimal.zero }, null],
  ])('%s', (_name, view, expected) => {
    const reference = referenceOf(view);
    expect(reference && `${reference.price} ${reference.name}`).toBe(expected);
  });

  it('is a percentage away, rounded away from zero', () => {
    const percent = (price: string) => percentFrom(Decimal.of(price), Decimal.of('30'), 2).toString();
    expect([percent('31'), percent('29'), percent('30'), percent('33')]).toEqual(['3.34', '-3.34', '0.00', '10.00']);
  });
});

describe('the facts of an order', () => {
  it('what it spends goes from what is available', () => {
    const balance = (terms: Partial<OrderTerms>) => {
      const known = factsOf(order(terms), answers()).balance;
      return known && [known.before.toString(), known.after.toString()];
    };
    expect(balance({ price: '100.50', amount: '2' })).toEqual(['1000', '799']);
    expect(balance({ side: 'sell', amount: '0.25' })).toEqual(['3', '2.75']);
    expect(balance({ price: '600', amount: '2' })).toEqual(['1000', '-200']);
  });

  it('hold nothing that could not be read', () => {
    const facts = factsOf(order(), { market: FAILED, available: FAILED, orders: FAILED });
    const unknown = { fee: null, balance: null, bid: null, ask: null, reference: null, distance: null, fills: null };
    expect(facts).toMatchObject(unknown);
    expect(facts.notional.toString()).toBe('100');
    expect(factsOf(order(), answers({ available: 'untold' })).balance).toBeNull();
  });

  it('a coin that the account does not have is none of it', () => {
    expect(factsOf(order(), answers({ available: new Map() })).balance?.before.toString()).toBe('0');
  });

  it('a PostOnly order fills nothing at once', () => {
    const filled = (type: OrderTerms['type']) =>
      factsOf(order({ type, price: '101' }), answers()).fills?.amount.toString();
    expect([filled('limit'), filled('ioc'), filled('postOnly')]).toEqual(['1', '1', '0']);
  });
});

describe('warnings', () => {
  it('has none for an order that is as it should be', () => {
    expect(warned({})).toEqual([]);
    expect(warned({ price: '101' })).toEqual([]);
    expect(warned({ side: 'sell', price: '99' })).toEqual([]);
  });

  it.each<[string, Partial<OrderTerms>, Partial<Answers>, string[]]>([
    ['a price far past the best one', { price: '103' }, {}, ['The price reaches 1.99% past the best ask 101.']],
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
        'The price reaches 9.1% past the best bid 99.',
        'What fills at once would be 4.05% worse than the best bid on average.',
      ],
    ],
    [
      'a book that ends before the order',
      { price: '101', amount: '4' },
      {},
      ['Thin book: 2 of 4 btc is all that is seen up to this price.'],
    ],
    [
      'more than is available',
      { price: '100', amount: '11' },
      {},
      ['It needs 1100 usdt, and 1000 usdt are available: the exchange will refuse it.'],
    ],
    [
      'an IOC that meets nobody',
      { type: 'ioc' },
      {},
      ['Nothing would fill at once, so the exchange would cancel all of it.'],
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
  ])('tell of %s', (_name, terms, changes, expected) => {
    expect(warned(terms, changes)).toEqual(expected);
  });
});
