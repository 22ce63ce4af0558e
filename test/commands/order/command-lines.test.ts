import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Flag, Parser } from '../../../src/cli/definition.js';
import { brokenRule, rulesOf } from '../../../src/cli/flag-rules.js';
import {
  ALGO_FLAGS,
  type AlgoDraft,
  algoDraftArgs,
  ENTRY_FLAGS,
  NO_ALGO_FLAGS,
} from '../../../src/commands/order/algo-args.js';
import { parseLadder } from '../../../src/commands/order/batch-input.js';
import order from '../../../src/commands/order/order.js';
import {
  completeOrder,
  draftArgs,
  type GivenOrder,
  ladderArgs,
  namedOrder,
  type OrderDraft,
  orderArgs,
  replaceArgs,
  tooLittleText,
} from '../../../src/commands/order/order-args.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { parseAmount, parsePrice } from '../../../src/trading/expressions.js';
import { TERMS } from '../../trading/support/terms.js';

const DRAFT: OrderDraft = {
  ...{ side: 'sell', market: 'btc_usdt', amount: parseAmount('50%'), at: parsePrice('bid+2ticks'), type: 'limit' },
  ...{ account: 'spot', borrow: false, repay: false, id: undefined, overridden: [] },
};

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
  expect(() => parseLadder(text)).toThrow(`"${text}" is not a ladder.`);
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

  it.each(['side', 'market', 'amount', 'at'])('is not complete without its %s', (part) => {
    expect(completeOrder({ ...given, [part]: undefined })).toBeUndefined();
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
