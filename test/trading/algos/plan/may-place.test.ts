import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { Child } from '../../../../src/trading/algos/plan/children.js';
import { mayPlace } from '../../../../src/trading/algos/plan/may-place.js';
import { iceberg, limit } from '../support/entries.js';
import { buy, sell } from '../support/terms.js';

type Part = Partial<Pick<Child, 'role' | 'state' | 'duplicate'>> & {
  readonly amount?: string;
  readonly filled?: string;
};

function child({ amount = '1', filled = '0', ...part }: Part): Child {
  const common = { number: 1, role: 'entry', type: 'limit', state: 'closed', end: null, duplicate: null } as const;
  const rest = { filledValue: Decimal.zero, fees: [], refusal: null, time: 0, cancelRefused: null };
  const amounts = { price: Decimal.of('100'), amount: Decimal.of(amount), filled: Decimal.of(filled) };
  return { ...common, ...rest, ...amounts, ...part };
}

const FILLED: Part = { filled: '1' };
const TAKE: Part = { role: 'take' };
/** It may be the user's own order, so it is no other child at work. */
const UNPROVEN: Part = { duplicate: 'unproven' };

describe('of 2 btc to buy', () => {
  it.each<[string, Part[], most: string]>([
    ['nothing was placed', [], '2'],
    ['1 has filled', [FILLED], '1'],
    ['nothing of 1 has filled', [{}], '2'],
    ['0.4 of 1 has filled before it was cancelled', [{ filled: '0.4' }], '1.6'],
    ['1 may be at work for the user', [{ ...UNPROVEN, state: 'open' }], '1'],
    ['1 is of unknown outcome, and maybe of the user', [{ ...UNPROVEN, state: 'unknown' }], '1'],
    [
      '1 is of unknown outcome, and 0.4 of it known to have filled',
      [{ ...UNPROVEN, ...{ state: 'unknown', filled: '0.4' } }],
      '1',
    ],
    ['an exit is at work', [FILLED, { ...TAKE, state: 'open' }], '1'],
  ])('an entry of as much as is left may leave, and no more, if %s', (_, children, most) => {
    const terms = buy('2', { entry: limit('100'), take: '110' });
    const may = (amount: string) => mayPlace(terms, children.map(child), child({ amount }));
    expect([may(most), may(`${most}${most.includes('.') ? '' : '.'}0001`)]).toEqual([true, false]);
  });

  it.each(['recorded', 'unknown', 'open'] as const)('no entry may leave while another is %s', (state) => {
    const terms = buy('2', { entry: limit('100') });
    expect(mayPlace(terms, [child({ state, amount: '0.1' })], child({ amount: '0.1' }))).toBe(false);
  });

  it('an entry of nothing may not leave', () => {
    expect(mayPlace(buy('2', { entry: limit('100') }), [], child({ amount: '0' }))).toBe(false);
  });

  it.each<[string, Part[], most: string]>([
    ['1 was bought', [FILLED], '1'],
    ['1 was bought and more is at work', [FILLED, { state: 'open' }], '1'],
    ['0.4 of 1 was sold again', [FILLED, { ...TAKE, filled: '0.4' }], '0.6'],
    ['0.4 of 1 may be at work for the user', [FILLED, { ...TAKE, ...UNPROVEN, state: 'open', amount: '0.4' }], '0.6'],
    [
      'a sale of 0.4 of 1 is of unknown outcome',
      [FILLED, { ...TAKE, ...UNPROVEN, state: 'unknown', amount: '0.4' }],
      '0.6',
    ],
  ])('an exit of the position may leave, and no larger one, if %s', (_, children, most) => {
    const terms = buy('2', { entry: limit('100'), take: '110' });
    const may = (amount: string) => mayPlace(terms, children.map(child), child({ role: 'stop', amount }));
    expect([may(most), may(`${most}${most.includes('.') ? '' : '.'}0001`)]).toEqual([true, false]);
  });
});

it('an exit without an entry may sell the whole amount, and no more', () => {
  const may = (amount: string) => mayPlace(sell('2', { take: '110' }), [], child({ role: 'take', amount }));
  expect([may('2'), may('2.0001')]).toEqual([true, false]);
});

it.each<[string, Part[], most: string]>([
  ['nothing is at work', [{ filled: '1' }], '0.5'],
  ['0.2 may be at work for the user', [{ ...UNPROVEN, state: 'open', amount: '0.2' }], '0.3'],
  ['0.2 is of unknown outcome', [{ ...UNPROVEN, state: 'unknown', amount: '0.2' }], '0.3'],
])('an iceberg shows at most what it may show, if %s', (_, children, most) => {
  const terms = buy('2', { entry: iceberg('100', '0.5') });
  const may = (amount: string) => mayPlace(terms, children.map(child), child({ amount }));
  expect([may(most), may(`${most}0001`)]).toEqual([true, false]);
});
