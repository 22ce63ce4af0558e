import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { useWorldPerTest } from '../pit-home.js';

// orders of one moment would all be on the same page of the list
const pit = useWorldPerTest({ limits: UNLIMITED, latencyMs: 1 });

/** Runs lines in one shell. Returns how often it asked for each operation, too. */
async function shell(lines: readonly string[]) {
  const before = pit.world.network.requests.length;
  const ran = await pit.world.run('shell --csv', { input: lines.map((line) => `${line}\n`).join('') });
  const requests = pit.world.network.requests.slice(before);
  const count = (name: string) => requests.filter(({ operation }) => operation === name).length;
  return { ...ran, count, requests: requests.length };
}

const resting = (price: number | string) => `order buy btc_usdt 0.001 --at ${price} --yes`;

describe('orders in a row in pit shell', () => {
  it('takes two signed requests for each of sixty, and a read of the book', async () => {
    const { code, count } = await shell(Array.from({ length: 60 }, (_, index) => resting(20_000 + index)));
    expect(code).toBe(0);
    expect([count('order'), count('getOrders'), count('getOrder')]).toEqual([60, 60, 0]);
  });

  it('holds an order against the price that the command before it has made', async () => {
    const { code, stderr } = await shell([
      resting(19_000),
      'sandbox price btc_usdt 10000',
      'sandbox clock advance 10s',
      resting(19_001),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('price-band blocks this');
  });
});
