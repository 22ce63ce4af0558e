import { expect, it } from 'vitest';
import { Cancelling } from '../../../src/commands/cancel/cancelling.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { openOrders } from '../../trading/support/open-orders.js';
import { tradingOf } from '../../trading/support/trading.js';

it('what a signal prints of a market that is over is what its orders show, not their answers alone', async () => {
  const trading = tradingOf(new ScriptedExchange({ orders: openOrders(2) }));
  const cancelling = new Cancelling({ output: undefined as never });
  const outcomes = () => cancelling.attempts.map(({ result: { id, outcome } }) => [id, outcome]);
  await cancelling.inMarket(
    trading,
    { market: 'btc_usdt', named: [{ id: '1' }, { id: '2' }] },
    new AbortController().signal,
  );
  expect(outcomes()).toEqual([
    ['1', 'cancelled'],
    ['2', 'cancelled'],
  ]);
});
