import { describe, expect, it } from 'vitest';
import { checkSetting, loosens } from '../../src/config/settings.js';

describe('a withdrawal limit', () => {
  it.each([
    ['withdrawLimit', '0.50BTC, 1000usdt', '0.5btc,1000usdt'],
    ['withdrawDayLimit', '1btc', '1btc'],
    ['withdrawDayLimit', '1e3btc,8.329e-05eth', '1000btc,0.00008329eth'],
    ['withdrawAddresses', ' 1Boat ,account_12,1Boat', '1Boat,account_12'],
  ])('stores %s in one form', (key, value, kept) => {
    expect(checkSetting(key, value)).toBe(kept);
  });

  it.each([
    ['withdrawLimit', 'off'],
    ['withdrawLimit', '0btc'],
    ['withdrawLimit', '1e30btc'],
    ['withdrawDayLimit', '1e3e3btc'],
    ['withdrawLimit', '5hsr'],
    ['withdrawLimit', '1btc,2btc'],
    ['withdrawDayLimit', '5'],
    ['withdrawAddresses', ''],
    ['withdrawAddresses', '1Boat,,x'],
  ])('rejects %s with %j', (key, value) => {
    expect(() => checkSetting(key, value)).toThrow(expect.objectContaining({ kind: 'usage' }));
  });

  it.each([
    ['withdrawLimit', undefined, '1btc', false],
    ['withdrawLimit', '1btc', '1btc', false],
    ['withdrawLimit', '1btc', '0.9btc', false],
    ['withdrawLimit', '1btc', '1btc,5eth', false],
    ['withdrawLimit', '1btc', '1.00000001btc', true],
    ['withdrawLimit', '1btc,5eth', '1btc', true],
    ['withdrawDayLimit', '1btc', undefined, true],
    ['withdrawAddresses', 'aaaa,bbbb', 'bbbb', false],
    ['withdrawAddresses', 'aaaa', 'aaaa,bbbb', true],
    ['withdrawAddresses', 'aaaa', 'AAAA', true],
    ['withdrawAddresses', 'aaaa', undefined, true],
    ['zone', '+08:00', undefined, false],
  ])('%s from %s to %s loosens it: %s', (key, before, after, expected) => {
    expect(loosens(key, before, after)).toBe(expected);
  });
});
