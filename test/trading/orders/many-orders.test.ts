import { describe, expect, it } from 'vitest';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { fakeHost } from '../../support/fake-host.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

async function placeMany(trading: TestTrading, name: string, many: number, pauseMs = 50): Promise<void> {
  for (let number = 0; number < many; number += 1) {
    await trading.host.sleep(pauseMs);
    const placed = await placeOrder(trading, { ...TERMS, price: `${20_000 + number}` }, { id: `${name}${number}` });
    expect(placed).toMatchObject({ outcome: 'placed', duplicates: [] });
  }
}

describe('many orders in a row', () => {
  it('take two signed requests each, however many came before', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange, { budgetMs: 600_000 });
    await placeMany(trading, 'one', 60);
    expect([exchange.count('order'), exchange.count('list'), exchange.count('lookup')]).toEqual([60, 60, 0]);
  });

  it('read further back once a minute, to close all whose requests have expired', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange, { budgetMs: 600_000, tolerance: 60_000 });
    await placeMany(trading, 'one', 60);
    await trading.host.sleep(70_000);
    await placeMany(trading, 'two', 30);
    // one of them reads the seven pages of all 61, the others one page each
    expect(exchange.count('list')).toBe(60 + 29 + 7);
    expect(trading.journal.settledEntries({ market: 'btc_usdt', side: 'buy' })).toHaveLength(30);
    await trading.host.sleep(70_000);
    await placeMany(trading, 'three', 1);
    expect(trading.journal.settledEntries({ market: 'btc_usdt', side: 'buy' })).toHaveLength(1);
  });

  it('one of them reports the duplicate of another that came since', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange, { budgetMs: 600_000 });
    await placeMany(trading, 'one', 20);
    exchange.nextId = 1_020n;
    exchange.place({ price: '20003', amount: TERMS.amount });
    const placed = await placeOrder(trading, { ...TERMS, price: '19000' }, { id: 'last' });
    expect(placed).toMatchObject({ outcome: 'placed', duplicates: [{ writeId: 'one3', ids: ['1020'] }] });
  });
});

it('a clock that was set back does not keep lists from closing writes', async () => {
  const exchange = new ScriptedExchange();
  const trading = tradingOf(exchange, { budgetMs: 600_000, tolerance: 60_000 });
  const side = { market: 'btc_usdt', side: 'buy' } as const;
  await placeOrder(trading, TERMS, { id: 'first' });
  await trading.host.sleep(1_000);
  expect(trading.journal.isListDue(side, () => true)).toBe(true);
  await trading.host.sleep(59_999);
  expect(trading.journal.isListDue(side, () => true)).toBe(false);
  const before = tradingOf(exchange, { state: trading.state });
  expect(fakeHost().now()).toBeLessThan(trading.host.now());
  expect(before.journal.isListDue(side, () => true)).toBe(true);
});
