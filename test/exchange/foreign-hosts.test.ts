import { expect, it } from 'vitest';
import { respond, serveFaults } from '../support/fault-server.js';
import { runPit, temporaryHome } from '../support/pit.js';

const ORDER = ['order', 'buy', 'btc_usdt', '0.01', '--at', '100.5', '--yes'];

it.each([
  ['sandbox', 'PIT_BASE_URL'],
  ['sandbox', 'PIT_TRADE_URL'],
  ['mine', 'PIT_BASE_URL'],
  ['mine', 'PIT_TRADE_URL'],
])('refuses an order at --profile %s with another host in %s, and asks neither', async (profile, variable) => {
  const servers = [
    await serveFaults({ answer: () => respond('{}') }),
    await serveFaults({ answer: () => respond('{}') }),
  ] as const;
  const [own, foreign] = [servers[0].url, servers[1].url];
  const home = temporaryHome();
  await runPit(['profile', 'add', 'mine', '--base-url', own, '--trade-url', own], { home });
  const environment = { [variable]: foreign, PIT_ACCESS_KEY: 'an-access-key', PIT_SECRET_KEY: 'a-secret-key' };
  const { code, stdout, stderr } = await runPit(['--profile', profile, ...ORDER], { home, environment });
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toContain(`--profile ${profile} and ${variable} name different exchanges.`);
  expect(servers.map(({ connections }) => connections)).toEqual([0, 0]);
});

it('never trades at a profile with the prices of a host in the environment', async () => {
  const own = await serveFaults({ answer: () => respond('{}') });
  const foreign = await serveFaults({ answer: () => respond('{}') });
  const home = temporaryHome();
  await runPit(['profile', 'add', 'mine', '--base-url', own.url, '--trade-url', own.url], { home });
  await runPit(['profile', 'use', 'mine'], { home });
  const environment = { PIT_BASE_URL: foreign.url, PIT_ACCESS_KEY: 'an-access-key', PIT_SECRET_KEY: 'a-secret-key' };
  const { code, stderr } = await runPit(ORDER, { home, environment });
  expect(code).toBe(4);
  expect(stderr).toContain("PIT_BASE_URL is another exchange than the profile's");
  expect(own.requests).toEqual([]);
});
