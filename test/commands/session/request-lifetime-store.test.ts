import { expect, it } from 'vitest';
import { requestLifetimeStore } from '../../../src/commands/session/context.js';
import { Cache } from '../../../src/config/cache.js';
import { Profiles } from '../../../src/config/profiles.js';
import { temporaryState } from '../../trading/support/trading.js';

const HOST = 'https://trade.example.com';

it.each([
  ['a profile', false],
  ['the cache, for a host of the environment', true],
])('a tolerance that turned out wrong is forgotten by %s too', async (_, hostFromEnvironment) => {
  const folder = temporaryState();
  const [profiles, cache] = [new Profiles(folder), new Cache(folder, () => 1)];
  await profiles.add({ name: 'main', baseUrl: HOST, tradeUrl: HOST, wsUrl: null });
  const memory = async () => {
    const { settings } = await profiles.get('main');
    return requestLifetimeStore({ profile: 'main', settings, hostFromEnvironment, tradeUrl: HOST }, profiles, cache);
  };
  const first = await memory();
  await first.save(4_200);
  expect([first.measuredMs, (await memory()).measuredMs]).toEqual([5_000, 5_000]);
  await first.clear();
  expect([first.measuredMs, (await memory()).measuredMs]).toEqual([undefined, undefined]);
});
