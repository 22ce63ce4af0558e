import { expect, it } from 'vitest';
import { usage } from '../../../../src/errors.js';
import { ChildOrder } from '../../../../src/trading/algos/children/child-order.js';
import type { AlgoService } from '../../../../src/trading/algos/service/algo-service.js';
import { cancelAlgos } from '../../../../src/trading/algos/service/cancel-algos.js';
import { anOrder, ScriptedExchange } from '../../../support/scripted-exchange.js';
import { tradingOf } from '../../support/trading.js';

it('cancels the order of a child whose answer was lost, though the algo order cannot be recorded as cancelled', async () => {
  const clientId = 'aaaaaaae1';
  const exchange = new ScriptedExchange({ orders: [anOrder({ clientId })] });
  const trading = tradingOf(exchange);
  const time = trading.host.now();
  const child = new ChildOrder({ child: clientId, type: 'limit', price: '30000', amount: '0.01', time });
  child.sending = 'unknown';
  const began = { terms: { market: { market: 'btc_usdt' } } };
  const record = { facts: { began, cancelled: null, ended: null } };
  const warnings: unknown[] = [];
  const store = {
    read: () => record,
    add: () => {
      throw usage('The disk is full.', 'Make room.');
    },
  };
  const service = {
    options: { store, account: { trading: async () => trading }, warn: (text: unknown) => warnings.push(text) },
    chosenIds: () => ['aaaaaaa'],
    views: { children: () => ({ of: () => [child] }), of: async () => [{ id: 'aaaaaaa', facts: { ended: null } }] },
  };
  const cancelled = await cancelAlgos(service as unknown as AlgoService, 'all');
  expect(exchange.has.orders).toMatchObject([{ id: '7', state: 'cancelled' }]);
  expect(cancelled).toMatchObject([{ isDone: false, hasCancelled: true, failure: { kind: 'usage' } }]);
  expect(warnings).toHaveLength(1);
});
