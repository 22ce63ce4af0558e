import { Decimal } from '../../../../src/domain/decimal.js';
import type { Child } from '../../../../src/trading/algos/plan/children.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import { type AlgoFact, type AlgoFacts, foldFacts } from '../../../../src/trading/algos/record/facts.js';
import type { AlgoView } from '../../../../src/trading/algos/service/algo-views.js';
import { limit } from './entries.js';
import { buy, sell } from './terms.js';

/* Two algo orders, and facts and children of them, for tests of what is said of an algo order. */

export const START = Date.UTC(2026, 0, 5);
export const OCO = sell('1', { take: '110', stop: '98' });
export const BRACKET = buy('1', { entry: limit('100'), take: '110', stop: '98' });

export function child(number: number, role: Child['role'], amount: string, parts: Partial<Child> = {}): Child {
  return {
    ...{ number, role, type: 'limit', price: Decimal.of('100'), amount: Decimal.of(amount), state: 'open', end: null },
    ...{ filled: Decimal.zero, filledValue: Decimal.zero, fees: [], refusal: null, time: START, cancelRefused: null },
    ...{ duplicate: null },
    ...parts,
  };
}

export const closed = (filled: string, value = '0'): Partial<Child> => ({
  ...{ state: 'closed', end: 'cancelled', filled: Decimal.of(filled), filledValue: Decimal.of(value) },
});

export function beganFact(terms: AlgoTerms): AlgoFact {
  return { fact: 'began', time: START, terms, bid: Decimal.of('100'), ask: Decimal.of('101') };
}

export function factsOf(terms: AlgoTerms, ...more: readonly AlgoFact[]) {
  const facts = foldFacts([beganFact(terms), ...more]);
  if (facts === undefined) throw new Error('it did not begin');
  return facts;
}

export const triggered = (price: string, leg: 'entry' | 'exit' = 'exit'): AlgoFact => ({
  ...{ fact: 'triggered', time: START + 60_000, leg, price: Decimal.of(price), source: 'book', late: false },
});

/** An algo order with these children, as commands show it. */
export function viewOf(
  terms: AlgoTerms,
  facts: AlgoFacts,
  children: readonly Child[],
  current: Partial<AlgoView> = {},
): AlgoView {
  return {
    ...{ id: terms.id, terms, facts, children, orders: [], said: [], state: 'working', reason: null },
    ...{ unsentSince: undefined, isWatched: true, hasUnseenDuplicates: false, problems: [] },
    ...current,
  };
}
