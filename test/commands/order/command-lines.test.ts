import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Flag, Parser } from '../../../src/cli/definition.js';
import { brokenRule, rulesOf } from '../../../src/cli/flag-rules.js';
import {
  ALGO_FLAGS,
  type AlgoDraft,
  type AlgoFlags,
  algoDraftArgs,
  checkAlgo,
  ENTRY_FLAGS,
  NO_ALGO_FLAGS,
} from '../../../src/commands/order/algo-args.js';
import { parseLadder } from '../../../src/commands/order/batch-input.js';
import order from '../../../src/commands/order/order.js';
import {
  checkGiven,
  completeOrder,
  draftArgs,
  firstMissing,
  type GivenOrder,
  ladderArgs,
  namedOrder,
  type OrderDraft,
  orderArgs,
  replaceArgs,
  tooLittleText,
} from '../../../src/commands/order/order-args.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { Failure } from '../../../src/errors.js';
import { parseAmount, parsePrice } from '../../../src/trading/expressions.js';
import { adviceText } from '../../support/advice.js';
import { TERMS } from '../../trading/support/terms.js';

const DRAFT: OrderDraft = {
  ...{ side: 'sell', market: 'btc_usdt', amount: parseAmount('50%'), at: parsePrice('bid+2ticks'), type: 'limit' },
  ...{ account: 'spot', borrow: false, repay: false, id: undefined, overridden: [] },
};

/** The message of what is refused, and what to do instead; empty if nothing is. */
function refusalOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [error.message, ...error.hints.map(adviceText)];
  }
}

describe('the command line of an order', () => {
  it.each<[string, object]>([
    ['order buy btc_usdt 0.01 --at 30000', {}],
    ['order buy btc_usdt 0.01 --at 30000 --post-only', { type: 'postOnly' }],
    ['order buy btc_usdt 0.01 --at 30000 --ioc', { type: 'ioc' }],
    ['order buy btc_usdt 0.01 --at 30000 --account cross', { account: 'cross' }],
    ['order buy btc_usdt 0.01 --at 30000 --account isolated --borrow', { account: 'isolated', borrow: true }],
    ['order buy btc_usdt 0.01 --at 30000 --account isolated --repay', { account: 'isolated', repay: true }],
  ])('%s has all of its terms', (line, terms) => {
    expect(orderArgs({ ...TERMS, ...terms }).join(' ')).toBe(line);
  });

  it.each<[string, object, object?]>([
    ['', {}],
    // an id that pit made, or that is not looked for, is made anew
    ['', { id: 'mine1' }],
    [' --once', { once: true }],
    [' --id mine1 --once', { id: 'mine1', once: true }],
    [' --override price-band --override day-notional', { overridden: ['price-band', 'day-notional'] }],
    [' --wait filled', { wait: 'filled' }],
    [' --dry-run', {}, { dryRun: true }],
    [' --yes', {}, { yes: true }],
  ])('as it was asked for ends with "%s"', (end, asked, globals) => {
    const words = draftArgs({ ...DRAFT, ...asked }, { dryRun: false, yes: false, ...globals });
    expect(words.join(' ')).toBe(`order sell btc_usdt 50% --at bid+2ticks${end}`);
  });
});

it.each(['bid:bid-2%:10', '30000:31000:20'])(
  'the command line of a ladder names %s, its amount and its weight',
  (prices) => {
    const ladder = {
      kind: 'ladder',
      ladder: parseLadder(prices),
      amount: parseAmount('100usdt'),
      weight: 'equal',
    } as const;
    expect(ladderArgs({ side: 'buy', market: 'btc_usdt', account: 'cross' }, ladder).join(' ')).toBe(
      `order batch buy btc_usdt --ladder ${prices} --amount 100usdt --weight equal --account cross`,
    );
  },
);

it.each(['30000:31000', '30000', '30000:31000:20:1', ''])('"%s" is not a ladder', (text) => {
  expect(refusalOf(() => parseLadder(text))).toEqual([
    `"${text}" is not a ladder.`,
    'Write FROM:TO:N, two prices and how many orders: 30000:31000:20, or bid:bid-2%:10.',
  ]);
});

it.each([1, 100_001])('a ladder has no %i orders', (count) => {
  expect(refusalOf(() => parseLadder(`30000:31000:${count}`))[0]).toContain('The number of orders of a ladder');
});

