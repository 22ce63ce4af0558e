import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COIN } from '../../src/domain/coin.js';
import { DECIMAL, splitUnit } from '../../src/domain/decimal.js';
import { choiceOf, type Kind, wholeFrom } from '../../src/domain/kind.js';
import { MARKET } from '../../src/domain/market.js';
import { CLIENT_ID } from '../../src/domain/order.js';
import { operations } from '../../src/exchange/operations/index.js';

const KINDS: readonly (readonly [name: string, kind: Kind<unknown>])[] = [
  ['a market', MARKET],
  ['a coin', COIN],
  ['a client id', CLIENT_ID],
  ['a decimal number', DECIMAL],
  ['a whole number', wholeFrom(0n, 10n ** 20n)],
  ['a choice', choiceOf('limit', 'postOnly')],
];

describe.each(KINDS)('%s', (_name, { read, isExact, pattern }) => {
  it('reads only texts whose value has the exact form, whatever is typed', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(new RegExp(`^(?:${pattern})$`))), (text) => {
        const value = read(text);
        if (value !== undefined) expect(isExact(String(value))).toBe(true);
      }),
    );
  });

  it('reads a text of the exact form as a value of that form', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^(?:${pattern})$`)), (text) => {
        if (isExact(text)) expect(isExact(String(read(text)))).toBe(true);
      }),
    );
  });
});

it('a coin in ASCII has the exact form whether it is compared with the letters of all scripts or with those of ASCII', () => {
  const anyScript = new RegExp(`^(?:${COIN.pattern})$`, 'u');
  const signs = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const shapes = signs.flatMap((sign) => [sign, `${sign}b`, `a${sign}`, `a${sign}b`, `a${sign.repeat(30)}b`]);
  for (const text of [...shapes, '', 'a'.repeat(32), 'a'.repeat(33)])
    expect(COIN.isExact(text)).toBe(anyScript.test(text));
});

it.each([
  [COIN, '猫币', true],
  [COIN, '猫 币', false],
  [MARKET, '猫币_usdt', true],
  [MARKET, '猫币usdt', false],
])('letters of other scripts are a part of names: %#', (kind, text, isExact) => {
  expect(kind.isExact(text)).toBe(isExact);
});

it.each([
  [MARKET, 'BTC/USDT', 'btc_usdt'],
  [MARKET, 'btcusdt', 'btc_usdt'],
  [MARKET, 'btc_usdt_x', undefined],
  [COIN, 'BTC', 'btc'],
  [COIN, 'b c', undefined],
  [CLIENT_ID, 'abc', undefined],
  [CLIENT_ID, 'Abc1', 'Abc1'],
  [DECIMAL, '28,128.650', '28128.650'],
  [DECIMAL, '1e-05', '0.00001'],
  [DECIMAL, '-1', undefined],
  [DECIMAL, '1,500', undefined],
])('a kind reads what people write: %#', (kind, text, value) => {
  expect(kind.read(text)).toBe(value);
});

it.each([
  ['0.5', { digits: '0.5', unit: '' }],
  ['50%', { digits: '50', unit: '%' }],
  ['100USDT', { digits: '100', unit: 'usdt' }],
  ['1e2usdt', { digits: '100', unit: 'usdt' }],
  // an exponent that is out of bounds would name a coin
  ['1e99', undefined],
  ['usdt', undefined],
])('a number and its unit are split: %s', (text, parts) => {
  expect(splitUnit(text)).toEqual(parts);
});

it('a command line and a request take the same markets and client ids in their exact form', () => {
  const { currency, customerOrderId } = operations.order.parameters;
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9]{1,22}_[a-z0-9]{1,22}$/)), (text) => {
      expect(currency.kind.problem(text) === undefined).toBe(MARKET.isExact(text));
      expect(customerOrderId.kind.problem(text) === undefined).toBe(CLIENT_ID.isExact(text));
    }),
  );
});
