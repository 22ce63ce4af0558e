import { describe, expect, it } from 'vitest';
import { checkSetting } from '../../../src/config/settings.js';
import { type GuardLimits, guardLimits, parseGuards } from '../../../src/trading/guards/limits.js';
import { saying } from '../../support/advice.js';

function shown({ priceBand, orderNotional, dayNotional, postOnly }: GuardLimits) {
  const texts = (limits: GuardLimits['orderNotional']) =>
    Object.fromEntries([...limits].map(([coin, most]) => [coin, most.toString()]));
  return { band: priceBand?.toString() ?? null, order: texts(orderNotional), day: texts(dayNotional), postOnly };
}

const ORDER = { usdt: '1000000', usdc: '1000000', usd: '1000000', qc: '1000000', btc: '20', eth: '300' };
const DAY = { usdt: '5000000', usdc: '5000000', usd: '5000000', qc: '5000000', btc: '100', eth: '1500' };

describe('the limits of the guards', () => {
  it('the limits have defaults', () => {
    expect(shown(guardLimits({}))).toEqual({ band: '0.10', order: ORDER, day: DAY, postOnly: true });
  });

  it('keeps the default for coins that a setting does not name, and the day follows the limit of one order', () => {
    const limits = shown(guardLimits({ priceBand: '2.5%', orderNotional: '50000usdt,1.5ltc', postOnlyGuard: 'off' }));
    expect(limits).toEqual({
      band: '0.025',
      order: { ...ORDER, usdt: '50000', ltc: '1.5' },
      day: { ...DAY, usdt: '250000', ltc: '7.5' },
      postOnly: false,
    });
    expect(shown(guardLimits({ dayNotional: '7usdt' })).day).toEqual({ ...DAY, usdt: '7' });
  });

  it('turns the limits off one by one', () => {
    expect(shown(guardLimits({ priceBand: 'off' })).band).toBeNull();
    const others = { band: '0.10', postOnly: true };
    expect(shown(guardLimits({ orderNotional: 'off' }))).toEqual({ ...others, order: {}, day: DAY });
    expect(shown(guardLimits({ dayNotional: 'off' }))).toEqual({ ...others, order: ORDER, day: {} });
  });
});

describe('the settings of the guards', () => {
  it.each([
    ['priceBand', '5%', '5%'],
    ['priceBand', '2.50%', '2.5%'],
    ['priceBand', '100%', '100%'],
    ['priceBand', 'OFF', 'off'],
    ['orderNotional', '50000usdt,2BTC', '50000usdt,2btc'],
    ['orderNotional', '0.50btc, 10usdt', '0.5btc,10usdt'],
    ['dayNotional', 'off', 'off'],
    ['dayNotional', '1e6usdt', '1000000usdt'],
    ['priceBand', '1e-1%', '0.1%'],
    ['postOnlyGuard', 'Off', 'off'],
  ])('%s accepts %s', (key, value, kept) => {
    expect(checkSetting(key, value)).toBe(kept);
    // the stored setting is read again from the profile's file
    expect(checkSetting(key, kept)).toBe(kept);
  });

  it.each([
    ['priceBand', '5'],
    ['priceBand', '0%'],
    ['priceBand', '100.1%'],
    ['priceBand', '-5%'],
    ['priceBand', ''],
    ['orderNotional', '50000'],
    ['orderNotional', 'usdt'],
    ['orderNotional', '0usdt'],
    ['orderNotional', '1usdt,2usdt'],
    ['orderNotional', '1usdt,,2btc'],
    ['orderNotional', '1e5'],
    ['orderNotional', '1e30usdt'],
    ['dayNotional', '1,000usdt'],
    ['postOnlyGuard', 'no'],
  ])('%s refuses %j and says what it accepts', (key, value) => {
    expect(() => checkSetting(key, value)).toThrow(
      expect.objectContaining({ kind: 'usage', hints: saying(/ off\.$/) }),
    );
  });
});

describe('the names of the guards', () => {
  it('reads names one by one or with commas between', () => {
    expect(parseGuards('price-band')).toEqual(['price-band']);
    expect(parseGuards('Post-Only, day-notional')).toEqual(['post-only', 'day-notional']);
  });

  it.each(['', 'price', 'price-band,', 'all', 'priceBand'])('refuses %j and lists all guards', (word) => {
    const hints = saying('Known: price-band, order-notional, day-notional, post-only, trail-distance.');
    expect(() => parseGuards(word)).toThrow(expect.objectContaining({ kind: 'usage', hints }));
  });

  it('names the word that is none', () => {
    expect(() => parseGuards('price-band, prise ')).toThrow(/^There is no guard "prise"\.$/);
  });
});
