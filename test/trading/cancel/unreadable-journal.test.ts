import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { parsePrice } from '../../../src/trading/expressions.js';
import { planReplacement } from '../../../src/trading/replace/plan.js';
import { replaceOrder } from '../../../src/trading/replace/replace.js';
import { NOW } from '../../support/fake-host.js';
import { anOrder, CODES, refused, ScriptedExchange } from '../../support/scripted-exchange.js';
import { MARKET } from '../support/market.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** Executes each cancellation, and answers as if it were a repetition. */
function repeating(): ScriptedExchange {
  const exchange = new ScriptedExchange({ orders: [anOrder({ amount: '0.5' })] });
  exchange.outcomeOf = ({ kind }) => (kind === 'cancel' ? refused('notFound', 'no', 1) : undefined);
  return exchange;
}

/** Makes a day of the archive unreadable: its file is a folder. */
function breakYesterday({ state, journal }: TestTrading): void {
  journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'first001', reqTime: 1 }).discard();
  const day = new Date(NOW - 86_400_000).toISOString().slice(0, 10);
  mkdirSync(path.join(state, 'journal', 'test', 'archive', `${day}.jsonl`), { recursive: true, mode: 0o700 });
}

it('a sent cancellation is reported even if the journal cannot be read', async () => {
  const exchange = repeating();
  const trading = tradingOf(exchange);
  breakYesterday(trading);
  const [attempt] = await cancelOrders(trading, 'btc_usdt', [{ id: '7' }]);
  expect(attempt).toMatchObject({ result: { outcome: 'cancelled', id: '7', code: CODES.notFound }, failure: null });
  expect([exchange.count('cancel'), trading.journal.unsettledEntries()]).toEqual([1, []]);
});

it('a replacement is placed even if the journal can no longer be read', async () => {
  const exchange = repeating();
  const trading = tradingOf(exchange);
  const wishes = { at: parsePrice('30100'), amount: undefined, account: undefined, borrow: false, repay: false };
  const plan = await planReplacement(trading, MARKET, { id: '7' }, wishes);
  breakYesterday(trading);
  expect(await replaceOrder(trading, plan, 'replacement1')).toMatchObject({
    kind: 'sent',
    cancel: { outcome: 'cancelled', filled: '0' },
    placement: { outcome: 'placed' },
  });
  const { events } = trading.journal.findUnsettled('replacement1') ?? {};
  expect(events?.map(({ event }) => event).join()).toContain('whether it was cancelled before is unknown');
  expect([exchange.count('cancel'), exchange.count('order')]).toEqual([1, 1]);
});
