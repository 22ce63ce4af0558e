import { expect, it } from 'vitest';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const home = useWorld({ markets: DEEP_MARKETS });

function pit(...words: string[]) {
  return home.world.run(words);
}

it('refuses a client id that is taken, as the two orders could not be told apart', async () => {
  const first = await pit('order', 'buy', 'btc_usdt', '0.001', '--at', '15000', '--id', 'once1', '--yes', '--json');
  const { id } = JSON.parse(first.stdout);
  const second = await pit('order', 'sell', 'btc_usdt', '0.001', '--at', '60000', '--id', 'once1', '--yes');
  expect(second).toMatchObject({ code: 2, stdout: '' });
  expect(second.stderr).toContain(`The client id once1 is taken by order ${id}.`);
  const { stdout } = await pit('orders', 'btc_usdt', '--state', 'all', '--all', '--json');
  const all = JSON.parse(stdout) as { readonly id: string; readonly side: string; readonly price: string }[];
  expect(all.filter(({ price, side }) => side === 'sell' && price === '60000.00')).toEqual([]);
});

it('cancel, order show and orders need the trade host alone', async () => {
  const placed = await pit('order', 'buy', 'btc_usdt', '0.001', '--at', '15000', '--yes', '--json');
  const { id } = JSON.parse(placed.stdout);
  const { environment } = home.served;
  const away = {
    home: home.world.otherHome('away'),
    environment: { ...environment, PIT_BASE_URL: 'http://127.0.0.1:9' },
  };
  expect(await home.world.run('orders btc_usdt --json', away)).toMatchObject({ code: 0 });
  expect(await home.world.run(`order show btc_usdt ${id} --json`, away)).toMatchObject({ code: 0 });
  expect(await home.world.run(`cancel btc_usdt ${id} --json`, away)).toMatchObject({ code: 0 });
  expect(await home.world.run('ticker btc_usdt', away)).toMatchObject({ code: 5 });
});

it.each([
  ['cancel', 'btc_usdd', '5'],
  ['orders', 'btc_usdd'],
  ['order', 'show', 'btc_usdd', '5'],
])('%s of an unknown market suggests the nearest', async (...words) => {
  const { code, stderr } = await pit(...words);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean btc_usdt');
});

it('the commands of hints keep the profile that a flag named', async () => {
  const { address, environment } = home.served;
  await pit('profile', 'add', 'mine', '--base-url', address.baseUrl, '--trade-url', address.tradeUrl);
  const { code, stderr } = await home.world.run('--profile mine order show btc_usdt 5', { environment });
  expect(code).toBe(3);
  expect(stderr).toContain('pit --profile mine orders');
  const joined = await home.world.run('order show btc_usdt 5 --profile=mine', { environment });
  expect(joined.stderr).toContain('pit --profile mine orders');
});

it('refuses a share of an empty balance', async () => {
  const none = await pit('order', 'buy', 'eth_btc', '100%', '--at', 'bid', '--dry-run', '--json');
  expect(none.code).toBe(0);
  const { available } = JSON.parse((await pit('balance', 'btc', '--json')).stdout)[0];
  await pit('order', 'sell', 'btc_usdt', available, '--at', '90000', '--yes');
  const { code, stderr } = await pit('order', 'buy', 'eth_btc', '50%', '--at', 'bid', '--yes');
  expect(code).toBe(2);
  expect(stderr).toContain('No btc is available');
});
