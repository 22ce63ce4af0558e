import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { AlgoMarket } from '../../../../src/trading/algos/plan/algo-market.js';
import type { Child } from '../../../../src/trading/algos/plan/children.js';
import { decide } from '../../../../src/trading/algos/plan/decide.js';
import { nextStep } from '../../../../src/trading/algos/plan/next-step.js';
import { isQuiet, quietRange } from '../../../../src/trading/algos/plan/quiet-range.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import { seenAfter } from '../../../../src/trading/algos/plan/trigger.js';
import { type AlgoFact, type AlgoFacts, foldFacts } from '../../../../src/trading/algos/record/facts.js';
import { chosen } from '../../campaign/draw.js';
import { chase, DRAWN_ENTRIES, drawEntry, limit, twap } from '../support/entries.js';
import { algo, buy, sell, type Typed } from '../support/terms.js';

const START = Date.UTC(2026, 0, 5);
const NOW = START + 60_000;

/** In cents. */
const price = fc.integer({ min: 9_000, max: 11_000 });
const text = (cents: number) => (cents / 100).toFixed(2);

interface Book {
  readonly bid: number | null;
  readonly ask: number | null;
}

const book = fc.record({ bid: fc.option(price, { nil: null }), ask: fc.option(price, { nil: null }) });

/** A market with a book, and the band that a share leaves around its middle. */
function marketWith({ bid, ask }: Book, share: string | null, seen: AlgoMarket['seen'] = null): AlgoMarket {
  const of = (cents: number | null) => (cents === null ? null : Decimal.of(text(cents)));
  const middle = ask === null ? bid : bid === null || bid >= ask ? ask : (bid + ask) / 2;
  const edge = (sign: number) =>
    Decimal.of(((middle ?? 0) / 100).toFixed(3)).times(Decimal.of(`${1 + sign * Number(share)}`));
  return {
    ...{
      now: NOW,
      staleAfterMs: Number.POSITIVE_INFINITY,
      positionAgeMs: 30_000,
      last: null,
      seen,
      gap: null,
      met: null,
    },
    ...{ available: null, balance: null, fundsChanged: null, limitedUntil: null },
    book: { bid: of(bid), ask: of(ask), othersBid: of(bid), othersAsk: of(ask), ageMs: 0 },
    band: share === null || middle === null ? null : { low: edge(-1), high: edge(1) },
  };
}

function factsOf(terms: AlgoTerms, ...more: AlgoFact[]): AlgoFacts {
  const began = { fact: 'began', time: START, terms, bid: Decimal.of('100'), ask: Decimal.of('100.1') } as const;
  const facts = foldFacts([began, ...more]);
  if (facts === undefined) throw new Error('it did not begin');
  return facts;
}

const best = (cents: number): AlgoFact => ({
  ...{ fact: 'best', time: START + 1_000, price: Decimal.of(text(cents)), tradeId: null },
});

/** Exits near the prices of the books, as they are typed. */
const exits: fc.Arbitrary<Typed> = fc.oneof(
  price.map((cents) => ({ stop: text(cents) })),
  fc.tuple(price, price).map(([stop, at]) => ({ stop: text(stop), limit: text(at) })),
  fc.constantFrom('0.5%', '2%', '5%', '3', '200ticks').map((trail) => ({ trail })),
  fc.tuple(price, fc.constantFrom('2%', '3')).map(([stop, trail]) => ({ stop: text(stop), trail })),
);
const terms = fc
  .tuple(
    fc.constantFrom('buy', 'sell'),
    fc.constantFrom('0.02', '0.051', '1'),
    exits,
    fc.constantFrom('0', '0.01', '0.3'),
  )
  .map(([side, amount, typed, slippage]) => algo(side, amount, { ...typed, slippage }));

/** A slice that has filled. */
const SLICE = {
  ...{ number: 1, role: 'entry', type: 'ioc', price: Decimal.of('100'), amount: Decimal.of('0.1') },
  ...{ state: 'closed', end: 'filled', filled: Decimal.of('0.1'), filledValue: Decimal.of('10') },
  ...{ fees: [], refusal: null, time: START + 1_000, cancelRefused: null, duplicate: null },
} as const;
const OPEN = { type: 'postOnly', state: 'open', end: null, filled: Decimal.of('0') } as const;

