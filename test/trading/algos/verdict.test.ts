import { describe, expect, it } from 'vitest';
import {
  type AlgoReport,
  type AlgoRun,
  judgeAlgoReport,
  judgeAlgoRun,
  type LoggedOrder,
  type VerdictTerms,
} from '../../support/algo-verdict.js';

// Each case is a run that is right, with one thing changed. Times are in seconds, for reading.

const TERMS: VerdictTerms = {
  ...{ side: 'sell', amount: '1', entry: null, slippage: '0.01', trigger: 'book' },
  market: { tickSize: '0.01', lotSize: '0.0001', minAmount: '0.001', minNotional: '5' },
  exits: { take: '110', stop: '98', limit: null, trail: null },
};

type Point = readonly [second: number, bid: string, ask: string];

function pathOf(...points: readonly Point[]): AlgoRun['path'] {
  return points.map(([second, bid, ask]) => ({ time: second * 1_000, bid, ask, last: null }));
}

/** Open from one second to another, and filled by so much just before the end. */
function order(
  id: string,
  price: string,
  amount: string,
  [from, to]: readonly [number, number | null],
  more: Partial<LoggedOrder> & { readonly filled?: string } = {},
): LoggedOrder {
  const { filled = '0', ...parts } = more;
  const fills = filled === '0' || to === null ? [] : [{ time: to * 1_000, amount: filled, baseFee: '0' }];
  return {
    ...{ id, side: 'sell', price, amount, placed: from * 1_000, closed: to === null ? null : to * 1_000 },
    ...{ cancelledBy: null, fills, isDuplicate: false },
    ...parts,
  };
}

const TAKE = order('1', '110', '1', [0, 10], { cancelledBy: 'owner' });
const STOP = order('2', '97.02', '1', [10, 11], { filled: '1' });
const FALL = pathOf([0, '100', '101'], [10, '98', '99'], [30, '97', '98']);

const OCO: AlgoRun = {
  ...{ terms: TERMS, began: 0, started: 0, ended: 12_000, path: FALL, orders: [TAKE, STOP] },
  ...{ unseen: [], held: [], barred: [], staleMs: 5_000, graceMs: 2_000, toleranceMs: 0 },
  ...{ triggered: 10_000, inattentive: [], promptMs: 5_000, newPriceScale: null },
};

function faults(changes: Partial<AlgoRun>, terms: Partial<VerdictTerms> = {}): string[] {
  return judgeAlgoRun({ ...OCO, ...changes, terms: { ...TERMS, ...terms } }).map(({ fault, at }) => `${fault}: ${at}`);
}

const exits = (parts: Partial<NonNullable<VerdictTerms['exits']>>) => ({
  exits: { take: null, stop: null, limit: null, trail: null, ...parts },
});

