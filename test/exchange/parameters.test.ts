import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as kinds from '../../src/exchange/operations/operation.js';
import { checkedParameters } from '../../src/exchange/requests/request.js';
import { anyText } from '../support/any-text.js';

const LINES = [
  'a\nb',
  'a\r',
  '\t',
  '\u0000',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u001b[2J',
  '\u007f',
  '\ud800',
  'x\udfffx',
];

const {
  market,
  coin,
  amount,
  amountOrZero,
  long,
  pageNumber,
  unboundedInt,
  clientOrderId,
  wallClock,
  pricesAndAmounts,
  anything,
  address,
  secret,
} = kinds;

describe.each([
  {
    name: 'market',
    kind: market,
    takes: ['btc_usdt', '1inch_usdt', 'luna-2_usdt', 'btc_üsdt', `${'a'.repeat(32)}_b`],
    refuses: [
      '',
      'btcusdt',
      'BTC_USDT',
      'btc_',
      '_usdt',
      'btc_usdt_x',
      'btc usdt',
      'btc_usdt\n',
      'luna-_usdt',
      'btc_ÜSDT',
      `${'a'.repeat(33)}_b`,
    ],
  },
  {
    name: 'coin',
    kind: coin,
    takes: ['btc', 'BTC', '1inch', 'luna-2', 'bnb.s', '猫币', 'ｂtc', 'a'.repeat(32)],
    refuses: ['', 'b c', 'b_c', 'btc\n', '-btc', 'btc.', 'btc\u200b', 'a'.repeat(33)],
  },
  {
    name: 'amount',
    kind: amount,
    takes: ['1', '0.00000001', '100.50', `${'0'.repeat(39)}1`],
    refuses: ['', '0', '0.0', '-1', '+1', '1e3', '.5', '1.', '1,5', ' 1', '1\n', '١', '0x1', 'NaN', '1'.repeat(41)],
  },
  { name: 'amount or zero', kind: amountOrZero, takes: ['0', '0.0', '1'], refuses: ['', '-0', '1e3', '1\n'] },
  {
    name: 'long',
    kind: long,
    takes: ['0', '9223372036854775807', '007'],
    refuses: ['', '9223372036854775808', '-1', '1.0', '1\n', '1e3'],
  },
  { name: 'page', kind: pageNumber, takes: ['1', '2147483647'], refuses: ['0', '2147483648', '-1', ''] },
  {
    name: 'page or size without a range',
    kind: unboundedInt,
    takes: ['0', '1', '51', '2147483647'],
    refuses: ['2147483648', '-1', ''],
  },
  {
    name: 'client order id',
    kind: clientOrderId,
    takes: ['abcd', '1234', 'aB3'.repeat(12)],
    refuses: ['', 'abc', 'a'.repeat(37), 'ab-cd', 'ab_cd', 'äbcd', 'abcd\n', 'ab cd'],
  },
  {
    name: 'clock',
    kind: wallClock,
    takes: ['2022-03-28 10:00:00', '2024-02-29 23:59:59'],
    refuses: [
      '2022-03-28',
      '2022-03-28T10:00:00',
      '2022-3-28 10:00:00',
      '2022-03-28 10:00:00\n',
      '2022-13-45 99:00:00',
      '2022-02-29 00:00:00',
      '2022-06-31 00:00:00',
      '2022-06-30 24:00:00',
      '',
    ],
  },
  {
    name: 'pairs',
    kind: pricesAndAmounts,
    takes: ['[[1,2]]', '[[31000.5,0.01],[30999,0.02]]', `[${Array(20).fill('[1,1]').join(',')}]`],
    refuses: [
      '',
      '[]',
      '[[]]',
      '[[1]]',
      '[[1,2,3]]',
      '[[1, 2]]',
      '[["1","2"]]',
      '[[1,-2]]',
      '[[1e3,2]]',
      '[[1,2]]\n',
      `[${Array(21).fill('[1,1]').join(',')}]`,
    ],
  },
  {
    name: 'address',
    kind: address,
    takes: ['0xab', 'eosaccount12_1000234', 'a_b c', 'é_メモ', '&=%+#'],
    refuses: ['', 'x'.repeat(501), ...LINES],
  },
  {
    name: 'fund password',
    kind: secret,
    takes: ['x', ' ', '&=%+#?/\\\'"`', 'пароль🔑', '\u00a0'],
    refuses: ['', 'x'.repeat(501), ...LINES],
  },
  { name: 'anything', kind: anything, takes: ['', '7', 'limit'], refuses: ['x'.repeat(501), ...LINES] },
])('$name', ({ kind, takes, refuses }) => {
  it.each(takes)('accepts %j', (text) => expect(kind.problem(text)).toBeUndefined());
  it.each(refuses)('refuses %j', (text) => expect(kind.problem(text)).toMatch(/^must (not )?\w/));
});

describe('checkedParameters', () => {
  const order = { currency: 'btc_usdt', tradeType: '1', price: '1', amount: '1' };

  it('names the parameter that is wrong, missing or unknown', () => {
    expect(() => checkedParameters('order', { ...order, price: '0' })).toThrow(
      'price must be a decimal number above zero',
    );
    expect(() => checkedParameters('depth', { market: 'btc_usdt', size: '51' })).toThrow(
      'size must be a whole number from 1 to 50',
    );
    expect(() => checkedParameters('kline', { market: 'btc_usdt', type: '2min' })).toThrow(
      /^type must be one of 1min, 3min/,
    );
    const { amount: _, ...incomplete } = order;
    expect(() => checkedParameters('order', incomplete as typeof order)).toThrow('amount is missing');
    expect(() => checkedParameters('order', { ...order, ...{ sign: 'x' } })).toThrow(
      'sign is not a parameter of order',
    );
    expect(() => checkedParameters('order', { ...order, ...JSON.parse('{"__proto__":"x"}') })).toThrow(
      '__proto__ is not a parameter of order',
    );
    expect(() => checkedParameters('order', { ...order, ...{ toString: 'x' } })).toThrow(
      'toString is not a parameter of order',
    );
  });

  it('requires exactly one reference to an order', () => {
    const one = { currency: 'btc_usdt', id: '1' };
    expect([...checkedParameters('cancelOrder', one)]).toEqual([
      ['currency', 'btc_usdt'],
      ['id', '1'],
    ]);
    const rule = 'id and customerOrderId exclude each other, and one of them is required';
    expect(() => checkedParameters('cancelOrder', { ...one, customerOrderId: 'abcd' })).toThrow(rule);
    expect(() => checkedParameters('getOrder', { currency: 'btc_usdt' })).toThrow(rule);
  });

  it('never quotes a fund password', () => {
    const withdrawal = { amount: '1', currency: 'usdt', fees: '0', receiveAddr: 'a' };
    fc.assert(
      fc.property(anyText({ minLength: 12 }), fc.constantFrom(...LINES), (text, bad) => {
        const safePwd = `${text}${bad}`;
        expect(() => checkedParameters('withdraw', { ...withdrawal, safePwd })).toThrow(
          'safePwd must not hold control characters',
        );
      }),
    );
  });
});
