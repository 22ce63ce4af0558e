import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { findDuplicates } from '../support/duplicates.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;
const TOLERANCE_MS = 61_000;

function terms(price: string): RecordedOrderTerms {
  return {
    ...{ ...BUYS, type: 'limit', account: 'spot' },
    ...{ price, amount: '0.01', borrow: false, repay: false },
  };
}

/** A sequence of pauses, each followed by an order, which the network may repeat later, or by a check for duplicates. */
const events = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 0, max: 45_000 }),
    price: fc.constantFrom('30000', '30001', undefined),
    repeatAfterMs: fc.option(fc.integer({ min: 1, max: TOLERANCE_MS - 1_000 }), { freq: 3 }),
  }),
  { minLength: 2, maxLength: 12 },
);

type Events = typeof events extends fc.Arbitrary<infer Value> ? Value : never;

/** Places the orders and checks; returns the orders that the network made when it repeated a request. */
async function run(trading: TestTrading<ScriptedExchange>, sequence: Events): Promise<string[]> {
  const { client, host } = trading;
  for (const [index, { pauseMs, price, repeatAfterMs }] of sequence.entries()) {
    await host.sleep(pauseMs);
    client.outcomes = [{ repeatedAfterMs: repeatAfterMs ?? undefined }];
    if (price === undefined) await findDuplicates(trading, BUYS);
    else await placeOrder(trading, terms(price), { id: `mine${1_000 + index}` });
  }
  await host.sleep(2 * TOLERANCE_MS);
  await findDuplicates(trading, BUYS);
  const first = new Set(
    client.has.orders.map(({ clientId }) => client.has.orders.find((one) => one.clientId === clientId)),
  );
  return client.has.orders.filter((order) => !first.has(order)).map(({ id }) => id);
}

it('each duplicate is reported once and no intended order is, whatever is placed, repeated and checked', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (sequence) => {
      const trading = tradingOf(new ScriptedExchange(), { tolerance: TOLERANCE_MS, budgetMs: 3_600_000 });
      trading.client.tolerance = TOLERANCE_MS;
      const duplicates = new Set(await run(trading, sequence));
      const reported = trading.alarms.flatMap(({ ids }) => ids);
      expect(reported.toSorted()).toEqual([...duplicates].toSorted());
      // each carries the client id of its order, and is newer
      expect(trading.alarms.filter(({ isProven }) => !isProven)).toEqual([]);
      // the journal keeps what was reported, and no order as its own duplicate
      for (const { id, duplicates: kept } of trading.journal.archive.since(0)) {
        expect(kept).not.toContain(id);
        expect(kept.filter((one) => !duplicates.has(one))).toEqual([]);
      }
    }),
    { numRuns: 20 },
  );
});