describe('the verdict on a run of an algo order', () => {
  it('finds nothing wrong with one that is right', () => {
    expect(faults({})).toEqual([]);
  });

  it('finds an order that exceeds what was asked, with what has filled and is open', () => {
    expect(faults({ orders: [TAKE, STOP, order('3', '97.02', '0.5', [11, 12])] })).toEqual(['more than the amount: 3']);
    const half = order('1', '110', '1', [0, 10], { filled: '0.5' });
    expect(faults({ orders: [half, STOP] })).toEqual(['more than the amount: 2']);
  });

  it('counts an exit against what the entry has filled by then, less its fee', () => {
    const entry = { kind: 'limit', price: '100' } as const;
    const fills = [{ time: 5_000, amount: '1', baseFee: '0.002' }];
    const bought = order('0', '100', '1', [0, 5], { side: 'buy', fills });
    const [fits, exceeds] = ['0.998', '0.9981'].map((amount) =>
      order('2', '97.02', amount, [10, 11], { filled: amount }),
    );
    expect(faults({ orders: [bought, fits as LoggedOrder] }, { side: 'buy', entry })).toEqual([]);
    expect(faults({ orders: [bought, exceeds as LoggedOrder] }, { side: 'buy', entry })).toEqual([
      'more than the amount: 2',
    ]);
  });

  it('finds two exits that are open at once', () => {
    const late = order('1', '110', '0.5', [0, 10.5], { cancelledBy: 'owner' });
    const stop = order('2', '97.02', '0.5', [10, 11], { filled: '0.5' });
    expect(faults({ orders: [late, stop] })).toEqual(['two exits at once: 2']);
  });

  it('leaves out what the network made', () => {
    expect(faults({ orders: [TAKE, STOP, { ...STOP, id: '3', isDuplicate: true, closed: null }] })).toEqual([]);
  });

  it('finds an order that is open after the end', () => {
    expect(faults({ orders: [TAKE, { ...STOP, closed: null }] })).toEqual(['left open: 2']);
    expect(faults({ orders: [TAKE, { ...STOP, closed: 12_001 }] })).toEqual(['left open: 2']);
  });

  it('finds a stop that was reached, and stayed so, without an order', () => {
    const late = order('2', '96.03', '1', [12.1, 13], { filled: '1' });
    expect(faults({ orders: [TAKE, late], ended: 20_000 })).toEqual([
      'stop not acted upon: 10000',
      'beyond the slippage: 2',
    ]);
    expect(faults({ orders: [TAKE], ended: null })).toEqual(['stop not acted upon: 10000']);
    const brief = pathOf([0, '100', '101'], [10, '98', '99'], [11.9, '98.01', '99'], [30, '100', '101']);
    expect(faults({ orders: [TAKE], ended: null, path: brief })).toEqual([]);
  });

  it('does not ask for an order while nothing was seen, it was held, or too little was left', () => {
    const held = [{ from: 10_000, to: 40_000 }];
    expect(faults({ orders: [TAKE], ended: null, held })).toEqual([]);
    const sold = order('1', '110', '1', [0, 10], { filled: '0.96' });
    expect(faults({ orders: [sold], ended: null })).toEqual([]);
  });

  it('finds a stop that was reached and not noticed for five seconds, though its order could not leave', () => {
    const held = [{ from: 0, to: 40_000 }];
    const lost = { orders: [TAKE], ended: null, held };
    expect(faults({ ...lost, triggered: 15_001 })).toEqual(['reached and not noticed: 10000']);
    expect(faults({ ...lost, triggered: null })).toEqual(['reached and not noticed: 10000']);
    expect(faults({ ...lost, triggered: 14_999 })).toEqual([]);
    expect(faults({ ...lost, triggered: null, inattentive: [{ from: 12_000, to: 40_000 }] })).toEqual([]);
  });

  it('finds a trail that forgets the best trade of a gap, if the price came back below its level', () => {
    const trail = exits({ trail: { unit: 'price', value: '4' } });
    const gap = [{ from: 10_000, to: 25_000 }];
    const at = (second: number, price: string) => ({ time: second * 1_000, bid: price, ask: '120', last: price });
    const path = [at(0, '100'), at(16, '106'), at(20, '101'), at(40, '101')];
    const run = { path, orders: [], ended: null, held: gap, unseen: gap, inattentive: gap };
    expect(faults({ ...run, triggered: null }, trail)).toEqual(['the peak of a gap forgotten: 25000']);
    expect(faults({ ...run, triggered: 26_000 }, trail)).toEqual([]);
    const [brief] = [[{ from: 15_000, to: 20_500 }]];
    expect(faults({ ...run, unseen: brief, inattentive: brief, held: brief, triggered: null }, trail)).toEqual([]);
  });

  it('finds a stop that left without a cause, or only with one that was not seen', () => {
    const path = pathOf([0, '100', '101'], [9, '98.01', '99'], [20, '100', '101']);
    expect(faults({ path })).toEqual(['stop without a cause: 2']);
    const unseen = [{ from: 9_000, to: 31_000 }];
    expect(faults({ unseen })).toEqual(['stop without a cause: 2']);
    expect(faults({ path: pathOf([0, '100', '101'], [9, '98', '98'], [30, '100', '101']) })).toEqual([
      'stop without a cause: 2',
    ]);
  });

  it('finds a stop below the price that reached it less the slippage, unless that is the last tick', () => {
    expect(faults({ orders: [TAKE, { ...STOP, price: '97.01' }] })).toEqual(['beyond the slippage: 2']);
    expect(
      faults({ orders: [TAKE, { ...STOP, amount: '500', price: '0.01' }] }, { amount: '500', slippage: '1' }),
    ).toEqual([]);
  });

  it('finds prices that are not those that were given', () => {
    const limited = exits({ take: '110', stop: '98', limit: '97.5' });
    expect(faults({}, limited)).toEqual(['beyond the limit: 2']);
    expect(faults({ orders: [TAKE, { ...STOP, price: '97.5' }] }, limited)).toEqual([]);
  });

  it('takes a price that new rules have rounded, if it is no worse than the one that was given', () => {
    const limited = exits({ take: '110', stop: '98', limit: '97.45' });
    const at = (price: string) => ({ orders: [TAKE, { ...STOP, price }], newPriceScale: 1 });
    expect(faults(at('97.5'), limited)).toEqual([]);
    expect(faults(at('97.4'), limited)).toEqual(['beyond the limit: 2']);
    expect(faults(at('97.6'), limited)).toEqual(['beyond the limit: 2']);
    // a take-profit at such a price is one, and no stop
    const take = exits({ take: '109.95', stop: '98' });
    expect(faults({ orders: [TAKE, STOP], newPriceScale: 0 }, take)).toEqual([]);
    expect(faults({ orders: [TAKE, STOP] }, take)).toContain('stop without a cause: 1');
  });

  it('finds amounts below the minimum and prices between two ticks', () => {
    const small = order('2', '97.02', '0.05', [10, 11], { filled: '0.05' });
    expect(faults({ orders: [TAKE, small] })).toEqual(['against the rules of the market: 2']);
    expect(faults({ orders: [TAKE, { ...STOP, price: '97.021' }] })).toEqual(['against the rules of the market: 2']);
  });

  it('follows the best price that was seen, and never back', () => {
    const trail = exits({ trail: { unit: 'share', value: '0.02' } });
    const path = pathOf([0, '100', '101'], [5, '110', '111'], [10, '107.8', '109'], [30, '108', '109']);
    const right = order('2', '106.73', '1', [10, 11], { filled: '1' });
    expect(faults({ path, orders: [right] }, trail)).toEqual([]);
    expect(faults({ path, orders: [], ended: null }, trail)).toEqual(['stop not acted upon: 10000']);
    const early = order('2', '106.73', '1', [9, 9.5], { filled: '1' });
    expect(faults({ path, orders: [early] }, trail)).toEqual(['stop without a cause: 2']);
  });

  it('finds what was placed again after somebody else cancelled it', () => {
    const cancelled = order('1', '110', '1', [0, 3], { cancelledBy: 'others' });
    const again = order('3', '110', '1', [6, 10], { cancelledBy: 'owner' });
    expect(faults({ orders: [cancelled, STOP] })).toEqual([]);
    expect(faults({ orders: [cancelled, again, STOP] })).toEqual(['placed again: 3']);
  });

  it('finds a take-profit or an entry after the stop', () => {
    const half = order('2', '97.02', '0.5', [10, 11], { filled: '0.5' });
    const late = order('3', '110', '0.5', [11, 12], { cancelledBy: 'owner' });
    expect(faults({ orders: [TAKE, half, late] })).toEqual(['opened after the stop: 3']);
  });

  it('finds slices of a TWAP in the same slot, larger than two, or beyond the bound', () => {
    const entry = { kind: 'twap', durationMs: 10_000, everyMs: 1_000, bound: '99' } as const;
    const twap = { entry, exits: null } as const;
    const slice = (id: string, from: number, amount: string, price = '99') =>
      order(id, price, amount, [from, from + 0.1], { filled: amount });
    expect(faults({ orders: [slice('1', 0, '0.1'), slice('2', 1, '0.2')] }, twap)).toEqual([]);
    expect(faults({ orders: [slice('1', 0, '0.1'), slice('2', 0.9, '0.1')] }, twap)).toEqual(['slices together: 2']);
    expect(faults({ orders: [slice('1', 0, '0.2001')] }, twap)).toEqual(['slices together: 1']);
    const inThree = { entry: { ...entry, durationMs: 3_000 }, exits: null };
    expect(faults({ orders: [slice('1', 0, '0.6668')] }, inThree)).toEqual([]);
    expect(faults({ orders: [slice('1', 0, '0.6669')] }, inThree)).toEqual(['slices together: 1']);
    expect(faults({ orders: [slice('1', 0, '0.1', '98.99')] }, twap)).toEqual(['beyond the limit: 1']);
  });

  it('finds a chase that moves more than once a second', () => {
    const chase = { entry: { kind: 'chase', bound: null }, exits: null } as const;
    const orders = [order('1', '101', '1', [0, 0.9]), order('2', '100', '1', [0.999, 3])];
    expect(faults({ orders }, chase)).toEqual(['moved too often: 2']);
  });

  it('finds parts of an iceberg that rest together beyond what it shows, at another price, or within a second', () => {
    const iceberg = { entry: { kind: 'iceberg', price: '100', show: '0.4' }, exits: null } as const;
    const part = (id: string, from: number, to: number, amount: string, price = '100') =>
      order(id, price, amount, [from, to], { filled: amount });
    expect(faults({ orders: [part('1', 0, 5, '0.4'), part('2', 5, 8, '0.4')] }, iceberg)).toEqual([]);
    expect(faults({ orders: [part('1', 0, 5, '0.4001')] }, iceberg)).toEqual(['more than it shows: 1']);
    expect(faults({ orders: [part('1', 0, 5, '0.2'), part('2', 4, 8, '0.3')] }, iceberg)).toEqual([
      'more than it shows: 2',
    ]);
    expect(faults({ orders: [part('1', 0, 5, '0.2', '99.9')] }, iceberg)).toEqual(['beyond the limit: 1']);
    expect(faults({ orders: [part('1', 0, 0.5, '0.4'), part('2', 0.9, 8, '0.4')] }, iceberg)).toEqual([
      'moved too often: 2',
    ]);
  });

  it('accepts a cause that the exchange dates after the end, because the clock of pit is behind', () => {
    expect(faults({ ended: 9_000, toleranceMs: 2_000 })).toEqual([]);
  });

  it('finds what was placed while it was halted or paused, and lets pass what was placed at the edges', () => {
    const barred = (from: number, to: number) => [{ from: from * 1_000, to: to * 1_000 }];
    expect(faults({ barred: barred(9, 11) })).toEqual(['placed while it was paused: 2']);
    expect(faults({ barred: [...barred(-5, 0), ...barred(10, 20)] })).toEqual([]);
  });

  describe('of a bracket', () => {
    const entry = { kind: 'limit', price: '100' } as const;
    /** Bought at 5 s. */
    const bought = order('0', '100', '1', [0, 5], { side: 'buy', filled: '1' });
    const sold = (price: string, from: number) => order('2', price, '1', [from, from + 1], { filled: '1' });
    const path = (...points: readonly Point[]) => pathOf(...points, [20, '100', '101']);

    it('accepts a price as the cause of its stop that is no older at the first fill than data may be', () => {
      const terms = { side: 'buy', entry, ...exits({ stop: '98' }) } as const;
      const brief = (from: number) => path([0, '100', '101'], [from, '97', '98'], [from + 0.5, '99', '100']);
      expect(faults({ orders: [bought, sold('96.03', 6)], path: brief(4) }, terms)).toEqual([]);
      expect(faults({ orders: [bought, sold('96.03', 6)], path: brief(4), staleMs: 500 }, terms)).toEqual([
        'stop without a cause: 2',
      ]);
    });

    it('lets its trail follow no price of a time before the first fill', () => {
      const terms = { side: 'buy', entry, ...exits({ trail: { unit: 'share', value: '0.02' } }) } as const;
      const before = path([0, '110', '111'], [5, '100', '101'], [10, '99', '100']);
      expect(faults({ orders: [bought, sold('98.01', 10)], path: before }, terms)).toEqual(['stop without a cause: 2']);
      const after = path([0, '100', '101'], [6, '110', '111'], [10, '99', '100']);
      expect(faults({ orders: [bought, sold('98.01', 10)], path: after }, terms)).toEqual([]);
    });
  });
});