const slice = fc.tuple(price, fc.integer({ min: 1_000, max: 60_000 }), fc.boolean()).map(([cents, ago, isOpen]) => ({
  ...{ ...SLICE, price: Decimal.of(text(cents)), time: NOW - ago },
  ...(isOpen ? OPEN : {}),
}));
const cents = (value: number) => Decimal.of(text(value));
const drawnEntry = fc
  .tuple(fc.constantFrom(...DRAWN_ENTRIES), price, price, fc.infiniteStream(fc.integer({ min: 0, max: 999 })))
  .map(([name, near, bound, numbers]) => {
    const draw = () => numbers.next().value / 1_000;
    return drawEntry(name, {
      chance: (share) => draw() < share,
      pick: (values) => chosen(draw, values),
      ...{ near: cents(near), amount: Decimal.of('0.5000'), least: Decimal.of('0.0556'), bound: cents(bound) },
      ...{ everyMs: [30_000, 60_000, 120_000], slots: [5, 10, 20] },
    });
  });
const entries = fc
  .tuple(
    fc.constantFrom('buy', 'sell'),
    fc.constantFrom('0.25', '0.5', '4'),
    // campaigns draw no bound of slices
    fc.oneof(
      { weight: 4, arbitrary: drawnEntry },
      { weight: 1, arbitrary: price.map((at) => twap(10, { bound: text(at) })) },
    ),
    fc.constantFrom([], [], [], ['last>1']),
  )
  .map(([side, amount, entry, when]) => algo(side, amount, { entry, when }));
const share = fc.constantFrom(null, '0', '0.01', '0.1');

