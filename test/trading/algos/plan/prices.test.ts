import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { AlgoBook, AlgoMarket } from '../../../../src/trading/algos/plan/algo-market.js';
import {
  fits,
  hitPrice,
  isBlind,
  isUsable,
  limitWithSlippage,
  noWorse,
  onTick,
  restingPrice,
} from '../../../../src/trading/algos/plan/prices.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import { missedIn, observeStop, seenAfter } from '../../../../src/trading/algos/plan/trigger.js';
import { type AlgoFact, foldFacts } from '../../../../src/trading/algos/record/facts.js';
import { MARKET } from '../../support/market.js';
import { limit } from '../support/entries.js';
import { buy, sell } from '../support/terms.js';

// The prices that decisions rest on, at their boundaries. What follows from them is in the tables of entries and exits.

const d = (text: string) => Decimal.of(text);
const textOf = (price: Decimal | null) => price?.toString() ?? null;
const START = Date.UTC(2026, 0, 5);

interface Shown extends Partial<Omit<AlgoMarket, 'book'>> {
  readonly book?: Partial<AlgoBook> | null;
}

/** A market a minute after the start, at 100 to 101. */
function market({ book = {}, ...more }: Shown = {}): AlgoMarket {
  const prices = { bid: d('100'), ask: d('101'), othersBid: d('99'), othersAsk: d('102'), ageMs: 0 };
  const none = { met: null, band: null, available: null, balance: null, fundsChanged: null, limitedUntil: null };
  return {
    ...{ now: START + 60_000, staleAfterMs: 5_000, last: null, positionAgeMs: 60_000, seen: null, gap: null, ...none },
    book: book === null ? null : { ...prices, ...book },
    ...more,
  };
}

const bookOf = (bid: string, ask: string, ageMs = 0): Partial<AlgoBook> => ({ bid: d(bid), ask: d(ask), ageMs });

function factsOf(terms: AlgoTerms, ...more: readonly AlgoFact[]) {
  const facts = foldFacts([{ fact: 'began', time: START, terms, bid: d('100'), ask: d('101') }, ...more]);
  if (facts === undefined) throw new Error('it did not begin');
  return facts;
}

describe('a book', () => {
  it.each([
    ['of exactly the age that is allowed is used, and the market is seen', bookOf('100', '101', 5_000), true, false],
    ['that is a millisecond older is not used, and the market is not seen', bookOf('100', '101', 5_001), false, true],
    ['that is crossed is not used, although the market is seen', bookOf('101', '100'), false, false],
    ['that is missing is not used, and the market is not seen', null, false, true],
  ])('%s', (_, book, usable, blind) => {
    const shown = market({ book });
    expect([isUsable(shown), isBlind(shown)]).toEqual([usable, blind]);
    const prices = [hitPrice(shown, 'sell'), hitPrice(shown, 'buy')];
    expect(prices.map(textOf)).toEqual(usable ? ['100', '101'] : [null, null]);
    const resting = [restingPrice(shown, 'sell'), restingPrice(shown, 'buy')];
    expect(resting.map(textOf)).toEqual(usable ? ['102', '99'] : [null, null]);
  });
});

describe('a bound', () => {
  it.each([
    ['buy', '101', '100', '100'],
    ['buy', '99', '100', '99'],
    ['sell', '99', '100', '100'],
    ['sell', '101', '100', '101'],
    ['sell', '101', null, '101'],
  ] as const)('of a %s at %s with %s gives %s', (side, price, bound, expected) => {
    expect(textOf(noWorse(side, d(price), bound === null ? null : d(bound)))).toBe(expected);
  });
});

it.each([
  ['a buy that rests is rounded down to a tick', 'buy', '100.019', '100.01'],
  ['a sell that rests is rounded up to a tick', 'sell', '100.011', '100.02'],
  ['a price of whole ticks is not rewritten', 'sell', '100.0100', '100.0100'],
] as const)('%s', (_, side, price, expected) => {
  expect(textOf(onTick(MARKET, side, d(price)))).toBe(expected);
});

