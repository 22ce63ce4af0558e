import { describe, expect, it } from 'vitest';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { findOrderOutcome } from '../../../src/trading/settling/find-order.js';
import { KEYS } from '../../exchange/support.js';
import { type FakeHost, NOW } from '../../support/fake-host.js';
import { FAULTS, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';
import { CLIENT_ID, NOT_FOUND, query, record } from '../support/exchange.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** An exchange with its own clock that has no order and answers no write. */
function serve(time: () => number, onWrite: () => void = () => undefined): Promise<FaultServer> {
  return serveFaults({
    answer: ({ target }) => {
      if (!target.startsWith('/api/getOrder')) {
        onWrite();
        return FAULTS['a reset after reading'];
      }
      return respond(NOT_FOUND, '200 OK', [`Date: ${new Date(time()).toUTCString()}`]);
    },
  });
}

/** The trading context with a client that remembers a clock difference to the exchange, in ms. */
function remembering(trading: TestTrading, url: string, ahead: number): TestTrading {
  const { host, budget } = trading;
  const offsetStore = () => ({ read: () => ahead, write: () => undefined });
  const hosts = { baseUrl: url, tradeUrl: url };
  return {
    ...trading,
    client: new ExchangeClient({ host, hosts, credentials: () => KEYS, budget, offsetStore }),
  };
}

/** An exchange with a tolerance of a minute that executes the lost order after so many ms (default: never). */
function serveHolding(now: () => number, heldMs = Number.POSITIVE_INFINITY): Promise<FaultServer> {
  const start = now();
  return serveFaults({
    answer: ({ target }) => {
      const { reqTime, clientId } = query(target);
      if (now() - Number(reqTime) > 60_000) return respond('{"code":3007,"message":"reqTime"}');
      if (target.startsWith('/api/getOrders?')) return respond(NOT_FOUND);
      const isListed = clientId === CLIENT_ID && now() - start > heldMs;
      return respond(isListed ? record({ id: '7' }) : NOT_FOUND);
    },
  });
}

/** An unanswered order, with a remembered tolerance that may differ from the exchange's. */
async function unanswered(remembered: number, budgetMs: number, heldMs?: number) {
  let host: FakeHost | undefined;
  const server = await serveHolding(() => host?.now() ?? NOW, heldMs);
  const trading = tradingOf(server.url, { tolerance: remembered, budgetMs });
  host = trading.host;
  const write = { operation: 'order', terms: TERMS } as const;
  const entry = trading.journal.begin<'order'>(write, { id: CLIENT_ID, reqTime: host.now() });
  return { server, account: trading, entry };
}

describe('a setting reqTimeTolerance that is shorter than what the exchange accepts', () => {
  it('settles nothing, so that an order that executes after its end is found', async () => {
    const { account: trading, entry } = await unanswered(5_000, 40_000, 20_000);
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'placed', order: { id: '7' } });
  });

  it('leaves the order unknown and names the setting, as long as the exchange accepts its request', async () => {
    const { account: trading, entry } = await unanswered(5_000, 40_000);
    const reason = 'the exchange accepts requests for longer than the setting reqTimeTolerance says';
    expect(await findOrderOutcome(trading, entry)).toEqual({ outcome: 'unknown', reason, id: null, localExpiry: null });
  });

  it('does not keep an order from counting as not sent once the exchange rejects its request', async () => {
    const { account: trading, entry } = await unanswered(5_000, 120_000);
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'notSent' });
    expect(trading.host.now() - entry.write.reqTime).toBeGreaterThan(60_000);
  });
});

describe('an exchange that never rejects a request as expired', () => {
  it('is asked once by a command that begins long after the request should have expired, which waits for nothing', async () => {
    const { account: trading, entry, server } = await unanswered(5_000, 600_000);
    await trading.host.sleep(45_000);
    const before = trading.host.monotonic();
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'unknown', localExpiry: null });
    expect(trading.host.monotonic()).toBe(before);
    const lookups = server.requests.filter(({ target }) => query(target).clientId === CLIENT_ID);
    expect(lookups).toHaveLength(1);
  });
});

