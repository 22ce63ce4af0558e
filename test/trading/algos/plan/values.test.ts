import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import { bestOfOthers } from '../../../../src/trading/algos/plan/algo-market.js';
import { type Child, positionOf } from '../../../../src/trading/algos/plan/children.js';
import { currentTerms } from '../../../../src/trading/algos/plan/current-terms.js';
import { decide, stateOf } from '../../../../src/trading/algos/plan/decide.js';
import { mayPlace } from '../../../../src/trading/algos/plan/may-place.js';
import { nextStep } from '../../../../src/trading/algos/plan/next-step.js';
import { type AlgoTerms, kindOf } from '../../../../src/trading/algos/plan/terms.js';
import { stopLevel } from '../../../../src/trading/algos/plan/trigger.js';
import {
  type AlgoFact,
  decodeFact,
  encodeFact,
  foldFacts,
  unprotectedSince,
} from '../../../../src/trading/algos/record/facts.js';
import { summaryOf } from '../../../../src/trading/algos/record/summary.js';
import { chase, iceberg, limit, twap } from '../support/entries.js';
import { BRACKET, beganFact, child, closed, factsOf, OCO, START, triggered } from '../support/examples.js';
import { algo, buy, sell } from '../support/terms.js';

describe('the kind of an algo order', () => {
  it.each<[string, AlgoTerms]>([
    ['stop', sell('1', { stop: '98' })],
    ['stopLimit', sell('1', { stop: '98', limit: '97' })],
    ['trail', sell('1', { trail: '2%' })],
    ['oco', OCO],
    ['oco', sell('1', { take: '110', trail: '2%' })],
    ['bracket', BRACKET],
    ['bracket', buy('1', { entry: twap(10), stop: '98', when: ['last>1'] })],
    ['twap', buy('1', { entry: twap(10) })],
    ['chase', buy('1', { entry: chase() })],
    ['iceberg', buy('1', { entry: iceberg('100', '0.4') })],
    ['bracket', buy('1', { entry: iceberg('100', '0.4'), stop: '98' })],
    ['when', buy('1', { entry: iceberg('100', '0.4'), when: ['last>1'] })],
    ['when', buy('1', { entry: chase(), when: ['last>1'] })],
    ['when', buy('1', { entry: limit('100'), forMs: 60_000 })],
  ])('is %s', (kind, terms) => {
    expect(kindOf(terms)).toBe(kind);
  });
});

