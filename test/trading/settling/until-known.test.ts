import { describe, expect, it } from 'vitest';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { findWithdrawalOutcome } from '../../../src/trading/settling/withdrawals/find-withdrawal.js';
import { NOW } from '../../support/fake-host.js';
import { AWAY, anOrder, type HeldOrder, LOST, LOST_DONE, ScriptedExchange } from '../../support/scripted-exchange.js';
import { lines, place } from '../batches/jobs.js';
import { begin } from '../support/funds.js';
import { CLIENT_ID } from '../support/lookups.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** What a command has without `--timeout`, and with `--timeout 30`. */
const TIMES = [
  ['without --timeout', { budgetMs: 30_000, isChosen: false, tolerance: 60_000 }],
  ['with --timeout 30', { budgetMs: 30_000, isChosen: true, tolerance: 60_000 }],
] as const;
type Time = (typeof TIMES)[number][1];

/** An exchange that answers no write, and executes one after so many ms (default: never). */
function unanswering(time: Time, { heldMs = Number.POSITIVE_INFINITY, orders = [] as HeldOrder[] } = {}) {
  return tradingOf(new ScriptedExchange({ orders }, [], { ...LOST_DONE, late: { ms: heldMs } }), time);
}

const [[, untilKnown]] = TIMES;
const sinceStart = ({ host }: TestTrading) => host.now() - NOW;

describe.each(TIMES)('a write without an answer, %s', (_, time) => {
  const outcome = time.isChosen ? 'unknown' : 'notSent';

  it(`an order that never arrived is ${outcome}`, async () => {
    const trading = unanswering(time);
    expect(await placeOrder(trading, TERMS, { id: CLIENT_ID })).toMatchObject({ outcome });
    expect(sinceStart(trading) > 60_000).toBe(!time.isChosen);
  });

  it(`a cancellation that never arrived is ${time.isChosen ? 'unknown' : 'known to have done nothing'}`, async () => {
    const trading = unanswering(time, { orders: [anOrder()] });
    const [attempt] = await cancelOrders(trading, 'btc_usdt', [{ id: '7' }]);
    const known = { outcome: 'refused', message: expect.stringContaining('did not reach the exchange') };
    expect(attempt?.result).toMatchObject(time.isChosen ? { outcome: 'unknown' } : known);
  });

  it(`the lines of a batch that never arrived are ${outcome}`, async () => {
    const exchange = new ScriptedExchange({}, [], LOST);
    const { job } = await place(tradingOf(exchange, time), { lines: lines(3) });
    expect(job.outcomes()).toEqual([outcome, outcome, outcome]);
  });

  it(`a withdrawal that never arrived is ${outcome}`, async () => {
    const trading = tradingOf(new ScriptedExchange(), time);
    expect(await findWithdrawalOutcome(trading, begin(trading, 'lost1'))).toMatchObject({ outcome });
  });
});

it.each([31_000, 55_000])('an order that is executed %i ms after its request is found', async (heldMs) => {
  const trading = unanswering(untilKnown, { heldMs });
  expect(await placeOrder(trading, TERMS, { id: CLIENT_ID })).toMatchObject({
    outcome: 'placed',
    id: trading.client.has.orders[0]?.id,
  });
});

it('a write whose exchange answers nothing at all ends, and stays unknown', async () => {
  const exchange = new ScriptedExchange({}, [], LOST);
  exchange.onRequest = ({ kind }) => (kind === 'order' ? undefined : AWAY);
  const trading = tradingOf(exchange, untilKnown);
  expect(await placeOrder(trading, TERMS, { id: CLIENT_ID })).toMatchObject({ outcome: 'unknown' });
  expect(sinceStart(trading)).toBeLessThan(120_000);
});
