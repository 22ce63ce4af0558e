import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { Side } from '../../../../src/domain/order.js';
import { Failure } from '../../../../src/errors.js';
import { checkTerms } from '../../../../src/trading/algos/plan/check-terms.js';
import type { AlgoEntry } from '../../../../src/trading/algos/plan/entries/entry-terms.js';
import { sliceCounts } from '../../../../src/trading/algos/plan/entries/twap.js';
import type { AlgoTerms, Exits, TrailDistance } from '../../../../src/trading/algos/plan/terms.js';

const MARKET = {
  ...{
    market: 'btc_usdt',
    base: 'btc',
    quote: 'usdt',
    priceScale: 2,
    amountScale: 4,
    tickSize: '0.01',
    lotSize: '0.0001',
  },
  ...{ minAmount: '0.001', minNotional: '5' },
};

interface Given {
  readonly side?: Side;
  readonly amount?: string;
  readonly entry?: AlgoEntry;
  readonly take?: string;
  readonly stop?: string;
  readonly limit?: string;
  readonly trail?: TrailDistance;
  readonly when?: readonly string[];
  readonly trigger?: 'book' | 'last';
  readonly bid?: string;
  readonly ask?: string;
  readonly last?: string;
  readonly feeShare?: string;
}

const price = (text: string | undefined) => (text === undefined ? null : Decimal.of(text));

function termsOf({
  side = 'sell',
  amount = '1',
  entry,
  take,
  stop,
  limit,
  trail,
  when = [],
  trigger = 'book',
}: Given): AlgoTerms {
  const exits: Exits | null =
    take === undefined && stop === undefined && trail === undefined
      ? null
      : { take: price(take), stop: price(stop), limit: price(limit), trail: trail ?? null };
  return {
    ...{ id: '', profile: 'main', owner: 'main', market: MARKET, account: 'spot', borrow: false, repay: false },
    ...{ side, amount: Decimal.of(amount), entry: entry ?? null, when, exits, slippage: Decimal.of('0.01'), trigger },
    ...{ forMs: null, exec: null, notify: false },
  };
}

/** What is wrong with an algo order while the book is 100.00 / 100.10, and the number that works; '' for nothing. */
function check(given: Given): string {
  const { bid = '100', ask = '100.1', last = null, feeShare = null } = given;
  const market = {
    ...{ bid: Decimal.of(bid), ask: Decimal.of(ask), last: last === null ? null : Decimal.of(last) },
    feeShare: feeShare === null ? null : Decimal.of(feeShare),
  };
  try {
    checkTerms(termsOf(given), market);
    return '';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [error.message, ...error.hints].join(' ');
  }
}

const limitAt = (at: string, type: 'limit' | 'postOnly' = 'limit'): AlgoEntry => ({
  kind: 'limit',
  type,
  price: Decimal.of(at),
});

describe('a stop that would be reached at once is refused with the number that works', () => {
  it.each<[string, Given, string]>([
    [
      'to sell, at the bid',
      { stop: '100' },
      'The stop 100.00 is not below the best bid, 100.00: it would be reached at once. Use 99.99 or less.',
    ],
    ['to sell, below the bid', { stop: '99.99' }, ''],
    [
      'to buy, at the ask',
      { side: 'buy', stop: '100.1' },
      'The stop 100.10 is not above the best ask, 100.10: it would be reached at once. Use 100.11 or more.',
    ],
    ['to buy, above the ask', { side: 'buy', stop: '100.11' }, ''],
    [
      'by the last price',
      { stop: '99.95', trigger: 'last', last: '99.9' },
      'The stop 99.95 is not below the last price, 99.90: it would be reached at once. Use 99.89 or less.',
    ],
    [
      'above its entry',
      { side: 'buy', entry: limitAt('90'), stop: '90' },
      'The stop 90.00 is not below the price of the entry, 90.00: it would be reached at once. Use 89.99 or less.',
    ],
    [
      'between the bid and an entry that fills at once',
      { side: 'buy', entry: limitAt('105'), stop: '102' },
      'The stop 102.00 is not below the best bid, 100.00: it would be reached at once. Use 99.99 or less.',
    ],
    ['the same, once a condition holds', { side: 'buy', entry: limitAt('105'), stop: '102', when: ['last>104'] }, ''],
    [
      'of a chase that may go further than the market is',
      { side: 'buy', entry: { kind: 'chase', bound: Decimal.of('105') }, stop: '102' },
      'The stop 102.00 is not below the price of the entry, 100.10: it would be reached at once. Use 100.09 or less.',
    ],
    ['below a chase of the bid', { side: 'buy', entry: { kind: 'chase', bound: null }, stop: '99.99' }, ''],
    [
      'of a short entry',
      { side: 'sell', entry: limitAt('110'), stop: '110' },
      'The stop 110.00 is not above the price of the entry, 110.00: it would be reached at once. Use 110.01 or more.',
    ],
  ])('%s', (_, given, expected) => {
    expect(check(given)).toBe(expected);
  });
});

