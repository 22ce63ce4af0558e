import { expect, it } from 'vitest';
import { saying } from '../support/advice.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { clientOf, failureOf } from './support.js';

const ORDERS = { currency: 'btc_usdt', pageIndex: '1', tradeType: '1' };

it('sends as many signed reads at once as a second allows, and more a second later', async () => {
  const server = await serveFaults({ answer: () => respond('[]') });
  const { client, host } = clientOf(server.url);
  const start = host.now();
  for (let request = 0; request < 120; request += 1) await client.api.read('getOrders', ORDERS);
  // three of sixty are kept for cancellations: 57, 57 and 6
  expect(server.requests).toHaveLength(120);
  expect(host.now() - start).toBe(2 * 1_010);
});

it('repeats a read that was refused as too frequent after a second or more', async () => {
  const answers = ['{"code":4002,"message":"too frequent"}', '[]'];
  const server = await serveFaults({ answer: () => respond(answers.shift() ?? '[]') });
  const { client, host } = clientOf(server.url);
  expect(await client.api.read('getOrders', ORDERS)).toEqual([]);
  expect(host.sleeps).toEqual([1_250]);
});

it('fails as limited if the read is refused every time', async () => {
  const server = await serveFaults({ answer: () => respond('{"code":4002,"message":"too frequent"}') });
  const failure = await failureOf(clientOf(server.url).client.api.read('getOrders', ORDERS));
  expect(failure).toMatchObject({ kind: 'limited', code: 4002 });
  expect(server.requests).toHaveLength(4);
});

it('waits for the K-line limit no longer than the budget lasts', async () => {
  const server = await serveFaults({ answer: () => respond('{"data":[],"moneyType":"USDT","symbol":"BTC"}') });
  const { client, host } = clientOf(server.url, 500);
  await client.api.read('kline', { market: 'btc_usdt', type: '1min' });
  const failure = await failureOf(client.api.read('kline', { market: 'btc_usdt', type: '1min' }));
  expect(failure).toMatchObject({
    kind: 'limited',
    message: 'The rate limit left no room for this request before the time of this command was over.',
    hints: saying('It was not sent. Use --timeout SECONDS to allow more than 0.5 seconds.'),
  });
  expect(host.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(500);
  expect(server.requests).toHaveLength(1);
});

it('waits for the K-line limit from when the answer begins to arrive, not from when it is read', async () => {
  const body = '{"data":[],"moneyType":"USDT","symbol":"BTC"}';
  const server = await serveFaults({
    answer: () => (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      setTimeout(() => {
        void host.sleep(600);
        socket.write(body);
      }, 50);
    },
  });
  const { client, host } = clientOf(server.url);
  await client.api.read('kline', { market: 'btc_usdt', type: '1min' });
  const start = host.monotonic();
  await client.api.read('kline', { market: 'btc_usdt', type: '1min' });
  // the second answer takes 600 ms too
  expect(host.monotonic() - start - 600).toBe(1_010 - 600);
});