describe('a fact', () => {
  const facts: readonly AlgoFact[] = [
    beganFact(
      buy('1', { entry: twap(10, { bound: '105', isPassive: true }), take: '110', trail: '50ticks', when: ['last>1'] }),
    ),
    beganFact(buy('1', { entry: chase(), forMs: 5_000 })),
    beganFact(buy('1', { entry: iceberg('100.10', '0.4', 'postOnly') })),
    beganFact({ ...BRACKET, exec: 'say "sold"', notify: true }),
    { ...(beganFact(OCO) as Extract<AlgoFact, { fact: 'began' }>), bid: null, ask: null },
    { fact: 'best', time: START, price: Decimal.of('101.50'), tradeId: '12345678901234567890' },
    { fact: 'best', time: START, price: Decimal.of('101.50'), tradeId: null },
    triggered('98'),
    { fact: 'paused', time: START, cause: 'guard', reason: 'price-band', role: null },
    { fact: 'resumed', time: START },
    { fact: 'cancelled', time: START, reason: 'You cancelled it' },
    {
      ...{ fact: 'ended', time: START, outcome: 'partial', reason: 'so', filled: Decimal.of('0.9') },
      ...{ remaining: Decimal.of('0.1'), position: Decimal.zero },
    },
  ];

  it.each(facts.map((fact) => [fact.fact, fact] as const))('is the same after it was on disk: %s', (_, fact) => {
    const line = encodeFact(fact);
    expect(line).not.toContain('\n');
    expect(decodeFact(line)).toEqual(fact);
  });

  it('is nothing if any part of its line is missing, cut off, or of another kind', () => {
    for (const fact of facts) {
      const line = encodeFact(fact);
      for (let end = 0; end < line.length; end += 1) expect(decodeFact(line.slice(0, end))).toBeUndefined();
      for (const wrong of withOneWrongPart(JSON.parse(line)))
        expect([decodeFact(JSON.stringify(wrong)), wrong]).toEqual([undefined, wrong]);
    }
  });

  it('is nothing for any other text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void expect(decodeFact(text)).toBeUndefined()));
    for (const text of [
      'null',
      '[]',
      '1',
      '{"fact":"sold","time":1}',
      '{"fact":"resumed","time":9e15}',
      '{"fact":"resumed","time":1.5}',
    ])
      expect(decodeFact(text)).toBeUndefined();
  });

  it('knows every word that stands in one', () => {
    const began = { ...(beganFact(BRACKET) as Extract<AlgoFact, { fact: 'began' }>) };
    const words: readonly AlgoFact[] = [
      ...(['user', 'halt', 'guard', 'rejected', 'account', 'missing'] as const).map(
        (cause) => ({ fact: 'paused', time: START, cause, reason: 'so', role: null }) as const,
      ),
      ...(['done', 'partial', 'cancelled', 'failed'] as const).map((outcome) => ({
        ...({ fact: 'ended', time: START, outcome, reason: 'so' } as const),
        ...{ filled: Decimal.zero, remaining: Decimal.zero, position: Decimal.zero },
      })),
      ...(['entry', 'take', 'stop'] as const).map(
        (role) => ({ fact: 'paused', time: START, cause: 'rejected', reason: 'so', role }) as const,
      ),
      triggered('98', 'entry'),
      { fact: 'rules', time: START, market: { ...OCO.market, priceScale: 1, tickSize: '0.1' } },
      { ...began, terms: { ...OCO, agent: {} } },
      {
        ...began,
        terms: {
          ...OCO,
          agent: { markets: ['btc_usdt'], maxOrder: '5', maxDay: '9', maxOpen: 2, mayBorrow: false },
        },
      },
      ...(['isolated', 'cross'] as const).map((account) => ({ ...began, terms: { ...OCO, account } })),
      ...(['postOnly', 'ioc'] as const).map((type) => ({ ...began, terms: buy('1', { entry: limit('100', type) }) })),
      ...['2%', '300'].map((trail) => ({ ...began, terms: sell('1', { trail }) })),
      { ...began, terms: sell('1', { stop: '98', trigger: 'last' }) },
    ];
    for (const fact of words) expect(decodeFact(encodeFact(fact))).toEqual(fact);
  });

  it('is nothing with a number that is none', () => {
    const line = encodeFact({ fact: 'best', time: START, price: Decimal.of('101.5'), tradeId: null });
    expect(decodeFact(line.replace('"101.5"', '"much"'))).toBeUndefined();
    const scaled = encodeFact(beganFact(OCO)).replace('"priceScale":2', '"priceScale":0');
    expect(decodeFact(scaled)).toBeDefined();
  });

  it('is nothing for a market with a scale that is none', () => {
    const line = encodeFact(beganFact(OCO));
    expect(decodeFact(line.replace('"priceScale":2', '"priceScale":-1'))).toBeUndefined();
    expect(decodeFact(line.replace('"priceScale":2', '"priceScale":31'))).toBeUndefined();
    expect(decodeFact(line.replace('"priceScale":2', '"priceScale":30'))).toBeDefined();
  });
});

/** The value with each of its parts, at any depth, replaced by a value of another kind, or left out. */
function withOneWrongPart(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    // any text may stand where a text or none does
    const others = [{ wrong: true }, undefined, ...(part === null ? [] : [typeof part === 'string' ? 7 : 'x'])];
    const deeper = withOneWrongPart(part);
    return [...others, ...deeper].map((other) =>
      Array.isArray(value)
        ? value.map((one, index) => (String(index) === name ? (other ?? null) : one))
        : { ...value, [name]: other },
    );
  });
}