describe('legs on the wrong side of each other are refused', () => {
  it.each<[string, Given, string]>([
    [
      'a take-profit below the bid',
      { take: '99', stop: '90' },
      'The take-profit 99.00 would fill at once: the best bid is 100.00. Use 100.01 or more.',
    ],
    [
      'a take-profit of a buy above the ask',
      { side: 'buy', take: '101', stop: '110' },
      'The take-profit 101.00 would fill at once: the best ask is 100.10. Use 100.09 or less.',
    ],
    [
      'a stop above the take-profit',
      { take: '98', stop: '99' },
      'The stop 99.00 is not below the take-profit, 98.00. Use 97.99 or less.',
    ],
    [
      'a take-profit below its entry',
      { side: 'buy', entry: limitAt('90'), take: '90', stop: '80' },
      'The take-profit 90.00 is not above the price of the entry, 90.00. Use 90.01 or more.',
    ],
    [
      'a limit above the stop of a sell',
      { stop: '90', limit: '91' },
      'The limit 91.00 is above the stop 90.00: what a reached stop sends would not fill. Use 90.00 or less.',
    ],
    [
      'a limit below the stop of a buy',
      { side: 'buy', stop: '110', limit: '109' },
      'The limit 109.00 is below the stop 110.00: what a reached stop sends would not fill. Use 110.00 or more.',
    ],
    ['none', { take: '110', stop: '90', limit: '90' }, ''],
  ])('%s', (_, given, expected) => {
    expect(check(given)).toBe(expected);
  });
});

describe('a trail is refused', () => {
  const trail = (unit: TrailDistance['unit'], value: string) => ({ unit, value: Decimal.of(value) });
  it.each<[string, Given, string]>([
    ['if it never ends', { trail: trail('share', '1') }, 'A trail of 100% never ends. Use less than 100%.'],
    [
      'if it reaches below zero',
      { trail: trail('price', '100') },
      'The trail 100.00 is not below the best bid 100.00. Use less.',
    ],
    [
      'if it is smaller than a tick',
      { trail: trail('share', '0.00001') },
      'The trail 0.001 is smaller than a tick. Use 0.01 or more.',
    ],
    [
      'if trades at bid and ask are further apart',
      { trail: trail('ticks', '10'), trigger: 'last' },
      'The trail 0.10 is not wider than the spread of 0.10: the next trade could reach it. Use 0.11 or more.',
    ],
    ['but not if the best bid alone moves it', { trail: trail('ticks', '10') }, ''],
  ])('%s', (_, given, expected) => {
    expect(check(given)).toBe(expected);
  });
});

describe('an amount that leaves a leg below the minimums is refused with one that works', () => {
  it.each<[string, Given, string]>([
    [
      'of lots',
      { amount: '0.0009', stop: '90' },
      'Amount 0.0009 is below the minimum of 0.001 btc. Use 0.001 or more.',
    ],
    [
      'at the price that a stop may sink to',
      { amount: '0.0561', stop: '90' },
      '0.0561 btc would be below the minimum for the stop at 89.10: 0.001 btc and 5 usdt. Use an amount of 0.0562 btc or more.',
    ],
    ['just enough', { amount: '0.0562', stop: '90' }, ''],
    [
      'after the fee of the entry',
      { side: 'buy', entry: limitAt('100'), amount: '0.0562', stop: '90', feeShare: '0.002' },
      '0.056 btc, what the fee leaves of the entry, would be below the minimum for the stop at 89.10: 0.001 btc and 5 usdt. Use an amount of 0.0564 btc or more.',
    ],
    [
      'after a fee that is unknown, which takes a lot at least',
      { side: 'buy', entry: limitAt('100'), amount: '0.0562', take: '120', stop: '90' },
      '0.0561 btc, what a fee of one lot leaves of the entry, would be below the minimum for the stop at 89.10: 0.001 btc and 5 usdt. Use an amount of 0.0563 btc or more.',
    ],
    [
      'just enough after an unknown fee',
      { side: 'buy', entry: limitAt('100'), amount: '0.0563', take: '120', stop: '90' },
      '',
    ],
    [
      'of the entry itself',
      { side: 'buy', entry: limitAt('10'), amount: '0.01' },
      'Value 0.1 usdt is below the minimum of 5 usdt. Check the price, or use an amount of 0.5 btc or more.',
    ],
  ])('%s', (_, given, expected) => {
    expect(check(given)).toBe(expected);
  });

  it('with numbers that are accepted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 2_000 }),
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: 0, max: 50 }),
        (units, stop, fee) => {
          const given: Given = {
            ...{ side: 'buy', entry: limitAt('100'), feeShare: Decimal.fromUnits(BigInt(fee), 4).toString() },
            stop: String(stop),
          };
          const said = check({ ...given, amount: Decimal.fromUnits(BigInt(units), 4).toString() });
          const [, works] = /Use (?:an amount of )?([\d.]+) .*more\.$/.exec(said) ?? [];
          if (works !== undefined && said.startsWith('0')) expect(check({ ...given, amount: works })).toBe('');
        },
      ),
    );
  });
});