it('an order counts as not sent after the exchange was asked once whether its request has expired, and read again', async () => {
  const { server, account: trading, entry } = await unanswered(60_000, 120_000);
  expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'notSent' });
  const asked = server.requests.map(({ target }) => query(target));
  const isProbe = ({ reqTime, clientId }: (typeof asked)[number]) =>
    reqTime === String(entry.write.reqTime) && clientId !== CLIENT_ID;
  expect(asked.filter(isProbe)).toHaveLength(1);
  const after = asked.slice(asked.findIndex(isProbe) + 1);
  expect(after.some(({ clientId }) => clientId === CLIENT_ID)).toBe(true);
});

describe('the end of the request lifetime', () => {
  it.each([
    [65_000, 'the order is looked up', CLIENT_ID],
    [65_001, 'the exchange is asked first whether it still accepts the request', expect.not.stringMatching(CLIENT_ID)],
  ])('after %i ms, with a tolerance of a minute and five seconds of slack, %s', async (ageMs, _, first) => {
    const { server, account: trading, entry } = await unanswered(60_000, 120_000);
    await trading.host.sleep(ageMs);
    await findOrderOutcome(trading, entry);
    expect(server.requests.map(({ target }) => query(target).clientId)[0]).toEqual(first);
  });

  it("the exchange's clock at the read decides the end, not a clock difference measured long ago", async () => {
    let host: FakeHost | undefined;
    const server = await serve(() => host?.now() ?? 0);
    const trading = tradingOf(server.url, { tolerance: 60_000, budgetMs: 20_000 });
    host = trading.host;
    const write = { operation: 'order', terms: TERMS } as const;
    const entry = trading.journal.begin<'order'>(write, { id: CLIENT_ID, reqTime: host.now() });
    const stale = remembering(trading, server.url, 90_000);
    expect(await findOrderOutcome(stale, entry)).toMatchObject({ outcome: 'unknown' });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });

  it('a jump of the local clock does not end the request lifetime', async () => {
    let host: FakeHost | undefined;
    let jumped = 0;
    const jump = () => {
      jumped = 90_000;
      void host?.sleep(jumped);
    };
    const server = await serve(() => (host?.now() ?? 0) - jumped, jump);
    const trading = tradingOf(server.url, { tolerance: 60_000, budgetMs: 120_000 });
    host = trading.host;
    expect(await placeOrder(trading, TERMS, { id: CLIENT_ID })).toMatchObject({ outcome: 'unknown' });
  });
});

it('a long wait for an order listens to the orders of its market, and stops at its end', async () => {
  const { account: trading, entry } = await unanswered(60_000, 20_000);
  const listens: string[] = [];
  const orderPushes: NonNullable<TestTrading['orderPushes']> = (market) => {
    listens.push(market);
    return { next: () => new Promise(() => {}), order: () => undefined, close: () => listens.push('closed') };
  };
  await findOrderOutcome({ ...trading, orderPushes }, entry);
  expect(listens).toEqual(['btc_usdt', 'closed']);
});

describe('a wait for the outcome of a write', () => {
  /** Each wait that was shown, with what it said at each read of the exchange, and whether it was hidden. */
  async function shown(budgetMs: number) {
    const { account: trading, entry, server } = await unanswered(60_000, budgetMs);
    const said: number[] = [];
    let [starts, ends] = [0, 0];
    const showWait: NonNullable<TestTrading['showWait']> = ({ leftMs }) => {
      starts += 1;
      said.push(leftMs());
      return () => {
        ends += 1;
      };
    };
    await findOrderOutcome({ ...trading, showWait }, entry);
    return { starts, ends, said, requests: server.requests.length };
  }

  it('shows the wait once, with the time until the command gives up, and hides it at its end', async () => {
    const { starts, ends, said } = await shown(120_000);
    expect([starts, ends]).toEqual([1, 1]);
    expect(said[0]).toBeGreaterThan(100_000);
  });

  it('shows no wait that is over within a second', async () => expect((await shown(900)).starts).toBe(0));
});
