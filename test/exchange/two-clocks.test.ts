import { expect, it } from 'vitest';
import { respond, serveFaults } from '../support/fault-server.js';
import { clientOf } from './support.js';

const AHEAD_MS = 3_600_000;

/** A client of an exchange whose clock is an hour ahead, and how far the client takes each of its hosts to be. */
async function clockedClient(body: string) {
  const dated = { ahead: 0 };
  const server = await serveFaults({
    answer: () => respond(body, '200 OK', [`Date: ${new Date(dated.ahead).toUTCString()}`]),
  });
  const { client, host } = clientOf(server.url);
  dated.ahead = host.now() + AHEAD_MS;
  const isAhead = (now: number) => Math.abs(now - host.now() - AHEAD_MS) < 2_000;
  return { client, ahead: () => ({ trade: isAhead(client.now()), market: isAhead(client.marketNow()) }) };
}

it("sets the clock of market data by that host's answers alone, whether or not it was asked for before", async () => {
  const { client, ahead } = await clockedClient('{"bids":[],"asks":[],"timestamp":1700000000}');
  await client.depth({ market: 'btc_usdt', size: 1 });
  expect(ahead()).toEqual({ trade: false, market: true });
});

it("sets the trade host's clock by a read without keys too", async () => {
  const { client, ahead } = await clockedClient('{"code":3008,"message":"none"}');
  expect(await client.fees({ coin: 'btc' })).toEqual([]);
  expect(ahead()).toEqual({ trade: true, market: false });
});