it.each<[string, object]>([
  ['', {}],
  [' --at 25000', { at: parsePrice('25000') }],
  [' --amount 0.01', { amount: parseAmount('0.01') }],
  [' --account isolated --borrow --repay', { account: 'isolated', borrow: true, repay: true }],
])('the command line of a replacement ends with what is to change: "%s"', (end, changes) => {
  const none = { at: undefined, amount: undefined, account: undefined, borrow: false, repay: false };
  expect(replaceArgs('btc_usdt', '7', { ...none, ...changes }).join(' ')).toBe(`order replace btc_usdt 7${end}`);
});

describe('the command line of an algo order', () => {
  const draft: AlgoDraft = {
    ...{ ...NO_ALGO_FLAGS, side: 'buy', market: 'btc_usdt', amount: parseAmount('1'), at: undefined, type: 'limit' },
    overridden: [],
  };
  const when = [{ text: 'last>30000' }, { text: 'bid<20000' }] as unknown as AlgoDraft['when'];

  it.each<[string, object]>([
    ['', {}],
    [' --at 28000', { at: parsePrice('28000') }],
    [' --at 28000 --post-only', { at: parsePrice('28000'), type: 'postOnly' }],
    [' --ioc', { type: 'ioc' }],
    [' --take 31000', { take: parsePrice('31000') }],
    [' --stop 27000 --limit 26900', { stop: parsePrice('27000'), limit: parsePrice('26900') }],
    [' --trail 2%', { trail: { unit: 'share', value: Decimal.of('0.02') } }],
    [' --trail 50ticks', { trail: { unit: 'ticks', value: Decimal.of('50') } }],
    [' --trail 300', { trail: { unit: 'price', value: Decimal.of('300') } }],
    [' --over 2h --every 5m --passive', { over: 7_200_000, every: 300_000, passive: true }],
    [' --show 0.1', { show: parseAmount('0.1') }],
    [' --chase', { chase: true }],
    [' --when last>30000 --when bid<20000', { when }],
    [' --for 10m', { for: 600_000 }],
    [' --slippage 0.5%', { slippage: Decimal.of('0.005') }],
    [' --trigger last', { trigger: 'last' }],
    // no agent may have a program run
    ['', { exec: 'true', notify: true }],
  ])('ends with "%s"', (end, asked) => {
    expect(algoDraftArgs({ ...draft, ...asked }, []).join(' ')).toBe(`order buy btc_usdt 1${end}`);
  });

  it('names the guards that it overrides', () => {
    expect(algoDraftArgs(draft, ['trail-distance']).join(' ')).toBe('order buy btc_usdt 1 --override trail-distance');
  });
});