describe('the verdict on the report of an algo order', () => {
  const cancelled = order('1', '110', '1', [0, 3], { cancelledBy: 'others', filled: '0.25' });
  const sold = order('2', '97.02', '0.75', [10, 11], { filled: '0.75' });
  const RUN: AlgoRun = { ...OCO, orders: [cancelled, sold] };
  const REPORT: AlgoReport = {
    orders: new Map([
      ['1', '0.25'],
      ['2', '0.75'],
    ]),
    texts: ['Everything has filled', 'The take order 1 at 110 was cancelled elsewhere. It is not placed again.'],
    ...{ filled: '1', state: 'done' },
  };

  function untold(report: Partial<AlgoReport>, run: Partial<AlgoRun> = {}): string[] {
    return judgeAlgoReport({ ...RUN, ...run }, { ...REPORT, ...report }).map(({ fault, at }) => `${fault}: ${at}`);
  }

  it('finds nothing missing in one that says everything', () => {
    expect(untold({})).toEqual([]);
  });

  it('finds an order that it does not name, and a fill', () => {
    expect(untold({ orders: new Map([['2', '0.75']]) })).toEqual(['order not named: 1']);
    const orders = new Map([...REPORT.orders, ['1', '0.2'] as const]);
    expect(untold({ orders })).toEqual(['fill not named: 1']);
  });

  it('finds a cancellation by others that it does not name, unless the network made that order', () => {
    expect(untold({ texts: [] })).toEqual(['cancellation not named: 1']);
    const orders = [{ ...cancelled, isDuplicate: true }, sold];
    expect(untold({ texts: [] }, { orders })).toEqual([]);
  });

  it('finds a total that is not what has filled: of the entry, or of all without one', () => {
    expect(untold({ filled: '0.75' })).toEqual(['total is wrong: 0.75 for 1.00']);
    const terms = { ...TERMS, side: 'buy', entry: { kind: 'chase', bound: null } } as const;
    const bought = order('0', '100', '1', [0, 5], { side: 'buy', filled: '1' });
    const run = { terms, orders: [bought, sold] };
    const orders = new Map([
      ['0', '1'],
      ['2', '0.75'],
    ]);
    expect(untold({ orders, filled: '1' }, run)).toEqual([]);
    expect(untold({ orders, filled: '1.75' }, run)).toEqual(['total is wrong: 1.75 for 1']);
  });

  it('finds more than was asked that it does not name', () => {
    const twin = order('3', '97.02', '0.75', [10, 11], { filled: '0.75', isDuplicate: true });
    const orders = new Map([...REPORT.orders, ['3', '0.75'] as const]);
    const more = { orders, filled: '1.75' };
    const run = { orders: [cancelled, sold, twin] };
    expect(untold(more, run)).toEqual(['excess not named: 1.75']);
    const texts = [
      ...REPORT.texts,
      'THE NETWORK MADE AN ORDER TWICE: 0.75 btc more than asked has filled or may fill.',
    ];
    expect(untold({ ...more, texts }, run)).toEqual([]);
  });
});
