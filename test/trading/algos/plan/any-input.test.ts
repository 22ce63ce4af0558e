import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { algoDocument } from '../../../../src/commands/algo/view/algo-fields.js';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { AlgoMarket } from '../../../../src/trading/algos/plan/algo-market.js';
import type { Child } from '../../../../src/trading/algos/plan/children.js';
import { decide } from '../../../../src/trading/algos/plan/decide.js';
import { mayPlace } from '../../../../src/trading/algos/plan/may-place.js';
import { nextStep } from '../../../../src/trading/algos/plan/next-step.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import { type AlgoFact, foldFacts } from '../../../../src/trading/algos/record/facts.js';
import { MARKET } from '../../support/market.js';
import { anyEntry } from '../support/entries.js';
import { viewOf } from '../support/examples.js';

// Nothing here is what a command would make or an exchange would send: that is the point.

const START = Date.UTC(2026, 0, 5);

const decimal = fc.oneof(
  fc.integer({ min: -2, max: 12 }).map((units) => Decimal.of(String(units))),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }))
    .map(([units, scale]) => Decimal.fromUnits(units, scale)),
);
const time = fc.integer({ min: -200_000, max: 200_000 }).map((offset) => START + offset);
const length = fc.integer({ min: -5, max: 200_000 });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

const terms: fc.Arbitrary<AlgoTerms> = fc.record({
  ...{
    id: fc.constant('a'),
    profile: fc.constant('p'),
    owner: fc.constant('o'),
    account: fc.constant('spot' as const),
  },
  market: fc.constantFrom(
    MARKET,
    { ...MARKET, minAmount: '0', minNotional: '0' },
    { ...MARKET, priceScale: 0, amountScale: 0 },
  ),
  ...{ borrow: fc.boolean(), repay: fc.boolean(), side: fc.constantFrom('buy', 'sell'), amount: decimal },
  ...{ entry: optional(anyEntry(decimal, length)), when: fc.array(fc.constant('last>1'), { maxLength: 2 }) },
  exits: optional(
    fc.record({
      ...{ take: optional(decimal), stop: optional(decimal), limit: optional(decimal) },
      trail: optional(fc.record({ unit: fc.constantFrom('share', 'price', 'ticks'), value: decimal })),
    }),
  ),
  ...{ slippage: decimal, trigger: fc.constantFrom('book', 'last'), forMs: optional(length) },
  ...{ exec: fc.constant(null), notify: fc.boolean() },
});

const child: fc.Arbitrary<Child> = fc.record({
  ...{ number: fc.integer({ min: 1, max: 4 }), role: fc.constantFrom('entry', 'take', 'stop') },
  ...{ type: fc.constantFrom('limit', 'postOnly', 'ioc'), price: decimal, amount: decimal },
  state: fc.constantFrom('recorded', 'unknown', 'open', 'closed'),
  end: fc.constantFrom(null, 'filled', 'cancelled', 'cancelledByOthers', 'rejected', 'notSent'),
  ...{ filled: decimal, filledValue: decimal },
  fees: optional(fc.array(fc.record({ coin: fc.constantFrom('btc', 'usdt'), amount: decimal }), { maxLength: 2 })),
  refusal: optional(
    fc.record({
      kind: fc.constantFrom('insufficientFunds', 'badPrice', 'busy', 'other'),
      ...{ code: fc.constant(null), message: fc.constant('no') },
    }),
  ),
  ...{ time, cancelRefused: optional(time), duplicate: fc.constantFrom(null, 'proven', 'unproven') },
});

const range = fc.record({ low: decimal, high: decimal });
const market: fc.Arbitrary<AlgoMarket> = fc.record({
  ...{ now: time, staleAfterMs: length, positionAgeMs: optional(length) },
  book: optional(
    fc.record({
      ...{ bid: optional(decimal), ask: optional(decimal), othersBid: optional(decimal), othersAsk: optional(decimal) },
      ageMs: length,
    }),
  ),
  last: optional(fc.record({ price: decimal, tradeId: fc.constant(null), ageMs: length })),
  ...{ seen: optional(range), band: optional(range), available: optional(decimal) },
  balance: optional(decimal),
  gap: optional(
    fc.record({
      ...{ from: time, to: time, high: optional(decimal), low: optional(decimal), trailBest: optional(decimal) },
      unknown: optional(fc.record({ from: time, to: time })),
    }),
  ),
  met: optional(fc.record({ condition: fc.constant('last>1'), late: fc.boolean() })),
  ...{ fundsChanged: optional(time), limitedUntil: optional(time) },
});

const fact: fc.Arbitrary<AlgoFact> = fc.oneof(
  fc.record({ fact: fc.constant('best' as const), time, price: decimal, tradeId: fc.constant(null) }),
  fc.record({
    ...{ fact: fc.constant('triggered' as const), time, leg: fc.constantFrom('entry', 'exit'), price: decimal },
    ...{ source: fc.constant('book'), late: fc.boolean() },
  }),
  fc.record({
    fact: fc.constant('paused' as const),
    time,
    cause: fc.constantFrom('user', 'halt'),
    reason: fc.constant('so'),
    role: fc.constantFrom(null, 'entry' as const, 'take' as const),
  }),
  fc.record({ fact: fc.constant('resumed' as const), time }),
  fc.record({ fact: fc.constant('cancelled' as const), time, reason: fc.constant('so') }),
);

describe('a decision', () => {
  it('is made of anything without an error, is the same each time, and never lets an order leave that must not', () => {
    fc.assert(
      fc.property(terms, fc.array(fact, { maxLength: 3 }), market, fc.array(child, { maxLength: 4 }), (...parts) => {
        const [asked, more, seen, children] = parts;
        const began = { fact: 'began', time: START, terms: asked, bid: null, ask: Decimal.of('1') } as const;
        const facts = foldFacts([began, ...more]);
        if (facts === undefined) throw new Error('it did not begin');
        const decision = decide(asked, facts, seen, children);
        expect(decide(asked, facts, seen, children)).toEqual(decision);
        const step = nextStep(decision, children, seen.now);
        if (step.step === 'place') {
          expect(mayPlace(asked, children, step.child)).toBe(true);
          expect(step.child.price.sign).toBeGreaterThan(0);
        }
        const { state, reason } = decision;
        const view = viewOf(asked, facts, children, { state, reason });
        expect(algoDocument(view, seen.now).state).toBe(state);
      }),
      { numRuns: 400 },
    );
  });
});
