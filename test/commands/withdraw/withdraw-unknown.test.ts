import { expect, it } from 'vitest';
import { LOST, PASS } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { document, lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({
  markets: STILL_MARKETS,
});

it('a withdrawal that is unknown exits with 6, is not sent again, and is settled by pit resolve', async () => {
  const [{ address } = { address: '' }] = await pit.json<{ address: string }[]>('address btc --withdraw');
  const line = `withdraw btc 0.041 --to ${address} --confirm-address ${address} --safe-pwd-stdin`;
  const password = { input: `${pit.served.address.safePwd}\n` };
  const { network } = pit.world;
  network.treat = ({ operation }) => (operation === 'withdraw' ? LOST : PASS);
  const lost = await pit.run(`${line} --json --timeout 10`, password);
  network.treat = () => PASS;
  const { clientId, hint } = lastError(lost.stderr);
  expect(lost.code).toBe(6);
  expect(document(lost.stdout)).toMatchObject({ outcome: 'unknown', id: null });
  expect(hint).toMatch(
    /^Do not send it again before you know\. Find out after .* when its request should have expired: /,
  );
  expect(hint).toContain(`pit resolve ${clientId}`);
  const repeated = await pit.failure(line, 2, password);
  expect(repeated).toMatchObject({ clientId, hint: `Find its outcome: pit resolve ${clientId}` });
  expect(pit.world.sent('withdraw')).toHaveLength(1);
  const [row] = await pit.json<object[]>(`resolve ${clientId} --timeout 90`);
  expect(row).toMatchObject({ operation: 'withdraw', clientId, market: null, outcome: 'notSent', duplicates: [] });
  expect(await pit.done(`resolve ${clientId}`)).toContain(`withdraw 0.041 btc to ${address}: notSent`);
});
