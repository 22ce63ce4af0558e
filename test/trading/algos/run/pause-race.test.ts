import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keyDigest } from '../../../../src/config/keys.js';
import { ExchangeClient } from '../../../../src/exchange/exchange-client.js';
import { Latch } from '../../../../src/exchange/limiter/latch.js';
import { type Sharing, sharedRateLimits } from '../../../../src/exchange/limiter/shared-limits.js';
import { waitForRequests } from '../../../../src/exchange/limiter/under-way.js';
import type { SendRequest } from '../../../../src/exchange/requests/transport.js';
import { TimeBudget } from '../../../../src/platform/time-budget.js';
import type { AlgoFact } from '../../../../src/trading/algos/record/facts.js';
import { KEYS } from '../../../exchange/support.js';
import { eventually } from '../../../support/eventually.js';
import { parametersOf } from '../../../support/wire.js';
import { AtWork, ID, type OneMarket } from '../support/at-work.js';
import { sell } from '../support/terms.js';

// Another process pauses or cancels an algo order while its stop is on the way to the exchange: at every turn of the event loop between
// the reached price and the answer. It adds the fact, and waits for the requests that have a permit, as `pit algo pause` does.

/** How many turns there are until the order has been answered, and some more. */
const TURNS = 48;
/** What is still to be sent is sent within so many turns. */
const SETTLED_TURNS = 64;

async function turns(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await turn();
}

/** Sends orders to an exchange in memory. */
function sendTo(exchange: OneMarket): SendRequest {
  const place = exchange.placeOrder.bind(exchange);
  return async (url) => {
    await turn();
    const { price = '', amount = '', clientId = '' } = parametersOf(new URL(url).searchParams);
    const terms = {
      market: 'btc_usdt',
      side: 'sell',
      type: 'ioc',
      account: 'spot',
      borrow: false,
      repay: false,
    } as const;
    const placed = await place({ ...terms, price, amount }, clientId);
    const id = placed.kind === 'done' ? placed.value.id : '';
    const body = `{"code":"1000","message":"ok","id":"${id}"}`;
    return { status: 200, body, date: null, ageMs: 0, retryAfter: null, certificateExpires: null };
  };
}

/** A stop at work whose requests take permits, as those of all processes do. */
async function stopWithPermits() {
  let sharing!: Sharing;
  const work = await AtWork.of(sell('1', { stop: '98' }), (made) => {
    const { trading, exchange } = made;
    const { host, budget, state: root } = trading;
    sharing = {
      ...{
        root,
        share: 0.25,
        now: host.now,
        monotonic: host.monotonic,
        keyDigest: () => keyDigest(KEYS.accessKey),
        onUnshared: () => undefined,
      },
      hosts: { base: 'exchange', trade: 'exchange' },
    };
    const limits = sharedRateLimits(sharing);
    const hosts = { baseUrl: 'http://127.0.0.1:1', tradeUrl: 'http://127.0.0.1:1' };
    const send = sendTo(exchange);
    const client = new ExchangeClient({ host, hosts, credentials: () => KEYS, budget, limits: () => limits, send });
    // whose requests take permits
    exchange.placeOrder = client.placeOrder.bind(client);
  });
  return { work, sharing };
}

const FACTS: readonly AlgoFact[] = [
  { fact: 'paused', time: 1, cause: 'user', reason: 'you paused it', role: null },
  { fact: 'cancelled', time: 1, reason: 'you cancelled it' },
];

test.each(FACTS)(
  'no stop leaves once the requests that were on their way when it was $fact are answered',
  async (fact) => {
    const outcomes = new Set<number>();
    for (let when = 0; when < TURNS; when += 1) {
      const { work, sharing } = await stopWithPermits();
      work.move('98', '99');
      await turns(when);
      work.store.add(ID, fact);
      const { state: root, host } = work.trading;
      const latch = new Latch({
        root,
        account: 'test',
        now: host.now,
        monotonic: host.monotonic,
        secretKey: async () => '',
      });
      const budget = new TimeBudget(60_000, () => 0);
      expect(await waitForRequests(sharing, latch, { sleep: () => turn() }, budget)).toBe(0);
      const before = work.exchange.has.orders.length;
      // it was triggered, and then something came of its order
      await eventually(() => expect(work.names.length).toBeGreaterThan(1));
      await turns(SETTLED_TURNS);
      expect([when, work.exchange.has.orders.length]).toEqual([when, before]);
      outcomes.add(before);
    }
    // the turns reach from before the order to after it
    expect([...outcomes].sort()).toEqual([0, 1]);
  },
);

test('a paused algo order whose child was held back at the last moment has no order, and says that it is paused', async () => {
  const { work } = await stopWithPermits();
  const { placeOrder } = work.exchange;
  work.exchange.placeOrder = (...parameters) => {
    work.store.add(ID, { fact: 'paused', time: 1, cause: 'user', reason: 'you paused it', role: null });
    return placeOrder(...parameters);
  };
  work.move('98', '99');
  await eventually(() => expect(work.names).toEqual(['triggered', 'paused']));
  expect(work.texts).toContain('It is paused: you paused it. NOT PROTECTED: no stop is sent meanwhile.');
  expect(work.exchange.asked('order')).toEqual([]);
  expect(work.trading.journal.unsettledEntries()).toEqual([]);
  expect(work.algo.snapshot).toMatchObject({ state: 'paused', orders: [{ outcome: 'notSent' }] });
});