describe('the limit of an order that starts from a price', () => {
  const BAND = { low: d('99.5'), high: d('100.5') };

  it.each([
    ['a buy: above it', 'buy', '100', '0.01', null, null, '101.00'],
    ['a sell: below it', 'sell', '100', '0.01', null, null, '99.00'],
    ['a buy: rounded down to a tick', 'buy', '100.01', '0.0001', null, null, '100.02'],
    ['a sell: rounded up to a tick', 'sell', '100.01', '0.0001', null, null, '100.00'],
    ['a buy: not above the bound', 'buy', '100', '0.01', '100.7', null, '100.70'],
    ['a sell: not below the bound', 'sell', '100', '0.01', '99.7', null, '99.70'],
    ['a buy: not above the band', 'buy', '100', '0.01', null, BAND, '100.50'],
    ['a sell: not below the band', 'sell', '100', '0.01', null, BAND, '99.50'],
    ['a buy: the nearer of bound and band', 'buy', '100', '0.01', '100.3', BAND, '100.30'],
    ['a sell: the nearer of bound and band', 'sell', '100', '0.01', '99.2', BAND, '99.50'],
    ['a sell: a tick at least', 'sell', '100', '1', null, null, '0.01'],
    ['a sell: exactly a tick', 'sell', '0.02', '0.5', null, null, '0.01'],
  ] as const)('%s', (_, side, from, slippage, bound, band, expected) => {
    const terms = { market: MARKET, slippage: d(slippage) };
    const limit = limitWithSlippage(terms, side, d(from), { band }, bound === null ? null : d(bound));
    expect(textOf(limit)).toBe(expected);
  });
});

it.each([
  ['exactly the smallest amount', '5000', '0.001', true],
  ['less than the smallest amount', '50000', '0.0009', false],
  ['exactly the smallest notional', '100', '0.05', true],
  ['less than the smallest notional', '100', '0.0499', false],
  ['a price of zero', '0', '1', false],
  ['an amount of zero', '100', '0', false],
])('the market takes or rejects %s', (_, price, amount, expected) => {
  expect(fits(MARKET, d(price), d(amount))).toBe(expected);
});

it('without minimums, a price or an amount of zero is still no order', () => {
  const rules = { ...MARKET, minAmount: '0', minNotional: '0' };
  const tried = [fits(rules, d('0'), d('1')), fits(rules, d('1'), d('0')), fits(rules, d('0.01'), d('0.0001'))];
  expect(tried).toEqual([false, false, true]);
});

describe('a stop', () => {
  const STOP = sell('1', { stop: '100' });
  const LAST = sell('1', { stop: '100', trigger: 'last' });
  const reached = (terms: AlgoTerms, shown: Shown) =>
    textOf(observeStop({ terms, facts: factsOf(terms), market: market(shown), children: [] }).reachedAt);
  const trade = (price: string, ageMs = 0) => ({ price: d(price), tradeId: '1', ageMs });

  it.each([
    ['is reached by a price that touches it', STOP, {}, '100'],
    ['is not reached a tick before it', sell('1', { stop: '99.99' }), {}, null],
    ['of a buy is reached by an ask that touches it', buy('1', { stop: '101' }), {}, '101'],
    ['of a buy is not reached a tick before it', buy('1', { stop: '101.01' }), {}, null],
    ['is reached by a book of the very moment of its start', STOP, { now: START + 10, book: { ageMs: 10 } }, '100'],
    ['is not reached by a book from before its start', STOP, { now: START + 10, book: { ageMs: 11 } }, null],
    ['is reached by a trade of exactly the age that is allowed', LAST, { last: trade('99', 5_000) }, '99'],
    ['is not reached by an older trade', LAST, { last: trade('99', 5_001) }, null],
    ['is not reached by a trade while the book is too old', LAST, { last: trade('99'), book: { ageMs: 5_001 } }, null],
    ['that looks at trades is not reached by the book', LAST, { last: trade('101') }, null],
    ['that looks at trades waits for the first one', LAST, {}, null],
  ] as const)('%s', (_, terms, shown, expected) => {
    expect(reached(terms, shown)).toBe(expected);
  });
});

