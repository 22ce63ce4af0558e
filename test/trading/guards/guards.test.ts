import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { OrderType, Side } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { checkGuards, type GuardInputs, needsBook, zoneInBand } from '../../../src/trading/guards/guards.js';
import { type GuardLimits, guardLimits } from '../../../src/trading/guards/limits.js';
import type { BookView } from '../../../src/trading/preview/market-view.js';

const UNREACHABLE = new Failure('unreachable', 'depth: no answer came in time');

/** mid is 1000 */
const VIEW = { bids: [{ price: '999', amount: '1' }], asks: [{ price: '1001', amount: '1' }], last: null };

interface Case {
  readonly side?: Side;
  readonly type?: OrderType;
  readonly orders?: readonly (readonly [price: string, amount: string])[];
  /** Whether the orders are the lines of a batch, numbered from 1. */
  readonly isBatch?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly evidence?: Partial<GuardInputs>;
}

function guarded({ side = 'buy', type = 'limit', orders = [['1000', '1']], isBatch = false, ...rest }: Case) {
  const plan = {
    market: { quote: 'usdt', priceScale: 2 },
    ...{ side, type },
    orders: orders.map(([price, amount], index) => ({ price, amount, ...(isBatch ? { line: index + 1 } : {}) })),
  };
  return checkGuards(plan, guardLimits(rest.settings ?? {}), {
    reading: VIEW,
    today: Decimal.zero,
    ...rest.evidence,
  });
}

function messages(given: Case): string[] {
  return guarded(given).breaches.map(({ guard, message }) => `${guard}: ${message}`);
}

