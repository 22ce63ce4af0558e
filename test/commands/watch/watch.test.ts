import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';
import { watching } from './watching.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });

const openOrders = async () =>
  JSON.parse((await pit.world.run(['orders', 'btc_usdt', '--json'])).stdout) as {
    readonly id: string;
    readonly price: string;
    readonly amount: string;
  }[];

describe('pit watch', () => {
  it('places, replaces and cancels orders through the same questions as the commands', async () => {
    const { until, press, ended, screen } = watching(pit.world, 'btc_usdt');
    await until('Book btc');
    await until('No open orders in btc_usdt.');
    await press('b', ...'0.01', '\t', '\u0015', ...'20000', '\r');
    await until('y: yes');
    await press('y');
    await until(/Placed.*BUY 0\.01 btc_usdt at 20,000/);
    await until(/▲ buy.*20,000\.00/);
    expect(await openOrders()).toMatchObject([{ price: '20000.00', amount: '0.010000' }]);

    await press('\t', 'r', '\u0015', ...'40000', '\r');
    await until('price-band blocks this');
    // the whole sentence, with the limit at its end
    await until(/ \d+\.\d\d%,/);
    await until(/> ▏/);
    await press(...'price-ban', '\r');
    await until('price-band was not typed');
    await press('r', '\u0015', ...'20001', '\r');
    await until('y: yes');
    await press('y');
    await until(/▲ buy.*20,001\.00/);
    const [replaced, ...others] = await openOrders();
    expect([replaced?.price, others]).toEqual(['20001.00', []]);

    await press('\t', 'c');
    await until(/Cancelled .* order/);
    await until('No open orders in btc_usdt.');
    expect(await openOrders()).toEqual([]);
    await press('q');
    expect(await ended()).toBe(0);
    expect(screen.modes).toEqual(['?25', '?7']);
  });

  it('sends nothing that was not confirmed', async () => {
    const { until, press, ended } = watching(pit.world, 'btc_usdt', [80, 24]);
    await until('No open orders in btc_usdt.');
    await press('s', ...'0.01', '\r');
    await until('y: yes');
    await press('n');
    await until('Not confirmed; nothing was sent.');
    await press('b', '\u001b[200~0.02\ry\u001b[201~', '\r');
    await until('y: yes');
    await press('\u001b[200~y\u001b[201~', 'yy', '\u001b[<0;3;3M', '\r');
    await until(/No open orders/);
    await press('C');
    await until('No open orders: nothing was cancelled.');
    expect(await openOrders()).toEqual([]);
    await press('q');
    expect(await ended()).toBe(0);
  });

  it('shows what an own order fills in a line that stays, marks the trade, counts it as of today, and rings the bell if that is set', async () => {
    const set = (value: string) => pit.world.run(['profile', 'set', 'sandbox', 'watch.bell', value]);
    for (const value of ['on', 'off']) {
      expect((await set(value)).code).toBe(0);
      const { until, press, ended, screen } = watching(pit.world, 'btc_usdt');
      let bells = 0;
      const { write } = screen;
      Object.assign(screen, {
        write: (text: string, ...rest: unknown[]) => {
          bells += text.split('\u0007').length - 1;
          return Reflect.apply(write, screen, [text.replaceAll('\u0007', ''), ...rest]);
        },
      });
      await until('No open orders in btc_usdt.');
      await until(value === 'on' ? 'No fills today in btc_usdt.' : 'bought 0.01 btc at');
      const placed = await pit.run('order buy btc_usdt 0.01 --at ask --yes --json');
      const { id } = JSON.parse(placed.stdout) as { readonly id: string };
      await until(new RegExp(`^Filled {2}buy 0\\.01 btc at [\\d,.]+, order ${id}, all filled`));
      await until(/0\.010000 {2}own/);
      await until(value === 'on' ? 'bought 0.01 btc at' : 'bought 0.02 btc at');
      await press('c');
      await until('No order is selected');
      await until(`order ${id}, all filled`);
      expect(bells).toBe(value === 'on' ? 1 : 0);
      await press('q');
      expect(await ended()).toBe(0);
    }
  });

  it('shows another market with m, and remembers it', async () => {
    const first = watching(pit.world, 'btc_usdt');
    await first.until('Book btc');
    await first.press('m');
    await first.until('eth_usdt');
    await first.press(...'eth', '\r');
    await first.until('Book eth');
    await first.until(/spread/);
    await first.press('q');
    await first.ended();
    const second = watching(pit.world, '--type 5min');
    await second.until('Book eth');
    await second.until('Candles 5min');
    await second.press('q');
    expect(await second.ended()).toBe(0);
  });

  it.each([
    ['a placed order', '0.01', 0, /Waiting for the outcome of a write\..*Placed .*BUY 0\.01 btc_usdt/s],
    ['an order that the exchange rejects', '40', 3, /Waiting for the outcome of a write\..*balance/is],
  ])('waits after a second q for the outcome of %s, and prints it', async (_what, amount, code, text) => {
    const { until, press, ended, remarks, shows } = watching(pit.world, 'btc_usdt');
    await until('No open orders in btc_usdt.');
    const fault = 'sandbox fault add delay --operation order --count 1 --delay 1500';
    expect((await pit.run(fault)).code).toBe(0);
    await press('b', ...amount, '\t', '\u0015', ...'20000', '\r');
    await until('y: yes');
    await press('y', 'q');
    await until('Press q again');
    await press('q');
    expect(await ended()).toBe(code);
    expect(remarks()).toMatch(text);
    // what the screen itself has reported is not said again
    expect(shows('Placed')).toBe(false);
    expect((await pit.run('cancel btc_usdt --all --yes')).code).toBe(0);
  });

  it('refuses to run where it cannot draw or read keys, and names what can', async () => {
    const { code, stderr } = await pit.world.run(['watch', 'btc_usdt']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/needs a terminal[\s\S]*--watch[\s\S]*pit stream/)]);
  });
});
