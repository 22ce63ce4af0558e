import { safeParse } from 'valibot';
import { expect, it } from 'vitest';
import { type ChannelName, channels, PROTOCOL, wireName } from '../../../src/exchange/channels/index.js';
import { parseJson } from '../../../src/platform/json.js';
import { MARKETS, type SandboxMarket } from '../../../src/sandbox/markets/market.js';
import { STREAMS } from '../../../src/sandbox/server/interface-details.js';
import { ALICE, stillExchange } from '../server/fake-exchange.js';
import { serveInterface } from '../server/wire.js';
import { StreamClient } from './client.js';

const VALUES = { market: 'btcusdt', type: '1week' };

it.each(Object.keys(channels) as ChannelName[])('what the sandbox sends on %s is what is described', async (name) => {
  const [account, balance] = [{ ...ALICE, permissions: { ...ALICE.permissions, lever: true } }, { available: '1.5' }];
  const balances = () => [{ coin: 'btc', frozen: '0', ...balance }];
  const exchange = stillExchange({ account: () => account, balances });
  const client = await StreamClient.connect((await serveInterface(exchange)).port);
  client.subscribeSigned(ALICE, wireName(channels[name].template, VALUES));
  const frames = await client.settled();
  balance.available = '1.25';
  exchange.changes.balance('7/btc');
  const filled = {
    remaining: 0n,
    value: 5n,
    fee: 1n,
    open: false,
    price: 5n,
    amount: 5n,
    time: 1,
    id: 20n,
    repay: false,
  };
  exchange.changes.order({
    ...{ ...filled, account: '7', accountType: 'spot', wallet: '7', side: 'buy', type: 'ioc', clientId: null },
    market: MARKETS.get('btc_usdt') as SandboxMarket,
    lastTrade: { id: 7n, price: 5n, amount: 5n, time: 2 },
  });
  if (frames.length === 0) frames.push(await client.next());
  for (const frame of frames) {
    const { issues, success } = safeParse(channels[name].frame, parseJson(frame));
    expect(issues?.map(({ message }) => message)).toBeUndefined();
    expect(success).toBe(true);
  }
});

it('the sandbox listens on the path that clients connect to', () => {
  expect(STREAMS.path).toBe(PROTOCOL.path);
  expect(STREAMS.subscriptionsPerSecond).toBe(PROTOCOL.subscriptionsPerSecond);
});
