import { describe, expect, it } from 'vitest';
import type { Candle } from '../../../../src/domain/candle.js';
import { Decimal } from '../../../../src/domain/decimal.js';
import { Failure } from '../../../../src/errors.js';
import type { AlgoTerms, TrailDistance } from '../../../../src/trading/algos/plan/terms.js';
import { compareTrail, trailReport, usualMovement } from '../../../../src/trading/algos/plan/trail-distance.js';

const MARKET = {
  ...{ market: 'btc_usdt', base: 'btc', quote: 'usdt', priceScale: 2, amountScale: 4 },
  ...{ tickSize: '0.01', lotSize: '0.0001', minAmount: '0.001', minNotional: '5' },
};

function termsOf(trail: TrailDistance, side: 'buy' | 'sell'): AlgoTerms {
  return {
    ...{ id: '', profile: 'main', owner: 'main', market: MARKET, account: 'spot', borrow: false, repay: false },
    ...{ side, amount: Decimal.of('1'), entry: null, when: [], slippage: Decimal.of('0.01'), trigger: 'book' },
    ...{ exits: { take: null, stop: null, limit: null, trail }, forMs: null, exec: null, notify: false },
  };
}

const trail = (unit: TrailDistance['unit'], value: string): TrailDistance => ({ unit, value: Decimal.of(value) });

/** The report on a trail in a book of 100.00 / 100.10 whose minutes usually move by `movement`. */
function report(
  distance: TrailDistance,
  movement: string,
  {
    side = 'sell',
    bid = '100',
    ask = '100.1',
  }: { side?: 'buy' | 'sell'; bid?: string | null; ask?: string | null } = {},
) {
  const book = { bid: bid === null ? null : Decimal.of(bid), ask: ask === null ? null : Decimal.of(ask) };
  const usual = /^\d/.test(movement) ? Decimal.of(movement) : movement;
  const { breach, warnings } = trailReport(termsOf(distance, side), distance, book, usual);
  return [...(breach === null ? [] : [`${breach.guard}: ${breach.message}`]), ...warnings];
}

describe('a trail that is narrower than the spread', () => {
  it.each([
    ['a price', trail('price', '0.02'), '0.2', 'Use 0.20 or more, or 2% if you mean a share'],
    ['a whole number', trail('price', '0.09'), '0.05', 'Use 0.10 or more, or 9% if you mean a share'],
    ['ticks', trail('ticks', '9'), '0.05', 'Use 0.10 or more'],
    ['a share', trail('share', '0.0002'), '1.5', 'Use 1.50 or more'],
  ])('is a breach that names the number that works: %s', (_, distance, movement, works) => {
    const found = report(distance, movement);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^trail-distance: the trail 0\.0\d usdt is narrower than the spread of 0\.10, so that /);
    expect(found[0]?.endsWith(works)).toBe(true);
  });

  it('is one on both sides, and no trail as wide as the spread is', () => {
    expect(report(trail('ticks', '9'), '0', { side: 'buy' })).toHaveLength(1);
    expect(report(trail('ticks', '10'), '0', { side: 'buy' })).toEqual([]);
    expect(report(trail('ticks', '10'), '0')).toEqual([]);
  });
});

describe('a trail that is narrower than what the market usually moves within a minute', () => {
  it('is a warning that names the number that works', () => {
    expect(report(trail('price', '2'), '2.505')).toEqual([
      'The trail 2.00 usdt is less than this market usually moves within a minute (2.51), so it may be reached soon. ' +
        'Use 2.51 or more, or 2% if you mean a share.',
    ]);
    expect(report(trail('price', '2.51'), '2.505')).toEqual([]);
  });

  it('says what it could not be compared with, which is neither a warning of its width nor a yes', () => {
    expect(report(trail('price', '2'), 'the candles could not be read (busy)')).toEqual([
      "The trail could not be compared with the market's usual movement of a minute: the candles could not be read (busy).",
    ]);
    expect(report(trail('price', '2'), '0', { ask: null })).toEqual([
      'The trail could not be compared with the spread: the book has no asks.',
    ]);
    expect(report(trail('price', '2'), '0', { ask: '99' })).toEqual([
      'The trail could not be compared with the spread: the book is crossed.',
    ]);
    expect(report(trail('price', '2'), '1', { bid: null })).toEqual([
      'The trail could not be compared with the market: the book has no bids.',
    ]);
  });
});

describe('the usual movement of a minute', () => {
  const candle = (high: string, low: string, close: string, closed = true): Candle => ({
    ...{ time: 0, open: low, high, low, close, volume: '1', closed },
  });

  it('is the median of the minutes that are over, each from the close before it', () => {
    const candles = [candle('900', '1', '100'), candle('103', '102', '102'), candle('102', '101', '101')];
    // 3 from the close before it, 1, then 20; the minute that runs does not count
    const jump = [...candles, candle('120', '119', '120'), candle('999', '1', '5', false)];
    expect(usualMovement(jump)).toEqual(Decimal.of('3'));
  });

  it.each([[[]], [[candle('3', '1', '2')]], [[candle('3', '1', '2'), candle('3', '1', '2', false)]]])(
    'is unknown without one that is over',
    (candles) => {
      expect(usualMovement(candles)).toBe('the exchange shows no minute that is over');
    },
  );
});

describe('candles', () => {
  const terms = termsOf(trail('price', '2'), 'sell');
  const book = { bid: Decimal.of('100'), ask: Decimal.of('100.1') };
  const waits: number[] = [];
  const untilAborted = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));

  it('that cannot be read leave a sentence', async () => {
    const client = { candles: () => Promise.reject(new Failure('unreachable', 'No answer: connection reset.')) };
    const { breach, warnings } = await compareTrail({ client, host: { sleep: untilAborted } }, terms, book);
    expect(breach).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('could not be read (No answer: connection reset)')]);
  });

  it('that do not come keep a stop waiting for three seconds at most', async () => {
    const host = {
      sleep: async (ms: number) => {
        waits.push(ms);
      },
    };
    const client = { candles: () => new Promise<never>(() => undefined) };
    const { warnings } = await compareTrail({ client, host }, terms, book);
    expect(warnings).toEqual([expect.stringContaining('the candles were not read in time')]);
    expect(waits).toEqual([3_000]);
  });
});
