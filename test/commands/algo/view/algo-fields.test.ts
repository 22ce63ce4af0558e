import { describe, expect, it } from 'vitest';
import { algoDocument } from '../../../../src/commands/algo/view/algo-fields.js';
import { Decimal } from '../../../../src/domain/decimal.js';
import { NO_PARTS } from '../../../../src/trading/algos/plan/entries/entry-terms.js';
import type { AlgoFact } from '../../../../src/trading/algos/record/facts.js';
import { chase, iceberg, twap } from '../../../trading/algos/support/entries.js';
import {
  BRACKET,
  child,
  closed,
  factsOf,
  OCO,
  START,
  triggered,
  viewOf,
} from '../../../trading/algos/support/examples.js';
import { buy } from '../../../trading/algos/support/terms.js';

describe('the row of an algo order', () => {
  const now = START + 90_000;
  const rowOf = (...parts: Parameters<typeof viewOf>) => algoDocument(viewOf(...parts), now);

  it('of one that has ended lasts until its end, with the reason that it is given', () => {
    const end: AlgoFact = {
      ...{ fact: 'ended', time: START + 5_000, outcome: 'done', reason: 'so' },
      ...{ filled: Decimal.zero, remaining: Decimal.zero, position: Decimal.zero },
    };
    const row = rowOf(OCO, factsOf(OCO, end), [], { state: 'done', reason: 'so', isWatched: false });
    expect([row.ended, row.reason, row.watched, row.durationMs]).toEqual([
      '2026-01-05T00:00:05.000Z',
      'so',
      false,
      5_000,
    ]);
  });

  it('has every part of an OCO that was triggered', () => {
    const children = [
      child(1, 'take', '1', closed('0.2', '22')),
      child(2, 'stop', '0.8', { filled: Decimal.of('0.5'), filledValue: Decimal.of('48') }),
    ];
    expect(rowOf(OCO, factsOf(OCO, triggered('97.5')), children)).toEqual({
      ...{ id: 'algo1', market: 'btc_usdt', side: 'sell', amount: '1', kind: 'oco', state: 'working', watched: true },
      entry: null,
      exit: {
        ...{ side: 'sell', take: '110', stop: '98', limit: null, trail: null, best: null, level: '98' },
        ...{ filled: '0.7', averagePrice: '100', slippage: '0.0153846154' },
      },
      trigger: { time: '2026-01-05T00:01:00.000Z', price: '97.5', source: 'book', late: false },
      ...{ filled: '0.7', averagePrice: '100', fees: [], remaining: '0.3', children: [] },
      ...{ started: '2026-01-05T00:00:00.000Z', ended: null, reason: null },
      ...{ position: null, slippage: '0.0153846154', durationMs: 90_000, agent: false },
      ...{ unprotected: { since: '2026-01-05T00:01:00.000Z', reason: 'Its stop is not known to be sent.' } },
      ...{ excess: null, duplicates: [] },
      events: [
        { time: '2026-01-05T00:00:00.000Z', event: 'began', text: 'It began.' },
        { time: '2026-01-05T00:01:00.000Z', event: 'triggered', text: 'Its stop was reached at 97.50 (book).' },
      ],
    });
  });

  it('includes what an iceberg shows', () => {
    const terms = buy('1', { entry: iceberg('100', '0.40') });
    expect(rowOf(terms, factsOf(terms), []).entry).toEqual({
      ...NO_PARTS,
      ...{ kind: 'iceberg', price: '100', show: '0.4', when: [] },
    });
  });

  it('has every part of a bracket with slices and a trail', () => {
    const terms = buy('1', { entry: twap(10, { bound: '105', isPassive: true }), trail: '2%', when: ['last>1'] });
    const facts = factsOf(terms, triggered('101', 'entry'), {
      fact: 'best',
      time: START,
      price: Decimal.of('110'),
      tradeId: null,
    });
    const children = [
      child(1, 'entry', '0.5', closed('0.5', '50')),
      child(2, 'stop', '0.5', { filled: Decimal.of('0.2') }),
    ];
    expect(rowOf(terms, facts, children)).toMatchObject({
      kind: 'bracket',
      entry: {
        kind: 'twap',
        price: '105',
        overMs: 600_000,
        everyMs: 60_000,
        passive: true,
        show: null,
        when: ['last>1'],
      },
      exit: { side: 'sell', trail: { unit: 'share', value: '0.02' }, best: '110', level: '107.8', filled: '0.2' },
      trigger: { price: '101' },
      ...{ filled: '0.5', averagePrice: '100', remaining: '0.5', position: '0.3' },
    });
  });

  it('has the price of a limit entry and of nothing else', () => {
    const { entry, exit } = rowOf(BRACKET, factsOf(BRACKET), []);
    expect(entry).toEqual({ ...NO_PARTS, kind: 'limit', price: '100', when: [] });
    expect(exit).toMatchObject({ filled: '0', averagePrice: null, slippage: null });
    const plain = buy('1', { entry: chase() });
    expect(rowOf(plain, factsOf(plain), [])).toMatchObject({
      exit: null,
      position: null,
      fees: [],
      trigger: null,
    });
  });

  it('has no fees if they are not known', () => {
    const row = rowOf(OCO, factsOf(OCO), [child(1, 'take', '1', { fees: null })]);
    expect(row.fees).toBeNull();
    const fees = [{ coin: 'usdt', amount: Decimal.of('0.10') }];
    const paid = rowOf(OCO, factsOf(OCO), [child(1, 'take', '1', { fees })]);
    expect(paid.fees).toEqual([{ coin: 'usdt', amount: '0.1' }]);
  });
});
