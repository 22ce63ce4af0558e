import fs from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import type { FaultServer } from '../../support/fault-server.js';
import { count } from '../support/exchange.js';
import { openOrders, serveOrders } from '../support/open-orders.js';
import { type TestTrading, type TradingOptions, tradingOf } from '../support/trading.js';

function tradingAt({ url }: FaultServer, options: TradingOptions = {}): TestTrading & { readonly state: string } {
  const trading = tradingOf(url, options);
  let made = 0;
  Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
  return trading;
}

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
