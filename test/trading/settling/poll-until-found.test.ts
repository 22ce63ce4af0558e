import { describe, expect, it } from 'vitest';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { findOrderOutcome } from '../../../src/trading/settling/find-order.js';
import { NOW } from '../../support/fake-host.js';
import { LOST, LOST_DONE, ScriptedExchange } from '../../support/scripted-exchange.js';
import { CLIENT_ID } from '../support/lookups.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** An unanswered order, with a remembered tolerance that may differ from the exchange's. It is executed after so many ms (default: never). */
async function unanswered(remembered: number, budgetMs: number, heldMs = Number.POSITIVE_INFINITY) {
  const exchange = new ScriptedExchange({}, [{ ...LOST_DONE, late: { ms: heldMs } }]);
  const trading = tradingOf(exchange, { tolerance: remembered, budgetMs });
  const reqTime = trading.host.now();
  const entry = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: CLIENT_ID, reqTime });
  await exchange.placeOrder(TERMS, CLIENT_ID, { reqTime });
  return { exchange, account: trading, entry };
}

/** The client ids of the lookups, and that the exchange was asked whether it still accepts the request, in their order. */
function asked(exchange: ScriptedExchange) {
  return exchange.requests.flatMap((request) => {
    if (request.kind === 'expiry') return { expiryOf: request.reqTime };
    return request.kind === 'lookup' && 'clientId' in request.order ? request.order.clientId : [];
  });
}

describe('a setting reqTimeTolerance that is shorter than what the exchange accepts', () => {
  it('settles nothing, so that an order that executes after its end is found', async () => {
    const { account: trading, entry } = await unanswered(5_000, 40_000, 20_000);
    expect(await findOrderOutcome(trading, entry)).toMatchObject({
      outcome: 'placed',
      order: { id: trading.client.has.orders[0]?.id },
    });
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
    const { account: trading, entry, exchange } = await unanswered(5_000, 600_000);
    await trading.host.sleep(45_000);
    const before = trading.host.monotonic();
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'unknown', localExpiry: null });
    expect(trading.host.monotonic()).toBe(before);
    const lookups = asked(exchange).filter((one) => one === CLIENT_ID);
    expect(lookups).toHaveLength(1);
  });
});

it('an order counts as not sent after the exchange was asked once whether its request has expired, and read again', async () => {
  const { exchange, account: trading, entry } = await unanswered(60_000, 120_000);
  expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'notSent' });
  const requests = asked(exchange);
  const probe = { expiryOf: entry.write.reqTime };
  expect(requests.filter((one) => typeof one !== 'string')).toEqual([probe]);
  expect(requests.slice(requests.findIndex((one) => typeof one !== 'string'))).toContain(CLIENT_ID);
});

describe('the end of the request lifetime', () => {
  it.each([
    [65_000, 'the order is looked up', CLIENT_ID],
    [65_001, 'the exchange is asked first whether it still accepts the request', { expiryOf: NOW }],
  ])('after %i ms, with a tolerance of a minute and five seconds of slack, %s', async (ageMs, _, first) => {
    const { exchange, account: trading, entry } = await unanswered(60_000, 120_000);
    await trading.host.sleep(ageMs);
    await findOrderOutcome(trading, entry);
    expect(asked(exchange)[0]).toEqual(first);
  });

  it("the exchange's clock at the read decides the end, not a clock difference measured long ago", async () => {
    const exchange = new ScriptedExchange({}, [], LOST);
    const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 20_000 });
    const write = { operation: 'order', terms: TERMS } as const;
    const entry = trading.journal.begin<'order'>(write, { id: CLIENT_ID, reqTime: trading.host.now() });
    // until it has answered, its clock is taken to be far ahead
    exchange.now = () => trading.host.now() + (exchange.requests.length === 0 ? 90_000 : 0);
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'unknown' });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });

  it('a jump of the local clock does not end the request lifetime', async () => {
    const exchange = new ScriptedExchange({}, [], LOST);
    const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 120_000 });
    let jumped = 0;
    exchange.now = () => trading.host.now() - jumped;
    exchange.onRequest = ({ kind }) => {
      if (kind !== 'order') return undefined;
      jumped = 90_000;
      void trading.host.sleep(jumped);
      return undefined;
    };
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
    const { account: trading, entry, exchange } = await unanswered(60_000, budgetMs);
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
    return { starts, ends, said, requests: exchange.requests.length };
  }

  it('shows the wait once, with the time until the command gives up, and hides it at its end', async () => {
    const { starts, ends, said } = await shown(120_000);
    expect([starts, ends]).toEqual([1, 1]);
    expect(said[0]).toBeGreaterThan(100_000);
  });

  it('shows no wait that is over within a second', async () => expect((await shown(900)).starts).toBe(0));
});
