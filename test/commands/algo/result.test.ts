import { expect, it } from 'vitest';
import { algoAnswer, algoList } from '../../../src/commands/algo/view/algo-row.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Order } from '../../../src/domain/order.js';
import { screenOf } from '../../../src/terminal/screen.js';
import { ChildOrder } from '../../../src/trading/algos/children/child-order.js';
import type { AlgoTerms } from '../../../src/trading/algos/plan/terms.js';
import { childId } from '../../../src/trading/algos/record/child-name.js';
import { type AlgoFact, foldFacts } from '../../../src/trading/algos/record/facts.js';
import { snapshotOf } from '../../../src/trading/algos/record/snapshot.js';
import { Kept } from '../../terminal/screens.js';
import { limit } from '../../trading/algos/support/entries.js';
import { buy, sell } from '../../trading/algos/support/terms.js';

// What `pit algo show` says of an algo order at its end.

const START = Date.UTC(2026, 10, 28, 8);
const price = (text: string) => Decimal.of(text);

function filled(role: 'entry' | 'take' | 'stop', number: number, at: string, fee: string, feeCoin: string): ChildOrder {
  const child = childId({ parent: 'aaaaaaa', role, number });
  const made = new ChildOrder({ child, type: 'limit', price: at, amount: '1', time: START });
  const order = { id: `${number}`, market: 'btc_usdt', clientId: child, side: role === 'entry' ? 'buy' : 'sell' };
  const amounts = { price: at, amount: '1', filled: '1', remaining: '0', filledValue: at, averagePrice: at };
  made.show({ ...order, ...amounts, fee, feeCoin, type: 'limit', state: 'filled', time: START } as unknown as Order);
  return made;
}

function shown(terms: AlgoTerms, facts: readonly AlgoFact[], children: readonly ChildOrder[]): string {
  const began = { fact: 'began', time: START, terms, bid: price('100'), ask: price('101') } as const;
  const none = Decimal.zero;
  const totals = { outcome: 'done', reason: 'Everything has filled', filled: terms.amount, remaining: none } as const;
  const ended = { fact: 'ended', time: START + 83_000, ...totals, position: none } as const;
  const folded = foldFacts([began, ...facts, ended]);
  if (folded === undefined) throw new Error('it never began');
  const view = {
    ...snapshotOf(folded, children, [], undefined),
    isWatched: false,
    hasUnseenDuplicates: false,
    problems: [],
  };
  const { show } = algoAnswer(view as Parameters<typeof algoAnswer>[0], START);
  const screen = screenOf(new Kept(120), { TERM: 'xterm-256color', NO_COLOR: '1', TZ: 'UTC' });
  return show?.(screen) ?? '';
}

const NONE_FILLED = { filled: '0', remaining: '1', filledValue: '0', averagePrice: null };

it('a take-profit that was cancelled elsewhere does not rest, and the stop goes on', () => {
  const terms = sell('1', { take: '110', stop: '98' });
  const began = { fact: 'began', time: START, terms, bid: price('100'), ask: price('101') } as const;
  const folded = foldFacts([began]);
  const child = childId({ parent: 'aaaaaaa', role: 'take', number: 1 });
  const take = new ChildOrder({ child, type: 'limit', price: '110', amount: '1', time: START });
  take.show({ ...filled('take', 1, '110', '0', 'usdt').order, ...NONE_FILLED, state: 'cancelled' } as Order);
  if (folded === undefined) throw new Error('it never began');
  const view = {
    ...snapshotOf(folded, [take], [], undefined),
    isWatched: true,
    hasUnseenDuplicates: false,
    problems: [],
  };
  const screen = screenOf(new Kept(120), { TERM: 'xterm-256color', NO_COLOR: '1', TZ: 'UTC' });
  const text = algoAnswer(view, START).show?.(screen) ?? '';
  expect(text).toContain('take-profit     110.00 usdt, cancelled\n');
  expect(text).toContain('The take-profit at 110.00 was cancelled elsewhere, and is not placed again.');
  expect(text).toContain('When the best bid is at or below 98.00, pit sells what is left.');
  expect(text).not.toContain('rests at 110');
  expect(algoList([view], START, '').show?.(screen)).toContain('take-profit 110.00 (cancelled), stop 98.00');
});

const stopReached = {
  fact: 'triggered',
  time: START,
  leg: 'exit',
  price: price('98'),
  source: 'book',
  late: false,
} as const;

it.each([
  [true, null, 'Its stop is not known to be sent.'],
  [false, null, 'No process of pit acts for it.'],
  [true, 'The balance is not sufficient', 'The balance is not sufficient'],
])(
  'a stop that is reached and not sent is unprotected, always with a reason: watched %s, known %s',
  (isWatched, known, reason) => {
    const began = { fact: 'began', time: START, terms: sell('1', { stop: '98' }), bid: null, ask: null } as const;
    const folded = foldFacts([began, stopReached]);
    if (folded === undefined) throw new Error('it never began');
    const now = { state: 'triggered', reason: known, unsentSince: START } as const;
    const view = { ...snapshotOf(folded, [], [], now), isWatched, hasUnseenDuplicates: false, problems: [] };
    expect(algoAnswer(view, START).data.unprotected).toEqual({ since: '2026-11-28T08:00:00.000Z', reason });
  },
);

it('a stop that is reached is not called on its way if no process says so', () => {
  const began = { fact: 'began', time: START, terms: sell('1', { stop: '98' }), bid: null, ask: null } as const;
  const folded = foldFacts([began, stopReached]);
  if (folded === undefined) throw new Error('it never began');
  const view = { ...snapshotOf(folded, [], [], undefined), isWatched: false, hasUnseenDuplicates: false, problems: [] };
  const reason = 'Its stop is not known to be sent';
  expect(algoAnswer(view, START).data).toMatchObject({ state: 'triggered', reason, unprotected: { reason } });
});

it('the entry of a bracket is compared with the price at the start, its exit with the price at the trigger', () => {
  const bracket = buy('1', { entry: limit('99.99'), take: '110', stop: '98' });
  const children = [filled('entry', 1, '99.99', '0.002', 'btc'), filled('stop', 2, '97.02', '0.2', 'usdt')];
  const text = shown(bracket, [stopReached], children);
  expect(text).toContain('slippage       1.00% better than the price at the start');
  expect(text).toContain('at 97.02, 1.00% worse than the price at the trigger');
  expect(text).toContain('fees           0.002 btc, 0.2 usdt');
  expect(text).toContain('after 1 min 23 s');
});

it('a stop is compared with the price at its trigger, and a take-profit with the price at the start', () => {
  const oco = sell('1', { take: '110', stop: '98' });
  expect(shown(oco, [stopReached], [filled('stop', 1, '98', '0.2', 'usdt')])).toContain(
    'none against the price at the trigger',
  );
  expect(shown(oco, [], [filled('take', 1, '110', '0.2', 'usdt')])).toContain(
    '10.00% better than the price at the start',
  );
});
