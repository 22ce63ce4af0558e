import { expect, it } from 'vitest';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { refusal, ScriptedExchange } from '../../support/scripted-exchange.js';
import { CLIENT_ID } from '../support/lookups.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';

it('places, finds and cancels an order on an exchange that has no wire and no codes of its own', async () => {
  const exchange = new ScriptedExchange();
  const placed = await placeOrder(tradingOf(exchange), TERMS, { id: CLIENT_ID });
  const id = exchange.has.orders[0]?.id ?? '';
  expect(placed).toMatchObject({ outcome: 'placed', id, duplicates: [] });
  expect(exchange.arrived('order')).toMatchObject([{ terms: TERMS, clientId: CLIENT_ID }]);
  expect(await exchange.findOrder(TERMS.market, { clientId: CLIENT_ID })).toMatchObject({ id, state: 'open' });
  await exchange.cancelOrder(TERMS.market, { id });
  expect(await exchange.findOrder(TERMS.market, { id })).toMatchObject({ state: 'cancelled' });
});

it('reports an order that such an exchange refuses, and proves that it is absent', async () => {
  const poor = { ...refusal('insufficientFunds', 'too poor'), code: null };
  const exchange = new ScriptedExchange({}, [{ times: 0, answer: { kind: 'refused', refusal: poor } }]);
  const placed = await placeOrder(tradingOf(exchange), TERMS, { id: CLIENT_ID });
  expect(placed).toEqual({ outcome: 'refused', refusal: poor });
});
