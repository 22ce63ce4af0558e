import { expect, it } from 'vitest';
import { durationUpTo, marketName, moment, positiveDecimal } from '../../../src/commands/inputs/parsers.js';
import { parseAmount } from '../../../src/trading/expressions.js';

it.each([
  '0.3',
  '3',
  '007',
  '.3',
  '3.',
  '0',
  '0.0',
  '-1',
  '+1',
  '1e3',
  '1e-05',
  '1.0E-8',
  '1e30',
  '1,5',
  ' 1',
  '',
  '1'.repeat(31),
])('positiveDecimal and parseAmount agree whether %j is a number', (word) => {
  const takes = (read: (word: string) => unknown) => {
    try {
      read(word);
      return true;
    } catch {
      return false;
    }
  };
  expect(takes(positiveDecimal('--amount'))).toBe(takes(parseAmount));
});

it.each([
  ['28,128.65', '28128.65'],
  ['1,250,000', '1250000'],
  ['12,345,678.9', '12345678.9'],
])('reads %s as pit shows it', (word, number) => {
  expect(positiveDecimal('--amount')(word)).toBe(number);
  expect(parseAmount(word)).toMatchObject({ kind: 'base' });
  expect(parseAmount(`${word}usdt`)).toMatchObject({ kind: 'value', coin: 'usdt' });
});

it('reads a number with an exponent, and names the rule for one that is too long', () => {
  expect(positiveDecimal('--fee')('8.329e-05')).toBe('0.00008329');
  const hints = [expect.stringContaining('exponent')];
  expect(() => positiveDecimal('--fee')('1e-40')).toThrow(
    expect.objectContaining({ kind: 'usage', message: '--fee cannot be read as a number: "1e-40".', hints }),
  );
});

it.each(['1,000', '28,128', '0,500', '1,00', '1,0000', '1000,000', '1,000,00', ',100'])(
  'never guesses what %s means',
  (word) => {
    expect(() => positiveDecimal('--amount')(word)).toThrow(/^--amount (cannot|must) be /);
    expect(() => parseAmount(word)).toThrow(/is not an amount/);
  },
);

it.each([
  ['btcusdt', 'btc_usdt'],
  ['ETHBTC', 'eth_btc'],
  ['btc_usdt', 'btc_usdt'],
])('reads the market %s as %s', (word, market) => {
  expect(marketName(word)).toBe(market);
});

it('never guesses a market from the name of a coin', () => {
  for (const word of ['btc', 'usdt', 'btcxyz']) expect(() => marketName(word)).toThrow(/is not a market name/);
});

it.each([
  ['1795500000', '2026-11-24T06:00:00.000Z'],
  ['1795500000123', '2026-11-24T06:00:00.123Z'],
  ['0999999999', '2001-09-09T01:46:39.000Z'],
])('reads the Unix time %s by its digits, in seconds or milliseconds', (word, time) => {
  expect(new Date(moment(word)(0)).toISOString()).toBe(time);
});

it.each(['179550000', '17955000000', '179550000000', '17955000000000', '20261125120000', '1795500000000000'])(
  'refuses %s, which no Unix time of this century is like',
  (word) => {
    expect(() => moment(word)).toThrow(/is not a time/);
  },
);

it('refuses a duration that is too long with the longest one', () => {
  expect(durationUpTo('24d')('24d')).toBe(24 * 86_400_000);
  expect(() => durationUpTo('24d')('4w')).toThrow(
    expect.objectContaining({ message: 'The duration "4w" is too long.', hints: ['Use at most 24d.'] }),
  );
});
