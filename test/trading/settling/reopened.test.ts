import { describe, expect, it, vi } from 'vitest';
import type { OrderState } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { readOrderList } from '../../../src/trading/settling/order-list.js';
import { SLACK_MS } from '../../../src/trading/settling/reconcile.js';
import { reconcileLists } from '../../../src/trading/settling/reconcile-orders.js';
import { NOW } from '../../support/fake-host.js';
import { anOrder, ScriptedExchange } from '../../support/scripted-exchange.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;
/** An exchange with order 7: its list shows it in one state, and a read by its id in another one, or not at all. */
function listing(state: OrderState | 'gone' = 'open', listedState: OrderState = 'open') {
  const exchange = new ScriptedExchange({ orders: [anOrder({ time: NOW - 60_000, state: listedState })] });
  exchange.onRequest = ({ kind }) => {
    if (kind !== 'lookup') return undefined;
    return state === 'gone' ? 'none' : anOrder({ time: NOW - 60_000, state });
  };
  return { exchange, trading: tradingOf(exchange) };
}

function cancel({ journal }: TestTrading): void {
  journal.noteCancelled({ market: 'btc_usdt', id: '7' });
}

async function list(trading: TestTrading): Promise<readonly string[]> {
  await reconcileLists(trading, 'btc_usdt', [await readOrderList(trading, BUYS)]);
  return trading.warnings;
}

describe('an order that pit saw cancelled and that is open again', () => {
  it('is reported by a command that lists it, with the command that cancels it', async () => {
    const { trading } = listing();
    cancel(trading);
    await trading.host.sleep(SLACK_MS);
    const [warning, ...more] = await list(trading);
    expect(warning).toMatch(
      /^ORDER 7 IS OPEN AGAIN: buy 0\.01 btc_usdt at 30,000, 0 filled\. pit saw it cancelled at /,
    );
    expect(warning).toContain('Cancel it: pit cancel btc_usdt 7');
    expect(more).toEqual([]);
  });

  it('is reported as replaced if it was replaced', async () => {
    const { trading } = listing();
    const replaces = { market: 'btc_usdt', order: { id: '7' }, wanted: TERMS };
    trading.journal
      .begin<'order'>({ operation: 'order', terms: TERMS, replaces }, { id: 'replacement1', reqTime: NOW })
      .settle({ outcome: 'placed', id: '8', duplicates: [] }, 'placed');
    await trading.host.sleep(SLACK_MS);
    expect(await list(trading)).toEqual([expect.stringContaining('pit saw it replaced at')]);
  });

  it('is reported as cancelled if a replacement cancelled it and placed nothing', async () => {
    const { trading } = listing();
    const terms = { market: 'btc_usdt', order: { id: '7' }, wanted: TERMS };
    trading.journal
      .begin<'replace'>({ operation: 'replace', terms }, { id: 'replacement1', reqTime: NOW })
      .settle({ outcome: 'cancelled', id: '7', duplicates: [] }, 'cancelled');
    await trading.host.sleep(SLACK_MS);
    expect(await list(trading)).toEqual([expect.stringContaining('pit saw it cancelled at')]);
  });

  it('is not read if the list does not show it as open', async () => {
    const { trading, exchange } = listing('open', 'cancelled');
    cancel(trading);
    await trading.host.sleep(SLACK_MS);
    expect(await list(trading)).toEqual([]);
    expect(exchange.count('lookup')).toBe(0);
  });

  it.each([
    ['is not open', 'cancelled'],
    ['is not shown', 'gone'],
  ] as const)('is not reported if the order itself %s: the list lags behind', async (_, status) => {
    const { trading, exchange } = listing(status);
    cancel(trading);
    await trading.host.sleep(SLACK_MS);
    expect(await list(trading)).toEqual([]);
    expect(exchange.count('lookup')).toBe(1);
  });

  it('is not reported in the moment after the cancellation, in which lists and reads may lag', async () => {
    const { trading, exchange } = listing();
    cancel(trading);
    await trading.host.sleep(SLACK_MS - 1);
    expect(await list(trading)).toEqual([]);
    expect(exchange.count('lookup')).toBe(0);
  });

  it('is not reported if it was never seen cancelled', async () => {
    const { trading, exchange } = listing();
    await trading.host.sleep(SLACK_MS);
    expect(await list(trading)).toEqual([]);
    expect(exchange.count('lookup')).toBe(0);
  });
});

it('a list that cannot be compared with the journal shows nothing, and fails no command', async () => {
  const { trading } = listing();
  const read = await readOrderList(trading, BUYS);
  vi.spyOn(trading.journal, 'unsettledEntries').mockImplementation(() => {
    throw new Failure('usage', 'the journal cannot be read');
  });
  expect(await reconcileLists(trading, 'btc_usdt', [read])).toEqual([]);
});