it('prices off the ticks of the market are refused', () => {
  expect(check({ stop: '90.001' })).toContain('The price 90.001 has more decimals than btc_usdt takes.');
  expect(check({ take: '110.001', stop: '90' })).toContain('110.001');
});

describe('the stop of an iceberg is held against the market if a part fills at once', () => {
  const at = (price: string, type: 'limit' | 'postOnly' = 'limit'): Given => ({
    ...{ side: 'buy', stop: '100.5', bid: '100', ask: '100.1' },
    entry: { kind: 'iceberg', type, price: Decimal.of(price), show: Decimal.of('0.4') },
  });

  it('but not if it is post-only: then no part fills at once', () => {
    expect(check(at('101'))).toBe(
      'The stop 100.50 is not below the best bid, 100.00: it would be reached at once. Use 99.99 or less.',
    );
    expect(check(at('101', 'postOnly'))).toBe('');
  });
});

describe('what an iceberg shows is refused', () => {
  const shown = (show: string, amount = '1') =>
    check({
      side: 'buy',
      amount,
      entry: { kind: 'iceberg', type: 'limit', price: Decimal.of('99'), show: Decimal.of(show) },
    });

  it.each([
    [
      'with more decimals than the market takes',
      ['0.10001'],
      'The shown amount 0.10001 has more decimals than btc_usdt takes. At most 4 decimals: a lot is 0.0001.',
    ],
    [
      'below the minimum at its price',
      ['0.0505'],
      'The shown amount 0.0505 is below the minimum of 0.0506 btc at 99.00. Use 0.0506 or more.',
    ],
    ['not at the minimum', ['0.0506', '0.1518'], ''],
    [
      'if it is the whole amount',
      ['1'],
      'The shown amount 1 is not below the amount 1: all of it would rest. Show less than 1. To rest all of it, leave the shown amount out.',
    ],
    [
      'if a part of the amount would be below the minimum',
      ['0.06', '0.15'],
      'In parts of up to 0.06, 0.15 btc leaves a part below the minimum of 0.0506 btc at 99.00. Show 0.075 or more. Or use an amount of 0.1518 btc or more.',
    ],
    [
      'if the amount has no two parts',
      ['0.0506', '0.1'],
      'In parts of up to 0.0506, 0.1 btc leaves a part below the minimum of 0.0506 btc at 99.00. Or use an amount of 0.1012 btc or more.',
    ],
  ])('%s', (_, [show = '', amount], expected) => {
    expect(shown(show, amount)).toBe(expected);
  });

  it('with numbers that are accepted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 506, max: 5_000 }), fc.integer({ min: 506, max: 5_000 }), (amount, show) => {
        const [text, part] = [amount, show].map((units) => Decimal.fromUnits(BigInt(units), 4).toString());
        const said = shown(part ?? '', text);
        const [, larger] = /Show ([\d.]+) or more/.exec(said) ?? [];
        const [, more] = /amount of ([\d.]+) btc or more/.exec(said) ?? [];
        if (larger !== undefined) expect(shown(larger, text)).toBe('');
        if (more !== undefined) expect(shown(part ?? '', more)).toBe('');
      }),
    );
  });
});

describe('the slices of a TWAP', () => {
  const counts = (amount: string, minutes: number, at: string | null) =>
    sliceCounts(
      { amount: Decimal.of(amount), market: MARKET },
      { durationMs: minutes * 60_000, everyMs: 60_000 },
      at === null ? null : Decimal.of(at),
    );

  it('are as many as its time has, or fewer if each would be below the minimums', () => {
    expect(counts('1', 10, '100')).toEqual({ slots: 10, slices: 10 });
    expect(counts('0.3', 10, '100')).toEqual({ slots: 10, slices: 6 });
    expect(counts('0.01', 10, '100')).toEqual({ slots: 10, slices: 1 });
    expect(counts('0.01', 10, null)).toEqual({ slots: 10, slices: 10 });
  });
});