describe('facts', () => {
  it('come to nothing without the first one', () => {
    expect(foldFacts([triggered('98')])).toBeUndefined();
  });

  it('keep the first trigger of each leg, the best of the best prices, and whether it is paused now', () => {
    const best = (price: string): AlgoFact => ({ fact: 'best', time: START, price: Decimal.of(price), tradeId: null });
    const paused = (reason: string): AlgoFact => ({ fact: 'paused', time: START, cause: 'user', reason, role: null });
    const facts = factsOf(
      BRACKET,
      ...[triggered('101', 'entry'), triggered('102', 'entry'), triggered('98'), triggered('97')],
      ...[best('105'), best('103'), paused('one'), { fact: 'resumed', time: START + 1 } as const, beganFact(OCO)],
    );
    expect(facts.began.terms).toBe(BRACKET);
    expect(facts.entryTriggered?.price.toString()).toBe('101');
    expect(facts.exitTriggered?.price.toString()).toBe('98');
    expect(facts.trailBest?.price.toString()).toBe('105');
    expect(facts.paused).toBeNull();
    expect(facts.resumed?.time).toBe(START + 1);
    expect(factsOf(OCO, paused('one'), paused('two')).paused?.reason).toBe('two');
    expect(factsOf(buy('1', { trail: '2%' }), best('105'), best('103')).trailBest?.price.toString()).toBe('103');
    const ended = (reason: string): AlgoFact => ({
      ...{ fact: 'ended', time: START, outcome: 'done', reason },
      ...{ filled: Decimal.zero, remaining: Decimal.zero, position: Decimal.zero },
    });
    expect(factsOf(OCO, ended('one'), ended('two')).ended?.reason).toBe('one');
    const cancelled = (reason: string): AlgoFact => ({ fact: 'cancelled', time: START, reason });
    expect(factsOf(OCO, cancelled('one'), cancelled('two')).cancelled?.reason).toBe('one');
  });
});

describe('the stop of an algo order is not sent since', () => {
  const reached = triggered('98');
  const paused = (role: 'entry' | 'take' | 'stop' | null): AlgoFact => ({
    ...{ fact: 'paused', time: START + 5, cause: 'rejected', reason: 'so', role },
  });
  const cancelled: AlgoFact = { fact: 'cancelled', time: START, reason: 'so' };
  const ended: AlgoFact = {
    ...{ fact: 'ended', time: START, outcome: 'done', reason: 'so' },
    ...{ filled: Decimal.zero, remaining: Decimal.zero, position: Decimal.zero },
  };
  const NO_STOP = sell('1', { take: '110' });

  it.each<[string, AlgoTerms, AlgoFact[], number | null | undefined, number | null]>([
    ['nothing before it is reached', OCO, [], undefined, null],
    ['it was reached, if the process that watches said nothing since', OCO, [reached], undefined, START + 60_000],
    ['what that process said', OCO, [reached], START + 7, START + 7],
    ['nothing if that process knows that it was sent', OCO, [reached], null, null],
    ['a pause of everything', OCO, [paused(null)], undefined, START + 5],
    ['a pause of the stop', OCO, [paused('stop')], undefined, START + 5],
    ['nothing if only the take-profit is paused', OCO, [paused('take')], undefined, null],
    ['nothing if only the entry is paused', BRACKET, [paused('entry')], undefined, null],
    ['nothing if it goes on', OCO, [paused(null), { fact: 'resumed', time: START }], undefined, null],
    ['nothing if it is cancelled', OCO, [reached, cancelled], START, null],
    ['nothing if it has ended', OCO, [reached, ended], START, null],
    ['nothing without a stop', NO_STOP, [paused(null)], START, null],
  ])('%s', (_, terms, facts, unsentSince, expected) => {
    expect(unprotectedSince(factsOf(terms, ...facts), unsentSince)).toBe(expected);
  });
});

