import fs from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import {
  DONE,
  type HeldOrder,
  LOST,
  type Outcome,
  refused,
  ScriptedExchange,
} from '../../support/scripted-exchange.js';
import { accepted, cancelling, openOrders } from '../support/open-orders.js';
import { type TestTrading, type TradingOptions, tradingOf } from '../support/trading.js';

function tradingAt(exchange: ScriptedExchange, options: TradingOptions = {}): TestTrading {
  const trading = tradingOf(exchange, options);
  let made = 0;
  Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
  return trading;
}

/** The row of an order that was cancelled. */
const CANCELLED = (id: string) => ['cancelled', id, null, 'ok'];

const IDS = openOrders(20).map(({ id }) => ({ id }));

describe('several cancellations', () => {
  it('reports the cancellations in the order of the request', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(20) });
    cancelling(exchange, ({ id }) => (Number(id) % 3 === 0 ? refused('notFound') : DONE));
    let settled = 0;
    const attempts = await cancelOrders(tradingAt(exchange), 'btc_usdt', IDS, () => {
      settled += 1;
    });
    expect(attempts.map(({ result }) => result.id)).toEqual(IDS.map(({ id }) => id));
    expect(attempts.map(({ failure }) => failure)).toEqual(
      IDS.map(({ id }) => (Number(id) % 3 === 0 ? 'refused' : null)),
    );
    expect(settled).toBe(20);
  });

  it('sends all cancellations before the first lookup, so that lost answers delay no other', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(20) });
    cancelling(exchange, ({ id }) => (Number(id) <= 12 ? LOST : DONE));
    const trading = tradingAt(exchange, { budgetMs: 10_000, tolerance: 60_000 });
    const attempts = await cancelOrders(trading, 'btc_usdt', IDS);
    expect(attempts.filter(({ failure }) => failure === 'unknown')).toHaveLength(12);
    expect(attempts.filter(({ failure }) => failure === null)).toHaveLength(8);
    expect(exchange.count('cancel')).toBe(20);
    const kinds = exchange.requests.map(({ kind }) => kind);
    expect(kinds.indexOf('lookup')).toBeGreaterThan(kinds.lastIndexOf('cancel'));
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it.each<[becomes: string, answers: ((order: HeldOrder) => Outcome)[], progress: readonly string[]]>([
    ['both are done', [() => DONE, () => DONE], []],
    ['one is lost', [() => LOST, () => DONE], ['No answer to a cancellation. Reading the order.']],
    ['both are lost', [() => LOST, () => LOST], ['No answer to 2 cancellations. Reading the orders.']],
    [
      'both are accepted, and the orders stay open',
      [accepted, accepted],
      ['The exchange accepted the cancellation but does not show the order as closed. Waiting.'],
    ],
  ])('says once what it waits for, if %s', async (_, answers, progress) => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    cancelling(exchange, (order) => answers[Number(order.id) - 1]?.(order) ?? DONE);
    const trading = tradingAt(exchange, { budgetMs: 2_000 });
    await cancelOrders(trading, 'btc_usdt', IDS.slice(0, 2));
    expect(trading.progress).toEqual(progress);
  });

  describe('of which some cannot be sent', () => {
    const full = new Failure('usage', 'The disk is full.');
    const cancelWithout = async (unsent: readonly string[]) => {
      const exchange = new ScriptedExchange({ orders: openOrders(2) });
      const trading = tradingAt(exchange);
      const write = exchange.cancelOrder.bind(exchange);
      const cancelOrder: typeof write = async (market, order, options) => {
        if ('id' in order && unsent.includes(order.id)) throw full;
        return write(market, order, options);
      };
      Object.assign(exchange, { cancelOrder });
      return cancelOrders(trading, 'btc_usdt', IDS.slice(0, 2));
    };

    it.each([['1'], ['2']])('says which, and cancels the others: %s', async (unsent) => {
      const refused = ['refused', unsent, 'usage', 'The disk is full.'];
      const attempts = await cancelWithout([unsent]);
      const rows = attempts.map(({ result: { outcome, id, message }, failure }) => [outcome, id, failure, message]);
      expect(rows).toEqual(unsent === '1' ? [refused, CANCELLED('2')] : [CANCELLED('1'), refused]);
    });

    it('fails if none was sent', async () => {
      await expect(cancelWithout(['1', '2'])).rejects.toBe(full);
    });
  });

  it.each(['EROFS', 'ENOSPC', 'EIO', 'EACCES'])('needs no journal at all: %s', async (code) => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    cancelling(exchange, ({ id }) => (id === '1' ? DONE : LOST));
    const trading = tradingAt(exchange, { budgetMs: 2_000 });
    const failing = ['openSync', 'mkdirSync', 'linkSync'] as const;
    for (const name of failing)
      vi.spyOn(fs, name).mockImplementation(() => {
        throw Object.assign(new Error(code), { code });
      });
    onTestFinished(() => void vi.restoreAllMocks());
    const attempts = await cancelOrders(trading, 'btc_usdt', IDS.slice(0, 2));
    expect(attempts.map(({ result }) => result.outcome)).toEqual(['cancelled', 'unknown']);
    expect([exchange.count('cancel'), trading.warnings]).toEqual([2, []]);
  });
});
