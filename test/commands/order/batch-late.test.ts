import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { PASS } from '../../support/world/network.js';
import { useWorldPerTest } from '../pit-home.js';
import { batch } from './batch-home.js';

const WARNING = /2 (REJECTED ORDERS ARE LIVE|DUPLICATE ORDERS AND REJECTED ORDERS ARE ON THE EXCHANGE): /;
const MARKETS = { btc_usdt: { bid: '29999.00', ask: '30001.00' } };
const pit = useWorldPerTest({ markets: MARKETS, balances: { usdt: '1000' }, limits: UNLIMITED });

/** What another order holds, so that the balance covers so many orders of 300 usdt. */
const HELD = ['900', '650'] as const;

/** Sends a batch of two orders whose request is executed again once the balance covers both. @param accepted how many are placed at first */
async function carriedOutAgain(accepted: 0 | 1) {
  const { network } = pit.world;
  network.treat = ({ operation }) => (operation === 'orderMoreV2' ? { arrives: [0, 20_000], reply: 'answer' } : PASS);
  const held = await pit.json<{ id: string }>(`order buy btc_usdt ${HELD[accepted]}usdt --at 28000 --yes`);
  const refused = await pit.run('order batch buy btc_usdt --ladder 29990:29991:2 --amount 0.02 --yes --json');
  expect(refused.code).toBe(accepted === 0 ? 3 : 9);
  const job = /"clientId":"(job\w+)"/.exec(refused.stderr)?.[1] ?? '';
  const elsewhere = { home: pit.world.otherHome('elsewhere') };
  await pit.world.json(`cancel btc_usdt ${held.id}`, elsewhere);
  await pit.world.pass(25_000);
  // newest first
  const orders = await pit.world.json<{ id: string; price: string }[]>('orders btc_usdt', elsewhere);
  expect(orders).toHaveLength(2 + accepted);
  const duplicates = accepted === 0 ? [] : orders.filter(({ price }) => price === '29990.00').slice(0, 1);
  return { job, duplicates: duplicates.map(({ id }) => id) };
}

describe('a refused batch that a proxy repeats once the balance covers it', () => {
  it.each([0, 1] as const)(
    'counts as placed for --resume, which sends nothing, after %i accepted orders',
    async (accepted) => {
      const { job, duplicates } = await carriedOutAgain(accepted);
      const resumed = await pit.run(`order batch buy btc_usdt --resume ${job} --yes --json`);
      expect(resumed.code).toBe(accepted === 0 ? 0 : 9);
      expect(resumed.stderr).toMatch(WARNING);
      expect(batch(resumed)).toMatchObject({ placed: 2, refused: 0, duplicates });
      const resolved = await pit.run(`resolve ${job} --json`);
      expect(resolved.code).toBe(resumed.code);
      expect(JSON.parse(resolved.stdout)).toMatchObject([{ clientId: job, outcome: 'placed', duplicates }]);
      expect(pit.world.sent('orderMoreV2')).toHaveLength(1);
    },
  );

  it.each([0, 1] as const)('resolve finds the batch after %i accepted orders', async (accepted) => {
    const { duplicates } = await carriedOutAgain(accepted);
    const { code, stdout, stderr } = await pit.run('resolve --json');
    expect(code).toBe(accepted === 0 ? 0 : 9);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'placed', duplicates }]);
    expect(stderr).toMatch(WARNING);
  });
});