describe('a child may leave', () => {
  const exit = (amount: string) =>
    ({ role: 'stop', type: 'ioc', price: Decimal.of('97'), amount: Decimal.of(amount) }) as const;
  const entry = (amount: string) =>
    ({ role: 'entry', type: 'limit', price: Decimal.of('97'), amount: Decimal.of(amount) }) as const;

  it('up to the amount, with what has filled', () => {
    expect(mayPlace(OCO, [], exit('1'))).toBe(true);
    expect(mayPlace(OCO, [], exit('1.0001'))).toBe(false);
    expect(mayPlace(OCO, [child(1, 'take', '1', closed('0.4'))], exit('0.6'))).toBe(true);
    expect(mayPlace(OCO, [child(1, 'take', '1', closed('0.4'))], exit('0.6001'))).toBe(false);
  });

  it('only with something to do', () => {
    expect(mayPlace(OCO, [], exit('0'))).toBe(false);
    expect(mayPlace(OCO, [], exit('-1'))).toBe(false);
  });

  it.each(['open', 'unknown', 'recorded'] as const)('never beside another exit that is %s, however small', (state) => {
    expect(mayPlace(OCO, [child(1, 'take', '0.1', { state })], exit('0.1'))).toBe(false);
    expect(mayPlace(BRACKET, [child(1, 'entry', '0.1', { state })], entry('0.1'))).toBe(false);
  });

  it('beside an order of the other leg', () => {
    const children = [child(1, 'entry', '1', { filled: Decimal.of('0.4') })];
    expect(mayPlace(BRACKET, children, exit('0.4'))).toBe(true);
    expect(mayPlace(BRACKET, children, exit('0.4001'))).toBe(false);
  });

  it.each(['open', 'unknown', 'recorded'] as const)(
    'beside a duplicate that may be the user’s and is %s, if both together stay within the amount',
    (state) => {
      const children = [child(1, 'take', '0.7', { state, duplicate: 'unproven', filled: Decimal.of('0.1') })];
      expect(mayPlace(OCO, children, exit('0.3'))).toBe(true);
      expect(mayPlace(OCO, children, exit('0.3001'))).toBe(false);
    },
  );

  it('never beside a duplicate that the network has made', () => {
    expect(mayPlace(OCO, [child(1, 'take', '0.7', { duplicate: 'proven' })], exit('0.3'))).toBe(false);
  });

  it('of an iceberg only as much as it shows, with a duplicate that may be the user’s', () => {
    const terms = buy('1', { entry: iceberg('97', '0.4'), take: '110' });
    expect(mayPlace(terms, [], entry('0.4'))).toBe(true);
    expect(mayPlace(terms, [], entry('0.4001'))).toBe(false);
    expect(mayPlace(terms, [child(1, 'entry', '0.4', closed('0.4'))], entry('0.4'))).toBe(true);
    const duplicate = child(1, 'entry', '0.3', { duplicate: 'unproven', filled: Decimal.of('0.1') });
    expect(mayPlace(terms, [duplicate], entry('0.2'))).toBe(true);
    expect(mayPlace(terms, [duplicate], entry('0.2001'))).toBe(false);
    expect(mayPlace(terms, [child(1, 'entry', '1', closed('1'))], exit('1'))).toBe(true);
  });

  it('after a duplicate has filled only with the rest', () => {
    const children = [
      child(1, 'take', '1', closed('0.5')),
      child(1, 'take', '1', { ...closed('0.3'), duplicate: 'proven' }),
    ];
    expect(mayPlace(OCO, children, exit('0.2'))).toBe(true);
    expect(mayPlace(OCO, children, exit('0.2001'))).toBe(false);
  });
});

describe('by new rules of the market', () => {
  const ruled = (terms: AlgoTerms) => {
    const market = { ...terms.market, priceScale: 0 };
    return currentTerms(factsOf(terms, { fact: 'rules', time: START, market }));
  };

  it.each([
    ['limit', limit('100.5')],
    ['iceberg', iceberg('100.5', '0.4')],
    ['twap', twap(10, { bound: '100.5' })],
    ['chase', chase('100.5')],
  ])('the price of a %s is rounded to the safe side, and the rest of it stays', (_, given) => {
    const of = (side: 'buy' | 'sell') => ruled(algo(side, '1', { entry: given })).entry;
    const named = (price: string) => {
      const name = 'price' in given ? 'price' : 'bound';
      return { ...given, [name]: Decimal.of(price) };
    };
    expect(of('buy')).toEqual(named('100'));
    expect(of('sell')).toEqual(named('101'));
  });

  it('the prices of orders of the exits are rounded to the safe side, and a stop stays', () => {
    const { exits } = ruled(sell('1', { take: '110.5', stop: '98.5', limit: '97.5' }));
    expect([exits?.take, exits?.stop, exits?.limit].map(String)).toEqual(['111', '98.5', '98']);
  });
});