describe('a trail', () => {
  const TRAIL = sell('1', { trail: '2' });
  const best = (price: string, time: number): AlgoFact => ({ fact: 'best', time, price: d(price), tradeId: null });
  const at = (bid: string, more: Shown = {}) => market({ book: bookOf(bid, '200'), ...more });
  const observed = (shown: AlgoMarket, ...facts: readonly AlgoFact[]) => {
    const { level, reachedAt, fact, until } = observeStop({
      ...{ terms: TRAIL, facts: factsOf(TRAIL, ...facts), market: shown, children: [] },
    });
    return [textOf(level), textOf(reachedAt), fact?.fact ?? null, until === null ? null : until - START];
  };

  it('writes a better price exactly a second after the last one, and says until when it waits', () => {
    const last = best('105', START + 59_000);
    expect(observed(at('106'), last)).toEqual(['104', null, 'best', null]);
    expect(observed(at('106', { now: START + 59_999 }), last)).toEqual(['104', null, null, 60_000]);
  });

  it('does not write the same price again', () => {
    expect(observed(at('105'), best('105', START))).toEqual(['103', null, null, null]);
  });

  it('follows a price that was seen meanwhile before it holds the market against its level', () => {
    const seen = { high: d('110'), low: d('100') };
    expect(observed(at('108', { seen }), best('105', START + 59_500))).toEqual(['108', '108', 'best', null]);
  });

  it('follows nothing older than what it protects, and something of the same age', () => {
    const facts = best('105', START);
    expect(observed(market({ book: bookOf('106', '200', 7), positionAgeMs: 6 }), facts)[2]).toBeNull();
    expect(observed(market({ book: bookOf('106', '200', 7), positionAgeMs: 7 }), facts)[2]).toBe('best');
    expect(observed(market({ book: bookOf('106', '200', 7), positionAgeMs: null }), facts)[2]).toBeNull();
  });

  const gap = { from: START + 10_000, to: START + 20_000, high: d('105.5'), low: d('90'), unknown: null };

  it.each([
    ['that was there before the gap takes it in', d('105'), ['105.5', '90']],
    ['that begins after the gap leaves it out', null, ['104', '104']],
  ])('%s, whatever the first book after it has shown', (_, before, [high, low]) => {
    const shown = at('104', { gap: { ...gap, trailBest: before } });
    const terms = buy('1', { entry: limit('104'), trail: '2%' });
    const facts = factsOf(terms, best('105', START + 20_001));
    const seen = seenAfter(terms, facts, shown);
    expect([textOf(seen?.high ?? null), textOf(seen?.low ?? null)]).toEqual([high, low]);
  });

  it('was reached in a gap at the level that it had before, and not at that of the first book after it', () => {
    const missed = (low: string) =>
      missedIn({
        ...{ terms: TRAIL, facts: factsOf(TRAIL, best('110', START + 20_001)), children: [] },
        market: at('109', { gap: { ...gap, low: d(low), trailBest: d('100') } }),
      });
    expect([missed('98.01'), textOf(missed('98')?.level ?? null)]).toEqual([null, '98']);
  });

  it('keeps the highest and the lowest of what was seen, and nothing if nothing was', () => {
    const facts = factsOf(TRAIL, best('105', START));
    const seen = seenAfter(TRAIL, facts, at('104', { seen: { high: d('104.5'), low: d('103') } }));
    expect([textOf(seen?.high ?? null), textOf(seen?.low ?? null)]).toEqual(['104.5', '103']);
    expect(seenAfter(TRAIL, facts, market({ book: null }))).toBeNull();
  });
});

describe('a crossing in a gap', () => {
  const STOP = sell('1', { stop: '98' });
  const missed = (low: string | null, bid = '100') => {
    const gap = {
      ...{ from: START, to: START + 1, high: null, low: low === null ? null : d(low) },
      ...{ trailBest: null, unknown: null },
    };
    const found = missedIn({
      ...{ terms: STOP, facts: factsOf(STOP), market: market({ gap, book: bookOf(bid, '101') }), children: [] },
    });
    return found === null ? null : `${found.price} at ${found.level}`;
  };

  it.each([
    ['that touched the stop and came back was missed', '98', '100', '98 at 98'],
    ['that stayed a tick above it was none', '98.01', '100', null],
    ['that lasts is none: the stop acts', '97', '98', null],
    ['is not reported if nothing is known of the gap', null, '100', null],
  ])('%s', (_, low, bid, expected) => {
    expect(missed(low, bid)).toBe(expected);
  });
});