describe('a flag of an algo order', () => {
  const FLAGS: Readonly<Record<string, Flag>> = order.flags ?? {};
  const RULES = rulesOf('order', order);
  const nameOf = ({ syntax }: Pick<Flag, 'syntax'>) => syntax.split(' ')[0] ?? '';
  const flagOf = (name: string) => {
    const found = Object.entries(FLAGS).find(([, flag]) => nameOf(flag) === name);
    if (found === undefined) throw new Error(`no flag ${name}`);
    return found;
  };

  /** These flags and those that they need; undefined if they exclude each other. */
  function completed(names: readonly string[]): readonly string[] | undefined {
    const rule = brokenRule(RULES, new Set(names));
    if (rule === undefined) return names;
    if ('excludes' in rule) return undefined;
    for (const needed of rule.needs) {
      const all = completed([...names, needed]);
      if (all !== undefined) return all;
    }
    return undefined;
  }

  const number = fc
    .tuple(fc.integer({ min: 1, max: 99_999 }), fc.constantFrom('', '.5', '.25'))
    .map(([whole, decimals]) => `${whole}${decimals}`);
  const pieces = (...parts: readonly (string | fc.Arbitrary<string>)[]) =>
    fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''));
  const price = pieces(fc.constantFrom('bid+', 'ask-', 'mid+'), number, fc.constantFrom('', '%', 'ticks'));
  const condition = pieces(fc.constantFrom('last', 'eth_usdt:bid', 'close:15min'), fc.constantFrom('>', '<'), number);
  const anything = fc.oneof(
    ...[number, pieces(number, fc.constantFrom('%', 'ticks', 'usdt')), price, condition],
    pieces(fc.integer({ min: 1, max: 90 }).map(String), fc.constantFrom('s', 'm', 'h', 'd')),
  );

  /** A word that a parser accepts. */
  function accepted(parse: Parser<unknown>): fc.Arbitrary<string> {
    const { completes } = parse;
    const words = completes?.of === 'words' ? [fc.constantFrom(...completes.words)] : [];
    return fc.oneof(anything, ...words).filter((word) => {
      try {
        parse(word);
        return true;
      } catch {
        return false;
      }
    });
  }

  function drawn(name: string): fc.Arbitrary<readonly string[]> {
    const [, { parse, repeats }] = flagOf(name);
    if (parse === undefined) return fc.constant([name]);
    const words = fc.array(accepted(parse), { minLength: 1, maxLength: repeats ? 3 : 1 });
    return words.map((values) => values.flatMap((value) => [name, value]));
  }

  /** What a command line asks for. */
  function draftOf([, side, market, amount = '', ...words]: readonly string[]): AlgoDraft {
    const given: Record<string, unknown> = {};
    for (let index = 0; index < words.length; index += 1) {
      const [key, { parse, repeats }] = flagOf(words[index] ?? '');
      if (parse === undefined) given[key] = true;
      else {
        index += 1;
        const value = parse(words[index] ?? '');
        given[key] = repeats ? [...((given[key] ?? []) as unknown[]), value] : value;
      }
    }
    const parts = { side, market, amount: parseAmount(amount), at: undefined, type: 'limit', overridden: [] };
    return { ...NO_ALGO_FLAGS, ...parts, ...given } as AlgoDraft;
  }

  const { exec: _exec, notify: _notify, ...typedAgain } = ALGO_FLAGS;

  it.each(Object.values<Flag>(typedAgain).map(nameOf))(
    '%s is typed again with its value, in each kind of entry that takes it',
    (name) => {
      const entries = Object.values(ENTRY_FLAGS).map((entry) => completed([entry.flag, name]));
      const lines = [completed([name]), ...entries].flatMap((names) => (names === undefined ? [] : [new Set(names)]));
      expect(lines.length).toBeGreaterThan(1);
      for (const names of lines)
        fc.assert(
          fc.property(accepted(parseAmount), fc.tuple(...[...names].map(drawn)), (amount, flags) => {
            const draft = draftOf(['order', 'buy', 'btc_usdt', amount, ...flags.flat()]);
            expect(draftOf(algoDraftArgs(draft, []))).toEqual(draft);
          }),
          { numRuns: 20 },
        );
    },
  );
});

describe('an order with a missing part', () => {
  const given: GivenOrder = { ...DRAFT, type: undefined };

  it('is a limit order if only its type is missing', () => {
    expect(completeOrder(given)).toEqual(DRAFT);
    expect(completeOrder({ ...given, type: 'ioc' })).toEqual({ ...DRAFT, type: 'ioc' });
  });

  const ASKS = 'On a terminal, pit asks for what is missing.';

  it.each<[missing: string, dryRun: boolean, said: readonly string[]]>([
    [
      'side market',
      false,
      [
        'The side is missing: buy or sell.',
        'Write it in full, for instance: pit order buy btc_usdt 0.01 --at ask',
        ASKS,
      ],
    ],
    [
      'side',
      true,
      [
        'The side is missing: buy or sell.',
        'Write it in full, for instance: pit order buy btc_usdt 0.01 --at ask --dry-run',
        ASKS,
      ],
    ],
    ['market amount', false, ['The market is missing.', 'Write it after sell, for instance btc_usdt.', ASKS]],
    ['amount at', false, ['The amount is missing.', 'Write it after the market, for instance 0.01 or 100usdt.', ASKS]],
    ['at', false, ['The price is missing.', 'Give it with --at, for instance --at 31000.5 or --at bid.']],
  ])('without its %s names the first one, and how it is written: dry run %s', (missing, dryRun, said) => {
    const parts = Object.fromEntries(missing.split(' ').map((part) => [part, undefined]));
    const { kind, message, hints } = firstMissing({ ...given, ...parts }, { dryRun });
    expect([kind, message, ...hints.map(adviceText)]).toEqual(['usage', ...said]);
  });

  it.each(['side', 'market', 'amount', 'at'])('is not complete without its %s', (part) => {
    expect(completeOrder({ ...given, [part]: undefined })).toBeUndefined();
  });
});

