import { describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/account.js';
import type { Candle } from '../../../src/domain/candle.js';
import type { Depth, Trade } from '../../../src/domain/market-data.js';
import { type ChannelData, type ChannelKind, FOLLOWED } from '../../../src/exchange/channels/followed.js';
import type { NewestState, Scope } from '../../../src/exchange/channels/newest.js';
import type { OrderUpdate } from '../../../src/exchange/stream/events.js';

const order = (id: string, state: OrderUpdate['state'], filled = '0') => ({ id, state, filled }) as OrderUpdate;
const coin = (name: string, available: string, frozen = '0') => ({ coin: name, available, frozen }) as Coin;
const trade = (id: string) => ({ id }) as Trade;
const candle = (time: number, close: string, volume = '1', closed = false): Candle => ({
  ...{ time, open: '1', high: '1', low: '1', close, volume, closed },
});

/** The state of a channel that has taken this. */
function stateOf<Kind extends ChannelKind>(kind: Kind, ...taken: readonly [ChannelData[Kind], Scope][]) {
  const state = FOLLOWED[kind].newest() as unknown as NewestState<ChannelData[Kind]>;
  for (const [data, scope] of taken) state.take(data, scope);
  return state;
}

describe('the newest state of a channel', () => {
  it('keeps each order as it was pushed last, open ones first, in the order in which they came', () => {
    const before = [order('1', 'open'), order('2', 'open'), order('9', 'filled')];
    const data = [order('2', 'filled', '5'), order('3', 'open'), order('1', 'open', '2')];
    expect(stateOf('orders', [before, 'delta'], [data, 'delta']).value).toEqual([
      ...[order('1', 'open', '2'), order('3', 'open'), order('9', 'filled'), order('2', 'filled', '5')],
    ]);
  });

  it('lacks the open orders that a whole list does not name, and keeps those that ended', () => {
    const before = [order('1', 'open'), order('2', 'open'), order('9', 'filled')];
    expect(stateOf('orders', [before, 'delta'], [[order('2', 'open')], 'snapshot']).value).toEqual([
      ...[order('2', 'open'), order('9', 'filled')],
    ]);
  });

  it('an order that has ended stays so, and what is filled stays filled', () => {
    const state = stateOf('orders', [[order('1', 'filled', '5'), order('2', 'open', '2')], 'delta']);
    expect(state.take([order('1', 'open', '3'), order('2', 'open', '1')], 'delta')).toBeUndefined();
    expect(state.value).toEqual([order('2', 'open', '2'), order('1', 'filled', '5')]);
    expect(stateOf('orders', [[order('3', 'cancelled')], 'delta']).take([order('3', 'open')], 'delta')).toBeUndefined();
    // a whole list that says less of them names what is known
    expect(state.take([order('2', 'open', '1')], 'snapshot')).toEqual([order('2', 'open', '2')]);
  });

  it('orders of the past are no part of the value, and no news', () => {
    const state = stateOf('orders', [[order('1', 'open')], 'snapshot']);
    state.remember([order('8', 'filled', '5')]);
    expect(state.value).toEqual([order('1', 'open')]);
    expect(state.lacks([order('8', 'filled', '5')])).toBe(false);
    expect(state.take([order('8', 'open', '4')], 'delta')).toBeUndefined();
  });

  it('an order of the past is news only once more of it is known, in a whole list too', () => {
    const state = stateOf('orders', [[order('1', 'open')], 'snapshot']);
    state.remember([order('8', 'filled', '5'), order('9', 'cancelled', '1')]);
    expect(state.take([order('1', 'open'), order('8', 'filled', '5')], 'snapshot')).toEqual([order('1', 'open')]);
    expect(state.take([order('8', 'filled', '5')], 'delta')).toBeUndefined();
    expect(state.take([order('9', 'cancelled', '2')], 'delta')).toEqual([order('9', 'cancelled', '2')]);
  });

  it('keeps the last thousand orders that ended', () => {
    const data = Array.from({ length: 1_030 }, (_, index) => order(String(index), 'cancelled'));
    const state = stateOf('orders', [data, 'delta']);
    expect([state.value?.length, state.value?.[0]?.id]).toEqual([1_000, '30']);
  });

  it('keeps each coin as it was pushed last, and only the coins of a whole list', () => {
    const before = [coin('btc', '1'), coin('usdt', '5')];
    const data = [coin('usdt', '4')];
    const state = stateOf('balances', [before, 'snapshot'], [data, 'delta']);
    expect(state.value).toEqual([coin('btc', '1'), coin('usdt', '4')]);
    expect(state.lacks([coin('btc', '1.0'), coin('usdt', '4'), coin('eth', '0')])).toBe(false);
    expect(state.lacks([coin('eth', '1')])).toBe(true);
    state.take(data, 'snapshot');
    expect(state.value).toEqual(data);
  });

  it('keeps each trade once, by its id, oldest first', () => {
    const state = stateOf('trades', [['998', '999'].map(trade), 'delta'], [['1000', '1001'].map(trade), 'delta']);
    expect(state.value).toEqual(['998', '999', '1000', '1001'].map(trade));
    expect(state.take(['997', '999', '1002'].map(trade), 'delta')).toEqual(['997', '1002'].map(trade));
    expect(state.value).toEqual(['997', '998', '999', '1000', '1001', '1002'].map(trade));
  });

  it('keeps the newest thousand trades, and misses none that it dropped', () => {
    const ids = Array.from({ length: 1_200 }, (_, index) => String(index + 1_000));
    const state = stateOf('trades', [ids.map(trade), 'delta']);
    expect([state.value?.length, state.value?.[0]?.id]).toEqual([1_000, '1200']);
    expect([state.lacks([trade('1100')]), state.lacks([trade('2300')])]).toEqual([false, true]);
  });

  it('keeps each candle as it was pushed last, oldest first', () => {
    const before = [candle(60, '1'), candle(120, '2')];
    const state = stateOf('kline', [before, 'snapshot'], [[candle(120, '3'), candle(180, '4')], 'delta']);
    expect(state.value).toEqual([candle(60, '1'), candle(120, '3'), candle(180, '4')]);
  });

  it('a candle never loses volume, and a closed one opens only for more of it', () => {
    const state = stateOf('kline', [[candle(60, '1', '5', true), candle(120, '2', '3')], 'snapshot']);
    expect(
      state.take([candle(60, '9', '4', true), candle(60, '9', '5'), candle(120, '9', '2')], 'delta'),
    ).toBeUndefined();
    expect(state.lacks([candle(60, '1', '5', true), candle(120, '2', '3')])).toBe(false);
    expect(state.lacks([candle(120, '2', '3.5')])).toBe(true);
    expect(state.take([candle(60, '9', '6')], 'delta')).toEqual([candle(60, '9', '6')]);
  });

  it('lacks nothing that HTTP shows before it has taken anything', () => {
    expect(stateOf('depth').lacks({ time: 1, bids: [{ price: '1', amount: '1' }], asks: [] })).toBe(false);
    expect(stateOf('kline').lacks([candle(60, '1')])).toBe(false);
  });

  it.each([
    ['lacks a candle with trades after those that it knows', candle(180, '1'), true],
    ['lacks no candle without a trade: it need not be pushed', candle(180, '1', '0'), false],
    ['lacks no candle from before the first one that it knows', candle(0, '1'), false],
  ])('%s', (_, shown, isMissing) => {
    expect(stateOf('kline', [[candle(60, '1'), candle(120, '2')], 'snapshot']).lacks([shown])).toBe(isMissing);
  });

  it('remembers the newest 10,000 orders of the past: an earlier one is news again', () => {
    const state = stateOf('orders', [[], 'snapshot']);
    state.remember(Array.from({ length: 10_001 }, (_, index) => order(String(index), 'filled', '5')));
    expect(state.take([order('1', 'filled', '5')], 'delta')).toBeUndefined();
    expect(state.take([order('0', 'filled', '5')], 'delta')).toEqual([order('0', 'filled', '5')]);
  });

  it.each<[string, readonly string[], boolean]>([
    ['fewer levels', ['9'], false],
    ['more levels', ['9', '8', '7'], false],
    ['another level', ['9', '7'], true],
    ['no level', [], true],
  ])('compares a book with that of HTTP as far as both reach: %s', (_, prices, isMissing) => {
    const book = (...bids: readonly string[]): Depth => ({
      ...{ time: 1, bids: bids.map((price) => ({ price, amount: '1' })), asks: [] },
    });
    expect(stateOf('depth', [book('9', '8'), 'snapshot']).lacks(book(...prices))).toBe(isMissing);
  });

  it('a book is the newest by its time, unless the exchange has set its clock back', () => {
    const book = (time: number, price: string): Depth => ({ time, bids: [{ price, amount: '1' }], asks: [] });
    const state = stateOf('depth', [book(100_000, '1'), 'snapshot']);
    expect(state.take(book(99_000, '2'), 'snapshot')).toBeUndefined();
    expect([state.lacks(book(99_000, '2')), state.lacks(book(101_000, '1.0'))]).toEqual([false, false]);
    expect(state.lacks(book(101_000, '2'))).toBe(true);
    state.take(book(5_000, '3'), 'snapshot');
    expect(state.value).toEqual(book(5_000, '3'));
  });
});