describe('the position', () => {
  const fee = (coin: string, amount: string) => ({ fees: [{ coin, amount: Decimal.of(amount) }] });

  it('is what the entry bought less the fees in the base coin, in whole lots, and never below zero', () => {
    const of = (parts: Partial<Child>) => positionOf(BRACKET, [child(1, 'entry', '1', parts)]).toString();
    expect(of({ ...closed('1'), ...fee('btc', '0.00201') })).toBe('0.9979');
    expect(of({ ...closed('1'), ...fee('usdt', '0.2') })).toBe('1.0000');
    expect(of({ ...closed('1'), fees: null })).toBe('1.0000');
    expect(of({ ...closed('0'), ...fee('btc', '0.1') })).toBe('0');
  });

  it('is what the entry sold, whatever the fee', () => {
    const terms = algo('sell', '1', { entry: limit('100'), stop: '105' });
    expect(positionOf(terms, [child(1, 'entry', '1', { ...closed('1'), ...fee('btc', '0.1') })]).toString()).toBe(
      '1.0000',
    );
  });

  it('is the amount without an entry', () => {
    expect(positionOf(OCO, [child(1, 'take', '1', closed('1'))]).toString()).toBe('1');
  });
});

describe('the best price of others', () => {
  const own = (price: string, remaining: string) => ({ price: Decimal.of(price), remaining: Decimal.of(remaining) });
  const levels = [
    { price: '100', amount: '0.5' },
    { price: '99', amount: '2' },
  ];

  it('leaves out a level that is the account’s own, whole or in several orders', () => {
    expect(bestOfOthers(levels, [])?.toString()).toBe('100');
    expect(bestOfOthers(levels, [own('100.00', '0.5')])?.toString()).toBe('99');
    expect(bestOfOthers(levels, [own('100', '0.2'), own('100', '0.3')])?.toString()).toBe('99');
    expect(bestOfOthers(levels, [own('100', '0.4999')])?.toString()).toBe('100');
    expect(bestOfOthers(levels, [own('100', '0.5'), own('99', '2')])).toBeNull();
  });
});

describe('the summary', () => {
  const fees = [{ coin: 'usdt', amount: Decimal.of('0.10') }];
  const sold = [
    child(1, 'take', '1', { ...closed('0.2', '22'), fees }),
    child(2, 'stop', '0.8', { ...closed('0.5', '48.25'), fees }),
    child(3, 'stop', '0.3', { ...closed('0.3', '29.1'), fees: [{ coin: 'zb', amount: Decimal.of('1') }] }),
  ];

  it('has the average of all exits, and the slippage of what the stop sold against the price that triggered it', () => {
    const {
      exit,
      entry,
      fees: paid,
      durationMs,
    } = summaryOf(OCO, factsOf(OCO, triggered('97.5')), sold, START + 90_000);
    expect(entry).toBeNull();
    expect([exit?.filled, exit?.value, exit?.averagePrice, exit?.reference, exit?.slippage].map(String)).toEqual([
      ...['1.0', '99.35', '99.35', '97.5', '0.0083333334'],
    ]);
    expect(paid?.map(({ coin, amount }) => `${amount} ${coin}`)).toEqual(['0.2 usdt', '1 zb']);
    expect(durationMs).toBe(90_000);
  });

  it('compares with the price at the start if nothing was triggered, and rounds against the user', () => {
    const bought = [child(1, 'entry', '0.3', closed('0.3', '30.5'))];
    const { entry, exit } = summaryOf(BRACKET, factsOf(BRACKET), bought, START);
    expect([entry?.averagePrice, entry?.reference, entry?.slippage].map(String)).toEqual([
      '101.6666666667',
      '101',
      '0.0066006601',
    ]);
    expect([exit?.averagePrice, exit?.reference, exit?.slippage]).toEqual([null, null, null]);
    const seller = sell('0.3', { entry: limit('100') });
    expect(String(summaryOf(seller, factsOf(seller), bought, START).entry?.averagePrice)).toBe('101.6666666666');
    const { exit: take } = summaryOf(OCO, factsOf(OCO), [child(1, 'take', '1', closed('1', '110'))], START);
    expect([take?.reference, take?.slippage].map(String)).toEqual(['100', '-0.1']);
  });

  it('compares an entry that waited with the price when its condition held', () => {
    const terms = buy('1', { entry: limit('105'), when: ['last>104'] });
    const summary = summaryOf(
      terms,
      factsOf(terms, triggered('104', 'entry')),
      [child(1, 'entry', '1', closed('1', '105'))],
      START,
    );
    expect(String(summary.entry?.reference)).toBe('104');
    expect(summary.exit).toBeNull();
  });

  it('does not know the fees if one is not shown', () => {
    expect(summaryOf(OCO, factsOf(OCO), [child(1, 'take', '1', { fees: null })], START).fees).toBeNull();
  });

  it('lasts from the start to the end, and never less than nothing', () => {
    const end: AlgoFact = {
      ...{ fact: 'ended', time: START + 5_000, outcome: 'done', reason: 'so' },
      ...{ filled: Decimal.zero, remaining: Decimal.zero, position: Decimal.zero },
    };
    expect(summaryOf(OCO, factsOf(OCO, end), [], START + 90_000).durationMs).toBe(5_000);
    expect(summaryOf(OCO, factsOf(OCO), [], START - 1).durationMs).toBe(0);
  });
});

