import { expect, it } from 'vitest';
import { respond, serveFaults } from '../support/fault-server.js';
import { NO_ORDER } from '../support/wire.js';
import { clientOf } from './support.js';

it("the answer that refuses its time corrects the clock, and the read is repeated with the exchange's clock", async () => {
  const ahead = 7_200_000;
  const times: number[] = [];
  const server = await serveFaults({
    answer: ({ target }) => {
      const time = Number(new URL(target, 'http://localhost').searchParams.get('reqTime'));
      times.push(time);
      const now = 1_540_295_995_557 + ahead;
      const date = `Date: ${new Date(now).toUTCString()}`;
      return respond(Math.abs(now - time) > 60_000 ? '{"code":3007,"message":"t"}' : NO_ORDER, '200 OK', [date]);
    },
  });
  const { client } = clientOf(server.url);
  const values = { currency: 'btc_usdt', id: '17' };
  await expect(client.api.read('getOrder', values)).rejects.toMatchObject({ kind: 'refused', code: 3001 });
  expect(server.requests).toHaveLength(2);
  expect(Math.abs((times[1] ?? 0) - (times[0] ?? 0) - ahead)).toBeLessThanOrEqual(1_000);
  await client.api.write('cancelOrder', values);
  expect(Math.abs((times[2] ?? 0) - (times[0] ?? 0) - ahead)).toBeLessThanOrEqual(1_000);
});