describe('price-band', () => {
  it.each<[Side, string, 'holds' | 'warns' | 'passes']>([
    ['buy', '1100', 'passes'],
    ['buy', '1100.01', 'holds'],
    ['buy', '900', 'passes'],
    ['buy', '899.99', 'warns'],
    ['sell', '900', 'passes'],
    ['sell', '899.99', 'holds'],
    ['sell', '1100', 'passes'],
    ['sell', '1100.01', 'warns'],
  ])('a %s at %s with a reference of 1000: the guard %s', (side, price, expected) => {
    const { breaches, warnings } = guarded({ side, orders: [[price, '1']] });
    const found = breaches.length > 0 ? 'holds' : warnings.length > 0 ? 'warns' : 'passes';
    expect(found).toBe(expected);
  });

  it('names the distance and the limit', () => {
    expect(messages({ orders: [['1200.5', '1']] })).toEqual([
      'price-band: the price 1,200.50 is 20.05% above mid (1,000.00), and the limit for a buy is 10.00%, so at most 1,100.00',
    ]);
    expect(messages({ side: 'sell', orders: [['500', '1']], settings: { priceBand: '2.5%' } })).toEqual([
      expect.stringMatching(/ 500\.00 .*50\.00% below .* for a sell .*2\.50%.* least 975\.00$/),
    ]);
    expect(guarded({ orders: [['500', '1']] }).warnings.map(({ text }) => text)).toEqual([
      'The price 500.00 is 50.00% below mid (1,000.00): such an order may rest for a long time.',
    ]);
  });

  it.each<[Side, string, string]>([
    // 10 % of 999.99 is 99.999
    ['buy', '1099.99', 'so at most 1,099.98'],
    ['sell', '899.99', 'so at least 900.00'],
  ])('names the last tick within the band if its end lies between two: a %s at %s, %s', (side, price, end) => {
    const reading = { bids: [], asks: [{ price: '999.99', amount: '1' }], last: null };
    expect(messages({ side, orders: [[price, '1']], evidence: { reading } })).toEqual([expect.stringContaining(end)]);
  });

  it.each<[Side, string, RegExp]>([
    ['buy', '899.99', /^line 2: .* 899\.99 .*10\.01% below .* of a batch .* least 900\.00$/],
    ['sell', '1100.01', /^line 2: .* 1,100\.01 .*10\.01% above .* of a batch .* most 1,100\.00$/],
  ])('stops the %s of a batch at %s, on the side that is harmless for a single order', (side, price, message) => {
    const orders = [
      ['1000', '1'],
      [price, '1'],
    ] as const;
    const { breaches, warnings } = guarded({ side, orders, isBatch: true });
    expect(breaches.map((breach) => breach.message)).toEqual([expect.stringMatching(message)]);
    expect(warnings).toEqual([]);
  });

  it('counts the lines beyond either end of the band, and names one that costs first', () => {
    const orders = [
      ['10', '1'],
      ['1200', '1'],
      ['11', '1'],
      ['1000', '1'],
    ] as const;
    expect(messages({ orders, isBatch: true })).toEqual([
      expect.stringContaining('line 2 (and 2 more): the price 1,200.00 is 20.00% above mid'),
    ]);
    const low = [orders[2], orders[0]] as const;
    for (const side of ['buy', 'sell'] as const)
      expect(messages({ side, orders: low, isBatch: true })).toEqual([
        expect.stringContaining('line 2 (and 1 more): the price 10.00 is 99.00% below mid'),
      ]);
  });

  it('measures from the best price of the other side in a crossed book, and warns', () => {
    const reading = { bids: [{ price: '1050', amount: '1' }], asks: [{ price: '1000', amount: '1' }], last: null };
    const text = 'The book is crossed: the best bid 1,050 is above the best ask 1,000, so its prices may not last.';
    for (const [side, passing, stopped, name] of [
      ['buy', '1100', '1100.01', 'the best ask (1,000.00)'],
      ['sell', '945', '944.99', 'the best bid (1,050.00)'],
    ] as const) {
      const at = (price: string) => guarded({ side, orders: [[price, '1']], evidence: { reading } });
      expect(at(passing)).toMatchObject({ breaches: [], warnings: [{ about: 'crossed book', text }] });
      expect(at(stopped).breaches).toMatchObject([{ guard: 'price-band', message: expect.stringContaining(name) }]);
    }
  });

  it('names the worst of several prices', () => {
    const orders = [
      ['1101', '1'],
      ['1300', '1'],
      ['1000', '1'],
    ] as const;
    expect(messages({ orders })).toEqual([expect.stringContaining('the price 1,300.00 is 30.00% above mid')]);
    expect(messages({ orders: orders.slice(0, 2) })).toEqual([expect.stringContaining('the price 1,300.00')]);
    expect(messages({ orders, isBatch: true })).toEqual([
      expect.stringContaining('line 2 (and 1 more): the price 1,300.00'),
    ]);
    const sells = [
      ['899', '1'],
      ['700', '1'],
      ['1000', '1'],
    ] as const;
    expect(messages({ side: 'sell', orders: sells, isBatch: true })).toEqual([
      expect.stringContaining('line 2 (and 1 more): the price 700.00 is 30.00% below mid'),
    ]);
    expect(messages({ side: 'sell', orders: sells.slice(1), isBatch: true })).toEqual([
      expect.stringMatching(/line 1: the price 700.00 /),
    ]);
  });

  it('falls back to the only side, then to the last price', () => {
    const at = (view: Partial<BookView>) =>
      messages({ orders: [['1200', '1']], evidence: { reading: { ...VIEW, ...view } } });
    expect(at({ asks: [] })).toEqual([expect.stringContaining('above the best bid (999.00)')]);
    expect(at({ bids: [] })).toEqual([expect.stringContaining('above the best ask (1,001.00)')]);
    expect(at({ bids: [], asks: [], last: Decimal.of('1000') })).toEqual([
      expect.stringContaining('above the last price (1,000.00)'),
    ]);
    expect(at({ bids: [], asks: [] })).toEqual([
      'price-band: it cannot be checked: the book is empty and there is no last price',
    ]);
  });

  it('holds if it cannot be checked, and says why', () => {
    expect(guarded({ evidence: { reading: UNREACHABLE } }).breaches).toEqual([
      {
        guard: 'price-band',
        message: 'it cannot be checked: depth: no answer came in time',
        failure: UNREACHABLE,
      },
    ]);
    expect(messages({ evidence: { reading: undefined } })).toEqual(['price-band: it was not checked']);
  });

  it('rounds a breach away from the limit', () => {
    expect(messages({ orders: [['1050.01', '1']], settings: { priceBand: '5%' } })).toEqual([
      expect.stringMatching(/ 1,050\.01 .* 5\.01% above .* 5\.00%.* 1,050\.00$/),
    ]);
    expect(messages({ side: 'sell', orders: [['949.99', '1']], settings: { priceBand: '5%' } })).toEqual([
      expect.stringMatching(/ 949\.99 .* 5\.01% below .* 5\.00%.* 950\.00$/),
    ]);
  });

  it('never prints a breach on the allowed side of a printed limit', () => {
    const numbers = /^price-band: the price (\S+) is (\S+)% .* (\S+)%, so at (?:most|least) (\S+)$/;
    const units = fc.bigInt({ min: 1n, max: 10n ** 10n });
    fc.assert(
      fc.property(
        fc.constantFrom<Side>('buy', 'sell'),
        units,
        units,
        fc.integer({ min: 1, max: 200_000 }),
        (side, priced, referred, band) => {
          // the band has up to 5 decimals of a per cent, prices and the book have 2
          const [price, best] = [Decimal.fromUnits(priced, 2).toString(), Decimal.fromUnits(referred, 2).toString()];
          const reading = { bids: [{ price: best, amount: '1' }], asks: [], last: null };
          const settings = {
            priceBand: `${Decimal.fromUnits(BigInt(band), 5)}%`,
            orderNotional: 'off',
            dayNotional: 'off',
          };
          const [message] = messages({ side, orders: [[price, '1']], settings, evidence: { reading } });
          if (message === undefined) return;
          const [, shown, distance, limit, end] = numbers.exec(message) ?? [];
          const plain = (text = '') => Decimal.of(text.replaceAll(',', ''));
          expect(plain(distance).compare(plain(limit))).toBeGreaterThan(0);
          expect(plain(shown).compare(plain(end)) > 0).toBe(side === 'buy');
          expect(plain(shown).compare(plain(end)) < 0).toBe(side === 'sell');
        },
      ),
    );
  });

  it('never holds if it is off', () => {
    const settings = { priceBand: 'off' };
    expect(guarded({ orders: [['5000', '1']], settings })).toEqual({ breaches: [], warnings: [], bid: undefined });
    expect(messages({ settings, evidence: { reading: UNREACHABLE } })).toEqual([]);
  });

  it('holds exactly the prices on the costly side of the band', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.nat(6));
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: 1, max: 10_000 }), (priced, referred, basisPoints) => {
        const [price, reference] = [Decimal.fromUnits(...priced), Decimal.fromUnits(...referred)];
        const band = Decimal.fromUnits(BigInt(basisPoints), 4);
        // in whole numbers, so that nothing is rounded: price against reference x (1 +- band)
        const units = price.units * 10n ** BigInt(4 + reference.scale);
        const limit = (sign: 1n | -1n) =>
          reference.units * (10_000n + sign * BigInt(basisPoints)) * 10n ** BigInt(price.scale);
        const [above, below] = [units > limit(1n), units < limit(-1n)];
        const place = above ? 'costly' : below ? 'harmless' : 'within';
        expect(zoneInBand('buy', price, reference, band)).toBe(place);
        expect(zoneInBand('sell', price, reference, band)).toBe(above ? 'harmless' : below ? 'costly' : 'within');
      }),
    );
  });
});

