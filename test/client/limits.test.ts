import { expect, it } from 'vitest';
import { respond, serveFaults } from '../support/fault-server.js';
import { clientOf, failureOf } from './support.js';

const ORDERS = { currency: 'btc_usdt', pageIndex: '1', tradeType: '1' };

it('signed reads of one process leave at most 50 a second', async () => {
  const server = await serveFaults({ answer: () => respond('[]') });
  const { client, host } = clientOf(server.url);
  for (let request = 0; request < 5; request += 1) await client.read('getOrders', ORDERS);
  expect(host.sleeps).toEqual([20, 20, 20, 20]);
});

it('a read that came too often waits a second and more, and is asked again', async () => {
  const answers = ['{"code":4002,"message":"too frequent"}', '[]'];
  const server = await serveFaults({ answer: () => respond(answers.shift() ?? '[]') });
  const { client, host } = clientOf(server.url);
  expect(await client.read('getOrders', ORDERS)).toEqual([]);
  expect(host.sleeps).toEqual([1_250]);
});

it('where it stays so, the limit is what is told', async () => {
  const server = await serveFaults({ answer: () => respond('{"code":4002,"message":"too frequent"}') });
  const failure = await failureOf(clientOf(server.url).client.read('getOrders', ORDERS));
  expect(failure).toMatchObject({ kind: 'limited', code: 4002 });
  expect(server.requests).toHaveLength(4);
});

it("does not wait for K-line's second where the budget ends before", async () => {
  const server = await serveFaults({ answer: () => respond('{"data":[],"moneyType":"USDT","symbol":"BTC"}') });
  const { client, host } = clientOf(server.url, 500);
  await client.read('kline', { market: 'btc_usdt', type: '1min' });
  const failure = await failureOf(client.read('kline', { market: 'btc_usdt', type: '1min' }));
  expect(failure).toMatchObject({ kind: 'unreachable', message: 'No time was left to ask the exchange.' });
  expect(host.sleeps).toEqual([]);
  expect(server.requests).toHaveLength(1);
});
