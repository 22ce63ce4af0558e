import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';

// orders of one moment would all be on the same page of the list
const OPTIONS = { limits: UNLIMITED, latencyMs: 1 };

type Pit = ReturnType<typeof useWorldPerTest>;

/** Runs lines in one shell. Returns how often it asked for each operation, too. */
async function shell(pit: Pit, lines: readonly string[]) {
  const before = pit.world.network.requests.length;
  const ran = await pit.world.run('shell --csv', { input: lines.map((line) => `${line}\n`).join('') });
  const requests = pit.world.network.requests.slice(before);
  const count = (name: string) => requests.filter(({ operation }) => operation === name).length;
  return { ...ran, count, requests: requests.length };
}

const resting = (price: number | string) => `order buy btc_usdt 0.001 --at ${price} --yes`;

describe('many orders in a row in pit shell', () => {
  const pit = useWorldPerTest({ ...OPTIONS, markets: STILL_MARKETS });

  it('take two signed requests each, also on later pages of the list, and a read of the book', async () => {
    const lines = Array.from({ length: 25 }, (_, index) => resting(27_000 + index));
    const { code, count } = await shell(pit, lines);
    expect(code).toBe(0);
    expect([count('order'), count('getOrders'), count('getOrder')]).toEqual([25, 25, 0]);
  });
});

describe('an order in pit shell', () => {
  const pit = useWorldPerTest(OPTIONS);

  it('is held against the price that the command before it has made', async () => {
    const { code, stderr } = await shell(pit, [
      resting(19_000),
      'sandbox price btc_usdt 10000',
      'sandbox clock advance 10s',
      resting(19_001),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('price-band blocks this');
  });
});