describe('order-notional and day-notional', () => {
  const settings = { orderNotional: '1000usdt', dayNotional: '2500usdt' };

  it.each([
    ['pass at both limits', '1', '1500', []],
    ['hold an order just above the limit of one', '1.0001', '0', ['order-notional']],
    ['hold an order just above the limit of the day', '1', '1500.01', ['day-notional']],
    ['both hold an order above both limits', '2', '1000', ['order-notional', 'day-notional']],
  ])('%s', (_name, amount, today, guards) => {
    const { breaches } = guarded({
      orders: [['1000', amount]],
      settings,
      evidence: { today: Decimal.of(today) },
    });
    expect(breaches.map(({ guard }) => guard)).toEqual(guards);
  });

  it('name the notional and the limit', () => {
    expect(messages({ orders: [['1000', '2']], settings, evidence: { today: Decimal.of('600.50') } })).toEqual([
      'order-notional: the order comes to 2,000 usdt, and the limit for one order is 1,000 usdt',
      'day-notional: the orders of this UTC day would come to 2,600.5 usdt, and the limit is 2,500 usdt',
    ]);
  });

  it('checks the largest of several orders, and the sum of all for the day', () => {
    const orders = [
      ['1000', '0.9'],
      ['1000', '1'],
      ['1000', '0.9'],
    ] as const;
    expect(messages({ orders, settings })).toEqual([expect.stringContaining('come to 2,800 usdt')]);
    const larger = [...orders, ['1000', '1.5'], ['1000', '1.2'], ['1000', '1.5']] as const;
    expect(messages({ orders: larger, settings, isBatch: true })).toEqual([
      expect.stringContaining('order-notional: line 4 (and 2 more): the largest order'),
      expect.stringContaining('day-notional: the orders of this UTC day'),
    ]);
  });

  it.each<[string, Case, string[], string | undefined]>([
    ['a low sell at the best bid', { side: 'sell', orders: [['10', '2']] }, ['1,998', '2,998'], '999'],
    ['a sell above it at its price', { side: 'sell', orders: [['1500', '1']] }, ['1,500', '2,500'], '999'],
    [
      'a sell at its price where nobody bids',
      { side: 'sell', orders: [['10', '200']], evidence: { reading: { ...VIEW, bids: [] } } },
      ['2,000', '3,000'],
      undefined,
    ],
    [
      'each of several sells by itself',
      {
        side: 'sell',
        orders: [
          ['10', '1'],
          ['1100', '1'],
          ['1', '0.5'],
        ],
      },
      ['1,100', '3,598.5'],
      '999',
    ],
    ['a buy at its price', { side: 'buy', orders: [['10', '200']] }, ['2,000', '3,000'], undefined],
  ])('counts %s', (_name, given, [order, day], bid) => {
    const limits = { priceBand: 'off', orderNotional: '1usdt', dayNotional: '1usdt' };
    const evidence = { today: Decimal.of('1000'), ...given.evidence };
    const { breaches, ...rest } = guarded({ ...given, settings: limits, evidence });
    expect(breaches.map(({ message }) => message)).toEqual([
      expect.stringContaining(`order comes to ${order} usdt`),
      expect.stringContaining(`day would come to ${day} usdt`),
    ]);
    expect(rest.bestBid).toBe(bid);
  });

  it('holds a sell whose notional is unknown, and says why', () => {
    const unseen = { side: 'sell', evidence: { reading: UNREACHABLE, today: Decimal.of('600') } } as const;
    const messages = (order: readonly [string, string], limits: Record<string, string>) =>
      guarded({ ...unseen, orders: [order], settings: { priceBand: 'off', ...limits } }).breaches.map(
        ({ guard, failure }) => [guard, failure === UNREACHABLE],
      );
    expect(messages(['10', '2'], settings)).toEqual([
      ['order-notional', true],
      ['day-notional', true],
    ]);
    // at its own price it goes past one of them already
    expect(messages(['1000', '1.5'], settings)).toEqual([
      ['order-notional', false],
      ['day-notional', true],
    ]);
    expect(messages(['10', '2'], { orderNotional: 'off', dayNotional: 'off' })).toEqual([]);
    expect(guarded({ ...unseen, side: 'buy', orders: [['10', '2']], settings: { priceBand: 'off' } }).breaches).toEqual(
      [],
    );
  });

  it('explains why a sell counts for more than price times amount', () => {
    const because = 'counts at that bid';
    expect(messages({ side: 'sell', orders: [['990', '2']], settings })).toEqual([
      expect.stringMatching(
        /^order-notional: .* 1,998 usdt.*; a sell below the best bid \(999\.00\) counts at that bid$/,
      ),
    ]);
    expect(messages({ side: 'sell', orders: [['999', '2']], settings })).toEqual([
      expect.stringMatching(/^order-notional: .* 1,998 usdt, .* 1,000 usdt$/),
    ]);
    // the largest one is not below it
    expect(
      messages({
        side: 'sell',
        orders: [
          ['990', '0.1'],
          ['1100', '2'],
        ],
        settings,
      })[0],
    ).not.toContain(because);
    // one of those that the day sums is
    const day = {
      side: 'sell',
      orders: [
        ['990', '1'],
        ['1100', '1'],
      ],
      evidence: { today: Decimal.of('1000') },
    } as const;
    expect(messages({ ...day, settings: { ...settings, orderNotional: 'off' } })).toEqual([
      expect.stringMatching(/^day-notional: .* 3,099 usdt.* counts at that bid$/),
    ]);
  });

  it('never hold in a coin without a limit', () => {
    const limits: GuardLimits = { ...guardLimits({}), orderNotional: new Map(), dayNotional: new Map() };
    const order = { price: '1000', amount: '1000000000' };
    const plan = { market: { quote: 'doge', priceScale: 8 }, side: 'buy', type: 'limit', orders: [order] } as const;
    expect(checkGuards(plan, limits, { reading: VIEW, today: Decimal.zero }).breaches).toEqual([]);
  });
});