describe('the quiet range of an algo order', () => {
  it('has only books after which the same is decided as before', () => {
    let quiet = 0;
    fc.assert(
      fc.property(
        terms,
        fc.option(price, { nil: null }),
        share,
        book,
        fc.array(book, { minLength: 1, maxLength: 5 }),
        (...drawn) => {
          const [asked, highest, band, first, later] = drawn;
          const facts = factsOf(asked, ...(highest === null ? [] : [best(highest)]));
          let market = marketWith(first, band);
          const decision = decide(asked, facts, market, []);
          fc.pre(nextStep(decision, [], NOW).step === 'wait');
          const seen = seenAfter(asked, facts, market);
          const range = quietRange({ terms: asked, facts, market: { ...market, seen }, children: [] });
          fc.pre(range !== null);
          for (const next of later) {
            market = marketWith(next, band, seenAfter(asked, facts, market));
            if (market.book === null || range === null || !isQuiet(range, asked, market.book)) return;
            quiet += 1;
            expect(decide(asked, facts, market, [])).toEqual(decision);
          }
        },
      ),
      { numRuns: 200 },
    );
    expect(quiet).toBeGreaterThan(15);
  });

  it('of an entry has only books after which the same is decided as before, whatever it has placed', () => {
    let quiet = 0;
    fc.assert(
      fc.property(
        entries,
        fc.array(slice, { maxLength: 3 }),
        share,
        fc.record({ bid: price, ask: price }),
        fc.array(fc.tuple(book, fc.nat(300)), { minLength: 1, maxLength: 8 }),
        (asked, slices, band, first, later) => {
          const facts = factsOf(asked);
          const children = slices.map((one, index) => ({ ...one, number: index + 1 }) as Child);
          const input = { terms: asked, facts, market: marketWith(first, band), children };
          const decision = decide(asked, facts, input.market, children);
          fc.pre(nextStep(decision, children, NOW).step === 'wait');
          const range = quietRange(input);
          fc.pre(range !== null);
          for (const [next, behind] of later) {
            const market = marketWith(next, band);
            if (market.book === null || range === null || !isQuiet(range, asked, market.book)) continue;
            quiet += 1;
            // its own orders may be at the top
            const apart = Decimal.of(text(behind));
            const [othersBid, othersAsk] = [
              market.book.bid?.minus(apart) ?? null,
              market.book.ask?.plus(apart) ?? null,
            ];
            const seen = { ...market, book: { ...market.book, othersBid, othersAsk } };
            expect(decide(asked, facts, seen, children)).toEqual(decision);
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(quiet).toBeGreaterThan(60);
  });

  it.each<[string, AlgoTerms, Partial<Child> | null, boolean]>([
    ['a TWAP between two slices', buy('1', { entry: twap(10, { everyMs: 120_000 }) }), { time: NOW - 30_000 }, true],
    ['a TWAP whose slice is due', buy('1', { entry: twap(10) }), { time: START }, false],
    ['an entry that waits for a condition', buy('1', { entry: limit('90'), when: ['last>1'] }), null, true],
    ['a chase that rests at its limit', buy('1', { entry: chase('95') }), { ...OPEN, price: Decimal.of('95') }, true],
    ['a chase that rests below its limit', buy('1', { entry: chase() }), { ...OPEN, price: Decimal.of('99.9') }, false],
  ])('of %s has prices around the present ones or not', (_, asked, placed, isWithin) => {
    const children = placed === null ? [] : [{ ...SLICE, ...placed } as Child];
    const market = marketWith({ bid: 10_000, ask: 10_010 }, null);
    const range = quietRange({ terms: asked, facts: factsOf(asked), market, children });
    const isStill = [
      { bid: 9_900, ask: 9_910 },
      { bid: 10_300, ask: 10_310 },
    ].every((next) => {
      const { book: seen } = marketWith(next, null);
      return range !== null && seen !== null && isQuiet(range, asked, seen);
    });
    expect(isStill).toBe(isWithin);
  });

  it.each([
    ['at the stop', 'sell', { stop: '95' }, { bid: 9_500, ask: 9_510 }, false],
    ['just above the stop', 'sell', { stop: '95' }, { bid: 9_501, ask: 9_510 }, true],
    ['without a price that could reach the stop', 'sell', { stop: '95' }, { bid: null, ask: 9_510 }, false],
    ['at the stop of a buy', 'buy', { stop: '105' }, { bid: 10_400, ask: 10_500 }, false],
    ['just below the stop of a buy', 'buy', { stop: '105' }, { bid: 10_400, ask: 10_499 }, true],
    ['at the best price of a trail', 'sell', { trail: '2%' }, { bid: 10_100, ask: 10_110 }, true],
    ['above the best price of a trail', 'sell', { trail: '2%' }, { bid: 10_101, ask: 10_110 }, false],
    ['where a trail stops', 'sell', { trail: '2%' }, { bid: 9_898, ask: 9_910 }, false],
    ['just above where a trail stops', 'sell', { trail: '2%' }, { bid: 9_899, ask: 9_910 }, true],
  ] as const)('of a stop or a trail from 101: a book %s of %s is %s', (_, side, typed, shown, isWithin) => {
    const asked = algo(side, '1', typed);
    const facts = factsOf(asked, best(10_100));
    const range = quietRange({
      terms: asked,
      facts,
      market: marketWith({ bid: 10_000, ask: 10_010 }, null),
      children: [],
    });
    const { book: next } = marketWith(shown, null);
    expect(range !== null && next !== null && isQuiet(range, asked, next)).toBe(isWithin);
  });

  it.each([
    ['sell', { stop: '20' }],
    ['buy', { stop: '500' }],
  ] as const)('of a %s whose stop is far away has the prices around the present ones', (side, typed) => {
    const asked = algo(side, '5', typed);
    const market = marketWith({ bid: 10_000, ask: 10_010 }, null);
    const range = quietRange({ terms: asked, facts: factsOf(asked), market, children: [] });
    for (const next of [
      market.book,
      marketWith({ bid: 9_000, ask: 9_010 }, null).book,
      marketWith({ bid: 11_000, ask: 11_010 }, null).book,
    ])
      expect(range !== null && next !== null && isQuiet(range, asked, next)).toBe(true);
  });

  const resting = marketWith({ bid: 10_000, ask: 10_010 }, null);
  it.each<[string, AlgoTerms, readonly AlgoFact[], AlgoMarket]>([
    ['has no best price yet', sell('1', { trail: '2%' }), [], resting],
    ['follows trades', sell('1', { stop: '95', trigger: 'last' }), [], resting],
    ['has a better price to write', sell('1', { trail: '2%' }), [best(9_900)], resting],
    [
      'saw a better price that it may not write yet',
      sell('1', { trail: '2%' }),
      [{ ...best(9_900), time: NOW }],
      resting,
    ],
    ['has its stop reached', sell('1', { stop: '101' }), [], resting],
    ['follows the book with its entry', buy('1', { entry: chase(), stop: '95' }), [], resting],
    ['has nothing to protect yet', buy('1', { entry: limit('99'), stop: '95' }), [], resting],
    ['sees no book', sell('1', { stop: '95' }), [], { ...resting, book: null }],
    [
      'has just missed a part of the market',
      sell('1', { stop: '95' }),
      [],
      { ...resting, gap: { from: START, to: NOW, high: null, low: null, trailBest: null, unknown: null } },
    ],
    ['would send less than the minimum', sell('0.05', { stop: '95', slippage: '0.01' }), [], resting],
    ['is being cancelled', sell('1', { stop: '95' }), [{ fact: 'cancelled', time: NOW, reason: 'so' }], resting],
  ])('is none for one that %s', (_, asked, facts, market) => {
    expect(quietRange({ terms: asked, facts: factsOf(asked, ...facts), market, children: [] })).toBeNull();
  });
});
