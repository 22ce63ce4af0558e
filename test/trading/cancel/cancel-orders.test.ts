import fs from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import type { FaultServer } from '../../support/fault-server.js';
import { count } from '../support/exchange.js';
import { type Cancelling, openOrders, serveOrders } from '../support/open-orders.js';
import { type TestTrading, type TradingOptions, tradingOf } from '../support/trading.js';

function tradingAt({ url }: FaultServer, options: TradingOptions = {}): TestTrading & { readonly state: string } {
  const trading = tradingOf(url, options);
  let made = 0;
  Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
  return trading;
}

/** The row of an order that was cancelled. */
const CANCELLED = (id: string) => ['cancelled', id, null, 'ok'];

const IDS = openOrders(20).map(({ id }) => ({ id }));

describe('several cancellations', () => {
  it('reports the cancellations in the order of the request', async () => {
    const server = await serveOrders(openOrders(20), { cancel: (id) => (Number(id) % 3 === 0 ? 'refused' : 'done') });
    let settled = 0;
    const attempts = await cancelOrders(tradingAt(server), 'btc_usdt', IDS, () => {
      settled += 1;
    });
    expect(attempts.map(({ result }) => result.id)).toEqual(IDS.map(({ id }) => id));
    expect(attempts.map(({ failure }) => failure)).toEqual(
      IDS.map(({ id }) => (Number(id) % 3 === 0 ? 'refused' : null)),
    );
    expect(settled).toBe(20);
  });

  it('sends all cancellations before the first lookup, so that lost answers delay no other', async () => {
    const server = await serveOrders(openOrders(20), { cancel: (id) => (Number(id) <= 12 ? 'lost' : 'done') });
    const trading = tradingAt(server, { budgetMs: 10_000, tolerance: 60_000 });
    const attempts = await cancelOrders(trading, 'btc_usdt', IDS);
    expect(attempts.filter(({ failure }) => failure === 'unknown')).toHaveLength(12);
    expect(attempts.filter(({ failure }) => failure === null)).toHaveLength(8);
    expect(count(server, 'cancelOrder')).toBe(20);
    const targets = server.requests.map(({ target }) => target.split('?')[0]);
    expect(targets.indexOf('/api/getOrder')).toBeGreaterThan(targets.lastIndexOf('/api/cancelOrder'));
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it.each<[answers: Cancelling[], progress: readonly string[]]>([
    [['done', 'done'], []],
    [['lost', 'done'], ['No answer to a cancellation. Reading the order.']],
    [['lost', 'lost'], ['No answer to 2 cancellations. Reading the orders.']],
    [
      ['accepted', 'accepted'],
      ['The exchange accepted the cancellation but does not show the order as closed. Waiting.'],
    ],
  ])('says what it waits for, once: %j', async (answers, progress) => {
    const server = await serveOrders(openOrders(2), { cancel: (id) => answers[Number(id) - 1] ?? 'done' });
    const trading = tradingAt(server, { budgetMs: 2_000 });
    await cancelOrders(trading, 'btc_usdt', IDS.slice(0, 2));
    expect(trading.progress).toEqual(progress);
  });

  describe('of which some cannot be sent', () => {
    const full = new Failure('usage', 'The disk is full.');
    const cancelWithout = async (unsent: readonly string[]) => {
      const server = await serveOrders(openOrders(2));
      const trading = tradingAt(server);
      const write = trading.client.cancelOrder.bind(trading.client);
      const cancelOrder: typeof write = async (market, order, options) => {
        if ('id' in order && unsent.includes(order.id)) throw full;
        return write(market, order, options);
      };
      Object.assign(trading.client, { cancelOrder });
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
    const server = await serveOrders(openOrders(2), { cancel: (id) => (id === '1' ? 'done' : 'lost') });
    const trading = tradingAt(server, { budgetMs: 2_000 });
    const failing = ['openSync', 'mkdirSync', 'linkSync'] as const;
    for (const name of failing)
      vi.spyOn(fs, name).mockImplementation(() => {
        throw Object.assign(new Error(code), { code });
      });
    onTestFinished(() => void vi.restoreAllMocks());
    const attempts = await cancelOrders(trading, 'btc_usdt', IDS.slice(0, 2));
    expect(attempts.map(({ result }) => result.outcome)).toEqual(['cancelled', 'unknown']);
    expect([count(server, 'cancelOrder'), trading.warnings]).toEqual([2, []]);
  });
});