describe('parts that contradict each other are refused with advice, and others are not', () => {
  const MARGIN = ['--borrow and --repay need a margin account.', 'Add --account isolated or --account cross.'];
  const BALANCE = [
    'A percentage needs the balance, and the exchange does not report margin balances.',
    'Give the amount itself.',
  ];

  it.each<[string, object, readonly string[]]>([
    ['a share on spot', {}, []],
    ['a loan on spot', { borrow: true }, MARGIN],
    ['a repayment on spot', { repay: true }, MARGIN],
    ['a share on margin', { account: 'cross' }, BALANCE],
    ['a loan for an amount on margin', { account: 'isolated', borrow: true, amount: parseAmount('1') }, []],
    ['a replacement on margin', { account: 'isolated', repay: true, amount: undefined }, []],
  ])('%s', (_, parts, said) => {
    expect(refusalOf(() => checkGiven({ ...DRAFT, ...parts }))).toEqual(said);
  });

  const SLICES = ['--over is shorter than the time between two slices.', 'Give a longer --over, or a shorter --every.'];
  const SPOT = [
    'Algo orders trade on the spot account only.',
    'The exchange does not report margin balances, which they rest on.',
  ];
  const NO_OVERRIDE = [
    '--override has no meaning for an algo order.',
    'Guards hold for each of its orders at the moment of sending. Change the limit of the profile instead. Only trail-distance can be overridden.',
  ];
  const OWN_TYPE = 'Add --at PRICE, or leave it out: a reached stop sends an order of its own type.';
  const [take, stop, limit, show] = [
    parsePrice('110'),
    parsePrice('100'),
    parsePrice('99'),
    parseAmount('0.1'),
  ] as const;
  const [relative, slippage] = [parsePrice('bid-1%'), Decimal.of('0.01')];
  const share = (value: string) => ({ unit: 'share', value: Decimal.of(value) }) as const;

  it.each<[string, Partial<AlgoFlags>, Partial<GivenOrder>, readonly string[]]>([
    ['slices over a minute', { over: 60_000 }, {}, []],
    ['slices over less', { over: 59_999 }, {}, SLICES],
    ['slices as far apart as they last', { over: 300_000, every: 300_000 }, {}, []],
    ['slices further apart', { over: 300_000, every: 300_001 }, {}, SLICES],
    ['a type without an entry', { stop }, { type: 'ioc' }, ['--ioc belongs to an order with --at.', OWN_TYPE]],
    ['PostOnly alone', { stop }, { type: 'postOnly' }, ['--post-only belongs to an order with --at.', OWN_TYPE]],
    ['a type of an entry', { take }, { type: 'ioc', side: 'buy', at: stop }, []],
    [
      'a slippage beside a limit',
      { stop, limit, slippage },
      {},
      ['--slippage has no meaning with --limit.', 'The limit says how far the stop may fill.'],
    ],
    ['a slippage of slices', { over: 60_000, stop, limit, slippage }, { side: 'buy' }, []],
    ['a slippage of slices alone', { over: 60_000, slippage }, {}, []],
    [
      'a slippage of slices that rest',
      { over: 60_000, passive: true, slippage },
      {},
      ['--slippage has no meaning with --passive.', 'Passive slices rest at the best price.'],
    ],
    ['a slippage of their stop', { over: 60_000, passive: true, slippage, stop }, { side: 'buy' }, []],
    ['a slippage of their trail', { over: 60_000, passive: true, slippage, trail: share('0.02') }, {}, []],
    ['slices that rest', { over: 60_000, passive: true }, {}, []],
    ['margin', { stop }, { account: 'cross' }, SPOT],
    ['a loan', { stop }, { borrow: true }, SPOT],
    ['a repayment', { stop }, { repay: true }, SPOT],
    ['the guard of its trail', { stop }, { overridden: ['trail-distance'] }, []],
    ['a guard of its orders', { stop }, { overridden: ['trail-distance', 'price-band'] }, NO_OVERRIDE],
    [
      'an iceberg of all',
      { show },
      { at: stop, amount: show },
      ['--show 0.1 is not below the amount 0.1: all of it would rest.', 'Give a smaller --show, or leave it out.'],
    ],
    ['an iceberg', { show }, { at: stop, amount: parseAmount('0.11') }, []],
    ['an iceberg of a value', { show: parseAmount('100usdt') }, { at: stop, amount: parseAmount('100usdt') }, []],
    ['a trail of everything', { trail: share('1') }, {}, ['A trail of 100% never ends.', 'Use less than 100%.']],
    ['a trail of almost everything', { trail: share('0.99') }, {}, []],
    ['a trail of many ticks', { trail: { unit: 'ticks', value: Decimal.of('200') } }, {}, []],
    [
      'a stop at the take-profit',
      { take: stop, stop },
      {},
      ['The stop 100 is not below the take-profit 100.', 'Use a stop below 100.'],
    ],
    [
      'a stop of a buy at the take-profit',
      { take: stop, stop },
      { side: 'buy' },
      ['The stop 100 is not above the take-profit 100.', 'Use a stop above 100.'],
    ],
    ['a stop below the take-profit', { take, stop }, {}, []],
    ['a stop below a take-profit that the market says', { take: relative, stop }, {}, []],
    ['a side that is not known yet', { take: stop, stop: take }, { side: undefined }, []],
    [
      'a stop at the entry',
      { stop },
      { side: 'buy', at: stop },
      ['The stop 100 is not below the price of the entry 100.', 'Use a stop below 100.'],
    ],
    ['a stop beyond the bound of slices', { stop: take, over: 60_000 }, { side: 'buy', at: stop }, []],
    [
      'a take-profit at the entry',
      { take },
      { side: 'sell', at: take },
      ['The price of the entry 110 is not above the take-profit 110.', 'Use a price of the entry above 110.'],
    ],
    ['a limit at its stop', { stop, limit: stop }, {}, []],
    ['a limit of a buy at its stop', { stop, limit: stop }, { side: 'buy' }, []],
    [
      'a limit above a stop that sells',
      { stop, limit: take },
      {},
      ['The limit 110 is above the stop 100: what a reached stop sends would not fill.', 'Use 100 or less.'],
    ],
    [
      'a limit below a stop that buys',
      { stop, limit },
      { side: 'buy' },
      ['The limit 99 is below the stop 100: what a reached stop sends would not fill.', 'Use 100 or more.'],
    ],
    ['a limit that the market says', { stop, limit: relative }, { side: 'buy' }, []],
  ])('in an algo order: %s', (_, flags, parts, said) => {
    const given = { ...DRAFT, at: undefined, type: undefined, ...parts };
    expect(refusalOf(() => checkAlgo(given, { ...NO_ALGO_FLAGS, ...flags }))).toEqual(said);
  });
});

