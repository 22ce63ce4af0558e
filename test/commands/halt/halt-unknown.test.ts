import { describe, expect, it } from 'vitest';
import { instead, LOST, late, PASS, type Treatment } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({
  markets: STILL_MARKETS,
});

describe('pit halt --cancel, while an earlier order may still arrive', () => {
  async function halt(timer: Treatment) {
    pit.world.network.treat = ({ operation }) =>
      operation === 'order' ? late(50_000) : operation === 'getOrder' ? LOST : PASS;
    expect(await pit.run('order buy eth_usdt 0.1 --at bid-2% --yes --timeout 3')).toMatchObject({ code: 6 });
    pit.world.network.treat = ({ operation }) => (operation === 'cancelAllOrdersAfter' ? timer : PASS);
    const ran = await pit.run('halt --cancel --yes');
    pit.world.network.treat = () => PASS;
    await pit.world.pass(90_000);
    return { ...ran, left: (await pit.json<object[]>('orders eth_usdt')).length };
  }

  it('succeeds if the timer of the exchange cancels it', async () => {
    expect(await halt(PASS)).toMatchObject({ code: 0, left: 0 });
  });

  it('exits with 6 and names it if no timer was started', async () => {
    const { code, left, stderr } = await halt(instead('{"code":1001,"message":"no"}'));
    expect([code, left]).toEqual([6, 1]);
    expect(stderr).toContain('Warning: No timer is known to run in eth_usdt');
    expect(stderr).toContain('An earlier order may have been placed: buy 0.1 eth_usdt');
    expect(stderr).toContain('Orders may still be open: 1 earlier write without a known outcome.');
  });
});
