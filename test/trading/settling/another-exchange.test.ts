import { expect, it } from 'vitest';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { FakeExchange } from '../../support/fake-exchange.js';
import { CLIENT_ID } from '../support/exchange.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';

it('places, finds and cancels an order on an exchange that has no wire and no codes of its own', async () => {
  const { client: _, ...trading } = tradingOf('http://unused.test');
  const client = new FakeExchange({}, [], trading.host.now);
  const placed = await placeOrder({ ...trading, client }, TERMS, { id: CLIENT_ID });
  expect(placed).toMatchObject({ outcome: 'placed', id: '1', duplicates: [] });
  expect(client.writes).toEqual([{ kind: 'order', terms: TERMS, clientId: CLIENT_ID }]);
  expect(await client.findOrder(TERMS.market, { clientId: CLIENT_ID })).toMatchObject({ id: '1', state: 'open' });
  await client.cancelOrder(TERMS.market, { id: '1' });
  expect(await client.findOrder(TERMS.market, { id: '1' })).toMatchObject({ state: 'cancelled' });
});

it('reports an order that such an exchange refuses, and proves that it is absent', async () => {
  const { client: _, ...trading } = tradingOf('http://unused.test');
  const refusal = { kind: 'insufficientFunds', code: null, message: 'too poor' } as const;
  const client = new FakeExchange({}, [refusal], trading.host.now);
  expect(await placeOrder({ ...trading, client }, TERMS, { id: CLIENT_ID })).toEqual({ outcome: 'refused', refusal });
});