describe('the distance of a trail', () => {
  it.each<[text: string, unit: string, value: string]>([
    ['2%', 'share', '0.02'],
    ['0.5%', 'share', '0.005'],
    ['300', 'price', '300'],
    ['12.25', 'price', '12.25'],
    ['50ticks', 'ticks', '50'],
    ['1tick', 'ticks', '1'],
    ['50TICKS', 'ticks', '50'],
    ['3.0ticks', 'ticks', '3.0'],
  ])('reads %s in its unit', (text, unit, value) => {
    const distance = ALGO_FLAGS.trail.parse(text);
    expect([distance.unit, distance.value.toString()]).toEqual([unit, value]);
  });

  it.each(['0', '0%', '0ticks', '-1', '1.5ticks', '%', 'ticks', 'x2%', '2%x', '2%%', '1.', '.5', '1.2.3', '3tickss'])(
    'is not "%s", and says how to write one',
    (text) => {
      expect(refusalOf(() => ALGO_FLAGS.trail.parse(text))).toEqual([
        `"${text}" is not a trail distance.`,
        'Write a share like 2%, a price difference like 300, or 50ticks.',
      ]);
    },
  );
});

describe('a slippage', () => {
  it.each([
    ['1%', '0.01'],
    ['0.5%', '0.005'],
    ['99%', '0.99'],
    ['12.25%', '0.1225'],
    ['0%', '0'],
  ])('reads %s as a share', (text, value) => {
    expect(ALGO_FLAGS.slippage.parse(text).toString()).toBe(value);
  });

  it.each(['1', '100%', '1.%', '.5%', 'x1%', '1%x', '-1%'])('is not "%s", and says how to write one', (text) => {
    expect(refusalOf(() => ALGO_FLAGS.slippage.parse(text))).toEqual([
      `The slippage must be a percentage below 100%, with its % sign, not "${text}".`,
      'Write it like 0.5%.',
    ]);
  });
});

it('names an order by the id of the exchange, or else by the client id', () => {
  expect(namedOrder({ id: '7' }, undefined)).toEqual({ id: '7' });
  expect(namedOrder(undefined, 'mine1')).toEqual({ clientId: 'mine1' });
});

it.each([
  ['0', 'Nothing was left to place.'],
  ['0.0004', 'The rest, 0.0004, is below the minimum of btc_usdt and cannot be placed by itself.'],
])('says of a rest of %s why it is not placed', (amount, text) => {
  expect(tooLittleText({ amount, market: 'btc_usdt' })).toBe(text);
});
