import { beforeEach, expect, test } from 'vitest';
import type { InputOf } from '../../../src/sandbox/admin/calls.js';
import { useWorldPerTest } from '../pit-home.js';

// The exchange changes the rules of a market while pit keeps those of before for an hour.

const pit = useWorldPerTest();
const BEFORE = { priceScale: 2, amountScale: 6, minAmount: '0.0001', minNotional: '1' };

async function change(rules: Partial<InputOf<'POST /rules'>>): Promise<void> {
  await pit.administer('POST /rules', { market: 'btc_usdt', ...BEFORE, ...rules });
}

beforeEach(async () => {
  // pit keeps the rules from here on
  await pit.done('order buy btc_usdt 0.01 --at 20000.12 --yes');
});

test('an order whose price has too many decimals by now is rejected with the new rule and a price that works, rounded to the safe side', async () => {
  await change({ priceScale: 1 });
  const failed = await pit.failure('order buy btc_usdt 0.01 --at 20000.19 --yes', 3);
  expect(failed).toMatchObject({
    message: expect.stringContaining('The rules of btc_usdt have changed: prices have at most 1 decimal (2 before).'),
    hint: 'Use a price of 20000.1.',
  });
});

test('the next command knows the new rules without asking', async () => {
  await change({ priceScale: 1 });
  await pit.failure('order buy btc_usdt 0.01 --at 20000.19 --yes', 3);
  const next = await pit.failure('order sell btc_usdt 0.01 --at 40000.19 --yes', 2);
  expect(next.message).toContain('has more decimals than btc_usdt takes');
});

test('an order below a minimum that was raised is rejected with the amount that is enough', async () => {
  await change({ minAmount: '0.02', amountScale: 4 });
  const failed = await pit.failure('order buy btc_usdt 0.010123 --at 20000 --yes', 3);
  expect(failed.message).toContain('the minimum amount is 0.02 btc (0.0001 before)');
  expect(failed.hint).toBe('Use an amount of 0.02 btc or more.');
});

test('a post-only order that would trade under rules that are as before keeps its own advice', async () => {
  const failed = await pit.failure(
    'order buy btc_usdt 0.01 --at 50000 --post-only --override price-band,post-only --yes',
    3,
  );
  expect(failed.message).not.toContain('have changed');
  expect(failed.hint).toContain('PostOnly');
});

test('a batch that is rejected for new rules names them', async () => {
  await change({ priceScale: 1 });
  const { stderr } = await pit.run(
    'order batch buy btc_usdt --ladder 20000.12:20000.52:2 --amount 0.02 --override price-band --yes',
  );
  expect(stderr).toContain('prices have at most 1 decimal (2 before)');
  expect(stderr).toContain('Use a price of 20000.1.');
});

test('a replacement that is rejected for new rules names them, and the order that works', async () => {
  const { id } = await pit.json<{ readonly id: string }>('order buy btc_usdt 0.01 --at 20000.12 --yes');
  await change({ priceScale: 1 });
  const { stderr } = await pit.run(`order replace btc_usdt ${id} --at 20000.27 --yes`);
  expect(stderr).toContain('prices have at most 1 decimal (2 before)');
  expect(stderr).toContain('pit order buy btc_usdt 0.01 --at 20000.2\n');
});

test('pit halt --flatten sells everything under new rules', async () => {
  await change({ priceScale: 0, amountScale: 2, minAmount: '0.01' });
  const ran = await pit.run('halt --cancel --flatten usdt --yes --json');
  const { flattened } = JSON.parse(ran.stdout) as {
    readonly flattened: readonly { readonly outcome: string; readonly market: string; readonly price: string }[];
  };
  const sold = flattened.filter(({ market }) => market === 'btc_usdt');
  expect(sold.some(({ outcome }) => outcome === 'placed')).toBe(true);
  expect(sold.filter(({ outcome, price }) => outcome === 'placed' && price.includes('.'))).toEqual([]);
});
