import { describe, expect, it } from 'vitest';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { findWithdrawalOutcome } from '../../../src/trading/settling/withdrawals/find-withdrawal.js';
import { type FakeHost, NOW } from '../../support/fake-host.js';
import { FAULTS, respond, serveFaults } from '../../support/fault-server.js';
import { lines, place } from '../batches/jobs.js';
import { ModelExchange, RESET } from '../batches/model-exchange.js';
import { CLIENT_ID, NOT_FOUND, query, record } from '../support/exchange.js';
import { begin, serveFunds } from '../support/funds.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** What a command has without `--timeout`, and with `--timeout 30`. */
const TIMES = [
  ['without --timeout', { budgetMs: 30_000, isChosen: false, tolerance: 60_000 }],
  ['with --timeout 30', { budgetMs: 30_000, isChosen: true, tolerance: 60_000 }],
] as const;
type Time = (typeof TIMES)[number][1];

/**
 * An exchange that answers no write and accepts a request for a minute.
 * @param heldMs when it executes the order after all
 */
async function unanswering(time: Time, { heldMs = Number.POSITIVE_INFINITY, orders = [] as string[] } = {}) {
  let host: FakeHost | undefined;
  const now = () => host?.now() ?? NOW;
  const server = await serveFaults({
    answer: ({ target }) => {
      const { reqTime, clientId, id } = query(target);
      if (!target.startsWith('/api/getOrder')) return FAULTS['a reset after reading'];
      if (now() - Number(reqTime) > 60_000) return respond('{"code":3007,"message":"reqTime"}');
      const isExecuted = clientId === CLIENT_ID && now() - NOW > heldMs;
      const [own] = isExecuted ? [record({ id: '7', time: NOW + 100 })] : orders.filter(() => id !== undefined);
      return respond(own ?? NOT_FOUND);
    },
  });
  const trading = tradingOf(server.url, time);
  host = trading.host;
  return trading;
}

const [[, untilKnown]] = TIMES;
const sinceStart = ({ host }: TestTrading) => host.now() - NOW;

describe.each(TIMES)('a write without an answer, %s', (_, time) => {
  const outcome = time.isChosen ? 'unknown' : 'notSent';

  it(`an order that never arrived is ${outcome}`, async () => {
    const trading = await unanswering(time);
    expect(await placeOrder(trading, TERMS, { id: CLIENT_ID })).toMatchObject({ outcome });
    expect(sinceStart(trading) > 60_000).toBe(!time.isChosen);
  });

  it(`a cancellation that never arrived is ${time.isChosen ? 'unknown' : 'known to have done nothing'}`, async () => {
    const trading = await unanswering(time, { orders: [record({ id: '7' })] });
    const [attempt] = await cancelOrders(trading, 'btc_usdt', [{ id: '7' }]);
    const known = { outcome: 'refused', message: expect.stringContaining('did not reach the exchange') };
    expect(attempt?.result).toMatchObject(time.isChosen ? { outcome: 'unknown' } : known);
  });

  it(`the lines of a batch that never arrived are ${outcome}`, async () => {
    const server = await new ModelExchange([], { times: 0, answer: RESET }).serve();
    const { job } = await place(tradingOf(server.url, time), { lines: lines(3) });
    expect(job.outcomes()).toEqual([outcome, outcome, outcome]);
  });

  it(`a withdrawal that never arrived is ${outcome}`, async () => {
    const trading = tradingOf((await serveFunds()).url, time);
    expect(await findWithdrawalOutcome(trading, begin(trading, 'lost1'))).toMatchObject({ outcome });
  });
});

it.each([31_000, 55_000])('an order that is executed %i ms after its request is found', async (heldMs) => {
  const trading = await unanswering(untilKnown, { heldMs });
  expect(await placeOrder(trading, TERMS, { id: CLIENT_ID })).toMatchObject({ outcome: 'placed', id: '7' });
});

it('a write whose exchange answers nothing at all ends, and stays unknown', async () => {
  const server = await serveFaults({ answer: () => FAULTS['a reset after reading'] });
  const trading = tradingOf(server.url, untilKnown);
  expect(await placeOrder(trading, TERMS, { id: CLIENT_ID })).toMatchObject({ outcome: 'unknown' });
  expect(sinceStart(trading)).toBeLessThan(120_000);
});
