import { describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/account.js';
import type { Trade } from '../../../src/domain/market-data.js';
import { applyEvent } from '../../../src/exchange/mirror/merge.js';
import type { OrderUpdate } from '../../../src/exchange/stream/events.js';

const order = (id: string, state: OrderUpdate['state'], filled = '0') => ({ id, state, filled }) as OrderUpdate;
const coin = (name: string, available: string) => ({ coin: name, available }) as Coin;
const trade = (id: string) => ({ id }) as Trade;
const candle = (time: number, close: string) => ({
  ...{ time, open: '1', high: '1', low: '1', close, volume: '1', closed: false },
});

describe('what is known of a channel after an event', () => {
  it('keeps each order as it was pushed last, open ones first, in the order in which they came', () => {
    const before = [order('1', 'open'), order('2', 'open'), order('9', 'filled')];
    const data = [order('2', 'filled', '5'), order('3', 'open'), order('1', 'open', '2')];
    expect(applyEvent('orders', before, { data, scope: 'delta' })).toEqual([
      ...[order('1', 'open', '2'), order('3', 'open'), order('9', 'filled'), order('2', 'filled', '5')],
    ]);
  });

  it('lacks the open orders that a whole list does not name, and keeps those that ended', () => {
    const before = [order('1', 'open'), order('2', 'open'), order('9', 'filled')];
    expect(applyEvent('orders', before, { data: [order('2', 'open')], scope: 'snapshot' })).toEqual([
      ...[order('2', 'open'), order('9', 'filled')],
    ]);
  });

  it('keeps the last hundred orders that ended', () => {
    const data = Array.from({ length: 130 }, (_, index) => order(String(index), 'cancelled'));
    const kept = applyEvent('orders', undefined, { data, scope: 'delta' });
    expect(kept.map(({ id }) => Number(id))).toEqual(Array.from({ length: 100 }, (_, index) => index + 30));
  });

  it('keeps each coin as it was pushed last, and only the coins of a whole list', () => {
    const before = [coin('btc', '1'), coin('usdt', '5')];
    const data = [coin('usdt', '4')];
    expect(applyEvent('balances', before, { data, scope: 'delta' })).toEqual([coin('btc', '1'), coin('usdt', '4')]);
    expect(applyEvent('balances', before, { data, scope: 'snapshot' })).toEqual(data);
  });

  it('keeps each trade once, by its id, oldest first', () => {
    const before = [trade('998'), trade('999')];
    expect(applyEvent('trades', before, { data: [trade('1000'), trade('1001')], scope: 'delta' })).toEqual(
      ['998', '999', '1000', '1001'].map(trade),
    );
    expect(applyEvent('trades', before, { data: [trade('997'), trade('999'), trade('1000')], scope: 'delta' })).toEqual(
      ['997', '998', '999', '1000'].map(trade),
    );
  });

  it('keeps each candle as it was pushed last, oldest first', () => {
    const before = [candle(60, '1'), candle(120, '2')];
    expect(applyEvent('kline', before, { data: [candle(120, '3'), candle(180, '4')], scope: 'delta' })).toEqual([
      ...[candle(60, '1'), candle(120, '3'), candle(180, '4')],
    ]);
  });
});