describe('post-only', () => {
  it.each<[Side, string, boolean]>([
    ['buy', '1000.99', false],
    ['buy', '1001', true],
    ['buy', '1002', true],
    ['sell', '999.01', false],
    ['sell', '999', true],
    ['sell', '998', true],
  ])('a %s at %s with bid 999 and ask 1001: holds is %s', (side, price, holds) => {
    const { breaches } = guarded({ side, type: 'postOnly', orders: [[price, '1']] });
    expect(breaches.map(({ guard }) => guard)).toEqual(holds ? ['post-only'] : []);
  });

  it('names the price that the order would match', () => {
    expect(messages({ type: 'postOnly', orders: [['1002', '1']] })).toEqual([
      'post-only: at 1,002.00 it would fill at once: the best ask is 1,001.00',
    ]);
    expect(messages({ side: 'sell', type: 'postOnly', orders: [['998', '1']] })).toEqual([
      expect.stringMatching(/ 998\.00 .* bid is 999\.00$/),
    ]);
  });

  it('holds PostOnly orders alone, and can be turned off', () => {
    expect(messages({ type: 'ioc', orders: [['1002', '1']] })).toEqual([]);
    const settings = { postOnlyGuard: 'off' };
    expect(messages({ type: 'postOnly', orders: [['1002', '1']], settings })).toEqual([]);
  });

  it('passes if the other side is empty, and holds if the book is unknown', () => {
    const order: Case = { type: 'postOnly', orders: [['1002', '1']] };
    expect(messages({ ...order, evidence: { reading: { ...VIEW, asks: [] } } })).toEqual([]);
    const unseen = guarded({ ...order, evidence: { reading: UNREACHABLE } }).breaches;
    expect(unseen.map(({ guard }) => guard)).toEqual(['price-band', 'post-only']);
  });
});

