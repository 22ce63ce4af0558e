import { beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { place } from '../order/order-rows.js';
import { useWorldPerTest } from '../pit-home.js';

describe('pit fills, the second time', () => {
  const again = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });

  beforeEach(async () => {
    await place(again, 'buy eos_usdt 5 --at ask+2%');
    await again.world.pass(10_000);
    for (let count = 0; count < 11; count += 1) await place(again, 'sell eos_usdt 5 --at bid-2%');
  });

  const listed = (words: string) => again.json<object[]>(`fills ${words}`);
  const asked = async (words: string) => {
    const before = again.world.sent('getOrders').length;
    const fills = await listed(words);
    return { fills, pages: again.world.sent('getOrders').length - before };
  };

  it('asks for no page again on which every order is closed', async () => {
    await listed('eos_usdt --all');
    await again.world.pass(600_000);
    await place(again, 'sell eos_usdt 5 --at bid-2%');
    const first = await listed('eos_usdt --all');
    expect(first).toHaveLength(13);
    // one of each side
    expect(await asked('eos_usdt --all')).toEqual({ fills: first, pages: 2 });
  });

  it('reads every page on request, and lists the same', async () => {
    await again.world.pass(600_000);
    const newest = await listed('eos_usdt');
    // two of the sells, and one of the buys
    expect(await asked('eos_usdt --refresh')).toEqual({ fills: newest, pages: 3 });
    expect(await listed('eos_usdt --all --refresh')).toEqual(await listed('eos_usdt --all'));
  });
});