describe('an algo order that nobody watches', () => {
  it('has the state that its facts and children show', () => {
    const state = (terms: AlgoTerms, facts: readonly AlgoFact[], children: readonly Child[]) =>
      stateOf({ terms, facts: factsOf(terms, ...facts), children });
    const halt: AlgoFact = { fact: 'paused', time: START, cause: 'halt', reason: 'so', role: null };
    expect(state(sell('1', { stop: '98' }), [], [])).toBe('waiting');
    expect(state(OCO, [], [child(1, 'take', '1')])).toBe('working');
    expect(state(OCO, [], [child(1, 'take', '1', closed('1'))])).toBe('waiting');
    expect(state(BRACKET, [], [])).toBe('working');
    expect(state(buy('1', { entry: chase(), when: ['last>1'] }), [], [])).toBe('waiting');
    expect(state(OCO, [triggered('97')], [])).toBe('triggered');
    expect(state(OCO, [triggered('97')], [child(1, 'take', '1', { state: 'unknown' })])).toBe('settling');
    expect(state(OCO, [], [child(1, 'take', '1', { state: 'recorded' })])).toBe('settling');
    expect(state(OCO, [halt, triggered('97')], [])).toBe('halted');
    expect(state(OCO, [halt], [child(1, 'take', '1', { state: 'unknown' })])).toBe('halted');
  });
});

describe('an algo order that has ended', () => {
  const market = {
    ...{ now: START, staleAfterMs: 5_000, positionAgeMs: 0, book: null, last: null, seen: null, gap: null, met: null },
    ...{ band: null, available: null, balance: null, fundsChanged: null, limitedUntil: null },
  };

  it('did so after it was cancelled, also if the command that cancelled it had a clock that is ahead', () => {
    const cancelled: AlgoFact = { fact: 'cancelled', time: START + 18_000, reason: 'you cancelled it' };
    const { fact } = decide(OCO, factsOf(OCO, cancelled), { ...market, now: START + 5_000 }, []);
    expect(fact).toMatchObject({ fact: 'ended', time: START + 18_000, outcome: 'cancelled' });
  });

  it.each(['done', 'partial', 'cancelled', 'failed'] as const)(
    'as %s wants nothing, and there is no step',
    (outcome) => {
      const end: AlgoFact = {
        ...{ fact: 'ended', time: START, outcome, reason: 'so' },
        ...{ filled: Decimal.zero, remaining: Decimal.zero, position: Decimal.zero },
      };
      const decision = decide(OCO, factsOf(OCO, end), market, [child(1, 'take', '1')]);
      expect(decision).toMatchObject({ state: outcome, reason: 'so', fact: null, wanted: [] });
      expect(nextStep(decision, [child(1, 'take', '1')], START)).toEqual({ step: 'end' });
    },
  );
});

describe('the level of a trail', () => {
  it.each([
    ['a share below for a sell', sell('1', { trail: '1.5%' }), '99.49'],
    ['a share above for a buy', buy('1', { trail: '1.5%' }), '102.53'],
    ['ticks below for a sell', sell('1', { trail: '50ticks' }), '100.51'],
  ])('is the last tick that reaches it: %s', (_, terms, level) => {
    expect(stopLevel(terms, Decimal.of('101.01'))?.toString()).toBe(level);
  });
});