describe('the guards', () => {
  it.each<[Side, OrderType, Record<string, string>, Parameters<typeof needsBook>[2], boolean]>([
    ['buy', 'limit', {}, [], true],
    ['buy', 'limit', {}, ['price-band'], false],
    ['buy', 'limit', { priceBand: 'off' }, [], false],
    ['buy', 'limit', {}, ['order-notional'], true],
    ['buy', 'postOnly', {}, ['price-band'], true],
    ['buy', 'postOnly', { priceBand: 'off', postOnlyGuard: 'off' }, [], false],
    ['buy', 'postOnly', {}, ['price-band', 'post-only'], false],
    ['sell', 'limit', {}, ['price-band'], true],
    ['sell', 'limit', { priceBand: 'off' }, [], true],
    ['sell', 'ioc', { priceBand: 'off', dayNotional: 'off' }, [], true],
    ['sell', 'ioc', { priceBand: 'off', dayNotional: 'off' }, ['order-notional'], false],
    ['sell', 'limit', { priceBand: 'off' }, ['order-notional'], true],
    ['sell', 'limit', { priceBand: 'off' }, ['day-notional'], true],
    ['sell', 'limit', { priceBand: 'off' }, ['order-notional', 'day-notional'], false],
    ['sell', 'limit', { priceBand: 'off', orderNotional: 'off', dayNotional: 'off' }, [], false],
  ])('needs the book for a %s %s with %j and %j overridden: %s', (side, type, settings, overridden, expected) => {
    expect(needsBook({ side, type, quote: 'usdt' }, guardLimits(settings), overridden)).toBe(expected);
  });

  it('needs the book for a sell only if a limit exists in its quote coin', () => {
    const settings = guardLimits({ priceBand: 'off' });
    expect(needsBook({ side: 'sell', type: 'limit', quote: 'doge' }, settings, [])).toBe(false);
  });
});
