import { describe, expect, it } from 'vitest';
import { cancelOrders } from '../../src/trading/cancel/cancel-orders.js';
import { LONGEST_TRIED_MS, orderReqTimeCheck, requestLifetimeOf } from '../../src/trading/request-lifetime.js';
import type { FakeHost } from '../support/fake-host.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { count, NOT_FOUND, orderReads, query, record, serve } from './support/exchange.js';
import { tradingOf } from './support/trading.js';

describe('the request lifetime', () => {
  it.each([1_000, 5_000, 30_000, 60_000, 61_500, 599_000])(
    'measures the lifetime as the next full second above %d ms',
    async (tolerance) => {
      const server = await serve({ write: 'a hang', tolerance });
      const trading = tradingOf(server.url);
      const found = await requestLifetimeOf(trading, orderReqTimeCheck('btc_usdt'));
      expect(found % 1_000).toBe(0);
      expect(found - tolerance).toBeGreaterThanOrEqual(0);
      expect(found - tolerance).toBeLessThanOrEqual(2_000);
      // harmless: only reads of an order that does not exist
      expect(server.requests.every(({ target }) => target.startsWith('/api/getOrder?'))).toBe(true);
      expect(orderReads(server)).toBe(0);
    },
  );

  it('measures the lifetime once and then remembers it', async () => {
    const server = await serve({ write: 'a hang', tolerance: 10_000 });
    const trading = tradingOf(server.url);
    const found = await requestLifetimeOf(trading, orderReqTimeCheck('btc_usdt'));
    const asked = server.requests.length;
    expect(asked).toBeLessThan(15);
    expect(await requestLifetimeOf(trading, orderReqTimeCheck('btc_usdt'))).toBe(found);
    expect(server.requests).toHaveLength(asked);
  });

  it('measures the lifetime once for all lost requests, however often each is read', async () => {
    const server = await serve({ write: 'a reset after reading', reads: [record()] });
    const trading = tradingOf(server.url, { budgetMs: 20_000 });
    let made = 0;
    Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
    const lost = await cancelOrders(trading, 'btc_usdt', [{ id: '1' }, { id: '2' }, { id: '3' }]);
    expect(lost.map(({ failure }) => failure)).toEqual(Array(3).fill('unknown'));
    const asked = server.requests.filter(({ target }) => target.startsWith('/api/getOrder?'));
    const probes = asked.filter(({ target }) => query(target).customerOrderId !== undefined);
    expect(probes.length).toBeGreaterThan(5);
    expect(probes.length).toBeLessThan(15);
    expect(asked.length - probes.length).toBeGreaterThan(9);
  });

  it.each([3_000, 12_000])('never measures too short if the network holds some requests for %d ms', async (held) => {
    let host: FakeHost | undefined;
    let count = 0;
    const server = await serveFaults({
      answer: ({ target }) => {
        count += 1;
        if (count % 3 === 0) void host?.sleep(held);
        return respond(
          (host?.now() ?? 0) - Number(query(target).reqTime) > 60_000 ? '{"code":3007,"message":"t"}' : NOT_FOUND,
        );
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 600_000 });
    host = trading.host;
    const found = await requestLifetimeOf(trading, orderReqTimeCheck('btc_usdt'));
    expect(found).toBeGreaterThanOrEqual(60_000);
    expect(found).toBeLessThanOrEqual(62_000 + held);
  });

  it('the lifetime is unlimited if the exchange accepts any request, and that is not remembered', async () => {
    const server = await serve({ write: 'a hang', tolerance: LONGEST_TRIED_MS * 2 });
    const trading = tradingOf(server.url);
    expect(await requestLifetimeOf(trading, orderReqTimeCheck('btc_usdt'))).toBe(Number.POSITIVE_INFINITY);
    expect(trading.requestLifetime.measuredMs).toBeUndefined();
  });

  it.each([
    ['the rate', '{"code":4002,"message":"rate"}', 'limited'],
    ['the lock', '{"code":4001,"message":"locked"}', 'limited'],
    ['the time itself', '{"code":3007,"message":"time"}', 'refused'],
  ])('cannot be measured if everything is refused for %s', async (_, body, kind) => {
    const server = await serveFaults({ answer: () => respond(body) });
    await expect(requestLifetimeOf(tradingOf(server.url), orderReqTimeCheck('btc_usdt'))).rejects.toMatchObject({
      kind,
    });
  });
});

describe('a wrong clock', () => {
  it("the answer that refuses its time corrects the clock, and the read is repeated with the exchange's clock", async () => {
    const ahead = 7_200_000;
    const times: number[] = [];
    const server = await serveFaults({
      answer: ({ target }) => {
        const time = Number(query(target).reqTime);
        times.push(time);
        const now = 1_540_295_995_557 + ahead;
        const date = `Date: ${new Date(now).toUTCString()}`;
        return respond(Math.abs(now - time) > 60_000 ? '{"code":3007,"message":"t"}' : NOT_FOUND, '200 OK', [date]);
      },
    });
    const { client } = tradingOf(server.url);
    const values = { currency: 'btc_usdt', id: '17' };
    await expect(client.api.read('getOrder', values)).rejects.toMatchObject({ kind: 'refused', code: 3001 });
    expect(count(server, 'getOrder')).toBe(2);
    expect(Math.abs((times[1] ?? 0) - (times[0] ?? 0) - ahead)).toBeLessThanOrEqual(1_000);
    await client.api.write('cancelOrder', values);
    expect(Math.abs((times[2] ?? 0) - (times[0] ?? 0) - ahead)).toBeLessThanOrEqual(1_000);
  });
});
